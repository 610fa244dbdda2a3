# SPDX-License-Identifier: MIT
"""treadle.testing.judge: vectors and structures, in memory and by value, in both languages."""

import numpy as np
import pytest

import treadle
from treadle.testing import judge

CUDA = r"""
#include <cuda_fp16.h>
struct Shape { int n; float2 scale; unsigned char kind; };
typedef struct __align__(16) { float3 at; int kind; double mass[2]; } Body;
struct Chain { int n; Chain *next; };
#define I (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" {
__global__ void scale(float4 *y, const float4 *x, float a, int n) {
    if (I < n) y[I] = make_float4(a * x[I].x, a * x[I].y, a * x[I].z, a * x[I].w);
}
__global__ void scale_three(float4 *y, const float4 *x, float a, int n) {
    if (I < n) { y[I].x = a * x[I].x; y[I].y = a * x[I].y; y[I].z = a * x[I].z; }
}
__global__ void halves(half2 *y, const half2 *x, int n) { if (I < n) y[I] = __hmul2(x[I], x[I]); }
__global__ void pairs(int2 *y, const uchar4 *x, int n) {
    if (I < n) y[I] = make_int2(x[I].x + x[I].y, x[I].z - x[I].w);
}
__global__ void by_value(float *y, const float *x, const Shape shape) {
    if (I < shape.n) y[I] = shape.scale.x * x[I] + shape.scale.y;
}
__global__ void by_value_beyond(float *y, const float *x, Shape shape) {
    if (I <= shape.n) y[I] = shape.scale.x * x[I] + shape.scale.y;
}
__global__ void bodies(Body *out, const Body *bodies, float3 by, int n) {
    if (I >= n) return;
    const float3 at = bodies[I].at;
    out[I].at = make_float3(at.x + by.x, at.y + by.y, at.z + by.z);
    out[I].kind = bodies[I].kind + 1;
    out[I].mass[0] = bodies[I].mass[1]; out[I].mass[1] = bodies[I].mass[0];
}
__global__ void bodies_of_a_kind(Body *out, const Body *bodies, float3 by, int n) {
    if (I >= n) return;
    out[I].at = bodies[I].at;
    out[I].mass[0] = bodies[I].mass[1]; out[I].mass[1] = bodies[I].mass[0];
}
__global__ void chain(float *y, Chain c) { y[0] = c.n; }
}
"""
OPENCL = """
typedef struct { int n; float a; } Shape;
__kernel void scale(__global float4 *y, __global const float4 *x, Shape s) {
    int i = get_global_id(0);
    if (i < s.n) y[i] = s.a * x[i];
}
__kernel void threes(__global float3 *y, __global const float3 *x, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = x[i].zyx;
}
"""


def moved(records, by):
    out = records.copy()
    for name in "xyz":
        out[f"at.{name}"] += getattr(by, name)
    out["kind"] += 1
    out["mass0"], out["mass1"] = records["mass1"], records["mass0"]
    return out


OF_SHAPE = {"grid": "ceil_div(shape.n, 128)", "values": {"shape.kind": [3]}}
RIGHT = {
    "scale": (lambda x, a: a * x, {}),
    "halves": (lambda x: x * x, {}),
    "pairs": (lambda x: np.stack([x[:, 0] + 1.0 * x[:, 1], x[:, 2] - 1.0 * x[:, 3]], -1), {}),
    "by_value": (lambda x, shape: shape.scale.x * x + shape.scale.y, OF_SHAPE),
    "bodies": (lambda bodies, by: moved(bodies, by), {}),
}
WRONG = {
    "scale_three": (RIGHT["scale"], "written"),
    "by_value_beyond": (RIGHT["by_value"], "bounds"),
    "bodies_of_a_kind": (RIGHT["bodies"], "written"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_kernel_of_vectors_or_structures_is_right(name):
    like, how = RIGHT[name]
    verdict = judge(CUDA, name, like=like, **how)
    assert verdict.is_right, str(verdict)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_told(name):
    (like, how), question = WRONG[name]
    verdict = judge(CUDA, name, like=like, **how)
    assert verdict.answer(question) == "wrong", str(verdict)


def test_a_structure_with_a_pointer_is_refused():
    with pytest.raises(treadle.InvalidArgument, match="'c' of chain is 'Chain'"):
        judge(CUDA, "chain")


def test_vectors_and_structures_of_opencl_are_judged():
    if not any(each.id.startswith("opencl") for each in treadle.devices()):
        pytest.skip("no OpenCL here")
    how = {"grid": "ceil_div(s.n, 128)"}
    assert judge(OPENCL, "scale", like=lambda x, s: s.a * x, **how).is_right
    assert judge(OPENCL, "threes", like=lambda x: x[:, ::-1]).is_right
