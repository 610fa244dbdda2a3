# SPDX-License-Identifier: MIT
"""Kernels whose threads meet: barriers in every place, shared memory, warps, waiting loops."""

import numpy as np
import pytest

threads = np.arange(32)


def test_static_and_dynamic_shared_memory_do_not_overlap(device):
    out = device.run(
        """extern __shared__ int d[];
        extern "C" __global__ void k(int* o) {
          __shared__ int a[32]; __shared__ double b[32]; int t = threadIdx.x;
          a[t] = t; b[t] = 2 * t; d[t] = 3 * t; __syncthreads();
          o[t] = a[31 - t] + (int)b[31 - t] * 100 + d[31 - t] * 10000; }""",
        32,
        np.int32,
        shared=128,
    )
    left = 31 - threads
    assert (out == left + 200 * left + 30000 * left).all()


def test_barrier_in_a_loop_of_uniform_length(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, int n) {
          __shared__ int s[64]; int t = threadIdx.x; s[t] = t; __syncthreads();
          for (int i = 0; i < n; i++) { int v = s[(t + 1) % 64]; __syncthreads();
            s[t] = v; __syncthreads(); }
          o[t] = s[t]; }""",
        64,
        np.int32,
        np.int32(7),
        block=(64,),
    )
    assert (out == (np.arange(64) + 7) % 64).all()


def test_threads_that_left_early_count_as_arrived(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, int n) {
          __shared__ int s[64]; int t = threadIdx.x; s[t] = 1000 + t;
          if (t >= n) return;
          __syncthreads(); o[t] = s[n - 1 - t]; }""",
        64,
        np.int32,
        np.int32(41),
        block=(64,),
    )
    assert (out[:41] == 1000 + np.arange(40, -1, -1)).all() and (out[41:] == 0).all()


def test_threads_that_are_left_lie_anywhere_in_rows(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, int n) {
          __shared__ int s[95]; const int t = threadIdx.y * 19 + threadIdx.x;
          s[t] = 0;
          if (t % 7 == 0 || threadIdx.y == 2 || t % 5 == 3) return;
          for (int i = 0; i < n; i++) {
            __syncthreads(); const int v = s[t] + i; __syncthreads(); s[t] = v + 1; }
          __syncthreads(); o[t] = s[t] * 100 + t; }""",
        95,
        np.int32,
        np.int32(6),
        block=(19, 5),
    )
    t = np.arange(95)
    gone = (t % 7 == 0) | (t // 19 == 2) | (t % 5 == 3)
    assert (out == np.where(gone, 0, 2100 + t)).all()


def test_parts_of_a_block_go_through_barriers_of_their_own(device):
    # Neighbours, one thread in four, and all but one: each part its own way, and then together.
    for condition in ("t < 40", "t % 4 == 1", "t != 50"):
        out = device.run(
            f"""extern "C" __global__ void k(int* o) {{
              __shared__ int s[96]; const int t = threadIdx.x, w = t & ~31;
              s[t] = t; __syncthreads();
              const bool mine = {condition};
              const unsigned m = __ballot_sync(~0u, mine);
              int v = 0;
              if (mine) {{ for (int i = 0; i < 3; i++) {{ __syncwarp(m); v += s[t] + i; }} }}
              else {{ __syncwarp(~m); v = -s[w]; __syncwarp(~m); v -= 1; }}
              __syncthreads(); o[t] = v; }}""",
            96,
            np.int32,
            block=(96,),
        )
        t = np.arange(96)
        mine = eval(condition, {"t": t})
        assert (out == np.where(mine, 3 * t + 3, -(t & ~31) - 1)).all(), condition


def test_first_thread_may_leave_first(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          __shared__ int s[64]; int t = threadIdx.x; s[t] = t;
          if (t == 0 || blockIdx.x == 1) return;
          __syncthreads(); o[blockIdx.x * 64 + t] = s[64 - t]; }""",
        192,
        np.int32,
        block=(64,),
        grid=(3,),
    ).reshape(3, 64)
    expected = 64 - np.arange(64)
    assert (out[0, 1:] == expected[1:]).all() and (out[2, 1:] == expected[1:]).all()
    assert (out[1] == 0).all() and out[0, 0] == 0


def test_barriers_on_both_sides_of_a_divergent_branch(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          __shared__ int s[32]; int t = threadIdx.x; s[t] = t; int v;
          if (t & 1) { __syncthreads(); v = s[31 - t]; } else { __syncthreads(); v = -s[31 - t]; }
          __syncthreads(); o[t] = v; }""",
        32,
        np.int32,
    )
    assert (out == np.where(threads & 1, 31 - threads, threads - 31)).all()


def test_barrier_in_loops_of_different_length(device):
    """A thread that is through its loop waits at the next barrier with those still inside."""
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          __shared__ int count; int t = threadIdx.x; if (t == 0) count = 0; __syncthreads();
          for (int i = 0; i < 1 + t / 32; i++) { atomicAdd(&count, 1); __syncthreads(); }
          o[t] = 1; }""",
        128,
        np.int32,
        block=(128,),
    )
    assert (out == 1).all()


def test_values_across_barriers_keep_every_bit(device):
    """Flags, halves of words, doubles and pointers that live across a barrier."""
    out = device.run(
        """extern "C" __global__ void k(double* o, const float* x, int n) {
          __shared__ float s[32]; int t = threadIdx.x;
          bool flag = x[t] > 3; unsigned char c = (unsigned char)(x[t] * 7); short h = -t * n;
          long long l = (long long)t << 40; double d = x[t] / 3.0; const float* p = x + (t ^ n);
          s[t] = x[t]; __syncthreads();
          o[t] = s[31 - t] + (flag ? 0.5 : 0) + c * 100 + h * 1e5 + (double)(l >> 40) * 1e9 + d
                 + *p * 1e-3; }""",
        32,
        np.float64,
        np.arange(32, dtype=np.float32),
        np.int32(5),
    )
    t = threads.astype(float)
    expected = (31 - t) + np.where(t > 3, 0.5, 0) + (7 * threads % 256) * 100.0 - t * 5 * 1e5
    expected += t * 1e9 + t / 3.0 + (threads ^ 5) * np.float64(1e-3)
    assert np.allclose(out, expected, rtol=1e-13)


def test_local_arrays_survive_barriers(device):
    out = device.run(
        """extern "C" __global__ void k(int* o, int n) {
          int a[64]; for (int i = 0; i < 64; i++) a[i] = i * threadIdx.x;
          __syncthreads(); o[threadIdx.x] = a[(n * 7) & 63]; }""",
        32,
        np.int32,
        np.int32(3),
    )
    assert (out == 21 * threads).all()


def test_local_array_in_a_kernel_without_barriers(device):
    """Threads run in vector lanes: each lane has its own array."""
    out = device.run(
        """extern "C" __global__ void k(int* o, int n) {
          int a[16]; for (int i = 0; i < 16; i++) a[i] = i * threadIdx.x + n;
          for (int i = 0; i < n; i++) a[(i * 5) & 15] += a[(i * 3 + threadIdx.x) & 15];
          o[threadIdx.x] = a[n & 15]; }""",
        64,
        np.int32,
        np.int32(9),
        block=(64,),
    )
    expected = []
    for t in range(64):
        a = [i * t + 9 for i in range(16)]
        for i in range(9):
            a[(i * 5) & 15] += a[(i * 3 + t) & 15]
        expected.append(a[9])
    assert (out == np.array(expected)).all()


def test_structure_parameter_is_a_threads_own(device):
    """A kernel may write its by-value parameter; no other thread sees that."""
    out = device.run(
        """struct S { int a[4]; };
        extern "C" __global__ void k(int* o, S s, int n) {
          s.a[n & 3] += threadIdx.x; s.a[(n + 1) & 3]++; o[threadIdx.x] = s.a[n & 3] + s.a[2]; }""",
        32,
        np.int32,
        np.array([1, 2, 3, 4], np.int32).tobytes(),
        np.int32(1),
    )
    assert (out == 2 + threads + 4).all()


def test_shared_atomics(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          __shared__ int c, m, x; __shared__ unsigned i; __shared__ float f; int t = threadIdx.x;
          if (t == 0) { c = 0; m = -9; x = 0; i = 0; f = 0; } __syncthreads();
          int old = atomicAdd(&c, 2); atomicMax(&m, t); atomicXor(&x, t); atomicInc(&i, 9);
          atomicAdd(&f, 0.5f); if (t == 7) atomicCAS(&m, 1000, 5); __syncthreads();
          if (t == 0) { o[0] = c; o[1] = m; o[2] = x; o[3] = i; o[4] = (int)f; }
          o[8 + old / 2] = 1; }""",
        8 + 128,
        np.int32,
        block=(128,),
    )
    assert out[:5].tolist() == [256, 127, 0, 8, 64] and (out[8:] == 1).all()


def test_histogram_in_shared_memory(device):
    data = np.random.RandomState(0).randint(0, 256, 20000).astype(np.uint8)
    out = device.run(
        """extern "C" __global__ void k(unsigned* h, const unsigned char* d, int n) {
          __shared__ unsigned s[256]; s[threadIdx.x] = 0; __syncthreads();
          for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            atomicAdd(&s[d[i]], 1u);
          __syncthreads(); atomicAdd(&h[threadIdx.x], s[threadIdx.x]); }""",
        256,
        np.uint32,
        data,
        np.int32(data.size),
        block=(256,),
        grid=(7,),
    )
    assert (out == np.bincount(data, minlength=256)).all()


def test_reduction_by_shuffles_inside_a_branch(device):
    out = device.run(
        """extern "C" __global__ void k(float* o, const float* a) {
          __shared__ float s[64]; int t = threadIdx.x; s[t] = a[t]; __syncthreads();
          if (t < 32) { float v = s[t] + s[t + 32];
            for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
            if (t == 0) o[0] = v; } }""",
        1,
        np.float32,
        np.arange(64, dtype=np.float32),
        block=(64,),
    )
    assert out[0] == 2016


@pytest.mark.parametrize("mode", ["regions", "fibers"])
def test_ptx_lets_lanes_of_a_warp_wait_for_those_they_name(device, mode):
    source = """extern "C" __global__ void k(int *o, unsigned all) {
      __shared__ volatile int s[64]; const int t = threadIdx.x, lane = t % 32; int v = 0;
      s[t] = t; asm volatile("bar.warp.sync 0xffffffff;");
      v = s[t ^ 31]; asm volatile("bar.warp.sync %0;" :: "r"(all));
      if (lane < 16) { s[t] = 2 * v; asm volatile("bar.warp.sync 0xffff;"); v = s[t ^ 8]; }
      else { s[t] = 3 * v; asm volatile("bar.warp.sync %0;" :: "r"(all << 16)); v = s[t ^ 4]; }
      o[t] = v; }"""
    kernel = device.compile(source, *(["--treadle-fibers"] if mode == "fibers" else [])).kernel()
    out = np.zeros(64, np.int32)
    device.check("treadle_cpu_run_on_fibers", int(mode == "fibers"))
    try:
        kernel(out, np.uint32(0xFFFFFFFF), block=(64,))
    finally:
        device.check("treadle_cpu_run_on_fibers", 0)
    expected = [2 * ((t ^ 8) ^ 31) if t % 32 < 16 else 3 * ((t ^ 4) ^ 31) for t in range(64)]
    assert out.tolist() == expected


def test_warp_synchronous_code_marked_volatile(device):
    """The reductions of old: no barrier within a warp, only `volatile`."""
    out = device.run(
        """extern "C" __global__ void k(float* o, const float* a) {
          __shared__ volatile float s[64]; int t = threadIdx.x; s[t] = a[t]; __syncthreads();
          if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4];
            s[t] += s[t + 2]; s[t] += s[t + 1]; }
          if (t == 0) o[0] = s[0]; }""",
        1,
        np.float32,
        np.arange(64, dtype=np.float32),
        block=(64,),
    )
    assert out[0] == 2016


def test_waiting_for_another_thread_of_the_block(device):
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          __shared__ volatile int flag; int t = threadIdx.x; if (t == 0) flag = 0;
          __syncthreads();
          if (t < 32) { while (flag == 0) ; o[t] = flag; } else if (t == 40) flag = 5; }""",
        64,
        np.int32,
        block=(64,),
    )
    assert (out[:32] == 5).all()


def test_uniform_counter_beside_scattered_threads(device):
    """Threads leave a loop at different times; a counter all share behind it stays right."""
    out = device.run(
        """extern "C" __global__ void k(int* o, const int* x, int n) {
          __shared__ int s[64]; int t = threadIdx.x, v = 0;
          for (int i = t; i < n; i += 64 + t) v += x[i];
          s[t] = v; __syncthreads();
          for (int d = 32; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
          if (t == 0) o[0] = s[0]; }""",
        1,
        np.int32,
        np.arange(1000, dtype=np.int32),
        np.int32(1000),
        block=(64,),
    )
    assert out[0] == sum(sum(range(t, 1000, 64 + t)) for t in range(64))


def test_tiled_matrix_product(device):
    n, tile = 96, 32
    a, b = np.random.RandomState(1).rand(2, n, n)
    out = device.run(
        """extern "C" __global__ void k(double* c, const double* a, const double* b, int n) {
          const unsigned tx = threadIdx.x, ty = threadIdx.y;
          const unsigned row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx; double sum = 0;
          for (int m = 0; m < n / 32; m++) {
            __shared__ double as[32][32], bs[32][32];
            as[ty][tx] = a[row * n + m * 32 + tx]; bs[ty][tx] = b[(m * 32 + ty) * n + column];
            __syncthreads();
            for (int i = 0; i < 32; i++) sum += as[ty][i] * bs[i][tx];
            __syncthreads(); }
          c[row * n + column] = sum; }""",
        n * n,
        np.float64,
        a,
        b,
        np.int32(n),
        block=(tile, tile),
        grid=(n // tile, n // tile),
    )
    assert np.allclose(out.reshape(n, n), a @ b)


def test_every_block_of_a_grid_that_is_dealt_in_strips_runs_once(device):
    source = """extern "C" __global__ void k(int* o, int n) {
      __shared__ int s[32]; int t = threadIdx.x, sum = 0, before = 1;
      int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      for (int i = 0; i < n; ++i) {
        s[t] = o[b * 32 + t] + i; __syncthreads();
        int next = sum + s[31 - t]; sum = before; before = next; __syncthreads(); }
      o[b * 32 + t] = 1000 * b + sum + 7 * before; }"""
    for grid in ((5, 1, 1), (3, 19, 2), (1, 9, 1)):
        blocks = np.arange(np.prod(grid))
        out = device.run(
            source,
            32 * blocks.size,
            np.int32,
            np.int32(3),
            grid=grid,
        )
        # (sum, before): (0, 1), (1, 0), (0, 2), (2, 2)
        assert (out.reshape(-1, 32) == (1000 * blocks + 2 + 14)[:, None]).all(), grid
