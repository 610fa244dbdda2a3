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
        ("python/bindings/pycuda/a.cpp", '#include "native/a.hpp"', "no arrow pycuda -> native"),
    ],
)
def test_wrong_arrow_is_found(tree, path, text, problem):
    files = {
        **BASE,
        "include/treadle/treadle.hpp": SPDX,
        "src/cuda/private.hpp": SPDX,
        "tests/cuda/a_test.hpp": SPDX,
        "python/bindings/native/a.hpp": SPDX,
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
    ("text", "problem"),
    [
        (
            "from treadle.pycuda.driver import init\n",
            "imports treadle.pycuda.driver, which is public",
        ),
        ("from treadle.pycuda import driver\n", "driver, which is public"),
        ("def f():\n    import treadle.pycuda._b\n", "import circle"),
    ],
)
def test_wrong_import_of_a_face_is_found(tree, text, problem):
    files = {
        "python/treadle/pycuda/__init__.py": "",
        "python/treadle/pycuda/driver.py": "",
        "python/treadle/pycuda/_a.py": text,
        "python/treadle/pycuda/_b.py": "from treadle.pycuda import _a\n",
    }
    status, output = tree("check_imports.py", files)
    assert status == 1
    assert problem in output


def test_binding_that_imports_the_package_is_found(tree):
    text = SPDX + 'void f() { nb::module_::import_("treadle.numpy"); }\n'
    status, output = tree("check_imports.py", {"python/bindings/a.cpp": text})
    assert status == 1
    assert "imports a module of the package" in output


@pytest.mark.parametrize(
    "line", ["Buffer.grow = None", "setattr(Buffer, 'grow', None)", "Memory.grow = grow = None"]
)
def test_class_of_the_extension_that_python_patches_is_found(tree, line):
    text = "from treadle._core.memory import Buffer, Buffer as Memory\n" + line + "\n"
    status, output = tree("check_imports.py", {"python/treadle/a.py": text})
    assert status == 1
    assert "is a class of the extension: bind the attribute there" in output


def test_right_imports_of_a_face_pass(tree):
    files = {
        "python/treadle/_shared.py": "",
        "python/treadle/pycuda/__init__.py": "",
        "python/treadle/pycuda/_a.py": "import treadle.numpy\nfrom treadle import _shared\n",
        "python/treadle/pycuda/driver.py": "from treadle.pycuda._a import *\n",
    }
    status, output = tree("check_imports.py", files)
    assert (status, output) == (0, output)


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("src/base/utils.cpp", SPDX, "a generic file name"),
        ("src/base/a.cpp", "int a;\n", "no SPDX line"),
        ("CHANGELOG.md", "- More.\n" * 2000, "16000 bytes, more than 15000"),
        ("src/base/a.cpp", SPDX + "\n" * 600, "601 lines"),
        (
            "src/base/a.cpp",
            SPDX + "int f() {\n" + "  g();\n" * 80 + "}\n",
            "a function of 82 lines",
        ),
        (
            "src/base/a.cpp",
            SPDX + "int f(int a, int b, int c,\n      int d, int e, int f, int g) {\n}\n",
            "f has 7 parameters",
        ),
        (
            "tests/a.py",
            "# SPDX-License-Identifier: MIT\ndef f(a, b, c, d, *, e, f, g): ...\n",
            "f has 7 parameters",
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


@pytest.mark.parametrize(
    "text",
    [
        "// over 6 parameters because each is named\nint f(A a, B b, C c, D d, E e, F f, G g) {\n}",
        "CUresult cuFill(A a, B b, C c, D d, E e, F f, G g) {\n}",
        "void Call(A a, B b, C c, D d, E e, F f, G g) override {\n}",
        "// void f(A a, B b, C c, D d, E e, F f, G g) {",
        "int f(std::map<A, std::pair<B, C>> a, Call<int(D, E)> b, int c = g(1, 2, 3)) {\n}",
    ],
)
def test_parameters_of_others_or_with_a_reason_pass(tree, text):
    status, output = tree("check_style.py", {"src/base/a.cpp": f"{SPDX}{text}\n"})
    assert (status, output) == (0, output)


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


def test_a_page_that_counts_the_waist_wrongly_is_found(tree):
    files = {
        "include/treadle/device/stream.hpp": SPDX + "  virtual void a();\n  virtual int b();\n",
        "tests/device/stream_test.cpp": SPDX,
        "ARCHITECTURE.md": "It has 2 virtual\nfunctions of six interfaces.",
        "docs/internals/device.md": "There are 3 in all, at most 2 in a class.",
    }
    status, output = tree("check_architecture.py", files)
    assert status == 1
    assert 'docs/internals/device.md: it does not say "There are 2 in all' in output
    assert "ARCHITECTURE.md" not in output


HEADER = "include/treadle/base/a.hpp"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("int count();", ["count"]),
        ("/// How many.\nint count();", []),
        ("// How many.\nint count();", ["count"]),
        ("int count;  ///< elements", []),
        ("enum class Kind { a, b };", ["Kind"]),
        ("using Mark = int;", ["Mark"]),
        ("template <class T>\nconcept Small = sizeof(T) < 9;", ["Small"]),
        ("struct Point {\n  int x;\n};", ["Point", "Point::x"]),
        ("class Box {\n  int size_;\n};", ["Box"]),
        ("class Box {\n public:\n  int size() const { return 1; }\n};", ["Box", "Box::size"]),
        ("/// A box.\nclass Box {\n protected:\n  int size();\n};", []),
        ("namespace inner {\nint f();\n}", ["inner::f"]),
        ("int f(int (*call)(int) = nullptr, std::vector<int> all = {});", ["f"]),
        (
            "template <class T>\n  requires Small<T>\nT f(const T& value) {\n  return value;\n}",
            ["f"],
        ),
    ],
)
def test_public_names_without_words_are_found(tree, text, bare):
    status, output = tree("check_documented.py", {HEADER: f"{SPDX}{text}\n"})
    assert [
        line.split(": ")[1].split(" ")[0] for line in output.splitlines() if HEADER in line
    ] == bare
    assert status == bool(bare)


@pytest.mark.parametrize(
    "text",
    [
        "class Box;",
        "/// Of a number.\nint f(int);\nint f(long);",
        "/// Of eight bits.\nint fill8(int);\nint fill16(int);",
        "/// A box.\nstruct Box {\n  Box(const Box&) = delete;\n  Box(Box&& other) noexcept;\n"
        "  ~Box();\n  bool operator==(const Box&) const = default;\n};",
        "/// A box.\nclass Box final : public Base {\n public:\n  int size() const override;\n};",
        "template <>\nstruct Size<int> {\n  static constexpr int value = 4;\n};",
        "template <class T>\nint Box<T>::size() const {\n  return 1;\n}",
        "#define TREADLE_BOX(name) \\\n  int name();",
        'const char text[] = "int f();";  ///< in quotes',
        "/* int f(); */",
    ],
)
def test_what_needs_no_words_of_its_own_passes(tree, text):
    status, output = tree("check_documented.py", {HEADER: f"{SPDX}{text}\n"})
    assert (status, output) == (0, output)


@pytest.mark.parametrize(
    ("path", "text", "bare"),
    [
        ("a.py", "def f(): ...\n", ["a", "a.f"]),
        ("a.py", '"""A."""\ndef _f(): ...\n', []),
        ("a.py", '"""A."""\nclass C:\n    """C."""\n    def m(self): ...\n', ["a.C.m"]),
        ("a.py", '"""A."""\nclass C:\n    """C."""\n    @property\n    def m(self): ...\n', []),
        (
            "a.py",
            '"""A."""\nclass B:\n    """B."""\n    def m(self):\n        """M."""\n'
            'class C(B):\n    """C."""\n    def m(self): ...\n',
            [],
        ),
        ("a.pyi", "def f() -> int: ...\n", ["a.f"]),
    ],
)
def test_python_without_docstrings_is_found(tree, path, text, bare):
    status, output = tree("check_documented.py", {f"python/treadle/{path}": text})
    found = [line.split(": ")[1].split(" ")[0] for line in output.splitlines() if "has no" in line]
    assert (status, found) == (bool(bare), bare)


def test_three_in_a_hundred_may_be_bare(tree):
    few = "".join(f"/// Says it.\nint f{letter}();\n" for letter in "abcdefghijklmnopqrstuvwxyz")
    many = "".join(f"/// Says it.\nint g{a}{b}();\n" for a in "abcd" for b in "abcdefgh")
    assert tree("check_documented.py", {HEADER: SPDX + few + many + "int h();\n"})[0] == 0
    assert tree("check_documented.py", {HEADER: SPDX + few + many + "int h();\nint i();\n"})[0] == 1


# Ten lines of product, two of which are comments, and eight of tests: every bar holds.
PRODUCT = "// Why.\n// And how.\n" + "int a;\n" * 8
TESTS = "int a;\n" * 8


@pytest.mark.parametrize(
    ("files", "bar"),
    [
        ({}, None),
        ({"src/base/a.cpp": "int a;\n" * 10}, "H4 does not hold: comments: 0.0%"),
        ({"src/base/a.cpp": "// Why.\n" * 4 + "int a;\n" * 6}, "H4 does not hold: comments: 40.0%"),
        (
            {"tests/base/a_test.cpp": "int a;\n" * 3},
            "T1 does not hold: tests : product = 3 : 8 = 0.38",
        ),
        ({"tests/base/a_test.cpp": "int a;\n\n" * 5 + "// Why.\n" * 9}, "tests : product = 5 : 8"),
        ({"tests/base/a_test.cpp": "", "examples/cpp/a.cpp": TESTS}, None),
        ({"src/base/a.cpp": PRODUCT.replace("int a;", 'f("// in quotes");')}, None),
        (
            {"python/treadle/a.py": "# Late.\ndef f():\n    import treadle.b\n"},
            "python/treadle/a.py:3: a late import without its reason",
        ),
        (
            {"python/treadle/a.py": "# One.\ndef f():\n    import treadle.b  # b imports this\n"},
            "D3 does not hold: late imports: 1 of 1",
        ),
        ({"src/base/a.cpp": PRODUCT * 50}, "S1 does not hold: files: median 254"),
        (
            {"src/base/a.cpp": "int f() {\n" + "  g();  // why\n  g();\n" * 20 + "}\n"},
            "S2 does not hold: functions: median 42",
        ),
    ],
)
def test_proportions(tree, files, bar):
    files = {"src/base/a.cpp": PRODUCT, "tests/base/a_test.cpp": TESTS, **files}
    status, output = tree("check_proportions.py", files)
    assert (bar or "check_proportions: ok") in output
    assert status == bool(bar)


def test_docstrings_are_comments_and_no_code(tree):
    text = '"""What it is\n\nand why."""\nA = 1  # one\nB = """text\n# of code"""\n'
    files = {"src/base/a.cpp": PRODUCT, "tests/base/a_test.cpp": TESTS, "python/treadle/a.py": text}
    _, output = tree("check_proportions.py", files)
    assert "T1 tests : product = 8 : 11" in output  # eight of C++, A and two lines of B
    assert "H4 comments: 33.3%" in output  # 2 + 3 of 15 lines that are not blank


def test_jumps_of_xorwow_are_what_their_program_writes():
    done = subprocess.run([sys.executable, TOOLS / "xorwow_jumps.py", "--check"], text=True)
    assert done.returncode == 0
