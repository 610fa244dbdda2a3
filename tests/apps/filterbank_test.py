# SPDX-License-Identifier: MIT
"""apps/filterbank, small: on the devices that there are, and its texts for a GPU that is not."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import treadle

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "apps/filterbank/filterbank.py"
SPEC = importlib.util.spec_from_file_location("filterbank", PROGRAM)
filterbank = importlib.util.module_from_spec(SPEC)
sys.modules["filterbank"] = filterbank
SPEC.loader.exec_module(filterbank)
DEVICES = [device.id for device in treadle.devices()]
RATE = r"[\d.]+ \+- [\d.]+"


@pytest.mark.parametrize("device", DEVICES)
def test_program_prints_its_table_and_finds_the_store(device, tmp_path):
    words = ["--device", device, "--evaluations", "2", "--store", str(tmp_path / "tuning.db")]
    outputs = []
    for more in ([], ["--cross"]):
        done = subprocess.run(
            [sys.executable, PROGRAM, *words, *more],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        outputs.append(done.stdout)
    row = rf"^\| 64x64x8 16x5x5x8 \| {RATE} \| {RATE} \| -?[\d.]+ % \| 2 \| ([\d.]+) \| [\d.]+ \|$"
    assert all(re.search(row, output, re.M) for output in outputs)
    assert "| tuned for, used on |" in outputs[1]
    assert outputs[1].endswith("check against NumPy: ok\n")


SHAPES = [(8, 8, 1, 1, 8, 8), (21, 34, 5, 3, 2, 7), (9, 50, 9, 17, 3, 1), (30, 5, 4, 2, 21, 5)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("sizes", SHAPES, ids=str)
def test_variants_of_odd_shapes(device, sizes):
    image, weights = filterbank.inputs(filterbank.Shape(*sizes))
    bank = filterbank.FilterBank(treadle.find_device(device), image, weights)
    kind = "cpu" if bank.device.kind == "cpu" else "gpu"
    numbers = bank.space.sample(1 if device.startswith("opencl") else 6, seed=sum(sizes))
    chosen = [filterbank.start_of(bank.space, kind), *(dict(bank.space[n]) for n in numbers)]
    launches = [bank.default(), *(bank.variant(configuration) for configuration in chosen)]
    for launch, configuration in zip(launches, ["default", *chosen], strict=True):
        assert filterbank.error(bank.result(launch), image, weights) <= 1, configuration


@pytest.mark.parametrize("sizes", [(20, 40, 8, 12, 3, 3), (19, 37, 4, 16, 15, 13)], ids=str)
def test_variants_of_a_gpu_are_right_on_a_processor(sizes):
    image, weights = filterbank.inputs(filterbank.Shape(*sizes))
    bank = filterbank.FilterBank(treadle.find_device("cpu"), image, weights)
    start = filterbank.start_of(filterbank.space_of(bank.shape), "gpu")
    chosen = {**start, "STEP": 4, "FILTERS_EACH": 4}
    assert filterbank.error(bank.result(bank.variant(chosen)), image, weights) <= 1


def test_numbers_that_are_none_stay_where_they_are():
    image, weights = filterbank.inputs(filterbank.Shape(20, 20, 4, 3, 3, 3))
    image[10, 11, 2] = np.nan
    bank = filterbank.FilterBank(treadle.find_device("cpu"), image, weights)
    where = np.zeros(bank.shape.out, bool)
    where[8:11, 9:12] = True
    for launch in (bank.default(), bank.variant(filterbank.start_of(bank.space, "cpu"))):
        np.testing.assert_array_equal(np.isnan(bank.result(launch)), where)


def test_a_wrong_result_is_an_error():
    image, weights = filterbank.inputs(filterbank.Shape(12, 12, 4, 3, 3, 3))
    bank = filterbank.FilterBank(treadle.find_device("cpu"), image, weights)
    result = bank.result(bank.default())
    assert filterbank.error(result + np.float32(1e-3), image, weights) > 1
    assert filterbank.error(np.full_like(result, np.nan), image, weights) == np.inf


@pytest.mark.parametrize("shape", filterbank.PAPER + filterbank.MORE, ids=str)
def test_variants_compile_for_a_gpu(shape):
    _, weights = filterbank.inputs(shape)
    space = filterbank.space_of(shape)
    write = filterbank.text_of(shape, weights)
    chosen = [filterbank.start_of(space, "gpu"), *(space[n] for n in space.sample(2, seed=1))]
    folder = PROGRAM.parents[2] / "kernels/dialect"
    try:
        for text in [filterbank.DEFAULT, *map(write, chosen)]:
            treadle.compile_cuda(text, "sm_90", include_dirs=[folder])
    except treadle.LibraryNotFound:
        pytest.skip("NVRTC is not installed")
