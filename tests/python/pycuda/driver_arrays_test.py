# SPDX-License-Identifier: MIT
"""pycuda.driver's arrays: descriptors, copies of bytes, rectangles and boxes, and helpers."""

import inspect

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray

FLOAT, INT8 = cuda.array_format.FLOAT, cuda.array_format.SIGNED_INT8


def described(width, height=0, fmt=FLOAT, channels=1):
    descr = cuda.ArrayDescriptor()
    descr.width, descr.height, descr.format, descr.num_channels = width, height, fmt, channels
    return descr


def described_3d(width, height, depth, fmt=FLOAT, flags=0):
    descr = cuda.ArrayDescriptor3D()
    descr.width, descr.height, descr.depth = width, height, depth
    descr.format, descr.num_channels, descr.flags = fmt, 1, flags
    return descr


def contents(array, dtype):
    """All of an array, as (depth, height, width, channels) without axes of length 1."""
    descr = array.get_descriptor_3d()
    shape = (max(descr.depth, 1), max(descr.height, 1), descr.width, descr.num_channels)
    out = np.empty(shape, dtype)
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = out.strides[1]
    copy.height = copy.dst_height = shape[1]
    copy.depth = shape[0]
    copy()
    return out.squeeze()


# --- descriptors and arrays -----------------------------------------------------------------------


def test_descriptors_begin_with_zeros():
    descr = cuda.ArrayDescriptor()
    assert (descr.width, descr.height, descr.num_channels, int(descr.format)) == (0, 0, 0, 0)
    descr = cuda.ArrayDescriptor3D()
    assert (descr.depth, descr.flags) == (0, 0)
    descr.note = "programs keep things of their own on it"


@pytest.mark.parametrize("name", ["width", "height", "num_channels"])
def test_descriptors_take_whole_numbers(name):
    descr = cuda.ArrayDescriptor()
    setattr(descr, name, np.int64(3))
    assert getattr(descr, name) == 3
    with pytest.raises(OverflowError, match=f"{name}.*negative"):
        setattr(descr, name, -1)
    with pytest.raises(TypeError, match=f"{name} must be an integer, not the float"):
        setattr(descr, name, 1.0)


def test_a_format_is_a_member():
    descr = cuda.ArrayDescriptor()
    descr.format = FLOAT
    assert descr.format == FLOAT
    assert str(descr.format) == "FLOAT"
    with pytest.raises(TypeError, match="format must be a member"):
        descr.format = "float"


def test_an_array_tells_what_it_is(context):
    array = cuda.Array(described(8, 4, INT8, 2))
    descr = array.get_descriptor()
    assert (descr.width, descr.height, descr.num_channels, descr.format) == (8, 4, 2, INT8)
    assert isinstance(descr, cuda.ArrayDescriptor)
    volume = cuda.Array(described_3d(8, 4, 2, flags=cuda.array3d_flags.SURFACE_LDST))
    descr = volume.get_descriptor_3d()
    assert (descr.depth, descr.flags) == (2, 2)
    assert isinstance(array.handle, int)
    assert array.handle != volume.handle
    array.mine = 1


def test_free_is_idempotent_and_ends_the_array(context):
    array = cuda.Array(described(8))
    array.free()
    array.free()
    assert array.get_descriptor().width == 8
    with pytest.raises(cuda.LogicError, match="the array was freed"):
        array.handle  # noqa: B018 - the property raises
    with pytest.raises(cuda.LogicError, match="the array was freed"):
        cuda.memcpy_htoa(array, 0, np.zeros(8, np.float32))


@pytest.mark.parametrize(
    ("descr", "text"),
    [
        (lambda: cuda.ArrayDescriptor(), "channels is 0"),
        (lambda: described(0), "width is 0"),
        (lambda: described(4, channels=3), "channels is 3, and 1, 2 or 4"),
        (lambda: described(4, fmt=7), "format is 7"),
        (lambda: described_3d(4, 0, 2), "height is 0 where depth is 2"),
        (lambda: described_3d(4, 4, 5, flags=cuda.array3d_flags.CUBEMAP), "6 faces"),
        (lambda: described_3d(4, 4, 0, flags=cuda.array3d_flags.ARRAY3D_LAYERED), "layers"),
    ],
)
def test_descriptors_that_no_array_has_are_refused(context, descr, text):
    with pytest.raises(cuda.LogicError, match=text):
        cuda.Array(descr())


def test_only_a_descriptor_makes_an_array(context):
    with pytest.raises(TypeError, match="descr must be an ArrayDescriptor, not int"):
        cuda.Array(5)
    with pytest.raises(TypeError):
        cuda.Array()


def test_an_array_needs_a_context():
    with pytest.raises(cuda.LogicError, match="no currently active context"):
        cuda.Array(described(8))


# --- copies of bytes ------------------------------------------------------------------------------

VALUES = np.arange(16, dtype=np.float32)


@pytest.fixture
def row(context):
    array = cuda.Array(described(16))
    cuda.memcpy_htoa(array, 0, VALUES)
    return array


def test_bytes_go_between_host_device_and_array(row):
    other = cuda.Array(described(16))
    memory = cuda.mem_alloc(64)
    cuda.memcpy_atoa(dest=other, dest_index=0, src=row, src_index=32, len=32)
    cuda.memcpy_atoa(dest=other, dest_index=32, src=row, src_index=0, len=32)
    cuda.memcpy_atod(dest=memory, ary=other, index=0, len=64)
    cuda.memset_d32(memory, 0, 1)
    cuda.memcpy_dtoa(ary=row, index=0, src=memory, len=64)
    back = np.empty_like(VALUES)
    cuda.memcpy_atoh(dest=back, ary=row, index=0)
    assert (back == np.concatenate([[0], VALUES[9:], VALUES[:8]])).all()
    cuda.py_memcpy_htoa(ary=row, index=8, src=VALUES[5:7])
    cuda.py_memcpy_atoh(dest=back[:3], ary=row, index=4)
    assert back[:3].tolist() == [9, 5, 6]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda a: cuda.memcpy_htoa(a, 0, np.zeros(17, "f4")), cuda.LogicError, "64 bytes, and 68"),
        (lambda a: cuda.memcpy_atoh(np.zeros(16, "f4"), a, 4), cuda.LogicError, "64 from 4"),
        (lambda a: cuda.memcpy_htoa(a, 2, np.zeros(1, "f4")), cuda.LogicError, "offset_bytes is 2"),
        (lambda a: cuda.memcpy_htoa(a, -4, VALUES), OverflowError, "index.*negative"),
        (lambda a: cuda.memcpy_atoa(a, 0, a, 0, -4), OverflowError, "len.*negative"),
        (lambda a: cuda.memcpy_htoa(5, 0, VALUES), TypeError, "ary must be an Array, not int"),
        (lambda a: cuda.memcpy_htoa(a, 0, [1.0]), TypeError, "bytes-like"),
        (lambda a: cuda.memcpy_dtoa(a, 0, None, 4), TypeError, "src"),
        (lambda a: cuda.memcpy_dtoa(a, 0, 0, 4), cuda.LogicError, "source is null"),
    ],
)
def test_wrong_copies_of_bytes_are_refused_by_name(row, call, error, text):
    with pytest.raises(error, match=text):
        call(row)


# --- rectangles and boxes -------------------------------------------------------------------------


def test_rectangles_go_through_an_array(context):
    a = np.arange(30 * 17, dtype=np.float32).reshape(30, 17)
    array = cuda.Array(described(17, 30))
    copy = cuda.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = a.strides[0]
    copy.height = 30
    copy(aligned=True)
    assert copy.dst_memory_type == cuda.memory_type.ARRAY
    window = np.zeros((5, 4), np.float32)
    part = cuda.Memcpy2D()
    part.set_src_array(array)
    part.set_dst_host(window)
    part.src_x_in_bytes, part.src_y = 12, 7
    part.width_in_bytes = part.dst_pitch = 16
    part.height = 5
    stream = cuda.Stream()
    part(stream)
    stream.synchronize()
    assert (window == a[7:12, 3:7]).all()


def test_boxes_go_between_arrays_devices_and_contexts(context):
    a = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    first = cuda.np_to_array(a, "C")
    second = cuda.Array(first.get_descriptor_3d())
    for make in (cuda.Memcpy3D, cuda.Memcpy3DPeer):
        copy = make()
        copy.set_src_array(first)
        copy.set_dst_array(second)
        copy.src_z = copy.dst_x_in_bytes = 0
        copy.width_in_bytes, copy.height, copy.depth = 24, 5, 4
        copy()
        cuda.Context.synchronize()
        assert (contents(second, np.int32) == a).all()
        a = a[::-1].copy()
        first = cuda.np_to_array(a, "C")
    memory = cuda.to_device(a)
    down = cuda.Memcpy3D()
    down.set_src_device(memory)
    down.set_dst_array(second)
    down.src_pitch, down.src_height = 24, 5
    down.src_x_in_bytes, down.src_y, down.src_z = 8, 1, 2
    down.width_in_bytes, down.height, down.depth = 8, 2, 2
    down()
    assert (contents(second, np.int32)[:2, :2, :2] == a[2:4, 1:3, 2:4]).all()


def test_a_copy_keeps_its_array(context):
    copy = cuda.Memcpy2D()
    copy.set_src_array(cuda.np_to_array(np.ones((4, 4), np.float32), "C"))
    out = np.zeros((4, 4), np.float32)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = 16
    copy.height = 4
    copy(aligned=False)
    assert (out == 1).all()


def plane_copy(**wrong):
    copy = cuda.Memcpy2D()
    copy.set_src_host(np.zeros((4, 4), np.float32))
    copy.set_dst_array(cuda.Array(described(4, 4)))
    for name, value in {
        "src_pitch": 16,
        "width_in_bytes": 16,
        "height": 4,
        **wrong,
    }.items():
        setattr(copy, name, value)
    return copy


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"height": 5}, "the source has 64 bytes, and the copy ends at byte 80"),
        ({"src_y": 1}, "ends at byte 80"),
        ({"src_pitch": 20}, "ends at byte 76"),
        ({"src_pitch": 8}, "pitch of 8 bytes, and its rows have 16"),
        ({"dst_y": 1}, "the destination has 4 rows, and 4 from 1 on"),
        ({"dst_x_in_bytes": 4}, "16 bytes in a row, and 16 from 4 on"),
        ({"width_in_bytes": 14}, "elements of 4 bytes, and width_bytes is 14"),
    ],
)
@pytest.mark.parametrize("how", [True, False, None])
def test_rectangles_beyond_their_memory_are_refused(context, wrong, text, how):
    plane_copy()(how)
    with pytest.raises(cuda.LogicError, match=text):
        plane_copy(**wrong)(how)


def test_only_an_array_is_set_as_one(context):
    for copy in (cuda.Memcpy2D(), cuda.Memcpy3D(), cuda.Memcpy3DPeer()):
        for name in ("set_src_array", "set_dst_array"):
            with pytest.raises(TypeError, match="array must be an Array, not"):
                getattr(copy, name)(VALUES)


# --- helpers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("dtype_to_array_format", ["dtype"]),
        ("matrix_to_array", ["matrix", "order", "allow_double_hack=False"]),
        ("np_to_array", ["nparray", "order", "allowSurfaceBind=False"]),
        ("gpuarray_to_array", ["gpuarray", "order", "allowSurfaceBind=False"]),
        ("make_multichannel_2d_array", ["ndarray", "order"]),
        ("bind_array_to_texref", ["ary", "texref"]),
        ("matrix_to_texref", ["matrix", "texref", "order"]),
    ],
)
def test_helpers_have_pycudas_signatures(name, signature):
    parameters = inspect.signature(getattr(cuda, name)).parameters.values()
    given = [p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters]
    assert given == signature


def test_formats_of_dtypes():
    for dtype, name in {
        "u1": "UNSIGNED_INT8", "u2": "UNSIGNED_INT16", "u4": "UNSIGNED_INT32",
        "i1": "SIGNED_INT8", "i2": "SIGNED_INT16", "i4": "SIGNED_INT32", "f4": "FLOAT",
    }.items():  # fmt: skip
        assert cuda.dtype_to_array_format(dtype) == getattr(cuda.array_format, name)
    for dtype in ("f8", "i8", "c8", "?"):
        with pytest.raises(TypeError, match="no array holds elements of"):
            cuda.dtype_to_array_format(dtype)


@pytest.mark.parametrize("order", ["C", "F", "c", "f"])
def test_matrices_become_arrays(context, order):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    seen = contents(cuda.matrix_to_array(a, order), np.float32)
    assert (seen == (a if order in "Cc" else a.T)).all()
    strided = np.arange(48, dtype=np.int16).reshape(6, 8)[::2, ::2]
    seen = contents(cuda.matrix_to_array(strided, order), np.int16)
    assert (seen == (strided if order in "Cc" else strided.T)).all()


def test_doubles_become_pairs_of_integers_where_that_is_allowed(context):
    a = np.random.rand(3, 4)
    with pytest.raises(TypeError, match="float64"):
        cuda.matrix_to_array(a, "C")
    array = cuda.matrix_to_array(a, "C", allow_double_hack=True)
    assert array.get_descriptor().num_channels == 2
    assert array.get_descriptor().format == cuda.array_format.SIGNED_INT32
    assert (contents(array, np.int32).view(np.float64).reshape(3, 4) == a).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["f4", "u1", "f8", "c8", "c16"])
@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("surface", [False, True])
def test_arrays_of_two_and_three_axes_become_arrays(context, order, shape, dtype, where, surface):
    a = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    if where == "host":
        array = cuda.np_to_array(a, order, allowSurfaceBind=surface)
    else:
        array = cuda.gpuarray_to_array(gpuarray.to_gpu(a), order, allowSurfaceBind=surface)
    descr = array.get_descriptor_3d()
    flags = cuda.array3d_flags
    assert descr.flags == (
        0 if not surface
        else flags.SURFACE_LDST if a.ndim == 3
        else flags.SURFACE_LDST | flags.ARRAY3D_LAYERED
    )  # fmt: skip
    bits = {"f4": "f4", "u1": "u1"}.get(dtype, "i4")
    seen = np.ascontiguousarray(contents(array, bits)).reshape(-1).view(dtype)
    expected = a if order == "C" else a.T
    assert (seen.reshape(expected.shape) == expected).all()


def test_elements_of_several_channels(context):
    a = np.arange(24, dtype=np.uint8).reshape(3, 2, 4)
    array = cuda.make_multichannel_2d_array(a, "C")
    descr = array.get_descriptor()
    assert (descr.height, descr.width, descr.num_channels) == (3, 2, 4)
    assert (contents(array, np.uint8) == a).all()
    array = cuda.make_multichannel_2d_array(np.asfortranarray(a.transpose(2, 1, 0)), "F")
    assert (contents(array, np.uint8) == a).all()


def test_helpers_refuse_other_orders_and_axes(context):
    a = np.zeros((2, 2), np.float32)
    for call in (cuda.matrix_to_array, cuda.np_to_array):
        with pytest.raises(cuda.LogicError, match="order must be either F or C, not 'K'"):
            call(a, "K")
    with pytest.raises(cuda.LogicError, match="order must be either F or C"):
        cuda.np_to_array(a, "c")
    with pytest.raises(cuda.LogicError, match="2 or 3 axes is wanted, not of 1"):
        cuda.np_to_array(a[0], "C")
    with pytest.raises(cuda.LogicError, match="a matrix is wanted, not an array of 1"):
        cuda.matrix_to_array(a[0], "C")
    with pytest.raises(cuda.LogicError, match="3 axes is wanted, not of 2"):
        cuda.make_multichannel_2d_array(a, "C")
    with pytest.raises(TypeError, match="int64"):
        cuda.np_to_array(a.astype(np.int64), "C")
