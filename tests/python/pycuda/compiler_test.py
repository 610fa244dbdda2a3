# SPDX-License-Identifier: MIT
import os
import threading

import numpy as np
import pycuda.compiler as compiler
import pycuda.driver as cuda
import pytest

import treadle

TWICE = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }"


def _runs(module, name="twice"):
    data = np.arange(4, dtype=np.float32)
    expected = 2 * data
    module.get_function(name)(cuda.InOut(data), block=(4, 1, 1))
    return (data == expected).all()


def test_source_module_compiles_and_loads(context):
    module = compiler.SourceModule(TWICE)
    assert isinstance(module.module, cuda.Module)
    assert _runs(module)


def test_any_object_with_str_is_a_source(context):
    class Text:
        def __str__(self):
            return TWICE

    assert _runs(compiler.SourceModule(Text()))
    assert _runs(compiler.SourceModule('extern "C" ' + TWICE, no_extern_c=True))


def test_compiled_bytes_are_loaded_again(context, tmp_path):
    code = compiler.compile(TWICE)
    assert isinstance(code, bytes)
    assert _runs(cuda.module_from_buffer(code))
    path = tmp_path / "module.cubin"
    path.write_bytes(code)
    assert _runs(cuda.module_from_file(str(path)))
    assert compiler.compile_plain(
        'extern "C" ' + TWICE, ["-O3"], keep=False, nvcc="nvcc", cache_dir=None
    )


def test_options_and_a_listener_are_taken_with_code(context):
    code, said = compiler.compile(TWICE), []
    options = [(cuda.jit_option.MAX_REGISTERS, 32), (cuda.jit_option.OPTIMIZATION_LEVEL, 4)]
    module = cuda.module_from_buffer(code, options, lambda *message: said.append(message))
    assert _runs(module)
    assert _runs(cuda.module_from_buffer(buffer=code, options=[], message_handler=None))
    ((success, info, error),) = said
    assert success is True and isinstance(info, str) and error == ""
    with pytest.raises(cuda.Error):
        cuda.module_from_buffer(
            b"nonsense" * 8, message_handler=lambda *message: said.append(message)
        )
    assert len(said) == 2 and said[1][0] is False


def test_an_error_names_the_user_s_own_line(context):
    with pytest.raises(cuda.CompileError) as caught:
        compiler.SourceModule("__global__ void k(int *a)\n{\n    a[0] = missing;\n}\n")
    text = str(caught.value)
    assert "kernel.cu:3:12" in text or "kernel.cu(3)" in text
    assert "missing" in text
    assert caught.value.stderr
    assert isinstance(caught.value, cuda.Error)
    assert _runs(compiler.SourceModule(TWICE))


def test_options_and_include_folders_reach_the_compiler(context, tmp_path):
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    source = '#include "factor.h"\n__global__ void twice(float *a) { a[threadIdx.x] *= FACTOR; }'
    assert _runs(compiler.SourceModule(source, include_dirs=[str(tmp_path)]))
    source = "__global__ void twice(float *a) { a[threadIdx.x] *= FACTOR; }"
    options = ["-DFACTOR=2"]
    assert _runs(compiler.SourceModule(source, options=options))
    assert options == ["-DFACTOR=2"]


def test_default_flags_apply_where_no_options_are_given(context, monkeypatch):
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DFACTOR=2"])
    source = "__global__ void twice(float *a) { a[threadIdx.x] *= FACTOR; }"
    assert _runs(compiler.SourceModule(source))
    with pytest.raises(cuda.CompileError):
        compiler.SourceModule(source, options=[])


def test_a_second_compile_is_a_hit(context):
    source = TWICE + "// test_a_second_compile_is_a_hit"
    treadle.compile.reset_statistics()
    compiler.compile(source)
    first = treadle.compile.statistics().as_dict()
    compiler.compile(source)
    second = treadle.compile.statistics().as_dict()
    assert (first["misses"], second["misses"]) == (1, 1)
    assert second["memory_hits"] + second["disk_hits"] == 1


def test_cache_switches(context, monkeypatch, tmp_path):
    source = TWICE + "// test_cache_switches"
    compiler.compile(source, cache_dir=str(tmp_path / "mine"))
    assert any(path.is_file() for path in (tmp_path / "mine").rglob("*"))
    treadle.compile.reset_statistics()
    compiler.compile(source, cache_dir=False)
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    compiler.compile(source)
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE")
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "other"))
    compiler.compile(source + "//")
    assert (tmp_path / "other").is_dir()
    statistics = treadle.compile.statistics()
    assert statistics.memory_hits == statistics.disk_hits == 0


MANY_KERNELS = """
from pathlib import Path
import pycuda.autoinit
from pycuda import compiler, driver
text = "".join(
    f"__global__ void add_{n}(float *a) {{ a[threadIdx.x] += {n}; }}" for n in range(9)
)
array = driver.mem_alloc(64)
for cache_dir in (str(Path("mine").absolute()), "mine", False):
    modules = (
        compiler.SourceModule(text, cache_dir=cache_dir),
        driver.module_from_buffer(compiler.compile(f'extern "C" {{{text}}}', cache_dir=cache_dir)),
    )
    for n, module in enumerate(modules):
        module.get_function(f"add_{n}")(array, block=(16, 1, 1))
print(len(list(Path("default").rglob("*.kernel"))), len(list(Path("mine").rglob("*.kernel"))))
"""


@pytest.mark.parametrize("opened_before", [False, True])
def test_kernels_compiled_later_are_kept_where_the_caller_wants_them(
    run_python, tmp_path, opened_before
):
    (tmp_path / "many.py").write_text(MANY_KERNELS)
    for _ in range(1 + opened_before):
        result = run_python(
            *("-m", "treadle", "run", "many.py"),
            cwd=tmp_path,
            TREADLE_CACHE_DIR=str(tmp_path / "default"),
            TREADLE_DEVICE="cpu",
        )
        assert result.returncode == 0, result.stderr
        in_default, in_mine = map(int, result.stdout.split())
        assert (in_default, in_mine) == (0, 4), "two images, a kernel of each"


def test_an_unwritable_cache_is_no_obstacle(context, tmp_path):
    (tmp_path / "file").write_text("")
    source = TWICE + "// test_an_unwritable_cache_is_no_obstacle"
    with pytest.warns(treadle.TreadleWarning, match="is a file, not a folder"):
        assert compiler.compile(source, cache_dir=str(tmp_path / "file"))
    with pytest.warns(treadle.TreadleWarning, match="ENOTDIR"):
        assert compiler.compile(source + "//", cache_dir=str(tmp_path / "file" / "below"))


def test_keep_leaves_the_files_and_says_where(context, capsys):
    compiler.compile(TWICE, keep=True, cache_dir=False)
    line = capsys.readouterr().out.strip()
    assert line.startswith("*** compiler output in ")
    folder = line.removeprefix("*** compiler output in ")
    assert any("twice" in open(os.path.join(folder, f), errors="replace").read()
               for f in os.listdir(folder))  # fmt: skip


def test_targets_are_checked(context):
    with pytest.raises(AssertionError):
        compiler.compile(TWICE, target="exe")
    assert compiler.compile(TWICE, target="ptx")


def test_options_are_a_list(context):
    with pytest.raises(TypeError, match=r"write \['-DN=3', '-w'\]"):
        compiler.SourceModule(TWICE, options="-DN=3 -w")


def test_an_arch_that_is_none_is_reported(context):
    with (
        pytest.warns(UserWarning, match="failed to check compute capability"),
        pytest.raises(cuda.Error),
    ):
        compiler.SourceModule(TWICE, arch="nonsense", options=["--nonsense-option"])


def test_debugging_switch(context, capsys):
    cuda.set_debugging()
    try:
        assert _runs(compiler.SourceModule(TWICE + "// debug"))
    finally:
        cuda.set_debugging(False)
    assert "compiler output" in capsys.readouterr().out


def test_an_absent_nvcc_is_an_os_error():
    with pytest.raises(OSError, match="no-such-nvcc"):
        compiler.get_nvcc_version("no-such-nvcc")


def test_threads_compile_at_the_same_time(context):
    shared = cuda.Context.get_current()
    results = []

    def work(number):
        shared.push()
        source = TWICE.replace("*= 2", f"*= 2 + 0 * {number}") + "// threads"
        results.append(_runs(compiler.SourceModule(source)))
        cuda.Context.pop()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_a_compile_for_another_machine_needs_no_device(run_python):
    result = run_python(
        "-c",
        "import treadle\n"
        "try:\n"
        "    p = treadle.compile_cuda('__global__ void k() {}', 'sm_90')\n"
        "    print(len(p.image.code) > 100, p.origin)\n"
        "except treadle.LibraryNotFound as error:\n"
        "    print('no compiler', bool(error.tried), bool(error.hint))\n",
    )
    assert result.stdout.strip() in ("True compiled", "no compiler True True"), result.stderr


def test_flags_of_the_environment_are_used(run_python):
    program = (
        "import treadle.compat, pycuda.autoinit\n"
        "from pycuda import compiler\n"
        "print(compiler.DEFAULT_NVCC_FLAGS)\n"
        "text = '__global__ void k(int *a) { *a = ANSWER; }'\n"
        "compiler.SourceModule(text).get_function('k')\n"
    )
    result = run_python("-c", program, PYCUDA_DEFAULT_NVCC_FLAGS="-DANSWER=42 -DOTHER")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "['-DANSWER=42', '-DOTHER']"
