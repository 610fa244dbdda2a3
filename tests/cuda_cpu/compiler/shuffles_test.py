# SPDX-License-Identifier: MIT
"""A shuffle from a lane that hands over nothing gives 0, whatever that lane handed over before: as
an H100 and an H200 do (measured; CUDA leaves it open). The tests with `machine` run there too,
for its own architecture and as PTX for compute_75."""

import contextlib
import ctypes

import numpy as np
import pytest

MODES = {
    "regions": (),
    "fibers": ("--treadle-fibers",),
    "no optimisation": ("-G",),
    "checks": ("--treadle-check=memory,race,init,sync",),
}
TYPES = ["int", "unsigned", "long", "unsigned long long", "float", "double", "__half"]
TYPES += ["__nv_bfloat16", "__half2"]


@contextlib.contextmanager
def in_mode(device, mode, *arrays):
    """Checked kernels may touch registered memory only."""
    device.check("treadle_cpu_run_on_fibers", int(mode == "fibers"))
    for array in arrays:
        device.check("cuMemHostRegister_v2", ctypes.c_void_p(array.ctypes.data), array.nbytes, 0)
    try:
        yield
    finally:
        for array in arrays:
            device.check("cuMemHostUnregister", ctypes.c_void_p(array.ctypes.data))
        device.check("treadle_cpu_run_on_fibers", 0)


# All lanes exchange first: a slot that is not cleared has something to give away.
KERNELS = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class T> __device__ T make(int x) { return (T)(float)x; }
template <> __device__ __half2 make<__half2>(int x) { return __floats2half2_rn(x, x); }
template <class T> __device__ int whole(T x) { return (int)(float)x; }
template <> __device__ int whole(__half2 x) { return (int)(__low2float(x) + __high2float(x)) / 2; }
template <class T> __device__ void all_forms(int* o, int width) {
  const int t = threadIdx.x, lane = t % 32;
  T v = make<T>(t + 1);
  v = __shfl_sync(~0u, v, lane);
  if (lane < 4) {
    o[t] = whole(__shfl_sync(0xfu, v, lane + 4, width));
    o[64 + t] = whole(__shfl_up_sync(0xfu, v, 2u, width));
    o[128 + t] = whole(__shfl_down_sync(0xfu, v, 4u, width));
    o[192 + t] = whole(__shfl_xor_sync(0xfu, v, 4, width));
  }
}
"""


WIDTHS = (2, 4, 8, 16, 32)


def all_forms_of(kind):
    return KERNELS + f'extern "C" __global__ void k(int* o, int w) {{ all_forms<{kind}>(o, w); }}'


def expect_0_from_lanes_outside_the_mask(out, width):
    for t in range(64):
        lane, own = t % 32, t + 1
        if lane >= 4:
            continue
        segment = lane & -width

        def of(source, t=t):
            return t - t % 32 + source + 1 if source < 4 else 0

        expected = [
            of(segment + (lane + 4) % width),
            of(lane - 2) if lane - segment >= 2 else own,
            of(lane + 4) if lane - segment + 4 < width else own,
            of(lane ^ 4) if (lane ^ 4) < segment + width else own,
        ]
        assert out[t::64].tolist() == expected, (width, t)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", TYPES)
def test_every_form_gives_0_from_lanes_outside_the_mask(device, mode, kind):
    kernel = device.compile(all_forms_of(kind), *MODES[mode]).kernel()
    for width in WIDTHS:
        out = np.full(256, -1, np.int32)
        with in_mode(device, mode, out):
            kernel(out, np.int32(width), block=(64,))
        expect_0_from_lanes_outside_the_mask(out, width)


@pytest.mark.parametrize("kind", TYPES)
def test_every_machine_gives_0_from_lanes_outside_the_mask(machine, kind):
    for target in machine.targets:
        kernel = machine.compile(all_forms_of(kind), target=target).kernel("k")
        for width in WIDTHS:
            out = np.full(256, -1, np.int32)
            kernel(out, np.int32(width), block=(64,), grid=(1,))
            expect_0_from_lanes_outside_the_mask(out, width)


REDUCE = """
extern "C" __global__ void k(int* o, const int* a) {
  __shared__ int sums[8];
  const int t = threadIdx.x;
  int v = a[t];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  const unsigned mask = __ballot_sync(0xffffffffu, t < 8);
  if (t < 8) {
    v = sums[t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(mask, v, d);
  }
  if (t == 0) o[0] = v;
}
"""


def test_a_reduction_may_shuffle_from_lanes_that_have_no_part(machine):
    values, out = np.arange(256, dtype=np.int32), np.zeros(1, np.int32)
    machine.compile(REDUCE).kernel("k")(out, values, block=(256,), grid=(1,))
    assert out[0] == values.sum()


@pytest.mark.parametrize("mode", MODES)
def test_a_reduction_may_do_so_in_every_mode(device, mode):
    values, out = np.arange(256, dtype=np.int32), np.zeros(1, np.int32)
    kernel = device.compile(REDUCE, *MODES[mode]).kernel()
    with in_mode(device, mode, out, values):
        kernel(out, values, block=(256,))
    assert out[0] == values.sum()


LONE = """
extern "C" __global__ void k(int* o) {
  const int t = threadIdx.x;
  int v = __shfl_xor_sync(~0u, t + 100, 1);
  for (int i = 0; i < 32; ++i)
    if (t == i) o[t] = __shfl_down_sync(1u << i, v, 1) + __shfl_up_sync(1u << i, v, 1) +
                       __shfl_sync(1u << i, v, i ^ 5) + __shfl_xor_sync(1u << i, v, 9);
  v = t + 100;
  if (t >= 16) return;
  o[32 + t] = __shfl_xor_sync(~0u, v, 16);
}
"""


# Lane 0 asks for nobody above it, lane 31 for nobody below: they keep their own.
LONE_RESULT = [101] + [0] * 30 + [130] + [0] * 16


@pytest.mark.parametrize("mode", MODES)
def test_a_lone_lane_and_those_whose_partners_have_left_get_0(device, mode):
    out = np.full(48, -1, np.int32)
    kernel = device.compile(LONE, *MODES[mode]).kernel()
    with in_mode(device, mode, out):
        kernel(out, block=(32,))
    assert out.tolist() == LONE_RESULT


def test_a_lone_lane_and_those_whose_partners_have_left_get_0_everywhere(machine):
    for target in machine.targets:
        out = np.full(48, -1, np.int32)
        machine.compile(LONE, target=target).kernel("k")(out, block=(32,), grid=(1,))
        assert out.tolist() == LONE_RESULT, target


def test_lanes_behind_the_end_of_a_short_warp_give_0(machine):
    source = """extern "C" __global__ void k(int* o) {
      o[threadIdx.x] = __shfl_xor_sync(~0u, (int)threadIdx.x + 1, 16); }"""
    out = np.full(40, -1, np.int32)
    kernel = machine.compile(source).kernel("k")
    for _ in range(2):
        kernel(out, block=(40,), grid=(1,))
        assert out[32:].tolist() == [0] * 8
        assert out[:32].tolist() == [(t ^ 16) + 1 for t in range(32)]


def test_lanes_that_wait_in_another_shuffle_give_0(machine):
    source = """extern "C" __global__ void k(int* o) {
      int t = threadIdx.x, v = 100 + t;
      if (t < 16) o[t] = __shfl_xor_sync(0xffffu, v, 16);
      else o[t] = __shfl_xor_sync(0xffff0000u, v, 17) + 1; }"""
    out = np.full(32, -1, np.int32)
    machine.compile(source).kernel("k")(out, block=(32,), grid=(1,))
    assert out.tolist() == [0] * 16 + [1] * 16


BEFORE = {
    "match": "__match_any_sync(~0u, v)",
    "reduce": "__reduce_add_sync(~0u, v)",
    "tile of 64": "tile.shfl(v, 3)",
    "large value": "(int)tile32.shfl(big, 3).x[2]",
}


@pytest.mark.parametrize("operation", BEFORE)
def test_other_exchanges_leave_nothing_behind(device, operation):
    source = f"""#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    struct Big {{ long long x[3]; }};
    extern "C" __global__ void k(int* o) {{
      auto tile = cg::tiled_partition<64>(cg::this_thread_block());
      auto tile32 = cg::tiled_partition<32>(cg::this_thread_block());
      int t = threadIdx.x, v = t + 1;
      Big big = {{{{v, v, v}}}};
      o[t] = {BEFORE[operation]};
      if (t % 32 == 2) o[64 + t / 32] = __shfl_down_sync(4u, v, 1); }}"""
    out = np.full(66, -1, np.int32)
    device.compile(source).kernel()(out, block=(64,))
    assert (out[:64] != 0).all() and out[64:].tolist() == [0, 0]


def test_slots_are_zero_whatever_the_block_before_had_there(device):
    fill = """extern "C" __global__ void k(int* o) {
      __shared__ int s[8192];
      for (int i = threadIdx.x; i < 8192; i += 32) s[i] = i + 1;
      __syncthreads(); o[threadIdx.x] = s[8191 - threadIdx.x]; }"""
    source = """extern "C" __global__ void k(int* o) {
      int t = threadIdx.x;
      if (t == 3) o[blockIdx.x] = __shfl_sync(8u, t, 4); }"""
    fill, ask = device.compile(fill).kernel(), device.compile(source).kernel()
    for _ in range(8):
        fill(np.zeros(32, np.int32), block=(32,), grid=(64,))
        out = np.full(64, -1, np.int32)
        ask(out, block=(32,), grid=(64,))
        assert not out.any()
