# SPDX-License-Identifier: MIT
"""Programs: sources, options, logs, binaries, linking, and the cache."""

import inspect
import logging
import os
import re
import warnings

import numpy as np
import pyopencl as cl
import pytest

from treadle._core.compile import statistics

SOURCE = "__kernel void fill(__global int *out) { out[get_global_id(0)] = VALUE; }"
PLAIN = "__kernel void a() {} __kernel void b() {}"


def _run(program, queue, context):
    out, result = cl.Buffer(context, 1, 16), np.zeros(4, np.int32)
    cl.Kernel(program, "fill")(queue, (4,), None, out)
    cl.enqueue_copy(queue, result, out)
    return result[0]


@pytest.mark.parametrize(
    "options",
    [
        "-D VALUE=7 '-DOTHER=1'",
        "-DVALUE=7",
        ["-D", "VALUE=7"],
        [b"-DVALUE=7"],
        ("-D VALUE=7",),
    ],
)
def test_options_are_words_in_any_form(options, queue, context):
    program = cl.Program(context, SOURCE)
    assert program.build(options) is program
    assert _run(program, queue, context) == 7


def test_options_of_the_environment_come_last(queue, context, monkeypatch):
    monkeypatch.setenv("PYOPENCL_BUILD_OPTIONS", "-DMORE=9  -DLESS=0")
    program = cl.Program(context, SOURCE.replace("VALUE", "VALUE + MORE - LESS")).build("-DVALUE=7")
    assert _run(program, queue, context) == 16
    text = program.get_build_info(context.devices[0], cl.program_build_info.OPTIONS)
    assert text.index("-DVALUE=7") < text.index("-DMORE=9")


def test_options_for_every_program(queue, context, monkeypatch):
    monkeypatch.setattr(cl, "_DEFAULT_BUILD_OPTIONS", cl._DEFAULT_BUILD_OPTIONS)
    cl._DEFAULT_BUILD_OPTIONS.append("-DVALUE=5")
    try:
        assert _run(cl.Program(context, SOURCE).build(), queue, context) == 5
    finally:
        cl._DEFAULT_BUILD_OPTIONS.clear()


@pytest.mark.parametrize("source", [PLAIN, PLAIN.encode()])
def test_information(source, context, device):
    program = cl.Program(context, source).build()
    assert sorted(program.kernel_names.split(";")) == ["a", "b"]
    assert program.num_kernels == 2
    assert program.devices == [device]
    assert program.num_devices == 1
    assert program.context == context
    assert program.reference_count >= 1
    assert program.binary_sizes == [len(binary) for binary in program.binaries]
    assert program.get_info(cl.program_info.NUM_KERNELS) == 2
    info = cl.program_build_info
    assert program.get_build_info(device, info.STATUS) == cl._constants.build_status.SUCCESS
    assert isinstance(program.get_build_info(device, info.OPTIONS), str)
    assert program.get_build_info(device, info.BINARY_TYPE) == cl.program_binary_type.EXECUTABLE
    assert {kernel.function_name for kernel in program.all_kernels()} == {"a", "b"}


def test_kernels_are_attributes(context):
    program = cl.Program(context, PLAIN).build()
    assert program.a.function_name == "a"
    with pytest.raises(AttributeError, match="nonsense"):
        program.nonsense  # noqa: B018
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL_NAME"):
        cl.Kernel(program, "nonsense")


def test_each_program_is_warned_of_once(context):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(3):
            program = cl.Program(context, f"{PLAIN} // {number % 2}").build()
            for _ in range(3):
                program.b  # noqa: B018
    repeated = [w for w in caught if w.category is cl.RepeatedKernelRetrieval]
    assert len(repeated) == 3


def test_the_second_retrieval_of_a_kernel_warns(context):
    program = cl.Program(context, PLAIN).build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.Kernel(program, "a")
        program.a  # noqa: B018
        cl.Kernel(program, "a")
        program.b  # noqa: B018
    with pytest.warns(cl.RepeatedKernelRetrieval, match="'a'"):
        program.a  # noqa: B018
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.a  # noqa: B018


def test_asking_before_the_build_defeats_the_cache_and_says_so(context, queue):
    program = cl.Program(context, SOURCE)
    with pytest.warns(UserWarning, match="caching"):
        assert program.source == SOURCE
    assert program._get_prg().kind() == cl._cl.program_kind.SOURCE
    assert _run(program.build("-DVALUE=3"), queue, context) == 3
    with (
        pytest.warns(UserWarning, match="caching"),
        pytest.raises(cl.LogicError),
    ):
        cl.Kernel(cl.Program(context, PLAIN), "a")


def test_a_program_may_be_built_again(context, queue):
    program = cl.Program(context, SOURCE).build("-DVALUE=3")
    assert _run(program, queue, context) == 3
    program.build("-DVALUE=3", devices=context.devices)
    assert _run(program, queue, context) == 3


def test_slow_builds_are_logged(context, caplog):
    program = cl.Program(context, PLAIN).build()
    program._build_duration_info = ("build", False, 5.0)
    with caplog.at_level(logging.INFO, "pyopencl"):
        cl.Program.__getattr__(program, "a")
    assert "5.00 s" in caplog.text


# --- failures ------------------------------------------------------------------------------------

BROKEN = "__kernel void f(__global int *out)\n{\n    out[0] = nonsense;\n}\n"


@pytest.mark.parametrize("cache_dir", [None, False])
def test_a_failed_build_shows_the_log_with_the_user_s_lines(context, device, cache_dir):
    with pytest.raises(cl.RuntimeError) as caught:
        cl.Program(context, BROKEN).build("-DX=1", cache_dir=cache_dir)
    text = str(caught.value)
    assert text.startswith("clBuildProgram failed: BUILD_PROGRAM_FAILURE - ")
    assert re.search(r":3:\d+: .*nonsense", text), text
    first_line = caught.value.log.strip().splitlines()[0]
    assert text.count(first_line) == 1
    assert "=" * 75 in text
    assert device.name in text
    assert "(options: -DX=1" in text
    assert caught.value.code == cl.status_code.BUILD_PROGRAM_FAILURE
    assert "nonsense" in caught.value.log


def test_failed_builds_are_treadle_s_too(context):
    import treadle

    with pytest.raises(treadle.CompileError):
        cl.Program(context, BROKEN).build()


@pytest.mark.parametrize("cache_dir", [None, False])
def test_bad_options_are_a_runtime_error_with_their_own_code(context, cache_dir):
    with pytest.raises(cl.RuntimeError) as caught:
        cl.Program(context, PLAIN).build("-cl-no-such-option", cache_dir=cache_dir)
    assert caught.value.code in (-43, -11)
    assert "-cl-no-such-option" in str(caught.value)


def test_what_a_compiler_says_of_a_good_program_is_a_warning(context, monkeypatch):
    source = '#warning "look here"\n' + PLAIN
    for _ in range(2):  # the second time from the cache
        with pytest.warns(cl.CompilerWarning) as caught:
            cl.Program(context, source).build()
        assert "PYOPENCL_COMPILER_OUTPUT" in str(caught[0].message)
    monkeypatch.setenv("PYOPENCL_COMPILER_OUTPUT", "1")
    with pytest.warns(cl.CompilerWarning, match="look here"):
        cl.Program(context, source).build()
    monkeypatch.setenv("PYOPENCL_COMPILER_OUTPUT", "maybe")
    with pytest.raises(ValueError, match="maybe"):
        cl.Program(context, source).build()


@pytest.mark.parametrize("module", ["pyopencl", r"pyopencl\.cache"])
def test_warnings_of_the_compiler_are_those_of_pyopencls_module(context, module):
    source = '#warning "look here"\n' + PLAIN
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cl.Program(context, source).build()
        line = inspect.currentframe().f_lineno - 1
        warnings.filterwarnings("ignore", module=module)
        cl.Program(context, source).build()
    assert [(w.category, w.filename, w.lineno) for w in caught] == [
        (cl.CompilerWarning, __file__, line)
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module=module)
        with pytest.raises(cl.CompilerWarning):
            cl.Program(context, source).build()


# --- binaries, linking ---------------------------------------------------------------------------


def test_binaries_make_the_program_again(context, queue, device):
    first = cl.Program(context, SOURCE).build("-DVALUE=4")
    again = cl.Program(context, [device], first.binaries)
    assert again._get_prg().kind() == cl._cl.program_kind.BINARY
    assert _run(again.build(), queue, context) == 4
    with pytest.raises(cl.LogicError, match="1 devices, 2 binaries"):
        cl.Program(context, [device], first.binaries * 2)
    with pytest.raises(TypeError):
        cl.Program(context, [device], ["text"])
    with pytest.raises(cl.Error):
        cl.Program(context, [device], [b"nonsense"]).build()


def test_identity(context):
    program = cl.Program(context, PLAIN).build()
    same = cl.Program.from_int_ptr(program.int_ptr)
    assert same == program
    assert hash(same) == hash(program)
    assert cl.Program(program._get_prg()) == program
    assert program != 3
    assert program != cl.Program(context, PLAIN).build()


def test_compile_with_headers_and_link(context, queue, device):
    if not device.linker_available:
        pytest.skip("the device has no linker")
    header = cl.Program(context, "int value(void);\n")
    main = cl.Program(
        context,
        '#include "value.h"\n__kernel void fill(__global int *out) '
        "{ out[get_global_id(0)] = value(); }",
    )
    other = cl.Program(context, "int value(void) { return VALUE; }")
    with pytest.warns(UserWarning, match="caching"):
        assert main.compile(headers=[("value.h", header)]) is main
    other.compile(["-DVALUE=11"])
    linked = cl.link_program(context, [main, other])
    assert isinstance(linked, cl.Program)
    assert _run(linked, queue, context) == 11
    with pytest.raises(cl.RuntimeError, match="nonsense"):
        cl.Program(context, BROKEN).compile()


def test_wrong_headers(context):
    program = cl._cl._Program(context, PLAIN)
    with pytest.raises(cl.LogicError, match="pair"):
        program.compile(headers=[(1, 2, 3)])


def test_intermediate_code(context, device):
    magic = (0x07230203).to_bytes(4, "little")
    with pytest.raises(cl.Error):
        cl.Program(context, magic + bytes(16)).build()


def test_built_in_kernels_that_do_not_exist(context):
    for names in ("no_such_kernel", ["no_such", "kernel"]):
        with pytest.raises(cl.Error):
            cl.create_program_with_built_in_kernels(context, context.devices, names)


# --- the cache -----------------------------------------------------------------------------------


def _counts():
    now = statistics()
    return now.misses, now.memory_hits + now.disk_hits


def test_the_second_build_comes_from_the_cache(context, queue):
    text = SOURCE + "// " + os.urandom(8).hex()
    before = _counts()
    assert _run(cl.Program(context, text).build("-DVALUE=1"), queue, context) == 1
    assert _counts()[0] == before[0] + 1
    assert _run(cl.Program(context, text).build("-DVALUE=1"), queue, context) == 1
    assert _counts()[0] == before[0] + 1
    assert _counts()[1] > before[1]
    assert _run(cl.Program(context, text).build("-DVALUE=2"), queue, context) == 2
    assert _counts()[0] == before[0] + 2


def test_a_header_that_changed_is_noticed(context, queue, tmp_path):
    (tmp_path / "value.h").write_text("#define VALUE 1\n")
    text = '#include "value.h"\n' + SOURCE
    options = ["-I", str(tmp_path)]
    assert _run(cl.Program(context, text).build(options), queue, context) == 1
    (tmp_path / "value.h").write_text("#define VALUE 2\n")
    assert _run(cl.Program(context, text).build(options), queue, context) == 2


def test_a_folder_of_ones_own(context, queue, tmp_path):
    folder = tmp_path / "own"
    cl.Program(context, SOURCE).build("-DVALUE=21", cache_dir=str(folder))
    assert any(path.is_file() for path in folder.rglob("*"))
    context.cache_dir = str(tmp_path / "of-context")
    cl.Program(context, SOURCE).build("-DVALUE=22")
    assert any(path.is_file() for path in (tmp_path / "of-context").rglob("*"))


def test_no_cache(context, monkeypatch):
    before = _counts()
    cl.Program(context, PLAIN + "// uncached").build(cache_dir=False)
    monkeypatch.setattr(cl, "_PYOPENCL_NO_CACHE", True)
    cl.Program(context, PLAIN + "// uncached").build()
    assert _counts() == before


def test_no_cache_by_the_environment(run_python):
    script = "import treadle.compat, pyopencl; print(pyopencl._PYOPENCL_NO_CACHE)"
    assert run_python("-c", script, PYOPENCL_NO_CACHE="yes").stdout.strip() == "True"
    result = run_python("-c", script, PYOPENCL_NO_CACHE="maybe")
    assert result.returncode == 1
    assert "ValueError" in result.stderr


def test_the_log_of_a_failed_build_can_be_asked_for(context, device):
    program = cl.Program(context, "__kernel void f() { no_such_thing(); }")
    with pytest.raises(cl.RuntimeError):
        program.build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "no_such_thing" in program.get_build_info(device, cl.program_build_info.LOG)
        assert program.get_build_info(device, cl.program_build_info.STATUS) == -2


def test_the_source_is_known_however_a_program_was_built(context):
    text = "__kernel void known(__global int *x) { *x = 11; }"
    for _ in range(2):  # the second one comes from the cache
        program = cl.Program(context, text).build()
        assert program.source == text
        assert program.get_info(cl.program_info.SOURCE) == text


def test_parts_of_a_device_have_programs(device):
    if device.max_compute_units < 2:
        pytest.skip("needs a device of two parts")
    try:
        parts = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])[:2]
    except cl.Error as error:
        pytest.skip(f"the device has no parts: {error}")
    context = cl.Context(parts)
    assert context.devices == parts and context.num_devices == 2
    assert context.get_info(cl.context_info.DEVICES) == parts
    program = cl.Program(context, "__kernel void f(__global int *x, int v) { *x = v; }").build()
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    for number, part in enumerate(parts, 5):
        queue = cl.CommandQueue(context, part)
        cl.Kernel(program, "f")(queue, (1,), None, memory, np.int32(number))
        found = np.zeros(1, np.int32)
        cl.enqueue_copy(queue, found, memory)
        assert found[0] == number


def test_a_contexts_folder_for_the_cache(device, tmp_path):
    context = cl.Context(devices=[device], properties=None, dev_type=None, cache_dir=tmp_path)
    assert context.cache_dir == tmp_path
    cl.Program(context, "__kernel void in_the_folder() {}").build()
    assert any(tmp_path.rglob("*"))
    assert not hasattr(cl.Context([device]), "cache_dir")


def test_built_in_kernels_take_no_options_of_texts(context):
    names = context.devices[0].built_in_kernels
    if not names:
        pytest.skip("the device brings no kernels along")
    program = cl.create_program_with_built_in_kernels(context, context.devices, names.split(";")[0])
    try:
        program.build()
    except cl.RuntimeError as error:  # PoCL 3.1 cannot build its own
        assert str(error).endswith("(options: )")
    else:
        assert cl.Kernel(program, names.split(";")[0]).num_args > 0


def test_the_native_program_is_built_by_either_name(context):
    program = cl._cl._Program(context, "__kernel void k(void) {}")
    assert program.build(b"-cl-mad-enable") is program
    assert cl.Kernel(program, "k").num_args == 0


def test_kernels_know_their_source(context):
    text = "__kernel void k(void) {}"
    program = cl.Program(context, text).build()
    (kernel,) = program.all_kernels()
    assert kernel._source == text
    if context.devices[0]._get_cl_version() >= (2, 1):
        assert kernel.clone()._source == text


def test_a_failed_build_compiles_once_and_leaves_its_log(context, device, monkeypatch, tmp_path):
    from treadle.pyopencl import _program

    def compile_again(*arguments):
        raise AssertionError("compiles a second time")

    monkeypatch.setattr(_program._cl, "_Program", compile_again)
    program = cl.Program(context, "__kernel void broken() { nothing_of_the_kind(); }")
    for _ in range(2):
        with pytest.raises(cl.RuntimeError, match="nothing_of_the_kind"):
            program.build(cache_dir=tmp_path)
        assert "nothing_of_the_kind" in program.get_build_info(device, cl.program_build_info.LOG)
        status = program.get_build_info(device, cl.program_build_info.STATUS)
        assert status == cl.build_status.ERROR
