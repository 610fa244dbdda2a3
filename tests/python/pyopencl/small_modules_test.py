# SPDX-License-Identifier: MIT
"""invoker, cache, characterize, ipython_ext, _cluda: small modules, and Kernel's other names."""

import os

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from pyopencl import cache, characterize, invoker, ipython_ext
from pyopencl.characterize import performance
from pyopencl.tools import VectorArg, dtype_to_ctype

import treadle

SCALE = (
    "kernel void scale(global float *x, float by, long from) { x[get_global_id(0) + from] *= by; }"
)


@pytest.fixture
def x(queue):
    return cl_array.to_device(queue, np.arange(8, dtype=np.float32))


# --- Kernel ---------------------------------------------------------------------------------------


def test_arguments_by_other_names(queue, build, x):
    scale = cl.Kernel(build(SCALE), "scale")
    scale._set_arg_multi((0, x.data, 1, np.float32(2)))
    scale._set_arg_buf_pack_multi((2, "q", 0))
    cl.enqueue_nd_range_kernel(queue, scale, (8,), None)
    scale._set_arg_buf(1, np.float32(5))
    cl.enqueue_nd_range_kernel(queue, scale, (8,), None)
    np.testing.assert_array_equal(x.get(), 10 * np.arange(8))
    assert "scale" in scale._source
    with pytest.raises(ValueError, match="groups of 2"):
        scale._set_arg_multi((0, x.data, 1))
    null = cl.Kernel(build("kernel void is(global int *a, global int *to) { *to = a == 0; }"), "is")
    answer = cl_array.zeros(queue, 1, np.int32)
    null._set_arg_null(0)
    null._set_arg_buf_multi((1, answer.data))
    cl.enqueue_nd_range_kernel(queue, null, (1,), None)
    assert answer.get()[0] == 1


# --- invoker --------------------------------------------------------------------------------------


def test_numbers_that_generated_code_packs(queue, build):
    # By loopy, whose letters are bytes.
    types = {
        np.dtype(letter): letter for letter in invoker.BUF_PACK_TYPECHARS if letter not in "clL"
    }
    parameters = ", ".join(f"{dtype_to_ctype(dtype)} p{at}" for at, dtype in enumerate(types))
    total = "+".join(f"p{at}" for at in range(len(types)))
    text = f"kernel void add(global double *sum, {parameters}) {{ *sum = {total}; }}"
    kernel = cl.Kernel(build("#pragma OPENCL EXTENSION cl_khr_fp64: enable\n" + text), "add")
    total = cl_array.zeros(queue, 1, np.float64)
    kernel._set_arg_multi((0, total.data))
    for values in (range(1, 20), np.arange(1, 20, dtype=np.float32)):
        packed = zip(range(1, 20), types.values(), values, strict=False)
        kernel._set_arg_buf_pack_multi(
            tuple(part for at, letter, value in packed for part in (at, letter.encode(), value))
        )
        cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
        assert total.get()[0] == sum(range(1, len(types) + 1))


def test_functions_that_set_and_enqueue(queue, build, x):
    scale = cl.Kernel(build(SCALE), "scale")
    types = [VectorArg(np.float32, "x"), np.float32, np.int64]
    enqueue, set_args = invoker.generate_enqueue_and_set_args(
        "scale", 3, 3, types, False, False, None
    )
    assert enqueue.__name__ == "enqueue_knl_scale"
    enqueue(scale, queue, (4,), None, x, 3, 4).wait()
    set_args(scale, x, 2.0, 0)
    cl.enqueue_nd_range_kernel(queue, scale, (8,), None)
    np.testing.assert_array_equal(x.get(), [0, 2, 4, 6, 24, 30, 36, 42])
    with pytest.raises(TypeError, match="enqueue_knl_scale"):
        enqueue(scale, queue, (4,), None, x)
    with pytest.raises(TypeError, match="argument 3"):
        enqueue(scale, queue, (4,), None, x, 3, 0.5)
    generic, _ = invoker.generate_enqueue_and_set_args("scale", 3, 3, None, False, False, None)
    generic(scale, queue, (8,), None, x.data, np.float32(0), np.int64(0), wait_for=None)
    assert not x.get().any()
    with pytest.raises(TypeError, match="4 arguments"):
        invoker.generate_enqueue_and_set_args("scale", 3, 4, types, False, False, None)


def test_arrays_with_an_offset_are_two_arguments(queue, build, x):
    text = "kernel void first(global char *x, long at) { *(global float *)(x + at) = 9; }"
    kernel = cl.Kernel(build(text), "first")
    types = [VectorArg(np.float32, "x", with_offset=True)]
    enqueue, _ = invoker.generate_enqueue_and_set_args("first", 1, 2, types, False, False, None)
    enqueue(kernel, queue, (1,), None, x[3:])
    assert x.get().tolist() == [0, 1, 2, 9, 4, 5, 6, 7]


# --- cache ----------------------------------------------------------------------------------------


def test_programs_that_were_built_before(context, tmp_path):
    (tmp_path / "by.h").write_text("#define BY 3\n")
    text = '#include "by.h"\nkernel void k(global int *x) { *x = BY; }'
    options = f"-I {tmp_path}".encode()
    folder = tmp_path / "cache"
    results = [
        cache.create_built_program_from_source_cached(
            context, text, options, cache_dir=folder, include_path=[str(tmp_path)]
        )
        for _ in range(2)
    ]
    assert [was_cached for _, was_cached in results] == [False, True]
    assert "k" in results[0][0].kernel_names
    found = cache.get_dependencies(text, [str(tmp_path)])
    assert [name for name, _, _ in found] == [str(tmp_path / "by.h")]
    assert cache.check_dependencies(found)
    (tmp_path / "by.h").write_text("#define BY 44\n")
    os.utime(tmp_path / "by.h", (1, 1))
    assert not cache.check_dependencies(found)
    device = context.devices[0]
    keys = {cache.get_cache_key(device, o, s) for o in (b"", b"-O") for s in ("a", "b")}
    assert len(keys) == 4
    with pytest.raises(AttributeError, match="of its own"):
        cache.CacheLockManager  # noqa: B018


def test_what_the_compiler_said_of_a_cached_program_is_a_warning(context, tmp_path):
    text = '#warning "look here"\nkernel void k(global int *x) { *x = 3; }'
    for expected in (False, True):
        with pytest.warns(cl.CompilerWarning) as caught:
            _, was_cached = cache.create_built_program_from_source_cached(
                context, text, b"", cache_dir=tmp_path
            )
        assert was_cached is expected
        assert [w.filename for w in caught] == [__file__]


# --- characterize ---------------------------------------------------------------------------------


class Banks:
    """A device with banks, as NVIDIA's are."""

    name, type, local_mem_type = "a GPU", cl.device_type.GPU, cl.device_local_mem_type.LOCAL
    warp_size_nv, compute_capability_major_nv, compute_capability_minor_nv = 32, 9, 0


def test_conflicts_of_banks(device):
    ask = characterize.why_not_local_access_conflict_free
    assert ask(Banks(), 4, (8, 32)) == (1, None)
    assert ask(Banks(), 4, (32, 1), (32, 32))[0] == 32
    assert "use bank" in ask(Banks(), 4, (32, 1), (32, 32))[1]
    assert ask(Banks(), 4, (32, 1), (32, 33)) == (1, None)
    assert ask(Banks(), 8, (32,))[0] == 2
    with pytest.raises(ValueError, match="does not lie in"):
        ask(Banks(), 4, (8, 33), (8, 32))
    assert characterize.local_memory_access_granularity(Banks()) == 4
    assert characterize.simultaneous_work_items_on_local_access(Banks()) == 32
    if device.local_mem_type == cl.device_local_mem_type.GLOBAL:
        assert ask(device, 4, (32, 1), (32, 32)) == (1, None)
        with pytest.raises(RuntimeError, match="no banks"):
            characterize.local_memory_bank_count(device)


def test_times_of_transfers_and_kernels(queue):
    for kind in (
        performance.HostToDeviceTransfer,
        performance.DeviceToHostTransfer,
        performance.DeviceToDeviceTransfer,
    ):
        assert 0 < performance.transfer_latency(queue, kind) < 1
        assert performance.transfer_bandwidth(queue, kind, 1 << 16) > 1e5
    assert 0 < performance.get_empty_kernel_time(queue) < 1
    assert performance.get_add_rate(queue, "int") > 1e6
    with pytest.raises(TypeError, match="abstract"):
        performance.Timer(queue)


# --- notebooks ------------------------------------------------------------------------------------


class Notebook:
    def __init__(self):
        self.user_ns, self.magics, self.next_input = {}, {}, None

    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        self.magics[magic_kind, magic_name] = func

    def set_next_input(self, text):
        self.next_input = text


def test_cells_of_opencl_c(context, queue, tmp_path, x):
    notebook = Notebook()
    ipython_ext.load_ipython_extension(notebook)
    cell = notebook.magics["cell", "cl_kernel"]
    text = "kernel void add(global float *x) { x[get_global_id(0)] += BY; }"
    with pytest.raises(RuntimeError, match="cl_ctx"):
        cell("", text)
    notebook.user_ns["ctx"] = context
    cell("-o '-DBY=2'", text)
    notebook.user_ns["add"](queue, (8,), None, x.data)
    assert x.get()[0] == 2
    path = tmp_path / "add.cl"
    path.write_text(text)
    notebook.magics["line", "cl_kernel_from_file"](f"-f {path} -o '-DBY=5'")
    notebook.user_ns["add"](queue, (8,), None, x.data)
    assert x.get()[0] == 7
    notebook.magics["line", "cl_load_edit_kernel"](str(path))
    assert notebook.next_input == f"%%cl_kernel\n\n{text}"
    for line in ("-o", "name"):
        with pytest.raises(ValueError):
            cell(line, text)
    with pytest.raises(ValueError, match="names 0 files"):
        notebook.magics["line", "cl_kernel_from_file"]("")
    notebook.user_ns.clear()


# --- the others -----------------------------------------------------------------------------------


def test_words_that_cuda_and_opencl_share(context, queue, build, x):
    pytest.importorskip("mako")
    from mako.template import Template
    from pyopencl import _mymako  # noqa: F401
    from pyopencl._cluda import CLUDA_PREAMBLE

    text = Template(CLUDA_PREAMBLE, strict_undefined=True).render(double_support=False)
    text += """
    KERNEL REQD_WG_SIZE(4, 1, 1) void turn(GLOBAL_MEM float *x) {
      LOCAL_MEM float part[4];
      part[LID_0] = x[LID_0 + LDIM_0 * GID_0];
      local_barrier();
      x[LID_0 + LDIM_0 * GID_0] = part[3 - LID_0] + GDIM_0;
    }"""
    cl.Kernel(build(text), "turn")(queue, (8,), (4,), x.data)
    assert x.get().tolist() == [5, 4, 3, 2, 9, 8, 7, 6]


def test_copies_between_contexts_by_amds_extension_are_refused(device, queue):
    with pytest.raises(treadle.NotSupported, match="through the host"):
        cl.enqueue_copy_buffer_p2p_amd(device.platform, queue, None, None)


def test_names_kept_elsewhere():
    from pyopencl import _monkeypatch

    assert cl.mem_flags in _monkeypatch.BITFIELD_CONSTANT_CLASSES
    assert set(_monkeypatch.BITFIELD_CONSTANT_CLASSES) < set(_monkeypatch.CONSTANT_CLASSES)
    assert _monkeypatch.ProfilingInfoGetter.__name__ == "ProfilingInfoGetter"
