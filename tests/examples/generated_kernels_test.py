# SPDX-License-Identifier: MIT
"""The examples of generated kernels: each runs on every device, and checks its own results."""

import pathlib
import runpy

import pytest

import treadle

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/python/generated_kernels"
NEEDS = {"jinja2_template": "jinja2", "mako_template": "mako"}
# What a program prints besides a line for each device.
PRINTS = {
    "keyword_replacement": "keys without a value: N (TEXT:",
    "syntax_tree": "tgt[idx + 192] = op1[idx + 192] * op2[idx + 192];",
    "typed_holes": "wanted: a dtype",
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_example_runs_on_every_device(path, capsys):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    runpy.run_path(str(path))
    output = capsys.readouterr().out
    for device in treadle.devices():
        assert f"{device.id}: " in output
    assert PRINTS.get(path.stem, "") in output


def test_there_are_examples_of_each_way_to_write_kernels():
    assert {path.stem for path in FOLDER.glob("*.py")} > set(NEEDS) | set(PRINTS)
