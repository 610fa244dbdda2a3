# SPDX-License-Identifier: MIT
"""Budgets of tune_kernel() where some variants are slow: time, evaluations, and limits of runs."""

import time

import numpy as np
import pytest

import treadle
from treadle import tune

# SPIN rounds for each element: 1 is quick, and millions take seconds.
SPINNING = """
extern "C" __global__ void spinning(float *out, const float *in, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (volatile int k = 0; k < SPIN; ++k)
    ;
  if (i < n) out[i] = in[i] + 1;
}
"""
N = 64
IN = np.arange(N, dtype=np.float32)
QUICK, SLOW, ENDLESS = 1, 500_000, 2_000_000_000
RIGHT = {"measured", "overtaken"}


@pytest.fixture
def device():
    return treadle.find_device("cpu")


def spun(device, spins, output=None, measure=None, **options):
    space = tune.Space(device=device, n=N).add("SPIN", list(spins)).add("GROUP", [32, 64])
    quick = {"repeats": 2, "sample_seconds": 0.0, **(measure or {})}
    out = output or tune.Output(np.empty_like(IN), expected=IN + 1)
    given = {"groups": ["n // GROUP"], "group_size": ["GROUP"], "strategy": "exhaustive"}
    arguments = [out, IN, np.int32(N)]
    return tune.tune_kernel(
        SPINNING, "spinning", space, arguments, measure=quick, device=device, **given | options
    )


def outcomes(tuned):
    found = {}
    for each in tuned.attempts:
        found.setdefault(each.configuration["SPIN"], set()).add(each.measured.outcome)
    return found


@pytest.mark.parametrize("evaluations", [1, 3, 4, 100])
def test_evaluations_bound_attempts(device, evaluations):
    tuned = spun(device, [QUICK, 2], evaluations=evaluations)
    assert len(tuned.attempts) == min(evaluations, 4)
    assert len({tuple(a.configuration.items()) for a in tuned.attempts}) == len(tuned.attempts)
    assert tuned.ending == "search over"


@pytest.mark.parametrize("strategy", ["random", "hill_climbing", "annealing", "genetic"])
def test_evaluations_bound_every_strategy(device, strategy):
    tuned = spun(device, [QUICK, 2, 3], strategy=strategy, evaluations=3, seed=5)
    assert len(tuned.attempts) == 3
    right = [a for a in tuned.attempts if a.measured.is_right]
    assert tuned.configuration in [a.configuration for a in right]


# Each of the slow ones would take as long as the whole budget, and the endless ones for ever.
def test_seconds_end_a_search_of_slow_variants(device):
    began = time.monotonic()
    tuned = spun(device, [QUICK, *range(ENDLESS, ENDLESS + 30)], seconds=0.5)
    taken = time.monotonic() - began
    assert tuned.configuration["SPIN"] == QUICK
    assert 1 <= len(tuned.attempts) < 62 and tuned.ending == "search over"
    assert taken < 5 and tuned.wall_seconds <= taken
    assert set().union(*outcomes(tuned).values()) <= RIGHT | {"timeout"}


def test_a_budget_that_is_used_up_at_once_has_a_winner(device):
    tuned = spun(device, [QUICK, 2, 3], seconds=1e-6)
    assert 1 <= len(tuned.attempts) < 6
    assert tuned.attempts[0].measured.is_right and tuned.seconds > 0


def test_a_slow_variant_has_few_samples_in_a_short_budget(device):
    tuned = spun(device, [SLOW], seconds=0.05, measure={"repeats": 100, "overtaken_above": 0})
    assert tuned.configuration["SPIN"] == SLOW and tuned.attempts
    assert all(len(each.measured.samples) < 20 for each in tuned.attempts)
    assert tuned.wall_seconds < 5


def test_what_is_much_slower_than_the_best_is_ended(device):
    began = time.monotonic()
    tuned = spun(device, [QUICK, ENDLESS])
    found = outcomes(tuned)
    assert found[QUICK] <= RIGHT and found[ENDLESS] == {"timeout"}
    assert len(tuned.attempts) == 4 and tuned.ending == "search over"
    assert time.monotonic() - began < 5
    for each in tuned.attempts:
        if each.configuration["SPIN"] == ENDLESS:
            assert "it ran for more than" in each.measured.error
            assert each.measured.seconds == np.inf and not each.measured.samples


def test_a_limit_ends_runs_before_there_is_a_best(device):
    tuned = spun(device, [ENDLESS, QUICK], measure={"limit_seconds": 0.2})
    assert outcomes(tuned)[ENDLESS] == {"timeout"} and tuned.configuration["SPIN"] == QUICK
    first = tuned.attempts[0]
    assert first.configuration["SPIN"] == ENDLESS
    assert "more than 0.2 seconds" in first.measured.error


def test_without_a_right_variant_it_says_so(device):
    with pytest.raises(treadle.InvalidState, match="more than 0.1 seconds"):
        spun(device, [ENDLESS], measure={"limit_seconds": 0.1})
    with pytest.raises(treadle.InvalidState, match="more than 0.1 seconds"):  # no reference either
        spun(device, [ENDLESS], output=tune.Output(np.empty_like(IN)),
             measure={"limit_seconds": 0.1})  # fmt: skip


def test_the_device_goes_on_behind_an_ended_run(device):
    spun(device, [QUICK, ENDLESS], evaluations=3)
    again = spun(device, [QUICK])
    assert outcomes(again) == {QUICK: outcomes(again)[QUICK]} and outcomes(again)[QUICK] <= RIGHT
    with device:
        assert (treadle.numpy.arange(5) + 1).get().tolist() == [1, 2, 3, 4, 5]


def test_progress_tells_what_was_tried(device):
    seen = []
    tuned = spun(device, [QUICK, ENDLESS], progress=lambda state: seen.append(dict(state)))
    assert [each["tried"] for each in seen] == sorted(each["tried"] for each in seen)
    assert seen[-1]["tried"] == len(tuned.attempts) == 4
    assert seen[-1]["failed"] == 2  # those that were ended
    assert all(0 <= each["seconds"] <= tuned.wall_seconds for each in seen)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"evaluations": 0}, treadle.InvalidArgument),
        ({"seconds": 0}, treadle.InvalidArgument),
        ({"seconds": -1}, treadle.InvalidArgument),
        ({"seconds": "x"}, TypeError),
        ({"evals": 3}, TypeError),
    ],
    ids=str,
)
def test_wrong_budgets_are_refused(device, wrong, error):
    with pytest.raises(error):
        spun(device, [QUICK], **wrong)
