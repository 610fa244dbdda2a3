# SPDX-License-Identifier: MIT
"""Runs a program whose kernels are compiled for a debugger: python -m pycuda.debug SCRIPT ARGS."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from treadle import _run
from treadle.pycuda.driver import set_debugging

_USAGE = "python -m pycuda.debug SCRIPT [ARGUMENTS]"


def main(words: Sequence[str]) -> int:
    """Runs the script as Python itself would, after set_debugging(); its exit status."""
    if not words or words[0].startswith("-"):
        print(f"usage: {_USAGE}", file=sys.stderr)
        return 2
    set_debugging()
    return _run.main(words, _USAGE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
