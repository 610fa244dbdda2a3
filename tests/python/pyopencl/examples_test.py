# SPDX-License-Identifier: MIT
"""The programs of examples/python/pyopencl, as PyOpenCL's users write and run them."""

import json
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[3]))
FOLDER = ROOT / "examples/python/pyopencl"

EXPECTED = {
    "black_hole.py": [r"shadow: [\d.]+ % of the picture, \d+ rays off the theory"],
    "extrema.py": [r"least: -[\d.]+ at \d+, greatest: [\d.]+ at \d+"],
    "heat.py": [r"the last step changed \d+\.\d+ at most"],
    "image_filters.py": [r"(box|gauss|sobel): at most 0\.\d+ of 255"],
    "k_means.py": [r"centres:( \(-?[\d.]+, -?[\d.]+\)){4}"],
    "mandelbrot.py": [r"[\d.]+ % of the points differ"],
    "many_arrays.py": [r"2000 arrays, 0 to 29 elements long"],
    "matrix_product.py": [
        r"kernel: [\d.]+ ms, [\d.]+ GFLOP/s",
        r"a failed build shows: .*:\d+:\d+.*'totl'",
        r"a wrong argument is refused: .*arg#4 \(1-based\)",
    ],
    "median_filter.py": [r"noise: [\d.]+ of 255 before, [\d.]+ after"],
    "neighbours.py": [r"\d+ neighbours, at most \d+ of a point"],
    "n_body.py": [r"after 20 steps the momentum changed by \S+"],
    "option_price.py": [r"price: [\d.]+ \+- [\d.]+, by the formula [\d.]+"],
    "power_iteration.py": [r"largest eigenvalue after \d+ steps: [\d.]+"],
    "shared_tree.py": [r"\d+ of 4000 keys are in the tree"],
    "transpose.py": [r"plain: [\d.]+ ms, [\d.]+ GB/s", r"tiled: [\d.]+ ms, [\d.]+ GB/s"],
    "vector_sum.py": [],
}
# What makes a program quick; the others are.
SMALL = {
    "black_hole.py": ["--width", "96"],
    "extrema.py": ["--size", "100000"],
    "heat.py": ["--size", "64", "--steps", "40"],
    "image_filters.py": ["--size", "80"],
    "k_means.py": ["--points", "4000"],
    "mandelbrot.py": ["--width", "120"],
    "many_arrays.py": ["--arrays", "2000"],
    "median_filter.py": ["--size", "100"],
    "neighbours.py": ["--points", "3000"],
    "n_body.py": ["--bodies", "512", "--steps", "20"],
    "option_price.py": ["--paths", "60000"],
    "power_iteration.py": ["--size", "96"],
    "shared_tree.py": ["--nodes", "2000"],
    "transpose.py": ["--size", "100"],
}


def _counters(text):
    return json.loads(next(line for line in reversed(text.splitlines()) if line.startswith("{")))


def test_every_example_is_tested():
    assert {path.name for path in FOLDER.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name, context, run_python, tmp_path):
    command = ["-m", "treadle", "run", "--stats", str(FOLDER / name), *SMALL.get(name, ())]
    draws = "--pictures" in (FOLDER / name).read_text()
    if draws:
        command += ["--pictures", str(tmp_path)]
    environment = {"TREADLE_CACHE_DIR": str(tmp_path), "PYOPENCL_CTX": "0"}
    first = run_python(*command, **environment)
    assert first.returncode == 0, first.stdout + first.stderr
    for pattern in [r"device: \S+", "check against NumPy: ok", *EXPECTED[name]]:
        assert re.search(pattern, first.stdout), first.stdout
    pictures = [*tmp_path.glob("*.ppm"), *tmp_path.glob("*.pgm")]
    assert bool(pictures) == draws
    for picture in pictures:
        header, pixels = picture.read_bytes().split(b"\n", 1)
        kind, width, height = re.fullmatch(rb"P([56]) (\d+) (\d+) 255", header).groups()
        assert len(pixels) == int(width) * int(height) * (3 if kind == b"6" else 1)
        assert len(set(pixels)) > 3
    built = _counters(first.stderr)["misses"]
    assert built > 0
    second = _counters(run_python(*command, **environment).stderr)
    assert second["disk_hits"] >= 1
    assert second["misses"] < built  # what fails to build is not kept


@pytest.mark.parametrize("name", EXPECTED)
def test_example_has_no_line_that_only_treadle_understands(name):
    assert "treadle" not in (FOLDER / name).read_text().lower().replace("spdx", "")
