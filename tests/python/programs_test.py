# SPDX-License-Identifier: MIT
"""Whole programs of the kind that PyCUDA's and PyOpenCL's users publish, run unmodified.

Each checks its own results. Those that take autoinit's context share a process, and those of
PyOpenCL another: a process takes longer to start than most programs run. Others have one each. A
program that ends the process fails alone: those behind it go on in another one.
"""

import json
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "programs"
PYCUDA = sorted(FOLDER.glob("pycuda/*.py"))
SHARING = [path for path in PYCUDA if "import pycuda.autoinit" in path.read_text()]
ALONE = [path for path in PYCUDA if path not in SHARING]
PYOPENCL = sorted(FOLDER.glob("pyopencl/*.py"))

RUN_ALL = """
import contextlib, io, json, os, runpy, sys, traceback
for path in sys.argv[1:]:
    sys.argv = [path]
    before, said, failure = dict(os.environ), io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(path, run_name="__main__")
    except BaseException:
        failure = traceback.format_exc()
    os.environ.clear()
    os.environ.update(before)
    print(json.dumps([path, failure, said.getvalue()]), flush=True)
"""


def run_all(paths, folder, run_python, may_warn=False, **environment):
    """{path: (traceback of what failed, output)} of programs that share a process."""
    script = folder / "run_all.py"
    script.write_text(RUN_ALL)
    found, left = {}, list(paths)
    while left:
        arguments = ["-m", "treadle", "run", str(script), *map(str, left)]
        result = run_python(*arguments, timeout=300, **environment)
        assert may_warn or "Warning" not in result.stderr, result.stderr
        for line in result.stdout.splitlines():
            if line.startswith("["):
                path, *rest = json.loads(line)
                found[pathlib.Path(path)] = rest
        left = [path for path in left if path not in found]
        ended = f"ended its process with status {result.returncode}:\n{result.stderr}"
        assert left or result.returncode == 0, f"all are done, and the last {ended}"
        if left:  # the others go on in a process of their own
            found[left.pop(0)] = [ended, ""]
    return found


@pytest.mark.parametrize("path", ALONE, ids=lambda path: path.stem)
def test_pycuda_with_contexts_of_its_own(path, context, run_python):
    result = run_python("-m", "treadle", "run", str(path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Warning" not in result.stderr, result.stderr


@pytest.fixture(scope="module")
def of_pycuda(tmp_path_factory, run_python):
    return run_all(SHARING, tmp_path_factory.mktemp("pycuda"), run_python)


@pytest.mark.parametrize("path", SHARING, ids=lambda path: path.stem)
def test_pycuda(path, context, of_pycuda):
    failure, said = of_pycuda[path]
    assert failure == "", said + failure


@pytest.fixture(scope="module")
def of_pyopencl(tmp_path_factory, run_python):
    folder = tmp_path_factory.mktemp("pyopencl")
    environment = {"POCL_CACHE_DIR": str(folder), "PYOPENCL_CTX": "0", "PYTHONFAULTHANDLER": "1"}
    return run_all(PYOPENCL, folder, run_python, may_warn=True, **environment)


@pytest.mark.parametrize("path", PYOPENCL, ids=lambda path: path.stem)
def test_pyopencl(path, of_pyopencl):
    failure, said = of_pyopencl[path]
    assert failure == "", said + failure


def test_programs_have_no_line_that_only_treadle_understands():
    for path in FOLDER.glob("*/*.py"):
        assert "treadle" not in path.read_text().lower(), path
