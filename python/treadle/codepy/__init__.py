# SPDX-License-Identifier: MIT
"""The trees of codepy, as programs of its time import them: `codepy.cgen` is `treadle.cgen`."""

VERSION_TEXT = "2025.1"
