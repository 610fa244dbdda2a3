# SPDX-License-Identifier: MIT
"""pyopencl.array: views, indices, and the functions of the module; beside NumPy."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest


@pytest.fixture
def put(queue):
    """put(values) is an array with these values."""
    return lambda values, **kwargs: cl_array.to_device(queue, np.asarray(values), **kwargs)


# --- views ----------------------------------------------------------------------------------------


def test_reshape(put):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for order in ("C", "F"):
        ours, theirs = put(np.asarray(x, order=order)), np.asarray(x, order=order)
        for shape in ((6, 4), (-1,), (2, -1, 2), 24, (2, 3, 4)):
            got = ours.reshape(shape, order=order)
            expected = theirs.reshape(shape, order=order)
            np.testing.assert_array_equal(got.get(), expected)
            assert got.strides == expected.strides
            assert got.base_data == ours.base_data
    np.testing.assert_array_equal(put(x).reshape(4, 6).get(), x.reshape(4, 6))
    np.testing.assert_array_equal(put(x).ravel().get(), x.ravel())
    for wrong in ((-1, -1), (5, 5), (7, -1), (-2, 3)):
        with pytest.raises(ValueError):
            put(x).reshape(wrong)
    with pytest.raises(ValueError, match="copy"):
        put(x).T.reshape(24)
    with pytest.raises(TypeError, match="other"):
        put(x).reshape(24, other=1)
    with pytest.raises(ValueError, match="order"):
        put(x).reshape(24, order="K")
    assert cl_array.reshape(put(x), (4, 6)).shape == (4, 6)
    assert put(np.zeros((0, 3))).reshape(3, 0).shape == (3, 0)


def test_view(put):
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for dtype in (np.int32, np.complex64, np.int16, np.uint8):
        np.testing.assert_array_equal(put(x).view(dtype).get(), x.view(dtype))
    f = np.asfortranarray(np.arange(8, dtype=np.float32).reshape(4, 2))
    assert put(f).view(np.complex64).shape == (2, 2)
    assert put(x).view().shape == x.shape
    with pytest.raises(ValueError):
        put(np.arange(3, dtype=np.float32)).view(np.complex64)
    with pytest.raises(ValueError, match="axes"):
        put(np.float32(3)).view(np.int16)


def test_squeeze_and_transpose(put):
    x = np.arange(6, dtype=np.int32).reshape(1, 2, 1, 3)
    assert put(x).squeeze().shape == (2, 3)
    assert put(np.zeros((1, 0))).squeeze().shape == (0,)
    y = np.arange(24).reshape(2, 3, 4)
    for axes in (None, (2, 0, 1), (0, 2, 1)):
        assert put(y).transpose(axes).shape == y.transpose(axes).shape
        np.testing.assert_array_equal((put(y).transpose(axes) + 0).get(), y.transpose(axes))
        assert cl_array.transpose(put(y), axes).strides == y.transpose(axes).strides
    np.testing.assert_array_equal(put(y).T.get(), y.T)


def test_as_strided(put):
    a = put(np.arange(10, dtype=np.int32))
    windows = cl_array.as_strided(a[2:], (3, 4), (8, 4))
    np.testing.assert_array_equal((windows + 0).get(), [[2, 3, 4, 5], [4, 5, 6, 7], [6, 7, 8, 9]])
    with pytest.raises(ValueError):
        cl_array.as_strided(a, (11,))


# --- indices --------------------------------------------------------------------------------------

INDICES = [
    np.s_[3], np.s_[-1], np.s_[1:4], np.s_[::-1], np.s_[4:1], np.s_[::2, 1:], np.s_[..., 2],
    np.s_[None, 2], np.s_[:, None, ::-2], np.s_[1, 2], np.s_[5:3, :], np.s_[..., -3:-1],
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_basic_indices(put, index):
    x = np.arange(30, dtype=np.float32).reshape(5, 6)
    view = put(x)[index]
    expected = x[index]
    assert view.shape == expected.shape
    np.testing.assert_array_equal((view + 0).get(), expected)
    if view.size:
        assert view.base_data is not None


@pytest.mark.parametrize("index", [np.s_[5], np.s_[0, 0, 0], np.s_[-6], np.s_[..., ...], 1.5])
def test_bad_indices(put, index):
    with pytest.raises(IndexError):
        put(np.zeros((5, 6)))[index]


def test_indices_in_an_array(put):
    x = np.arange(10, dtype=np.float32) * 2
    places = np.array([3, 1, 1, 9], np.int32)
    np.testing.assert_array_equal(put(x)[put(places)].get(), x[places])
    with pytest.raises(TypeError):
        put(x)[put(places.astype(np.float32))]
    with pytest.raises(NotImplementedError):
        put(x)[put(places.reshape(2, 2))]
    with pytest.raises(NotImplementedError):
        put(x.reshape(2, 5))[put(places)]


def test_assignment(put):
    x = np.arange(30, dtype=np.float32).reshape(5, 6)
    a = put(x)
    a[1] = 7
    a[2:4] = np.full((2, 6), 3, np.float32)
    a[4] = np.arange(6)  # of another dtype
    x[1], x[2:4], x[4] = 7, 3, np.arange(6)
    np.testing.assert_array_equal(a.get(), x)
    a[0] = a[4]
    a[1:3] = put(np.ones((2, 6), np.int32))
    x[0], x[1:3] = x[4], 1
    np.testing.assert_array_equal(a.get(), x)
    a[5:3] = "anything"
    a.setitem(slice(0, 2), 9)
    x[0:2] = 9
    np.testing.assert_array_equal(a.get(), x)
    pending = a + 1
    a[...] = 0
    np.testing.assert_array_equal(pending.get(), x + 1)
    with pytest.raises(NotImplementedError):
        a[...] = a[0]
    with pytest.raises(ValueError):
        a[0:2] = a[0:3]
    with pytest.raises(NotImplementedError):
        a[:5, :5] = put(np.zeros((5, 5), np.float32)).T
    with pytest.raises(TypeError):
        a[0] = "text"


def test_assignment_at_indices(put):
    x = np.zeros(10, np.int32)
    a = put(x)
    places = np.array([2, 4, 6, 8], np.int32)
    a[put(places)] = put(np.array([1, 2, 3, 4], np.int32))
    x[places] = [1, 2, 3, 4]
    np.testing.assert_array_equal(a.get(), x)
    a[put(places)] = put(np.array([9], np.int32))
    x[places] = 9
    np.testing.assert_array_equal(a.get(), x)
    a[put(places)] = put(np.array([5, 6], np.int32))
    x[places] = [5, 6, 5, 6]
    np.testing.assert_array_equal(a.get(), x)
    with pytest.raises(TypeError):
        a[put(places)] = put(np.ones(4))
    with pytest.raises(TypeError):
        a[put(places)] = 3


# --- creation -------------------------------------------------------------------------------------


def test_to_device(context, queue):
    with pytest.raises(RuntimeError):
        cl_array.to_device(queue, np.array([None]))
    x = np.arange(12, dtype=np.int16).reshape(3, 4)
    np.testing.assert_array_equal(cl_array.to_device(queue, x[:, ::2]).get(), x[:, ::2])
    assert cl_array.to_device(queue, x, array_queue=None).queue is None
    other = cl.CommandQueue(context)
    assert cl_array.to_device(queue, x, array_queue=other).queue is other
    np.testing.assert_array_equal(cl_array.to_device(queue, x, async_=True).get(), x)


def test_empty_and_zeros(queue):
    assert cl_array.empty is cl_array.Array
    for order in "CF":
        a = cl_array.zeros(queue, (3, 4), np.complex64, order=order)
        np.testing.assert_array_equal(a.get(), np.zeros((3, 4), np.complex64))
        assert a.flags.f_contiguous == (order == "F")
        for like in (cl_array.empty_like(a), cl_array.zeros_like(a)):
            assert (like.shape, like.dtype, like.strides) == (a.shape, a.dtype, a.strides)
            assert like.queue is queue
        np.testing.assert_array_equal(cl_array.zeros_like(a).get(), a.get())
    b = cl_array.zeros(queue, 10, np.float32)[2:]
    assert cl_array.empty_like(b).offset == 0
    np.testing.assert_array_equal(cl_array.zeros(queue, (), np.int8).get(), 0)


def test_arange(queue):
    for args in ((10,), (2, 10), (2, 10, 3), (10, 2, -3), (3, 3), (5, 2)):
        for dtype in (np.int32, np.float32, np.float64, np.uint8):
            if dtype == np.uint8 and min(args) < 0:
                continue
            got = cl_array.arange(queue, *args, dtype=dtype)
            np.testing.assert_array_equal(got.get(), np.arange(*args, dtype=dtype))
            assert got.dtype == dtype
    # The number of elements is what the dtype says: 0.6 / 0.1 is 6.0000001 of float32's numbers.
    assert cl_array.arange(queue, 0, 0.6, 0.1, dtype=np.float32).shape == (6,)
    assert cl_array.arange(queue, 0, 0.6, 0.1, dtype=np.complex64).shape == (6,)
    np.testing.assert_array_equal(
        cl_array.arange(queue, 1, 4, 0.5, np.dtype(np.float32)).get(), np.arange(1, 4, 0.5)
    )
    np.testing.assert_array_equal(
        cl_array.arange(queue, start=1, stop=4, dtype=np.int32).get(), [1, 2, 3]
    )
    np.testing.assert_array_equal(
        cl_array.arange(queue, 3, dtype=np.complex64).get(), np.arange(3, dtype=np.complex64)
    )
    with pytest.raises(TypeError, match="dtype"):
        cl_array.arange(queue, 10)
    with pytest.raises(ValueError, match="twice"):
        cl_array.arange(queue, 10, stop=3, dtype=np.int32)
    with pytest.raises(ValueError, match="other"):
        cl_array.arange(queue, 10, other=3, dtype=np.int32)
    with pytest.raises(ValueError, match="step"):
        cl_array.arange(queue, 0, 10, 0, dtype=np.int32)
    with pytest.raises(ValueError):
        cl_array.arange(queue, 1, 2, 3, 4, dtype=np.int32)


# --- take and put ---------------------------------------------------------------------------------


def test_take(put):
    x = np.arange(10, dtype=np.float32) * 3
    places = np.array([9, 0, 3, 3], np.int64)
    np.testing.assert_array_equal(cl_array.take(put(x), put(places)).get(), x[places])
    np.testing.assert_array_equal(
        cl_array.take(put(x)[2:], put(places[1:])).get(), x[2:][places[1:]]
    )
    out = put(np.zeros(4, np.float32))
    assert cl_array.take(put(x), put(places), out=out) is out
    np.testing.assert_array_equal(out.get(), x[places])
    two = cl_array.multi_take([put(x), put(x + 1)], put(places))
    np.testing.assert_array_equal(two[1].get(), x[places] + 1)
    with pytest.raises(TypeError):
        cl_array.take(put(x), put(places.astype(np.float64)))


def test_multi_take_put(put):
    arrays = [np.arange(10, dtype=np.float32) * (k + 1) for k in range(12)]
    to, of = np.array([0, 2, 4], np.int32), np.array([1, 3, 5], np.int32)
    for offsets in (None, list(range(4)) * 3):
        out = [put(np.zeros(6, np.float32)) for _ in arrays]
        made = cl_array.multi_take_put([put(a) for a in arrays], put(to), put(of), out=out,
                                       src_offsets=offsets)  # fmt: skip
        for k, array in enumerate(arrays):
            expected = np.zeros(6, np.float32)
            expected[to] = array[of + (offsets[k] if offsets else 0)]
            np.testing.assert_array_equal(made[k].get(), expected)
    made = cl_array.multi_take_put([put(arrays[0])], put(to), put(of), dest_shape=6)
    np.testing.assert_array_equal(made[0].get()[to], arrays[0][of])
    assert cl_array.multi_take_put([], put(to), put(of)) == []
    with pytest.raises((TypeError, ValueError)):
        cl_array.multi_take_put([put(arrays[0])], put(to), put(of.astype(np.int64)), dest_shape=6)
    with pytest.raises((TypeError, ValueError)):
        cl_array.multi_take_put([put(arrays[0])], put(to), put(of), out=[put(np.zeros(6))])
    with pytest.raises(ValueError):
        cl_array.multi_take_put(
            [put(arrays[0])], put(to), put(of), dest_shape=6, src_offsets=[1, 2]
        )


def test_multi_put(put):
    for count in (0, 1, 3, 12):
        arrays = [np.arange(4, dtype=np.float32) + k for k in range(count)]
        to = np.array([7, 1, 3, 5], np.int32)
        made = cl_array.multi_put([put(a) for a in arrays], put(to), out=[
            put(np.zeros(8, np.float32)) for _ in arrays
        ])  # fmt: skip
        for array, got in zip(arrays, made, strict=True):
            expected = np.zeros(8, np.float32)
            expected[to] = array
            np.testing.assert_array_equal(got.get(), expected)
    made = cl_array.multi_put([put(np.ones(4, np.float32))], put(to), dest_shape=(8,))
    np.testing.assert_array_equal(made[0].get()[to], np.ones(4))


# --- joined and chosen ----------------------------------------------------------------------------


def test_concatenate(put):
    x, y = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(9, dtype=np.float32).reshape(3, 3)
    for order in "CF":
        parts = [np.asarray(x, order=order), np.asarray(y, order=order)]
        got = cl_array.concatenate([put(part) for part in parts])
        assert got.dtype == np.result_type(x, y)
        np.testing.assert_array_equal(got.get(), np.concatenate(parts))
    np.testing.assert_array_equal(
        cl_array.concatenate([put(x), put(x)], axis=1).get(), np.concatenate([x, x], axis=1)
    )
    np.testing.assert_array_equal(
        cl_array.concatenate([put(y)[1:], put(y)[:1]]).get(), np.concatenate([y[1:], y[:1]])
    )
    np.testing.assert_array_equal(cl_array.hstack([put(x), put(x)]).get(), np.hstack([x, x]))
    for wrong in ([], [put(x), put(y.T.copy()[0])], [put(x), put(np.zeros((2, 4), np.int32))]):
        with pytest.raises(ValueError):
            cl_array.concatenate(wrong)


def test_stack(put):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axis in (0, 1, 2, -1):
        stacked = cl_array.stack([put(x), put(x + 1)], axis=axis)
        np.testing.assert_array_equal(stacked.get(), np.stack([x, x + 1], axis=axis))
        assert (stacked.flags.f_contiguous, stacked.flags.c_contiguous)[axis in (0, 1)]
    assert cl_array.stack([put(x[0]), put(x[0])], axis=1).flags.f_contiguous
    assert cl_array.stack([put(np.float32(2))] * 3).get().tolist() == [2, 2, 2]
    with pytest.raises(ValueError):
        cl_array.stack([put(x), put(x[:1])])
    with pytest.raises(ValueError):
        cl_array.stack([put(x), put(x)], axis=3)


def test_diff(put):
    x = np.arange(10, dtype=np.int32) ** 2
    np.testing.assert_array_equal(cl_array.diff(put(x)).get(), np.diff(x))
    with pytest.raises(ValueError):
        cl_array.diff(put(x.reshape(2, 5)))


def test_if_positive(put):
    x = np.arange(-5, 5, dtype=np.float32)
    y, z = np.ones(10, np.int32), np.zeros(10, np.int32)
    expected = np.where(x > 0, y, z)
    for then in (put(y), np.int32(1), put(np.array(1, np.int32))):
        for otherwise in (put(z), np.int32(0)):
            got = cl_array.if_positive(put(x), then, otherwise)
            assert got.dtype == np.int32
            np.testing.assert_array_equal(got.get(), expected)
    out = put(z)
    assert cl_array.if_positive(put(x), put(y), put(z), out=out) is out
    np.testing.assert_array_equal(out.get(), expected)
    assert cl_array.if_positive(1.0, 2.0, 3.0) == 2
    with pytest.raises(ValueError):
        cl_array.if_positive(put(x), put(y), put(z.astype(np.float32)))
    with pytest.raises(ValueError):
        cl_array.if_positive(put(x), put(y[:5]), put(z))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_maximum_and_minimum(queue, put, name):
    ours, theirs = getattr(cl_array, name), getattr(np, name)
    assert ours.__name__ == name
    x = np.array([1, np.nan, 3, -2], np.float32)
    y = np.array([2, 2, np.nan, -3], np.float32)
    np.testing.assert_array_equal(ours(put(x), put(y)).get(), theirs(x, y))
    np.testing.assert_array_equal(ours(put(x), 2).get(), theirs(x, np.float32(2)))
    np.testing.assert_array_equal(ours(0.5, put(x)).get(), theirs(np.float32(0.5), x))
    n = np.arange(4, dtype=np.int32)
    result = ours(put(n), 2)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result.get(), theirs(n, 2))
    assert ours(2, 3) == theirs(2, 3)
    without = put(x).with_queue(None)
    np.testing.assert_array_equal(
        ours(without, put(y).with_queue(None), queue=queue).get(), theirs(x, y)
    )
    out = put(np.zeros(4, np.float32))
    assert ours(put(x), put(y), out) is out
    np.testing.assert_array_equal(out.get(), theirs(x, y))


def test_logical_functions(put):
    x, y = np.array([0, 1, 2, 0], np.int32), np.array([0, 0, 3, 1], np.float32)
    for name in ("logical_and", "logical_or"):
        result = getattr(cl_array, name)(put(x), put(y))
        assert result.dtype == np.int8
        assert len(result.events) == 1
        np.testing.assert_array_equal(result.get(), getattr(np, name)(x, y))
        np.testing.assert_array_equal(
            getattr(cl_array, name)(put(x), 1).get(), getattr(np, name)(x, 1)
        )
        assert getattr(cl_array, name)(1, 0) == getattr(np, name)(1, 0)
        out = put(np.zeros(4, np.int8))
        assert getattr(cl_array, name)(put(x), put(y), out=out) is out
        np.testing.assert_array_equal(out.get(), getattr(np, name)(x, y))
    np.testing.assert_array_equal(cl_array.logical_not(put(x)).get(), np.logical_not(x))
    assert cl_array.logical_not(0) == 1


# --- reductions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.float64, np.complex64])
def test_sum(put, dtype):
    x = (np.arange(1000) % 7).astype(dtype)
    total = cl_array.sum(put(x))
    assert total.shape == ()
    dtype = np.int64 if dtype == np.int8 else dtype  # NumPy's, which does not wrap
    assert total.dtype == dtype
    assert total.get() == x.sum(dtype=dtype)
    assert cl_array.sum(put(x), dtype=np.complex128).get() == x.sum()
    assert cl_array.sum(put(x)[5:20]).get() == x[5:20].sum(dtype=dtype)
    assert cl_array.sum(put(x), slice=slice(3, None, 2)).get() == x[3::2].sum(dtype=dtype)
    assert cl_array.sum(put(x[:0])).get() == 0
    assert cl_array.sum(put(x[:4]), initial=3).get() == x[:4].sum() + 3
    with pytest.raises(ValueError):
        cl_array.sum(put(x), initial=[3])
    assert len(total.events) == 1


def test_sums_of_short_integers_do_not_wrap(put):
    assert cl_array.sum(put(np.arange(1000)) >= 0).get() == 1000
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        total = cl_array.sum(put(np.full(70_000, 100, dtype)))
        assert total.get() == 7_000_000
        assert total.dtype == np.sum(np.zeros(1, dtype)).dtype
    assert cl_array.sum(put(np.full(3, 100, np.int8)), dtype=np.int8).get() == np.int8(44)


def test_sum_of_bools_counts(put):
    x = np.array([False, True, True])
    for part, initial in ((x, None), (x[:1], None), (x[:1], 1), (x[:0], 0)):
        more = {} if initial is None else {"initial": initial}
        total = cl_array.sum(put(part), **more)
        assert total.dtype == np.int64
        assert total.get() == part.sum() + (initial or 0)
    assert cl_array.sum(put(x), dtype=np.int32).get() == 2
    assert cl_array.sum(put(x), dtype=np.bool_).get() == np.True_
    for product in (cl_array.dot, cl_array.vdot):
        found = product(put(x), put(x))
        assert found.dtype == np.int64 and found.get() == 2


def test_any_and_all(put):
    for x in (np.array([0, 1, 2]), np.zeros(5), np.ones(5, np.float32), np.array([0, 0, 1])):
        assert cl_array.any(put(x)).get() == x.any()
        assert cl_array.all(put(x)).get() == x.all()
        assert cl_array.any(put(x)).dtype == np.int8
        assert cl_array.any(put(x)[:2]).get() == x[:2].any()
        assert cl_array.all(put(x)[1:]).get() == x[1:].all()
    assert cl_array.any(put(np.zeros(0))) == 0
    assert cl_array.all(put(np.zeros(0))) == 1
    for name in ("any", "all", "sum", "min", "max", "dot", "vdot"):
        assert getattr(cl_array, name).__name__ == name


def test_dot(put):
    rng = np.random.default_rng(3)
    x = rng.integers(-5, 5, 500).astype(np.float32)
    z = (x + 1j * x[::-1]).astype(np.complex64)
    for a, b in ((x, x), (z, z), (x, z), (z, x)):
        assert cl_array.dot(put(a), put(b)).dtype == np.result_type(a, b)
        np.testing.assert_allclose(cl_array.dot(put(a), put(b)).get(), np.dot(a, b), rtol=1e-5)
        np.testing.assert_allclose(cl_array.vdot(put(a), put(b)).get(), np.vdot(a, b), rtol=1e-5)
        places = np.array([3, 499, 20, 3], np.int32)
        np.testing.assert_allclose(
            cl_array.subset_dot(put(places), put(a), put(b)).get(),
            np.dot(a[places], b[places]), rtol=1e-5,
        )  # fmt: skip
    assert cl_array.dot(put(x), put(x), dtype=np.float64).dtype == np.float64
    part = slice(10, 100, 3)
    assert cl_array.dot(put(x), put(x), slice=part).get() == np.dot(x[part], x[part])
    with pytest.raises(ValueError):
        cl_array.dot(put(x), put(x[:5]))


def test_products_are_made_in_the_dtype_of_the_sum(put):
    x, some = np.array([100_000, -200_000, 3], np.int32), put(np.array([1, 2], np.int32))
    for dtype in np.int64, np.float64:
        wanted = np.dot(x.astype(np.int64), x).astype(dtype)
        for dot in cl_array.dot, cl_array.vdot:
            assert dot(put(x), put(x), dtype).get() == wanted, dtype
        assert cl_array.subset_dot(some, put(x), put(x), dtype).get() == wanted - dtype(10**10)
    halves = put(np.array([1.5, 2.5], np.float32))
    assert cl_array.dot(halves, halves, dtype=np.int32).get() == 2 + 6


@pytest.mark.parametrize("name", ["dot", "vdot"])
def test_products_of_arrays_of_other_shapes(put, name):
    dot = getattr(cl_array, name)
    x = np.arange(6, dtype=np.float32)
    assert dot(put(x), put(x.reshape(6, 1))).get() == 55
    assert dot(put(x.reshape(2, 3)), put(x.reshape(3, 2))).get() == 55
    assert dot(put(x.reshape(1, 6)), put(x.reshape(6, 1))).get() == 55


@pytest.mark.parametrize("name", ["min", "max"])
def test_extrema(put, name):
    ours, theirs = getattr(cl_array, name), getattr(np, name)
    for dtype in (np.int8, np.uint64, np.float32, np.float64):
        x = (np.arange(100) * 37 % 101).astype(dtype)
        assert ours(put(x)).get() == theirs(x)
        assert ours(put(x)).dtype == dtype
        assert ours(put(x)[20:40]).get() == theirs(x[20:40])
        assert ours(put(x), initial=50).get() == theirs(x, initial=50)
        places = np.array([3, 4, 50], np.int32)
        assert getattr(cl_array, f"subset_{name}")(put(places), put(x)).get() == theirs(x[places])
    y = np.array([1, np.nan, 3], np.float32)
    assert np.isnan(ours(put(y)).get())
    subset = getattr(cl_array, f"subset_{name}")
    assert subset(put(np.arange(3, dtype=np.int32)), put(y)).get() == (1 if name == "min" else 3)
    with pytest.raises(ValueError):
        ours(put(y[:0]))
    assert ours(put(y[:0]), initial=4).get() == 4
    assert ours(3.5) == 3.5


# --- odds and ends --------------------------------------------------------------------------------


def test_common_dtype(queue, put):
    a = put(np.zeros(2, np.int32))
    assert cl_array._get_common_dtype(a, np.float32(2), queue) == np.float64
    with pytest.raises(ValueError):
        cl_array._get_common_dtype(a, a, None)


def test_splay(device):
    for n in (1, 31, 100, 10**6):
        (total,), (group,) = cl_array._splay(device, n)
        assert total % group == 0
        assert 1 <= group <= 128
        assert total // group <= 32 * device.max_compute_units


def test_elwise_kernel_runner(queue, put):
    from pyopencl.elementwise import get_copy_kernel

    @cl_array.elwise_kernel_runner
    def copy(out, source):
        return get_copy_kernel(out.context, out.dtype, source.dtype)

    out = put(np.zeros(5, np.float32))
    event = copy(out, put(np.arange(5, dtype=np.int32)), queue=queue)
    out.add_event(event)
    np.testing.assert_array_equal(out.get(), np.arange(5))
    called = []
    cl_array.ARRAY_KERNEL_EXEC_HOOK = lambda kernel, queue, *args, wait_for: called.append(args)
    try:
        copy(out, out)
    finally:
        cl_array.ARRAY_KERNEL_EXEC_HOOK = None
    assert called[0][2] is out


def test_every_name_is_there():
    for name in cl_array.__all__:
        assert hasattr(cl_array, name)
    with pytest.raises(AttributeError):
        cl_array.nothing  # noqa: B018
    assert cl.array is cl_array


_MANY = {
    "dot": lambda x, y: cl_array.dot(x, y),
    "vdot": lambda x, y: cl_array.vdot(x, y),
    "max": lambda x, y: cl_array.max(x, initial=1e9),
    "if_positive": lambda x, y: cl_array.if_positive(x, x, y),
}


@pytest.mark.parametrize("name", _MANY)
def test_a_function_is_one_kernel_where_the_address_of_its_operands_was_asked_for(name, queue):
    x, y = (cl_array.to_device(queue, np.arange(100, dtype=np.float32) - 3) for _ in range(2))
    expected = _MANY[name](x, y).get()
    for array in (x, y):
        array.data  # noqa: B018 - from now on others may change it
    result = _MANY[name](x, y)
    assert "was computed before" not in result.explain()
    assert (result.get() == expected).all()


@pytest.mark.parametrize("name", ["dot", "vdot", "if_positive"])
def test_what_was_asked_before_others_change_an_operand_is_of_the_old_elements(name, queue):
    x, y = (cl_array.to_device(queue, np.ones(100, np.float32)) for _ in range(2))
    expected = _MANY[name](x, y).get()
    result = _MANY[name](x, y)  # waits
    cl.enqueue_fill_buffer(queue, x.data, np.float32(7), 0, 400)
    at_once = _MANY[name](y, y)
    later = _MANY[name](x, y)
    cl.enqueue_fill_buffer(queue, x.data, np.float32(9), 0, 400)
    assert (result.get() == expected).all() and (at_once.get() == expected).all()
    assert (later.get() == 7 * expected).all()
