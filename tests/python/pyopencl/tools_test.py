# SPDX-License-Identifier: MIT
"""pyopencl.tools, cltypes and characterize: the parts that programs of the core use."""

import warnings

import numpy as np
import pyopencl as cl
import pyopencl.characterize as characterize
import pyopencl.cltypes as cltypes
import pyopencl.tools as tools
import pytest


def test_results_are_remembered_for_an_object(context):
    calls = []

    @tools.first_arg_dependent_memoize
    def work(ctx, number, scale=1):
        calls.append(number)
        return number * scale

    other = cl.Context(context.devices)
    assert [work(context, 2), work(context, 2), work(context, 2, scale=3)] == [2, 2, 6]
    assert work(other, 2) == 2
    assert calls == [2, 2, 2]
    tools.clear_first_arg_caches()
    work(context, 2)
    assert len(calls) == 4
    assert tools.context_dependent_memoize is tools.first_arg_dependent_memoize


def test_names_that_are_not_there_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'svm_allocator'"):
        tools.svm_allocator  # noqa: B018


def test_results_of_nested_functions_are_remembered(context):
    calls = []

    def outer(number):
        @tools.first_arg_dependent_memoize_nested
        def inner(ctx, n):
            calls.append(n)
            return n + 1

        return inner(context, number)

    assert [outer(1), outer(1), outer(2)] == [2, 2, 3]
    assert calls == [1, 2]


def test_devices_for_tests(context, device):
    name = device.platform.name
    assert (device.platform, device.platform.get_devices()) in (
        tools.get_test_platforms_and_devices()
    )
    assert tools.get_test_platforms_and_devices(f"{name}:0") == [(device.platform, [device])]
    assert tools.get_test_platforms_and_devices(name.lower()[:6])[0][0].name == name
    for wrong in ("no such platform", f"{name}:no such device", "a:b:c"):
        with pytest.raises(RuntimeError):
            tools.get_test_platforms_and_devices(wrong)


def test_fixtures(run_python, context, tmp_path):
    test = tmp_path / "factory_test.py"
    test.write_text(
        "import pyopencl as cl\n"
        "from pyopencl.tools import pytest_generate_tests_for_pyopencl as pytest_generate_tests\n"
        "def test_one(ctx_factory, device, platform):\n"
        "    ctx = ctx_factory()\n"
        "    assert isinstance(ctx, cl.Context) and ctx.devices == [device]\n"
        "    assert device.platform == platform\n"
        "    assert '0x' not in str(ctx_factory)\n"
        "def test_none(): pass\n"
    )
    result = run_python("-m", "pytest", "-q", "-p", "treadle.compat", str(test))
    assert "passed" in result.stdout, result.stdout + result.stderr


def test_values_of_fixtures(context, device, monkeypatch):
    class Test:
        fixturenames = ("device", "other", "ctx_factory")

    assert tools.get_pyopencl_fixture_arg_names(Test) == ["device", "ctx_factory"]
    assert "other" in tools.get_pyopencl_fixture_arg_names(Test, ["other"])
    values, name_of = tools.get_pyopencl_fixture_arg_values()
    (mine,) = [entry for entry in values if entry["device"] == device]
    assert mine["platform"] == device.platform
    assert mine["ctx_factory"]().devices == [device]
    assert name_of(mine["ctx_factory"]) == str(mine["ctx_factory"])
    Test.fixturenames = ("ctx_getter",)
    with pytest.warns(DeprecationWarning, match="use ctx_factory"):
        assert tools.get_pyopencl_fixture_arg_names(Test) == ["ctx_getter"]


def test_kinds_of_arguments():
    vector, scalar = tools.VectorArg("f4", "x"), tools.ScalarArg(np.dtype("f4"), "x")
    assert vector != scalar and scalar == tools.ScalarArg(np.float32, "x")
    for argument in (vector, scalar):
        assert isinstance(argument, tools.DtypedArgument)
        assert argument.dtype is np.dtype(np.float32)
        with pytest.raises(AttributeError):
            argument.name = "y"
    assert isinstance(tools.OtherArg("sampler_t s", "s"), tools.Argument)
    for abstract in (tools.Argument, lambda: tools.DtypedArgument("f4", "x")):
        with pytest.raises(TypeError, match="abstract"):
            abstract()


def test_spir_v_is_known_by_its_first_word():
    word = (0x07230203).to_bytes(4, "little")
    assert tools.is_spirv(word + b"rest") and tools.is_spirv(word[::-1])
    assert not tools.is_spirv(b"__kernel void f() {}") and not tools.is_spirv("text")


def test_names_for_annotations():
    import typing

    import pyopencl.typing as cl_typing
    import pyopencl.version as version

    assert isinstance(cl_typing.DTypeT, typing.TypeVar)
    assert isinstance(cl_typing.SVMInnerT, typing.TypeVar)
    assert cl_typing.SVMInnerT.__bound__ is cl_typing.HasBufferInterface
    assert type(None) in typing.get_args(cl_typing.WaitList)
    assert cl.LocalMemory in typing.get_args(cl_typing.KernelArg)
    assert typing.get_args(cl_typing.Allocator)[0] == [int]
    assert (version.VERSION_TEXT, version.VERSION_STATUS) == (cl.VERSION_TEXT, "")
    assert version.VERSION == cl.VERSION


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__global const float *x", tools.VectorArg(np.float32, "x")),
        ("int n", tools.ScalarArg(np.int32, "n")),
        ("unsigned long count", tools.ScalarArg(np.uint64, "count")),
        ("float4 *v", tools.VectorArg(cltypes.float4, "v")),
        ("cfloat_t z", tools.ScalarArg(np.complex64, "z")),
    ],
)
def test_declarations_are_read(text, expected):
    assert tools.parse_c_arg(text) == expected
    assert tools.parse_c_arg(expected.declarator()) == expected
    assert hash(tools.parse_c_arg(text)) == hash(expected)


def test_lists_of_arguments():
    arguments = tools.parse_arg_list("float *x, int n", with_offset=True)
    assert arguments == [tools.VectorArg(np.float32, "x", True), tools.ScalarArg("i4", "n")]
    assert tools.parse_arg_list(arguments) == arguments
    assert tools.get_arg_list_arg_types(arguments) == (arguments[0], np.dtype("i4"))
    assert tools.get_arg_list_scalar_arg_dtypes(arguments) == [None, np.dtype("i8"), np.dtype("i4")]
    assert arguments[0].declarator() == "__global float *x__base, long x__offset"
    assert "x__offset" in tools.get_arg_offset_adjuster_code(arguments)
    other = tools.OtherArg("sampler_t s", "s")
    assert other.declarator() == "sampler_t s"
    for read in (tools.get_arg_list_arg_types, tools.get_arg_list_scalar_arg_dtypes):
        with pytest.raises(RuntimeError, match="OtherArg"):
            read([other])
    with pytest.raises(RuntimeError, match="__local"):
        tools.parse_c_arg("__local float *x")
    with pytest.raises(ValueError, match="nonsense"):
        tools.parse_c_arg("nonsense x")


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("i1", "char"),
        ("u1", "uchar"),
        ("i8", "long"),
        ("u4", "uint"),
        ("f8", "double"),
        ("c8", "cfloat_t"),
    ],
)
def test_names_of_types(dtype, name):
    assert tools.dtype_to_ctype(np.dtype(dtype)) == name
    assert tools.get_or_register_dtype(name) == np.dtype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.bool_, "M8[s]"])
def test_types_without_a_name(dtype):
    with pytest.raises(ValueError, match="unable to map"):
        tools.dtype_to_ctype(np.dtype(dtype))


@pytest.mark.parametrize("base", ["char", "ushort", "int", "ulong", "float", "double"])
@pytest.mark.parametrize("count", [2, 3, 4, 8, 16])
def test_vector_types(base, count):
    dtype = getattr(cltypes, f"{base}{count}")
    scalar = np.dtype(getattr(cltypes, base))
    assert dtype.itemsize == scalar.itemsize * (4 if count == 3 else count)
    assert cltypes.vec_types[scalar, count] is dtype
    assert cltypes.vec_type_to_scalar_and_count[dtype] == (scalar, count)
    assert tools.dtype_to_ctype(dtype) == f"{base}{count}"
    made = getattr(cltypes, f"make_{base}{count}")(*range(1, count + 1))
    assert [made[f"s{i}"] for i in range(count)] == list(range(1, count + 1))
    assert made["x"] == 1
    assert getattr(cltypes, f"ones_{base}{count}")()["s1"] == 1
    assert getattr(cltypes, f"zeros_{base}{count}")()["s1"] == 0
    assert getattr(cltypes, f"filled_{base}{count}")(5)["y"] == 5


def test_vectors_with_missing_components():
    with pytest.warns(DeprecationWarning, match="2 of 4"):
        made = cltypes.make_float4(1, 2)
    assert made["w"] == 0
    with pytest.warns(DeprecationWarning, match="0 of 4") as caught:
        assert cltypes.make_float4(x=3).item() == (3, 0, 0, 0)
        assert cltypes.make_float4().item() == (0, 0, 0, 0)
    assert [w.filename for w in caught] == [__file__] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cltypes.zeros_float4() == cltypes.make_float4(0, 0, 0, 0)
    with pytest.raises(TypeError):
        cltypes.make_float2(1, 2, 3)


def test_what_devices_can_do(device):
    assert characterize.has_double_support(device) is ("cl_khr_fp64" in device.extensions)
    assert characterize.has_amd_double_support(device) is ("cl_amd_fp64" in device.extensions)
    version = characterize.get_pocl_version(device.platform)
    if device.platform.name == "Portable Computing Language":
        assert version >= (1, 0)
        assert characterize.has_src_build_cache(device) is True
    else:
        assert version is None
    assert characterize.has_struct_arg_count_bug(device) is False
    assert isinstance(characterize.has_coarse_grain_buffer_svm(device), bool)
    assert isinstance(characterize.has_fine_grain_buffer_svm(device), bool)
    assert isinstance(characterize.has_fine_grain_system_svm(device), bool)
    assert "-cl-mad-enable" in characterize.get_fast_inaccurate_build_options(device)
    if device.type & cl.device_type.CPU:
        assert characterize.get_simd_group_size(device, 4) == 1
        assert characterize.nv_compute_capability(device) is None


def test_debugging_is_for_one_platform_only(context):
    with pytest.warns(UserWarning, match="debugging"):
        cl.enable_debugging(context)
    with pytest.warns(UserWarning, match="debugging"):
        cl.enable_debugging(context.devices[0].platform)


def test_work_group_multiple_and_local_memory(context, device):
    multiple = characterize.reasonable_work_group_size_multiple(device)
    assert multiple >= 1 and device.max_work_group_size % multiple == 0
    assert characterize.reasonable_work_group_size_multiple(device, context) == multiple
    assert characterize.usable_local_mem_size(device) == device.local_mem_size
    assert characterize.has_fine_grain_buffer_svm_atomics(device) in (False, True)
    assert characterize.has_fine_grain_system_svm_atomics(device) in (False, True)


def test_modules_are_attributes_without_an_import(run_python):
    script = """
import treadle.compat
import pyopencl as cl
from pyopencl import typing
print(cl.tools.MemoryPool.__name__, cl.characterize.has_double_support.__name__)
print(cl.typing is typing, callable(cl._enqueue_write_buffer), cl.cltypes.float4.itemsize)
import pyopencl.compyte.array as array
print(array.c_contiguous_strides(4, (2, 3)))
"""
    result = run_python("-c", script)
    assert result.stdout == ("MemoryPool has_double_support\nTrue True 16\n(12, 4)\n"), (
        result.stdout + result.stderr
    )


def test_unknown_type_names_are_told_by_both_names():
    for kind in (tools.TypeNameNotKnown, KeyError):
        with pytest.raises(kind, match="'nonsense_t' is the name of no type here"):
            tools.get_or_register_dtype("nonsense_t")
    assert tools.get_or_register_dtype(c_names="uint") == np.uint32


def test_declarations_of_the_types_of_a_kernel(device):
    declarations = tools._CDeclList(device)
    declarations.add_dtype(np.complex128)
    declarations.visit_arguments([tools.VectorArg(np.float64, "x"), tools.OtherArg("int n", "n")])
    text = declarations.get_declarations()
    assert text.count("cl_khr_fp64") == 1
    assert text.count("#include <pyopencl-complex.h>") == 1


def test_keys_of_types_are_the_same_in_every_process(run_python):
    key = (np.dtype(np.float32), tools.VectorArg(np.int8, "x"), {"n": [1, 2.5, None]}, np.int32(3))
    text = (
        "import numpy as np, pyopencl.tools as tools\n"
        "key = (np.dtype(np.float32), tools.VectorArg(np.int8, 'x'), "
        "{'n': [1, 2.5, None]}, np.int32(3))\n"
        "print(tools._NumpyTypesKeyBuilder()(key))"
    )
    result = run_python("-c", "import treadle.compat\n" + text)
    builder = tools._NumpyTypesKeyBuilder()
    assert result.stdout.strip() == builder(key), result.stderr
    others = [np.dtype(np.float64), np.dtype([("a", np.float32)]), (1, 2), ((1,), 2), "12", 12]
    assert len({builder(other) for other in others}) == len(others)
    with pytest.raises(TypeError, match="object is no part of a key"):
        builder((1, object()))


def test_code_becomes_the_body_of_a_macro():
    assert tools._process_code_for_macro("a = 1;\n//CL//b = a;").split("\n") == [
        "a = 1; \\",
        "b = a;",
    ]
    with pytest.raises(RuntimeError, match="end-of-line comments"):
        tools._process_code_for_macro("a = 1; // and more\nb = a;")
