# SPDX-License-Identifier: MIT
"""The module tree of PyCUDA on Treadle: `import treadle.compat` makes `import pycuda` find it."""

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
