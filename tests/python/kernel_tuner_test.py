# SPDX-License-Identifier: MIT
"""treadle.tune.kernel_tuner: programs as users of Kernel Tuner write them."""

import json

import numpy as np
import pytest

import treadle
from treadle.tune import kernel_tuner

N = 5000
ADD = """
extern "C" __global__ void vector_add(float *c, const float *a, const float *b, int n)
{
  for (int k = 0; k < items; ++k) {
    int i = (blockIdx.x * block_size_x + threadIdx.x) * items + k;
    if (i < n) c[i] = a[i] + b[i];
  }
}
"""
ADD_OPENCL = """
__kernel void vector_add(__global float *c, __global const float *a, __global const float *b, int n)
{
  for (int k = 0; k < items; ++k) {
    int i = (get_group_id(0) * block_size_x + get_local_id(0)) * items + k;
    if (i < n) c[i] = a[i] + b[i];
  }
}
"""
TEXTS = {"CUDA": ADD}
if any(device.id == "opencl:0:0" for device in treadle.devices()):
    TEXTS["OpenCL"] = ADD_OPENCL


@pytest.fixture(params=TEXTS)
def text(request):
    return TEXTS[request.param]


def arguments():
    a, b = np.random.default_rng(1).random((2, N), np.float32)
    return [np.zeros_like(a), a, b, np.int32(N)]


def tune(text, **options):
    c, a, b, n = arguments()
    parameters = {"block_size_x": [32, 64, 128], "items": [1, 2]}
    return kernel_tuner.tune_kernel(
        "vector_add",
        text,
        N,
        [c, a, b, n],
        parameters,
        grid_div_x=["block_size_x", "items"],
        answer=[a + b, None, None, None],
        iterations=3,
        **options,
    )


def test_a_kernel_is_tuned(text, capsys):
    results, env = tune(
        text, metrics={"GB/s": lambda p: 12e-6 * N / p["time"], "twice": "2 * time"}
    )
    assert len(results) == 6 and env["device_name"]
    for result in results:
        assert {"block_size_x", "items", "time", "times", "compile_time"} <= set(result)
        assert len(result["times"]) >= 3 and result["time"] > 0
        assert result["twice"] == 2 * result["time"] and result["GB/s"] > 0
    said = capsys.readouterr().out
    assert said.count("ms\n") == 6 and "best performing configuration" in said


def test_restrictions_and_strategies(text, capsys):
    results, _ = tune(text, quiet=True, restrictions=["block_size_x * items <= 64"])
    assert {(r["block_size_x"], r["items"]) for r in results} == {(32, 1), (32, 2), (64, 1)}
    results, _ = tune(text, quiet=True, restrictions=lambda p: p["block_size_x"] == 32 * p["items"])
    assert {(r["block_size_x"], r["items"]) for r in results} == {(32, 1), (64, 2)}
    results, _ = tune(text, quiet=True, restrictions=[lambda items: items == 2])
    assert len(results) == 3
    for strategy in ("random_sample", "genetic_algorithm", "simulated_annealing", "diff_evo"):
        results, _ = tune(text, quiet=True, strategy=strategy, strategy_options={"max_fevals": 2})
        assert len(results) == 2
    assert capsys.readouterr().out == ""
    with pytest.raises(treadle.InvalidArgument, match="strategy is 'best'"):
        tune(text, strategy="best")


def test_wrong_configurations_are_no_results(text, capsys):
    wrong = text.replace("a[i] + b[i]", "items == 2 ? a[i] : a[i] + b[i]")
    results, _ = tune(wrong, verbose=True)
    assert {r["items"] for r in results} == {1}
    assert "wrong result: argument 0: it differs from answer by" in capsys.readouterr().out


@pytest.mark.parametrize("ours", [True, False])
def test_a_cache_of_kernel_tuner_is_read_and_left_as_it_is(text, tmp_path, capsys, ours):
    results, env = tune(text, quiet=True)
    configurations = [{k: r[k] for k in ("block_size_x", "items")} for r in results]
    written = {
        "device_name": env["device_name"] if ours else "another",
        "kernel_name": "vector_add",
        "problem_size": N,
        "tune_params_keys": ["block_size_x", "items"],
        "cache": {str(k): c | {"time": 7.0 + k} for k, c in enumerate(configurations)},
    }
    whole = json.dumps(written)
    file = tmp_path / "cache.json"
    file.write_text(whole.removesuffix("}}") + ",\n")  # as a run leaves it that was ended
    again, _ = tune(text, quiet=True, cache=tmp_path / "cache")
    times = [r["time"] for r in again]
    assert np.allclose(times, 7.0 + np.arange(len(again))) == ours
    assert file.read_text().endswith(",\n") and [f.name for f in tmp_path.iterdir()] == [file.name]


def test_a_cache_file_keeps_results(text, tmp_path):
    first, _ = tune(text, quiet=True, cache=tmp_path / "cache")
    again, _ = tune(text, quiet=True, cache=tmp_path / "cache")
    # The best few are measured again only where something new is measured.
    assert [r["times"] for r in first] == [r["times"] for r in again]


def test_a_kernel_is_run_once(text, tmp_path):
    c, a, b, n = arguments()
    file = tmp_path / "kernel"
    file.write_text(text)
    results = kernel_tuner.run_kernel(
        "vector_add", str(file), (N,), [c, a, b, n], {"block_size_x": 64, "items": 1}
    )
    assert (results[0] == a + b).all() and (results[1] == a).all() and results[3] == n
    assert (c == 0).all()


def test_a_language_that_there_is_not_is_refused():
    with pytest.raises(treadle.NotSupported, match="lang is 'Fortran'"):
        tune(ADD, lang="Fortran")
