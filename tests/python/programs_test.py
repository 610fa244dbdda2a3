# SPDX-License-Identifier: MIT
"""Whole programs of the kind that PyCUDA's and PyOpenCL's users publish, run unmodified.

Each checks its own results. Those of PyCUDA run in a process each, as autoinit wants; those of
PyOpenCL share one, for PoCL's compiler takes most of a program's time to load.
"""

import json
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "programs"
PYCUDA = sorted(path.stem for path in FOLDER.glob("pycuda/*.py"))
PYOPENCL = sorted(path.stem for path in FOLDER.glob("pyopencl/*.py"))

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


@pytest.mark.parametrize("name", PYCUDA)
def test_pycuda(name, context, run_python):
    result = run_python("-m", "treadle", "run", str(FOLDER / "pycuda" / f"{name}.py"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Warning" not in result.stderr, result.stderr


@pytest.fixture(scope="module")
def of_pyopencl(tmp_path_factory, run_python):
    """{path: (traceback of what failed, output)}"""
    folder = tmp_path_factory.mktemp("programs")
    script = folder / "run_all.py"
    script.write_text(RUN_ALL)
    paths = [str(FOLDER / "pyopencl" / f"{name}.py") for name in PYOPENCL]
    result = run_python(
        "-m", "treadle", "run", str(script), *paths, POCL_CACHE_DIR=str(folder), PYOPENCL_CTX="0"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("[")]
    return {path: rest for path, *rest in lines}


@pytest.mark.parametrize("name", PYOPENCL)
def test_pyopencl(name, of_pyopencl):
    failure, said = of_pyopencl[str(FOLDER / "pyopencl" / f"{name}.py")]
    assert failure == "", said + failure


def test_programs_have_no_line_that_only_treadle_understands():
    for path in FOLDER.glob("*/*.py"):
        assert "treadle" not in path.read_text().lower(), path
