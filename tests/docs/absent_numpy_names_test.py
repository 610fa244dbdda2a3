# SPDX-License-Identifier: MIT
"""docs/arrays.md names what of numpy treadle.numpy leaves out, and nothing that is there."""

import pathlib
import re

import numpy as np

import treadle.numpy as tnp

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/arrays.md"


def named():
    text = PAGE.read_text().split("## What of NumPy is left out", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return set(re.findall(r"`(\w+)`", " ".join(rows)))


def test_every_absent_name_is_named():
    absent = {name for name in np.__all__ if not name.startswith("_") and not hasattr(tnp, name)}
    assert absent <= named(), sorted(absent - named())


def test_no_name_that_is_there_is_named_as_absent():
    there = {name for name in named() if hasattr(tnp, name)}
    assert not there, sorted(there)
