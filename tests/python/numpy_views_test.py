# SPDX-License-Identifier: MIT
"""What is a view in NumPy is one in treadle.numpy: who writes through it changes the array."""

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
READ_ONLY = {
    "broadcast_to": lambda m, x: m.broadcast_to(x, (3, 2, 1, 4)),
    "imag of real numbers": lambda m, x: m.imag(m.real(x)),
}
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


@pytest.mark.parametrize("name", READ_ONLY)
def test_a_view_that_cannot_be_written_to_says_so(device, name):
    view = READ_ONLY[name]
    theirs, x = host(), tnp.array(host())
    with pytest.raises(ValueError, match="read-only"):
        view(np, theirs)[...] = 77
    with pytest.raises(treadle.Error):
        view(tnp, x)[...] = 77
    np.testing.assert_array_equal(x.get(), host())


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
