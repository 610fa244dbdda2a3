# SPDX-License-Identifier: MIT
"""Texts of many kernels: each is compiled when it is asked for, and nobody can tell but by time."""

import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

LOCAL_SIZE, CONST_SIZE, SHARED_SIZE, MAX_THREADS = 3, 2, 1, 0
EAGER = "--treadle-disable=kernels-on-demand"
TEXT = """
#include <cuda_fp16.h>
__device__ int count = 3;
__device__ static double scale = 0.5;
__constant__ int steps[3] = {1, 10, 100};
__device__ const float powers[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ int* where = &count;

template <int size> __global__ void sum(double* out, const float* in, int n) {
  __shared__ float part[size];
  const int t = threadIdx.x;
  float own = 0;
  for (int i = t; i < n; i += size) own += in[i];
  part[t] = own;
  __syncthreads();
  for (int half = size / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[0] = part[0] * scale * powers[3] + count;
}
template __global__ void sum<32>(double*, const float*, int);
template __global__ void sum<64>(double*, const float*, int);
template __global__ void sum<128>(double*, const float*, int);
template __global__ void sum<256>(double*, const float*, int);
template __global__ void sum<512>(double*, const float*, int);
extern "C" __global__ void bump(int by) { atomicAdd(&count, by * steps[1]); }
extern "C" __global__ void look(int* out) { out[0] = count; out[1] = steps[threadIdx.x]; }
extern "C" __launch_bounds__(96) __global__ void bounded(int* out) { out[threadIdx.x] = 1; }
"""
WITHOUT_POINTERS = TEXT.replace("__device__ int* where = &count;\n", "")


def name_of(size):
    return f"_Z3sumILi{size}EEvPdPKfi"


def results(module):
    """What each kernel computes, one after the other; they share variables."""
    values = (np.arange(1000) % 17).astype(np.float32)
    out, pair = np.zeros(1), np.zeros(2, np.int32)
    found = []
    for size in (512, 32, 128):
        module.kernel(name_of(size))(out, values, np.int32(1000), block=(size,))
        module.kernel("bump")(np.int32(size))
        module.kernel("look")(pair, block=(1,))
        found += [out[0], *pair, module.variable("count", np.int32)[0]]
    return found


def test_a_kernel_computes_what_it_does_when_all_are_compiled_at_once(device):
    for text in (TEXT, WITHOUT_POINTERS):
        assert results(device.compile(text)) == results(device.compile(text, EAGER))


def test_code_is_left_out_where_kernels_can_stand_alone(device):
    # A variable that is initialised with another's address is one more than a kernel can bring.
    assert b"sum" in device.image(WITHOUT_POINTERS)
    held = [b"all.0" in device.image(text, *o) for text, o in
            ((WITHOUT_POINTERS, ()), (WITHOUT_POINTERS, (EAGER,)), (TEXT, ()))]  # fmt: skip
    assert held == [False, True, True]


def test_variables_are_written_by_the_host_before_a_kernel_is_asked_for(device):
    module = device.compile(WITHOUT_POINTERS)
    module.variable("count", np.int32)[0] = 40
    module.variable("steps", np.int32)[1] = 2
    pair = np.zeros(2, np.int32)
    module.kernel("bump")(np.int32(1))
    module.kernel("look")(pair, block=(1,))
    assert pair[0] == 42


def test_two_modules_of_one_image_have_variables_of_their_own(device):
    image = device.image(WITHOUT_POINTERS)
    first, second = device.load(image), device.load(image)
    pair = np.zeros(2, np.int32)
    first.kernel("bump")(np.int32(1))
    second.kernel("look")(pair, block=(1,))
    assert pair[0] == 3
    first.kernel("look")(pair, block=(1,))
    assert pair[0] == 13


def test_attributes_are_the_same(device):
    for name in (name_of(64), "look", "bounded"):
        lazy, eager = (device.compile(WITHOUT_POINTERS, *o).kernel(name) for o in ((), (EAGER,)))
        for attribute in (MAX_THREADS, SHARED_SIZE, CONST_SIZE, LOCAL_SIZE):
            assert lazy.attribute(attribute) == eager.attribute(attribute), (name, attribute)


def test_errors_are_told_when_the_text_is_compiled(device, compile_error):
    for line in ("__global__ void bad(int* p) { p[0] = nothing; }",
                 '__global__ void bad(int* p) { asm("wgmma.fence;"); }'):  # fmt: skip
        with pytest.raises(compile_error, match="bad|nothing|wgmma"):
            device.compile(WITHOUT_POINTERS + line)
    with pytest.raises(RuntimeError, match="cuModuleGetFunction = 500"):
        device.compile(WITHOUT_POINTERS).kernel("nobody")


def test_threads_that_ask_for_the_same_kernels_at_once(device):
    module = device.compile(WITHOUT_POINTERS.replace("powers[3]", "powers[2]"))
    values = np.ones(64, np.float32)

    def ask(i):
        device.make_current(device.context)
        out = np.zeros(1)
        size = (32, 64)[i % 2]
        module.kernel(name_of(size))(out, values, np.int32(64), block=(size,))
        return out[0]

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(16))) == {64 * 0.5 * 4 + 3}


RUN = """
import sys
import numpy as np
import conftest
device = conftest.Device.__new__(conftest.Device)
device._driver = conftest._open("libtreadle_cpu.so")
import ctypes
device.context = ctypes.c_void_p()
device.check("cuInit", 0)
device.check("cuDevicePrimaryCtxRetain", ctypes.byref(device.context), 0)
device.make_current(device.context)
out = np.zeros(2, np.int32)
with open(sys.argv[1], "rb") as file:
    module = device.load(file.read())
module.kernel("look")(out, block=(1,))
with open("/proc/self/maps") as maps:
    print(out[0], "compiler" if "libtreadle_clang" in maps.read() else "no compiler")
"""


def test_code_is_kept_for_other_processes(device, tmp_path):
    here = Path(__file__).resolve().parent
    library = tmp_path / "lib"
    library.mkdir()
    sys.path.insert(0, str(here))
    import conftest

    driver = conftest.library_path("libtreadle_cpu.so")
    shutil.copy(driver, library)
    image = tmp_path / "image"
    image.write_bytes(device.image(WITHOUT_POINTERS + f"// {os.getpid()}\n"))

    def run(**environment):
        text = textwrap.dedent(RUN)
        return subprocess.run(
            [sys.executable, "-c", text, str(image)],
            env={
                **os.environ,
                "PYTHONPATH": f"{here}:{os.environ.get('PYTHONPATH', '')}",
                "TREADLE_CACHE_DIR": str(tmp_path / "cache"),
                "TREADLE_LIBRARY_DIR": str(driver.parent),
                **environment,
            },
            capture_output=True,
            text=True,
        )

    alone = {"TREADLE_LIBRARY_DIR": str(library)}
    failed = run(**alone)
    assert "cuModuleGetFunction = 221" in failed.stderr, failed.stderr
    assert "kernel look could not be compiled" in failed.stderr
    assert run().stdout == "3 compiler\n"
    assert run(**alone).stdout == "3 no compiler\n"
    assert run(TREADLE_CACHE="0").stdout == "3 compiler\n"
