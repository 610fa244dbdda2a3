# SPDX-License-Identifier: MIT
"""Importing this makes `import pycuda`, `import pyopencl`, `import cgen`, `import codepy.cgen`,
`import pyfft` and `import skcuda` find Treadle's; so does `pytest -p treadle.compat`.

A PyCUDA, PyOpenCL, cgen or skcuda that is installed is shadowed from then on, for this process; a
codepy, of which only a part is here, is not. One that was imported before stays as it is, and a
warning says so. `importlib.metadata.version("pyopencl")` answers with the version whose interface
the face has. `scikits.cuda` is skcuda's old name.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import pathlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from types import CodeType, ModuleType

from treadle import _absent

# Top-level name that programs import -> package that answers.
FACES = {
    "pycuda": "treadle.pycuda",
    "pyopencl": "treadle.pyopencl",
    "cgen": "treadle.cgen",
    "codepy": "treadle.codepy",
    "pyfft": "treadle.pyfft",
    "skcuda": "treadle.skcuda",
}
# Those that an installed package of the name comes before: its other modules are not here.
BEHIND_INSTALLED = {"codepy"}
_OLD_NAME = "scikits.cuda"


class _AliasLoader(importlib.abc.Loader):
    """Answers an import with a module that exists under another name: one module, two names."""

    def __init__(self, real_name: str) -> None:
        self.real_name = real_name
        self.real_spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.real_name)
        self.real_spec = module.__spec__
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        """For `python -m pycuda.debug`."""
        real = importlib.util.find_spec(self.real_name)
        get_code = getattr(real.loader if real is not None else None, "get_code", None)
        return get_code(self.real_name) if get_code is not None else None

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the alias's spec on the module; it keeps its own.
        module.__spec__ = self.real_spec


class _FaceDistribution(importlib.metadata.Distribution):
    """What importlib.metadata says of `pyopencl`: programs and packages ask for its version."""

    def __init__(self, face: str) -> None:
        self._face = face

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        version = importlib.import_module(FACES[self._face]).VERSION_TEXT
        return f"Metadata-Version: 2.1\nName: {self._face}\nVersion: {version}\n"

    def locate_file(self, path: str | os.PathLike[str]) -> pathlib.Path:
        return pathlib.Path(__file__).parent.parent / path


class _AliasFinder(importlib.metadata.DistributionFinder):
    def find_distributions(
        self,
        context: importlib.metadata.DistributionFinder.Context | None = None,
    ) -> Iterator[importlib.metadata.Distribution]:
        # Only who asks by name is answered: a listing of what is installed has Treadle's own.
        name = (context.name or "").lower() if context is not None else ""
        if name in FACES:
            yield _FaceDistribution(name)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        known = fullname
        if fullname == "scikits":
            return _namespace(fullname)
        if f"{fullname}.".startswith(f"{_OLD_NAME}."):
            known = fullname.replace(_OLD_NAME, "skcuda", 1)
            if known == "skcuda":
                text = "scikits.cuda is skcuda's old name: import skcuda"
                warnings.warn(text, DeprecationWarning, stacklevel=2)
        top, _, rest = known.partition(".")
        if top not in FACES:
            return None
        if top in BEHIND_INSTALLED and importlib.machinery.PathFinder.find_spec(top) is not None:
            return None
        real_name = FACES[top] + ("." + rest if rest else "")
        real = importlib.util.find_spec(real_name)
        if real is None:
            if known in _absent.MODULES:
                raise ModuleNotFoundError(
                    f"No module named {fullname!r}: this release of Treadle does not have it "
                    f"({_absent.MODULES[known]})",
                    name=fullname,
                )
            return None
        spec = importlib.machinery.ModuleSpec(
            fullname,
            _AliasLoader(real_name),
            origin=real.origin,
            is_package=real.submodule_search_locations is not None,
        )
        if real.submodule_search_locations is not None:
            spec.submodule_search_locations = list(real.submodule_search_locations)
        return spec


def _namespace(name: str) -> importlib.machinery.ModuleSpec | None:
    """A package without files, unless there is one."""
    if importlib.machinery.PathFinder.find_spec(name) is not None:
        return None
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = []
    return spec


_finder = _AliasFinder()


def is_installed() -> bool:
    """Whether `import pycuda` finds Treadle's face."""
    return _finder in sys.meta_path


def install() -> None:
    """Makes the faces' names importable. Calling it again changes nothing."""
    for name, real_name in FACES.items():
        imported = sys.modules.get(name)
        if imported is not None and imported.__name__ != real_name:
            warnings.warn(
                f"{name} was imported before treadle.compat, from "
                f"{getattr(imported, '__file__', '?')}; it stays as it is",
                RuntimeWarning,
                stacklevel=2,
            )
    if not is_installed():
        sys.meta_path.insert(0, _finder)


def _is_of_faces(name: str) -> bool:
    return name.partition(".")[0] in FACES or f"{name}.".startswith(f"{_OLD_NAME}.")


def uninstall() -> None:
    """Takes the names away again; modules that were imported stay with who imported them."""
    if not is_installed():
        return
    sys.meta_path.remove(_finder)
    for name in [n for n in sys.modules if _is_of_faces(n)]:
        del sys.modules[name]


install()
