# SPDX-License-Identifier: MIT
"""What PyCUDA and PyOpenCL have and this release of Treadle does not: what a program that asks for
it is told."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Mapping

# The faces' modules.
MODULES = {
    "pyopencl.bitonic_sort_templates": "Treadle writes the kernels of bitonic_sort itself",
    **dict.fromkeys(
        ("skcuda.cula", "skcuda.pcula"),
        "CULA is no longer distributed: use skcuda.cusolver, or skcuda.linalg with lib='cusolver'",
    ),
    "skcuda.magma": "it needs a MAGMA of your own: skcuda.cusolver has such functions",
    "skcuda.cusparse": "scikit-cuda's never worked: use treadle.sparse",
}
_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]


def modules_of(package: str) -> dict[str, str]:
    """The absent modules of a face by their names in it, and why each is."""
    return {
        name.removeprefix(f"{package}."): why
        for name, why in MODULES.items()
        if name.startswith(f"{package}.")
    }


def no_name(module: str, name: str, absent: Mapping[str, str]) -> Exception:
    """For a module's __getattr__ to raise where there is no `name`; for those in `absent` it says
    that this release lacks them, and why."""
    if name not in absent:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    text = f"{module}.{name} is not part of this release of Treadle ({absent[name]})"
    # `from module import name` puts a text of its own in place of an AttributeError's.
    caller = sys._getframe(2)
    is_import = caller.f_code.co_code[caller.f_lasti] == _IMPORT_FROM
    return ImportError(text, name=module) if is_import else AttributeError(text)
