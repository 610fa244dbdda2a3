# SPDX-License-Identifier: MIT
"""The version of PyOpenCL whose interface this is."""

VERSION = (2026, 1, 2)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
