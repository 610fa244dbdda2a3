# SPDX-License-Identifier: MIT
"""The time of a compilation for the CPU device by stages, through libtreadle_clang's C interface.

usage: cpu_compile_latency.py [LIBRARY]      (default: build/lib/libtreadle_clang.so)

Each process opens the library, compiles once, and then compiles many variants of one kernel, no
two alike. "wall" is what a caller waits, "cpu" what the processor worked: on a busy machine
compare the second. `front end` is a source whose last line is wrong, so that everything but code
generation, optimisation and linking is done.
"""

import ctypes
import statistics
import subprocess
import sys
import time
from pathlib import Path

SAXPY = """extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
REDUCE = """extern "C" __global__ void reduce(float* out, const float* in, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
  i += gridDim.x * blockDim.x) sum += in[i];
  part[threadIdx.x] = sum;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
"""
PRODUCT = """extern "C" __global__ void product(double* c, const double* a, const double* b) {
  __shared__ double ta[32][32], tb[32][32];
  const uint x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y,
  column = blockIdx.x * 32 + x;
  double sum = 0;
  for (int tile = 0; tile < 32; ++tile) {
    ta[y][x] = a[row * 1024 + tile * 32 + x];
    tb[y][x] = b[(tile * 32 + y) * 1024 + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  c[row * 1024 + column] = sum;
}
"""
CASES = {
    "saxpy": SAXPY,
    "saxpy, front end": SAXPY + "#error stop\n",
    "reduction": REDUCE,
    "tiled product": PRODUCT,
}


def compile_once(library, source):
    """Seconds (wall, cpu) of one compile."""
    program = ctypes.c_void_p()
    wall, cpu = time.perf_counter(), time.process_time()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    library.nvrtcCompileProgram(program, 0, None)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return spent


def measure_process(path, case, repeats):
    """In this process: (open, first, later compiles' median), each (wall, cpu) in ms."""
    wall, cpu = time.perf_counter(), time.process_time()
    library = ctypes.CDLL(path)
    opened = time.perf_counter() - wall, time.process_time() - cpu
    first = compile_once(library, CASES[case])
    later = [compile_once(library, f"// {i}\n{CASES[case]}") for i in range(repeats)]
    median = tuple(statistics.median(column) for column in zip(*later, strict=True))
    return [1e3 * value for pair in (opened, first, median) for value in pair]


def main():
    default = Path(__file__).resolve().parents[1] / "build" / "lib" / "libtreadle_clang.so"
    path = sys.argv[1] if len(sys.argv) > 1 else str(default)
    if len(sys.argv) == 4:
        print(*measure_process(path, sys.argv[2], int(sys.argv[3])))
        return
    print(f"{'ms, wall / cpu':<18}{'open':>14}{'first':>16}{'each later':>16}")
    for case in CASES:
        runs = []
        for _ in range(5):
            command = [sys.executable, __file__, path, case, "20"]
            runs.append([float(x) for x in subprocess.check_output(command, text=True).split()])
        best = [min(column) for column in zip(*runs, strict=True)]
        pairs = (f"{best[i]:.1f} / {best[i + 1]:.1f}" for i in (0, 2, 4))
        print(f"{case:<18}" + "".join(f"{pair:>16}" for pair in pairs))


if __name__ == "__main__":
    main()
