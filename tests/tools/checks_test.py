# SPDX-License-Identifier: MIT
"""The checks find what they are for, and pass what is right."""

import pathlib
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
SPDX = "// SPDX-License-Identifier: MIT\n"


@pytest.fixture
def tree(tmp_path):
    """A tree made of the files given; the check's status and output over it."""

    def check(name: str, files: dict[str, str]) -> tuple[int, str]:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        done = subprocess.run(
            [sys.executable, TOOLS / name, tmp_path], capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    return check


BASE = {"include/treadle/base/error.hpp": SPDX, "include/treadle/cuda/module.hpp": SPDX}


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("src/base/error.cpp", '#include "treadle/cuda/module.hpp"', "no arrow base -> cuda"),
        ("src/compile/a.cpp", '#include "treadle/cuda/module.hpp"', "no arrow compile -> cuda"),
        ("src/cuda/a.cpp", "#include <treadle/treadle.hpp>", "the umbrella header is for users"),
        ("src/base/a.cpp", "// cuMemAlloc", "does not belong here"),
        ("src/base/a.cpp", "#include <Python.h>", "does not belong here"),
        ("src/cuda/a.cpp", "// clFinish", "does not belong here"),
        ("src/cuda/a.cpp", '#include "cuda/a_test.hpp"', "includes product code only"),
        ("tests/base/a_test.cpp", '#include "cuda/private.hpp"', "public headers only"),
        ("include/treadle/base/a.hpp", '#include "treadle/base/b.hpp"', "include cycle"),
    ],
)
def test_wrong_arrow_is_found(tree, path, text, problem):
    files = {
        **BASE,
        "include/treadle/treadle.hpp": SPDX,
        "src/cuda/private.hpp": SPDX,
        "tests/cuda/a_test.hpp": SPDX,
        "include/treadle/base/b.hpp": '#include "treadle/base/a.hpp"\n',
        path: text + "\n",
    }
    if problem == "includes product code only":
        files[path] = '#include "../../tests/cuda/a_test.hpp"\n'
    status, output = tree("check_arrows.py", files)
    assert status == 1
    assert problem in output


def test_right_arrows_pass(tree):
    status, output = tree(
        "check_arrows.py",
        {
            **BASE,
            "src/cuda/symbols.def": SPDX,
            "src/cuda/private.hpp": SPDX,
            "src/cuda/module.cpp": '#include "treadle/base/error.hpp"\n',
            "src/cuda_cpu/runtime/api.cpp": '#include "cuda/symbols.def"\n',
            "tests/cuda/module_test.cpp": '#include "cuda/private.hpp"\n',
        },
    )
    assert (status, output) == (0, output)


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("src/base/utils.cpp", SPDX, "a name that says nothing"),
        ("src/base/a.cpp", "int a;\n", "no SPDX line"),
        ("src/base/a.cpp", SPDX + "\n" * 600, "601 lines"),
        (
            "src/base/a.cpp",
            SPDX + "int f() {\n" + "  g();\n" * 80 + "}\n",
            "a function of 82 lines",
        ),
        ("src/base/a.cpp", SPDX + "// \x54ODO later\n", "unfinished"),
        ("python/treadle/a.py", "# SPDX-License-Identifier: MIT\nimport pickle\n", "P4"),
        ("python/treadle/a.py", "# SPDX-License-Identifier: MIT\neval('1')\n", "P4"),
        ("src/base/a.cpp", SPDX + '// see "/\x77ork/main"\n', "one machine"),
    ],
)
def test_style_finding(tree, path, text, problem):
    status, output = tree("check_style.py", {path: text})
    assert status == 1
    assert problem in output


def test_inputs_of_the_fuzz_programs_are_not_read_as_code(tree):
    assert tree("check_style.py", {"tests/fuzz/corpus/scan/a.cu": "int a;\n"})[0] == 0


def test_long_file_with_a_reason_passes(tree):
    text = SPDX + "// Over 600 lines because ..." + "\n" * 700
    assert tree("check_style.py", {"src/base/a.cpp": text.replace("Over", "over")})[0] == 0


def test_document_naming_a_missing_file_is_found(tree):
    files = {
        "ARCHITECTURE.md": "A launch starts in `src/cuda/{launch,gone}.cpp` and ends in `tests/`.",
        "src/cuda/launch.cpp": SPDX,
        "tests/.keep": "",
    }
    status, output = tree("check_architecture.py", files)
    assert status == 1
    assert "src/cuda/gone.cpp does not exist" in output
    assert "launch.cpp does not exist" not in output


def test_public_header_without_its_test_is_found(tree):
    status, output = tree("check_architecture.py", {"include/treadle/base/error.hpp": SPDX})
    assert status == 1
    assert "no tests/base/error_test.cpp" in output
