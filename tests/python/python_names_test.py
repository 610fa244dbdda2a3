# SPDX-License-Identifier: MIT
"""Messages and hints that reach Python name Python's functions, and say a thing once."""

import os
import pathlib
import re

import pycuda.driver as cuda
import pytest

import treadle

ROOT = pathlib.Path(os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CPP_NAME = re.compile(r"(?<!std)::[a-z_]|\[\{|\bauto ")
# Texts of kernels, of C++ declarations, and of other compilers' languages.
OTHER_TEXTS = ("codegen", "cuda_cpu", "array/explain")


def messages_with_cpp_names():
    for path in sorted((ROOT / "src").rglob("*.cpp")):
        name = str(path.relative_to(ROOT / "src"))
        if name.startswith(OTHER_TEXTS):
            continue
        for line in path.read_text().splitlines():
            if not line.lstrip().startswith(("//", "#include")):
                for text in LITERAL.findall(line):
                    if CPP_NAME.search(text):
                        yield name, text


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="the sources are not here")
def test_every_cpp_name_in_a_message_has_a_python_name():
    table = (ROOT / "python/bindings/python_names.cpp").read_text()
    rows = re.findall(r'\{"([^"]+)",\s*"([^"]+)"\}', table)
    found = list(messages_with_cpp_names())
    assert len(found) >= 10
    for name, text in found:
        for cpp, python in rows:
            text = text.replace(cpp, python)
        assert not CPP_NAME.search(text), f"{name}: {text}"


def test_a_hint_has_pythons_names(context):
    with pytest.raises(treadle.CompileError) as caught:
        treadle.compile_cuda('#include "nowhere.h"\n', "cpu", cache=False)
    assert "include_dirs=" in caught.value.hint and "::" not in caught.value.hint
    assert caught.value.hint in str(caught.value)


def test_options_that_are_ignored_are_explained_in_pythons_names():
    result = treadle.compile_cuda("__global__ void k() {}", "cpu", flags=["-keep"], cache=False)
    assert "keep=True" in str(result.warnings) and "::" not in str(result.warnings)


def test_the_compilers_text_stands_in_an_error_once(build):
    text = "__global__ void k() {\n  no_such_name;\n}"
    with pytest.raises(cuda.CompileError) as caught:
        build(text)
    assert str(caught.value).count("error:") == 1
    assert "kernel.cu" in caught.value.msg and "error:" not in caught.value.msg
    assert caught.value.stderr.count("error:") == 1
    with pytest.raises(treadle.CompileError) as native:
        treadle.compile_cuda(text, "cpu", cache=False)
    assert str(native.value).count("error:") == 1


def test_a_missing_header_has_its_hint_in_pycudas_error_too(build):
    with pytest.raises(cuda.CompileError) as caught:
        build('#include "nowhere.h"\n__global__ void k() {}')
    if hasattr(caught.value, "__notes__"):
        assert "include_dirs=" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    "text",
    [
        "#include <cub/cub.cuh>\n__global__ void k(int* a) { cub::BlockReduce<int, 64> r; }",
        "#include <cub/block/block_reduce.cuh>\n__global__ void k(int* a) { *a = cub::x; }",
        "#include <thrust/sort.h>\n__global__ void k(int* a) { thrust::sort(a, a + 3); }",
        '#include "thrust/sort.h"\n__global__ void k(int* a) { *a = 3; }',
    ],
    ids=["cub", "cub_block", "thrust", "quoted"],
)
def test_cub_and_thrust_are_not_for_the_cpu_device(text):
    with pytest.raises(treadle.CompileError) as caught:
        treadle.compile_cuda(text, "cpu", cache=False)
    assert "not for the CPU device" in caught.value.hint
    assert "pip install" not in str(caught.value)


def test_a_missing_header_of_the_cpu_device_is_not_nvidias():
    with pytest.raises(treadle.CompileError) as caught:
        treadle.compile_cuda('#include "nowhere.h"\n', "cpu", cache=False)
    assert "include_dirs=" in caught.value.hint and "pip install" not in caught.value.hint
