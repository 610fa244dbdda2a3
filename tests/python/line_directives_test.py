# SPDX-License-Identifier: MIT
"""Texts of generators say by #line which file and line they were made from: __LINE__, and messages
of every compiler, are those."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import DynamicSourceModule, SourceModule, compile

import treadle
from treadle.compile import compile_cuda

OPENINGS = ["", "// made\n\n", "#include <stdint.h>\n", "#define N 3\n/* a\n comment */\n"]
LINES = ['#line 100 "gen.c"\n', '# 99 "gen.c"\n#define M 4\n', '#line 7\n#line 100 "gen.c"\n']


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("directive", LINES)
def test_cuda_texts(context, opening, directive):
    text = opening + directive + "{} void f(int *o) {{ *o = {}; }}"
    out = gpuarray.zeros(1, np.int32)
    kernel = SourceModule(text.format("__global__", "__LINE__")).get_function("f")
    kernel(out, block=(1, 1, 1))
    assert out.get()[0] == 100
    for make, begin in ((SourceModule, "__global__"), (compile, "__global__")):
        with pytest.raises(cuda.CompileError, match=r"gen\.c[:(]100"):
            make(text.format(begin, "undefined"))
    with pytest.raises(cuda.CompileError, match=r"gen\.c[:(]100"):
        SourceModule(text.format('extern "C" __global__', "undefined"), no_extern_c=True)


def test_what_stands_before_the_directive_is_counted_by_itself(context):
    text = '__global__ void f(int *o) { *o = undefined; }\n#line 100 "gen.c"\nint a;\n'
    with pytest.raises(cuda.CompileError, match=r"kernel\.cu[:(]2"):
        SourceModule("#include <stdint.h>\n" + text)


def test_directives_that_hold_or_not(context):
    text = '#if 0\n#line 100 "gen.c"\n#endif\n__global__ void f(int *o) { *o = __LINE__; }'
    out = gpuarray.zeros(1, np.int32)
    SourceModule(text).get_function("f")(out, block=(1, 1, 1))
    assert out.get()[0] == 4
    SourceModule(text.replace("0", "1", 1)).get_function("f")(out, block=(1, 1, 1))
    assert out.get()[0] == 101
    with pytest.raises(cuda.CompileError, match=r"gen\.c[:(]101"):
        SourceModule(text.replace("0", "1", 1).replace("__LINE__", "undefined"))
    text = '#define AT 100\n#line AT "gen.c"\n__global__ void f(int *o) { *o = undefined; }'
    with pytest.raises(cuda.CompileError, match=r"gen\.c[:(]100"):
        SourceModule(text)


def test_linked_texts(context):
    text = '#line 100 "gen.c"\n__global__ void f(int *o) { *o = undefined; }'
    with pytest.raises(cuda.CompileError, match=r"gen\.c[:(]100"):
        DynamicSourceModule(text)


@pytest.mark.parametrize("opening", OPENINGS[:2])
@pytest.mark.parametrize("device", [d.id for d in treadle.devices()])
def test_texts_for_every_device(device, opening):
    text = (
        f'{opening}#line 98 "gen.c"\n#include "treadle/dialect.h"\n\n'
        "TREADLE_KERNEL f(TREADLE_GLOBAL int *o) { *o = undefined; }\n"
    )
    with treadle.find_device(device) as found:
        with pytest.raises(treadle.CompileError, match=r"gen\.c[:(]100"):
            treadle.Program(found, text)


@pytest.mark.parametrize("opening", OPENINGS[:2])
def test_opencl_texts(opening):
    cl = pytest.importorskip("pyopencl")
    try:
        opencl = cl.create_some_context(interactive=False)
    except cl.RuntimeError as error:
        pytest.skip(f"needs an OpenCL platform: {error}")
    text = opening + '#line 100 "gen.c"\nkernel void f(global int *o) { *o = undefined; }'
    with pytest.raises(cl.RuntimeError, match=r"gen\.c[:(]100"):
        cl.Program(opencl, text).build()


@pytest.mark.parametrize("extern_c", [False, True])
def test_texts_for_nvrtc(extern_c):
    begin = "" if extern_c else 'extern "C" '
    text = '#line 100 "gen.c"\n' + begin + "__global__ void f(int *o) { *o = undefined; }"
    try:
        compile_cuda("", "sm_90")
    except treadle.Error as error:
        pytest.skip(f"needs NVRTC: {error}")
    with pytest.raises(treadle.CompileError, match=r"gen\.c\(100\)"):
        compile_cuda(text, "sm_90", extern_c=extern_c)
