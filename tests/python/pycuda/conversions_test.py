# SPDX-License-Identifier: MIT
"""numpy.bool_, NumPy's integers and paths are taken wherever bool, int and str are; what is refused
is the argument that is wrong."""

import pathlib

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule, compile

import treadle
from treadle import cuda

EMPTY = "__global__ void k() { }"


def alike(value):
    """The same, as NumPy or pathlib has it."""
    if isinstance(value, bool):
        return np.bool_(value)
    return np.int64(value) if isinstance(value, int) else pathlib.Path(value)


@pytest.fixture
def target(context):
    return cuda.Context.current().device.target


# Of every room a function for each kind; the conversion is one for all bound functions.
CALLS = {
    "bool": lambda t, of: treadle.compile_cuda(EMPTY, t, extern_c=of(True), keep=of(False)),
    "str": lambda t, of: treadle.compile_cuda(EMPTY, t, flags=[of("-DA")], nvcc=of("")),
    "int": lambda t, of: treadle.Buffer(treadle.default_device(), of(64)),
    "name": lambda t, of: cuda.Module(treadle.compile_cuda(EMPTY, t).image).function,
    "size": lambda t, of: cuda.DeviceMemory(of(64)),
    "axes": lambda t, of: treadle.numpy.zeros((of(2), of(3))).transpose(of(1), of(0)),
    "axis": lambda t, of: treadle.numpy.zeros((2, 3)).sum(axis=of(1), keepdims=of(True)),
    "face": lambda t, of: drv.pagelocked_zeros(of(3), np.float32, mem_flags=of(0)),
    "device": lambda t, of: drv.Device(of(0)),
    "keep": lambda t, of: SourceModule(EMPTY, no_extern_c=of(False), keep=of(False)),
    "options": lambda t, of: compile(EMPTY, options=[of("-DA")], nvcc=of("nvcc")),
    "folders": lambda t, of: compile(EMPTY, include_dirs=[of(".")], cache_dir=of("cache")),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_one_of_numpys_is_taken(target, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CALLS[name](target, lambda value: value)
    CALLS[name](target, alike)


REFUSED = {
    "surrogates": (lambda t: treadle.compile_cuda("// \ud800", t), r"source is .*character 3 is"),
    "face": (lambda t: SourceModule("// \ud800"), r"source is .*character 3 is"),
    "arch": (lambda t: SourceModule(EMPTY, arch=80), r"arch is 80 \(int\), wanted: a str"),
    "folders": (lambda t: compile(EMPTY, include_dirs="/tmp"), r"include_dirs must be a list"),
    "bool": (lambda t: treadle.compile_cuda(EMPTY, t, keep="x"), r"\(\): keep is 'x' \(str\)"),
    "size": (lambda t: cuda.DeviceMemory("x"), r"size_bytes is 'x' \(str\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_argument_that_is_wrong_is_blamed_and_no_other(target, name):
    attempt, text = REFUSED[name]
    with pytest.raises(TypeError, match=text) as refused:
        attempt(target)
    before = str(refused.value).partition("\n")[0]
    assert ";" not in before, before


def test_an_object_whose_constructor_has_not_run_is_told_so(context):
    class Unmade(cuda.Stream):
        def __init__(self):
            pass

    with pytest.warns(RuntimeWarning), pytest.raises(TypeError, match="constructor has not run"):
        Unmade().synchronize()


# --- protocols -----------------------------------------------------------------------------------


class Answers:
    """What another library's array answers."""

    def __init__(self, device=(1, 0), capsule=5, interface=None):
        self.device, self.capsule = device, capsule
        if interface is not None:
            self.__cuda_array_interface__ = interface

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        return self.capsule


@pytest.mark.parametrize("device", [("a", 3), 5, (1,), (1, 2, 3), (1.5, 0), (2**70, 0), None])
def test_a_device_that_is_no_pair_of_integers_is_refused_by_name(device):
    with pytest.raises(treadle.DTypeError, match=r"__dlpack_device__\(\) is .*two int"):
        treadle.numpy.from_dlpack(Answers(device))


@pytest.mark.parametrize("capsule", [5, None, "x", object()])
def test_what_is_no_capsule_is_refused_by_name(capsule):
    with pytest.raises(treadle.DTypeError, match=r"__dlpack__\(\) returned .* is no capsule"):
        treadle.numpy.from_dlpack(Answers(capsule=capsule))


GOOD = {"data": (0, False), "shape": (1,), "typestr": "<f4", "version": 3}


@pytest.mark.parametrize(
    "interface",
    [
        5,
        "x",
        {"data": 5},
        {"data": ("a", False)},
        GOOD | {"shape": ("x",)},
        GOOD | {"shape": 5},
        GOOD | {"shape": (2**70,)},
        GOOD | {"typestr": 7},
        GOOD | {"strides": "abc"},
    ],
    ids=repr,
)
def test_an_interface_that_is_none_is_refused_by_name(context, interface):
    kernel = SourceModule("__global__ void k(float *x) { }").get_function("k")
    words = "__cuda_array_interface__|device address"
    with pytest.raises((TypeError, ValueError), match=words):
        treadle.numpy.asarray(Answers(interface=interface))
    if not isinstance(interface, dict) or interface["data"] != (0, False):
        with pytest.raises((TypeError, ValueError), match=words):
            kernel(Answers(interface=interface), block=(1, 1, 1))


def test_prepare_in_the_spelling_of_2009_warns_once_and_works(context):
    module = SourceModule("__global__ void add(int *x, int n) { x[threadIdx.x] += n; }")
    memory = drv.to_device(np.zeros(4, np.int32))
    prepares = (
        lambda f: f.prepare("Pi", block=(4, 1, 1)),
        lambda f: f.prepare("Pi", (4, 1, 1)),
        lambda f: f.prepare("Pi", block=(4, 1, 1), shared=16, texrefs=[]),
        lambda f: f.prepare("Pi", (4, 1, 1), 16, []),
    )
    for count, prepare in enumerate(prepares):
        function = module.get_function("add")
        with pytest.warns(DeprecationWarning, match="prepare.block") as told:
            prepare(function)
        assert len(told) == 1
        function.prepared_call((1, 1), memory, 1)
        function.prepared_async_call((1, 1), drv.Stream(), memory, 1)
        drv.Context.synchronize()
        assert function.prepared_timed_call((1, 1), memory, 1)() >= 0
        function.prepared_call((1, 1), (4, 1, 1), memory, 1)  # today's
        assert (drv.from_device(memory, 4, np.int32) == 4 * (count + 1)).all()
    function.prepare("Pi")
    with pytest.raises(TypeError, match="block must be a tuple"):
        function.prepared_call((1, 1), memory, 1)


def test_launches_piece_by_piece_in_the_spelling_of_2009(context):
    module = SourceModule(
        "__global__ void add(short *x, int n, double y) {"
        " x[blockIdx.x * 2 + threadIdx.x] += n + (int) y; }"
    )
    memory, stream = drv.to_device(np.zeros(6, np.int16)), drv.Stream()
    add = module.get_function("add")
    launches = (
        lambda: add.launch(),
        lambda: add.launch_grid(2, 1),
        lambda: (add.launch_grid_async(3, 1, stream), stream.synchronize()),
    )
    settings = (
        lambda: add.param_set(memory, np.int32(3), np.float64(2)),
        lambda: (
            add.param_set_size(24), add.param_setv(0, np.intp(int(memory))), add.param_seti(8, 3),
            add.param_setv(16, np.float64(2)),
        ),
    )  # fmt: skip
    with pytest.warns(DeprecationWarning, match="call the kernel"):
        add.set_block_shape(2, 1, 1)
        add.set_shared_size(16)
        for setting in settings:
            setting()
            for launch in launches:
                launch()
    assert drv.from_device(memory, 6, np.int16).tolist() == [30, 30, 20, 20, 10, 10]
    with pytest.warns(DeprecationWarning):
        for refused, error in (
            (lambda: add.param_set(memory, np.int32(3)), drv.LogicError),
            (lambda: add.param_set(memory, np.int32(3), 2.0), TypeError),
            (lambda: add.param_set(drv.Out(np.zeros(6, np.int16)), np.int32(3), np.float64(2)),
             TypeError),
            (lambda: add.launch_grid(2), TypeError),
        ):  # fmt: skip
            with pytest.raises(error):
                refused()
        assert (add.lmem, add.smem, add.registers) == (
            add.local_size_bytes, add.shared_size_bytes, add.num_regs,
        )  # fmt: skip


def test_without_a_context_kernels_of_arrays_say_so(run_python):
    result = run_python(
        "-c",
        "import treadle.compat, pycuda.driver as drv\n"
        "from pycuda.elementwise import ElementwiseKernel\n"
        "from pycuda.reduction import ReductionKernel\n"
        "drv.init()\n"
        "import numpy as np\n"
        "for make in (lambda: ElementwiseKernel('float *x', 'x[i] = 1')(np.float32(1)),\n"
        "             lambda: drv.mem_alloc(4), lambda: drv.Stream(),\n"
        "             lambda: __import__('pycuda.gpuarray').gpuarray.zeros(4, np.float32),\n"
        "             lambda: ReductionKernel(np.float32, '0', 'a+b')(np.float32(1))):\n"
        "    try:\n"
        "        make()\n"
        "    except drv.Error as error:\n"
        "        print(type(error).__name__, error)\n"
        "    except Exception as error:\n"
        "        print('OTHER', type(error), error)\n",
    )
    assert result.stdout.count("context") >= 4 and "OTHER" not in result.stdout, (
        result.stdout + result.stderr
    )
