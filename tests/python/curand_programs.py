# SPDX-License-Identifier: MIT
"""What kernels draw through <curand_kernel.h>: one program for every generator and distribution.

curand_test.py compares the draws with those of NVIDIA's own header; run as a script on a machine
that has that header, this file records them:

    python tests/python/curand_programs.py FOLDER_OF_CURAND_KERNEL_H [MORE_FOLDERS] > values.json
"""

import json
import sys

import numpy as np

COUNT = 8  # draws of each kind
SEEDS = (0, 1, 1234, 0x123456789ABCDEF0)
STARTS = ((0, 0), (1, 0), (0, 1), (3, 5), (1000003, 7), (2**40 + 1, 2**50 + 3))

PSEUDORANDOM = {
    "XORWOW": "curandStateXORWOW_t",
    "MRG32k3a": "curandStateMRG32k3a_t",
    "Philox": "curandStatePhilox4_32_10_t",
}
# How a quasirandom state begins, after its direction vectors.
QUASIRANDOM = {
    "Sobol32": ("curandStateSobol32_t", "vectors32, {offset}u"),
    "ScrambledSobol32": ("curandStateScrambledSobol32_t", "vectors32, 99u, {offset}u"),
    "Sobol64": ("curandStateSobol64_t", "vectors64, {offset}ull"),
    "ScrambledSobol64": ("curandStateScrambledSobol64_t", "vectors64, 99ull, {offset}ull"),
}
# An expression for a draw of each kind. The state of one kind goes on to the next.
KINDS = {
    "integer": "curand(&s)",
    "float": "curand_uniform(&s)",
    "double": "curand_uniform_double(&s)",
    "normal float": "curand_normal(&s)",
    "normal double": "curand_normal_double(&s)",
    "log-normal float": "curand_log_normal(&s, 0.5f, 0.25f)",
    "log-normal double": "curand_log_normal_double(&s, 0.5, 0.25)",
    "Poisson 0.5": "curand_poisson(&s, 0.5)",
    "Poisson 20": "curand_poisson(&s, 20.0)",
    "Poisson 5000": "curand_poisson(&s, 5000.0)",
}
PAIRS = {
    "normal float2": "curand_normal2(&s)",
    "normal double2": "curand_normal2_double(&s)",
    "log-normal float2": "curand_log_normal2(&s, 0.5f, 0.25f)",
    "log-normal double2": "curand_log_normal2_double(&s, 0.5, 0.25)",
}
FOURS = {
    "integer4": "curand4(&s)",
    "float4": "curand_uniform4(&s)",
    "double2": "curand_uniform2_double(&s)",
    "normal float4": "curand_normal4(&s)",
    "log-normal float4": "curand_log_normal4(&s, 0.5f, 0.25f)",
    "Poisson4 20": "curand_poisson4(&s, 20.0)",
    "Poisson4 5000": "curand_poisson4(&s, 5000.0)",
}

HEAD = """#include <curand_kernel.h>
typedef unsigned long long Bits;
__device__ Bits bits(unsigned x) { return x; }
__device__ Bits bits(Bits x) { return x; }
__device__ Bits bits(float x) { return __float_as_uint(x); }
__device__ Bits bits(double x) { return (Bits)__double_as_longlong(x); }
template <class T> __device__ void put(Bits*& o, T x) { *o++ = bits(x); }
__device__ void put(Bits*& o, float2 v) { put(o, v.x); put(o, v.y); }
__device__ void put(Bits*& o, double2 v) { put(o, v.x); put(o, v.y); }
__device__ void put(Bits*& o, float4 v) { put(o, v.x); put(o, v.y); put(o, v.z); put(o, v.w); }
__device__ void put(Bits*& o, uint4 v) { put(o, v.x); put(o, v.y); put(o, v.z); put(o, v.w); }
"""


def kinds_of(generator):
    """{kind: (expression, numbers that it gives)}"""
    kinds = {kind: (expression, 1) for kind, expression in KINDS.items()}
    if generator in PSEUDORANDOM:
        kinds |= {kind: (expression, 2) for kind, expression in PAIRS.items()}
    if generator == "Philox":
        numbers = {kind: 2 if kind == "double2" else 4 for kind in FOURS}
        kinds |= {kind: (expression, numbers[kind]) for kind, expression in FOURS.items()}
    return kinds


def draw_kernel(generator, state, begin):
    """extern "C" kernel `generator`: COUNT numbers of each kind, one after another."""
    loops = "".join(
        f"#pragma unroll 1\n  for (int i = 0; i < {COUNT // width}; ++i) put(o, {expression});\n"
        for expression, width in kinds_of(generator).values()
    )
    return (
        f'extern "C" __global__ void {generator}'
        "(Bits* o, unsigned* vectors32, Bits* vectors64) {\n"
        f"  {state} s;\n  curand_init({begin}, &s);\n{loops}}}\n"
    )


def start_kernel(generator, state):
    """extern "C" kernel `generator_starts`: the first two numbers from each seed and start."""
    return (
        f'extern "C" __global__ void {generator}_starts(Bits* o, const Bits* starts) {{\n'
        f"  const int i = threadIdx.x;\n  {state} s;\n"
        "  curand_init(starts[3 * i], starts[3 * i + 1], starts[3 * i + 2], &s);\n"
        "  o[2 * i] = curand(&s);\n  o[2 * i + 1] = curand(&s);\n}\n"
    )


def source():
    text = HEAD
    for generator, state in PSEUDORANDOM.items():
        text += draw_kernel(generator, state, "1234ull, 3ull, 5ull")
        text += start_kernel(generator, state)
    for generator, (state, begin) in QUASIRANDOM.items():
        text += draw_kernel(generator, state, begin.format(offset=5))
    return text


def direction_vectors(bits):
    """Of the second dimension of Joe's and Kuo's table: polynomial x + 1, first vector 1."""
    numbers = [1]
    for _ in range(1, bits):
        numbers.append(numbers[-1] ^ (numbers[-1] << 1))
    shifted = [number << (bits - 1 - k) for k, number in enumerate(numbers)]
    return np.array(shifted, f"uint{bits}")


def starts_of(generator):
    """Rows of seed, subsequence, offset. NVIDIA's MRG32k3a ends at subsequence 2^51 or so."""
    return np.array([(seed, *start) for seed in SEEDS for start in STARTS], np.uint64)


def draws(module):
    """{generator: {kind: bit patterns}} of a module made from source()."""
    import pycuda.driver as cuda

    result = {}
    vectors = [direction_vectors(32), direction_vectors(64)]
    for generator in [*PSEUDORANDOM, *QUASIRANDOM]:
        kinds = kinds_of(generator)
        out = np.zeros(COUNT * len(kinds), np.uint64)
        kernel = module.get_function(generator)
        kernel(cuda.Out(out), *map(cuda.In, vectors), block=(1, 1, 1), grid=(1, 1))
        rows = out.reshape(-1, COUNT).tolist()
        result[generator] = dict(zip(kinds, rows, strict=True))
    for generator in PSEUDORANDOM:
        starts = starts_of(generator)
        out = np.zeros(2 * len(starts), np.uint64)
        kernel = module.get_function(generator + "_starts")
        kernel(cuda.Out(out), cuda.In(starts), block=(len(starts), 1, 1), grid=(1, 1))
        result[generator]["starts"] = out.tolist()
    return result


def main():
    from pycuda import autoinit  # noqa: F401
    from pycuda.compiler import SourceModule

    module = SourceModule(source(), no_extern_c=True, include_dirs=sys.argv[1:])
    lines = (
        f'"{generator}": {{\n'
        + ",\n".join(f'"{kind}": {json.dumps(row)}' for kind, row in kinds.items())
        + "\n}"
        for generator, kinds in draws(module).items()
    )
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    import treadle.compat  # noqa: F401 - `pycuda` below is this package's

    main()
