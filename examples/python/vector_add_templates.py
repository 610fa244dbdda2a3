# SPDX-License-Identifier: MIT
"""Vector addition with the loop unrolled by a template engine, over several launch shapes.

Jinja2, Mako and plain keyword replacement each write the kernel for a block size and an unroll
factor; every variant is checked and timed, and the fastest is reported.
"""

import string
import sys
import time

import jinja2
import mako.template
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

COUNT = 3 << 21
BLOCK_SIZES = (128, 256, 512)
UNROLL_FACTORS = (1, 4, 8)
REPEATS = 3

JINJA2_TEMPLATE = jinja2.Template("""
__global__ void add(float *sum, const float *a, const float *b)
{
    const int i = blockIdx.x * {{ block_size * unroll }} + threadIdx.x;
    {% for step in range(unroll) %}{% set at = step * block_size %}
    sum[i + {{ at }}] = a[i + {{ at }}] + b[i + {{ at }}];
    {% endfor %}
}
""")

MAKO_TEMPLATE = mako.template.Template("""
__global__ void add(float *sum, const float *a, const float *b)
{
    const int i = blockIdx.x * ${block_size * unroll} + threadIdx.x;
% for step in range(unroll):
    sum[i + ${step * block_size}] = a[i + ${step * block_size}] + b[i + ${step * block_size}];
% endfor
}
""")

KEYWORD_TEMPLATE = string.Template("""
__global__ void add(float *sum, const float *a, const float *b)
{
    const int i = blockIdx.x * $elements_per_block + threadIdx.x;
    $statements
}
""")


def with_jinja2(block_size, unroll):
    return JINJA2_TEMPLATE.render(block_size=block_size, unroll=unroll)


def with_mako(block_size, unroll):
    return MAKO_TEMPLATE.render(block_size=block_size, unroll=unroll)


def with_keywords(block_size, unroll):
    statement = "sum[i + %(offset)d] = a[i + %(offset)d] + b[i + %(offset)d];"
    return KEYWORD_TEMPLATE.substitute(
        elements_per_block=block_size * unroll,
        statements="\n    ".join(
            statement % {"offset": step * block_size} for step in range(unroll)
        ),
    )


print("device:", pycuda.autoinit.device.name())

rng = np.random.default_rng(3)
a = rng.random(COUNT, dtype=np.float32)
b = rng.random(COUNT, dtype=np.float32)
result = np.empty_like(a)
reference = a + b
a_gpu = cuda.to_device(a)
b_gpu = cuda.to_device(b)
sum_gpu = cuda.mem_alloc(a.nbytes)

compile_seconds = 0.0
wrong = 0
timings = []
for engine, render in [
    ("Jinja2", with_jinja2),
    ("Mako", with_mako),
    ("keywords", with_keywords),
]:
    for block_size in BLOCK_SIZES:
        for unroll in UNROLL_FACTORS:
            source = render(block_size, unroll)
            began = time.perf_counter()
            module = SourceModule(source)
            compile_seconds += time.perf_counter() - began

            add = module.get_function("add").prepare("PPP")
            grid = (COUNT // (block_size * unroll), 1)
            block = (block_size, 1, 1)
            cuda.memset_d32(sum_gpu, 0xFFFFFFFF, COUNT)
            seconds = min(
                add.prepared_timed_call(grid, block, sum_gpu, a_gpu, b_gpu)()
                for _ in range(REPEATS)
            )
            cuda.memcpy_dtoh(result, sum_gpu)
            wrong += not np.array_equal(result, reference)
            timings.append((seconds, engine, block_size, unroll))

print(f"SourceModule: {1e3 * compile_seconds:.3f} ms for {len(timings)} kernels")
for seconds, engine, block_size, unroll in sorted(timings)[:5]:
    print(
        f"{engine:>8}, block {block_size:3}, unroll {unroll}: "
        f"{1e3 * seconds:.3f} ms, {3e-9 * a.nbytes / seconds:.1f} GB/s"
    )
seconds, engine, block_size, unroll = min(timings)
print(f"fastest: {engine}, block {block_size}, unroll {unroll}")
print("check against NumPy:", "ok" if wrong == 0 else f"{wrong} variants WRONG")
sys.exit(1 if wrong else 0)
