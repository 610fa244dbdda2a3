# SPDX-License-Identifier: MIT
"""Everyday programs whose kernels launch kernels, beside Python and NumPy."""

import functools
import itertools

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import DynamicSourceModule

TEXT = r"""
#define FREE cudaStreamFireAndForget
#define TAIL cudaStreamTailLaunch

// Merge sort: halves by children, and their merge behind them.
__global__ void merge(int *a, int *spare, int begin, int middle, int end) {
    int i = begin, j = middle;
    for (int k = begin; k < end; ++k)
        spare[k] = j >= end || (i < middle && a[i] <= a[j]) ? a[i++] : a[j++];
    for (int k = begin; k < end; ++k) a[k] = spare[k];
}
__global__ void merge_sort(int *a, int *spare, int begin, int end) {
    if (end - begin < 2) return;
    const int middle = (begin + end) / 2;
    merge_sort<<<1, 1, 0, FREE>>>(a, spare, begin, middle);
    merge_sort<<<1, 1, 0, FREE>>>(a, spare, middle, end);
    merge<<<1, 1, 0, TAIL>>>(a, spare, begin, middle, end);
}

// Breadth-first search: a launch for each level, as long as one reaches anything.
__global__ void expand(const int *starts, const int *ends, int *level, int depth, int n,
                       int *more) {
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= n || level[vertex] != depth) return;
    for (int k = starts[vertex]; k < starts[vertex + 1]; ++k)
        if (level[ends[k]] < 0) {
            level[ends[k]] = depth + 1;
            atomicAdd(more, 1);
        }
}
__global__ void next_level(const int *starts, const int *ends, int *level, int depth, int n,
                           int *more) {
    if (depth >= 0 && *more == 0) return;
    *more = 0;
    expand<<<(n + 31) / 32, 32>>>(starts, ends, level, depth + 1, n, more);
    next_level<<<1, 1, 0, TAIL>>>(starts, ends, level, depth + 1, n, more);
}

// Sums of blocks, and the sum of these, by grids that become smaller.
__global__ void add_blocks(const int *x, int *sums, int n) {
    __shared__ int s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    for (int k = 32; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
__global__ void total(int *from, int *into, int n) {
    const int blocks = (n + 63) / 64;
    add_blocks<<<blocks, 64>>>(from, into, n);
    if (blocks > 1) total<<<1, 1, 0, TAIL>>>(into, into + blocks, blocks);
}

// Calls that become launches; results meet in an atomic.
__global__ void fibonacci(int n, int *sum) {
    if (n < 2) {
        atomicAdd(sum, n);
        return;
    }
    fibonacci<<<1, 1, 0, FREE>>>(n - 1, sum);
    fibonacci<<<1, 1, 0, FREE>>>(n - 2, sum);
}
__global__ void queens(int n, int row, unsigned columns, unsigned left, unsigned right,
                       int *count) {
    if (row == n) {
        atomicAdd(count, 1);
        return;
    }
    for (int k = 0; k < n; ++k) {
        const unsigned bit = 1u << k;
        if ((columns | left | right) & bit) continue;
        queens<<<1, 1, 0, FREE>>>(n, row + 1, columns | bit, (left | bit) << 1,
                                  (right | bit) >> 1, count);
    }
}

// Simpson's rule, in halves where it is not near enough.
__device__ double value(int which, double x) {
    return which == 0 ? sin(x) : which == 1 ? exp(-x * x) : sqrt(fabs(x - 0.3));
}
__device__ double simpson(int which, double a, double b) {
    return (b - a) / 6 * (value(which, a) + 4 * value(which, (a + b) / 2) + value(which, b));
}
__global__ void integral(int which, double a, double b, double tolerance, double *sum) {
    const double m = (a + b) / 2, whole = simpson(which, a, b);
    const double parts = simpson(which, a, m) + simpson(which, m, b);
    if (fabs(parts - whole) < 15 * tolerance || b - a < 1e-5) {
        atomicAdd(sum, parts + (parts - whole) / 15);
        return;
    }
    integral<<<1, 1, 0, FREE>>>(which, a, m, tolerance / 2, sum);
    integral<<<1, 1, 0, FREE>>>(which, m, b, tolerance / 2, sum);
}

// Generations of the game of life, each behind the one before it, in one stream of the block.
__global__ void generation(const unsigned char *from, unsigned char *into, int n) {
    const int x = threadIdx.x, y = blockIdx.x;
    int living = 0;
    for (int dy = n - 1; dy <= n + 1; ++dy)
        for (int dx = n - 1; dx <= n + 1; ++dx)
            if (dy != n || dx != n) living += from[(y + dy) % n * n + (x + dx) % n];
    into[y * n + x] = living == 3 || (living == 2 && from[y * n + x]);
}
__global__ void life(unsigned char *a, unsigned char *b, int n, int pairs) {
    for (int k = 0; k < pairs; ++k) {
        generation<<<n, n>>>(a, b, n);
        generation<<<n, n>>>(b, a, n);
    }
}

// Powers of a matrix by squaring.
__global__ void multiply(const float *a, const float *b, float *c, int n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[threadIdx.y * n + k] * b[k * n + threadIdx.x];
    c[threadIdx.y * n + threadIdx.x] = sum;
}
__global__ void copy(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
__global__ void power(float *base, float *result, float *spare, int n, int exponent) {
    const dim3 square(n, n);
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) {
            multiply<<<1, square>>>(result, base, spare, n);
            copy<<<1, n * n>>>(spare, result);
        }
        multiply<<<1, square>>>(base, base, spare, n);
        copy<<<1, n * n>>>(spare, base);
    }
}

// Paints what has the colour of a place, from neighbour to neighbour.
__global__ void fill(int *image, int width, int height, int x, int y, int from, int to) {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    if (atomicCAS(image + y * width + x, from, to) != from) return;
    fill<<<1, 1, 0, FREE>>>(image, width, height, x + 1, y, from, to);
    fill<<<1, 1, 0, FREE>>>(image, width, height, x - 1, y, from, to);
    fill<<<1, 1, 0, FREE>>>(image, width, height, x, y + 1, from, to);
    fill<<<1, 1, 0, FREE>>>(image, width, height, x, y - 1, from, to);
}

// A launch for each prime crosses its multiples out.
__global__ void cross(unsigned char *is_prime, int prime, int n) {
    for (int k = prime * (prime + threadIdx.x); k < n; k += prime * blockDim.x) is_prime[k] = 0;
}
__global__ void sieve(unsigned char *is_prime, int n, int from) {
    int prime = from;
    while (prime * prime < n && !is_prime[prime]) ++prime;
    if (prime * prime >= n) return;
    cross<<<1, 32>>>(is_prime, prime, n);
    sieve<<<1, 1, 0, TAIL>>>(is_prime, n, prime + 1);
}

// Rows of unequal lengths: a grid for each, as wide as the row.
__global__ void scale_row(float *row, float factor) {
    row[blockIdx.x * 16 + threadIdx.x] *= factor;
}
__global__ void scale_rows(float *x, const int *starts, int rows) {
    const int row = threadIdx.x, length = starts[row + 1] - starts[row];
    if (length >= 16) scale_row<<<length / 16, 16>>>(x + starts[row], row);
    if (length % 16 != 0) scale_row<<<1, length % 16>>>(x + starts[row] + length / 16 * 16, row);
}

// Shared memory that the launching kernel sizes.
__global__ void reversed(int *a) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void reverse_parts(int *a, int length) {
    reversed<<<1, length, length * sizeof(int)>>>(a + threadIdx.x * length);
}
"""
ONE = (1, 1, 1)


@pytest.fixture(scope="module")
def programs():
    """Functions by name, compiled once, in a context of their own."""
    cuda.init()
    context = cuda.Device(0).make_context()
    try:
        try:
            module = DynamicSourceModule(f'extern "C" {{\n{TEXT}\n}}', no_extern_c=True)
        except OSError as error:  # no libcudadevrt.a
            pytest.skip(str(error))
        yield module.get_function
        del module
    finally:
        context.pop()


@pytest.mark.parametrize("n", [0, 1, 2, 37, 200])
def test_merge_sort(programs, n):
    a = np.random.default_rng(n).integers(-50, 50, max(n, 1)).astype(np.int32)
    expected = np.sort(a)
    spare = np.zeros_like(a)
    programs("merge_sort")(
        cuda.InOut(a), cuda.InOut(spare), np.int32(0), np.int32(len(a)), block=ONE
    )
    np.testing.assert_array_equal(a, expected)


def test_breadth_first_search(programs):
    n, rng = 90, np.random.default_rng(1)
    edges = [sorted(rng.choice(n - 10, rng.integers(0, 4), replace=False)) for _ in range(n)]
    starts = np.cumsum([0] + [len(own) for own in edges]).astype(np.int32)
    ends = np.array(list(itertools.chain(*edges)), np.int32)
    level = np.full(n, -1, np.int32)
    level[0] = 0
    more = np.zeros(1, np.int32)
    programs("next_level")(
        cuda.In(starts), cuda.In(ends), cuda.InOut(level), np.int32(-1), np.int32(n),
        cuda.InOut(more), block=ONE,
    )  # fmt: skip
    expected, front = {0: 0}, [0]
    for depth in itertools.count(1):
        front = [v for u in front for v in edges[u] if expected.setdefault(v, depth) == depth]
        front = list(dict.fromkeys(front))
        if not front:
            break
    assert level.tolist() == [expected.get(vertex, -1) for vertex in range(n)]


@pytest.mark.parametrize("n", [1, 64, 65, 5000])
def test_sums_of_sums(programs, n):
    x = np.random.default_rng(n).integers(-9, 9, n).astype(np.int32)
    sums = np.zeros(2 * (n // 64 + 2), np.int32)
    programs("total")(cuda.InOut(x.copy()), cuda.InOut(sums), np.int32(n), block=ONE)
    places, blocks = 0, -(-n // 64)
    while blocks > 1:
        places, blocks = places + blocks, -(-blocks // 64)
    assert sums[places] == x.sum()


@pytest.mark.parametrize("n", [0, 1, 2, 10, 13])
def test_fibonacci(programs, n):
    total = np.zeros(1, np.int32)
    programs("fibonacci")(np.int32(n), cuda.InOut(total), block=ONE)
    assert total[0] == functools.reduce(lambda ab, _: (ab[1], sum(ab)), range(n), (0, 1))[0]


@pytest.mark.parametrize(("n", "solutions"), [(1, 1), (2, 0), (4, 2), (6, 4), (7, 40)])
def test_queens(programs, n, solutions):
    count, zero = np.zeros(1, np.int32), np.uint32(0)
    programs("queens")(np.int32(n), np.int32(0), zero, zero, zero, cuda.InOut(count), block=ONE)
    assert count[0] == solutions


@pytest.mark.parametrize(
    ("which", "ends", "expected"),
    [
        (0, (0, np.pi), 2),
        (1, (-3, 3), 1.7724146965190428),
        (2, (0, 1), 2 / 3 * (0.3**1.5 + 0.7**1.5)),
    ],
)
def test_adaptive_integrals(programs, which, ends, expected):
    total = np.zeros(1)
    programs("integral")(
        np.int32(which), *map(np.float64, ends), np.float64(1e-7), cuda.InOut(total), block=ONE
    )
    assert total[0] == pytest.approx(expected, abs=1e-6)


def test_the_game_of_life(programs):
    a = (np.random.default_rng(5).random((16, 16)) < 0.4).astype(np.uint8)
    expected = a
    for _ in range(8):
        living = sum(
            np.roll(expected, (dy, dx), (0, 1))
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if (dy, dx) != (0, 0)
        )
        expected = ((living == 3) | ((living == 2) & (expected == 1))).astype(np.uint8)
    other = np.zeros_like(a)
    programs("life")(cuda.InOut(a), cuda.InOut(other), np.int32(16), np.int32(4), block=ONE)
    np.testing.assert_array_equal(a, expected)
    assert a.any()


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 11])
def test_powers_of_a_matrix(programs, exponent):
    n = 8
    base = np.random.default_rng(2).random((n, n)).astype(np.float32) / n * 2
    expected = np.linalg.matrix_power(base.astype(np.float64), exponent)
    result, spare = np.eye(n, dtype=np.float32), np.zeros((n, n), np.float32)
    programs("power")(
        cuda.InOut(base), cuda.InOut(result), cuda.InOut(spare), np.int32(n), np.int32(exponent),
        block=ONE,
    )  # fmt: skip
    np.testing.assert_allclose(result, expected, rtol=1e-4)


def test_painting_from_neighbour_to_neighbour(programs):
    picture = """
        ..#.....
        ..#.###.
        ###.#.#.
        ....#.#.
        .####.#.
        .#....#.
        .######.
        ........"""
    rows = [[int(sign == "#") for sign in row.strip()] for row in picture.split()]
    image = np.array(rows, np.int32)
    expected, open_places = image.copy(), [(0, 3)]
    while open_places:
        y, x = open_places.pop()
        if 0 <= y < 8 and 0 <= x < 8 and expected[y, x] == 0:
            expected[y, x] = 5
            open_places += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    programs("fill")(cuda.InOut(image), *map(np.int32, (8, 8, 3, 0, 0, 5)), block=ONE)
    np.testing.assert_array_equal(image, expected)
    assert image[0, 0] == 0 and image[3, 5] == 0  # behind walls


@pytest.mark.parametrize("n", [10, 120, 1000])
def test_a_sieve(programs, n):
    is_prime = np.ones(n, np.uint8)
    is_prime[:2] = 0
    programs("sieve")(cuda.InOut(is_prime), np.int32(n), np.int32(2), block=ONE)
    expected = [k for k in range(2, n) if all(k % d for d in range(2, int(k**0.5) + 1))]
    assert np.flatnonzero(is_prime).tolist() == expected


def test_rows_of_unequal_lengths(programs):
    lengths = [0, 1, 15, 16, 17, 40, 3]
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    x = np.random.default_rng(3).random(starts[-1]).astype(np.float32)
    expected = x * np.repeat(np.arange(len(lengths)), lengths).astype(np.float32)
    programs("scale_rows")(
        cuda.InOut(x), cuda.In(starts), np.int32(len(lengths)), block=(len(lengths), 1, 1)
    )
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("length", [1, 7, 100])
def test_children_with_shared_memory(programs, length):
    a = np.arange(5 * length, dtype=np.int32)
    expected = a.reshape(5, length)[:, ::-1].ravel()
    programs("reverse_parts")(cuda.InOut(a), np.int32(length), block=(5, 1, 1))
    np.testing.assert_array_equal(a, expected)


def test_many_blocks_launch_at_once(programs):
    total = np.zeros(1, np.int32)
    programs("fibonacci")(np.int32(5), cuda.InOut(total), grid=(20, 1), block=(4, 1, 1))
    assert total[0] == 80 * 5
