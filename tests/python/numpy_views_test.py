# SPDX-License-Identifier: MIT
"""What is a view in NumPy is one in treadle.numpy: who writes through it changes the array."""

import contextlib
import warnings

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

# Of an array of shape (2, 1, 4) what gives views, by function and by method.
FUNCTIONS = {
    "real": lambda m, x: m.real(x),
    "imag": lambda m, x: m.imag(x),
    "ravel": lambda m, x: m.ravel(x),
    "reshape": lambda m, x: m.reshape(x, (4, 2)),
    "reshape of every second": lambda m, x: m.reshape(x[:, :, ::2], (2, 2)),
    "transpose": lambda m, x: m.transpose(x),
    "permute_dims": lambda m, x: m.permute_dims(x, (1, 2, 0)),
    "matrix_transpose": lambda m, x: m.matrix_transpose(x),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, 2),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "rollaxis": lambda m, x: m.rollaxis(x, 2),
    "squeeze": lambda m, x: m.squeeze(x),
    "expand_dims": lambda m, x: m.expand_dims(x, 1),
    "atleast_1d": lambda m, x: m.atleast_1d(x),
    "atleast_2d": lambda m, x: m.atleast_2d(x[0, 0]),
    "atleast_3d": lambda m, x: m.atleast_3d(x[0]),
    "flip": lambda m, x: m.flip(x),
    "flipud": lambda m, x: m.flipud(x),
    "fliplr": lambda m, x: m.fliplr(x),
    "rot90": lambda m, x: m.rot90(x),
    "rot90 by nothing": lambda m, x: m.rot90(x, 4),
    "split": lambda m, x: m.split(x, 2)[1],
    "array_split": lambda m, x: m.array_split(x, 3, axis=2)[0],
    "hsplit": lambda m, x: m.hsplit(x[:, 0], 2)[1],
    "vsplit": lambda m, x: m.vsplit(x, [1])[1],
    "dsplit": lambda m, x: m.dsplit(x, 2)[0],
    "unstack": lambda m, x: m.unstack(x, axis=2)[3],
    "asarray": lambda m, x: m.asarray(x),
    "asanyarray": lambda m, x: m.asanyarray(x),
    "ascontiguousarray": lambda m, x: m.ascontiguousarray(x),
    "asfortranarray": lambda m, x: m.asfortranarray(x[0]),
    "array without a copy": lambda m, x: m.array(x, copy=None, ndmin=5),
    "meshgrid without copies": lambda m, x: m.meshgrid(x[0, 0], copy=False)[0],
    "astype without a copy": lambda m, x: m.astype(x, x.dtype, copy=False),
    "real of real numbers": lambda m, x: m.real(m.real(x)),
    "real_if_close": lambda m, x: m.real_if_close(x),
    "asarray_chkfinite": lambda m, x: m.asarray_chkfinite(x),
    "require": lambda m, x: m.require(x),
    "trim_zeros": lambda m, x: m.trim_zeros(x[1, 0]),
    "nan_to_num in place": lambda m, x: m.nan_to_num(m.real(x), copy=False),
}
METHODS = {
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "ravel": lambda x: x.ravel(),
    "reshape": lambda x: x.reshape(8),
    "reshape of several": lambda x: x.reshape(2, -1),
    "transpose": lambda x: x.transpose(2, 0, 1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x.squeeze(),
    "slice": lambda x: x[:, :, 1:3],
    "slice backwards": lambda x: x[..., ::-1],
    "element": lambda x: x[1],
    "None": lambda x: x[None, ..., None],
    "astype": lambda x: x.astype(x.dtype, copy=False),
    "iteration": lambda x: next(iter(x)),
}
# What gives views that cannot be written to.
READ_ONLY = {
    "broadcast_to": lambda m, x: m.broadcast_to(x, (3, 2, 1, 4)),
    "broadcast_to its own shape": lambda m, x: m.broadcast_to(x, (2, 1, 4)),
    "broadcast_to with an axis of one": lambda m, x: m.broadcast_to(x, (1, 2, 1, 4)),
    "broadcast_to of nothing": lambda m, x: m.broadcast_to(x[:0], (0, 1, 4)),
    "broadcast_to of one number": lambda m, x: m.broadcast_to(x[0, 0, 0:1].reshape(()), ()),
    "broadcast_arrays": lambda m, x: m.broadcast_arrays(x, m.ones((3, 2, 1, 4)))[0],
    "broadcast_arrays of the same elements": lambda m, x: m.broadcast_arrays(x, x[None])[0],
    "meshgrid without copies of several": lambda m, x: m.meshgrid(x[0, 0], x[1, 0], copy=False)[0],
    "diagonal": lambda m, x: m.diagonal(x[:, 0]),
    "diagonal below": lambda m, x: m.diagonal(x, -1, 0, 2),
    "diag": lambda m, x: m.diag(x[:, 0]),
    "linalg.diagonal": lambda m, x: m.linalg.diagonal(x),
    "imag of real numbers": lambda m, x: m.imag(m.real(x)),
}
READ_ONLY_METHODS = {"diagonal": lambda x: x.diagonal(axis1=1, axis2=2)}
# What is no view, though it may return its argument.
COPIES = {
    "copy": lambda m, x: m.copy(x),
    "array": lambda m, x: m.array(x),
    "flatten": lambda m, x: x.flatten(),
    "astype": lambda m, x: x.astype(x.dtype),
    "copy of a read-only one": lambda m, x: m.broadcast_to(x, (3, 2, 1, 4)).copy(),
    "sum": lambda m, x: x.sum(axis=0),
    "resize": lambda m, x: m.resize(x, (2, 1, 4)),
    "resize to fewer": lambda m, x: m.resize(x, (2,)),
    "indices": lambda m, x: x[[0, 1]],
    "ravel of a read-only one": lambda m, x: m.ravel(m.broadcast_to(x, (3, 2, 1, 4))),
    "operation": lambda m, x: m.diagonal(x[:, 0]) + 1,
}
# Lines that write, each through v.
WRITES = [
    "v[...] = 7", "v += 1", "v.fill(7)", "np.copyto(v, 7)", "np.add(v, 1, out=v)", "v.real = 3",
    "v.T[...] = 7", "v[..., None] = 7", "v.reshape(v.shape)[...] = 7", "v[...].real[...] = 7",
    "np.sum(np.ones((2, *v.shape)), axis=0, out=v)", "v[None][...] = 7", "v[v == v] = 7",
]  # fmt: skip
IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS[:1])
def device(request):
    """One: a view is the same code on all."""
    with treadle.find_device(request.param) as device:
        yield device


def host():
    return (np.arange(8) + 1j * np.arange(8, 16)).astype("c8").reshape(2, 1, 4)


def expect_writes_through(view, text):
    theirs, x = host(), tnp.array(host())
    seen, mine = view(np, theirs), view(tnp, x)
    np.testing.assert_array_equal(mine.get(), seen, err_msg=text)
    seen[...] = 77
    mine[...] = 77
    assert (theirs != host()).any(), text
    np.testing.assert_array_equal(x.get(), theirs, err_msg=text)
    seen += 1
    mine += 1
    np.testing.assert_array_equal(x.get(), theirs, err_msg=text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_view_of_a_function_writes_through(device, name):
    function = name.split(" ")[0]
    if not hasattr(tnp, function):
        pytest.skip(f"treadle.numpy has no {function}")
    expect_writes_through(FUNCTIONS[name], name)


@pytest.mark.parametrize("name", METHODS)
def test_a_view_of_a_method_writes_through(device, name):
    expect_writes_through(lambda _, x: METHODS[name](x), name)


def refusal(line, module, view):
    """The error of a line that writes, or none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # broadcast_arrays() of NumPy 2
        try:
            exec(line, {"np": module, "v": view})
        except (ValueError, DeprecationWarning, TypeError) as error:
            return error
    return None


@pytest.mark.parametrize("line", WRITES)
def test_what_is_read_only_is_not_written_to_by(device, line):
    theirs, x = host(), tnp.array(host())
    views = READ_ONLY | {name: lambda _, x, f=f: f(x) for name, f in READ_ONLY_METHODS.items()}
    for name, view in views.items():
        expected = refusal(line, np, view(np, theirs))
        if expected is None or "real" in name or "not callable" in str(expected):
            continue
        found = refusal(line, tnp, view(tnp, x))
        assert isinstance(found, ValueError) and "read-only" in str(found), (name, found, expected)
        np.testing.assert_array_equal(x.get(), host(), name)


def is_writable(view):
    """By its flag; that NumPy will make it read-only is as good."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            return view.flags.writeable
        except FutureWarning:
            return False


def every_result(module, x):
    for name, function in (FUNCTIONS | READ_ONLY | COPIES).items():
        is_there = hasattr(tnp, name.split(" ")[0].split(".")[0]) or name in COPIES
        if is_there and "in place" not in name:
            yield name, function(module, x)
    for name, method in (METHODS | READ_ONLY_METHODS).items():
        yield name + "()", method(x)


def test_flags_are_numpys(device):
    """Of every view that a function gives, and of the views of these."""
    for base in (lambda m, x: x, lambda m, x: m.broadcast_to(x, x.shape)):
        theirs, x = base(np, host()), base(tnp, tnp.array(host()))
        mine = dict(every_result(tnp, x))
        for name, expected in every_result(np, theirs):
            found = mine[name]
            assert found.flags.writeable == is_writable(expected), name
            for flag in ("c_contiguous", "f_contiguous", "forc", "fnc", "contiguous", "fortran"):
                same = found.flags.c_contiguous == expected.flags.c_contiguous
                if found.strides == expected.strides or same:
                    assert getattr(found.flags, flag) == getattr(expected.flags, flag), name
            for method in ("T", "real", "slice", "None"):
                if found.ndim == 3:
                    seen = METHODS[method](found), METHODS[method](expected)
                    assert seen[0].flags.writeable == is_writable(seen[1]), (name, method)


def test_flags_are_set_and_read_by_name(device):
    x = tnp.array(host())
    assert x.flags["WRITEABLE"] and x.flags["C_CONTIGUOUS"] and x.flags["A"]
    assert "WRITEABLE : True" in repr(x.flags)
    with pytest.raises(KeyError):
        x.flags["ELSE"]
    y = x[0]
    x.flags.writeable = False
    assert not x.flags.writeable and not x[0].flags.writeable and y.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 3
    with pytest.raises(treadle.InvalidArgument):
        x.flags.writeable = True
    y[...] = 5
    assert x.get()[0, 0, 0] == 5


def test_what_is_read_only_leaves_so(device):
    x = tnp.diagonal(tnp.ones((3, 3)))
    if not device.id.startswith("cuda"):  # NumPy takes memory of the host
        assert np.from_dlpack(x).flags.writeable is False
    if device.id == "cpu":
        assert memoryview(x).readonly
    if device.language == treadle.Language.cuda_c:
        assert x.__cuda_array_interface__["data"][1] is True
        with pytest.raises(BufferError):
            x.__dlpack__()


def test_every_function_that_gives_a_view_is_in_this_table(device):
    """Called with an array, or an array and a number."""
    x = tnp.ones((2, 2))
    listed = {name.split(" ")[0].split(".")[-1] for name in FUNCTIONS | READ_ONLY}
    found = set()
    for name in tnp.__all__:
        for arguments in ((x,), (x, 1), ([x, x],), (x, (2, 2)), (x, 0, 1)):
            with warnings.catch_warnings(), contextlib.suppress(Exception):
                warnings.simplefilter("ignore")
                given = getattr(tnp, name)(*arguments)
                given = given if isinstance(given, (list, tuple)) else [given]
                if any(isinstance(g, treadle.Array) and tnp.shares_memory(g, x) for g in given):
                    found.add(name)
    listed |= {"Array", "ndarray", "from_dlpack"}  # the array itself
    assert found - listed == {"diff"}  # of order 0, as in NumPy


def test_a_view_sees_a_change_of_its_array(device):
    for name, view in FUNCTIONS.items():
        if not hasattr(tnp, name.split(" ")[0]):
            continue
        theirs, x = host(), tnp.array(host())
        seen, mine = view(np, theirs), view(tnp, x)
        theirs *= 3
        x *= 3
        np.testing.assert_array_equal(mine.get(), seen, err_msg=name)


def test_parts_of_complex_numbers_are_assigned_to(device):
    theirs, x = host(), tnp.array(host())
    for one in (theirs, x):
        one.real = 5
        one.imag = [1, 2, 3, 4]
    np.testing.assert_array_equal(x.get(), theirs)
    real = tnp.zeros(3)
    real.real = 2
    np.testing.assert_array_equal(real.get(), [2, 2, 2])
    with pytest.raises(treadle.Error):
        real.imag = 2
    with pytest.raises(TypeError):
        x.real = 3j


def test_numpys_own_functions_give_views_of_arrays_of_a_device(device):
    x = tnp.array(host())
    np.real(x)[...] = 0
    np.imag(x)[...] = 0
    np.testing.assert_array_equal(x.get(), np.zeros((2, 1, 4)))


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize(
    "view", ["x[::2]", "x[::-1]", "x.T", "x[:, ::2]", "x[0, ::3]", "x[0][::-1]", "x[:, 0]", "x[0]"]
)
def test_what_does_not_lie_dense_is_raveled_into_a_copy(device, view, order):
    theirs = np.arange(24.0).reshape(4, 6)
    ours = tnp.asarray(theirs.copy())
    for array in (theirs, ours):
        flat = eval(view, {"x": array}).ravel(order)
        flat[:1] = -1
    np.testing.assert_array_equal(ours.get(), theirs)


def test_memory_shared_with_arrays_of_numpy(device):
    x = tnp.asarray(np.arange(12.0).reshape(3, 4))
    seen = np.asarray(x)  # the same memory on the CPU device, elsewhere a copy
    x[0, 0] = 7
    is_shared = bool(x.get()[0, 0] == seen[0, 0])
    for share in (np.may_share_memory, np.shares_memory, tnp.may_share_memory):
        for views in ((x, seen), (seen, x), (x[1:], seen[:2].T), (x[:, ::2], seen[1])):
            assert share(*views) == is_shared
        assert not share(x[0], seen[1:]) and not share(seen[:, ::2], x[:, 1::2])
        assert not share(x + 1, seen) and not share(x, np.zeros(3)) and not share(seen[:0], x)
        assert not share(x, x.get()) and not share(x, [1, 2])
    assert tnp.shares_memory(seen, seen[1:]) and not tnp.shares_memory(seen, seen.copy())
    records = tnp.zeros(3, [("a", "i4"), ("b", "f4")])
    assert not np.shares_memory(records, np.zeros(3, records.dtype))


@pytest.mark.one_in(7)
@pytest.mark.parametrize("view", ["x", "x[1:]", "x[:, ::2]", "x.T", "x[::-1]", "x[0]", "x[..., :0]",
                                  "x[:, :1]", "x[0, 0, ...]"])  # fmt: skip
@pytest.mark.parametrize("before", ["f4", "c8", "u1", "i8", "?"])
@pytest.mark.parametrize("after", ["f4", "f8", "i2", "u1", "c16", "i8"])
def test_the_same_bytes_as_another_dtype(device, view, before, after):
    theirs = (np.arange(128) % 2).astype(before).reshape(8, 16)
    ours = tnp.asarray(theirs.copy())
    try:
        seen = eval(view, {"x": theirs}).view(after)
    except ValueError:
        with pytest.raises(ValueError, match="a view of .* as "):
            eval(view, {"x": ours}).view(after)
        return
    if seen.size and any(stride % seen.itemsize for stride in seen.strides):
        with pytest.raises(ValueError, match="multiples of their size"):
            eval(view, {"x": ours}).view(after)
        return
    mine = eval(view, {"x": ours}).view(after)
    assert (mine.dtype, mine.shape) == (seen.dtype, seen.shape)
    np.testing.assert_array_equal(mine.get(), seen)
    mine[...] = 1
    seen[...] = 1
    np.testing.assert_array_equal(ours.get(), theirs)


def test_a_view_of_the_same_dtype_is_the_same_memory(device):
    x = tnp.arange(6.0).reshape(2, 3)
    assert tnp.shares_memory(x.view(), x) and x.view().shape == x.shape
    assert not tnp.broadcast_to(x, (2, 2, 3)).view("i8").flags.writeable
    with pytest.raises(TypeError):
        x.view(np.ndarray)
    with pytest.raises(ValueError, match="multiples of their size"):
        tnp.zeros(17, "u1")[1:].view("f8")
