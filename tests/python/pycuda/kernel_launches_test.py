# SPDX-License-Identifier: MIT
"""Kernels that launch kernels: programs of the kinds that CUDA's guide describes."""

import pathlib
import re

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule

TEXT = """
struct Box { int x, y; short size; double step; };
template <class T> __global__ void fill(T *a, T value, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = value;
}
extern "C" {
__device__ int errors[8];
__global__ void add(int *a, int value) { a[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void twice(int *a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] *= 2;
}
// What a block launches into its own stream comes in order, and after what the block wrote.
__global__ void in_order(int *a) {
    int *mine = a + blockIdx.x * 64;
    mine[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int k = 0; k < 3; ++k) {
        add<<<2, 32>>>(mine, 1);
        twice<<<1, 64>>>(mine, 64);
    }
}
// Arguments of every kind, a template whose argument is deduced, a launch over several lines.
__global__ void draw(unsigned char *image, Box box, int width) {
    for (int i = threadIdx.x; i < box.size * box.size; i += blockDim.x)
        image[(box.y + i / box.size) * width + box.x + i % box.size] = (int)box.step;
}
__global__ void deduced(float *f, unsigned char *image) {
    dim3 block(32);
    fill<<<1, block>>>(f, 2.5f, 10);
    fill<double><<<1,       // a comment, with ) and >>>
        block>>>((double *)f + 8, 1, 4);
    Box box = {1, 2, 3, 7.5};
    draw<<<dim3(1), block, 0, 0>>>(image,
                                   box, 8);
}
// The kernel that waits for the one before it by the tail of its launch.
__global__ void counted(int *a, int left) {
    a[0] += 1;
    if (left > 0) counted<<<1, 1, 0, cudaStreamTailLaunch>>>(a, left - 1);
}
__global__ void after_children(int *a) {
    a[1] = a[0];
    a[2] += 1;
}
__global__ void tails(int *a) {
    after_children<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
    counted<<<1, 1, 0, cudaStreamFireAndForget>>>(a, 500);
    after_children<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
}
// Two streams that meet by an event.
__global__ void meeting(int *a) {
    cudaStream_t left, right;
    cudaEvent_t ready;
    cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    counted<<<1, 1, 0, left>>>(a, 0);
    add<<<1, 64, 0, left>>>(a, 5);
    cudaEventRecord(ready, left);
    cudaStreamWaitEvent(right, ready, 0);
    twice<<<1, 32, 0, right>>>(a, 64);
    cudaEventDestroy(ready);
    cudaStreamDestroy(left);
    cudaStreamDestroy(right);
}
__global__ void nested(int *a, int depth) {
    a[depth] = depth;
    if (depth < 40) nested<<<1, 1>>>(a, depth + 1);
    if (int error = cudaGetLastError()) a[63] = error;
}
__global__ void big(int *a) { extern __shared__ int s[]; s[0] = 1; a[0] = s[0]; }
__global__ void __launch_bounds__(64) bounded(int *a) { a[0] = 1; }
__global__ void refused(int *a) {
    const int wrong = threadIdx.x;
    if (wrong == 0) add<<<0, 1>>>(a, 1);
    if (wrong == 1) add<<<1, 2048>>>(a, 1);
    if (wrong == 2) big<<<1, 1, 1 << 20>>>(a);
    if (wrong == 3) bounded<<<1, 65>>>(a);
    if (wrong == 4) add<<<dim3(1, 65536), 1>>>(a, 1);
    errors[wrong] = cudaPeekAtLastError();
    const int taken = cudaGetLastError();
    if (taken != errors[wrong] || cudaGetLastError() != cudaSuccess) errors[wrong] = -1;
}
__global__ void faults(int *a) { *(int *)8 = 1; }
__global__ void launches_a_fault(int *a) { faults<<<1, 1>>>(a); }
}
"""
WAITING = """
extern "C" {
__global__ void sum(int *tree, int n);
__global__ void launch_by_pointer(int *tree) {
    void (*const kernels[])(int *, int) = {sum};
    kernels[0]<<<1, 1>>>(tree, 64);
    cudaDeviceSynchronize();
    tree[0] = tree[1];
}
}
"""
SUM = """
// Each launch waits for the two below it, as old programs did: tree[n] = tree[2 n] + tree[2 n + 1].
__device__ void add_up(int *tree, int at, int n);
extern "C" __global__ void below(int *tree, int at, int n) { add_up(tree, at, n); }
__device__ void add_up(int *tree, int at, int n) {
    if (at >= n) return;
    below<<<1, 1>>>(tree, 2 * at, n);
    below<<<1, 1>>>(tree, 2 * at + 1, n);
    cudaDeviceSynchronize();
    tree[at] = tree[2 * at] + tree[2 * at + 1];
}
extern "C" __global__ void sum(int *tree, int n) { add_up(tree, 1, n); }
"""


def linked(make):
    try:
        return make()
    except OSError as error:
        pytest.skip(str(error))


@pytest.fixture
def module(context):
    return linked(lambda: DynamicSourceModule(TEXT, no_extern_c=True))


def test_launches_of_a_block_are_in_order(module):
    a = np.zeros(4 * 64, np.int32)
    module.get_function("in_order")(cuda.InOut(a), grid=(4, 1), block=(64, 1, 1))
    np.testing.assert_array_equal(a, np.tile(8 * np.arange(64) + 14, 4))


def test_arguments_of_every_kind_reach_the_child(module):
    f, image = np.zeros(24, np.float32), np.zeros((8, 8), np.uint8)
    module.get_function("deduced")(cuda.InOut(f), cuda.InOut(image), block=(1, 1, 1))
    np.testing.assert_array_equal(f[:16], [2.5] * 10 + [0] * 6)
    np.testing.assert_array_equal(f.view(np.float64)[8:], [1] * 4)
    expected = np.zeros((8, 8), np.uint8)
    expected[2:5, 1:4] = 7
    np.testing.assert_array_equal(image, expected)


def test_tail_launches_come_last(module):
    a = np.zeros(4, np.int32)
    module.get_function("tails")(cuda.InOut(a), block=(1, 1, 1))
    np.testing.assert_array_equal(a, [501, 501, 2, 0])
    module.get_function("counted")(cuda.InOut(a), np.int32(20_000), block=(1, 1, 1))
    assert a[0] == 20_502


def test_streams_meet_by_events(module):
    a = np.zeros(64, np.int32)
    module.get_function("meeting")(cuda.InOut(a), block=(1, 1, 1))
    np.testing.assert_array_equal(a, [12] + [10] * 63)


def test_the_depth_has_a_limit(on_cpu, module):
    a = np.full(64, -1, np.int32)
    module.get_function("nested")(cuda.InOut(a), np.int32(0), block=(1, 1, 1))
    assert a[:24].tolist() == list(range(24)) and a[40] == -1
    assert a[63] == 65  # cudaErrorLaunchMaxDepthExceeded


def test_what_a_launch_forbids_is_told_to_the_thread(module):
    a = np.zeros(64, np.int32)
    module.get_function("refused")(cuda.InOut(a), block=(5, 1, 1))
    errors = np.zeros(8, np.int32)
    cuda.memcpy_dtoh(errors, module.get_global("errors")[0])
    assert (errors[:5] > 0).all() and not a.any()


@pytest.mark.filterwarnings("ignore:cleaning up a module")
def test_a_fault_of_a_child_is_one_of_the_launch(on_cpu):
    # In a context of its own, which the fault ends.
    own = cuda.Device(0).make_context()
    try:
        module = DynamicSourceModule(TEXT, no_extern_c=True)
        with pytest.raises(cuda.LogicError, match=r"kernel faults.*illegal memory access at 0x8"):
            module.get_function("launches_a_fault")(cuda.mem_alloc(4), block=(1, 1, 1))
            cuda.Context.synchronize()
    finally:
        own.pop()


def test_a_kernel_waits_for_its_launches(on_cpu):
    # CUDA 12 has removed it for GPUs: old programs run here.
    module = DynamicModule(no_extern_c=True)
    module.add_source(WAITING).add_source(SUM).add_stdlib("cudadevrt").link()
    tree = np.zeros(128, np.int32)
    tree[64:] = np.arange(64)
    module.get_function("launch_by_pointer")(cuda.InOut(tree), block=(1, 1, 1))
    assert tree[0] == tree[1] == np.arange(64).sum()
    assert tree[3] == np.arange(32, 64).sum()


def test_launches_need_relocatable_code(context):
    with pytest.raises(
        cuda.CompileError, match="rdc|separate compilation mode|device-side kernel launch"
    ):
        SourceModule(TEXT, no_extern_c=True)


REFUSED = {
    "must be configured": "__global__ void k(int *a) { j(a); }",
    "must have a void return type": "__global__ int k(int *a) { j<<<1, 1>>>(a); return 0; }",
    "names no __global__ function": "__device__ void f() {} __global__ void k() { f<<<1, 1>>>(); }",
    "no matching function|too few arguments": "__global__ void k() { j<<<1, 1>>>(); }",
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_launches_are_refused_at_their_line(on_cpu, message):
    text = "__global__ void j(int *a) { }\n__device__ void l() { j<<<1, 1>>>(0); }\n"
    with pytest.raises(cuda.CompileError, match=rf"\.cu:3:.*({message})"):
        DynamicSourceModule(text + REFUSED[message], no_extern_c=True)


# Mariani and Silver: a square whose edge has one colour has it inside, too; others are cut in four.
MANDELBROT = """
#define DEEPEST 12
__device__ int colour(float x, float y) {
    float a = 0, b = 0;
    int n = 0;
    for (; n < 64 && a * a + b * b < 4; ++n) {
        float c = a * a - b * b + x;
        b = 2 * a * b + y;
        a = c;
    }
    return n;
}
__device__ int colour_at(int x, int y, int n) {
    return colour(-2 + 3.f * x / n, -1.5f + 3.f * y / n);
}
__global__ void paint(unsigned char *image, int n, int x, int y, int size, int value) {
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) {
        int px = x + i % size, py = y + i / size;
        image[py * n + px] = value < 0 ? colour_at(px, py, n) : value;
    }
}
__device__ int launches;
__global__ void squares(unsigned char *image, int n, int x, int y, int size) {
    x += blockIdx.x * size;
    y += blockIdx.y * size;
    __shared__ int least, most;
    if (threadIdx.x == 0) least = 99, most = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * size; i += blockDim.x) {
        int k = i % size, side = i / size;
        int c = colour_at(side < 2 ? x + k : x + (side - 2) * (size - 1),
                          side < 2 ? y + side * (size - 1) : y + k, n);
        atomicMin(&least, c);
        atomicMax(&most, c);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    atomicAdd(&launches, 1);
    if (least == most) paint<<<1, 64>>>(image, n, x, y, size, least);
    else if (size <= 8) paint<<<1, 64>>>(image, n, x, y, size, -1);
    else squares<<<dim3(2, 2), 64>>>(image, n, x, y, size / 2);
}
__global__ void each_point(unsigned char *image, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    image[i] = colour_at(i % n, i / n, n);
}
"""


def test_a_mandelbrot_set_by_squares(context):
    module = linked(lambda: DynamicSourceModule(MANDELBROT))
    n = 128
    by_squares, by_points = np.zeros((2, n, n), np.uint8)
    module.get_function("squares")(
        *(cuda.InOut(by_squares), np.int32(n), np.int32(0), np.int32(0), np.int32(n // 4)),
        grid=(4, 4),
        block=(64, 1, 1),
    )
    module.get_function("each_point")(
        cuda.InOut(by_points), np.int32(n), grid=(n * n // 128, 1), block=(128, 1, 1)
    )
    assert (by_squares != by_points).mean() < 0.01
    launches = np.zeros(1, np.int32)
    cuda.memcpy_dtoh(launches, module.get_global("launches")[0])
    assert 100 < launches[0] < 1000


# Simpson's rule: a launch halves its interval until both halves agree with it.
QUADRATURE = """
__device__ double f(double x) { return 1 / (1e-3 + x * x); }
__device__ double simpson(double a, double b) {
    return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
}
__global__ void integrate(double *sum, double a, double b, double tolerance, int depth) {
    const double middle = (a + b) / 2, whole = simpson(a, b);
    const double halves = simpson(a, middle) + simpson(middle, b);
    if (fabs(whole - halves) < tolerance || depth == 20) {
        atomicAdd(sum, halves + (halves - whole) / 15);
        return;
    }
    integrate<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, a, middle, tolerance / 2, depth + 1);
    integrate<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, middle, b, tolerance / 2, depth + 1);
}
"""


def test_quadrature_refines_where_it_must(context):
    module = linked(lambda: DynamicSourceModule(QUADRATURE))
    total = np.zeros(1)
    arguments = (np.float64(-1), np.float64(1), np.float64(1e-6), np.int32(0))
    module.get_function("integrate")(cuda.InOut(total), *arguments, block=(1, 1, 1))
    exact = 2 / np.sqrt(1e-3) * np.arctan(1 / np.sqrt(1e-3))
    assert abs(total[0] - exact) < 1e-6


EXAMPLE = pathlib.Path(__file__).parents[3] / "examples/python/launches/mandelbrot_squares.py"


def test_the_example_paints(on_cpu, run_python):
    result = run_python("-m", "treadle", "run", str(EXAMPLE), "64")
    assert result.returncode == 0, result.stderr
    assert re.search(r"@@@", result.stdout) and re.search(r"\d+ squares on ", result.stdout)


# Launches where a text is hard to read: in macros, beside literals and comments.
TEXTS = {
    "a macro": """
        #define LAUNCH(kernel, threads, ...) \\
            kernel<<<1,               \\
                     threads>>>(__VA_ARGS__)
        __global__ void k(int *a) { LAUNCH(set, 4, a, 7); }""",
    "literals": """
        __global__ void k(int *a) {
            const char *s = "a<<<1>>>(b)"; char c = '<'; const int n = 1'000;
            const char *raw = R"x(set<<<1, 1>>>(a, ")" 1))x";
            if (s[1] == c && raw[3] == '<' && n == 1000) set<<<1, 4>>>(a, 7);
        }""",
    "comments": """
        // set<<<1, 1>>>(a, 1);
        /* set<<<1, 1>>>(a, 2); */
        __global__ void k(int *a) {
            set /* which */ <<< 1, // >>> blocks
                /* threads: (4 */ 4 >>> /* of */ (a /* array ) */, 7);
        }""",
    "conditions": """
        __global__ void k(int *a) {
            if (a[0] == 1) set<<<1, 4>>>(a, 1); else if (a[0] == 0) set<<<1, 4>>>(a, 7);
            a[0] == 9 ? set<<<1, 4>>>(a, 9) : (void)0;
        }""",
    "expressions": """
        struct Shape { dim3 grid, block; __device__ Shape(int n) : grid(1), block(n) {} };
        __device__ int least(int x, int y) { return x < y ? x : y; }
        __global__ void k(int *a) {
            Shape shape(4);
            set<<<shape.grid, dim3(least(shape.block.x, 32), 1), (1 << 4) >> 2>>>(
                a + (0 < 1 ? 0 : 9), least(7, 8));
        }""",
    "a device function": """
        __device__ void start(int *a, int value) { set<<<1, 4>>>(a, value); }
        __global__ void k(int *a) { start(a, 7); }""",
    "overloads": """
        }
        __device__ int pick(int) { return 7; }
        __device__ int pick(float) { return 8; }
        template <int threads> struct Launcher {
            __device__ void operator()(int *a) const { set<<<1, threads>>>(a, pick(1)); }
        };
        extern "C" {
        __global__ void k(int *a) { Launcher<4>{}(a); }""",
    "a lambda": """
        __global__ void k(int *a) {
            auto start = [=](int value) { set<<<1, 4>>>(a, value); };
            start(7);
        }""",
    "a declaration inside": """
        __global__ void k(int *a) {
            extern __global__ void set(int *, int);
            set<<<1, 4>>>(a, 7);
        }""",
}


@pytest.mark.parametrize("what", TEXTS)
def test_launches_are_found_in_any_text(context, what):
    kernel = "__global__ void set(int *a, int value) { a[threadIdx.x] = value; }\n"
    module = linked(lambda: DynamicSourceModule(kernel + TEXTS[what]))
    a = np.zeros(8, np.int32)
    module.get_function("k")(cuda.InOut(a), block=(1, 1, 1))
    assert a.tolist() == [7] * 4 + [0] * 4
