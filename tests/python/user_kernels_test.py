# SPDX-License-Identifier: MIT
"""treadle.ElementwiseKernel, ReductionKernel and ScanKernel, on every device."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]
BODY = np.dtype([("x", "f4"), ("id", "i4")])
BODY_TEXT = "typedef struct { float x; int id; } body;"


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def expect(array, values):
    np.testing.assert_array_equal(array.get(), values)


def test_results_go_into_arrays_or_are_made(computing):
    axpy = treadle.ElementwiseKernel(
        "float a, const float *x, const float *y, float *z, int *order",
        "z[i] = a * x[i] + y[i]; order[i] = (int)(n - i)",
    )
    x, y, z = tnp.arange(3, dtype="f4"), tnp.ones(3, "f4"), tnp.zeros(3, "f4")
    order = axpy(2, x, y * 10, z)
    expect(z, [10, 12, 14])
    expect(order, [3, 2, 1])
    assert order.dtype == np.int32
    both = axpy(2, x, y)
    assert isinstance(both, tuple)
    expect(both[0], [1, 3, 5])
    assert axpy(2, x, y, *both) is None


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
def test_types_that_are_left_out_are_those_of_the_call(computing, dtype):
    if dtype == "f8" and not computing.traits.fp64:
        pytest.skip("no float64")
    scale = treadle.ElementwiseKernel("a, const *x, *y", "x_t t = x[i]; y[i] = a * t")
    x = np.arange(7, dtype=dtype)
    y = tnp.zeros(7, dtype)
    scale(3, tnp.array(x), y)
    expect(y, 3 * x)
    scale(np.int32(2), x, y)  # of the host: copied, as it is only read
    expect(y, 2 * x)
    assert "typedef int a_t;" in scale.text(np.int32(2), x, y)


def test_arrays_of_every_layout_broadcast(computing):
    add = treadle.ElementwiseKernel("const *x, const *y, *z", "z[i] = x[i] + 100 * y[i]")
    x, y = np.arange(12, dtype="f4").reshape(3, 4), np.arange(4, dtype="f4")
    for rows in (slice(None), slice(None, None, -2), slice(3, None)):
        z = np.zeros((4, 6), "f4")
        there = tnp.array(z)
        view = there.T[::2, :][: x[rows].shape[0]]
        add(tnp.array(x)[rows], tnp.array(y)[::-1], view)
        z.T[::2, :][: x[rows].shape[0]] = x[rows] + 100 * y[::-1]
        expect(there, z)


def test_what_the_text_does_not_index_by_i_is_a_table(computing):
    look_up = treadle.ElementwiseKernel(
        "const int *at, const float *table, float *z", "z[i] = table[at[i]]"
    )
    table = tnp.array(np.arange(10, dtype="f4").reshape(2, 5))
    expect(look_up(tnp.array([[3], [9]], dtype="i4"), table.T), [[6], [9]])


def test_only_the_indices_of_a_range(computing):
    mark = treadle.ElementwiseKernel("float *y", "y[i] = 1")
    y = tnp.zeros((2, 3), "f4")
    mark(y, indices=range(4, -1, -2))
    expect(y, [[1, 0, 1], [0, 1, 0]])
    mark(y, indices=range(5, 5))
    with pytest.raises(IndexError, match="from 0 to 6 .* 6 elements"):
        mark(y, indices=range(0, 8, 2))
    with pytest.raises(TypeError, match="indices is a range, not a slice"):
        mark(y, indices=slice(3))


def test_complex_numbers_and_records(computing):
    turn = treadle.ElementwiseKernel("const *z, *w", "w[i].x = -z[i].y; w[i].y = z[i].x")
    z = np.array([1 + 2j, 3 - 1j], "c8")
    w = tnp.zeros(2, "c8")
    turn(tnp.array(z), w)
    expect(w, 1j * z)
    move = treadle.ElementwiseKernel(
        "float by, body *b", "b[i].x += by; b[i].id = (int)i", preamble=BODY_TEXT,
        types={"body": BODY},
    )  # fmt: skip
    bodies = tnp.zeros(3, BODY)
    move(0.5, bodies)
    expect(bodies["x"], [0.5] * 3)
    expect(bodies["id"], [0, 1, 2])


def test_statements_around_the_loop_and_masks(computing):
    count = treadle.ElementwiseKernel(
        "const *mask, *y", "if (mask[i]) y[i] = base", loop_prep="y_t base = SEVEN",
        preamble="#define SEVEN 7",
    )  # fmt: skip
    y = tnp.zeros(3, "i8")
    count(tnp.array([True, False, True]), y)
    expect(y, [7, 0, 7])


def test_reductions(computing):
    inner = treadle.ReductionKernel(
        "f4", neutral="0", reduce="a + b", map="x[i] * y[i]", arguments="const *x, const *y"
    )
    x = np.arange(6, dtype="f4").reshape(2, 3)
    product = inner(tnp.array(x), tnp.array(x[:, :1]) + 1)
    assert isinstance(product, treadle.Array)
    assert product.shape == ()
    expect(product, (x * (x[:, :1] + 1)).sum())
    out = tnp.zeros(1, "f4")
    assert inner(tnp.array(x).T, 2 * tnp.ones(2, "f4"), out=out, indices=range(0, 6, 2)) is out
    expect(out, [2 * x.T.ravel()[::2].sum()])
    expect(inner(x[:0], x[:0]), 0)
    large = np.arange(1 << 16, dtype="f4") % 7
    assert inner(tnp.array(large), tnp.ones(1, "f4")).item() == large.sum()


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((3, 1000), 1),
        ((3, 1000), -2),
        ((1000, 3), 1),
        ((1000, 3), 0),
        ((70000, 2), 0),
        ((3, 40, 17), 1),
        ((3, 40, 50), (0, 2)),
        ((5, 6, 7, 8), (0, 1, 3)),
        ((5, 6, 7), (0, 1, 2)),
        ((5, 6), ()),
        ((2, 0, 3), 1),
        ((0, 2), 1),
    ],
)
def test_reductions_along_axes(computing, shape, axis):
    """`i` counts the elements of the whole shape, whatever axes are folded."""
    total = treadle.ReductionKernel(
        "i8", neutral="0", reduce="a + b", map="x[i] * y[i] + i % 5", arguments="const *x, const *y"
    )
    x = np.arange(np.prod(shape), dtype="i4").reshape(shape) % 11
    y = np.arange(shape[-1], dtype="i4") - 1
    terms = (x * y).astype("i8") + np.arange(x.size).reshape(shape) % 5
    given = (tnp.array(np.asfortranarray(x)), tnp.array(y))
    expect(total(*given, axis=axis), terms.sum(axis=axis))
    wanted = terms.sum(axis=axis, keepdims=True)
    kept = total(*given, axis=axis, keepdims=True)
    assert kept.shape == wanted.shape
    expect(kept, wanted)
    out = tnp.zeros((*wanted.shape, 2), "i8")
    assert total(*given, axis=axis, keepdims=True, out=out[..., 1]).shape == wanted.shape
    expect(out[..., 1], wanted)


def test_axes_that_cannot_be_meant(computing):
    total = treadle.ReductionKernel(
        "f4", neutral="0", reduce="a + b", map="x[i]", arguments="const float *x", name="total"
    )
    x = tnp.ones((2, 3), "f4")
    with pytest.raises(IndexError, match="total: axis 2 is out of bounds"):
        total(x, axis=2)
    with pytest.raises(ValueError, match="axis -1 twice"):
        total(x, axis=(1, -1))
    with pytest.raises(ValueError, match="a range of indices and with axes"):
        total(x, axis=0, indices=range(2))
    with pytest.raises(ValueError, match=r"out of .*total is of float32 and shape \(2,\)"):
        total(x, axis=0, out=tnp.zeros(2, "f4"))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((70001,), None), ((0,), None), ((3, 1000), 1), ((900, 40), 0), ((5, 6, 7), (0, 2))],
)
def test_reductions_to_several_results_of_mixed_types(computing, shape, axis):
    moments = treadle.ReductionKernel(
        ("f4", "i8", "i1", "f4"),
        neutral=("0", "0", "0", "-1e30f"),
        reduce=("a + b", "a + b", "a | b", "a > b ? a : b"),
        map=("x[i]", "x[i] > 3", "(char)i & 4", "x[i] * y[i]"),
        arguments="const *x, const *y",
    )
    x = np.arange(np.prod(shape), dtype="f4").reshape(shape) % 7
    y = np.arange(shape[-1], dtype="f4")
    place = np.arange(x.size).reshape(shape)
    wanted = (
        x.sum(axis=axis),
        (x > 3).sum(axis=axis),
        np.bitwise_or.reduce((place & 4).astype("i1"), axis=axis),
        (x * y).max(axis=axis, initial=np.float32(-1e30)),
    )
    given = tnp.array(np.asfortranarray(x)), tnp.array(y)
    found = moments(*given, axis=axis)
    assert isinstance(found, tuple)
    again = moments(*given, axis=axis)
    for one, same, right in zip(found, again, wanted, strict=True):
        assert one.shape == right.shape
        expect(one, right)
        expect(same, one.get())
    assert [one.dtype for one in found] == [np.dtype(t) for t in ("f4", "i8", "i1", "f4")]
    if axis is not None:
        out = tuple(tnp.zeros((*one.shape, 2), one.dtype)[..., 1] for one in found)
        assert moments(*given, axis=axis, out=out) is out
        for one, right in zip(out, wanted, strict=True):
            expect(one, right)


def test_several_results_that_do_not_fit(device):
    texts = {"reduce": ("a + b", "a + b"), "map": ("x[i]", "1"), "arguments": "const float *x"}
    with pytest.raises(ValueError, match="neutral of a ReductionKernel with several results"):
        treadle.ReductionKernel(("f4", "i8"), neutral="0", **texts)
    with pytest.raises(ValueError, match="dtype of a ReductionKernel with several results"):
        treadle.ReductionKernel(("f4",), neutral=("0", "0"), **texts)
    both = treadle.ReductionKernel(("f4", "i8"), neutral=("0", "0"), name="both", **texts)
    x = tnp.ones(3, "f4")
    with pytest.raises(TypeError, match="out of reduction kernel both is a tuple"):
        both(x, out=tnp.zeros(1, "f4"))
    with pytest.raises(ValueError, match=r"out\[1\] of reduction kernel both is of float32"):
        both(x, out=(tnp.zeros(1, "f4"), tnp.zeros(1, "f4")))
    with pytest.raises(ValueError, match="out of reduction kernel both has 1 arrays"):
        both(x, out=(tnp.zeros(1, "f4"),))


def test_a_reduction_to_a_record(computing):
    lowest = treadle.ReductionKernel(
        BODY,
        neutral="treadle_body(1e30f, -1)",
        reduce="a.x < b.x || (a.x == b.x && a.id < b.id) ? a : b",
        map="treadle_body(x[i], (int)i)",
        arguments="const float *x",
        types={"body": BODY},
        preamble=BODY_TEXT
        + """
        #ifdef __CUDACC__
        __device__
        #endif
        body treadle_body(float x, int id) { body b; b.x = x; b.id = id; return b; }""",
    )
    x = np.array([5, 2, 7, 2, 9], "f4")
    assert tuple(lowest(tnp.array(x)).get().item()) == (2.0, 1)
    rows = np.random.default_rng(1).permuted(np.arange(90 * 40, dtype="f4")).reshape(90, 40)
    for axis in (0, 1):
        got = lowest(tnp.array(rows), axis=axis).get()
        np.testing.assert_array_equal(got["x"], rows.min(axis=axis))
        np.testing.assert_array_equal(rows.ravel()[got["id"]], got["x"])


def test_bad_arguments_are_refused_before_anything_runs(device):
    fill = treadle.ElementwiseKernel(
        "short a, const float *x, float *y", "y[i] = a + x[i]", name="fill"
    )
    x, row = tnp.ones(3, "f4"), tnp.ones(1, "f4")
    for error, arguments, words in [
        (ValueError, (1, x, x, x), "fill takes 3 arguments, and was given 4"),
        (ValueError, (1,), r"argument 1 \(x\).* is missing"),
        (ValueError, (x, x, x), r"argument 0 \(a\).* is an array"),
        (ValueError, (1, 2, x), r"argument 1 \(x\).* is a number"),
        (OverflowError, (40000, x), "40000 .* int16"),
        (TypeError, (2.5, x), r"argument 0 \(a\).* int16.* 2.5"),
        (TypeError, (1, x.astype("f8")), r"argument 1 \(x\).* float32.* float64"),
        (TypeError, (1, "x"), "argument 1 of kernel fill .* a str"),
        (TypeError, (1, x, np.ones(3, "f4")), "argument 2 of kernel fill .* numpy.ndarray"),
        (ValueError, (1, x, row), r"argument 2 \(y\) .*\(1,\).*\(3,\)"),
        (ValueError, (1, x, tnp.ones(2, "f4")), r"\(3,\).*\(2,\)|\(2,\).*\(3,\)"),
        (ValueError, (1, x, tnp.broadcast_to(row, (3,))), "read-only"),
    ]:
        with pytest.raises(error, match=words):
            fill(*arguments)
    with pytest.raises(treadle.InvalidArgument, match="how many"):
        treadle.ElementwiseKernel("a, *y", "y[0] = a")(1, x)
    with pytest.raises(treadle.InvalidArgument, match="pointers"):
        treadle.ElementwiseKernel("float **x", "")


def test_arrays_of_two_devices_are_refused():
    if len(IDS) < 2:
        pytest.skip("one device")
    first, second = (tnp.ones(2, "f4", device=one) for one in IDS[:2])
    with pytest.raises(treadle.InvalidArgument, match="device"):
        treadle.ElementwiseKernel("const *x, *y", "y[i] = x[i]")(first, second)


def test_a_text_that_does_not_compile_says_so(computing):
    broken = treadle.ElementwiseKernel("float *y", "y[i] = nothing_of_that_name")
    with pytest.raises(treadle.CompileError, match="nothing_of_that_name"):
        broken(tnp.ones(3, "f4"))


def test_expressions_that_read_what_is_written_are_computed_before(computing):
    double = treadle.ElementwiseKernel("*y", "y[i] *= 2")
    y = tnp.arange(4, dtype="f4")
    before = y + 1
    double(y)
    expect(before, [1, 2, 3, 4])
    expect(y, [0, 2, 4, 6])


@pytest.mark.parametrize("neutral", [0, 0.0, np.float32(0), np.int64(0), False, "0"])
def test_neutral_elements_are_numbers_or_texts(computing, neutral):
    texts = {"reduce": "a + b", "map": "x[i]", "arguments": "const *x"}
    total = treadle.ReductionKernel("f4", neutral=neutral, **texts)
    assert total(tnp.arange(5, dtype="f4")).item() == 10


def test_neutral_elements_of_extrema_and_none_of_complex_numbers(computing):
    smallest = treadle.ReductionKernel(
        "f8", neutral=np.inf, reduce="a < b ? a : b", map="x[i]", arguments="const *x"
    )
    assert smallest(tnp.array([3.0, 2.0])).item() == 2
    assert smallest(tnp.zeros(0)).item() == np.inf
    for dtype, neutral in (("f4", 1j), ("c8", 0)):
        with pytest.raises(treadle.DTypeError, match="neutral.*number(?s:.*)C text"):
            treadle.ReductionKernel(
                dtype, neutral=neutral, reduce="a + b", map="x[i]", arguments="const *x"
            )
    with pytest.raises(TypeError, match="neutral"):
        treadle.ReductionKernel("f4", neutral=None, reduce="a + b", map="x[i]", arguments="*x")


def test_scans_write_what_their_statements_say(computing):
    total = treadle.ScanKernel(
        "f4", input="x[i]", scan="a + b", output="y[i] = item", arguments="const *x, float *y"
    )
    columns = tnp.arange(6, dtype="f4").reshape(2, 3).T
    halves, nothing = tnp.arange(20, dtype="f4")[::-3], tnp.zeros(0, "f4")
    for x in (tnp.arange(5, dtype="f4"), halves, nothing, columns, tnp.arange(5, dtype="i2") * 2):
        expect(total(x), np.cumsum(x.get(), dtype="f4").reshape(x.shape))
    x = tnp.ones(70000, "f4")
    assert total(x, x) is None  # in place, and what is pending read it before
    expect(x, np.arange(1, 70001))
    later = x + 1
    total(x, x)
    expect(later, np.arange(2, 70002))

    found = tnp.zeros(4, "i4")
    positive = treadle.ScanKernel(
        "i4", input="x[i] > 0", scan="a + b", neutral=0, arguments="const *x, int *found",
        output="if (item != prev_item) found[prev_item] = (int)i",
    )  # fmt: skip
    positive(tnp.array([-1, 5, 0, 2, 3]), found)
    expect(found, [1, 3, 4, 0])
    assert "scan" in positive.text(x, found)


def test_scans_of_structures_and_segments(computing):
    body = "typedef struct { float x; int id; } body;"
    nearest = treadle.ScanKernel(
        BODY, input="x[i]", scan="b.x < a.x ? b : a", output="y[i] = item.id", preamble=body,
        arguments="const body *x, int *y", types={"body": BODY},
    )  # fmt: skip
    bodies = np.array([(3, 7), (4, 8), (1, 9), (2, 1)], BODY)
    expect(nearest(tnp.asarray(bodies)), [7, 7, 9, 9])
    lengths = treadle.ScanKernel(
        "i4", input="1", scan="across_seg_boundary ? b : a + b", output="length[i] = item",
        segment_start="i == 0 || now != last", fetches=[("now", "key", 0), ("last", "key", -1)],
        arguments="const *key, int *length",
    )  # fmt: skip
    expect(lengths(tnp.array([4, 4, 2, 2, 2, 4])), [1, 2, 1, 2, 3, 1])


def test_scans_refuse_what_does_not_fit(computing):
    total = treadle.ScanKernel(
        "f4", input="x[i]", scan="a + b", output="y[i] = item", arguments="const *x, float *y"
    )
    with pytest.raises(treadle.ShapeError, match=r"scan kernel scan .*: x \(3,\), y \(2,\)"):
        total(tnp.ones(3), tnp.ones(2))
    with pytest.raises(TypeError, match="argument 1"):
        total(tnp.ones(3), "y")
    with pytest.raises(treadle.InvalidArgument, match="missing"):
        total()
    with pytest.raises(treadle.InvalidArgument):
        treadle.ScanKernel("f4", input="x[i]", scan="a + b", output="", arguments="const *")
    with pytest.raises(treadle.DTypeError, match="neutral of a ScanKernel"):
        treadle.ScanKernel("c8", input="x[i]", scan="a + b", output="", arguments="*x", neutral=1j)
