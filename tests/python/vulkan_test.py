# SPDX-License-Identifier: MIT
"""treadle.cuda: memory, images and semaphores of Vulkan, used by kernels, in the order that the
semaphores say. Needs an NVIDIA GPU and its driver of Vulkan."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle
import treadle.cuda as cuda

sys.path.insert(0, str(Path(__file__).parent))
from headless_vulkan import HeadlessVulkan, NoVulkan  # noqa: E402

WORDS = 1 << 16
TEXT = """
extern "C" __global__ void add(unsigned *x, unsigned n, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] += n;
}
"""
SHAPE = {"grid": (WORDS // 256,), "block": (256,)}


@pytest.fixture
def vulkan():
    """The GPU, as Vulkan has it; in CUDA its primary context is current."""
    device = cuda.default_device()
    if device.driver.provider == cuda.Provider.cpu:
        pytest.skip("the CPU device shares memory with no other interface")
    with cuda.Context.make_current(device):
        try:
            opened = HeadlessVulkan(device.uuid)
        except NoVulkan as error:
            pytest.skip(f"no Vulkan: {error}")
        yield opened
        cuda.Context.current().synchronize()
        opened.close()


@pytest.fixture
def add(vulkan):
    image = treadle.compile_cuda(TEXT, cuda.default_device().target).image
    return cuda.Module(image).function("add")


def imported(vulkan, buffer, is_dedicated=False):
    descriptor = vulkan.export_memory(buffer)
    return cuda.ExternalMemory.import_file(
        descriptor, buffer.allocated_bytes, is_dedicated=is_dedicated
    )


def imported_semaphore(vulkan, semaphore, type):
    return cuda.ExternalSemaphore.import_file(vulkan.export_semaphore(semaphore), type)


def words_of(vulkan, buffer, wait=None):
    """What Vulkan reads in the buffer."""
    host = vulkan.buffer(buffer.size_bytes, is_of_host=True)
    vulkan.submit(vulkan.copy(host, buffer), wait=wait)
    vulkan.finish()
    return vulkan.words(host)


def test_kernels_change_memory_of_vulkan(vulkan, add):
    buffer = vulkan.buffer(4 * WORDS)
    vulkan.submit(vulkan.fill(buffer, 7))
    vulkan.finish()
    memory = imported(vulkan, buffer)
    assert memory.size_bytes == buffer.allocated_bytes
    whole, second_half = memory.buffer(0, 4 * WORDS), memory.buffer(2 * WORDS, 2 * WORDS)
    del memory  # its buffers keep it
    add(whole, np.uint32(1), np.uint32(WORDS), **SHAPE)
    add(second_half, np.uint32(10), np.uint32(WORDS // 2), **SHAPE)
    cuda.Context.current().synchronize()
    found = words_of(vulkan, buffer)
    assert np.unique(found[: WORDS // 2]) == [8]
    assert np.unique(found[WORDS // 2 :]) == [18]


def test_copies_reach_memory_of_vulkan(vulkan):
    buffer, values = vulkan.buffer(4 * WORDS), np.arange(WORDS, dtype=np.uint32)
    mapped = imported(vulkan, buffer).buffer(0, 4 * WORDS)
    cuda.copy_3d(cuda.Copy3D(cuda.CopySide(mapped), cuda.CopySide(values), 4 * WORDS))
    np.testing.assert_array_equal(words_of(vulkan, buffer), values)


@pytest.mark.parametrize("kind", ["timeline", "binary"])
def test_semaphores_order_the_work_of_both(vulkan, add, kind):
    type = cuda.ExternalSemaphoreType[kind]
    filled, changed = (vulkan.semaphore(kind == "timeline") for _ in range(2))
    of_filled, of_changed = (imported_semaphore(vulkan, s, type) for s in (filled, changed))
    buffer, stream = vulkan.buffer(4 * WORDS), cuda.Stream()
    mapped = imported(vulkan, buffer).buffer(0, 4 * WORDS)
    for turn in (1, 2, 3):  # nobody waits on the host until both have what they are to do
        vulkan.submit(vulkan.fill(buffer, 100 * turn), signal=(filled, turn))
        cuda.wait_semaphores([cuda.SemaphoreValue(of_filled, turn)], stream)
        add(mapped, np.uint32(turn), np.uint32(WORDS), stream=stream, **SHAPE)
        cuda.signal_semaphores([cuda.SemaphoreValue(of_changed, turn)], stream)
        found = words_of(vulkan, buffer, wait=(changed, turn))
        assert np.unique(found) == [101 * turn]
    stream.synchronize()


def test_nodes_of_graphs_wait_for_semaphores_and_set_them(vulkan, add):
    type = cuda.ExternalSemaphoreType.timeline
    filled, changed = vulkan.semaphore(True), vulkan.semaphore(True)
    of_filled, of_changed = (imported_semaphore(vulkan, s, type) for s in (filled, changed))
    buffer, stream = vulkan.buffer(4 * WORDS), cuda.Stream()
    mapped = imported(vulkan, buffer).buffer(0, 4 * WORDS)
    graph = cuda.Graph()
    begin = graph.add_semaphore_wait([cuda.SemaphoreValue(of_filled, 1)])
    work = graph.add_kernel(add, mapped, np.uint32(5), np.uint32(WORDS), after=begin, **SHAPE)
    end = graph.add_semaphore_signal([cuda.SemaphoreValue(of_changed, 1)], after=work)
    assert graph.semaphores(begin) == [(of_filled.raw, 1)]
    assert graph.semaphores(end) == [(of_changed.raw, 1)]
    executable = graph.instantiate()
    for turn in (1, 2):
        if turn == 2:
            executable.set_semaphores(begin, [cuda.SemaphoreValue(of_filled, 2)])
            executable.set_semaphores(end, [cuda.SemaphoreValue(of_changed, 2)])
        executable.launch(stream)
        vulkan.submit(vulkan.fill(buffer, 10 * turn), signal=(filled, turn))
        assert np.unique(words_of(vulkan, buffer, wait=(changed, turn))) == [10 * turn + 5]
    stream.synchronize()


def test_an_image_of_vulkan_is_an_array(vulkan):
    height, width = 48, 80
    values = np.arange(height * width, dtype=np.float32).reshape(height, width)
    host, image = vulkan.buffer(values.nbytes, is_of_host=True), vulkan.image(height, width)
    vulkan.words(host)[:] = values.ravel().view(np.uint32)
    vulkan.submit(vulkan.lay_out(image), vulkan.write_image(image, host))
    vulkan.finish()
    levels = imported(vulkan, image, is_dedicated=True).image(0, width, height)
    array, found = levels.level(0), np.zeros_like(values)
    box = cuda.CopySide(found), cuda.CopySide(array), 4 * width, height
    cuda.copy_3d(cuda.Copy3D(*box))
    np.testing.assert_array_equal(found, values)
    found *= -1
    cuda.copy_3d(cuda.Copy3D(box[1], box[0], *box[2:]))
    cuda.Context.current().synchronize()
    vulkan.submit(vulkan.read_image(host, image))
    vulkan.finish()
    np.testing.assert_array_equal(vulkan.words(host).view(np.float32), -values.ravel())


def test_what_cannot_be_imported_is_refused(vulkan, tmp_path):
    buffer = vulkan.buffer(4 * WORDS)
    memory = imported(vulkan, buffer)
    with pytest.raises(treadle.InvalidArgument, match="beyond|bytes"):
        memory.buffer(4, memory.size_bytes)
    with open(tmp_path / "plain", "wb") as plain, pytest.raises(treadle.DeviceError):
        cuda.ExternalMemory.import_file(os.dup(plain.fileno()), 4096)  # may be closed all the same
