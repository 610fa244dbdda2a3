# SPDX-License-Identifier: MIT
"""Loops that the threads of a block run in step: which elements a thread comes to must not depend
on how their indices are kept. All in one source, so that it is compiled once."""

import itertools

import numpy as np
import pytest

# With a barrier behind the loop, and without one: then a launch chooses by the length of its rows.
LOOPS = """
#define THREAD int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0
extern "C" __global__ void strided(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int i = t; i < n; i += stride) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void backwards(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int i = n - 1 - t; i >= 0; i -= stride) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void anywhere(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int i = p[t]; i < n; i += stride) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void wrapping(int* o, const int* p, int n, int stride) {
  THREAD;
  unsigned i = 0xffffffffu - 20 + t;
  for (int k = 0; k < n - t; k++, i += stride) sum = 3 * sum + p[i % 512u];
  o[t] = sum; END
}
extern "C" __global__ void limited(int* o, const int* p, int n, int stride) {
  THREAD;
  unsigned k = 0;  // the limit lies between threads of a row some turns before their indices wrap
  for (unsigned i = t - 200u; i < 0xffffffe5u && k < n; i += stride, k++)
    sum = 3 * sum + p[i % 512];
  o[t] = sum; END
}
extern "C" __global__ void within(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int i = t; i + 3 <= n && 390 > i; i += stride) sum = 3 * sum + p[i] - p[i + 2];
  o[t] = sum; END
}
extern "C" __global__ void until(int* o, const int* p, int n, int stride) {
  THREAD;
  for (long long i = t;; i += stride) { if (i >= n || p[i] == 7) break; sum = 3 * sum + p[i]; }
  o[t] = sum; END
}
extern "C" __global__ void two_ends(int* o, const int* p, int n, int stride) {
  THREAD;  // one question decides two branches
  for (int i = t; t < n; i += stride) {
    bool more = i + stride < n;
    int v = p[i];
    if (v > 100) { sum += v; if (!more) break; }
    else { sum = (3 * sum) ^ v; if (!more) { sum = -sum; break; } }
  }
  o[t] = sum; END
}
extern "C" __global__ void shifted(int* o, const int* p, int n, int stride) {
  THREAD;
  int k = n % 50;
  for (int i = t; i < n && k < 32 && i < (1 << k) + 300; i += stride) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void narrowed(int* o, const int* p, int n, int stride) {
  THREAD;
  for (long long i = t; i < n; i += stride) sum = 3 * sum + p[(int)i];
  if (t < 20) { if (n > 100) sum += 5; else sum -= t; }
  o[t] = sum; END
}
extern "C" __global__ void constant(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int i = t; i < n; i += 32) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void followed(int* o, const int* p, int n, int stride) {
  THREAD;
  for (long long i = t; i < n; i = i + p[i] % 7 + stride) sum = 3 * sum + p[i];
  o[t] = sum; END
}
extern "C" __global__ void resumed(int* o, const int* p, int n, int stride) {
  THREAD;  // some threads are out of step with their neighbours from the second turn on
  int i = t;
  for (int k = 0; k < 2; k++)
    for (; i < n; i += stride) {
      sum = 3 * sum + p[i];
      if (p[i] % 5 == 0) { i += 3; break; }
    }
  o[t] = sum; END
}
extern "C" __global__ void resumed_far(int* o, const int* p, int n, int stride) {
  THREAD;
  long long i = t;
  for (int k = 0; k < 3; k++)
    if (t % 3 != k)
      for (; i < n; i += stride) {
        sum = 3 * sum + p[i];
        if (p[i] % 5 == 0) { i += 2; break; }
      }
  o[t] = sum; END
}
extern "C" __global__ void together(int* o, const int* p, int n, int stride) {
  THREAD;
  for (int k = 0; k < n; k += stride) sum = 3 * sum + p[(k + t) % 512 + 0];
  o[t] = sum; END
}
extern "C" __global__ void stored(int* o, const int* p, int n, int stride) {
  THREAD;
  o[t] = 0;
  for (int k = t % 5; k < n; k += stride) o[t] = 3 * o[t] + p[k];
  END
}
"""


def resumed(p, t, n, stride, far):
    i = t
    for k in range(3 if far else 2):
        while i < n and not (far and t % 3 == k):
            yield i
            if p[i] % 5 == 0:
                i += 2 if far else 3
                break
            i += stride


def visits(name, p, t, n, stride):
    """The indices that thread t of a kernel comes to, in their order."""
    if name in ("strided", "narrowed", "two_ends"):
        return range(t, n, stride)
    if name == "backwards":
        return range(n - 1 - t, -1, -stride)
    if name == "anywhere":
        return range(p[t], n, stride)
    if name == "together":
        return [(k + t) % 512 for k in range(0, n, stride)]
    if name.startswith("resumed"):
        return list(resumed(p, t, n, stride, far=name == "resumed_far"))
    if name == "stored":
        return range(t % 5, n, stride)
    if name == "wrapping":
        start = 0xFFFFFFFF - 20 + t
        return [((start + k * stride) % 2**32) % 512 for k in range(max(0, n - t))]
    if name == "limited":
        turns = itertools.takewhile(
            lambda i: i < 0xFFFFFFE5, ((t - 200 + k * stride) % 2**32 for k in range(n))
        )
        return [i % 512 for i in turns]
    if name == "within":
        return range(t, min(n - 2, 390), stride)
    if name == "shifted":
        k = n % 50
        return range(t, min(n, (1 << k) + 300) if k < 32 else 0, stride)
    if name == "constant":
        return range(t, n, 32)
    if name == "until":
        return list(itertools.takewhile(lambda i: p[i] != 7, range(t, n, stride)))
    indices, i = [], t
    while i < n:
        indices.append(i)
        i += p[i] % 7 + stride
    return indices


def added(name, total, p, i):
    if name == "two_ends":
        return total + p[i] if p[i] > 100 else (3 * total) ^ p[i]
    return 3 * total + p[i] - (p[i + 2] if name == "within" else 0)


@pytest.fixture(scope="module", params=["__syncthreads();", ""], ids=["barrier", "no barrier"])
def kernels(opened_device, request):
    opened_device.make_current(opened_device.context)
    module = opened_device.compile(f"#define END {request.param}\n{LOOPS}")
    return module.kernel


NAMES = (
    *("strided", "backwards", "anywhere", "wrapping", "limited", "within", "until"),
    *("followed", "together", "stored", "two_ends", "shifted", "narrowed", "constant"),
    *("resumed", "resumed_far"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", [(64,), (33,), (16, 5), (8, 4)], ids=str)
@pytest.mark.parametrize("n, stride", [(400, 64), (401, 80), (399, 33), (50, 1), (0, 64)])
def test_each_thread_comes_to_its_elements_in_order(device, kernels, name, block, n, stride):
    threads = int(np.prod(block))
    p = np.random.default_rng(7).integers(0, 300, 512).astype(np.int32)
    out = np.full(threads, -1, np.int32)
    kernels(name)(out, p, np.int32(n), np.int32(stride), block=block)
    for t in range(threads):
        total = 0
        for i in visits(name, p.tolist(), t, n, stride):
            total = added(name, total, p.tolist(), i) % 2**32
        if name == "two_ends" and t < n:
            last = int(p[t + (n - 1 - t) // stride * stride])
            total = (total if last > 100 else -total) % 2**32
        if name == "narrowed" and t < 20:
            total = (total + (5 if n > 100 else -t)) % 2**32
        assert out[t] == np.uint32(total).astype(np.int32), (t, n, stride)


def test_threads_leave_a_loop_of_arithmetic_each_when_it_is_done(device):
    """What a Mandelbrot set asks for: nothing is read, and neighbours go on for different times."""
    out = device.run(
        """extern "C" __global__ void k(int* o) {
          unsigned n = threadIdx.x + 64 * blockIdx.x + 1; int steps = 0;
          while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; steps++; }
          o[threadIdx.x + 64 * blockIdx.x] = steps; }""",
        256,
        np.int32,
        block=(64,),
        grid=(4,),
    )
    for start, steps in enumerate(out.tolist(), 1):
        n, expected = start, 0
        while n != 1:
            n, expected = (3 * n + 1 if n & 1 else n // 2), expected + 1
        assert steps == expected, start


def test_all_threads_share_what_is_computed_behind_a_loop_that_each_leaves_in_its_turn(device):
    """Threads run the loop apart and meet at the barrier behind it: `half` is one for all."""
    source = """extern "C" __global__ void k(int* o, int n, int rounds) {
      __shared__ int part[64];
      int t = threadIdx.x, total = 0;
      for (int round = 0; round < rounds; round++) {
        int sum = 0;
        for (int i = t + round; i < n; i += 7) sum += i % (t + 1);
        part[t] = sum;
        __syncthreads();
        for (int half = 32; half > 0; half >>= 1) {
          if (t < half) part[t] += part[t + half];
          __syncthreads();
        }
        total = 3 * total + part[0];
        __syncthreads();
      }
      o[t] = total; }"""
    out = np.zeros(64, np.int32)
    device.compile(source).kernel("k")(out, np.int32(300), np.int32(3), block=(64,))
    total = 0
    for round_ in range(3):
        total = 3 * total + sum(i % (t + 1) for t in range(64) for i in range(t + round_, 300, 7))
    assert (out == total).all()


# Small whole numbers: sums are exact in any order, but each thread has another one.
ARITHMETIC = """
#define START __shared__ float tile[64]; int t = threadIdx.x; tile[t] = t % 7 - 3; \
  float own = t % 5, sum = 0; __syncthreads()
extern "C" __global__ void shared_by_all(float* o, int n) {
  START;
  for (int k = 0; k < n; k++) sum += (tile[k] - own) * own;
  o[t] = sum;
}
extern "C" __global__ void own_end(float* o, int n) {
  START;
  for (int k = 0; k < n - t % 3; k++) { sum += tile[k] * own; if (sum > 40) break; }
  o[t] = sum;
}
extern "C" __global__ void own_array(float* o, int n) {
  START;
  float last[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k++) { sum += last[(k + t) % 4] - tile[k]; last[k % 4] = tile[k] * own; }
  o[t] = sum;
}
"""


def arithmetic(name, t, n):
    tile, own, total, last = [i % 7 - 3 for i in range(64)], t % 5, 0, [0] * 4
    for k in range(n - t % 3 if name == "own_end" else n):
        if name == "own_array":
            total += last[(k + t) % 4] - tile[k]
            last[k % 4] = tile[k] * own
        elif name == "own_end":
            total += tile[k] * own
            if total > 40:
                break
        else:
            total += (tile[k] - own) * own
    return total


def test_loops_of_arithmetic_behind_a_barrier_give_each_thread_its_sum(device):
    module = device.compile(ARITHMETIC)
    for name in ("shared_by_all", "own_end", "own_array"):
        for block, n in [(64, 64), (64, 3), (37, 37), (64, 0)]:
            out = np.zeros(block, "f4")
            module.kernel(name)(out, np.int32(n), block=(block,))
            assert out.tolist() == [arithmetic(name, t, n) for t in range(block)], (name, block, n)
