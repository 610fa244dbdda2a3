# SPDX-License-Identifier: MIT
"""The module tree of PyCUDA on Treadle: `import treadle.compat` makes `import pycuda` find it."""

from typing import NoReturn

from treadle import _absent

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS


def __getattr__(name: str) -> NoReturn:
    raise _absent.no_name("pycuda", name, _absent.modules_of("pycuda"))
