# SPDX-License-Identifier: MIT
"""Images, samplers, and every way between images, buffers and NumPy."""

import gc
import warnings

import numpy as np
import pyopencl as cl
import pytest

mf = cl.mem_flags
RGBA_BYTES = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
ONE_FLOAT = cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)


@pytest.fixture(autouse=True)
def _images(device):
    if not device.image_support:
        pytest.skip("the device has no images")


@pytest.fixture
def make(context):
    """make(*shape, ...) is an image of RGBA bytes."""

    def image(*shape, **keywords):
        return cl.create_image(context, mf.READ_WRITE, RGBA_BYTES, shape=shape, **keywords)

    return image


@pytest.fixture
def pixels():
    """pixels(rows, columns, ...) are as many that differ."""
    return lambda *shape: np.arange(int(np.prod(shape)) * 4, dtype=np.uint8).reshape(*shape, 4)


def test_format():
    fmt = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    assert (fmt.channel_count, fmt.dtype_size, fmt.itemsize) == (4, 4, 16)
    assert fmt == cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    assert hash(fmt) == hash(cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT))
    assert fmt != RGBA_BYTES and fmt != 3 and fmt != None  # noqa: E711
    assert repr(fmt) == "ImageFormat(RGBA, FLOAT)"
    assert not hasattr(fmt, "__dict__")
    fmt.channel_order = cl.channel_order.R
    fmt.channel_data_type = cl.channel_type.HALF_FLOAT
    assert fmt.itemsize == 2
    with pytest.raises(cl.LogicError, match="channel order 77"):
        cl.ImageFormat(77, cl.channel_type.FLOAT).channel_count  # noqa: B018


def test_formats_are_listed(context):
    formats = cl.get_supported_image_formats(context, mf.READ_ONLY, cl.mem_object_type.IMAGE2D)
    assert RGBA_BYTES in formats
    assert all(type(fmt) is cl.ImageFormat for fmt in formats)


@pytest.mark.parametrize(
    ("shape", "is_array", "kind"),
    [
        ((8,), False, "IMAGE1D"),
        ((8, 3), True, "IMAGE1D_ARRAY"),
        ((8, 4), False, "IMAGE2D"),
        ((8, 4, 3), True, "IMAGE2D_ARRAY"),
        ((8, 4, 2), False, "IMAGE3D"),
    ],
)
def test_information(shape, is_array, kind, make, context):
    image = make(*shape, is_array=is_array)
    assert image.type == getattr(cl.mem_object_type, kind)
    assert image.shape == shape
    assert image.format == RGBA_BYTES
    assert image.element_size == 4
    assert image.width == 8
    assert image.context == context
    assert image.image.depth == image.get_image_info(cl.image_info.DEPTH)
    assert image.buffer is None
    assert (image.num_mip_levels, image.num_samples) == (0, 0)
    if is_array:
        assert image.array_size == 3
    same = cl.Image.from_int_ptr(image.int_ptr)
    assert type(same) is cl.Image and same == image and same.shape == shape
    assert hash(same) == hash(image)


def test_release(make):
    image = make(4, 4)
    image.release()
    with pytest.raises(cl.LogicError):
        image.release()
    with pytest.raises(cl.LogicError):
        image.int_ptr  # noqa: B018


def test_what_a_plain_constructor_says(context):
    with pytest.warns(DeprecationWarning, match="create_image"):
        cl.Image(context, mf.READ_WRITE, RGBA_BYTES, shape=(4, 4))
    desc = cl.ImageDescriptor()
    desc.image_type = cl.mem_object_type.IMAGE2D
    desc.shape = (4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image = cl.Image(context, mf.READ_WRITE, RGBA_BYTES, desc=desc)
    assert image.shape == (4, 3)
    assert desc.shape == (4, 3, 1) and desc.pitches == (0, 0) and desc.buffer is None
    assert (desc.array_size, desc.num_mip_levels, desc.num_samples) == (1, 0, 0)
    with pytest.raises(TypeError, match="desc"):
        cl.Image(context, mf.READ_WRITE, RGBA_BYTES, shape=(4, 4), desc=desc)


def test_bad_words(context, make):
    def attempt(error, match, *shape, **keywords):
        with pytest.raises(error, match=match):
            make(*shape, **keywords)

    buffer = cl.Buffer(context, mf.READ_WRITE, 64)
    with pytest.raises(cl.Error, match="needs a shape"):
        cl.create_image(context, mf.READ_WRITE, RGBA_BYTES)
    attempt(cl.Error, "pitches are those of a hostbuf", 4, 4, pitches=(16,))
    attempt(ValueError, "1 to 3 dimensions", 1, 1, 1, 1)
    attempt(ValueError, "is_array or buffer", 4, 4, is_array=True, buffer=buffer)
    attempt(TypeError, "one dimension can be a buffer's", 4, 4, buffer=buffer)
    attempt(TypeError, "2 or 3 dimensions", 4, is_array=True)
    attempt(cl.LogicError, "the height is 0", 4, 0)
    attempt(cl.LogicError, "INVALID_IMAGE_DESCRIPTOR", 4, 0, is_array=True)
    attempt(cl.LogicError, "the width is 1048576000", 1048576000, 4)
    attempt(cl.LogicError, "the image needs 400 bytes, its memory has 64", 100, buffer=buffer)
    odd = cl.ImageFormat(cl.channel_order.RGB, cl.channel_type.UNSIGNED_INT32)
    with pytest.raises(cl.RuntimeError, match="format RGB, UNSIGNED_INT32 is none") as caught:
        cl.create_image(context, mf.READ_WRITE, odd, shape=(4, 4))
    assert caught.value.code == cl.status_code.IMAGE_FORMAT_NOT_SUPPORTED
    with pytest.raises(cl.LogicError, match="the image needs 64 bytes"):
        cl.create_image(
            context, mf.READ_ONLY | mf.COPY_HOST_PTR, RGBA_BYTES, (4, 4), hostbuf=bytes(63)
        )


def test_host_memory(context, queue, pixels):
    host = pixels(3, 5)
    flags = mf.READ_ONLY | mf.COPY_HOST_PTR
    image = cl.create_image(context, flags, RGBA_BYTES, shape=(5, 3), hostbuf=host)
    assert image.hostbuf is None
    back = np.empty_like(host)
    cl.enqueue_copy(queue, back, image, origin=(0, 0), region=(5, 3))
    assert (back == host).all()
    kept = cl.create_image(
        context, mf.READ_WRITE | mf.USE_HOST_PTR, RGBA_BYTES, shape=(5, 3), hostbuf=host
    )
    assert kept.hostbuf is host
    gaps = np.zeros((3, 8, 4), np.uint8)
    gaps[:, :5] = host
    image = cl.create_image(context, flags, RGBA_BYTES, (5, 3), pitches=(32,), hostbuf=gaps)
    cl.enqueue_copy(queue, back, image, origin=(0, 0), region=(5, 3))
    assert (back == host).all()
    with pytest.warns(UserWarning, match="no memory flags"), pytest.raises(cl.LogicError):
        cl.create_image(context, mf.READ_ONLY, RGBA_BYTES, shape=(5, 3), hostbuf=host)


def test_a_buffers_pixels(context, queue, upload, download, build):
    values = np.arange(32, dtype=np.uint8)
    buffer = upload(values)
    image = cl.create_image(context, mf.READ_ONLY, RGBA_BYTES, shape=(8,), buffer=buffer)
    assert image.type == cl.mem_object_type.IMAGE1D_BUFFER
    assert image.buffer == buffer and type(image.buffer) is cl.Buffer
    assert image.shape == (8,)
    program = build(
        "kernel void sum(read_only image1d_buffer_t image, global uint *to) {"
        "  int x = get_global_id(0); uint4 p = read_imageui(image, x);"
        "  to[x] = p.x + p.y + p.z + p.w; }"
    )
    result = upload(np.zeros(8, np.uint32))
    program.sum(queue, (8,), None, image, result)
    sums = values.reshape(8, 4).sum(axis=1)
    assert (download(result, np.zeros(8, np.uint32)) == sums).all()


def test_every_way_of_enqueue_copy(queue, make, pixels, upload, download):
    host = pixels(4, 6)
    first, second = make(6, 4), make(6, 4)
    whole = {"origin": (0, 0), "region": (6, 4)}
    written = cl.enqueue_copy(queue, first, host, **whole)
    assert type(written) is cl.NannyEvent and written.get_ward() is host
    event = cl.enqueue_copy(
        queue, second, first, src_origin=(0, 0), dest_origin=(0, 0), region=(6, 4)
    )
    assert type(event) is cl.Event
    buffer = upload(np.zeros(host.nbytes + 8, np.uint8))
    cl.enqueue_copy(queue, buffer, second, offset=8, **whole, wait_for=[event])
    assert (download(buffer, np.empty(host.nbytes + 8, np.uint8))[8:] == host.ravel()).all()
    third = make(6, 4)
    cl.enqueue_copy(queue, third, buffer, offset=8, **whole)
    back = np.zeros_like(host)
    read = cl.enqueue_copy(queue, back, third, is_blocking=False, **whole)
    read.wait()
    assert (back == host).all()
    part = np.zeros((2, 3, 4), np.uint8)
    cl.enqueue_copy(queue, part, third, origin=(2, 1), region=(3, 2))
    assert (part == host[1:3, 2:5]).all()
    wide = np.zeros((2, 5, 4), np.uint8)
    cl.enqueue_copy(queue, wide, third, origin=(2, 1), region=(3, 2), pitches=(20,))
    assert (wide[:, :3] == host[1:3, 2:5]).all() and not wide[:, 3:].any()
    with pytest.raises(KeyError):
        cl.enqueue_copy(queue, third, host)
    with pytest.raises(TypeError):
        cl.enqueue_copy(queue, third, host, **whole, pitches=(1, 2, 3))


@pytest.mark.parametrize(
    ("shape", "is_array"), [((7,), False), ((7, 3), True), ((7, 5, 3), True), ((7, 5, 3), False)]
)
def test_copies_of_other_shapes(shape, is_array, queue, make, pixels):
    host = pixels(*shape[::-1])
    image = make(*shape, is_array=is_array)
    cl.enqueue_copy(queue, image, host, origin=(0,), region=shape)
    back = np.zeros_like(host)
    cl.enqueue_copy(queue, back, image, origin=(0,), region=shape)
    assert (back == host).all()


def test_bad_copies(queue, make, context):
    image = make(6, 4)
    host = np.zeros((4, 6, 4), np.uint8)
    with pytest.raises(cl.LogicError, match=r"\(7, 4, 1\) pixels .* an image of \(6, 4, 1\)"):
        cl.enqueue_copy(queue, host, image, origin=(0, 0), region=(7, 4))
    with pytest.raises(cl.LogicError, match="need 96 bytes of the host, which has 24"):
        cl.enqueue_copy(queue, image, host[0], origin=(0, 0), region=(6, 4))
    with pytest.raises(cl.LogicError, match="more than 3 entries"):
        cl.enqueue_copy(queue, image, host, origin=(0, 0, 0, 0), region=(6, 4))
    with pytest.raises(cl.LogicError, match=r"\(0, 0, 0\) pixels"):
        cl.enqueue_copy(queue, image, host, origin=(0, 0), region=(0, 0, 0))
    with pytest.raises(cl.LogicError, match="the memory is no image"):
        cl._cl._enqueue_read_image(
            queue, cl.Buffer(context, mf.READ_WRITE, 96), (0, 0), (6, 4), host
        )
    floats = cl.create_image(context, mf.READ_WRITE, ONE_FLOAT, shape=(6, 4))
    with pytest.raises(cl.RuntimeError, match="IMAGE_FORMAT_MISMATCH"):
        cl.enqueue_copy(queue, floats, image, src_origin=(0, 0), dest_origin=(0, 0), region=(6, 4))
    small = cl.Buffer(context, mf.READ_WRITE, 95)
    with pytest.raises(cl.LogicError, match="96 bytes, which from byte 0 on do not fit"):
        cl.enqueue_copy(queue, small, image, offset=0, origin=(0, 0), region=(6, 4))


def test_fills(queue, make):
    image = make(6, 4)
    cl.enqueue_fill_image(queue, image, np.array([1, 2, 3, 4], np.uint32), (0, 0), (6, 4))
    event = cl.enqueue_fill_image(
        queue, image, np.array([9, 9, 9, 9], np.uint32), origin=(1, 1), region=(2, 1)
    )
    host = np.zeros((4, 6, 4), np.uint8)
    cl.enqueue_copy(queue, host, image, origin=(0, 0), region=(6, 4), wait_for=[event])
    assert (host[1, 1:3] == 9).all()
    assert (host[0] == [1, 2, 3, 4]).all()
    with pytest.raises(cl.LogicError, match="32 bytes; pass four values of uint32"):
        cl.enqueue_fill_image(queue, image, np.zeros(4), (0, 0), (6, 4))


def test_maps(queue, make, pixels):
    host = pixels(4, 6)
    image = make(6, 4)
    cl.enqueue_copy(queue, image, host, origin=(0, 0), region=(6, 4))
    mapped, event, row_pitch, slice_pitch = cl.enqueue_map_image(
        queue, image, cl.map_flags.READ | cl.map_flags.WRITE, (2, 1), (3, 2), (2, 3, 4), np.uint8
    )
    assert type(event) is cl.Event and isinstance(mapped.base, cl.MemoryMap)
    assert row_pitch >= 12 and slice_pitch == 0
    assert (mapped == host[1:3, 2:5]).all()  # whatever lies between the rows
    mapped[0, 0] = 77
    mapped.base.release(queue)
    del mapped
    cl.enqueue_copy(queue, host, image, origin=(0, 0), region=(6, 4))
    assert (host[1, 2] == 77).all()


def test_maps_of_other_shapes(queue, make, pixels):
    host = pixels(3, 5, 7)
    image = make(7, 5, 3)
    cl.enqueue_copy(queue, image, host, origin=(0, 0, 0), region=(7, 5, 3))
    read = cl.map_flags.READ

    def mapped(*args, **keywords):
        return cl.enqueue_map_image(queue, image, read, *args, **keywords)[0]

    part = mapped((1, 1, 1), (4, 2, 2), (2, 2, 16), np.uint8)
    assert (part.reshape(2, 2, 4, 4) == host[1:3, 1:3, 1:5]).all()
    assert part.flags.writeable
    words = mapped((1, 1, 1), (4, 2, 2), (4, 2, 2), np.uint32, order="F")
    assert (words.T == host.view(np.uint32)[1:3, 1:3, 1:5, 0]).all()
    with pytest.raises(cl.LogicError, match="does not follow the image's rows of 16 bytes"):
        mapped((1, 1, 1), (4, 2, 2), (64,), np.uint8)
    with pytest.raises(cl.LogicError, match="the array has 80 bytes, the region 64"):
        mapped((1, 1, 1), (4, 2, 2), (80,), np.uint8)
    with pytest.raises(cl.LogicError, match="is not in an image"):
        mapped((1, 1, 1), (7, 2, 2), (2, 2, 28), np.uint8)
    queue.finish()  # what was refused is unmapped in the queue's order
    assert image.map_count == 2
    del part, words
    gc.collect()
    queue.finish()
    assert image.map_count == 0


def test_sampler(context, queue, build, upload, download):
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    assert sampler.normalized_coords == 0
    assert sampler.addressing_mode == cl.addressing_mode.CLAMP_TO_EDGE
    assert sampler.filter_mode == cl.filter_mode.NEAREST
    assert sampler.context == context
    same = cl.Sampler.from_int_ptr(sampler.int_ptr)
    assert type(same) is cl.Sampler and same == sampler and hash(same) == hash(sampler)
    assert sampler.get_info(cl.sampler_info.REFERENCE_COUNT) == 2
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    image = cl.image_from_array(context, numbers)
    program = build(
        "kernel void look(read_only image2d_t image, sampler_t s, global float *to) {"
        "  int2 at = (int2)(get_global_id(0) - 1, 1);"
        "  to[get_global_id(0)] = read_imagef(image, s, at).x; }"
    )
    result = upload(np.zeros(6, np.float32))
    program.look(queue, (6,), None, image, sampler, result)
    assert download(result, np.zeros(6, np.float32)).tolist() == [4, 4, 5, 6, 7, 7]
    sp = cl.sampler_properties
    other = cl.Sampler(
        context, [sp.NORMALIZED_COORDS, 1, sp.ADDRESSING_MODE, cl.addressing_mode.REPEAT]
    )
    assert other.normalized_coords == 1
    with pytest.raises(cl.LogicError, match="normalised coordinates only"):
        cl.Sampler(context, False, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)


@pytest.mark.parametrize(
    ("dtype", "channels", "norm", "fmt"),
    [
        (np.float32, None, False, "R, FLOAT"),
        (cl.cltypes.uchar4, None, False, "RGBA, UNSIGNED_INT8"),
        (np.uint8, 4, True, "RGBA, UNORM_INT8"),
        (np.int16, 1, False, "R, SIGNED_INT16"),
        (np.float32, 4, False, "RGBA, FLOAT"),
    ],
)
def test_from_arrays(dtype, channels, norm, fmt, context, queue):
    shape = (3, 5) if channels in (None, 1) else (3, 5, channels)
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    ary = np.frombuffer(bytes(i % 125 for i in range(size)), dtype).reshape(shape)
    image = cl.image_from_array(context, ary, channels, norm_int=norm)
    assert image.shape == (5, 3)
    assert repr(image.format) == f"ImageFormat({fmt})"
    assert image.flags & mf.READ_ONLY
    back = np.zeros_like(ary)
    cl.enqueue_copy(queue, back, image, origin=(0, 0), region=(5, 3))
    assert back.tobytes() == ary.tobytes()


def test_from_arrays_that_are_none(context):
    ary = np.zeros((4, 6), np.float32)
    with pytest.raises(ValueError, match="C order"):
        cl.image_from_array(context, ary.T)
    with pytest.raises(cl.RuntimeError, match="4 channels"):
        cl.image_from_array(context, ary, 4)
    with pytest.raises(ValueError, match="'rw'"):
        cl.image_from_array(context, ary, mode="rw")
    with pytest.raises(KeyError):
        cl.image_from_array(context, ary, norm_int=True)
    with pytest.raises(KeyError):
        cl.image_from_array(context, ary.astype(np.float64))
    assert cl.image_from_array(context, ary, mode="w").flags & mf.WRITE_ONLY


def test_old_names(queue, make, pixels, context):
    host = pixels(4, 6)
    image, other = make(6, 4), make(6, 4)
    buffer = cl.Buffer(context, mf.READ_WRITE, host.nbytes)
    back = np.zeros_like(host)
    calls = [
        (cl.enqueue_write_image, (image, (0, 0), (6, 4), host)),
        (cl.enqueue_copy_image, (image, other, (0, 0), (0, 0), (6, 4))),
        (cl.enqueue_copy_image_to_buffer, (other, buffer, (0, 0), (6, 4), 0)),
        (cl.enqueue_copy_buffer_to_image, (buffer, image, 0, (0, 0), (6, 4))),
        (cl.enqueue_read_image, (image, (0, 0), (6, 4), back)),
    ]
    for function, arguments in calls:
        with pytest.warns(DeprecationWarning, match=function.__name__) as caught:
            function(queue, *arguments).wait()
        assert len(caught) == 1
    assert (back == host).all()


def test_an_image_is_a_kernels_output(context, queue, build):
    image = cl.create_image(context, mf.WRITE_ONLY, ONE_FLOAT, shape=(6, 4))
    program = build(
        "kernel void paint(write_only image2d_t image) {"
        "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
        "  write_imagef(image, at, (float4)(10 * at.y + at.x, 0, 0, 0)); }"
    )
    program.paint(queue, image.shape, None, image)
    result = np.zeros((4, 6), np.float32)
    cl.enqueue_copy(queue, result, image, origin=(0, 0), region=(6, 4))
    assert (result == 10 * np.arange(4)[:, None] + np.arange(6)).all()


def test_an_image_is_made_in_place(context):
    pixels = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    for shape in ((8, 4), _descriptor((8, 4))):
        image = cl.Image.__new__(cl.Image)
        image._custom_init(context, cl.mem_flags.READ_WRITE, pixels, shape)
        assert image.shape == (8, 4)


def _descriptor(shape):
    made = cl.ImageDescriptor()
    made.image_type = cl.mem_object_type.IMAGE2D
    made.shape = shape
    return made
