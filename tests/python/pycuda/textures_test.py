# SPDX-License-Identifier: MIT
"""Texture and surface references: settings, kernels that read them, and rebinding."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray

import treadle
from treadle import cuda as native

SOURCE = """
#include <pycuda-helpers.hpp>
texture<float, 2> image;
texture<float, 1> line;
texture<int, 1> numbers;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<fp_tex_double, 1> doubles;
texture<fp_tex_cfloat, 1> pairs;
texture<float, 3> volume;
surface<void, 2> target;
__constant__ int table[6];

__global__ void read_image(float *out, float dx, float dy)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D(image, x + dx, y + dy);
}
__global__ void read_line(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_line_from(float *out, int start)
{
    out[threadIdx.x] = tex1Dfetch(line, start + threadIdx.x);
}
__global__ void read_numbers(int *out) { out[threadIdx.x] = tex1Dfetch(numbers, threadIdx.x); }
__global__ void read_colours(float4 *out)
{
    out[threadIdx.x] = tex2D(colours, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_doubles(double *out)
{
    out[threadIdx.x] = fp_tex1Dfetch(doubles, threadIdx.x);
}
__global__ void read_pairs(pycuda::complex<float> *out)
{
    out[threadIdx.x] = fp_tex1Dfetch(pairs, threadIdx.x);
}
__global__ void read_volume(float *out)
{
    out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
        tex3D(volume, threadIdx.x + 0.5f, threadIdx.y + 0.5f, blockIdx.x + 0.5f);
}
__global__ void write_target()
{
    surf2Dwrite(10.0f * blockIdx.x + threadIdx.x, target, threadIdx.x * 4, blockIdx.x);
}
__global__ void spin(volatile int *go, float *out)
{
    while (*go == 0) {}
    out[threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, 0.5f);
}
"""

PICTURE = np.arange(20, dtype=np.float32).reshape(4, 5)


@pytest.fixture
def module(build):
    return build(SOURCE)


def read_image(module, dx=0.5, dy=0.5, **keywords):
    out = np.zeros_like(PICTURE)
    module.get_function("read_image")(
        cuda.Out(out), np.float32(dx), np.float32(dy), block=(5, 1, 1), grid=(4, 1), **keywords
    )
    return out


# --- settings -------------------------------------------------------------------------------------


def test_a_reference_of_no_module_holds_settings(context):
    texref = cuda.TextureReference()
    assert texref.get_flags() == 0
    texref.set_flags(cuda.TRSF_NORMALIZED_COORDINATES | cuda.TRSF_READ_AS_INTEGER)
    assert texref.get_flags() == 3
    texref.set_address_mode(1, cuda.address_mode.WRAP)
    assert texref.get_address_mode(1) == cuda.address_mode.WRAP
    assert texref.get_address_mode(0) == cuda.address_mode.CLAMP
    texref.set_filter_mode(cuda.filter_mode.LINEAR)
    assert texref.get_filter_mode() == cuda.filter_mode.LINEAR
    texref.set_format(cuda.array_format.SIGNED_INT16, 2)
    assert texref.get_format() == (cuda.array_format.SIGNED_INT16, 2)
    with pytest.raises(cuda.LogicError, match="no array is bound"):
        texref.get_array()
    with pytest.raises(cuda.LogicError, match="no address is bound"):
        texref.get_address()
    array = cuda.matrix_to_array(PICTURE, "C")
    texref.set_array(array)
    assert texref.get_array().handle == array.handle
    assert texref.get_format() == (cuda.array_format.FLOAT, 1)
    memory = cuda.mem_alloc(1024)
    assert texref.set_address(memory, 1024) == 0
    assert texref.get_address() == int(memory)


def test_declared_settings_are_where_a_reference_begins(module):
    numbers = module.get_texref("numbers")
    assert numbers.get_format() == (cuda.array_format.SIGNED_INT32, 1)
    assert numbers.get_flags() == cuda.TRSF_READ_AS_INTEGER
    colours = module.get_texref("colours")
    assert colours.get_format() == (cuda.array_format.UNSIGNED_INT8, 4)
    assert colours.get_flags() == 0
    assert module.get_texref("image").get_address_mode(0) == cuda.address_mode.CLAMP


REFUSED = {
    "a dimension": (cuda.LogicError, "dim is 3", lambda t: t.set_address_mode(3, 0)),
    "an address mode": (cuda.LogicError, "am is 4", lambda t: t.set_address_mode(0, 4)),
    "a filter": (cuda.LogicError, "fm is 2", lambda t: t.set_filter_mode(2)),
    "flags": (cuda.LogicError, "flags are 128", lambda t: t.set_flags(128)),
    "negative flags": (OverflowError, "flags.*negative", lambda t: t.set_flags(-1)),
    "a format": (cuda.LogicError, "format is 5", lambda t: t.set_format(5, 1)),
    "channels": (cuda.LogicError, "channels is 3", lambda t: t.set_format(32, 3)),
    "an array": (TypeError, "array must be an Array, not int", lambda t: t.set_array(1)),
    "no memory": (cuda.LogicError, "address is null", lambda t: t.set_address(0, 16)),
    "few bytes": (cuda.LogicError, "size_bytes is 1", lambda t: t.set_address(512, 1)),
    "negative bytes": (OverflowError, "bytes.*negative", lambda t: t.set_address(512, -1)),
    "a descriptor": (TypeError, "descr must be", lambda t: t.set_address_2d(512, 5, 32)),
    "an empty descriptor": (
        cuda.LogicError,
        "channels is 0|rows of 0",
        lambda t: t.set_address_2d(512, cuda.ArrayDescriptor(), 32),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_wrong_settings_are_refused_by_name(context, what):
    error, text, call = REFUSED[what]
    texref = cuda.TextureReference()
    texref.set_format(cuda.array_format.FLOAT, 1)
    with pytest.raises(error, match=text):
        call(texref)


def test_an_offset_is_returned_where_it_is_allowed(context):
    texref = cuda.TextureReference()
    texref.set_format(cuda.array_format.FLOAT, 1)
    memory = cuda.mem_alloc(4096)
    with pytest.raises(cuda.LogicError, match="8 bytes behind a multiple of"):
        texref.set_address(int(memory) + 8, 64)
    assert texref.set_address(int(memory) + 8, 64, allow_offset=True) == 8


def test_what_is_no_reference_is_refused(module):
    with pytest.raises(cuda.LogicError, match='"table" is a variable of 24 bytes, and no texture'):
        module.get_texref("table")
    with pytest.raises(cuda.LogicError, match='"target" is a surface reference'):
        module.get_texref("target")
    with pytest.raises(cuda.LogicError, match='"image" is a texture reference'):
        module.get_surfref("image")
    with pytest.raises(cuda.LogicError, match="nothing"):
        module.get_texref("nothing")
    with pytest.raises(RuntimeError):
        cuda.SurfaceReference()


# --- kernels --------------------------------------------------------------------------------------


def test_a_kernel_reads_an_array(module):
    image = module.get_texref("image")
    cuda.matrix_to_texref(PICTURE, image, order="C")
    assert (read_image(module, texrefs=[image]) == PICTURE).all()
    assert (read_image(module, dx=1.5, dy=-0.5)[1] == [1, 2, 3, 4, 4]).all()
    image.set_filter_mode(cuda.filter_mode.LINEAR)
    assert (read_image(module, dx=1.0)[:, :4] == PICTURE[:, :4] + 0.5).all()


def test_modes_flags_and_arrays_are_changed_between_launches(module):
    image = module.get_texref("image")
    image.set_array(cuda.matrix_to_array(PICTURE, "C"))
    assert (read_image(module) == PICTURE).all()
    image.set_array(cuda.matrix_to_array(PICTURE + 100, "C"))
    assert (read_image(module) == PICTURE + 100).all()
    image.set_address_mode(0, cuda.address_mode.BORDER)
    assert (read_image(module, dx=1.5)[:, 4] == 0).all()
    image.set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    assert (read_image(module, dx=0.1, dy=0.1)[0, 0]) == 100
    assert module.get_texref("image").get_flags() == cuda.TRSF_NORMALIZED_COORDINATES


def test_kernels_read_device_memory(module):
    values = np.arange(32, dtype=np.float32)
    memory = cuda.to_device(values)
    module.get_texref("line").set_address(memory, values.nbytes)
    out = np.zeros_like(values)
    module.get_function("read_line")(cuda.Out(out), block=(32, 1, 1))
    assert (out == values).all()
    pitched, pitch = cuda.mem_alloc_pitch(20, 4, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(PICTURE)
    copy.set_dst_device(pitched)
    copy.width_in_bytes, copy.src_pitch, copy.dst_pitch, copy.height = 20, 20, pitch, 4
    copy(aligned=True)
    descr = cuda.ArrayDescriptor()
    descr.width, descr.height, descr.num_channels = 5, 4, 1
    descr.format = cuda.array_format.FLOAT
    module.get_texref("image").set_address_2d(pitched, descr, pitch)
    assert (read_image(module) == PICTURE).all()


def test_integers_are_read_as_they_are_and_colours_as_fractions(module):
    values = np.arange(-8, 8, dtype=np.int32)
    numbers = module.get_texref("numbers")
    kept = gpuarray.to_gpu(values)
    kept.bind_to_texref_ext(numbers)
    out = np.zeros_like(values)
    module.get_function("read_numbers")(cuda.Out(out), block=(16, 1, 1))
    assert (out == values).all()
    pixels = np.arange(0, 256, 17, dtype=np.uint8).reshape(1, 4, 4)
    module.get_texref("colours").set_array(cuda.make_multichannel_2d_array(pixels, "C"))
    out = np.zeros((4, 4), np.float32)
    module.get_function("read_colours")(cuda.Out(out), block=(4, 1, 1))
    np.testing.assert_allclose(out, pixels[0] / np.float32(255), rtol=1e-6)


def test_doubles_and_complex_numbers_are_read_from_their_bits(module):
    values = np.random.rand(16)
    kept = gpuarray.to_gpu(values)
    texref = module.get_texref("doubles")
    kept.bind_to_texref_ext(texref, allow_double_hack=True)
    out = np.zeros_like(values)
    module.get_function("read_doubles")(cuda.Out(out), block=(16, 1, 1), texrefs=[texref])
    assert (out == values).all()
    z = (values + 1j * values[::-1]).astype(np.complex64)
    gpuarray.to_gpu(z).bind_to_texref_ext(module.get_texref("pairs"), allow_complex_hack=True)
    out = np.zeros_like(z)
    module.get_function("read_pairs")(cuda.Out(out), block=(16, 1, 1))
    assert (out == z).all()


def test_gpuarrays_bind_with_their_format(module):
    a = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
    line = module.get_texref("line")
    assert a.bind_to_texref(line) == 0
    view = a[2:34]
    with pytest.raises(cuda.LogicError, match="8 bytes behind"):
        view.bind_to_texref(line)
    start = view.bind_to_texref(line, allow_offset=True)
    assert start == 2
    out = np.zeros(32, np.float32)
    module.get_function("read_line_from")(cuda.Out(out), np.int32(start), block=(32, 1, 1))
    assert (out == np.arange(2, 34)).all()
    doubles = gpuarray.zeros(4, np.float64)
    with pytest.raises(TypeError, match="float64"):
        doubles.bind_to_texref_ext(line)
    with pytest.raises(ValueError, match="one channel, not 2"):
        doubles.bind_to_texref_ext(line, channels=2, allow_double_hack=True)
    with pytest.raises(cuda.LogicError, match="not contiguous"):
        a[::2].bind_to_texref(line)


def test_volumes_are_read(module):
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    module.get_texref("volume").set_array(cuda.np_to_array(a, "C"))
    out = np.zeros_like(a)
    module.get_function("read_volume")(cuda.Out(out), block=(4, 3, 1), grid=(2, 1))
    assert (out == a).all()


def test_surfaces_are_written(module):
    descr = cuda.ArrayDescriptor3D()
    descr.width, descr.height, descr.format, descr.num_channels = 5, 4, cuda.array_format.FLOAT, 1
    descr.flags = cuda.array3d_flags.SURFACE_LDST
    array = cuda.Array(descr)
    target = module.get_surfref("target")
    with pytest.raises(cuda.LogicError, match="no array is bound"):
        target.get_array()
    with pytest.raises(cuda.LogicError, match="surface_load_store"):
        target.set_array(cuda.matrix_to_array(PICTURE, "C"))
    target.set_array(array)
    assert target.get_array().handle == array.handle
    module.get_function("write_target")(block=(5, 1, 1), grid=(4, 1))
    out = np.zeros_like(PICTURE)
    copy = cuda.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = 20
    copy.height = 4
    copy(aligned=False)
    assert (out == 10 * np.arange(4)[:, None] + np.arange(5)).all()


# --- objects --------------------------------------------------------------------------------------

OBJECTS = """
extern "C" __global__ void read_object(float *out, cudaTextureObject_t texture)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        tex2D<float>(texture, threadIdx.x + 1.0f, blockIdx.x + 0.5f);
}
extern "C" __global__ void write_object(cudaSurfaceObject_t surface)
{
    surf2Dwrite(10.0f * blockIdx.x + threadIdx.x, surface, threadIdx.x * 4, blockIdx.x);
}
"""


def test_kernels_of_both_interfaces_take_texture_objects(build):
    array = native.Array(5, 4)
    array.copy_from(PICTURE)
    between = (PICTURE + PICTURE[:, [1, 2, 3, 4, 4]]) / 2
    kernel = build(OBJECTS, no_extern_c=True).get_function("read_object")
    for source in (array, cuda.matrix_to_array(PICTURE, "C")):
        texture = native.Texture(source, filter=native.FilterMode.linear)
        out = np.zeros_like(PICTURE)
        kernel(cuda.Out(out), texture, block=(5, 1, 1), grid=(4, 1))
        assert (out == between).all()
        memory = native.DeviceMemory(out.nbytes)
        program = treadle.compile_cuda(OBJECTS, native.default_device().target)
        function = native.Module(program.image).function("read_object")
        function(memory, texture, grid=(4,), block=(5,))
        memory.copy_to(out)
        assert (out == between).all()


def test_kernels_write_through_surface_objects(build):
    array = native.Array(5, 4, flags=native.ArrayFlags.surface_load_store)
    surface = native.Surface(array)
    build(OBJECTS, no_extern_c=True).get_function("write_object")(
        surface, block=(5, 1, 1), grid=(4, 1)
    )
    out = np.zeros_like(PICTURE)
    array.copy_to(out)
    assert (out == 10 * np.arange(4)[:, None] + np.arange(5)).all()
    with pytest.raises(treadle.InvalidArgument, match="surface_load_store"):
        native.Surface(native.Array(5))


def test_objects_refuse_what_does_not_go_together(context):
    with pytest.raises(treadle.InvalidArgument, match="width is -1"):
        native.Array(-1)
    with pytest.raises(TypeError, match="source must be an Array, not int"):
        native.Texture(5)
    integers = native.Array(8, format=native.ArrayFormat.int16)
    with pytest.raises(treadle.InvalidArgument, match="read as integers"):
        native.Texture(integers, filter=native.FilterMode.linear)
    fractions = native.Texture(
        integers, filter=native.FilterMode.linear, normalized_values=True,
        address_mode=[native.AddressMode.wrap, native.AddressMode.border],
    )  # fmt: skip
    assert fractions.raw != 0
    with pytest.raises(treadle.ShapeError, match="4 bytes, the array 16"):
        integers.copy_from(np.zeros(2, np.int16))
    integers.free()
    with pytest.raises(treadle.InvalidState, match="the array was freed"):
        fractions.raw  # noqa: B018 - the property raises
    with pytest.raises(treadle.InvalidState, match="the array was freed"):
        integers.free()


# --- whose and how long ---------------------------------------------------------------------------


def test_texrefs_are_of_the_kernels_module(module, build):
    image = module.get_texref("image")
    other = build("texture<float, 2> image; __global__ void k() {}").get_texref("image")
    kernel = module.get_function("read_image")
    kernel.param_set_texref(image)
    kernel.prepare("Pff", texrefs=[image])
    assert kernel.texrefs == [image]
    for wrong in (other, cuda.TextureReference()):
        with pytest.raises(cuda.LogicError, match="no variable of the module of kernel"):
            kernel.param_set_texref(wrong)
        with pytest.raises(cuda.LogicError, match="no variable of the module of kernel"):
            kernel.prepare("Pff", texrefs=[wrong])
        with pytest.raises(cuda.LogicError, match="no variable of the module of kernel"):
            kernel(block=(1, 1, 1), texrefs=[wrong])
    with pytest.raises(TypeError, match="a texture reference is wanted, not int"):
        kernel.param_set_texref(1)


def test_prepared_calls_read_what_is_bound(module):
    kernel = module.get_function("read_image")
    image = module.get_texref("image")
    cuda.matrix_to_texref(PICTURE, image, "C")
    kernel.prepare("Pff", texrefs=[image])
    memory = cuda.mem_alloc(PICTURE.nbytes)
    kernel.prepared_call((4, 1), (5, 1, 1), memory, 0.5, 0.5)
    assert (cuda.from_device_like(memory, PICTURE) == PICTURE).all()


def test_what_is_bound_is_kept(module):
    image, line = module.get_texref("image"), module.get_texref("line")
    cuda.matrix_to_texref(PICTURE, image, "C")
    gpuarray.to_gpu(np.full(32, 7, np.float32)).bind_to_texref(line)
    del image, line
    gpuarray.to_gpu(np.zeros(32, np.float32)).get()  # takes the pool's next block
    assert (read_image(module) == PICTURE).all()
    out = np.zeros(32, np.float32)
    module.get_function("read_line")(cuda.Out(out), block=(32, 1, 1))
    assert (out == 7).all()


def test_a_reference_keeps_its_module(build):
    image = build(SOURCE).get_texref("image")
    cuda.matrix_to_texref(PICTURE, image, "C")
    assert image.get_array().get_descriptor().width == 5


def test_a_freed_array_is_refused_at_the_launch(module):
    array = cuda.matrix_to_array(PICTURE, "C")
    image = module.get_texref("image")
    image.set_array(array)
    array.free()
    with pytest.raises(cuda.LogicError, match='"image" is bound to was freed'):
        read_image(module)


def test_rebinding_waits_for_a_launch_that_still_reads(module):
    go = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    image = module.get_texref("image")
    slow, fast = cuda.Stream(1), cuda.Stream(1)  # not ordered with the default stream
    first, second = cuda.mem_alloc(20), cuda.mem_alloc(PICTURE.nbytes)
    cuda.matrix_to_texref(PICTURE, image, "C")
    spin = module.get_function("spin")
    spin(np.uintp(go.base.get_device_pointer()), first, block=(5, 1, 1), stream=slow)
    try:
        cuda.matrix_to_texref(PICTURE + 100, image, "C")
        read = module.get_function("read_image")
        half = np.float32(0.5)
        read(second, half, half, block=(5, 1, 1), grid=(4, 1), stream=fast)
    finally:
        go[0] = 1
    fast.synchronize()
    slow.synchronize()
    assert (cuda.from_device(first, 5, np.float32) == PICTURE[0]).all()
    assert (cuda.from_device_like(second, PICTURE) == PICTURE + 100).all()


def test_many_streams_read_what_was_bound_when_they_launched(module):
    image = module.get_texref("image")
    read, half = module.get_function("read_image"), np.float32(0.5)
    streams = [cuda.Stream(flags) for flags in (0, 1, 1)] + [None]
    arrays = [cuda.matrix_to_array(PICTURE + 100 * i, "C") for i in range(3)]
    results = []
    for i in range(60):
        image.set_array(arrays[i % 3 if i % 2 else 0])
        memory = cuda.mem_alloc(PICTURE.nbytes)
        read(memory, half, half, block=(5, 1, 1), grid=(4, 1), stream=streams[i % 4])
        results.append((memory, 100 * (i % 3 if i % 2 else 0)))
    cuda.Context.synchronize()
    for memory, offset in results:
        assert (cuda.from_device_like(memory, PICTURE) == PICTURE + offset).all()


# --- programs that ask for the version ------------------------------------------------------------

VERSIONS = """
import pycuda.driver as cuda
print(cuda.get_version(), cuda.get_driver_version())
"""


def test_a_setting_chooses_the_version_that_programs_see(run_python):
    told = run_python("-c", "import treadle.compat" + VERSIONS, TREADLE_PYCUDA_CUDA_VERSION="11.8")
    assert told.stdout.strip() == "(11, 8, 0) 11080", told.stderr
    true = run_python("-c", "import treadle.compat" + VERSIONS)
    assert int(true.stdout.split()[-1]) >= 12000, true.stderr
    wrong = run_python("-c", "import treadle.compat" + VERSIONS, TREADLE_PYCUDA_CUDA_VERSION="new")
    assert "no version such as 11.8" in wrong.stderr
