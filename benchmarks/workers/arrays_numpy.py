# SPDX-License-Identifier: MIT
"""NumPy, and numexpr where it is installed."""

import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from array_cases import NUMEXPR, TASKS, ArrayCase, Library
from worker import serve


def numexpr_case(library, name):
    import numexpr

    def formula(*operands):
        return numexpr.evaluate(name, dict(zip("xy", operands, strict=False)))

    return ArrayCase(library, TASKS[name], formula)


def make_cases():
    library = Library()
    numexpr = {
        f"numexpr {name}": functools.partial(numexpr_case, library, name) for name in NUMEXPR
    }
    return library.cases() | numexpr


serve(make_cases)
