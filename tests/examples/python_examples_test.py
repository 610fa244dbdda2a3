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
    "pooled_memory.py": [
        r"a step: [\d.]+ us with the pool",
        r"kernels: [\d.]+ GB/s",
        r"bytes in 1 block",
    ],
    "rotated_picture.py": [r"check of the 1-D doubles: ok"],
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
    assert names == set(EXPECTED) == set(demo.PYCUDA_SCRIPTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_second_process_compiles_nothing(name, environment):
    program = demo.python_program(name, "PyCUDA")
    first = demo.run(program, environment)
    for pattern in [r"device: \S+", r"SourceModule: [\d.]+ ms", "check against NumPy: ok"]:
        assert re.search(pattern, first.output), first.output
    for pattern in EXPECTED[name]:
        assert re.search(pattern, first.output), first.output
    assert first.misses > 0
    assert first.compile_ms > demo.SECOND_PROCESS_LIMIT_MS

    second = demo.run_warm(program, environment)
    assert second.misses == 0
    assert second.hits > 0
    assert second.compile_ms <= demo.SECOND_PROCESS_LIMIT_MS


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


COUNTERS = {
    "misses": 1, "disk_hits": 2, "memory_hits": 3, "compile_seconds": 0.5, "lookup_seconds": 0.25,
}  # fmt: skip


def test_counters_are_the_last_json_line():
    run = demo.read_counters("out\n", f"a warning\n{json.dumps(COUNTERS)}\n")
    assert run == demo.Run("out\n", misses=1, hits=5, compile_ms=750.0)
    with pytest.raises(demo.DemoFailed):
        demo.read_counters("", "no line\n")


@pytest.mark.parametrize(
    ("line", "misses"), [("compiled: 12.500 ms", 1), ("found in the cache: 12.500 ms", 0)]
)
def test_cpp_example_tells_whether_its_kernel_was_found(line, misses):
    run = demo.read_cpp_output(f"device: x\n{line}\ncheck: ok\n")
    assert (run.misses, run.hits, run.compile_ms) == (misses, 1 - misses, 12.5)
    with pytest.raises(demo.DemoFailed):
        demo.read_cpp_output("device: x\n")


def row_of(output):
    run = demo.Run(output, misses=0, hits=1, compile_ms=0.25)
    return demo.make_row(demo.Program("p", "PyOpenCL", []), run, run)


def test_row_has_the_device_the_best_rate_and_the_check():
    row = row_of("device: A, B, 2 compute units\n3.5 GB/s\n12.0 GB/s\ncheck against NumPy: ok\n")
    assert (row.device, row.rate, row.check) == ("A, B", "12.0 GB/s", "ok")
    assert row_of("device: A\ncheck: ok\n").rate == "-"


@pytest.mark.parametrize(
    "output", ["device: A\n", "check: ok\n", "device: A\ncheck: ok\ncheck: WRONG\n"]
)
def test_program_that_does_not_say_that_it_is_right_fails_the_demo(output):
    with pytest.raises(demo.DemoFailed):
        row_of(output)


def test_program_without_its_device_has_a_row_that_says_so():
    programs = {program.interface: reason for program, reason in demo.every_program(["cpu"], "bin")}
    assert programs == {
        "PyCUDA": None, "PyOpenCL": "no OpenCL device", "Python": None, "C++": None
    }  # fmt: skip


def test_demo_ends_with_a_table(run_python, tmp_path):
    result = run_python(
        str(ROOT / "examples/run_demo.py"), "double_array.py", "--cache-dir", str(tmp_path)
    )
    assert result.returncode == 0, result.stderr
    heading, row, verdict = result.stdout.splitlines()[-3:]
    assert re.split("  +", heading) == [
        "program", "interface", "device", "compiled", "from cache", "rate", "check"
    ]  # fmt: skip
    cells = re.split("  +", row)
    assert cells[:2] == ["double_array", "PyCUDA"]
    assert cells[-1] == "ok"
    assert cells[-2].endswith(" GB/s")
    assert verdict == "demo passed"


def test_hello_kernel_is_a_program_of_fifteen_lines():
    assert len((ROOT / "examples/cpp/hello_kernel.cpp").read_text().splitlines()) <= 15
