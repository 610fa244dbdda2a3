# SPDX-License-Identifier: MIT
"""Programs with arrays and textures, as PyCUDA's users write them, and with treadle.numpy: each
checks itself."""

import json
import pathlib
import re

import pytest

import treadle.numpy as tnp

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
PYCUDA = sorted([*FOLDER.glob("arrays/*.py"), *FOLDER.glob("textures/*.py")])
NATIVE = [path for path in sorted(FOLDER.glob("native/*.py")) if "numpy as tnp" in path.read_text()]
DRAWN = [path for path in PYCUDA + NATIVE if "--pictures" in path.read_text()]

# What makes a program quick; the others are.
SMALL = {
    "graph_partition": ["--points", "600"],
    "heat": ["--size", "100", "--steps", "40"],
    "heat_in_a_solid": ["--size", "20", "--steps", "30"],
    "k_means": ["--points", "5000"],
    "map_reduce": ["--elements", "100000"],
    "mandelbrot": ["--width", "200"],
    "neighbours": ["--stars", "1000", "--steps", "5"],
    "particles": ["--particles", "6000"],
    "nbody": ["--stars", "300", "--steps", "20"],
    "optical_flow": ["--size", "48", "--iterations", "60"],
    "page_rank": ["--pages", "2000"],
    "pi_by_kernel": ["--threads", "1000"],
    "reaction_diffusion": ["--size", "64", "--steps", "400"],
    "run_length": ["--size", "128"],
    "volume_rendering": ["--size", "50"],
}
needs_records = pytest.mark.skipif(
    not hasattr(tnp, "take"), reason="arrays of records come with indexing"
)


def name_of(path):
    return path.stem


def run(path, run_python, *options):
    arguments = *SMALL.get(path.stem, ()), *options
    result = run_python("-m", "treadle", "run", "--stats", str(path), *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "check against NumPy: ok"
    assert "Warning" not in result.stderr, result.stderr
    return result.stdout, json.loads(result.stderr.splitlines()[-1])


def test_there_are_a_dozen_programs():
    assert len(PYCUDA) >= 8
    assert len(PYCUDA + NATIVE) >= 12


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=needs_records if path.stem == "box_of_stars" else ())
        for path in PYCUDA + NATIVE
        if path not in DRAWN
    ],
    ids=name_of,
)
def test_program_is_right(path, run_python):
    run(path, run_python)


@pytest.mark.parametrize("path", DRAWN, ids=name_of)
def test_program_is_right_and_draws(path, run_python, tmp_path):
    run(path, run_python, "--pictures", str(tmp_path))
    pictures = list(tmp_path.iterdir())
    assert pictures
    for picture in pictures:
        header, pixels = picture.read_bytes().split(b"\n", 1)
        kind, width, height = re.fullmatch(rb"P([56]) (\d+) (\d+) 255", header).groups()
        assert len(pixels) == int(width) * int(height) * (3 if kind == b"6" else 1)
        assert len(set(pixels)) > 3, picture.name


@pytest.mark.parametrize("path", PYCUDA, ids=name_of)
def test_program_has_no_line_that_only_treadle_understands(path):
    assert "treadle" not in path.read_text().lower()


def test_a_second_process_compiles_nothing(run_python):
    run(FOLDER / "arrays/heat.py", run_python)
    _, counters = run(FOLDER / "arrays/heat.py", run_python)
    assert (counters["misses"], counters["disk_hits"] > 0) == (0, True)


def test_a_map_and_its_reduction_are_one_kernel(run_python):
    said, _ = run(FOLDER / "native/map_reduce.py", run_python, "cpu")
    assert re.findall(r"GB/s by (.*)", said) == [
        "fused_multiply_multiply_add_f32",
        "sin_multiply_multiply_add_sum_f32",
    ]
