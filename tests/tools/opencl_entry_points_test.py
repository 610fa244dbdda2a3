# SPDX-License-Identifier: MIT
"""Every entry point of OpenCL has a way, and what is no way is found."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import generate_opencl_entry_points as tool  # noqa: E402
from generate_entry_points import rows_of  # noqa: E402


@pytest.fixture
def table():
    return tool.Table(ROOT, None)


def test_every_entry_point_has_a_way_and_the_page_says_which(table):
    assert table.problems() == []
    assert (ROOT / table.page_path).read_text() == table.page()
    assert len(table.names) > 190
    assert table.since["clSVMAlloc"] == "2.0"
    assert table.since["clTerminateContextKHR"] == "cl_khr_terminate_context"


WRONG = {
    "clCreateBuffer has 2 ways": "+ a family | clCreateBuffer",
    "opencl_entry_points.txt is no entry point": "= clNoCall | Context | -",
    "no header of treadle/opencl/ has NoSuchClass": "clCreateBuffer | NoSuchClass::made | -",
    "pyopencl has no no_such_name": "clCreateBuffer | Buffer | no_such_name",
    "the shell does not call it": "clGetDeviceImageInfoQCOM | Device | -",
    "the shell calls it now": "+ a family | clCreateBuffer",
    "cl.h does not mark it deprecated": "~ deprecated | clCreateBuffer",
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_is_no_way_is_found(table, problem):
    table.deprecated = {"clSetCommandQueueProperty"}
    row = rows_of(WRONG[problem])[0]
    if "has 2 ways" not in problem:
        table.rows = [other for other in table.rows if other.patterns != row.patterns]
    table.rows.append(row)
    assert any(problem in found for found in table.problems())


def test_an_entry_point_without_a_way_is_found(table):
    table.names.append("clNewCall")
    assert "clNewCall has 0 ways in tools/opencl_entry_points.txt, and 1 is wanted" in (
        table.problems()
    )


def test_what_cl_h_marks_deprecated_is_read():
    header = """
extern CL_API_ENTRY CL_API_PREFIX__VERSION_1_1_DEPRECATED cl_mem CL_API_CALL
clOld(cl_context context,
      cl_int * answer) CL_API_SUFFIX__VERSION_1_1_DEPRECATED;
extern CL_API_ENTRY cl_int CL_API_CALL
clNew(cl_context context) CL_API_SUFFIX__VERSION_3_0;
"""
    assert tool.deprecated(header) == {"clOld"}
