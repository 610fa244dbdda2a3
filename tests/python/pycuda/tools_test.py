# SPDX-License-Identifier: MIT
import numpy as np
import pycuda.tools as tools
import pytest
from pycuda.compyte.array import (
    ArrayFlags,
    as_strided,
    c_contiguous_strides,
    equal_strides,
    f_contiguous_strides,
    get_common_dtype,
    is_c_contiguous_strides,
)


@pytest.mark.parametrize(("n", "log"), [(0, 0), (1, 0), (2, 1), (3, 1), (1023, 9), (2**40, 40)])
def test_bitlog2(n, log):
    assert tools.bitlog2(n) == log


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.float32, "float"),
        (np.float64, "double"),
        (np.int8, "signed char"),
        (np.uint32, "unsigned"),
        (np.int64, "long"),
        (np.bool_, "bool"),
        (np.complex64, "pycuda::complex<float>"),
    ],
)
def test_c_names_of_dtypes(dtype, name):
    assert tools.dtype_to_ctype(dtype) == name


def test_a_dtype_without_a_name_is_an_error():
    with pytest.raises(ValueError, match="unable to map dtype"):
        tools.dtype_to_ctype(np.dtype([("a", "i4"), ("b", "f8")]))
    with pytest.raises(ValueError, match="dtype may not be None"):
        tools.dtype_to_ctype(None)


def test_texture_names_on_request():
    assert tools.dtype_to_ctype(np.float64, with_fp_tex_hack=True) == "fp_tex_double"


def test_registering_a_structure():
    pair = np.dtype([("first", "i4"), ("second", "i4"), ("tools_test", "i4")])
    assert tools.get_or_register_dtype("tools_test_pair", pair) == pair
    same = np.dtype([("first", "i4"), ("second", "i4"), ("tools_test", "i4")])
    assert tools.get_or_register_dtype("tools_test_pair", same) is tools.get_or_register_dtype(
        "tools_test_pair"
    )
    with pytest.raises(RuntimeError):
        tools.get_or_register_dtype("tools_test_pair", np.int32)
    with pytest.raises(KeyError):
        tools.get_or_register_dtype("tools_test_unknown")
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError):
        tools.register_dtype(pair, "tools_test_other")


@pytest.mark.parametrize(
    ("text", "kind", "dtype", "name", "char"),
    [
        ("float x", "ScalarArg", np.float32, "x", "f"),
        ("const float *x", "VectorArg", np.float32, "x", "P"),
        ("unsigned int n", "ScalarArg", np.uint32, "n", "I"),
        ("double* __restrict__ out", "VectorArg", np.float64, "out", "P"),
        ("int values[]", "VectorArg", np.int32, "values", "P"),
        ("int constant_t", "ScalarArg", np.int32, "constant_t", "i"),
        ("pycuda::complex<float> *z", "VectorArg", np.complex64, "z", "P"),
        ("long long n", "ScalarArg", np.int64, "n", "l"),
        ("uint8_t b", "ScalarArg", np.uint8, "b", "B"),
    ],
)
def test_c_parameters_are_read(text, kind, dtype, name, char):
    argument = tools.parse_c_arg(text)
    assert type(argument).__name__ == kind
    assert (argument.dtype, argument.name) == (np.dtype(dtype), name)
    assert argument.struct_char == char == tools.get_arg_type(text)


def test_unknown_c_types_are_named():
    with pytest.raises(ValueError, match="unknown type 'nonsense'"):
        tools.parse_c_arg("nonsense x")


def test_arguments_write_themselves():
    assert tools.VectorArg(np.float32, "x").declarator() == "float *x"
    assert tools.ScalarArg(np.uint32, "n").declarator() == "unsigned n"
    assert repr(tools.ScalarArg(np.float32, "x")) == "ScalarArg('x', float32)"
    assert tools.ScalarArg(np.dtype("V12"), "s").struct_char == "12s"


def test_strides():
    assert c_contiguous_strides(4, (2, 3, 5)) == (60, 20, 4)
    assert f_contiguous_strides(4, (2, 3, 5)) == (4, 8, 24)
    assert c_contiguous_strides(8, (0, 3)) == (24, 8)
    assert equal_strides((99, 4), (4, 4), (1, 7))
    assert is_c_contiguous_strides((1, 2, 3), 8, (0, 1, 2))


@pytest.mark.parametrize(
    ("array", "c", "f"),
    [
        (np.zeros((2, 3)), True, False),
        (np.zeros((2, 3)).T, False, True),
        (np.zeros((4, 6))[:, ::2], False, False),
        (np.zeros((1, 5)), True, True),
        (np.zeros((0, 5))[:, ::2], True, True),
        (np.zeros(()), True, True),
    ],
)
def test_flags(array, c, f):
    flags = ArrayFlags(array)
    assert (flags.c_contiguous, flags.f_contiguous, flags.forc) == (c, f, c or f)
    assert all(type(value) is bool for value in vars(flags).values())
    assert repr(flags) == f"  C_CONTIGUOUS : {c}\n  F_CONTIGUOUS : {f}"


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        (np.zeros(2, "i4"), np.zeros(3, "f4"), "f8"),
        (np.zeros(2, "i8"), np.zeros(3, "f4"), "f8"),
        (np.zeros(2, "u1"), np.zeros(3, "i1"), "i2"),
        (np.zeros(2, "i4"), np.zeros(3, "c8"), "c16"),
        (np.zeros(2, "f4"), 1.5, "f4"),
        (np.zeros(2, "f4"), np.float64(1), "f8"),
        (1.5, np.zeros(2, "i4"), "f8"),
        (np.zeros(2, "f4"), 1j, "c8"),
        (np.zeros(2, "?"), np.zeros(2, "?"), "?"),
        (2, 3.0, "f8"),
    ],
)
def test_the_dtype_of_a_sum(a, b, common):
    assert get_common_dtype(a, b, True) == np.dtype(common)
    single = {"f8": "f4", "c16": "c8"}.get(common, common)
    assert get_common_dtype(a, b, False) == np.dtype(single)


def test_views_with_other_strides():
    view = as_strided(np.arange(4), (2, 3), (8, 8))
    np.testing.assert_array_equal(view, [[0, 1, 2], [1, 2, 3]])


def test_short_vectors():
    from treadle.pycuda._vec import vec

    counts = dict.fromkeys("char uchar short ushort int uint long ulong float".split(), 4)
    counts |= dict.fromkeys("longlong ulonglong double".split(), 2)
    for base, most in counts.items():
        for count in range(1, most + 1):
            dtype = getattr(vec, f"{base}{count}")
            assert dtype.names == tuple("xyzw"[:count])
            assert dtype.itemsize == count * dtype["x"].itemsize
            made = getattr(vec, f"make_{base}{count}")(*range(count))
            assert (made.shape, made.dtype) == ((), dtype)
            assert made.item() == tuple(range(count))
            assert tools.parse_c_arg(f"{base}{count} *v").dtype == dtype
        assert not hasattr(vec, f"{base}{most + 1}")
    assert vec.make_float3(1, 2, z=5).item() == (1, 2, 5)
    with pytest.raises(TypeError, match="make_float3 takes 3 components, not 4"):
        vec.make_float3(1, 2, 3, 4)
    assert tools.dtype_to_ctype(vec.float3) == "float3"


def test_launch_shapes_for_n_elements(context):
    import pycuda.driver as cuda

    from treadle.pycuda._splay import splay

    class Device:  # with the numbers of an H100
        def get_attribute(self, attribute):
            return 132 if attribute == cuda.device_attribute.MULTIPROCESSOR_COUNT else 32

    device = Device()
    assert splay(1, device) == ((1, 1), (32, 1, 1))
    assert splay(100000, device) == ((3125, 1), (32, 1, 1))
    assert splay(10**6, device) == ((4224, 1), (128, 1, 1))
    assert splay(200000, device) == ((4224, 1), (64, 1, 1))
    assert splay(10**9, device) == ((4224, 1), (128, 1, 1))
    (blocks, one), (threads, *ones) = splay(12345)
    assert (one, ones) == (1, [1, 1])
    assert blocks * threads > 0


def test_results_are_remembered_for_each_context(context):
    import pycuda.driver as cuda

    calls = []

    @tools.context_dependent_memoize
    def expensive(a, b=1):
        calls.append((a, b))
        return a + b

    assert (expensive(1), expensive(1), expensive(1, b=2)) == (2, 2, 3)
    assert len(calls) == 2
    other = cuda.Context.get_device().make_context()
    expensive(1)
    other.pop()
    assert len(calls) == 3
    tools.clear_context_caches()
    expensive(1)
    assert len(calls) == 4
    assert expensive.__name__ == "expensive"
    with pytest.raises(TypeError):
        expensive([])
    tools.context_dependent_memoized_functions.remove(expensive)


def test_mark_cuda_test_gives_a_context_and_hides_the_signature():
    import inspect

    import pycuda.driver as cuda

    seen = []

    @tools.mark_cuda_test
    def inner(value):
        seen.append((value, cuda.Context.get_current() is not None))

    assert inner.__name__ == "f"
    assert str(inspect.signature(inner)).startswith("(*args")
    assert inner(5) is None
    assert seen == [(5, True)]
    assert cuda.Context.get_current() is None


@pytest.mark.parametrize("threads", [32, 256, 1024])
def test_occupancy(context, threads):
    data = tools.DeviceData()
    record = tools.OccupancyRecord(data, threads)
    assert 0 < record.occupancy <= 1
    assert (record.tb_per_mp, record.limited_by) in record.tb_per_mp_limits
    with pytest.raises(ValueError, match="too many threads"):
        tools.OccupancyRecord(data, data.max_threads + 1)
    assert (data.align_bytes(4), data.align_words(8), data.coalesce(17)) == (64, 16, 32)
    assert data.make_valid_tex_channel_count(3) == 4


def test_the_native_api_s_chooser_decides(monkeypatch, context):
    from pycuda.driver import Device, Error

    chosen = []
    monkeypatch.setattr(tools, "requested_ordinal", lambda: 0)
    tools.make_default_context(chosen.append)
    assert chosen == [Device(0)]
    monkeypatch.setattr(tools, "requested_ordinal", lambda: 99)
    with pytest.raises(Error, match="99"):
        tools.make_default_context(chosen.append)


def test_a_malformed_device_number_is_named(monkeypatch, on_gpu):
    monkeypatch.setenv("CUDA_DEVICE", "first")
    with pytest.raises(ValueError, match="CUDA_DEVICE.*first"):
        tools.make_default_context()


def test_the_cpu_device_stands_in_for_whichever_gpu_was_meant(monkeypatch, on_cpu):
    from pycuda.driver import Device

    monkeypatch.setenv("CUDA_DEVICE", "3")
    chosen = []
    tools.make_default_context(chosen.append)
    assert chosen == [Device(0)]


@pytest.mark.parametrize("id", ["cpu:1", "cuda:99"])
def test_a_device_that_is_not_there_is_no_other_one(run_python, id):
    script = "import treadle.compat, pycuda.tools as t, pycuda.driver as d; d.init(); "
    done = run_python("-c", script + "t.make_default_context()", TREADLE_DEVICE=id)
    assert done.returncode != 0
    native = run_python("-c", "import treadle.cuda as c; c.default_device()", TREADLE_DEVICE=id)
    assert native.returncode != 0


# PyCUDA's numbers for compute capability 7.0: 8 blocks and 64 warps at a time.
@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        ({"threads": 32}, (8, "device", 8)),
        ({"threads": 256}, (8, "device", 64)),
        ({"threads": 512}, (4, "warps", 64)),
        ({"threads": 256, "registers": 64}, (4, "regs", 32)),
        ({"threads": 32, "shared_mem": 16384}, (3, "smem", 3)),
        ({"threads": 32, "shared_mem": 1, "registers": 1}, (8, "device", 8)),
    ],
)
def test_occupancy_names_what_limits(context, needs, expected):
    data = tools.DeviceData()
    data.warps_per_mp, data.registers, data.shared_memory = 64, 65536, 49152
    record = tools.OccupancyRecord(data, **needs)
    assert (record.tb_per_mp, record.limited_by, record.warps_per_mp) == expected
    assert record.occupancy == record.warps_per_mp / 64
    labels = [label for _, label in record.tb_per_mp_limits]
    wanted = ["device", "warps"]
    wanted += ["regs"] * ("registers" in needs) + ["smem"] * ("shared_mem" in needs)
    assert labels == wanted


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ({"threads": 1025}, "too many threads"),
        ({"threads": 1024, "registers": 65}, "too many registers"),
        ({"threads": 1, "shared_mem": 49153}, "too much shared memory"),
    ],
)
def test_what_no_multiprocessor_has_is_refused(context, needs, message):
    data = tools.DeviceData()
    data.max_threads, data.registers, data.shared_memory = 1024, 65536, 49152
    with pytest.raises(ValueError, match=message):
        tools.OccupancyRecord(data, **needs)
