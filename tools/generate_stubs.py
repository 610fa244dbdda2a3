#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the type stubs of the extension and of the PyOpenCL face's native half:
generate_stubs.py [FOLDER], with `treadle` importable.

Without FOLDER they go where they are shipped from, python/treadle/_core and
python/treadle/pyopencl. tests/python/stubs_test.py compares the two.
"""

import importlib
import importlib.metadata
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from stub_types import TYPES, WRITABLE

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python" / "treadle"

# The exceptions are created at run time; the generator does not recognise them as classes.
PYCUDA_EXCEPTIONS = """
class Error(Exception):
    '''The driver refused a call.'''

    code: int
    code_name: str
    call: str
    message: str
    hint: str

class MemoryError(Error):
    '''The device or the page-locked host memory is exhausted.'''

class LogicError(Error):
    '''A call that could not have worked: a wrong argument, no context, freed memory.'''

class LaunchError(Error):
    '''A kernel could not start, or failed while running.'''

class RuntimeError(Error):
    '''The driver failed in another way.'''

class ArgumentError(LogicError, ValueError, TypeError):
    '''An argument of a launch does not fit the kernel's parameter.'''
"""
PVT_STRUCT_EXCEPTION = """
class error(Exception):
    '''A format that is none, or values that do not fit it.'''
"""

# Output of the generator that a type checker rejects, and its replacement.
REPAIRS = [
    # The members an enumeration has for itself, and methods that it inherits.
    (r"^    _\w+_: .*(?:enum\.FlagBoundary|int|None) = .*\n\n", ""),
    (r"^    __str__ = __repr__\n\n", ""),
    (r"^    def __repr__\(self, /\):", "    def __repr__(self, /) -> str:"),
    # Comparing with an object of any type is allowed, and false.
    (r"(def __(?:eq|ne)__\(self, \w+: )[\w.]+", r"\1object"),
    # In the class `bytes` is a number, as cgen calls it.
    (r"^(    def make\w*\(self, \*\*kwargs: Any\)) -> bytes:", r"\1 -> Any:"),
    # A default of flags is a number in C++.
    (r"(: [\w.]*Flags) = \d+", r"\1 = ..."),
    # CPython's own, and nothing to call.
    (r"^    __vectorcalloffset__: .*\n\n", ""),
    # Classes written against CPython's own interface have no annotations.
    (
        r"^    free: types.MethodDescriptorType = \.\.\.",
        '    def free(self) -> None:\n        """Puts the block back into its pool."""',
    ),
    (
        r"(?s)(^class MemoryPool:.*?)^    allocate: types.MethodDescriptorType = \.\.\.",
        r"\1    def allocate(self, size: int) -> PooledBuffer:"
        '\n        """At least `size` bytes."""',
    ),
    (
        r"^    allocate: types.MethodDescriptorType = \.\.\.",
        "    def allocate(self, size: int, /) -> PooledDeviceAllocation:"
        '\n        """At least `size` bytes of device memory."""',
    ),
    (
        r"^    _allocate: types.MethodDescriptorType = \.\.\.",
        "    def _allocate(self, size: int, /) -> PooledHostAllocation: ...",
    ),
    (r"^    def __(?:set|del)attr__\(self, name.*, /\):\n        .*\n\n", ""),
    (  # of the one plain type that has it, opencl.Kernel
        r"^    def __init__\(self, /, \*args, \*\*kwargs\):\n        .*\n",
        "    def __init__(self, prg: Any, name: str) -> None: ...\n",
    ),
    (r"^    def __(int|index|len)__\(self, /\):", r"    def __\1__(self) -> int:"),
]

# Slots of arrays: what is not refused is an array, and of a face's arrays one of its own class.
BINARY = "add|sub|mul|truediv|floordiv|mod|and|or|xor|lshift|rshift"
ARRAY_REPAIRS = [
    (rf"^    def __([ri]?(?:{BINARY})|lt|le|gt|ge)__\(self, value, /\):",
     r"    def __\1__(self, value: Any, /) -> Self:"),
    (r"^    def __(eq|ne)__\(self, value, /\):",
     r"    def __\1__(self, value: object, /) -> Self:  # type: ignore[override]"),
    (r"^    def __([ri]?pow)__\(self, value(?:, mod=None)?, /\):",
     r"    def __\1__(self, value: Any, mod: None = None, /) -> Self:"),
    (r"^    def __(neg|pos|abs|invert)__\(self, /\):", r"    def __\1__(self, /) -> Self:"),
    (r"^    def __bool__\(self, /\):", "    def __bool__(self, /) -> bool:"),
    (r"^    def __getitem__\(self, key, /\):", "    def __getitem__(self, key: Any, /) -> Array:"),
    (r"^    def __setitem__\(self, key, value, /\):",
     "    def __setitem__(self, key: Any, value: Any, /) -> None:"),
    (r"^    __hash__: .*$", "    __hash__ = None  # type: ignore[assignment]"),
]  # fmt: skip


def repaired(text: str) -> str:
    for pattern, replacement in REPAIRS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def declaration(module: str, owner: str, name: str, type_: str) -> str:
    """The stub of one attribute, with the words of its docstring."""
    described = getattr(getattr(importlib.import_module(module), owner), name).__doc__
    words = "Launches it." if name == "__call__" else described or ""
    text = re.sub(r"^\w*\(.*?\)(?:: )?", "", words)  # the signature is said already
    text = text[:1].upper() + text[1:]
    doc = f'\n        """{text}"""\n' if text else " ...\n"
    if type_.startswith("("):
        return f"    def {name}{type_}:{doc}"
    setter = f"\n    @{name}.setter\n    def {name}(self, arg: {type_}, /) -> None: ...\n"
    read = f"    @property\n    def {name}(self) -> {type_}:{doc}"
    return read + (setter if name in WRITABLE else "")


def typed(stub: str, text: str) -> str:
    """Puts what stub_types.py says in the place of what the generator could not know."""
    for owner, attributes in TYPES.get(stub, {}).items():
        start = next(re.finditer(rf"\nclass {owner}[:(]", text)).start() + 1
        end = text.find("\nclass ", start) % (len(text) + 1)
        body = text[start:end]
        for name, type_ in attributes.items():
            unknown = (
                r'    def __call__\(self, /, \*args, \*\*kwargs\):\n        """.*"""\n'
                if name == "__call__"
                else rf"    {name}: [\w.]*[Dd]escriptor\w* = \.\.\.\n"
            )
            module = f"treadle._core.{stub.removesuffix('.pyi')}"
            told = declaration(module, owner, name, type_)
            body, count = re.subn(rf"(?m)^{unknown}", told.replace("\\", r"\\"), body)
            if count != 1:
                raise SystemExit(f"stub_types.py: {stub} has no unknown type of {owner}.{name}")
        text = text[:start] + body + text[end:]
    if left := re.search(r"(?m)^    \w+: [\w.]*[Dd]escriptor\w* = ", text):
        raise SystemExit(f"stub_types.py does not know a type of {stub}: {left[0].strip()}")
    return text


# Modules that the types of stub_types.py name, where the generator saw no use of them.
IMPORTS = {
    "array.pyi": "from typing_extensions import Self\n",
    "kernel.pyi": "from collections.abc import Iterable\nimport treadle._core.device\n",
    "driver.pyi": "from collections.abc import Callable, Sequence\nfrom typing import Any\n"
    "import treadle._core.cuda\n",
    "cuda.pyi": "from collections.abc import Sequence\n",
    "opencl.pyi": "from collections.abc import Sequence\n",
    "device.pyi": "from collections.abc import Iterator\n",
}


def imported(stub: str, text: str) -> str:
    for line in IMPORTS.get(stub, "").splitlines():
        if line not in text:
            at = re.search(r"(?m)^(?:import|from) ", text)
            place = at.start() if at else text.index('"""\n\n', 10) + 5
            text = f"{text[:place]}{line}\n{text[place:]}"
    return text if re.search(r"\btypes\.", text) else text.replace("import types\n", "")


def generate(folder: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "nanobind.stubgen",
            "-q",
            "-m",
            "treadle._core",
            "-r",
            "-P",
        ]
        subprocess.run([*command, "-O", scratch], check=True)
        header = f"# Generated by tools/generate_stubs.py, {made_by()}; do not edit.\n"
        folder.mkdir(parents=True, exist_ok=True)
        for stub in sorted(pathlib.Path(scratch, "_core").glob("**/*.pyi")):
            # A module with a private one inside is a folder; what is private has no stub.
            inside = stub.relative_to(pathlib.Path(scratch, "_core")).parts
            if len(inside) > 1 and inside[-1] != "__init__.pyi":
                continue
            name = f"{inside[0]}.pyi" if len(inside) > 1 else inside[0]
            found = re.sub(r"from \S+ import (_\w+) as \1\n\n?", "", stub.read_text())
            text = repaired(found)
            if name == "array.pyi":
                for pattern, replacement in ARRAY_REPAIRS:
                    text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
            text = header + imported(name, typed(name, text))
            if name == "opencl.pyi":  # what an answer is depends on the question
                text = text.replace("-> object:", "-> Any:")
                # Maps of an SVM take flags without their name, those of other pointers by it.
                maps = r"(def map(?:_r[ow])?\(self, queue: CommandQueue, (?:flags|is_b).*-> Any:)$"
                ignored = r"\1  # type: ignore[override]"
                text = re.sub(maps, ignored, text, flags=re.MULTILINE)
                text = text.replace("\nimport enum\n", "\nimport enum\nfrom typing import Any\n", 1)
            text += {"driver.pyi": PYCUDA_EXCEPTIONS, "pvt_struct.pyi": PVT_STRUCT_EXCEPTION}.get(
                name, ""
            )
            (folder / name).write_text(text)


def constants_stub() -> str:
    """The constant classes of pyopencl, which are made at run time."""
    module = importlib.import_module("treadle.pyopencl._constants")
    text = (
        "from treadle._core.opencl import program_kind as program_kind\n\n"
        f'def members_of(group: type) -> dict[str, int]:\n    """{module.members_of.__doc__}"""\n\n'
        f'class _Constants:\n    """{module._Constants.__doc__}"""\n\n'
        "    _is_bitfield: bool\n\n    @classmethod\n"
        "    def to_string(cls, value: int, default_format: str | None = None) -> str:\n"
        f'        """{module._Constants.to_string.__doc__}"""\n'
    )
    for kind in module.CONSTANT_CLASSES:
        text += f'\nclass {kind.__name__}(_Constants):\n    """{kind.__doc__}"""\n\n'
        members = module.members_of(kind)
        text += "".join(f"    {name}: int = {value}\n" for name, value in members.items())
    text += "\nCONSTANT_CLASSES: tuple[type[_Constants], ...]\n"
    text += "BITFIELD_CONSTANT_CLASSES: frozenset[type[_Constants]]\n\n__all__ = [\n"
    return text + "".join(f'    "{name}",\n' for name in module.__all__) + "]\n"


def native_half_stub() -> str:
    """pyopencl._cl: where each of its names comes from, and its functions of Python's own."""
    native = importlib.import_module("treadle.pyopencl._cl")
    sources = ("treadle._core.opencl", "treadle.pyopencl._constants", "treadle.pyopencl._errors")
    modules = [(source, importlib.import_module(source)) for source in sources]
    lines, functions = ["from typing import Any\n"], []
    for name, thing in sorted(vars(native).items()):
        if getattr(thing, "__module__", None) == native.__name__:
            doc = f'\n    """{thing.__doc__}"""\n' if thing.__doc__ else " ...\n"
            signature = str(inspect.signature(thing)).replace("'", "")  # of quoted types
            functions.append(f"\ndef {name}{signature}:{doc}")
            continue
        for source, module in modules:
            is_typing = name in ("Any", "TYPE_CHECKING", "annotations")
            if getattr(module, name, None) is thing and not is_typing and name[:2] != "__":
                lines.append(f"from {source} import {name} as {name}\n")
                break
    return "".join([*lines, *functions])


def generate_face(folder: pathlib.Path) -> None:
    header = f"# Generated by tools/generate_stubs.py, {made_by()}; do not edit.\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_constants.pyi").write_text(header + constants_stub())
    (folder / "_cl.pyi").write_text(header + native_half_stub())


def made_by() -> str:
    """What the text depends on besides the extension."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"nanobind {importlib.metadata.version('nanobind')}, Python {python}"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    generate(root / "_core")
    generate_face(root / "pyopencl")
