# SPDX-License-Identifier: MIT
"""What strategies reach on five modelled spaces, in the median of ten seeds."""

import statistics

import pytest

import treadle
from tests.python import tune_models
from treadle import tune


@pytest.fixture(scope="module")
def models():
    return [tune_models.modelled(model) for model in tune_models.MODELS]


# `make bench` has the others, and by how much they miss it: benchmarks/tuning.py --rows strategies.
@pytest.mark.parametrize("strategy", ["automatic", "annealing", "genetic"])
def test_few_evaluations_lead_within_two_per_cent_of_the_best(models, strategy):
    reached = [
        statistics.median(
            tune_models.reached(*model, len(model[0]) // 20, seed, strategy=strategy)
            for seed in range(10)
        )
        for model in models
    ]
    assert sum(each <= 1.02 for each in reached) >= 4, reached


def small_space():
    space = tune.Space().add_powers_of_two("x", 1, 256).add_powers_of_two("y", 1, 256)
    space.add("kind", ["a", "b", "c"]).add("deep", [False, True]).require("x * y <= 4096")
    return space


def cost(c):
    if c["kind"] == "c":
        raise treadle.NotSupported("no such kind")
    return 1 + abs(c["x"] / 16 - 1) + abs(c["y"] / 8 - 1) + (c["kind"] == "a") + c["deep"]


def test_a_model_finds_the_best_of_a_space_by_few_evaluations():
    pytest.importorskip("sklearn", reason="pip install 'treadle[tune]'")
    space = small_space()
    found = tune.minimize(space, cost, strategy="model", evaluations=60, seed=3)
    assert dict(found.configuration) == {"x": 16, "y": 8, "kind": "b", "deep": False}
    again = tune.minimize(space, cost, strategy="model", evaluations=60, seed=3)
    assert [t.number for t in again.trials] == [t.number for t in found.trials]
    space = tune.Space().add("x", list(range(60)))
    search = tune.Search(space, strategy="model", seed=1)
    assert search.strategy == "model"
    seen = set()
    while asked := search.ask(7):  # several at a time, all of them at last
        seen.update(asked)
        for number in asked:
            search.tell(number, float(number))
    assert len(seen) == len(space)


def test_without_its_library_a_model_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.ensemble", None)
    with pytest.raises(treadle.LibraryNotFound, match=r"pip install 'treadle\[tune\]'"):
        tune.minimize(small_space(), cost, strategy="model", evaluations=3)
