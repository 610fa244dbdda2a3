# SPDX-License-Identifier: MIT
"""cooperative_groups and cuda::atomic: groups of threads and what they do together, on each machine
there is. The grid has tests of its own: grid_test.py."""

import numpy as np
import pytest

BLOCK = 64
LANES = np.arange(BLOCK)
SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#if __has_include(<cuda/barrier>)
#include <cuda/barrier>  // where CUDA has aligned_size_t
#endif
namespace cg = cooperative_groups;

extern "C" __global__ void blocks(int* o) {
  cg::thread_block b = cg::this_thread_block(); cg::grid_group g = cg::this_grid();
  __shared__ int s[64]; s[b.thread_rank()] = b.thread_rank(); b.sync();
  o += 16 * g.thread_rank();
  o[0] = s[63 - b.thread_rank()]; o[1] = b.size(); o[2] = b.num_threads(); o[3] = b.group_index().x;
  o[4] = b.thread_index().x; o[5] = b.thread_index().y; o[6] = b.group_dim().x; o[7] = g.size();
  o[8] = g.block_rank(); o[9] = g.num_blocks(); o[10] = g.is_valid();
  cg::thread_group any = b; any.sync(); o[11] = any.thread_rank(); o[12] = any.size();
  cg::thread_group dynamic = cg::tiled_partition(b, 8); dynamic.sync();
  o[13] = dynamic.size() * 100 + dynamic.thread_rank();
  o[14] = cg::this_thread().size();
}

template <int size> __device__ void tile(int* o, const int* v) {
  auto b = cg::this_thread_block(); auto t = cg::tiled_partition<size>(b);
  int x = v[b.thread_rank()], all = 7; o += 16 * b.thread_rank();
  o[0] = t.size() * 100 + t.thread_rank(); o[1] = t.meta_group_rank() * 100 + t.meta_group_size();
  o[2] = t.shfl(x, 1); o[3] = t.shfl_up(x, 1); o[4] = t.shfl_down(x, 2);
  o[5] = t.shfl_xor(x, size / 2);
  o[6] = t.ballot(x & 1); o[7] = t.any(x & 1) * 10 + t.all(x & 1); o[8] = t.match_any(x % 3);
  o[9] = t.match_all((int)(x < 1000), all) == t.match_any((int)(x < 1000)) ? all : -1;
  o[10] = cg::reduce(t, x, cg::plus<int>()); o[11] = cg::reduce(t, x, cg::greater<int>());
  o[12] = cg::inclusive_scan(t, x); o[13] = cg::exclusive_scan(t, x);
  o[14] = cg::inclusive_scan(t, x, cg::less<int>()); t.sync();
  o[15] = cg::reduce(t, x, [](int a, int c) { return a ^ c; });
}
extern "C" __global__ void tile2(int* o, const int* v) { tile<2>(o, v); }
extern "C" __global__ void tile8(int* o, const int* v) { tile<8>(o, v); }
extern "C" __global__ void tile32(int* o, const int* v) { tile<32>(o, v); }

struct Wide { double a; int b, c; };
extern "C" __global__ void parts(int* o, const int* v) {
  auto b = cg::this_thread_block(); auto warp = cg::tiled_partition<32>(b);
  auto four = cg::tiled_partition<4>(cg::tiled_partition<16>(warp));
  int t = b.thread_rank(), x = v[t]; o += 16 * t;
  o[0] = four.meta_group_rank() * 100 + four.meta_group_size(); o[1] = four.shfl(x, 3);
  auto labels = cg::labeled_partition(warp, x % 3);
  o[2] = labels.size() * 100 + labels.thread_rank(); o[3] = cg::reduce(labels, x, cg::plus<int>());
  o[4] = labels.meta_group_size();
  auto halves = cg::binary_partition(warp, x & 1);
  o[5] = cg::exclusive_scan(halves, x); o[6] = halves.meta_group_rank();
  Wide w = {x * 0.5, x, -x}; w = warp.shfl_down(w, 4); o[7] = (int)(w.a * 2) + 7 * w.b + w.c;
  if (x % 4 == 1) {
    cg::coalesced_group c = cg::coalesced_threads();
    o[8] = c.size() * 100 + c.thread_rank(); o[9] = c.shfl(x, 0); o[10] = c.ballot(x & 2);
    o[11] = cg::reduce(c, x, cg::plus<int>()); o[12] = c.shfl_up(x, 1); o[13] = c.shfl_down(x, 1);
    o[14] = c.any(x > 2) * 10 + c.all(x & 1); c.sync();
    auto pairs = cg::tiled_partition(c, 2); o[15] = pairs.size() * 100 + pairs.thread_rank();
  }
}

extern "C" __global__ void copies(int* o, const int* v) {
  __shared__ int s[64]; auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, v, sizeof s); cg::wait(b); o[b.thread_rank()] = s[63 - b.thread_rank()];
  b.sync();
  cuda::aligned_size_t<4> some(32); cg::memcpy_async(b, s, some, v + 32, some); cg::wait(b);
  o[64 + b.thread_rank()] = s[b.thread_rank() % 8];
}

extern "C" __global__ void atomics(int* sums, unsigned long long* wide, float* real, int* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(sums[0]), low(sums[1]), high(sums[2]),
    bits(sums[3]), mixed(sums[4]), locked(sums[5]), taken(sums[6]);
  sum.fetch_add(i, cuda::memory_order_relaxed); low.fetch_min(i - 5); high.fetch_max(i);
  bits.fetch_or(1 << (i % 20)); mixed.fetch_xor(i, cuda::std::memory_order_acq_rel);
  sum.fetch_sub(1); ++taken; taken += 2;
  int seen = locked.load(); while (!locked.compare_exchange_weak(seen, seen + 3)) {}
  cuda::std::atomic_ref<unsigned long long>(wide[0]).fetch_add(1ull << 33);
  cuda::atomic_ref<float, cuda::thread_scope_system>(real[0]).fetch_add(0.5f);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  if (threadIdx.x == 0) flag.store(0); __syncthreads();
  if (threadIdx.x == 5) { flag.store(9, cuda::memory_order_release); flag.notify_all(); }
  flag.wait(0); o[i] = flag.load(cuda::memory_order_acquire) + flag.exchange(9);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

// Groups that put their results into atomic objects: tiles of 8 and, of each warp, some threads.
extern "C" __global__ void updates(int* sums, double* real, int* o, const int* v) {
  auto b = cg::this_thread_block(); auto t = cg::tiled_partition<8>(b);
  int i = b.thread_rank(), x = v[i];
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(sums[0]), low(sums[1]), high(sums[2]),
    all(sums[3]), any(sums[4]), odd(sums[5]), own(sums[6]), stored(sums[7]), some(sums[8]);
  cuda::atomic_ref<double, cuda::thread_scope_device> wide(real[0]);
  cg::reduce_update_async(t, sum, x, cg::plus<int>());
  cg::reduce_update_async(t, low, x, cg::less<int>());
  cg::reduce_update_async(t, high, x, cg::greater<int>());
  cg::reduce_update_async(t, all, x | 64, cg::bit_and<int>());
  cg::reduce_update_async(t, any, x, cg::bit_or<int>());
  cg::reduce_update_async(t, odd, x, cg::bit_xor<int>());
  cg::reduce_update_async(t, own, x, [](int a, int c) { return (a * c) % 1009; });
  cg::reduce_update_async(t, wide, x * 0.25, cg::plus<double>());
  if (i < 8) cg::reduce_store_async(t, stored, x, cg::greater<int>());
  if (x & 1) {
    auto c = cg::coalesced_threads(); cg::reduce_update_async(c, some, x, cg::plus<int>());
  }
  __shared__ cuda::atomic<int, cuda::thread_scope_block> inside;
  if (i == 0) inside.store(5); b.sync();
  cg::reduce_update_async(t, inside, 1, cg::plus<int>()); b.sync();
  o[i] = inside.load();
}
// Each tile goes on where the one before it, in whatever order, has stopped.
extern "C" __global__ void scan_updates(int* sums, int* o, const int* v) {
  auto b = cg::this_thread_block(); auto t = cg::tiled_partition<8>(b);
  int i = b.thread_rank(), x = v[i];
  cuda::atomic_ref<int, cuda::thread_scope_device> first(sums[0]), second(sums[1]), low(sums[2]);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> inside;
  if (i == 0) inside.store(7); b.sync();
  o[4 * i] = cg::inclusive_scan_update(t, first, x);
  o[4 * i + 1] = cg::exclusive_scan_update(t, second, x, cg::plus<int>());
  o[4 * i + 2] = cg::exclusive_scan_update(t, inside, x);
  o[4 * i + 3] = cg::inclusive_scan_update(t, low, -x, cg::less<int>()); b.sync();
  if (i == 0) sums[3] = inside.load();
}
"""


@pytest.fixture
def run(machine):
    module = machine.module("cooperative groups", SOURCE, "cooperative_groups.h")

    def launch(name, *arguments, grid=1, block=(BLOCK,)):
        kernel = module.kernel(name)
        kernel(*arguments, block=block, grid=(grid,))

    return launch


def values(seed=0):
    return np.random.default_rng(seed).integers(0, 50, BLOCK).astype(np.int32)


def test_the_block_and_the_grid_know_their_threads(run):
    out = np.zeros((3 * BLOCK, 16), np.int32)
    run("blocks", out, grid=3, block=(16, 4))
    for i, row in enumerate(out):
        t, block = i % BLOCK, i // BLOCK
        expected = [63 - t, 64, 64, block, t % 16, t // 16, 16, 192, block, 3, 0, t, 64]
        assert row[:15].tolist() == [*expected, 800 + t % 8, 1]


@pytest.mark.parametrize("size", [2, 8, 32])
def test_tiles_exchange_vote_match_reduce_and_scan(run, size):
    out, v = np.zeros((BLOCK, 16), np.int32), values(size)
    run(f"tile{size}", out, v)
    for t, row in enumerate(out):
        first, rank = t - t % size, t % size
        x = v[first : first + size]
        ballot = sum(1 << k for k in range(size) if x[k] & 1)
        equal = sum(1 << k for k in range(size) if x[k] % 3 == x[rank] % 3)
        expected = [
            size * 100 + rank,
            t // size * 100 + BLOCK // size,
            x[1],
            x[max(rank - 1, 0)],
            x[rank + 2] if rank + 2 < size else x[rank],
            x[rank ^ (size // 2)],
            np.uint32(ballot).astype(np.int32),
            int(ballot != 0) * 10 + int(ballot == (1 << size) - 1),
            np.uint32(equal).astype(np.int32),
            1,
            x.sum(),
            x.max(),
            x[: rank + 1].sum(),
            x[:rank].sum(),
            x[: rank + 1].min(),
            np.bitwise_xor.reduce(x),
        ]
        assert row.tolist() == expected


def test_partitions_of_tiles_and_threads_that_came_together(run):
    out, v = np.zeros((BLOCK, 16), np.int32), values(1)
    run("parts", out, v)
    for t, row in enumerate(out):
        warp = v[t & ~31 : (t & ~31) + 32]
        lane, x = t & 31, v[t]
        label = [k for k in range(32) if warp[k] % 3 == x % 3]
        half = [k for k in range(32) if warp[k] & 1 == x & 1]
        down = warp[lane + 4] if lane + 4 < 32 else x
        expected = [lane % 16 // 4 * 100 + 4, v[t | 3]]
        expected += [len(label) * 100 + label.index(lane), sum(warp[label])]
        expected += [len(set(warp % 3)), sum(warp[k] for k in half if k < lane), x & 1, 7 * down]
        assert row[:8].tolist() == expected
        if x % 4 != 1:
            assert not row[8:].any()
            continue
        came = [k for k in range(32) if warp[k] % 4 == 1]
        rank = came.index(lane)
        after = warp[came[rank + 1]] if rank + 1 < len(came) else x
        before = warp[came[rank - 1]] if rank else x
        some = int(any(warp[k] > 2 for k in came)) * 10 + 1
        pair = 2 if rank | 1 < len(came) else 1
        expected = [len(came) * 100 + rank, warp[came[0]], 0, sum(warp[came]), before, after, some]
        assert row[8:].tolist() == [*expected, pair * 100 + rank % 2]


def test_copies_by_a_group(run):
    out, v = np.zeros(2 * BLOCK, np.int32), values(2)
    run("copies", out, v)
    assert (out[:BLOCK] == v[::-1]).all()
    assert (out[BLOCK:] == v[32 + LANES % 8]).all()


def test_atomic_objects_under_contention(run):
    grid = 5
    count = grid * BLOCK
    sums, wide = np.zeros(7, np.int32), np.zeros(1, np.uint64)
    real, out = np.zeros(1, np.float32), np.zeros(count, np.int32)
    run("atomics", sums, wide, real, out, grid=grid)
    i = np.arange(count)
    expected = [i.sum() - count, -5, count - 1, (1 << 20) - 1, np.bitwise_xor.reduce(i)]
    assert sums.tolist() == [*expected, 3 * count, 3 * count]
    assert wide[0] == count << 33 and real[0] == count / 2 and (out == 18).all()


def test_groups_put_their_results_into_atomic_objects(run):
    sums, real, out, v = np.zeros(9, np.int32), np.ones(1), np.zeros(BLOCK, np.int32), values(3)
    sums[:] = [100, 30, 3, -1, 256, 3, 1, -1, 1000]
    run("updates", sums, real, out, v)
    product = 1
    for x in v:
        product = product * int(x) % 1009
    expected = [100 + v.sum(), v.min(), v.max(), np.bitwise_and.reduce(v | 64)]
    expected += [256 | np.bitwise_or.reduce(v), 3 ^ np.bitwise_xor.reduce(v), product]
    assert sums.tolist() == [*expected, v[:8].max(), 1000 + v[v % 2 == 1].sum()]
    assert real[0] == 1 + v.sum() / 4
    assert (out == 5 + BLOCK).all()


def test_scans_of_groups_go_on_from_an_atomic_object(run):
    sums, out, v = np.array([100, 200, 5, 0], np.int32), np.zeros((BLOCK, 4), np.int32), values(4)
    v += 1  # so that each tile adds something, and their order can be told
    run("scan_updates", sums, out, v)
    tiles = v.reshape(-1, 8)
    assert sums.tolist() == [100 + v.sum(), 200 + v.sum(), -v.max(), 7 + v.sum()]
    inclusive = np.cumsum(tiles, axis=1)
    for column, start, own in (0, 100, inclusive), (1, 200, inclusive - tiles), (2, 7, None):
        own = inclusive - tiles if own is None else own
        before = out[:, column].reshape(-1, 8) - own
        assert (before == before[:, :1]).all()  # the same for every thread of a tile
        order = np.argsort(before[:, 0])
        totals = np.cumsum(tiles.sum(axis=1)[order])
        assert (before[order, 0] == start + np.concatenate([[0], totals[:-1]])).all()
    # A running minimum: never above that of the tile alone, and one of the numbers there were.
    lows = out[:, 3].reshape(-1, 8)
    alone = np.minimum.accumulate(-tiles, axis=1)
    assert (lows <= alone).all() and set(lows.ravel()) <= {5, *(-v).tolist()}
