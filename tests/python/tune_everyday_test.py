# SPDX-License-Identifier: MIT
"""Programs that tune, as people write them from memory: on treadle.tune, and as users of Kernel
Tuner know it."""

import collections
import json

import numpy as np
import pytest

import treadle
from treadle import tune
from treadle.tune import kernel_tuner

SCALE = """
extern "C" __global__ void scale(float *out, const float *in, float factor, int n)
{
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * WORK;
#pragma unroll
  for (int k = 0; k < WORK; ++k)
    if (i + k < n) out[i + k] = factor * in[i + k];
}
"""
MATMUL = """
#define TILE block_size_x
extern "C" __global__ void matmul(float *c, const float *a, const float *b)
{
  __shared__ float sa[TILE][TILE], sb[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < WIDTH; k += TILE) {
    __syncthreads();
    sa[threadIdx.y][threadIdx.x] = a[y * WIDTH + k + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * WIDTH + x];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
  }
  c[y * WIDTH + x] = sum;
}
"""
STENCIL = """
extern "C" __global__ void stencil(float *out, const float *in, int w, int h)
{
  int x = blockIdx.x * block_size_x + threadIdx.x;
  int y = (blockIdx.y * block_size_y + threadIdx.y) * tile_y;
  for (int k = 0; k < tile_y; ++k, ++y)
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
      out[y * w + x] = (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                        in[(y + 1) * w + x]) / 4;
}
"""
N = 1000


@pytest.fixture
def device():
    """One that takes CUDA C."""
    gpus = [d for d in treadle.devices() if d.id.startswith("cuda:")]
    return gpus[0] if gpus else treadle.find_device("cpu")


@pytest.fixture
def values():
    return np.random.default_rng(3).random(N, np.float32)


def scale_space(device):
    space = tune.Space(device=device, n=N)
    return space.add("BLOCK", [32, 64, 128]).add("WORK", [1, 2, 4])


def scale(device, values, space=None, **options):
    given = {"groups": ["ceil_div(n, BLOCK * WORK)"], "group_size": ["BLOCK"], "device": device}
    out = tune.Output(np.empty_like(values), expected=values * np.float32(2))
    arguments = [out, values, np.float32(2), np.int32(N)]
    quick = {"repeats": 2, "sample_seconds": 0.0}
    return tune.tune_kernel(
        SCALE, "scale", space or scale_space(device), arguments, measure=quick, **given | options
    )


def test_the_best_configuration_is_a_mapping(device, values):
    best = scale(device, values).configuration
    assert set(best) == {"BLOCK", "WORK"} and best["BLOCK"] in (32, 64, 128)
    assert {**best} == dict(best) and "WORK" in best and len(best) == 2


def test_attempts_are_sorted_by_time(device, values):
    tuned = scale(device, values)
    right = [a for a in tuned.attempts if a.measured.is_right]
    fastest = min(right, key=lambda a: a.measured.seconds)
    assert fastest.measured.seconds <= tuned.seconds
    counts = collections.Counter(a.measured.outcome for a in tuned.attempts)
    assert sum(counts.values()) == 9
    [winner] = [a for a in tuned.attempts if a.measured.won]
    assert winner.configuration == tuned.configuration
    assert "-DWORK=" in winner.measured.text and winner.measured.measured_at > 1e9


def test_a_constraint_of_the_device(device, values):
    space = scale_space(device).require("BLOCK <= device.max_group_items and BLOCK * WORK <= 128")
    assert all(c["BLOCK"] * c["WORK"] <= 128 for c in space)
    assert len(scale(device, values, space).attempts) == len(space)


def test_a_constraint_is_a_lambda(device, values):
    space = scale_space(device).require(lambda BLOCK, WORK: BLOCK * WORK == 128)
    assert {tuple(c.values()) for c in space} == {(32, 4), (64, 2), (128, 1)}


def test_a_few_random_ones(device, values):
    assert len(scale(device, values, strategy="random", evaluations=3, seed=1).attempts) == 3


def test_the_start_is_tried_first(device, values):
    tuned = scale(device, values, start=[{"BLOCK": 64, "WORK": 4}], evaluations=1)
    assert dict(tuned.configuration) == {"BLOCK": 64, "WORK": 4}


def test_the_text_is_a_function_of_the_configuration(device, values):
    def text(c):
        return SCALE.replace("WORK", str(c["WORK"]))

    out = tune.Output(np.empty_like(values), expected=values * np.float32(2))
    tuned = tune.tune_kernel(
        text, "scale", scale_space(device), [out, values, np.float32(2), np.int32(N)],
        shape=lambda c: (-(-N // (c["BLOCK"] * c["WORK"])), c["BLOCK"]), device=device,
    )  # fmt: skip
    assert all(a.measured.is_right for a in tuned.attempts)


def test_arrays_of_treadles_are_arguments(device, values):
    x = treadle.numpy.asarray(values, device=device)
    out = tune.Output(treadle.numpy.empty_like(x), expected=values * 2)
    tuned = tune.tune_kernel(
        SCALE, "scale", scale_space(device), [out, x, np.float32(2), np.int32(N)],
        groups=["ceil_div(n, BLOCK * WORK)"], group_size=["BLOCK"], device=device,
    )  # fmt: skip
    assert tuned.seconds > 0
    np.testing.assert_array_equal(x.get(), values)


def test_a_python_int_is_refused_with_advice(device, values):
    with pytest.raises(TypeError, match=r"write numpy.int32"):
        tune.tune_kernel(SCALE, "scale", scale_space(device), [1000], group_size=["BLOCK"])


def test_a_second_run_finds_all_in_the_store(device, values, tmp_path):
    first = scale(device, values, store=tmp_path / "s.db", problem={"n": N})
    second = scale(device, values, store=tmp_path / "s.db", problem={"n": N})
    assert second.known == 9 and second.configuration == first.configuration
    other = scale(device, values, store=tmp_path / "s.db", problem={"n": 2 * N}, evaluations=2)
    assert other.known == 0
    store = tune.Store(tmp_path / "s.db")
    assert [k.problem for k in store.keys("scale")] == [{"n": N}, {"n": 2 * N}]
    page = tune.report_page(store, "scale")
    assert page.count("<section") == 2 and "BLOCK" in page


def test_progress_is_shown(device, values, capsys):
    scale(device, values, progress=lambda now: print(now["tried"], now["best"]))
    assert capsys.readouterr().out.count("\n") == 9


def test_a_decorated_kernel(device, values):
    @tune.tuned(
        SCALE, "scale", scale_space(device), device=device, outputs=[0], policy="block",
        groups=["ceil_div(n, BLOCK * WORK)"], group_size=["BLOCK"], store=tune.Store(),
    )  # fmt: skip
    def scaled(out, x, factor, n):
        return {"n": int(n)}

    x = treadle.numpy.asarray(values, device=device)
    out = treadle.numpy.empty_like(x)
    for factor in (2, 3):
        scaled(out, x, np.float32(factor), np.int32(N))
        np.testing.assert_array_equal(out.get(), values * np.float32(factor))
    assert scaled.choose(out, x, np.float32(2), np.int32(N)).match == "exact"


def test_minimize_something_that_is_no_kernel():
    space = tune.Space().add("x", range(-5, 6)).add("y", [0.5, 1.0, 2.0])
    found = tune.minimize(space, lambda c: (c["x"] - 2) ** 2 + c["y"])
    assert dict(found.configuration) == {"x": 2, "y": 0.5} and found.value == 0.5


def test_a_space_is_looked_through():
    space = tune.Space(n=64).add_powers_of_two("tile", 4, 64).add("fast", [False, True])
    space.require("n % tile == 0 and (fast or tile < 32)")
    assert len(space) == len(list(space)) == 8
    assert space[-1] == space[7] and dict(space[0]) == {"tile": 4, "fast": False}
    assert space.names == ["tile", "fast"]


# As Kernel Tuner's users write it.


def vector_arguments(values):
    return [np.zeros_like(values), values, np.float32(2), np.int32(N)]


def tune_scale(values, parameters=None, **options):
    parameters = parameters or {"block_size_x": [32, 64, 128], "WORK": [1, 2]}
    given = {"grid_div_x": ["block_size_x", "WORK"], "quiet": True, "lang": "CUDA"}
    given["answer"] = [values * np.float32(2), None, None, None]
    return kernel_tuner.tune_kernel(
        "scale", SCALE, N, vector_arguments(values), parameters, **given | options
    )


def test_results_and_environment(values):
    results, env = tune_scale(values)
    assert len(results) == 6 and env["device_name"]
    best = min(results, key=lambda r: r["time"])
    assert best["time"] > 0 and best["block_size_x"] in (32, 64, 128)
    json.dumps([results, env])


def test_parameters_are_an_ordered_dict(values):
    parameters = collections.OrderedDict()
    parameters["block_size_x"] = [32 * i for i in range(1, 4)]
    parameters["WORK"] = [1]
    assert [r["block_size_x"] for r in tune_scale(values, parameters)[0]] == [32, 64, 96]


@pytest.mark.parametrize(
    "restrictions",
    [
        ["block_size_x * WORK <= 64"],
        lambda p: p["block_size_x"] * p["WORK"] <= 64,
        lambda block_size_x, WORK: block_size_x * WORK <= 64,
        [lambda p: p["WORK"] * p["block_size_x"] <= 64, "WORK < 3"],
        "block_size_x * WORK <= 64",
    ],
)
def test_restrictions(values, restrictions):
    assert len(tune_scale(values, restrictions=restrictions)[0]) == 3


def test_metrics(values):
    metrics = collections.OrderedDict()
    metrics["GB/s"] = lambda p: 8 * N / p["time"] / 1e6
    metrics["twice"] = "2 * time"
    for result in tune_scale(values, metrics=metrics)[0]:
        assert result["GB/s"] > 0 and result["twice"] == 2 * result["time"]


@pytest.mark.parametrize(
    "strategy", ["random_sample", "genetic_algorithm", "simulated_annealing", "diff_evo", "mls"]
)
def test_strategies(values, strategy):
    results, _ = tune_scale(values, strategy=strategy, strategy_options={"max_fevals": 4})
    assert 1 <= len(results) <= 4


def test_a_matrix_product_with_shared_memory():
    width = 32
    a, b = np.random.default_rng(1).random((2, width, width), np.float32)
    text = MATMUL.replace("WIDTH", str(width))
    results, _ = kernel_tuner.tune_kernel(
        "matmul", text, (width, width), [np.zeros_like(a), a, b],
        {"block_size_x": [8, 16], "block_size_y": [8, 16]}, grid_div_y=["block_size_y"],
        restrictions=["block_size_x == block_size_y"], answer=[a @ b, None, None], atol=1e-3,
        quiet=True, lang="CUDA",
    )  # fmt: skip
    assert [r["block_size_y"] for r in results] == [8, 16]


def test_a_stencil_in_a_file(tmp_path):
    w, h = 64, 48
    image = np.random.default_rng(2).random((h, w), np.float32)
    wanted = np.zeros_like(image)
    sides = image[1:-1, :-2] + image[1:-1, 2:]
    wanted[1:-1, 1:-1] = (sides + image[:-2, 1:-1] + image[2:, 1:-1]) / 4
    file = tmp_path / "stencil.cu"
    file.write_text(STENCIL)
    arguments = [np.zeros_like(image), image, np.int32(w), np.int32(h)]
    common = {"grid_div_x": ["block_size_x"], "grid_div_y": ["block_size_y * tile_y"]}
    results, _ = kernel_tuner.tune_kernel(
        "stencil", str(file), ("64", 48), arguments,
        {"block_size_x": [16, 32], "block_size_y": [2, 4], "tile_y": [1, 2]}, **common,
        answer=[wanted, None, None, None], quiet=True, lang="CUDA",
    )  # fmt: skip
    assert len(results) == 8
    best = min(results, key=lambda r: r["time"])
    parameters = {k: best[k] for k in ("block_size_x", "block_size_y", "tile_y")}
    out = kernel_tuner.run_kernel("stencil", str(file), (w, h), arguments, parameters, **common)
    np.testing.assert_allclose(out[0], wanted, atol=1e-6)


def test_a_wrong_answer_leaves_no_result(values):
    with pytest.raises(treadle.InvalidState, match="wrong result"):
        tune_scale(values, answer=[values, None, None, None])


def test_the_best_is_printed(values, capsys):
    tune_scale(values, quiet=False)
    said = capsys.readouterr().out
    assert said.count("time=") == 6 and "best performing configuration: " in said


def test_the_best_is_that_of_the_objective(values, capsys):
    metrics = {"GB/s": lambda p: p["block_size_x"] / 32, "cost": "block_size_x + WORK"}
    tune_scale(values, quiet=False, metrics=metrics, objective="GB/s")
    assert "'block_size_x': 128" in capsys.readouterr().out.splitlines()[-1]
    options = {"objective": "cost", "objective_higher_is_better": False}
    tune_scale(values, quiet=False, metrics=metrics, **options)
    assert "'block_size_x': 32, 'WORK': 1" in capsys.readouterr().out.splitlines()[-1]
    with pytest.raises(treadle.InvalidArgument, match="objective is 'speed'"):
        tune_scale(values, metrics=metrics, objective="speed")


def test_compiler_options_and_defines(values):
    text = SCALE.replace("factor * in", "FACTOR * in")
    results, _ = kernel_tuner.tune_kernel(
        "scale", text, N, vector_arguments(values), {"block_size_x": [64], "WORK": [1, 2]},
        grid_div_x=["block_size_x", "WORK"], compiler_options=["-DFACTOR=2.0f"],
        answer=[values * np.float32(2), None, None, None], quiet=True, lang="CUDA",
    )  # fmt: skip
    assert len(results) == 2
