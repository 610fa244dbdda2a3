# SPDX-License-Identifier: MIT
"""Texture objects of mipmapped arrays and of memory, other looks at arrays, and their settings."""

import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest

import treadle
from treadle import cuda as native
from treadle.cuda import ArrayFlags, ArrayFormat, FilterMode, Texture, TextureMemory, TextureView

SOURCE = """
extern "C" {
__global__ void read_levels(float *out, cudaTextureObject_t image, float step)
{
    out[threadIdx.x] = tex2DLod<float>(image, 0.5f, 0.5f, step * threadIdx.x);
}
__global__ void read_row(int *out, cudaTextureObject_t row)
{
    out[threadIdx.x] = tex1Dfetch<int>(row, threadIdx.x);
}
__global__ void read_rows(float *out, cudaTextureObject_t image, float dx)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D<float>(image, x + dx, y + 0.5f);
}
__global__ void read_bytes(uchar4 *out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2D<uchar4>(image, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_layers(float *out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2DLayered<float>(image, 0.5f, 0.5f, threadIdx.x);
}
__global__ void look_at(float *out, cudaTextureObject_t cube, const float3 *at)
{
    float3 d = at[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
}
}
"""


@pytest.fixture
def kernel(build):
    return build(SOURCE, no_extern_c=True).get_function


def read(function, texture, *arguments, count, dtype="f4", grid=1):
    out = np.zeros((grid, count) if grid > 1 else count, dtype)
    function(cuda.Out(out), texture, *arguments, block=(count, 1, 1), grid=(grid, 1))
    return out


def halves():
    """Four levels of 16, 32, 64 and 128 in each element."""
    array = native.MipmappedArray(8, 8, levels=4)
    for index in range(array.levels):
        level = array.level(index)
        level.copy_from(np.full((level.height, level.width), 16 << index, np.float32))
    return array


# --- mipmapped arrays -----------------------------------------------------------------------------


def test_mipmapped_arrays_say_what_they_are(context):
    array = native.MipmappedArray(
        8, 4, levels=3, format=ArrayFormat.int16, channels=2, flags=ArrayFlags.surface_load_store
    )
    assert (array.width, array.height, array.depth, array.levels) == (8, 4, 0, 3)
    assert (array.format, array.channels) == (ArrayFormat.int16, 2)
    assert array.flags == ArrayFlags.surface_load_store
    level = array.level(2)
    assert (level.width, level.height) == (2, 1)
    assert array.raw != level.raw
    with pytest.raises(IndexError, match="level 3 of a mipmapped array of 3 levels"):
        array.level(3)
    array.free()
    assert array.is_freed
    assert level.is_freed
    with pytest.raises(treadle.InvalidState, match="the mipmapped array was freed"):
        array.free()
    with pytest.raises(treadle.InvalidState, match="was freed"):
        Texture(array)


def test_mipmapped_arrays_refuse_what_no_device_has(context):
    with pytest.raises(treadle.InvalidArgument, match="levels is 5, and 1 to 4"):
        native.MipmappedArray(8, 4, levels=5)
    with pytest.raises(treadle.InvalidArgument, match="width is -1"):
        native.MipmappedArray(-1, levels=1)
    with pytest.raises(TypeError):
        native.MipmappedArray(8, 4)


def test_kernels_read_levels_and_what_lies_between(kernel):
    between = Texture(halves(), normalized_coordinates=True, mipmap_filter=FilterMode.linear)
    found = read(kernel("read_levels"), between, np.float32(0.5), count=7)
    assert found.tolist() == [16, 24, 32, 48, 64, 96, 128]
    nearest = Texture(halves(), normalized_coordinates=True)
    assert read(kernel("read_levels"), nearest, np.float32(1), count=4).tolist() == [
        16,
        32,
        64,
        128,
    ]
    biased = Texture(halves(), normalized_coordinates=True, mipmap_bias=1, max_mipmap_level=2)
    assert read(kernel("read_levels"), biased, np.float32(1), count=3).tolist() == [32, 64, 64]
    view = TextureView(levels=(1, 2))
    middle = Texture(
        halves(), normalized_coordinates=True, mipmap_filter=FilterMode.linear, view=view,
        trilinear_optimization=False,
    )  # fmt: skip
    found = read(kernel("read_levels"), middle, np.float32(0.5), count=4)
    assert found.tolist() == [32, 48, 64, 64]


def test_surfaces_write_a_level(build):
    array = native.MipmappedArray(4, 4, levels=2, flags=ArrayFlags.surface_load_store)
    write = build(
        'extern "C" __global__ void write(cudaSurfaceObject_t s)'
        "{ surf2Dwrite(5.0f + threadIdx.x, s, threadIdx.x * 4, blockIdx.x); }",
        no_extern_c=True,
    ).get_function("write")
    surface = native.Surface(array.level(1))
    write(surface, block=(2, 1, 1), grid=(2, 1))
    out = np.zeros((2, 2), np.float32)
    array.level(1).copy_to(out)
    assert out.tolist() == [[5, 6], [5, 6]]


# --- memory ---------------------------------------------------------------------------------------


def test_kernels_read_memory_of_every_kind(kernel):
    values = np.arange(8, dtype=np.int32) * 3
    own = native.DeviceMemory(values.nbytes)
    own.copy_from(values)
    for memory in (own, cuda.to_device(values)):
        source = TextureMemory(memory, 8, format=ArrayFormat.int32)
        assert (source.address, source.width, source.height) == (int(memory), 8, 0)
        assert (read(kernel("read_row"), Texture(source), count=8, dtype="i4") == values).all()


def test_kernels_read_rows_with_a_filter(kernel):
    values = np.arange(20, dtype=np.float32).reshape(4, 5)
    memory, pitch = cuda.mem_alloc_pitch(values.strides[0], 4, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(values)
    copy.set_dst_device(memory)
    copy.src_pitch = copy.width_in_bytes = values.strides[0]
    copy.dst_pitch, copy.height = pitch, 4
    copy(aligned=True)
    source = TextureMemory(memory, 5, 4, pitch_bytes=pitch)
    assert source.pitch_bytes == pitch
    texture = Texture(source, filter=FilterMode.linear)
    found = read(kernel("read_rows"), texture, np.float32(1), count=5, grid=4)
    assert (found == (values + values[:, [1, 2, 3, 4, 4]]) / 2).all()


def test_textures_keep_their_memory(kernel):
    memory = native.DeviceMemory(64)
    memory.copy_from(np.arange(16, dtype=np.int32))
    gone = weakref.ref(memory)
    texture = Texture(TextureMemory(memory, 16, format=ArrayFormat.int32))
    del memory
    gc.collect()
    assert gone() is not None
    assert read(kernel("read_row"), texture, count=16, dtype="i4").tolist() == list(range(16))
    del texture
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"width": 0}, treadle.InvalidArgument, "no elements"),
        ({"width": -4}, treadle.InvalidArgument, "width is -4"),
        ({"memory": 0}, treadle.InvalidArgument, "address is null"),
        ({"memory": "text"}, TypeError, "memory"),
        ({"memory": 516}, treadle.InvalidArgument, "and a multiple of"),
        (
            {"height": 4, "pitch_bytes": 8},
            treadle.InvalidArgument,
            "pitch_bytes is 8, and its rows",
        ),
        ({"channels": 3}, treadle.InvalidArgument, "channels is 3"),
    ],
)
def test_memory_that_no_texture_reads_is_refused(context, change, error, text):
    memory = native.DeviceMemory(1024)
    arguments = {"memory": memory, "width": 16, **change}
    with pytest.raises(error, match=text):
        Texture(TextureMemory(**arguments))


# --- views and settings ---------------------------------------------------------------------------


def test_views_have_other_elements_and_some_layers(kernel):
    words = native.Array(2, 1, format=ArrayFormat.uint32)
    words.copy_from(np.array([0x04030201, 0xFF000007], np.uint32))
    view = TextureView(format=ArrayFormat.uint8, channels=4)
    out = np.zeros((2, 4), np.uint8)
    kernel("read_bytes")(cuda.Out(out), Texture(words, view=view), block=(2, 1, 1))
    assert out.tolist() == [[1, 2, 3, 4], [7, 0, 0, 255]]
    layers = native.Array(1, 1, 5, flags=ArrayFlags.layered)
    layers.copy_from(np.arange(5, dtype=np.float32))
    texture = Texture(layers, view=TextureView(layers=(1, 3)))
    assert read(kernel("read_layers"), texture, count=4).tolist() == [1, 2, 3, 3]
    texture = Texture(layers, view=TextureView(layers=(3, TextureView.all)))
    assert read(kernel("read_layers"), texture, count=3).tolist() == [3, 4, 4]


def test_views_say_what_they_are():
    view = TextureView(format=ArrayFormat.half, channels=2, levels=(1, 2))
    assert (view.format, view.channels, view.levels) == (ArrayFormat.half, 2, (1, 2))
    assert view.layers == (0, TextureView.all)
    assert view.blocks == native.BlockFormat.none


def test_views_of_what_is_not_there_are_refused(context):
    array = native.Array(4, 4)
    for view, text in {
        TextureView(levels=(0, 1)): "levels are 0 to 1, and the array has 1",
        TextureView(layers=(1, 2)): "layers are 1 to 2",
        TextureView(format=ArrayFormat.uint8, channels=2): "elements have 2 bytes",
        TextureView(blocks=native.BlockFormat.bc1): "which have 2 channels of uint32",
    }.items():
        with pytest.raises(treadle.InvalidArgument, match=text):
            Texture(array, view=view)
    memory = TextureMemory(native.DeviceMemory(64), 16)
    with pytest.raises(
        treadle.InvalidArgument, match="view is given, and the texture reads memory"
    ):
        Texture(memory, view=TextureView(levels=(0, 0)))


def test_compressed_blocks_are_of_gpus(context, on_cpu):
    blocks = native.Array(1, 1, format=ArrayFormat.uint32, channels=2)
    with pytest.raises(treadle.NotSupported, match="reads no compressed blocks"):
        Texture(blocks, view=TextureView(blocks=native.BlockFormat.bc1))


DIRECTIONS = np.array([(1, 1, 0), (1, 0, 1), (0, 1, -1), (-1, -1, 0)], np.float32)


def cube(size=4):
    array = native.Array(size, size, 6, flags=ArrayFlags.cubemap)
    faces = np.arange(6, dtype=np.float32)[:, None, None] * 12
    array.copy_from(np.ascontiguousarray(np.broadcast_to(faces, (6, size, size))))
    return array


def test_cubemaps_without_edges(kernel):
    at = cuda.to_device(DIRECTIONS)
    texture = Texture(cube(), filter=FilterMode.linear, seamless_cubemap=True)
    found = read(kernel("look_at"), texture, at, count=4)
    assert found.tolist() == [12, 24, 42, 24]
    with_edges = Texture(cube(), filter=FilterMode.linear)
    found = read(kernel("look_at"), with_edges, at, count=4)
    assert (found % 12 == 0).all()


def test_references_have_the_flags_of_objects(build):
    module = build(
        "texture<float, cudaTextureTypeCubemap> sky;"
        "__global__ void look(float *out, const float3 *at)"
        "{ float3 d = at[threadIdx.x]; out[threadIdx.x] = texCubemap(sky, d.x, d.y, d.z); }"
    )
    sky = module.get_texref("sky")
    sky.set_flags(64 | 32)
    assert sky.get_flags() == 64 | 32
    sky.set_filter_mode(cuda.filter_mode.LINEAR)
    faces = np.repeat(np.arange(6, dtype=np.float32) * 12, 16).reshape(6, 4, 4)
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 4
    descriptor.depth, descriptor.flags = 6, cuda.array3d_flags.CUBEMAP
    descriptor.format, descriptor.num_channels = cuda.array_format.FLOAT, 1
    array = cuda.Array(descriptor)
    copy = cuda.Memcpy3D()
    copy.set_src_host(faces)
    copy.set_dst_array(array)
    copy.src_pitch = copy.width_in_bytes = 16
    copy.src_height = copy.height = 4
    copy.depth = 6
    copy()
    sky.set_array(array)
    out = np.zeros(4, np.float32)
    module.get_function("look")(
        cuda.Out(out), cuda.to_device(DIRECTIONS), block=(4, 1, 1), texrefs=[sky]
    )
    assert out.tolist() == [12, 24, 42, 24]


def test_borders_have_a_colour(kernel):
    array = native.Array(5, 4)
    array.copy_from(np.zeros((4, 5), np.float32))
    texture = Texture(array, address_mode=native.AddressMode.border, border=(7, 0, 0, 0))
    found = read(kernel("read_rows"), texture, np.float32(3.5), count=5, grid=4)
    assert found.tolist() == [[0, 0, 7, 7, 7]] * 4


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"nonsense": 1}, TypeError, 'Texture has no argument "nonsense"'),
        ({"filter": "linear"}, TypeError, "filter cannot be of type str"),
        ({"border": (1, 2)}, TypeError, "border cannot be of type tuple"),
        ({"view": 5}, TypeError, "view cannot be of type int"),
        ({"max_anisotropy": 17}, treadle.InvalidArgument, "max_anisotropy is 17"),
        ({"max_anisotropy": -1}, TypeError, "max_anisotropy"),
        ({"address_mode": [native.AddressMode.wrap] * 4}, treadle.InvalidArgument, "more than 3"),
    ],
)
def test_settings_that_are_none_are_refused_by_name(context, settings, error, text):
    with pytest.raises(error, match=text):
        Texture(native.Array(4, 4), **settings)
