# SPDX-License-Identifier: MIT
"""Sphinx: `make docs`."""

project = "Treadle"
copyright = "the Treadle authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Treadle"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
# Pages link to files of the repository beside them, such as examples: those are no pages.
suppress_warnings = ["myst.xref_missing"]
