# SPDX-License-Identifier: MIT
"""Memory shared with OpenGL, where a platform has it, and pipes; what others are told."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.tools import get_gl_sharing_context_properties

import treadle

sys.path.insert(0, str(Path(__file__).parents[1]))
from headless_gl import GL_TEXTURE_2D, HeadlessGl, NoGl  # noqa: E402


def _shares(device):
    return "cl_khr_gl_sharing" in device.extensions


def _skip_reason():
    """Why nothing is shared here. Asked without a fixture: a skip there keeps its frames."""
    if not cl.have_gl():
        return "no device shares with OpenGL"
    try:
        HeadlessGl(0).close()
    except NoGl as error:
        return f"no OpenGL: {error}"
    return ""


_REASON = _skip_reason()
needs_opengl = pytest.mark.skipif(_REASON != "", reason=_REASON)


@pytest.fixture
def shared(device):
    """(OpenGL's context, one of OpenCL that shares with it)."""
    opengl = HeadlessGl(0)
    properties = [
        (cl.context_properties.PLATFORM, device.platform),
        *get_gl_sharing_context_properties(),
    ]
    yield opengl, cl.Context([device], properties=properties)
    opengl.close()


@needs_opengl
def test_a_buffer_of_opengls(shared):
    opengl, context = shared
    queue = cl.CommandQueue(context)
    data = np.arange(64, dtype=np.float32)
    name = opengl.buffer(data)
    buffer = cl.GLBuffer(context, cl.mem_flags.READ_WRITE, name)
    assert buffer.get_gl_object_info() == (cl.gl_object_type.BUFFER, name)
    assert buffer.gl_object == name
    cl.enqueue_acquire_gl_objects(queue, [buffer])
    text = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    cl.Kernel(cl.Program(context, text).build(), "twice")(queue, data.shape, None, buffer)
    back = np.empty_like(data)
    cl.enqueue_copy(queue, back, buffer)
    cl.enqueue_release_gl_objects(queue, [buffer]).wait()
    np.testing.assert_array_equal(back, 2 * data)


@needs_opengl
def test_the_devices_of_a_context(shared, device):
    _, context = shared
    properties = [(cl.context_properties.PLATFORM, device.platform)]
    properties += get_gl_sharing_context_properties()
    parameters = cl.gl_context_info
    found = cl.get_gl_context_info_khr(properties, parameters.DEVICES_FOR_GL_CONTEXT_KHR)
    assert device in found
    first = cl.get_gl_context_info_khr(properties, parameters.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR)
    assert first in found
    with pytest.raises(cl.LogicError, match="has no parameter"):
        cl.get_gl_context_info_khr(properties, 1)


def test_platforms_without_sharing_say_so(context, device, queue):
    if _shares(device):
        pytest.skip("the device shares with OpenGL")
    flags = cl.mem_flags.READ_WRITE
    buffer = cl.Buffer(context, flags, 16)
    for attempt in (
        lambda: cl.GLBuffer(context, flags, 1),
        lambda: cl.GLRenderBuffer(context, flags, 1),
        lambda: cl.GLTexture(context, flags, GL_TEXTURE_2D, 0, 1, 2),
        lambda: cl.enqueue_acquire_gl_objects(queue, [buffer]),
        lambda: cl.enqueue_release_gl_objects(queue, [buffer]),
        lambda: cl.get_gl_context_info_khr(
            [(cl.context_properties.PLATFORM, device.platform)],
            cl.gl_context_info.DEVICES_FOR_GL_CONTEXT_KHR,
        ),
    ):
        with pytest.raises(treadle.NotSupported):
            attempt()


def test_bad_input(context):
    with pytest.raises(cl.LogicError, match="dims is 2 or 3"):
        cl.GLTexture(context, 1, GL_TEXTURE_2D, 0, 1, 4)
    with pytest.raises((treadle.InvalidState, treadle.LibraryNotFound)):
        get_gl_sharing_context_properties()


def test_pipes(context, device, queue):
    if device.pipe_max_packet_size == 0:
        with pytest.raises(cl.LogicError, match="has no pipes"):
            cl.Pipe(context, 0, 4, 16)
        return
    pipe = cl.Pipe(context, 0, 4, 16)
    assert pipe.packet_size == 4
    assert pipe.max_packets >= 16
    assert type(cl.MemoryObject.from_int_ptr(pipe.int_ptr)) is cl.Pipe
    with pytest.raises(cl.LogicError, match="packets"):
        cl.Pipe(context, 0, 0, 16)


def test_properties_of_pipes_are_empty(context):
    with pytest.raises(cl.LogicError, match="properties"):
        cl.Pipe(context, 0, 4, 16, (1, 2))


def test_classes():
    assert issubclass(cl.GLBuffer, cl.Buffer)
    assert issubclass(cl.GLTexture, cl.Image)
    assert issubclass(cl.GLRenderBuffer, cl.MemoryObject)
    assert issubclass(cl.Pipe, cl.MemoryObject)
