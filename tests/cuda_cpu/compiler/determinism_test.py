# SPDX-License-Identifier: MIT
"""TREADLE_CHECK=determinism: kernels whose bits depend on the order of blocks, and others."""

import ctypes
import re

import numpy as np
import pytest

SOURCE = """#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#include <cooperative_groups.h>
__device__ unsigned finished; __device__ int variable; __device__ volatile int flag;
extern "C" {
__global__ void float_sum(float *p) { atomicAdd(p, 1.0f / (1 + ME)); }                  // line 5
__global__ void sum_in_block(float *p) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1.0f / (1 + ME));
    __syncthreads();
    if (threadIdx.x == 0) p[blockIdx.x] = sum;                                          // line 12
}
__global__ void last_wins(int *p) { p[0] = ME; }                                        // line 14
__global__ void last_block_wins(int *p) { p[threadIdx.x] = blockIdx.x; }
__global__ void last_byte(char *p) { p[threadIdx.x / 8] = threadIdx.x; }
__global__ void ticket(int *p) { p[1 + atomicAdd(p, 1)] = ME; }
__global__ void in_place(int *p) { p[ME] = ME + p[(ME + 1) % 64]; }
__global__ void exchange(int *p) { p[1 + ME] = atomicExch(p, ME); }
__global__ void to_variable(int *p) { variable = ME; }
__global__ void wait_for_the_block_before(int *p) {
    if (threadIdx.x != 0) return;
    volatile int *done = p;
    if (blockIdx.x > 0) while (done[blockIdx.x - 1] == 0) ;
    __threadfence();
    done[blockIdx.x] = 1;
}

__global__ void integer_sum(int *p) { atomicAdd(p, ME); atomicMax(p + 1, ME); atomicOr(p + 2, ME); }
__global__ void tree(float *p) {
    __shared__ float s[64];
    s[threadIdx.x] = 1.0f / (1 + ME);
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) p[blockIdx.x] = s[0];
}
__global__ void last_block_folds(float *p) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        p[blockIdx.x] = 1.0f / (1 + blockIdx.x);
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    float sum = 0;
    if (last && threadIdx.x == 0) for (int k = 0; k < gridDim.x; ++k) sum += p[k];
    if (last && threadIdx.x == 0) p[64] = sum;
}
__global__ void shuffles(float *p) {
    float x = 1.0f / (1 + ME);
    for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(~0u, x, k);
    p[ME] = x;
}
__global__ void updated(int *p) { p[ME] = 3 * p[ME] + 1; }
__global__ void old_warp_code(volatile int *p) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        s[threadIdx.x] += s[threadIdx.x + 16];
        s[threadIdx.x] += s[threadIdx.x + 8];
    }
    p[ME] = s[threadIdx.x];
}
__global__ void warps_wait(int *p) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) { p[100] = 7; ready = 1; }
    if (threadIdx.x == 32) { while (ready == 0) ; p[101] = 8; }
    __syncthreads();
}
__global__ void own_memory(int *p) { int *q = (int *)malloc(16); q[0] = ME; p[ME] = q[0]; free(q); }
__global__ void meet(int *p) {
    p[blockIdx.x] = blockIdx.x;
    cooperative_groups::this_grid().sync();
    p[64 + blockIdx.x] = p[(blockIdx.x + 1) % gridDim.x];
}
__global__ void prints(int *p) { if (ME == 0) printf("once\\n"); p[ME] = 1; }
__global__ void fault(int *p) { if (ME == 63) __trap(); }
}
"""
# Everyday kernels. The first half leaves other bits if blocks or warps run in another order.
EVERYDAY = """#define ME (blockIdx.x * blockDim.x + threadIdx.x)
__device__ int head, lock; __device__ float shared_sum; __device__ unsigned done;
__device__ void add_by_swaps(float *p, float x) {
    int old = *(volatile int *)p, seen;
    while ((seen = atomicCAS((int *)p, old, __float_as_int(__int_as_float(old) + x))) != old)
        old = seen;
}
__device__ unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x7feb352d; x ^= x >> 15; return x; }
extern "C" {
__global__ void double_sum(double *p) { atomicAdd(p, 1.0 / (1 + ME)); }
__global__ void sum_by_swaps(float *p) { add_by_swaps(p, 1.0f / (1 + ME)); }
__global__ void sums_of_blocks_added(float *p) {
    __shared__ float s[64];
    s[threadIdx.x] = 1.0f / (1 + ME);
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) atomicAdd(p, s[0]);
}
__global__ void sums_of_warps_added(float *p) {
    float x = 1.0f / (1 + threadIdx.x);
    for (int k = 16; k > 0; k /= 2) x += __shfl_down_sync(~0u, x, k);
    if (threadIdx.x % 32 == 0) atomicAdd(p + blockIdx.x, x);
}
__global__ void bins_of_floats(float *p) { atomicAdd(p + ME % 8, 1.0f / (3 + ME / 8)); }
__global__ void first_wins(int *p) { atomicCAS(p, 0, ME + 1); }
__global__ void linked_list(int *p) { p[ME] = atomicExch(&head, ME + 1); }
__global__ void compaction(int *p) { if (ME % 3 == 0) p[1 + atomicAdd(p, 1)] = ME; }
__global__ void compaction_by_warps(int *p) {
    const unsigned votes = __ballot_sync(~0u, ME % 3 == 0);
    const int lane = threadIdx.x % 32, before = __popc(votes & ((1u << lane) - 1));
    int place = lane == 0 ? atomicAdd(p, __popc(votes)) : 0;
    place = __shfl_sync(~0u, place, 0);
    if (ME % 3 == 0) p[1 + place + before] = ME;
}
__global__ void sorted_by_count(int *p) {
    const int key = ME % 4;
    p[8 + key * 64 + atomicAdd(p + key, 1)] = ME;
}
__global__ void any_that_fits(int *p) { if (hash(ME) % 5 == 0) p[0] = ME; }
__global__ void who_took_it(int *p) { p[1 + atomicInc((unsigned *)p, 1000)] = blockIdx.x; }
__global__ void half_words(short *p) { p[ME / 2 % 16] = ME; }
__global__ void locked_float_sum(float *p) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) ;
    __threadfence();
    p[0] = p[0] * 0.5f + blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
}
__global__ void last_block_says_who(int *p) {
    if (threadIdx.x == 0 && atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) p[0] = blockIdx.x;
}
__global__ void average_of_what_was_seen(float *p) {
    if (threadIdx.x == 0) p[blockIdx.x] = atomicAdd(&shared_sum, 1.0f) / (1 + blockIdx.x);
}
__global__ void saturates(int *p) { if (atomicAdd(p, 1) < 10) p[1 + ME] = 1; }
__global__ void smooths(int *p) { if (ME > 0) p[ME] = p[ME - 1] + 1; }
// The result of these is the same in every order.
__global__ void whole_floats(float *p) { atomicAdd(p, 1.0f + ME); }
__global__ void powers_of_two(float *p) { atomicAdd(p, ME % 2 ? 0.25f : -0.5f); }
__global__ void fixed_point(unsigned long long *p) {
    atomicAdd(p, (unsigned long long)(1e9f / (1 + ME)));
}
__global__ void greatest_float(int *p) { atomicMax(p, __float_as_int(1.0f / (1 + hash(ME) % 99))); }
__global__ void bits_and_toggles(int *p) {
    atomicXor(p, hash(ME));
    atomicOr(p + 1 + ME % 3, 1 << ME % 32);
    atomicSub(p + 7, ME);
}
__global__ void integers_by_swaps(int *p) {
    int old = *(volatile int *)p, seen;
    while ((seen = atomicCAS(p, old, old + (int)ME)) != old) old = seen;
}
__global__ void bins_in_shared(int *p) {
    __shared__ int mine[8];
    if (threadIdx.x < 8) mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(mine + hash(ME) % 8, 1);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(p + threadIdx.x, mine[threadIdx.x]);
}
__global__ void all_say_the_same(int *p) { p[0] = 42; if (hash(ME) % 5 == 0) p[1] = 1; }
__global__ void stable_compaction(int *p) {
    __shared__ int s[2][64];
    const int keep = ME % 3 == 0;
    int at = 0;
    s[0][threadIdx.x] = keep;
    for (int k = 1; k < 64; k *= 2, at ^= 1) {
        __syncthreads();
        const int before = threadIdx.x < k ? 0 : s[at][threadIdx.x - k];
        s[at ^ 1][threadIdx.x] = s[at][threadIdx.x] + before;
    }
    if (keep) p[blockIdx.x * 64 + s[at][threadIdx.x] - 1] = ME;
}
__global__ void bitonic_sort(int *p) {
    __shared__ int s[64];
    const int i = threadIdx.x;
    s[i] = hash(ME) % 1000;
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const int a = s[i], b = s[i ^ j];
            __syncthreads();
            s[i] = ((i & j) == 0) == ((i & k) == 0) ? min(a, b) : max(a, b);
        }
    p[ME] = s[i];
}
__global__ void queue_of_items(int *p) {
    __shared__ int item;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(p, 1);
        __syncthreads();
        if (item >= 16) break;
        p[8 + item * 64 + threadIdx.x] = item * 1000 + threadIdx.x;
    }
}
__global__ void locked_integer_sum(int *p) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) ;
    __threadfence();
    p[0] += 3 * blockIdx.x + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
__global__ void least_labels(int *p) {
    __shared__ int label[64], changed;
    label[threadIdx.x] = threadIdx.x;
    do {
        __syncthreads();
        changed = 0;
        __syncthreads();
        const int other = label[hash(threadIdx.x) % 64 / 2];
        if (atomicMin(label + threadIdx.x, other) > other) atomicExch(&changed, 1);
        __syncthreads();
    } while (changed);
    p[ME] = label[threadIdx.x] + 1;
}
__global__ void random_walk(unsigned *p) {
    unsigned state = hash(ME + 1);
    for (int k = 0; k < 20; ++k) state = state * 1664525 + 1013904223;
    p[ME] = state;
}
__global__ void votes(int *p) {
    const unsigned all = __ballot_sync(~0u, hash(ME) & 1);
    p[ME] = __popc(all) + __any_sync(~0u, ME == 70) + __reduce_add_sync(~0u, ME);
}
__global__ void ping_pong(int *p) {
    p[512 + ME] = p[ME] + p[(ME + 1) % 256] + 1;
}
__global__ void local_table(int *p) {
    int table[16];
    for (int k = 0; k < 16; ++k) table[k] = hash(ME + k);
    p[ME] = table[hash(ME) % 16];
}
}
"""
FAILED = 719


class Session:
    """A context with the kernels above and 8 kB of zeros."""

    def __init__(self, device, image):
        self.device = device
        self.context, self.module, self.memory = (
            ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(),
        )  # fmt: skip
        device.check("cuCtxCreate_v2", ctypes.byref(self.context), 0, 0)
        device.check("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(8192))
        device.check("cuMemsetD8_v2", self.memory, 0, ctypes.c_size_t(8192))
        device.check("cuModuleLoadData", ctypes.byref(self.module), image)
        self._fault = device._driver.treadleCpuLastFault
        self._fault.restype, self._fault.argtypes = ctypes.c_char_p, [ctypes.c_void_p]

    def run(self, name, blocks=4, threads=64, together=False):
        kernel = ctypes.c_void_p()
        self.device.check("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        memory = np.array(self.memory.value, np.uint64)
        pointers = (ctypes.c_void_p * 1)(memory.ctypes.data)
        shape = (blocks, 1, 1, threads, 1, 1)
        call = "cuLaunchCooperativeKernel" if together else "cuLaunchKernel"
        extra = () if together else (None,)
        self.device.check(call, kernel, *shape, 0, None, pointers, *extra)
        return self.device._driver.cuCtxSynchronize(), self._fault(self.context).decode()

    def words(self, count):
        made = np.zeros(count, np.int32)
        self.device.check(
            "cuMemcpyDtoH_v2", made.ctypes.data_as(ctypes.c_void_p), self.memory,
            ctypes.c_size_t(made.nbytes),
        )  # fmt: skip
        return made.tolist()


@pytest.fixture(scope="module")
def image(opened_device):
    return opened_device.image(SOURCE, "--treadle-check=determinism")


@pytest.fixture(scope="module")
def everyday_image(opened_device):
    return opened_device.image(EVERYDAY, "--treadle-check=determinism")


@pytest.fixture
def session(opened_device, image):
    made = Session(opened_device, image)
    yield made
    made.device.check("cuCtxDestroy_v2", made.context)


@pytest.fixture
def everyday(opened_device, everyday_image):
    made = Session(opened_device, everyday_image)
    yield made
    made.device.check("cuCtxDestroy_v2", made.context)


# kernel, how it is launched, words of the text
DEPENDENT = {
    "float_sum": ({}, "by the atomic operation at kernel.cu:5 by thread (63,0,0) of block (3,0,0)"),
    "sum_in_block": ({}, "by the write at kernel.cu:12 by thread (0,0,0) of block (0,0,0)"),
    "last_wins": ({}, "is in the end 0x000000ff, by the write at kernel.cu:14 by thread (63,0,0)"),
    "last_block_wins": ({}, "if the last ones run first, 0x00000000, by the write at"),
    "last_byte": (
        {"blocks": 1},
        "is in the end 0x1f170f07, by the write at kernel.cu:16 by thread (31,0,0)",
    ),
    "ticket": ({}, "the word at 0x"),
    "in_place": ({"blocks": 1}, "inside the 8192 bytes"),
    "exchange": ({}, "depends on the order of blocks and warps"),
    "to_variable": ({}, "by thread (63,0,0) of block (3,0,0)"),
    "wait_for_the_block_before": ({}, "a block waits for one with a smaller number"),
}


@pytest.mark.parametrize("kernel", DEPENDENT)
def test_what_depends_on_the_order_is_named(session, kernel):
    how, words = DEPENDENT[kernel]
    code, text = session.run(kernel, **how)
    assert code == FAILED, text
    assert text.startswith(f"kernel {kernel}"), text
    assert words in text, text


RIGHT = {
    "integer_sum": {}, "tree": {}, "last_block_folds": {}, "shuffles": {}, "updated": {},
    "old_warp_code": {}, "warps_wait": {"blocks": 1}, "own_memory": {},
    "meet": {"together": True, "threads": 1},
}  # fmt: skip


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_does_not_passes(session, kernel):
    for _ in range(2):
        assert session.run(kernel, **RIGHT[kernel]) == (0, "")


def test_the_second_run_starts_from_the_same_memory(session):
    assert session.run("updated") == (0, "")
    assert session.words(3) == [1, 1, 1]
    assert session.run("updated") == (0, "")
    assert session.words(3) == [4, 4, 4]


def test_a_kernel_prints_once(session, capfd):
    assert session.run("prints") == (0, "")
    assert capfd.readouterr().out == "once\n"


def test_a_fault_stays_what_it_is(session):
    code, text = session.run("fault")
    assert code == FAILED
    assert "depends" not in text


def in_line(words):
    """What a message says of the one line that has these words."""
    (at,) = (k for k, line in enumerate(EVERYDAY.split("\n"), 1) if words in line)
    return f" at kernel.cu:{at} by thread ("


# kernel, how it is launched, words of the text. Sums of few numbers may have the same bits forwards
# and backwards: there are as many here as do not.
EVERYDAY_DEPENDENT = {
    "double_sum": ({}, in_line("atomicAdd(p, 1.0 / (1 + ME))")),
    "sum_by_swaps": ({}, "by the atomic operation" + in_line("while ((seen = atomicCAS((int *)p")),
    "sums_of_blocks_added": ({"blocks": 10}, in_line("atomicAdd(p, s[0])")),
    "sums_of_warps_added": ({"blocks": 1, "threads": 352}, in_line("atomicAdd(p + blockIdx.x, x)")),
    "bins_of_floats": ({}, "by the atomic operation" + in_line("bins_of_floats")),
    "first_wins": ({}, "is in the end 0x00000001"),
    "linked_list": ({}, "depends on the order of blocks and warps"),
    "compaction": ({}, "by the write" + in_line("void compaction(")),
    "compaction_by_warps": ({}, "by the write" + in_line("p[1 + place + before]")),
    "sorted_by_count": ({}, "by the write" + in_line("p[8 + key * 64")),
    "any_that_fits": ({}, "by the write" + in_line("any_that_fits")),
    "who_took_it": ({}, "by the write" + in_line("who_took_it")),
    "half_words": ({}, "by the write" + in_line("half_words")),
    "locked_float_sum": ({"threads": 1}, "by the write" + in_line("p[0] * 0.5f + blockIdx.x")),
    "last_block_says_who": ({}, "is in the end 0x00000003, by the write"),
    "average_of_what_was_seen": ({}, "by thread (0,0,0) of block ("),
    "saturates": ({"blocks": 1}, "by the write" + in_line("saturates")),
    "smooths": ({"blocks": 1}, "by the write" + in_line("smooths")),
}
EVERYDAY_RIGHT = {
    **dict.fromkeys(("whole_floats", "powers_of_two", "fixed_point", "greatest_float"), {}),
    **dict.fromkeys(("bits_and_toggles", "integers_by_swaps", "bins_in_shared"), {}),
    **dict.fromkeys(("all_say_the_same", "stable_compaction", "bitonic_sort"), {}),
    **dict.fromkeys(("queue_of_items", "random_walk", "votes", "ping_pong", "local_table"), {}),
    "locked_integer_sum": {"threads": 1}, "least_labels": {"blocks": 2},
}  # fmt: skip


@pytest.mark.parametrize("kernel", EVERYDAY_DEPENDENT)
def test_an_everyday_kernel_that_depends_on_the_order_is_named(everyday, kernel):
    how, words = EVERYDAY_DEPENDENT[kernel]
    code, text = everyday.run(kernel, **how)
    assert code == FAILED, text
    assert text.startswith(f"kernel {kernel}: the result depends on the order of blocks"), text
    assert words in text, text


@pytest.mark.parametrize("kernel", EVERYDAY_RIGHT)
def test_an_everyday_kernel_that_does_not_passes(everyday, kernel):
    assert everyday.run(kernel, **EVERYDAY_RIGHT[kernel]) == (0, "")
    assert any(everyday.words(1024))  # it has run


# What depends on the order of several, where there is one.
ALONE = {
    "double_sum": 1, "sums_of_blocks_added": 64, "sums_of_warps_added": 32, "first_wins": 1,
    "linked_list": 1, "compaction_by_warps": 32, "last_block_says_who": 64, "who_took_it": 64,
    "average_of_what_was_seen": 64,
}  # fmt: skip


@pytest.mark.parametrize("kernel", ALONE)
def test_one_of_a_kind_has_no_order(everyday, kernel):
    assert everyday.run(kernel, blocks=1, threads=ALONE[kernel]) == (0, "")


def test_memory_is_what_the_first_run_left(everyday):
    assert everyday.run("whole_floats", blocks=1, threads=3) == (0, "")
    assert np.array(everyday.words(1), np.int32).view(np.float32)[0] == 6
    assert everyday.run("locked_integer_sum", threads=1)[0] == 0
    assert everyday.words(1)[0] == np.float32(6).view(np.int32) + 3 * (0 + 1 + 2 + 3) + 4


def test_right_results_are_those_of_numpy(everyday):
    assert everyday.run("ping_pong")[0] == 0
    assert everyday.words(1024)[512:768] == [1] * 256
    assert everyday.run("bins_in_shared")[0] == 0
    assert sum(everyday.words(8)) == 256
    assert everyday.run("stable_compaction", blocks=1)[0] == 0
    assert everyday.words(22) == list(range(0, 64, 3))


def test_both_values_are_told_with_who_wrote_them(everyday):
    code, text = everyday.run("any_that_fits", blocks=2)
    assert code == FAILED
    values = [int(each, 16) for each in re.findall(r" 0x([0-9a-f]{8}),", text)]
    writers = re.findall(r"by thread \((\d+),0,0\) of block \((\d+),0,0\)", text)
    assert values == [64 * int(block) + int(thread) for thread, block in writers]
    assert values[0] > values[1]


def test_after_it_the_context_is_lost(everyday):
    assert everyday.run("first_wins")[0] == FAILED
    assert everyday.device._driver.cuCtxSynchronize() == FAILED
