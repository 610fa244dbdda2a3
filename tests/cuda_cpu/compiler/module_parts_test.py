# SPDX-License-Identifier: MIT
"""Long texts, whose code is made in parts on all cores: nobody can tell but by time."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
TEXTS = HERE.parents[2] / "benchmarks" / "kernels" / "compile"
# Who has a module printed gets it whole: what another image must not be equal to.
WHOLE = "--treadle-print-after=verify"

# Four kernels that share all that kernels of one text can share.
SHARED = """
__device__ int count = 3;
__device__ static double scale = 0.5;
__constant__ int steps[3] = {1, 10, 100};
__device__ const float powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__device__ int* where = &count;

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ float power(int n) { return powers[n % 8]; }
__device__ int calls() {
  static int made = 0;
  return atomicAdd(&made, 1);
}
struct Shape { __device__ virtual int sides() const = 0; };
struct Square : Shape { __device__ int sides() const override { return 4 + fibonacci(steps[0]); } };
__device__ int twice(int x) { return 2 * x; }
__device__ int (*const ways[1])(int) = {twice};

template <int which> __device__ double work(const float* in, int n) {
  __shared__ float part[128];
  const int t = threadIdx.x;
  double result = 0;
  for (int round = 0; round < 3; ++round) {
    float own = 0;
    for (int i = t; i < n; i += blockDim.x) own += in[i] * power(i + round + which);
    part[t] = own;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
      if (t < half) part[t] += part[t + half];
      __syncthreads();
    }
    result += part[0] * scale;
    __syncthreads();
  }
  return result;
}

#define KERNEL(i)                                                                       \\
  extern "C" __global__ void k##i(double* out, const float* in, int n) {                \\
    const double sum = work<i>(in, n);                                                  \\
    Square square;                                                                      \\
    const Shape& shape = square;                                                        \\
    if (threadIdx.x != 0) return;                                                       \\
    out[0] = sum;                                                                       \\
    out[1] = shape.sides() + fibonacci(i + 5) + ways[steps[0] - 1](i);                  \\
    out[2] = atomicAdd(&count, steps[1]);                                               \\
    out[3] = *where;                                                                    \\
    out[4] = calls();                                                                   \\
    printf("kernel %d of %s\\n", i, "four");                                            \\
  }
KERNEL(0) KERNEL(1) KERNEL(2) KERNEL(3)
"""


def text_of(name):
    return (TEXTS / f"{name}.cu").read_text()


def test_kernels_share_what_is_the_modules(device, capfd):
    assert device.image(SHARED) != device.image(SHARED, WHOLE)
    module = device.compile(SHARED)
    values = (np.arange(1000) % 17).astype(np.float32)
    powers = 2.0 ** (np.arange(1010) % 8)
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    for k in (2, 0, 3, 1):
        out = np.zeros(5)
        before = int(module.variable("count", np.int32)[0])
        module.kernel(f"k{k}")(out, values, np.int32(1000), block=(128,))
        sums = [values @ powers[r + k : r + k + 1000].astype(np.float32) for r in range(3)]
        assert out[0] == 0.5 * sum(map(float, sums))
        assert out[1] == 5 + fibonacci[k + 5] + 2 * k
        assert [out[2], out[3]] == [before, before + 10]
        assert out[4] == (2, 0, 3, 1).index(k)
        module.variable("steps", np.int32)[1] = 10
    printed = capfd.readouterr().out
    assert [printed.count(f"kernel {k} of four") for k in range(4)] == [1] * 4


IMAGES = """
import ctypes, hashlib, sys
from pathlib import Path
nvrtc = ctypes.CDLL(sys.argv[1])
for name in sys.argv[2:]:
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = Path(name).read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None)
    assert nvrtc.nvrtcCompileProgram(program, 0, None) == 0
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    print(hashlib.sha256(image.raw).hexdigest())
"""


def test_the_image_is_the_same_whatever_the_number_of_threads(device, tmp_path):
    import conftest

    shared = tmp_path / "shared.cu"
    shared.write_text(SHARED)
    texts = [str(shared), *(str(TEXTS / f"{name}.cu") for name in ("four_kernels", "layer_norm"))]
    library = conftest.library_path("libtreadle_clang.so")
    found = {
        threads: subprocess.run(
            [sys.executable, "-c", IMAGES, str(library), *texts],
            env={**os.environ, "TREADLE_CPU_THREADS": threads},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split()
        for threads in ("1", "2", "11")
    }
    assert found["1"] == found["2"] == found["11"]
    assert len(set(found["1"])) == len(texts)


def test_several_texts_at_once(device):
    text = text_of("layer_norm")
    alone = hashlib.sha256(device.image(text)).hexdigest()
    with ThreadPoolExecutor(4) as threads:
        images = threads.map(lambda _: device.image(text), range(4))
        assert {hashlib.sha256(image).hexdigest() for image in images} == {alone}
