# SPDX-License-Identifier: MIT
"""Kernels that launch kernels: what comes in which order, and who is told of errors."""

import functools

import numpy as np
import pycuda.driver as cuda
import pytest

STREAMS = """
__global__ void step(unsigned *x, unsigned factor, unsigned more) { *x = *x * factor + more; }
// Steps that do not commute: four streams, each in its own order.
__global__ void chains(unsigned *x, int steps) {
    cudaStream_t streams[4];
    for (int k = 0; k < 4; ++k) cudaStreamCreateWithFlags(streams + k, cudaStreamNonBlocking);
    for (int i = 0; i < steps; ++i)
        for (int k = 0; k < 4; ++k) step<<<1, 1, 0, streams[k]>>>(x + k, 2 * k + 3, i);
    for (int k = 0; k < 4; ++k) cudaStreamDestroy(streams[k]);
}
__global__ void each_thread(unsigned *x, int steps) {
    for (int i = 0; i < steps; ++i)
        step<<<1, 1, 0, cudaStreamPerThread>>>(x + threadIdx.x, threadIdx.x + 2, i);
}
__global__ void add_to(unsigned *to, const unsigned *x, unsigned more) { *to = *x + more; }
__global__ void combine(unsigned *x) { x[3] = 10 * x[1] + x[2]; }
// One step, two that need it, and one that needs both.
__global__ void diamond(unsigned *x) {
    cudaStream_t left, right;
    cudaEvent_t first, second;
    cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&first, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&second, cudaEventDisableTiming);
    step<<<1, 1, 0, left>>>(x, 0, 5);
    cudaEventRecord(first, left);
    cudaStreamWaitEvent(right, first, 0);
    add_to<<<1, 1, 0, left>>>(x + 1, x, 1);
    add_to<<<1, 1, 0, right>>>(x + 2, x, 2);
    cudaEventRecord(second, right);
    cudaStreamWaitEvent(left, second, 0);
    combine<<<1, 1, 0, left>>>(x);
    cudaEventDestroy(first);
    cudaEventDestroy(second);
    cudaStreamDestroy(left);
    cudaStreamDestroy(right);
}
__global__ void add_one(unsigned *x) { atomicAdd(x, 1u); }
__global__ void forgotten_then_tail(unsigned *x, int n) {
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 3, 0);
    for (int i = threadIdx.x; i < n; ++i) add_one<<<1, 2, 0, cudaStreamFireAndForget>>>(x);
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 1, 7);
}
__global__ void says(int who) { printf("child %d\\n", who); }
__global__ void talks() {
    for (int k = 0; k < 3; ++k) says<<<1, 1>>>(k);
    says<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
}
"""
ERRORS = """
__global__ void mark(int *a) { a[threadIdx.x] = 1; }
__global__ void reads_errors(int *a, int *seen) {
    mark<<<1, 0>>>(a);
    seen[0] = cudaPeekAtLastError();
    seen[1] = cudaGetLastError();
    seen[2] = cudaGetLastError();
    mark<<<1, 2>>>(a + 4);
    seen[3] = cudaGetLastError();
    seen[4] = cudaGetErrorString(cudaErrorInvalidConfiguration)[0] != 0;
}
// Only the thread that made the mistake is told.
__global__ void own_errors(int *a, int *seen) {
    if (threadIdx.x % 2) mark<<<1, 4096>>>(a);
    __syncthreads();
    seen[threadIdx.x] = cudaGetLastError();
}
__global__ void count_one(int *a) { *a += 1; }
// None of them starts before the last is launched.
__global__ void floods(int *a, int *seen, int n) {
    for (int i = 0; i < n; ++i) {
        count_one<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
        seen[i] = cudaGetLastError();
    }
}
__global__ void traps(int *a) { if (a[0] == 0) __trap(); }
__global__ void asserts(int *a) { assert(a[0] == 7); }
__global__ void starts_trap(int *a) { traps<<<1, 1>>>(a); }
__global__ void starts_assert(int *a) { asserts<<<1, 1>>>(a); }
__global__ void forgets_trap(int *a) { traps<<<1, 1, 0, cudaStreamFireAndForget>>>(a); }
__global__ void trap_at_the_end(int *a) { traps<<<1, 1, 0, cudaStreamTailLaunch>>>(a); }
"""
TEXTS = (STREAMS, ERRORS)


def stepped(x, factor, steps):
    return functools.reduce(lambda x, i: (x * factor + i) % 2**32, range(steps), x)


def test_each_stream_keeps_its_order(launch):
    x = np.arange(4, dtype=np.uint32)
    launch("chains", cuda.InOut(x), 25)
    assert x.tolist() == [stepped(k, 2 * k + 3, 25) for k in range(4)]


def test_the_stream_of_a_thread_keeps_its_order(launch):
    x = np.ones(40, np.uint32)
    launch("each_thread", cuda.InOut(x), 5, threads=40)
    assert x.tolist() == [stepped(1, k + 2, 5) for k in range(40)]


def test_events_join_what_they_parted(launch):
    x = np.full(4, 99, np.uint32)
    launch("diamond", cuda.InOut(x))
    assert x.tolist() == [5, 6, 7, 67]


@pytest.mark.parametrize("n", [0, 1, 300])
def test_tails_wait_for_what_is_forgotten_and_stay_in_order(launch, n):
    x = np.zeros(1, np.uint32)
    launch("forgotten_then_tail", cuda.InOut(x), n)
    assert x[0] == 3 * 2 * n + 7


def test_streams_of_the_program_hold_launches_below(launch):
    left, right = cuda.Stream(), cuda.Stream()
    x, y = (cuda.to_device(np.arange(4, dtype=np.uint32)) for _ in range(2))
    launch("chains", x, 9, stream=left)
    launch("chains", y, 7, stream=right)
    launch("add_to", x, np.intp(int(x) + 12), np.uint32(1), stream=left)
    launch("chains", y, 3, stream=right)
    left.synchronize()
    assert cuda.from_device(x, 4, np.uint32)[0] == (stepped(3, 9, 9) + 1) % 2**32
    right.synchronize()
    after = [stepped(stepped(k, 2 * k + 3, 7), 2 * k + 3, 3) for k in range(4)]
    assert cuda.from_device(y, 4, np.uint32).tolist() == after


def test_an_event_of_the_program_waits_for_launches_below(launch):
    x = cuda.to_device(np.zeros(1, np.uint32))
    stream, after = cuda.Stream(), cuda.Event()
    launch("forgotten_then_tail", x, 100, stream=stream)
    after.record(stream)
    after.synchronize()
    assert cuda.from_device(x, 1, np.uint32)[0] == 607


def test_children_print_in_their_order(on_cpu, launch, capfd):
    launch("talks")
    cuda.Context.synchronize()
    assert capfd.readouterr().out == "".join(f"child {k}\n" for k in (0, 1, 2, 9))


def test_a_thread_reads_its_error_once(launch):
    a, seen = np.zeros(8, np.int32), np.full(8, -1, np.int32)
    launch("reads_errors", cuda.InOut(a), cuda.InOut(seen))
    assert seen[0] == seen[1] > 0
    assert seen[2:5].tolist() == [0, 0, 1]
    assert a.tolist() == [0, 0, 0, 0, 1, 1, 0, 0]


def test_an_error_is_that_of_its_thread(launch):
    a, seen = np.zeros(1, np.int32), np.full(64, -1, np.int32)
    launch("own_errors", cuda.InOut(a), cuda.InOut(seen), threads=64)
    assert (seen[::2] == 0).all()
    assert (seen[1::2] > 0).all()


def test_launches_beyond_the_limit_are_refused(on_cpu, launch):
    limit = cuda.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT
    assert cuda.Context.get_limit(limit) == 2048
    a, seen = np.zeros(1, np.int32), np.full(100, -1, np.int32)
    cuda.Context.set_limit(limit, 16)
    try:
        launch("floods", cuda.InOut(a), cuda.InOut(seen), 100)
    finally:
        cuda.Context.set_limit(limit, 2048)
    assert a[0] == 16
    assert seen.tolist() == [0] * 16 + [69] * 84  # cudaErrorLaunchPendingCountExceeded


FAULTS = {
    "starts_trap": "kernel traps",
    "forgets_trap": "kernel traps",
    "trap_at_the_end": "kernel traps",
    "starts_assert": "kernel asserts",
}


@pytest.mark.filterwarnings("ignore:cleaning up a module")
@pytest.mark.parametrize("kernel", FAULTS)
def test_the_program_is_told_of_a_fault_below(on_cpu, build_linked, kernel):
    own = cuda.Device(0).make_context()
    try:
        module = build_linked(ERRORS)
        with pytest.raises(cuda.Error) as caught:
            module.get_function(kernel)(cuda.to_device(np.zeros(4, np.int32)), block=(1, 1, 1))
            cuda.Context.synchronize()
        assert FAULTS[kernel] in str(caught.value)
    finally:
        own.pop()


FUNCTIONS = {
    "sin": np.sin, "exp": np.exp, "log2": np.log2, "cbrt": np.cbrt, "tanh": np.tanh,
    "sqrt": np.sqrt, "asinh": np.arcsinh, "floor": np.floor, "expm1": np.expm1,
}  # fmt: skip


def test_children_call_the_functions_of_c(context, build_linked):
    children = [
        f"__global__ void child_{k}(double *x) {{ x[threadIdx.x] = {name}(x[threadIdx.x]); }}"
        for k, name in enumerate(FUNCTIONS)
    ]
    launches = [f"child_{k}<<<1, 8>>>(x + {8 * k});" for k in range(len(FUNCTIONS))]
    parent = "__global__ void parent(double *x) {" + " ".join(launches) + "}"
    x = np.tile(np.linspace(0.1, 2, 8), (len(FUNCTIONS), 1))
    expected = [plain(row) for plain, row in zip(FUNCTIONS.values(), x, strict=True)]
    module = build_linked("\n".join([*children, parent]))
    module.get_function("parent")(cuda.InOut(x), block=(1, 1, 1))
    np.testing.assert_allclose(x, expected, rtol=1e-14)
