# SPDX-License-Identifier: MIT
"""Where programs written for PyOpenCL look for the cache."""

import pytest

PROGRAM = """
import os, shutil, sys
import numpy as np
import pyopencl as cl, pyopencl.array as cl_array
import pyopencl.characterize

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
cl.characterize.has_src_build_cache = lambda device: False
os.environ["XDG_CACHE_HOME"] = "cache of mine"
if sys.argv[1] == "array":
    a = cl_array.zeros(queue, 3, np.int8)
    assert (a.astype(np.float64) + 2).get().tolist() == [2, 2, 2]
else:
    cl.Program(context, "__kernel void only_here(void) {}").build()
print(sorted(os.listdir("cache of mine")))
shutil.rmtree("cache of mine")
assert not os.path.exists("cache of mine")
"""


def _run(run_python, tmp_path, what):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    own = {"TREADLE_CACHE_DIR": "", "TREADLE_CACHE": ""}
    result = run_python("-m", "treadle", "run", str(script), what, cwd=tmp_path, **own)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip() == "['pyopencl']"


def test_kernels_of_arrays_are_below_xdg_cache_home(context, run_python, tmp_path):
    _run(run_python, tmp_path, "array")


def test_programs_are_below_xdg_cache_home(context, run_python, tmp_path):
    _run(run_python, tmp_path, "program")


def test_a_failure_of_the_cache_is_fatal_if_wanted(context, monkeypatch):
    import pyopencl as cl
    from pyopencl import _program

    import treadle

    def fail(*args):
        raise treadle.NotSupported("no binary")

    monkeypatch.setattr(_program, "_build_cached", fail)
    text = "__kernel void k(void) {}"
    assert cl.Program(context, text).build().k.num_args == 0
    monkeypatch.setenv("PYOPENCL_CACHE_FAILURE_FATAL", "1")
    with pytest.raises(treadle.NotSupported, match="no binary"):
        cl.Program(context, text).build()
