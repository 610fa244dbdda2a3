# SPDX-License-Identifier: MIT
"""Each Python example, as a user runs it: its output, and what its second process compiled."""

import importlib.util
import json
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/python"

# What every run must print, besides the check that all of them share.
EXPECTED = {
    "double_array.py": [r"kernel: [\d.]+ us, [\d.]+ GB/s"],
    "double_array_paper.py": [],
    "pooled_memory.py": [r"a step: [\d.]+ us with the pool", r"bytes in 1 block"],
    "tiled_product.py": [
        r"prepare\(\[np\.intp\] \* 3\): [\d.]+ ms, [\d.]+ GFLOP/s, check against NumPy: ok",
        r'prepare\("PPP"\): [\d.]+ ms, [\d.]+ GFLOP/s, check against NumPy: ok',
        r"a 33x33 block is refused: \w+: .+",
    ],
    "vector_add_templates.py": [
        r"Jinja2|Mako|keywords",
        r"SourceModule: [\d.]+ ms for 27 kernels",
        r"fastest: \w+, block \d+, unroll \d",
    ],
}


def load_demo():
    """examples/run_demo.py as a module: what the counters mean is written once, there."""
    location = importlib.util.spec_from_file_location("run_demo", ROOT / "examples/run_demo.py")
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    return module


demo = load_demo()


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """A cache folder that nobody has used."""
    monkeypatch.setenv("TREADLE_CACHE_DIR", str(tmp_path / "cache"))
    return dict(os.environ)


def test_every_example_is_tested_and_in_the_demo():
    names = {path.name for path in FOLDER.glob("*.py")}
    assert names == set(EXPECTED) == set(demo.SCRIPTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_second_process_compiles_nothing(name, environment):
    output, counters = demo.run_script(name, environment)
    for pattern in [r"device: \S+", r"SourceModule: [\d.]+ ms", "check against NumPy: ok"]:
        assert re.search(pattern, output), output
    for pattern in EXPECTED[name]:
        assert re.search(pattern, output), output
    assert counters["misses"] > 0
    assert counters["compile_seconds"] > 0

    second = demo.run_warm(name, environment)
    assert second["misses"] == 0
    assert second["compile_seconds"] == 0
    assert second["disk_hits"] > 0
    assert demo.compile_ms(second) <= demo.SECOND_PROCESS_LIMIT_MS


@pytest.mark.parametrize("name", EXPECTED)
def test_example_has_no_line_that_only_treadle_understands(name):
    assert "treadle" not in (FOLDER / name).read_text().lower()


def test_first_program_of_the_paper_imports_nothing_but_the_driver():
    imports = re.findall(
        r"^(?:import|from) (\S+)", (FOLDER / "double_array_paper.py").read_text(), re.MULTILINE
    )
    assert [name for name in imports if name.startswith("pycuda")] == [
        "pycuda.autoinit",
        "pycuda.driver",
    ]


def test_demo_fails_where_an_example_fails(environment, tmp_path, run_python):
    broken = tmp_path / "broken.py"
    broken.write_text("import sys\nsys.exit(3)\n")
    result = run_python(str(ROOT / "examples/run_demo.py"), str(broken))
    assert result.returncode == 1
    assert "ended with status 3" in result.stderr


def test_counters_are_the_last_json_line():
    counters = {"misses": 1}
    assert demo.read_counters(f"a warning\n{json.dumps(counters)}\n") == counters
    with pytest.raises(demo.DemoFailed):
        demo.read_counters("no line\n")


def test_hello_kernel_is_a_program_of_fifteen_lines():
    assert len((ROOT / "examples/cpp/hello_kernel.cpp").read_text().splitlines()) <= 15
