# SPDX-License-Identifier: MIT
"""out=, where= and dtype= of operations on elements."""

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices()]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture
def computing(device):
    if not device.traits.runs_kernels:
        pytest.skip("it computes nothing")
    return device


def test_results_are_written_where_the_mask_holds(computing):
    x = np.arange(6, dtype="f4").reshape(2, 3)
    out, expected = tnp.zeros((2, 3), "f4"), np.zeros((2, 3), "f4")
    mask = np.array([True, False, True])
    np.add(x, 1, out=expected, where=mask)
    assert tnp.add(tnp.array(x), 1, out=out, where=tnp.array(mask)) is out
    np.testing.assert_array_equal(out.get(), expected)
    tnp.multiply(out, 2, out=out, where=mask)
    np.multiply(expected, 2, out=expected, where=mask)
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8"])
def test_operations_compute_in_the_dtype_that_is_asked_for(computing, dtype):
    x, y = np.array([250, 3], "u1"), np.array([9, 2], "u1")
    ours = tnp.multiply(tnp.array(x), tnp.array(y), dtype=dtype)
    expected = np.multiply(x, y, dtype=dtype)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.get(), expected)
    np.testing.assert_array_equal(
        tnp.add(tnp.array(x), 1, dtype=dtype).get(), np.add(x, 1, dtype=dtype)
    )


CASTING_CASES = {
    "no": [(("i4", "i4"), {}), (("i4", "f4"), {}), (("i4", "i4"), {"out": "i8"})],
    "equiv": [(("f4", "f4"), {}), (("f4", "f8"), {})],
    "safe": [(("i2", "f4"), {}), (("i4", "i4"), {"out": "i8"}), (("f8", "f8"), {"out": "f4"})],
    "same_kind": [(("f8", "f8"), {"out": "f4"}), (("f8", "f8"), {"out": "i4"})],
    "unsafe": [(("f8", "f4"), {"out": "i4"}), (("f4", "f4"), {"dtype": "i4"})],
}


@pytest.mark.parametrize("casting", CASTING_CASES)
def test_casting_allows_what_numpys_allows(computing, casting):
    for dtypes, options in CASTING_CASES[casting]:
        ours = [tnp.array(np.array([1, 2, 3], dtype)) for dtype in dtypes]
        theirs = [x.get() for x in ours]
        made = {} if "out" not in options else {"out": np.zeros(3, options["out"])}
        given = {key: value for key, value in options.items() if key != "out"}
        try:
            expected = np.add(*theirs, casting=casting, **given, **made)
        except TypeError:
            with pytest.raises(treadle.DTypeError):
                out = {key: tnp.array(value) for key, value in made.items()}
                tnp.add(*ours, casting=casting, **given, **out)
            continue
        out = {key: tnp.zeros(3, value.dtype) for key, value in made.items()}
        result = tnp.add(*ours, casting=casting, **given, **out)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result.get(), expected)


def test_casting_is_told_by_numpys_own_functions_and_by_masks(computing):
    x, out = tnp.array([1.5, 2.5, -3.5]), tnp.zeros(3, "i4")
    assert tnp.multiply(x, 2.0, out=(out,), casting="unsafe") is out
    np.multiply(x, 2.0, out=out, casting="unsafe")
    np.testing.assert_array_equal(out.get(), [3, 5, -7])
    mask = tnp.array([True, False, True])
    assert tnp.add(x, 1, out=out, where=mask, casting="unsafe") is out
    np.testing.assert_array_equal(out.get(), [2, 5, -2])
    with pytest.raises(treadle.DTypeError, match="out= of int32 as casting='safe'"):
        tnp.add(x, 1, out=out, casting="safe")
    with pytest.raises(ValueError, match="kind of casting"):
        tnp.add(x, 1, casting="sane")


def test_outputs_that_do_not_fit_are_refused(device):
    x = tnp.ones(3, "f4")
    for function in (lambda **o: tnp.add(x, 1, **o), lambda **o: tnp.sin(x, **o)):
        with pytest.raises(treadle.DTypeError, match="int32"):
            function(out=tnp.zeros(3, "i4"))
        with pytest.raises(treadle.ShapeError, match=r"\(4,\)"):
            function(out=tnp.zeros(4, "f4"))
        with pytest.raises(TypeError, match="Array"):
            function(out=np.zeros(3, "f4"))
        with pytest.raises(TypeError, match="needs out="):
            function(where=tnp.ones(3, "?"))
        with pytest.raises(treadle.DTypeError, match="bool"):
            function(out=tnp.zeros(3, "f4"), where=x)
        with pytest.raises(treadle.DTypeError, match="int32"):
            function(dtype="i4")
    with pytest.raises(treadle.DTypeError, match="gives bool"):
        tnp.less(x, 2, dtype="f4")
    with treadle.find_device("null") as other:
        there = tnp.zeros(3, "f4", device=other)
    if device.id != "null":
        with pytest.raises(treadle.InvalidArgument, match="null"):
            tnp.add(x, 1, out=there)
