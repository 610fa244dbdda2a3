# SPDX-License-Identifier: MIT
"""The documents: every code block runs, every literal copy is one, every named file exists."""

import itertools
import json
import pathlib
import re
import shlex

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(
    path.relative_to(ROOT)
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if "_build" not in path.parts
)
NAMES = [str(page) for page in PAGES]
FENCE = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# How a block of each language is checked, below; text is for what programs print and for diagrams.
RUN = {"python", "cpp", "c", "cmake", "bash", "console", "json"}
PROSE = {"text", "{toctree}", "{literalinclude}"}


def blocks(page, language):
    """(line number, rest of the opening line, text) of each block of that language."""
    text = (ROOT / page).read_text()
    return [
        (text.count("\n", 0, match.start()) + 1, match[2].strip(), match[3])
        for match in FENCE.finditer(text)
        if match[1] == language
    ]


def pages_with(language):
    return [name for name in NAMES if blocks(name, language)]


def test_there_are_pages():
    assert len(PAGES) > 10


@pytest.mark.parametrize("page", NAMES)
def test_every_block_is_of_a_language_that_is_checked(page):
    languages = {match[1] for match in FENCE.finditer((ROOT / page).read_text())}
    assert languages <= PROSE | RUN


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks_run(page, tmp_path, run_python):
    """The blocks of a page are one program, in order, run by `python -m treadle run`."""
    lines = []
    for number, _, text in blocks(page, "python"):
        # Blank lines up to the block's place in the page: a traceback names the page's own line.
        lines += [""] * (number - len(lines)) + text.splitlines()
    script = tmp_path / (pathlib.Path(page).stem + "_blocks.py")
    script.write_text("\n".join(lines) + "\n")
    result = run_python("-m", "treadle", "run", str(script), cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_page_of_expressions_shows_what_is_printed(tmp_path, run_python):
    """A block of text behind one of Python is its output, but for the names of lines."""
    found = FENCE.findall((ROOT / "docs/expressions.md").read_text())
    code = "".join(text for language, _, text in found if language == "python")
    pairs = itertools.pairwise([(language, text) for language, _, text in found])
    shown = [text for (before, _), (here, text) in pairs if (before, here) == ("python", "text")]
    (tmp_path / "example.py").write_text(code)
    result = run_python(str(tmp_path / "example.py"), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    printed = result.stdout.replace(str(tmp_path) + "/", "")
    # The first block of text is a drawing.
    assert "".join(shown[1:]).split() == printed.split()


@pytest.mark.parametrize("page", pages_with("cpp"))
def test_cpp_blocks_are_copies_of_files_that_are_built(page):
    built = re.search(
        r"foreach\(example ([^)]*)\)", (ROOT / "examples/cpp/CMakeLists.txt").read_text()
    )
    files = [ROOT / f"examples/cpp/{name}.cpp" for name in built[1].split()]
    if "internals" in page:
        files += (ROOT / "tests").glob("*/*_test.cpp")
    programs = [file.read_text() for file in files]
    for number, _, text in blocks(page, "cpp"):
        assert any(text.strip() in program for program in programs), f"{page}:{number}"


@pytest.mark.parametrize("page", pages_with("c"))
def test_kernel_blocks_compile_as_cuda_c(page, tmp_path, run_python):
    """A kernel's text shown by itself; what it computes is the business of the tests it names."""
    texts = [text for _, _, text in blocks(page, "c")]
    script = tmp_path / "compile_blocks.py"
    script.write_text(
        f"import treadle\nfolders = [{str(ROOT / 'kernels/dialect')!r}]\nfor text in {texts!r}:\n"
        "    treadle.compile_cuda(text, 'cpu', include_dirs=folders)\n"
        "    try:\n        treadle.compile_cuda(text, 'sm_90', include_dirs=folders)\n"
        "    except treadle.LibraryNotFound:\n        pass  # NVRTC is not installed\n"
    )
    result = run_python(str(script), cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("page", pages_with("cmake"))
def test_cmake_blocks_are_those_of_a_project_that_is_built(page):
    consumer = (ROOT / "tests/consumer/CMakeLists.txt").read_text()
    consumer = consumer.replace("consumer ", "your_program ").replace("treadle 0.1", "treadle")
    for number, _, text in blocks(page, "cmake"):
        for line in text.strip().splitlines():
            assert line in consumer, f"{page}:{number}: {line}"


@pytest.mark.parametrize("page", pages_with("json"))
def test_json_blocks_are_files_of_examples(page):
    files = [json.loads(path.read_text()) for path in ROOT.glob("examples/**/*.json")]
    for number, _, text in blocks(page, "json"):
        assert json.loads(text) in files, f"{page}:{number}"


def commands(page):
    """(line number, words) of every command a reader is shown."""
    for language in ("bash", "console"):
        for number, _, text in blocks(page, language):
            for offset, line in enumerate(text.splitlines(), 1):
                if language == "console" and not line.startswith("$ "):
                    continue  # what the command prints
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if words:
                    yield number + offset, words


def targets_of_make():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


# The commands of other projects that our pages name, by the words they begin with.
FOREIGN = {
    *{("apt", "install"), ("apt-get", "install"), ("cmake",), ("ctest",), ("git", "clone")},
    *{("perf", "record"), ("pip", "install"), ("python3", "-m", "venv")},
}


@pytest.mark.parametrize("page", [name for name in NAMES if list(commands(name))])
def test_commands_exist(page, run_python):
    """Targets of make are in the Makefile; subcommands and options are in their own --help."""
    for number, words in commands(page):
        place = f"{page}:{number}: {' '.join(words)}"
        words[0] = words[0].removeprefix("~/treadle-env/bin/")
        while "=" in words[0]:  # NAME=value before a command
            assert re.match(r"(TREADLE|CUDA|PYOPENCL|PYCUDA)_\w+=", words[0]), place
            words = words[1:]
        if words[0] == "make":
            named = {word for word in words[1:] if "=" not in word}
            assert named <= targets_of_make(), place
        elif words[:3] == ["python", "-m", "treadle"]:
            check_own_command(words[3:], place, run_python)
        elif words[0] == "treadle":
            check_own_command(words[1:], place, run_python)
        elif words[:2] == ["python", "-c"]:
            result = run_python("-c", words[2])
            assert result.returncode == 0, place + result.stderr
        elif words[:3] == ["pytest", "-p", "treadle.compat"]:
            result = run_python("-m", "pytest", "-p", "treadle.compat", "--version")
            assert result.returncode == 0, place + result.stderr
        elif words[0] == "pytest" and words[1].startswith("--treadle-"):
            # Where the package is installed, its entry point has named the plug-in already.
            plugin = ["-p", "no:treadle", "-p", "treadle._pytest_plugin"]
            helped = run_python("-m", "pytest", *plugin, "--help")
            assert words[1].partition("=")[0] in helped.stdout, place
        elif words[0].endswith(".py") or (words[0] == "python" and words[1].endswith(".py")):
            script = words[0] if words[0].endswith(".py") else words[1]
            assert "/" not in script or (ROOT / script).is_file(), place
        else:
            assert any(tuple(words[: len(known)]) == known for known in FOREIGN), place


def test_packages_to_install_are_those_that_the_setup_installs():
    """And extras that pip is asked for are in pyproject.toml."""
    setup = (ROOT / "tools/setup.sh").read_text()
    packages = re.search(r"^build_packages=\(([^)]*)\)", setup, re.MULTILINE)[1].split()
    named = [words[2:] for _, words in commands("docs/getting-started.md") if words[0] == "apt"]
    assert packages in named
    extras = re.findall(
        r"^(\w+) = \[\s*\"nvidia", (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    for page in NAMES:
        for _, words in commands(page):
            if words[-1].startswith(".["):
                assert words[-1][2:-1] in extras, f"{page}: {words}"


def check_own_command(words, place, run_python):
    """One line may show alternatives (stat|ls) and optional parts ([--json])."""
    words = [word.strip("[]") for word in words]
    has_actions = words[0] == "cache" or (words[0] == "tune" and words[1].islower())
    depth = 2 if has_actions and "." not in words[1] else 1
    options = {word for word in words[depth:] if word.startswith("--")}
    for name in words[depth - 1].split("|"):
        command = [*words[: depth - 1], name]
        result = run_python("-m", "treadle", *command, "--help")
        assert result.returncode == 0, place + result.stderr
        assert all(option in result.stdout for option in options), place


@pytest.mark.parametrize("page", pages_with("{literalinclude}"))
def test_included_files_exist(page):
    """What is included is built or compared: a public header, a golden text, or an example that is
    a test."""
    built = (ROOT / "examples/cpp/CMakeLists.txt").read_text()
    for number, target, _ in blocks(page, "{literalinclude}"):
        file = ((ROOT / page).parent / target).resolve()
        assert file.is_file(), f"{page}:{number}: {target}"
        is_header = file.is_relative_to(ROOT / "include")
        is_golden = file.is_relative_to(ROOT / "tests/golden")
        is_python = file.is_relative_to(ROOT / "examples/python")  # tests/examples runs them all
        is_example = is_python or f" {file.stem}" in built
        assert is_header or is_golden or is_example, f"{page}:{number}: {target}"


@pytest.mark.parametrize("page", NAMES)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / page).read_text()):
        if not target.startswith(("http:", "https:")):
            assert ((ROOT / page).parent / target).exists(), target


NAMED_FILE = re.compile(r"`((?:[\w.-]+/)+[\w.*{},-]*|[A-Z]+\.md|CMakeLists\.txt)`")
TOP_FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}


def spelled_out(name):
    """`a/{b,c}.cpp` -> `a/b.cpp`, `a/c.cpp`."""
    match = re.search(r"\{([^{}]*)\}", name)
    if not match:
        return [name]
    return [
        each
        for choice in match[1].split(",")
        for each in spelled_out(name[: match.start()] + choice + name[match.end() :])
    ]


@pytest.mark.parametrize("page", NAMES)
def test_named_files_exist(page):
    """A name in code marks that begins with a folder of the repository leads somewhere."""
    for name in NAMED_FILE.findall((ROOT / page).read_text()):
        for path in spelled_out(name):
            if path.split("/")[0] in TOP_FOLDERS:
                assert any(ROOT.glob(path.rstrip("/"))), f"{page}: {path}"


def test_architecture_traces_a_launch_through_files():
    """The life of one launch names files of every room it passes."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.split("## The life of one launch", 1)[1].split("\n## ", 1)[0]
    named = [path for name in NAMED_FILE.findall(section) for path in spelled_out(name)]
    for room in (
        "python/bindings",
        "src/compile",
        "src/cuda/",
        "src/cuda_cpu/",
        "include/treadle/base",
    ):
        assert any(path.startswith(room) for path in named), room
    for path in named:
        assert any(ROOT.glob(path)), path


def test_every_promise_names_files_with_its_tests():
    """docs/cache.md: the tests of promise P3 are called P3_..., in the files of its row."""
    rows = re.findall(r"^\| (P\d+) \|.*\| (`.*`) \|$", (ROOT / "docs/cache.md").read_text(), re.M)
    assert len(rows) >= 8
    for promise, files in rows:
        for path in re.findall(r"`([^`]+)`", files):
            assert f" {promise}_" in (ROOT / path).read_text(), f"{promise}: {path}"


def table_rows(page, heading):
    """The first cells, as they stand in code marks, of the table below a heading."""
    section = (ROOT / page).read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def test_error_reference_has_every_typed_error():
    """docs/errors.md: each class of the public headers has its row."""
    names = ("base/error.hpp", "opencl/error.hpp", "linalg/decomposition.hpp")
    headers = [ROOT / "include/treadle" / name for name in names]
    declared = {
        name
        for path in headers
        for name in re.findall(r"^class (\w+) : public", path.read_text(), re.MULTILINE)
    }
    assert len(declared) > 11
    rows = {name.removeprefix("opencl::") for name in table_rows("docs/errors.md", "The types")}
    assert rows == declared


def test_error_reference_names_the_python_classes():
    import treadle

    rows = [name for name in table_rows("docs/errors.md", "The types") if "::" not in name]
    for name in rows:
        assert issubclass(getattr(treadle, name), treadle.Error), name
    exported = {name for name in dir(treadle) if isinstance(getattr(treadle, name), type)}
    exported = {name for name in exported if issubclass(getattr(treadle, name), treadle.Error)}
    assert exported == set(rows)


def test_environment_table_is_the_settings():
    """docs/environment.md against the header: names, order and defaults."""
    header = (ROOT / "include/treadle/process/settings.hpp").read_text()
    declared = re.findall(r"/// (TREADLE_\w+):", header)
    text = (ROOT / "docs/environment.md").read_text()
    assert re.findall(r"^\| `(TREADLE_\w+)`", text, re.MULTILINE) == declared
    cap = re.search(r"cache_max_bytes = 1ull << (\d+);", header)
    assert f"| `{1 << int(cap[1])}` |" in text


def test_every_variable_that_is_read_is_documented():
    """Whoever reads a variable of Treadle's by itself, past settings(), shows up here."""
    text = (ROOT / "docs/environment.md").read_text()
    dialect = "".join(path.read_text() for path in (ROOT / "kernels/dialect/treadle").glob("*.h"))
    macros = set(re.findall(r"#define (TREADLE_\w+)", dialect))  # words of kernel text
    for folder in ("src", "python"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".cpp", ".hpp", ".py"}:
                for name in set(re.findall(r'"(TREADLE_[A-Z_]+)"', path.read_text())) - macros:
                    assert f"`{name}`" in text, f"{path.relative_to(ROOT)}: {name}"


def test_every_room_has_a_page():
    rooms = {path.name for path in (ROOT / "include/treadle").iterdir() if path.is_dir()}
    pages = {path.stem for path in (ROOT / "docs/internals").glob("*.md")}
    assert rooms | {"cuda_cpu", "cuda_cpu_passes", "texture_references"} == pages


def test_room_pages_name_every_public_header_of_the_small_rooms():
    """The pages whose first table lists headers list all of them."""
    for room in ("base", "device"):
        text = (ROOT / f"docs/internals/{room}.md").read_text()
        for header in (ROOT / "include/treadle" / room).glob("*.hpp"):
            assert f"`include/treadle/{room}/{header.name}`" in text, header.name


def test_every_promise_has_a_row_with_its_proof():
    """docs/cache.md and docs/promises.md together: P1 to P17, once each, with files that exist."""
    proofs = {}
    for page in ("docs/cache.md", "docs/promises.md"):
        for promise, cell in re.findall(
            r"^\| (P\d+) \|.*\| ([^|]+) \|$", (ROOT / page).read_text(), re.MULTILINE
        ):
            assert promise not in proofs, promise
            proofs[promise] = re.findall(r"`([\w/]+\.\w+)`", cell)
    assert set(proofs) == {f"P{number}" for number in range(1, 18)}
    for promise, files in proofs.items():
        assert files, promise
        for path in files:
            assert (ROOT / path).is_file(), f"{promise}: {path}"


def test_names_that_programs_are_ported_to_exist():
    import treadle
    import treadle.numpy as tnp

    text = (ROOT / "docs/porting-arrays.md").read_text()
    functions = set(re.findall(r"\btnp\.([a-zA-Z_]\w*)", text))
    assert len(functions) > 30
    assert [name for name in functions if not hasattr(tnp, name)] == []
    for line in (line for line in text.splitlines() if line.startswith("| `")):
        ours = line.split(" | ", 1)[1]
        for name in re.findall(r"\bx\.(\w+)", ours):
            assert hasattr(tnp.Array, name), line
        for name in re.findall(r"\btreadle\.(?!numpy)(\w+)", ours):
            assert hasattr(treadle, name), line
