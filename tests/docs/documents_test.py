# SPDX-License-Identifier: MIT
"""The documents: every code block runs, every literal copy is one, every named file exists."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(
    path.relative_to(ROOT)
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if "_build" not in path.parts
)
NAMES = [str(page) for page in PAGES]
FENCE = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Languages whose blocks are not programs.
PROSE = {"text", "console", "{toctree}", "{literalinclude}", "{note}", "{warning}"}


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
    assert languages <= PROSE | {"python", "cpp", "cmake", "bash"}


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


@pytest.mark.parametrize("page", pages_with("cpp"))
def test_cpp_blocks_are_copies_of_files_that_are_built(page):
    programs = [path.read_text() for path in ROOT.glob("examples/cpp/*.cpp")]
    for number, _, text in blocks(page, "cpp"):
        assert any(text.strip() in program for program in programs), f"{page}:{number}"


@pytest.mark.parametrize("page", pages_with("{literalinclude}"))
def test_included_files_exist(page):
    for number, target, _ in blocks(page, "{literalinclude}"):
        assert ((ROOT / page).parent / target).resolve().is_file(), f"{page}:{number}: {target}"


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
