# SPDX-License-Identifier: MIT
"""apps/nearest_neighbour, small: exact whatever rounding does, on the devices that there are."""

import importlib.util
import math
import pathlib
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import treadle

PROGRAM = (
    pathlib.Path(__file__).resolve().parents[2] / "apps/nearest_neighbour/nearest_neighbour.py"
)
SPEC = importlib.util.spec_from_file_location("nearest_neighbour", PROGRAM)
app = importlib.util.module_from_spec(SPEC)
sys.modules["nearest_neighbour"] = app
SPEC.loader.exec_module(app)
DEVICES = [device.id for device in treadle.devices() if device.traits.fp64]


WAYS = [(device, False) for device in DEVICES]
WAYS += [(device, True) for device in DEVICES if device[:3] in ("cpu", "cud")]  # CUDA C alone


def check(way, targets, neighbours, parts=1):
    device = treadle.find_device(way[0])
    search = app.NearestNeighbours(device, targets, tensor=way[1])
    for part in np.array_split(neighbours, parts):
        search.scan(part)
    distance, index = search.results()
    exact, where = app.brute_force(targets, neighbours)
    np.testing.assert_array_equal(index, where)
    np.testing.assert_allclose(distance, exact, rtol=1e-14, atol=0)
    return search


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("words", [["--data", "8bit", "--scene", "leaves"], ["--tune", "3"]])
def test_program_prints_its_table(device, words):
    words = ["--devices", device, "--neighbours", "4096", "--rows", "2", "--targets", "40", *words]
    done = subprocess.run(
        [sys.executable, PROGRAM, *words, "--store", ""],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    row = r"^\| 4096 \| [\d.]+ \| [\d.]+ \| [\d.]+ \| [\d.]+ \| \d+ \| -?[\d.]+ \|$"
    assert re.search(row, done.stdout, re.M)
    assert done.stdout.endswith("check against NumPy: ok\n")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_neighbours_that_float32_can_not_tell_apart(way):
    rng = np.random.default_rng(0)
    targets = rng.random((30, 64), np.float32) + np.float32(1e4)
    near = np.repeat(targets, 40, axis=0)
    step = rng.integers(-1, 2, near.shape).astype(np.int32)  # neighbours by units in the last place
    near = (near.view(np.int32) + step).view(np.float32)
    far = rng.random((3000, 64), np.float32) + np.float32(1e4)
    neighbours = np.concatenate([near, far, near])  # each twice: the first counts
    search = check(way, targets, neighbours[rng.permutation(len(neighbours))])
    assert search.searched() >= 1
    # The usual form in float32 does find others.
    squares = (neighbours * neighbours).sum(axis=1) - 2 * targets @ neighbours.T
    exact = app.brute_force(targets, neighbours)[0]
    found = np.linalg.norm(targets.astype("f8") - neighbours[squares.argmin(axis=1)], axis=1)
    assert (found > exact).any()


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("parts", [1, 5])
def test_numbers_of_8_bits_are_searched_without_rounding(way, parts):
    rng = np.random.default_rng(1)
    neighbours = rng.integers(0, 256, (5000, 64), np.uint8)
    targets = np.concatenate([neighbours[[7, 4999]], rng.integers(0, 256, (20, 64), np.uint8)])
    neighbours[4000:] = neighbours[:1000]  # equally near ones in later calls
    search = check(way, targets, neighbours, parts)
    assert search.searched() <= 2 * parts
    assert search.results()[0][0] == 0


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("count, dimensions", [(1, 1), (3, 8), (2049, 24), (100, 7)])
def test_other_sizes(way, count, dimensions):
    if way[1] and dimensions % 8 != 0:
        pytest.skip("matrix units take eight dimensions at a time")
    rng = np.random.default_rng(count)
    neighbours = rng.standard_normal((count, dimensions)).astype(np.float32)
    check(way, rng.standard_normal((5, dimensions)).astype(np.float32), neighbours)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_sums_of_integers_that_float32_rounds(way):
    if way[0].startswith("cpu") and way[1]:
        pytest.skip("what stands for matrix units takes long")
    rng = np.random.default_rng(4)
    neighbours = rng.integers(0, 2, (1500, 800), np.uint8)  # all so far that |b|^2 - 2 a b > 2^24
    check(way, 255 - rng.integers(0, 2, (40, 800), np.uint8), neighbours)


def test_without_a_variant_there_are_no_matrix_units():
    device = types.SimpleNamespace(
        kind="gpu", identity=types.SimpleNamespace(architecture="sm_90a")
    )
    for dimensions, is_bytes, is_there in (
        (64, False, True), (368, False, True), (376, False, False), (728, False, False),
        (384, True, True), (7, False, False),
    ):  # fmt: skip
        assert app.has_tensors(device, dimensions, is_bytes) == is_there
        if dimensions % 8 == 0:  # the usual kernel has a variant
            assert app.start_of(app.space_of(dimensions), "gpu", dimensions)
    device.identity.architecture = "sm_75"
    assert not app.has_tensors(device, 64, False)


def test_without_neighbours_there_is_none():
    search = app.NearestNeighbours(treadle.find_device("cpu"), np.zeros((2, 8), np.float32))
    distance, index = search.results()
    assert np.isinf(distance).all() and (index == -1).all()


def test_several_devices_have_their_parts():
    rng = np.random.default_rng(2)
    targets, neighbours = (rng.random((n, 64), np.float32) for n in (50, 3001))
    neighbours[2900:2950] = neighbours[:50]
    search = app.SplitNearestNeighbours([*map(treadle.find_device, DEVICES)] * 2, targets)
    for part in np.array_split(neighbours, 2):
        search.scan(part)
    distance, index = search.results()
    exact, where = app.brute_force(targets, neighbours)
    np.testing.assert_array_equal(index, where)
    np.testing.assert_allclose(distance, exact, rtol=1e-14)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 9])
def test_entropy_of_known_distributions(dimensions):
    rng = np.random.default_rng(dimensions)
    count = 1 << 15
    for draw, bits in (
        (rng.random, 0.0),
        (rng.standard_normal, dimensions / 2 * math.log2(2 * math.pi * math.e)),
    ):
        targets, neighbours = (draw((n, dimensions)).astype("f4") for n in (4096, count))
        search = app.NearestNeighbours(treadle.find_device("cpu"), targets)
        search.scan(neighbours)
        found = app.entropy(search.results()[0], count, dimensions)
        # In 9 dimensions most of a cube is near its surface, where neighbours are on one side only.
        assert abs(found - bits) <= (0.05 if dimensions < 9 else 0.2) * dimensions


def compile_for_a_gpu(text, units, configuration=(), is_bytes=0):
    folder = PROGRAM.parents[2] / "kernels/dialect"
    values = {"ITEMS": 128, "BYTES": is_bytes, **dict(configuration)}
    macros = app.macros_of(64, app.chunk_of(False, units > 0), units)
    macros += "".join(f"#define {name} {value}\n" for name, value in values.items())
    try:
        treadle.compile_cuda(macros + text, "sm_90", include_dirs=[folder])
    except treadle.LibraryNotFound:
        pytest.skip("NVRTC is not installed")


@pytest.mark.parametrize("units, is_bytes", [(0, 0), (0, 1), (1, 0), (2, 1)])
def test_kernels_compile_for_a_gpu(units, is_bytes):
    compile_for_a_gpu(app.EXACT, units, is_bytes=is_bytes)
    if units == 0 and is_bytes == 0:
        space = app.space_of(64)
        for each in app.start_of(space, "gpu", 64), *(space[n] for n in space.sample(4, seed=1)):
            compile_for_a_gpu(app.SCORES, units, each)
    elif units > 0:
        space = app.tensor_space(64, units)
        for each in space.make({}), *(space[n] for n in space.sample(4, seed=units)):
            compile_for_a_gpu(app.TENSOR, units, each)
