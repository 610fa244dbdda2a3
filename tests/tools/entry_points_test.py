# SPDX-License-Identifier: MIT
"""Every entry point of the driver has a way, and what is no way is found."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import generate_entry_points as tool  # noqa: E402


@pytest.fixture
def table():
    return tool.Table(ROOT, None)


def test_every_entry_point_has_a_way_and_the_page_says_which(table):
    assert table.problems() == []
    assert (ROOT / tool.PAGE).read_text() == table.page()
    assert len(table.names) > 400


def _without(table, name):
    table.rows = [row for row in table.rows if row.patterns != [name]]


def test_an_entry_point_without_a_way_is_found(table):
    _without(table, "cuMemAlloc")
    assert table.problems() == ["cuMemAlloc has 0 ways in tools/entry_points.txt, and 1 is wanted"]


WRONG = {
    "has 2 ways": "+ a family | cuMemAlloc",
    "is no entry point": "= cuNoSuchCall | Context | -",
    "no header of treadle/cuda/ has NoSuchClass": "cuMemAlloc | NoSuchClass::made | -",
    "pycuda.driver has no no_such_name": "cuMemAlloc | DeviceMemory | no_such_name",
    "the shell does not call it": "cuCtxSetCurrent | Context::push | -",
    "the shell calls it now": "+ a family | cuMemAlloc",
    "no family is to come": "+ a family | cuMemFree",
    "cuda.h does not mark it deprecated": "~ deprecated | cuMemAlloc",
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_is_no_way_is_found(table, problem):
    table.deprecated = {"cuDeviceGetProperties"}
    row = tool.rows_of(WRONG[problem])[0]
    if problem != "has 2 ways":
        _without(table, row.patterns[0])
    table.rows.append(row)
    assert any(problem in found for found in table.problems())


def test_what_cuda_h_marks_deprecated_is_read():
    header = "__CUDA_DEPRECATED CUresult CUDAAPI cuOld(int a);\nCUresult CUDAAPI cuNew(int a);\n"
    assert tool.deprecated(header) == {"cuOld"}
