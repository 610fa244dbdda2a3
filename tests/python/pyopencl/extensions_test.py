# SPDX-License-Identifier: MIT
"""docs/opencl-extensions.md beside what platforms name and the core can ask."""

import pathlib
import re

import pyopencl as cl

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = "docs/opencl-extensions.md"
ROW = re.compile(r"^\| `(cl_\w+)` \| ([a-z, ]+) \| (.+) \|$", re.MULTILINE)
KINDS = {"kernels", "info", "wrapped", "raw"}


def _rows():
    return ROW.findall((ROOT / PAGE).read_text())


def test_each_extension_has_one_row_that_says_how():
    rows = _rows()
    names = [name for name, _, _ in rows]
    assert len(names) > 30
    assert len(set(names)) == len(names)
    assert {kind for _, kinds, _ in rows for kind in kinds.split(", ")} == KINDS


def test_every_extension_of_a_platform_is_on_the_page():
    listed = {name for name, _, _ in _rows()}
    for platform in cl.get_platforms():
        named = set(platform.extensions.split())
        for device in platform.get_devices():
            named |= set(device.extensions.split())
        assert named <= listed, (
            f"{platform.name} names extensions that {PAGE} does not: {sorted(named - listed)}. "
            "Add a row for each: its kind, and what wraps it or how it is called raw"
        )


def test_every_extension_whose_parameters_are_asked_for_is_on_the_page():
    parameters = (ROOT / "include/treadle/opencl/info.def").read_text()
    asked = set(re.findall(r'^TREADLE_INFO\(.*"(cl_\w+)"\)', parameters, re.MULTILINE))
    assert len(asked) > 8
    assert asked <= {name for name, _, _ in _rows()}


def test_the_parameters_that_the_page_names_are_there():
    for name, kinds, how in _rows():
        if "info" not in kinds.split(", "):
            continue
        constants = re.findall(r"`(?:device_info\.)?([A-Z][A-Z0-9_x]+)`", how)
        assert constants, name
        for constant in constants:
            if not constant.startswith("_"):  # `_NV`: how some end
                assert hasattr(cl.device_info, constant), constant
