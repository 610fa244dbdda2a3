# SPDX-License-Identifier: MIT
"""Values that are stored into an array of another dtype.

What NumPy refuses is refused, what it warns of is warned of, the rest is what NumPy stores: every
way to store, kinds of values and dtypes."""

import operator
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp


def at(key):
    def store(module, x, value):
        x[key] = value

    return store


def masked(module, x, value):
    x[module.asarray([True, False, True])] = value


def masked_by_host(module, x, value):
    x[np.array([True, False, False])] = value


# By name, of arrays of shape (3,).
WAYS = {
    "an element": at(0),
    "a slice": at(slice(1, None)),
    "all": at(...),
    "chosen elements": at([0, 2]),
    "under a mask": masked,
    "under a mask of the host": masked_by_host,
    "fill": lambda m, x, v: x.fill(v),
    "put": lambda m, x, v: m.put(x, [0], v),
    "put_along_axis": lambda m, x, v: m.put_along_axis(x, m.asarray([1]), v, 0),
    "copyto": lambda m, x, v: m.copyto(x, v),
    "copyto unsafe": lambda m, x, v: m.copyto(x, v, casting="unsafe"),
    "copyto where": lambda m, x, v: m.copyto(x, v, where=m.asarray([True, False, True])),
    "fill_diagonal": lambda m, x, v: m.fill_diagonal(x.reshape(1, 3), v),
    "flat": lambda m, x, v: x.flat.__setitem__(slice(None), v),
    "in place": lambda m, x, v: operator.iadd(x, v),
    "out": lambda m, x, v: m.add(x, v, out=x),
}
MADE = {
    "full": lambda m, dtype, v: m.full(3, v, dtype),
    "full_like": lambda m, dtype, v: m.full_like(m.zeros(3, dtype), v),
    "asarray": lambda m, dtype, v: m.asarray(v, dtype),
    "astype": lambda m, dtype, v: m.asarray(v).astype(dtype),
}
VALUES = [3 + 4j, complex("nan"), np.complex64(3 + 4j), np.complex128(1j), np.array(3 + 4j),
          np.array([3 + 4j]), [3 + 4j], [np.complex64(1j)], float("nan"), float("inf"), 1e30, 2.7,
          2**70, 300, -1, [300], [float("nan")], [2**70], np.int64(300), np.float64(2.5), True,
          "3", "x", None, b"5", [None], object()]  # fmt: skip
DTYPES = ["?", "u1", "i4", "f4", "F"]


def outcome(call):
    """What is stored, or the class of the error, and whether a ComplexWarning came."""
    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            found = call()
        except (TypeError, ValueError, OverflowError) as error:
            return error, False
    is_told = any(issubclass(w.category, np.exceptions.ComplexWarning) for w in told)
    return found, is_told


def expect_same(ours, theirs, text):
    if isinstance(theirs[0], Exception):
        kinds = [k for k in (TypeError, OverflowError, ValueError) if isinstance(theirs[0], k)]
        assert isinstance(ours[0], tuple(kinds)), f"{text}: {ours[0]!r}, not {theirs[0]!r}"
        return
    assert not isinstance(ours[0], Exception), f"{text}: {ours[0]!r}, not {theirs[0]!r}"
    assert ours[1] == theirs[1], f"{text}: warned {ours[1]}"
    np.testing.assert_array_equal(ours[0], theirs[0], err_msg=text)


def is_kept(value):
    """Whether a cast of it is defined: NaN, infinities and 1e30 are no integers."""
    kind = np.asarray(value).dtype.kind
    return kind in "OSU" or bool((np.abs(np.asarray(value, "c16")) < 2**62).all())


@pytest.fixture(params=[d.id for d in treadle.devices() if d.traits.runs_kernels][:1])
def device(request):
    """One: what is stored is decided before a kernel is."""
    with treadle.find_device(request.param) as device:
        yield device


def is_left_out(way, dtype, value):
    """What is taken on purpose where NumPy refuses it, and the other way round."""
    if way == "fill" and isinstance(value, list | np.ndarray):
        return True  # always refused
    if dtype == "?":  # of which every object is true or not
        return type(value) is object or value in (2**70, [2**70], [None])
    if way == "an element":  # takes arrays
        return isinstance(value, list | np.ndarray)
    if way == "copyto unsafe" and type(value) in (float, list) and dtype in ("u1", "i4"):
        return not is_kept(value)  # refused as in an assignment
    return False


@pytest.mark.parametrize("way", WAYS)
def test_a_value_is_stored_as_numpy_stores_it(device, way):
    for dtype in DTYPES:
        for value in VALUES:
            if is_left_out(way, dtype, value):
                continue
            text = f"{way}: {value!r} into {dtype}"

            def store(module, way=way, dtype=dtype, value=value):
                x = module.zeros(3, dtype)
                WAYS[way](module, x, value)
                return x.get() if module is tnp else x

            expect_same(outcome(lambda: store(tnp)), outcome(lambda: store(np)), text)


@pytest.mark.parametrize("way", MADE)
def test_a_value_becomes_elements_as_in_numpy(device, way):
    for dtype in DTYPES:
        for value in VALUES:
            if value is None or is_left_out(way, dtype, value):
                continue
            if way == "astype" and np.asarray(value).dtype.kind in "OSU":
                continue  # which no device has
            text = f"{way}: {value!r} as {dtype}"
            theirs = outcome(lambda v=value, d=dtype: MADE[way](np, d, v))
            if way == "astype" and (isinstance(theirs[0], Exception) or not is_kept(value)):
                continue  # of objects, which no device has
            ours = outcome(lambda v=value, d=dtype: MADE[way](tnp, d, v).get())
            expect_same(ours, theirs, text)


def test_arrays_of_a_device_warn_where_their_imaginary_parts_are_dropped(device):
    x, z = tnp.zeros(3), tnp.array([1 + 2j, 3, 4j])
    for store in (
        lambda: x.__setitem__(..., z),
        lambda: x.__setitem__(slice(2), z[:2]),
        lambda: z.astype(np.float32),
        lambda: x.fill(z[0]),
        lambda: tnp.copyto(x, z, casting="unsafe"),
        lambda: x.set(z.get()),
    ):
        with pytest.warns(np.exceptions.ComplexWarning):
            store()
    with pytest.raises(TypeError):
        tnp.copyto(x, z)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z[...] = x
        z.astype(bool)
        z.real.astype(np.float32)
