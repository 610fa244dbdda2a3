# SPDX-License-Identifier: MIT
"""pycuda.gl: its names, what is refused without OpenGL, and kernels that write what OpenGL has."""

import sys
from pathlib import Path

import numpy as np
import pycuda.driver as cuda
import pycuda.gl as gl
import pytest

import treadle
from treadle import cuda as native

sys.path.insert(0, str(Path(__file__).parents[1]))
from headless_gl import GL_TEXTURE_2D, HeadlessGl, NoGl  # noqa: E402


@pytest.fixture
def opengl(on_gpu):
    """A context of OpenGL on the GPU, where there is EGL."""
    try:
        context = HeadlessGl(hash(cuda.Context.get_device()))
    except NoGl as error:
        pytest.skip(f"no OpenGL: {error}")
    yield context
    context.close()


# --- names ----------------------------------------------------------------------------------------


def test_the_driver_has_what_gl_has():
    for name in (
        "BufferObject", "BufferObjectMapping", "RegisteredBuffer", "RegisteredImage",
        "RegisteredMapping", "graphics_map_flags",
    ):  # fmt: skip
        assert getattr(gl, name) is getattr(cuda, name)
    assert issubclass(gl.RegisteredBuffer, cuda.RegisteredObject)
    assert issubclass(gl.RegisteredImage, cuda.RegisteredObject)
    flags = gl.graphics_map_flags
    assert (flags.NONE, flags.READ_ONLY, flags.WRITE_DISCARD) == (0, 1, 2)


@pytest.mark.parametrize("name", ["RegisteredObject", "RegisteredMapping"])
def test_only_registering_makes_these(name):
    with pytest.raises(RuntimeError, match="cannot be instantiated"):
        getattr(cuda, name)()


def test_contexts_for_gl_are_contexts(context):
    own = gl.make_context(cuda.Context.get_device())
    assert cuda.Context.get_current() == own
    own.pop()
    again = cuda.make_gl_context(cuda.Context.get_device(), flags=cuda.ctx_flags.SCHED_YIELD)
    assert cuda.Context.get_current() == again
    again.pop()
    with pytest.warns(DeprecationWarning, match="make_context"):
        gl.init()


def test_autoinit_makes_a_context_current(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.gl.autoinit as a, pycuda.driver as d;"
        "assert d.Context.get_current() == a.context; print(a.device.name())",
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


# --- without OpenGL -------------------------------------------------------------------------------

REGISTER = {
    "a buffer": lambda: gl.RegisteredBuffer(1),
    "an image": lambda: gl.RegisteredImage(1, GL_TEXTURE_2D),
    "an old buffer": lambda: gl.BufferObject(1),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("what", REGISTER)
def test_without_a_context_of_opengl_the_reason_is_told(context, what):
    if cuda.Context.get_device()._target().startswith("cpu"):
        assert cuda.have_gl_ext() is False
        error, text = cuda.LogicError, "the CPU device shares no memory with OpenGL"
    elif cuda.have_gl_ext():
        error, text = cuda.LogicError, "no OpenGL context is current on this thread"
    else:
        error, text = cuda.RuntimeError, "libEGL.so.1"
    with pytest.raises(error, match=text):
        REGISTER[what]()


def test_arguments_are_checked_first(context):
    with pytest.raises(OverflowError, match="gl_handle.*negative"):
        gl.RegisteredBuffer(-1)
    with pytest.raises(TypeError, match="gl_handle must be an integer"):
        gl.RegisteredImage("1", GL_TEXTURE_2D)


def test_the_native_interface_says_the_same(context, on_cpu):
    with pytest.raises(treadle.NotSupported, match="shares no memory with OpenGL"):
        native.GraphicsResource.gl_buffer(1)
    with pytest.raises(treadle.NotSupported, match="shares no memory with OpenGL"):
        native.GraphicsResource.gl_image(1, GL_TEXTURE_2D, native.GraphicsFlags.read_only)


# --- on a GPU with EGL ----------------------------------------------------------------------------

FILL = """
__global__ void fill(float *out, float first) { out[threadIdx.x] = first + threadIdx.x; }
__global__ void paint(cudaSurfaceObject_t picture)
{
    uchar4 colour = make_uchar4(threadIdx.x, blockIdx.x, 7, 255);
    surf2Dwrite(colour, picture, threadIdx.x * 4, blockIdx.x);
}
"""
NUMBERS = np.arange(64, dtype=np.float32)
PICTURE = np.arange(8 * 4 * 4, dtype=np.uint8).reshape(4, 8, 4)


def test_kernels_write_buffers_of_opengl(opengl, build):
    fill = build(FILL).get_function("fill")
    name = opengl.buffer(NUMBERS)
    registered = gl.RegisteredBuffer(name, gl.graphics_map_flags.NONE)
    assert registered.gl_handle() == name
    stream = cuda.Stream()
    mapping = registered.map(stream)
    address, size = mapping.device_ptr_and_size()
    assert size == NUMBERS.nbytes
    assert (cuda.from_device(address, 64, np.float32) == NUMBERS).all()
    fill(np.uintp(address), np.float32(5), block=(64, 1, 1), stream=stream)
    with pytest.raises(cuda.LogicError, match="is mapped"):
        registered.unregister()
    mapping.unmap()
    with pytest.raises(cuda.LogicError, match="was unmapped"):
        mapping.unmap()
    assert (opengl.read_buffer(name, NUMBERS) == NUMBERS + 5).all()
    registered.unregister()
    with pytest.raises(cuda.LogicError, match="was unregistered"):
        registered.unregister()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_names_do_the_same(opengl, build):
    name = opengl.buffer(NUMBERS)
    buffer = gl.BufferObject(name)
    assert buffer.handle() == name
    mapping = buffer.map()
    assert mapping.size() == NUMBERS.nbytes
    build(FILL).get_function("fill")(
        np.uintp(mapping.device_ptr()), np.float32(1), block=(64, 1, 1)
    )
    mapping.unmap()
    buffer.unregister()
    assert (opengl.read_buffer(name, NUMBERS) == NUMBERS + 1).all()


def test_kernels_paint_images_of_opengl(opengl, build):
    name = opengl.image(PICTURE)
    flags = cuda.graphics_register_flags
    registered = gl.RegisteredImage(name, GL_TEXTURE_2D, flags.SURFACE_LDST)
    mapping = registered.map()
    array = mapping.array(0, 0)
    descriptor = array.get_descriptor()
    assert (descriptor.width, descriptor.height, descriptor.num_channels) == (8, 4, 4)
    seen = np.zeros_like(PICTURE)
    copy = cuda.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(seen)
    copy.width_in_bytes = copy.dst_pitch = 32
    copy.height = 4
    copy(aligned=True)
    assert (seen == PICTURE).all()
    del array
    mapping.unmap()
    registered.unregister()


def test_the_native_interface_paints_too(opengl, build):
    name = opengl.image(PICTURE)
    resource = native.GraphicsResource.gl_image(
        name, GL_TEXTURE_2D, native.GraphicsFlags.surface_load_store
    )
    mapping = resource.map()
    surface = native.Surface(mapping.array())
    build(FILL).get_function("paint")(surface, block=(8, 1, 1), grid=(4, 1))
    del surface
    mapping.unmap()
    assert mapping.is_unmapped
    painted = opengl.read_image(name, PICTURE)
    assert (painted[..., 0] == np.arange(8)).all()
    assert (painted[..., 1] == np.arange(4)[:, None]).all()
    assert (painted[..., 2:] == [7, 255]).all()
    resource.unregister()
    assert resource.is_unregistered


def test_every_level_of_an_image_is_mapped(opengl, build):
    half = PICTURE[::2, ::2].copy()
    name = opengl.image(PICTURE, half)
    resource = native.GraphicsResource.gl_image(
        name, GL_TEXTURE_2D, native.GraphicsFlags.surface_load_store
    )
    mapping = resource.map()
    levels = mapping.mipmapped_array(2)
    assert (levels.levels, levels.width, levels.level(1).width) == (2, 8, 4)
    surface = native.Surface(levels.level(1))
    build(FILL).get_function("paint")(surface, block=(4, 1, 1), grid=(2, 1))
    del surface, levels
    mapping.unmap()
    assert (opengl.read_image(name, PICTURE) == PICTURE).all()
    painted = opengl.read_image(name, half, level=1)
    assert (painted[..., 0] == np.arange(4)).all()
    assert (painted[..., 1] == np.arange(2)[:, None]).all()
    resource.unregister()
