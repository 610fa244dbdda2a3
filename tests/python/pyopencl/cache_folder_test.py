# SPDX-License-Identifier: MIT
"""Where programs written for PyOpenCL look for the cache."""

import pytest

PROGRAM = """
import os, shutil, sys
import numpy as np
import pyopencl as cl, pyopencl.array as cl_array
import pyopencl.characterize

cl.characterize.has_src_build_cache = lambda device: False
for folder in ("cache of others", "cache of mine"):  # what was built before is kept there, too
    os.environ["XDG_CACHE_HOME"] = folder
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    if sys.argv[1] == "array":
        a = cl_array.zeros(queue, 3, np.int8)
        assert (a.astype(np.float64) + 2).get().tolist() == [2, 2, 2]
    else:
        cl.Program(context, "__kernel void only_here(void) {}").build()
    print(sorted(os.listdir(folder)))
    shutil.rmtree(folder)
    assert not os.path.exists(folder)
"""


def _run(run_python, tmp_path, what):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    own = {"TREADLE_CACHE_DIR": "", "TREADLE_CACHE": ""}
    result = run_python("-m", "treadle", "run", str(script), what, cwd=tmp_path, **own)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.split() == ["['pyopencl']"] * 2


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


def test_pocl_compiles_no_unused_kernel_of_a_large_program(context, monkeypatch, tmp_path):
    import pyopencl as cl
    from pyopencl import _program

    builds = []
    build_cached = _program._build_cached
    monkeypatch.setattr(
        _program, "_build_cached", lambda *args: builds.append(args) or build_cached(*args)
    )
    text = "\n".join(f"__kernel void large_{k}(void) {{}}" for k in range(5))
    program = cl.Program(context, text).build()
    assert [kernel.function_name for kernel in program.all_kernels()] == [
        f"large_{k}" for k in range(5)
    ]
    is_pocl = cl.characterize.get_pocl_version(context.devices[0].platform) is not None
    assert len(builds) == (0 if is_pocl else 1)
    cl.Program(context, text).build(cache_dir=tmp_path)  # where a folder is given, it is used
    assert len(builds) == (1 if is_pocl else 2)
