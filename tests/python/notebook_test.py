# SPDX-License-Identifier: MIT
"""How notebooks show devices and kernels."""

import html.parser

import pytest

import treadle
from treadle import cuda

TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL scale(TREADLE_GLOBAL float *a, float factor) { a[treadle_global_id(0)] *= factor; }
"""


class Cells(html.parser.HTMLParser):
    """The texts of a table's cells; every element has its end."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        assert self.open[-1] in ("td", "th")
        self.texts.append(data)


@pytest.mark.parametrize("name", [device.id for device in treadle.devices()])
def test_a_device_tells_what_it_is(name):
    device = treadle.find_device(name)
    title, *cells = Cells(device._repr_html_()).texts
    rows = dict(zip(cells[::2], cells[1::2], strict=True))
    assert title == f"{device.id}: {device.name}"
    assert rows["run-time"] == device.runtime and rows["kind"] == device.kind
    assert rows["kernels in"] == str(device.language)
    number, unit = rows["memory"].split()
    scale = 1 << 10 * (["bytes", "KiB", "MiB", "GiB"].index(unit))
    assert float(number) * scale == pytest.approx(device.memory_bytes, rel=1e-3)


def test_a_kernel_tells_its_parameters_and_needs():
    kernel = treadle.Program(treadle.default_device(), TEXT).kernel("scale")
    title, *cells = Cells(kernel._repr_html_()).texts
    rows = dict(zip(cells[::2], cells[1::2], strict=True))
    assert title == "kernel scale"
    assert rows["device"].endswith(kernel.device.name)
    assert int(rows["work-items of a group, at most"]) == kernel.max_group_items
    if kernel.parameters is not None and kernel.parameters[0].name:
        assert "factor" in rows["parameters"]


def test_names_of_templates_are_text():
    device = treadle.default_device()
    if device.language != treadle.Language.cuda_c:
        pytest.skip("needs a device of CUDA C")
    text = "template <class T> __global__ void put(T *a) { *a = 1; }"
    program = treadle.Program(device, text, name_expressions=["put<float>"])
    assert Cells(program.kernel("put<float>")._repr_html_()).texts[0] == "kernel put<float>"


def table_of(shown):
    title, *cells = Cells(shown._repr_html_()).texts
    return title, dict(zip(cells[::2], cells[1::2], strict=True))


SCALE = """
extern "C" __global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }
"""


def test_objects_of_the_cuda_shell_are_tables():
    with cuda.Context.make_current(cuda.default_device()) as context:
        device = context.device
        title, rows = table_of(device)
        assert title == f"device 0: {device.name}"
        assert rows["compute capability"] == str(device.compute_capability)
        assert int(rows["multiprocessors"]) == device.attribute(
            cuda.DeviceAttribute.multiprocessor_count
        )
        image = treadle.compile_cuda(SCALE, device.target).image
        function = cuda.Module(image).function("scale")
        title, rows = table_of(function)
        assert (title, rows["device"]) == ("kernel scale", device.name)
        assert "threads of a block, at most" in rows
        assert len(rows["parameters"].split(", ")) == 2
        title, rows = table_of(cuda.Library(image).kernel("scale"))
        assert (title, rows["symbol"]) == ("kernel scale", "scale")


def test_objects_of_pycuda_are_tables(context):
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    device = drv.Context.get_device()
    title, rows = table_of(device)
    assert title.endswith(device.name())
    assert rows["compute capability"] == "{}.{}".format(*device.compute_capability())
    title, rows = table_of(SourceModule(SCALE, no_extern_c=True).get_function("scale"))
    assert title == "kernel scale" and rows["device"] == device.name()


def test_objects_of_pyopencl_are_tables():
    cl = pytest.importorskip("pyopencl")
    try:
        device = cl.get_platforms()[0].get_devices()[0]
    except (cl.Error, IndexError):
        pytest.skip("no OpenCL")
    title, rows = table_of(device)
    assert title == device.name and rows["platform"] == device.platform.name
    assert int(rows["compute units"]) == device.max_compute_units
    text = "kernel void scale(global float *a, int n) { a[get_global_id(0)] *= n; }"
    program = cl.Program(cl.Context([device]), text).build(["-cl-kernel-arg-info"])
    title, rows = table_of(cl.Kernel(program, "scale"))
    assert (title, rows["arguments"], rows["devices"]) == ("kernel scale", "2", device.name)
    assert rows["parameters"] == "float* a, int n"
