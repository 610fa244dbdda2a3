# SPDX-License-Identifier: MIT
"""Guards such as `if (i < n)`: exactly the threads that pass do what stands behind them.

The compiler asks the ends of a row for all threads between them, so what is asked here has its
limits before, within and behind rows, on both sides of a comparison, and wraps within rows.
"""

import numpy as np
import pytest

BLOCKS = [(1,), (7,), (32,), (100,), (256,), (8, 4), (32, 3), (16, 2, 2)]
THREADS = 1200  # that are looked at; the last block may have some more
FORMS = {"if (%s)": True, "if (%s) return;": False}  # whether who passes goes on

# The grid is along x alone, rows of threads are numbered through.
INDEX = """
  int row = threadIdx.y + blockDim.y * threadIdx.z;
  int i = (blockIdx.x * blockDim.y * blockDim.z + row) * blockDim.x + threadIdx.x;
"""


def run(kernel, block, *limits):
    """What each thread counted, most kernels once behind their guard."""
    size = int(np.prod(block))
    out = np.zeros(THREADS + size, "i4")
    kernel(out, *limits, block=(*block, 1, 1)[:3], grid=(-(-THREADS // size),))
    return out[:THREADS]


def values():
    """What counts along a row, in C; its limit; their type in NumPy; what is added to i."""
    for name, dtype in (
        ("int", "u4"),
        ("unsigned", "u4"),
        ("long long", "u8"),
        ("unsigned long long", "u8"),
    ):
        bits = 8 * np.dtype(dtype).itemsize
        wide = "unsigned" if bits == 32 else "unsigned long long"
        for offset in (0, 2 ** (bits - 1) - 300, 2**bits - 300):
            kind = dtype if name.startswith("unsigned") else dtype.replace("u", "i")
            yield f"({name})(({wide})i + {offset}ull)", f"({name})n", kind, offset


KINDS = list(values())
COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def counted(offset, dtype):
    return (np.arange(THREADS, dtype="u8") + np.uint64(offset)).astype(dtype)


def cases():
    for number, (comparison, compute) in enumerate(COMPARISONS.items()):
        for limit_on_the_left in (False, True):
            for form, (guard, goes_on) in enumerate(FORMS.items()):
                name = f"k_{number}_{int(limit_on_the_left)}_{form}"
                yield name, comparison, compute, limit_on_the_left, guard, goes_on


def source_of(value, limit):
    kernels = []
    for name, comparison, _, limit_on_the_left, guard, _ in cases():
        left, right = (limit, value) if limit_on_the_left else (value, limit)
        condition = guard % f"{left} {comparison} {right}"
        kernels.append(
            f'extern "C" __global__ void {name}(int* out, long long n)'
            f" {{{INDEX}  {condition} out[i] += 1; }}\n"
        )
    return "".join(kernels)


@pytest.mark.parametrize("kind", KINDS, ids=[f"{dtype}+{offset:#x}" for *_, dtype, offset in KINDS])
def test_each_comparison_at_each_place_of_a_row(opened_device, kind):
    value, limit, dtype, offset = kind
    opened_device.make_current(opened_device.context)
    kernel = opened_device.compile(source_of(value, limit)).kernel
    i = counted(offset, dtype)
    for name, _, compute, limit_on_the_left, _, goes_on in cases():
        function = kernel(name)
        for block in BLOCKS:
            for n in i[[0, 1, 6, 7, 333, THREADS - 1]]:
                passes = compute(n, i) if limit_on_the_left else compute(i, n)
                out = run(function, block, np.array(n).astype("i8")[()])
                assert np.array_equal(out, passes == goes_on), (name, block, n)


def kernels(bodies):
    return "".join(
        f'extern "C" __global__ void {name}(int* out, {parameters}) {{{INDEX}{body}}}\n'
        for name, (parameters, body) in bodies.items()
    )


SEVERAL = {
    "inside": ("int low, int high", "if (i >= low && i < high) out[i] += 1;"),
    "outside": ("int low, int high", "if (i < low || i >= high) out[i] += 1;"),
    "value": (
        "int low, int high",
        "bool is_in = i >= low && i < high; if (i < 1200) out[i] += 1 + is_in;",
    ),
    "late": (
        "int low, int high",
        "if (i < 1200) out[i] += 1; if (i < low || i >= high) return; out[i] += 2;",
    ),
    "either": (
        "int low, int high",
        "if (i & 1) { if (i >= high) return; out[i] += 1; }"
        "else { if (i >= low) return; out[i] += 2; }",
    ),
    "steps": (
        "int low, int high",
        "if (i >= high || i >= 1200) return; for (int k = 0; k < i - low; k++) out[i] += 2;",
    ),
}


def test_several_conditions(opened_device):
    opened_device.make_current(opened_device.context)
    module = opened_device.compile(kernels(SEVERAL))
    i = np.arange(THREADS)
    for low, high in ((0, 1200), (5, 9), (250, 260), (300, 299), (-7, 2000), (9, 5), (64, 128)):
        is_in = (i >= low) & (i < high)
        expected = {
            "inside": is_in,
            "outside": ~is_in,
            "value": 1 + is_in,
            "late": 1 + 2 * is_in,
            "either": np.where(i & 1, i < high, 2 * (i < low)),
            "steps": np.where(i < high, 2 * np.maximum(i - low, 0), 0),
        }
        for name in SEVERAL:
            for block in BLOCKS:
                out = run(module.kernel(name), block, np.int32(low), np.int32(high))
                assert np.array_equal(out, expected[name]), (name, block, low, high)


@pytest.mark.parametrize(
    ("low", "high"), [(1, 1199), (1, 9), (6, 7), (250, 300), (0, 64), (1, 5000)]
)
def test_limits_that_are_constants(opened_device, low, high):
    """Of which LLVM makes one comparison of what begins below 0."""
    opened_device.make_current(opened_device.context)
    limits = f"i >= {low} && i < {high}"
    module = opened_device.compile(
        kernels(
            {
                "inside": ("int", f"if ({limits}) out[i] += 1;"),
                "up_to": ("int", f"if ((unsigned)(i - {low}) <= {high - low - 1}u) out[i] += 1;"),
                "outside": ("int", f"if ({limits}) return; out[i] += 1;"),
                "wide": (
                    "long long n",
                    f"if ((unsigned long long)(i - n) < {high - low}) out[i] += 1;",
                ),
            }
        )
    )
    i = np.arange(THREADS)
    is_in = (i >= low) & (i < high)
    for block in BLOCKS:
        assert np.array_equal(run(module.kernel("inside"), block, np.int32(0)), is_in)
        assert np.array_equal(run(module.kernel("up_to"), block, np.int32(0)), is_in)
        assert np.array_equal(run(module.kernel("outside"), block, np.int32(0)), ~is_in)
        assert np.array_equal(run(module.kernel("wide"), block, np.int64(low)), is_in)


def test_limits_that_are_read_or_computed(opened_device):
    opened_device.make_current(opened_device.context)
    structure = "struct Size { int pad, n, many[4]; };\n"
    module = opened_device.compile(
        structure
        + kernels(
            {
                "loaded": ("const int* in, int n", "if (i < n && in[i] > 3) out[i] += 1;"),
                "member": ("Size size, int", "if (i < size.n) out[i] += 1;"),
                "element": ("Size size, int k", "if (k < 4 && i < size.many[k]) out[i] += 1;"),
                "shifted": ("int k, int n", "if (k < 32 && i < (n >> k)) out[i] += 1;"),
            }
        )
    )
    i = np.arange(THREADS)
    data = np.random.default_rng(8).integers(0, 8, THREADS + 256).astype("i4")
    size = np.array([7, 333, 1, 20, 300, 4000], "i4")
    for block in BLOCKS:
        out = run(module.kernel("loaded"), block, data, np.int32(700))
        assert np.array_equal(out, (i < 700) & (data[:THREADS] > 3))
        out = run(module.kernel("member"), block, size.tobytes(), np.int32(0))
        assert np.array_equal(out, i < 333)
        for k in (0, 2, 3, 4, 2**30):
            out = run(module.kernel("element"), block, size.tobytes(), np.int32(k))
            assert np.array_equal(out, i < size[2 + k] if k < 4 else 0 * i)
        for k in (0, 3, 31, 32, 40):
            out = run(module.kernel("shifted"), block, np.int32(k), np.int32(1200))
            assert np.array_equal(out, (i < (1200 >> k)) & (k < 32))


OVERFLOW = {
    "goes_on": "unsigned b = blockIdx.x * blockDim.x, i = b + threadIdx.x; if (i >= b)",
    "returns": "unsigned b = blockIdx.x * blockDim.x, i = b + threadIdx.x; if (i < b) return;",
    "is_wide": "unsigned long long b = blockIdx.x * blockDim.x, i = b + threadIdx.x; if (i >= b)",
    "is_signed": "int b = blockIdx.x * blockDim.x, i = b + threadIdx.x; if (i >= b)",
}


def test_guards_against_overflow_that_cannot_be(opened_device):
    opened_device.make_current(opened_device.context)
    for guard in OVERFLOW.values():
        source = f'extern "C" __global__ void k(int* out, int n) {{ {guard} out[i] += n; }}'
        kernel = opened_device.compile(source).kernel()
        for block in ((1,), (100,), (256,)):
            assert np.all(run(kernel, block, np.int32(3)) == 3)


def test_a_row_that_is_no_multiple_of_anything(opened_device):
    """Each last block is cut off at another place; neighbours of the output stay as they are."""
    opened_device.make_current(opened_device.context)
    kernel = opened_device.compile(
        """extern "C" __global__ void k(double* out, const double* in, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i < n) out[i] = 2 * in[i];
           }"""
    ).kernel()
    data = np.random.default_rng(9).random(700)
    for n in range(0, 600, 7):
        for width in (3, 64, 256):
            out = np.full(700, -1.0)
            kernel(out, data, np.int32(n), block=(width,), grid=(-(-700 // width),))
            assert np.array_equal(out[:n], 2 * data[:n]) and np.all(out[n:] == -1)
