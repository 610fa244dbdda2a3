#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the package of a build folder on this environment's path: link_package.py build/python

The package there is live (links to python/treadle): nothing is copied.
"""

import pathlib
import sys
import sysconfig


def main() -> int:
    folder = pathlib.Path(sys.argv[1]).resolve()
    link = pathlib.Path(sysconfig.get_path("platlib"), "treadle-build.pth")
    text = f"{folder}\n"
    if not link.exists() or link.read_text() != text:
        link.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
