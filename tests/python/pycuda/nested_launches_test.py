# SPDX-License-Identifier: MIT
"""Kernels that launch kernels: sorts, trees, sums and searches."""

import numpy as np
import pycuda.driver as cuda
import pytest

SORTS = """
// The pivot's place is final; each side is sorted in a stream of its own.
__global__ void quick_sort(int *a, int left, int right, int depth) {
    if (depth == 16) {
        for (int i = left + 1; i <= right; ++i)
            for (int k = i; k > left && a[k] < a[k - 1]; --k) {
                const int held = a[k];
                a[k] = a[k - 1];
                a[k - 1] = held;
            }
        return;
    }
    const int pivot = a[(left + right) / 2];
    int i = left, k = right;
    while (i <= k) {
        while (a[i] < pivot) ++i;
        while (a[k] > pivot) --k;
        if (i > k) break;
        const int held = a[i];
        a[i++] = a[k];
        a[k--] = held;
    }
    cudaStream_t lower, upper;
    cudaStreamCreateWithFlags(&lower, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&upper, cudaStreamNonBlocking);
    if (left < k) quick_sort<<<1, 1, 0, lower>>>(a, left, k, depth + 1);
    if (i < right) quick_sort<<<1, 1, 0, upper>>>(a, i, right, depth + 1);
    cudaStreamDestroy(lower);
    cudaStreamDestroy(upper);
}
"""
TREES = """
// counts[level] nodes wait in one of two queues; the next level is the tail of this one.
__global__ void visit(const int *offsets, const int *edges, int *distance, int *queues, int *counts,
                      int nodes, int level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= counts[level]) return;
    const int from = queues[level % 2 * nodes + i];
    for (int k = offsets[from]; k < offsets[from + 1]; ++k)
        if (atomicCAS(distance + edges[k], -1, level + 1) == -1) {
            const int place = atomicAdd(counts + level + 1, 1);
            queues[(level + 1) % 2 * nodes + place] = edges[k];
        }
}
__global__ void levels(const int *offsets, const int *edges, int *distance, int *queues,
                       int *counts, int nodes, int level) {
    const int waiting = counts[level];
    if (waiting == 0) return;
    visit<<<(waiting + 31) / 32, 32>>>(offsets, edges, distance, queues, counts, nodes, level);
    levels<<<1, 1, 0, cudaStreamTailLaunch>>>(offsets, edges, distance, queues, counts, nodes,
                                              level + 1);
}
// A square is cut in four, three times: 85 nodes, whose leaves begin at 21.
struct Node { double mass, x, y; };
struct Point { double x, y, mass; };
__device__ int leaf_of(Point p) {
    int k = 0;
    for (double x = 0, y = 0, size = 0.5; k < 21; size /= 2) {
        const int right = p.x >= x + size, upper = p.y >= y + size;
        k = 4 * k + 1 + right + 2 * upper;
        x += right * size;
        y += upper * size;
    }
    return k;
}
__global__ void add_up(Node *nodes, int k) {
    Node sum = {0, 0, 0};
    for (int child = 4 * k + 1; child < 4 * k + 5; ++child) {
        const Node each = nodes[child];
        sum.mass += each.mass;
        sum.x += each.mass * each.x;
        sum.y += each.mass * each.y;
    }
    if (sum.mass > 0) sum.x /= sum.mass, sum.y /= sum.mass;
    nodes[k] = sum;
}
__global__ void gather(Node *nodes, const Point *points, int n, int k) {
    if (k < 21) {
        for (int child = 4 * k + 1; child < 4 * k + 5; ++child)
            gather<<<1, 1, 0, cudaStreamFireAndForget>>>(nodes, points, n, child);
        add_up<<<1, 1, 0, cudaStreamTailLaunch>>>(nodes, k);
        return;
    }
    Node sum = {0, 0, 0};
    for (int i = 0; i < n; ++i) {
        if (leaf_of(points[i]) != k) continue;
        sum.mass += points[i].mass;
        sum.x += points[i].mass * points[i].x;
        sum.y += points[i].mass * points[i].y;
    }
    if (sum.mass > 0) sum.x /= sum.mass, sum.y /= sum.mass;
    nodes[k] = sum;
}
__device__ void pull_by(double2 &force, Point p, double x, double y, double mass) {
    const double dx = x - p.x, dy = y - p.y, square = dx * dx + dy * dy + 1e-3;
    const double pull = mass / (square * sqrt(square));
    force.x += pull * dx;
    force.y += pull * dy;
}
__global__ void pull(double2 *forces, const Node *nodes, const Point *points, int n, double open) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Point p = points[i];
    double2 force = {0, 0};
    int stack[32], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const int k = stack[--depth];
        const Node node = nodes[k];
        const double size = k == 0 ? 1 : k < 5 ? 0.5 : k < 21 ? 0.25 : 0.125;
        if (node.mass == 0) continue;
        if (size < open * hypot(node.x - p.x, node.y - p.y)) {
            pull_by(force, p, node.x, node.y, node.mass);
        } else if (k < 21) {
            for (int child = 4 * k + 1; child < 4 * k + 5; ++child) stack[depth++] = child;
        } else {
            for (int m = 0; m < n; ++m)
                if (leaf_of(points[m]) == k)
                    pull_by(force, p, points[m].x, points[m].y, points[m].mass);
        }
    }
    forces[i] = force;
}
__global__ void forces_by_tree(double2 *forces, Node *nodes, const Point *points, int n,
                               double open) {
    gather<<<1, 1>>>(nodes, points, n, 0);
    pull<<<(n + 31) / 32, 32>>>(forces, nodes, points, n, open);
}
"""
SUMS = """
__global__ void scan_blocks(long long *x, long long *sums, int n) {
    __shared__ long long s[2][64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    int at = 0;
    s[0][threadIdx.x] = i < n ? x[i] : 0;
    for (int k = 1; k < 64; k *= 2, at ^= 1) {
        __syncthreads();
        const long long before = threadIdx.x < k ? 0 : s[at][threadIdx.x - k];
        s[at ^ 1][threadIdx.x] = s[at][threadIdx.x] + before;
    }
    if (i < n) x[i] = s[at][threadIdx.x];
    if (threadIdx.x == 63) sums[blockIdx.x] = s[at][63];
}
__global__ void add_sums(long long *x, const long long *sums, int n) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n && blockIdx.x > 0) x[i] += sums[blockIdx.x - 1];
}
__global__ void scan(long long *x, long long *scratch, int n) {
    const int blocks = (n + 63) / 64;
    scan_blocks<<<blocks, 64>>>(x, scratch, n);
    if (blocks == 1) return;
    scan<<<1, 1>>>(scratch, scratch + blocks, blocks);
    add_sums<<<blocks, 64>>>(x, scratch, n);
}
__global__ void count_part(unsigned *counts, const unsigned char *x, int n, int bins) {
    extern __shared__ unsigned mine[];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(mine + x[i] % bins, 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (mine[i] > 0) atomicAdd(counts + i, mine[i]);
}
// Each thread hands on a part of the data, the last one a shorter one.
__global__ void histogram(unsigned *counts, const unsigned char *x, int n, int bins, int part) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * part;
    if (first >= n) return;
    count_part<<<1, 32, bins * sizeof(unsigned)>>>(counts, x + first, min(part, n - first), bins);
}
__global__ void tile(float *c, const float *a, const float *b, int row) {
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += a[threadIdx.y * row + k] * b[k * row + threadIdx.x];
    c[threadIdx.y * row + threadIdx.x] += sum;
}
// Eight products of quarters: the two that meet in a quarter of c come one after the other.
__global__ void product(float *c, const float *a, const float *b, int n, int row) {
    if (n == 8) {
        tile<<<1, dim3(8, 8)>>>(c, a, b, row);
        return;
    }
    const int h = n / 2;
    for (int which = 0; which < 8; ++which) {
        const int y = which / 2 % 2 * h, x = which % 2 * h, k = which / 4 * h;
        product<<<1, 1>>>(c + y * row + x, a + y * row + k, b + k * row + x, h, row);
    }
}
"""
SEARCHES = """
__device__ int digits_for(const char *board, int at) {
    int free = 0x3fe;
    for (int k = 0; k < 9; ++k) {
        free &= ~(1 << board[at / 9 * 9 + k]);
        free &= ~(1 << board[k * 9 + at % 9]);
        free &= ~(1 << board[(at / 27 * 3 + k / 3) * 9 + at % 9 / 3 * 3 + k % 3]);
    }
    return free;
}
// Fills in what is certain; a launch for each digit of the first cell that has fewest.
__global__ void sudoku(char *boards, int *used, char *solved, int *count, int slot) {
    char *board = boards + 81 * slot;
    for (;;) {
        int best = -1, fewest = 10, digits = 0;
        for (int at = 0; at < 81; ++at) {
            if (board[at] != 0) continue;
            const int free = digits_for(board, at);
            if (__popc(free) < fewest) best = at, fewest = __popc(free), digits = free;
        }
        if (best < 0) {
            char *to = solved + 81 * atomicAdd(count, 1);
            for (int k = 0; k < 81; ++k) to[k] = board[k];
            return;
        }
        if (fewest == 1) {
            board[best] = __ffs(digits) - 1;
            continue;
        }
        for (; digits != 0; digits &= digits - 1) {
            const int next = atomicAdd(used, 1);
            for (int k = 0; k < 81; ++k) boards[81 * next + k] = board[k];
            boards[81 * next + best] = __ffs(digits) - 1;
            sudoku<<<1, 1, 0, cudaStreamFireAndForget>>>(boards, used, solved, count, next);
        }
        return;
    }
}
"""
TEXTS = (SORTS, TREES, SUMS, SEARCHES)


@pytest.mark.parametrize("kind", ["random", "sorted", "reversed", "equal", "few"])
def test_quick_sort_gives_each_side_a_stream(launch, kind):
    n = 200
    made = np.random.default_rng(1).permutation(n).astype(np.int32)
    values = {
        "random": made, "sorted": np.sort(made), "reversed": np.sort(made)[::-1].copy(),
        "equal": np.full(n, 7, np.int32), "few": made % 3,
    }[kind]  # fmt: skip
    expected = np.sort(values)
    launch("quick_sort", cuda.InOut(values), 0, n - 1, 0)
    np.testing.assert_array_equal(values, expected)


def random_edges(nodes):
    made = np.random.default_rng(nodes).integers(0, nodes, (2 * nodes, 2))
    return [tuple(each) for each in made.tolist()]


GRAPHS = {
    "a chain": (150, [(k, k + 1) for k in range(149)]),
    "a star": (100, [(0, k) for k in range(1, 100)]),
    "two parts": (40, [(k, (k + 1) % 20) for k in range(20)] + [(20 + k, 20) for k in range(20)]),
    "a grid": (144, [(k, k + 1) for k in range(144) if k % 12 < 11]
               + [(k, k + 12) for k in range(132)]),
    "random": (300, random_edges(300)),
    "a node": (1, [(0, 0)]),
}  # fmt: skip


def plain_distances(nodes, edges):
    beside = [[] for _ in range(nodes)]
    for start, end in edges:
        beside[start].append(end)
    distance, front = {0: 0}, [0]
    while front:
        reached = sorted({end for at in front for end in beside[at]} - distance.keys())
        distance.update(dict.fromkeys(reached, distance[front[0]] + 1))
        front = reached
    return [distance.get(k, -1) for k in range(nodes)]


@pytest.mark.parametrize("kind", GRAPHS)
def test_breadth_first_search_by_levels(launch, kind):
    nodes, edges = GRAPHS[kind]
    edges = sorted(edges)
    starts = np.array([start for start, _ in edges])
    offsets = np.searchsorted(starts, np.arange(nodes + 1)).astype(np.int32)
    ends = np.array([end for _, end in edges], np.int32)
    distance, counts = np.full(nodes, -1, np.int32), np.zeros(nodes + 1, np.int32)
    distance[0], counts[0] = 0, 1
    launch(
        "levels",
        *(cuda.In(offsets), cuda.In(ends), cuda.InOut(distance)),
        *(cuda.to_device(np.zeros(2 * nodes, np.int32)), cuda.InOut(counts)),
        *(nodes, 0),
    )
    expected = plain_distances(nodes, edges)
    assert distance.tolist() == expected
    reached = [each for each in expected if each >= 0]
    np.testing.assert_array_equal(counts, np.bincount(reached, minlength=nodes + 1))


def forces_between(points):
    apart = points[None, :, :2] - points[:, None, :2]
    square = (apart**2).sum(axis=2) + 1e-3
    return (points[None, :, 2, None] * apart / (square**1.5)[..., None]).sum(axis=1)


def forces_by_tree(launch, points, opened):
    n = len(points)
    nodes, forces = np.full((85, 3), np.nan), np.full((n, 2), np.nan)
    launch("forces_by_tree", *(cuda.InOut(forces), cuda.InOut(nodes), cuda.In(points), n), opened)
    return forces, nodes


@pytest.mark.parametrize("n", [1, 60])
def test_a_tree_of_bodies_that_is_all_opened_is_exact(launch, n):
    points = np.random.default_rng(n).random((n, 3))
    forces, nodes = forces_by_tree(launch, points, 0.0)
    np.testing.assert_allclose(forces, forces_between(points), rtol=1e-9, atol=1e-9)
    mass = points[:, 2].sum()
    centre = (points[:, 2, None] * points[:, :2]).sum(axis=0) / mass
    np.testing.assert_allclose(nodes[0], [mass, *centre], rtol=1e-12)


def test_a_tree_of_bodies_is_near_where_it_stays_shut(launch):
    points = np.random.default_rng(3).random((80, 3))
    forces, nodes = forces_by_tree(launch, points, 0.5)
    exact = forces_between(points)
    error = np.linalg.norm(forces - exact) / np.linalg.norm(exact)
    assert 1e-9 < error < 0.05
    for first, last in [(1, 5), (5, 21), (21, 85)]:  # no level loses a body
        np.testing.assert_allclose(nodes[first:last, 0].sum(), points[:, 2].sum(), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 4097])
def test_a_scan_scans_its_sums(launch, n):
    x = np.random.default_rng(n).integers(-(2**40), 2**40, n)
    expected = np.cumsum(x)
    scratch = cuda.mem_alloc(8 * (n // 32 + 8))
    launch("scan", cuda.InOut(x), scratch, n)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(("bins", "part"), [(1, 100), (16, 37), (200, 1000), (250, 64)])
def test_a_histogram_by_child_grids(launch, bins, part):
    n = 1500
    x = np.random.default_rng(part).integers(0, 256, n).astype(np.uint8)
    counts = np.zeros(bins + 1, np.uint32)
    launch(
        "histogram",
        *(cuda.InOut(counts), cuda.In(x), n, bins, part),
        blocks=-(-n // (8 * part)),
        threads=8,
    )
    np.testing.assert_array_equal(counts, np.bincount(x % bins, minlength=bins + 1))


@pytest.mark.parametrize("n", [8, 16, 32])
def test_a_product_of_quarters(launch, n):
    a, b, c = np.random.default_rng(n).integers(-9, 10, (3, n, n)).astype(np.float32)
    expected = c + a @ b
    launch("product", cuda.InOut(c), cuda.In(a), cuda.In(b), n, n)
    np.testing.assert_array_equal(c, expected)


def puzzle(left_out, seed):
    rows, columns = np.indices((9, 9))
    solved = (3 * (rows % 3) + rows // 3 + columns) % 9 + 1
    solved.ravel()[np.random.default_rng(seed).permutation(81)[:left_out]] = 0
    return solved.astype(np.int8).ravel()


def solutions(board):
    """All of them, as tuples."""

    def free(at):
        row, column = divmod(at, 9)
        corner = row // 3 * 27 + column // 3 * 3
        box = {board[corner + 9 * y + x] for y in range(3) for x in range(3)}
        return set(range(1, 10)) - box - {*board[9 * row : 9 * row + 9]} - {*board[column::9]}

    choices = {at: free(at) for at in range(81) if board[at] == 0}
    if not choices:
        return {tuple(board)}
    at = min(choices, key=lambda each: len(choices[each]))
    return set().union(
        *(solutions(board[:at] + [digit] + board[at + 1 :]) for digit in choices[at])
    )


@pytest.mark.parametrize(("left_out", "seed"), [(0, 0), (30, 1), (50, 2), (54, 3)])
def test_sudoku_finds_every_solution(launch, left_out, seed):
    slots, most = 600, 200
    boards, solved = np.zeros((slots, 81), np.int8), np.zeros((most, 81), np.int8)
    boards[0] = puzzle(left_out, seed)
    used, count = np.ones(1, np.int32), np.zeros(1, np.int32)
    expected = solutions(boards[0].tolist())
    assert len(expected) < most
    launch(
        "sudoku", *(cuda.InOut(boards), cuda.InOut(used), cuda.InOut(solved), cuda.InOut(count)), 0
    )
    assert used[0] <= slots
    assert count[0] == len(expected)
    assert {tuple(each) for each in solved[: count[0]].tolist()} == expected
