# SPDX-License-Identifier: MIT
"""treadle.tune: what Python adds to spaces and searches, whose own tests are those of C++."""

import gc
import itertools
import math
import pathlib
import random

import numpy as np
import pytest

import treadle
from treadle import _tune_worker, tune


@pytest.fixture(params=[device.id for device in treadle.devices()])
def device(request):
    return treadle.find_device(request.param)


TEXT = "%(x)d/%(y)d"


def small_space():
    space = tune.Space(n=512)
    space.add_powers_of_two("x", 1, 64).add_powers_of_two("y", 1, 64)
    return space.require("x * y <= n")


def cost(c):
    return 1 + abs(c["x"] - 16) + abs(c["y"] - 8)


def test_a_space_is_a_sequence_of_mappings():
    space = small_space()
    expected = [
        {"x": x, "y": y}
        for x, y in itertools.product([2**k for k in range(7)], repeat=2)
        if x * y <= 512
    ]
    assert [dict(c) for c in space] == expected
    assert len(space) == space.size == len(expected)
    assert space.cartesian_size == 49
    c = space[-1]
    assert {**c} == expected[-1] and TEXT % c == "64/8"
    assert list(c) == ["x", "y"] == c.keys() and c.values() == [64, 8]
    assert c == space[len(space) - 1] and hash(c) == hash(space[len(space) - 1])
    assert c in space and space.find(c) == len(space) - 1
    assert "x" in c and "z" not in c
    assert repr(c) == "Configuration(x=64, y=8)"
    with pytest.raises(KeyError):
        c["z"]
    with pytest.raises(IndexError):
        space[len(space)]


def test_values_keep_their_types():
    space = tune.Space()
    space.add("a", [1, np.int32(2), np.float32(0.5), True][:3]).add("b", [np.bool_(True), "text"])
    assert space.values("a") == [1, 2, 0.5] and space.values("b") == [True, "text"]
    assert [type(v) for v in space[0].values()] == [int, bool]
    with pytest.raises(TypeError, match=r"a value of a space is \[1\]"):
        space.add("c", [[1]])
    with pytest.raises((OverflowError, TypeError, RuntimeError)):
        space.add("d", [2**70])


# Formulas beside Python's own eval.
def test_formulas_mean_what_python_means():
    draw = random.Random(5)
    names = {"a": 3, "b": -2, "c": 0.5, "d": 7, "t": True}

    def expression(depth):
        if depth == 0 or draw.random() < 0.2:
            return draw.choice([*names, "1", "2", "0.25", "10"])
        kind = draw.randrange(8)
        x, y, z = (expression(depth - 1) for _ in range(3))
        if kind == 0:
            return f"({x} if {y} > {z} else {z})"
        if kind == 1:
            return f"({x} {draw.choice(['and', 'or'])} {y})"
        if kind == 2:
            return f"({x} {draw.choice(['<', '<=', '==', '!=', '>', '>='])} {y} < {z})"
        if kind == 3:
            return f"(not {x})"
        if kind == 4:
            return f"{draw.choice(['min', 'max'])}({x}, {y})"
        if kind == 5:
            return f"({x} in ({y}, {z}))"
        return f"({x} {draw.choice(['+', '-', '*', '/', '//', '%'])} {y})"

    compared = 0
    for _ in range(2000):
        text = expression(4)
        try:
            expected = bool(eval(text, dict(names)))
        except ZeroDivisionError:
            expected = None
        space = tune.Space(**names)
        space.add("zz", [0, 1]).require(f"zz == 0 or ({text})")
        try:
            found = len(space) == 2
        except treadle.InvalidArgument as error:
            assert "divides by zero" in str(error), text
            found = None
        assert found == expected, text
        compared += expected is not None
    assert compared > 1000


def test_functions_are_constraints_over_their_arguments():
    asked = []

    def fits(y, x):
        asked.append((x, y))
        return x * y <= 64

    space = small_space().require(fits)
    space.add("z", range(10))
    assert len(space) == 10 * sum(a * b <= 64 for a, b in {(c["x"], c["y"]) for c in space})
    assert len(asked) == len(set(asked))
    with pytest.raises(treadle.InvalidArgument, match="parameter 'w'"):
        space.require(lambda w: True)
    space.require(lambda x: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        len(space)


def test_devices_say_what_they_allow(device):
    space = tune.Space(device=device)
    space.add_powers_of_two("x", 1, 1 << 20).require("x <= device.max_group_items")
    assert space[-1]["x"] <= device.limits.max_group_items < 2 * space[-1]["x"]
    assert len(tune.Space(device=device.id).add("x", [1]).require("device.memory_bytes > x")) == 1


def test_conditional_parameters_count_once():
    space = tune.Space()
    space.add("local", [False, True]).add("padding", [0, 1], when="local")
    space.add("mode", ["a", "b"], when="local and padding > 0", otherwise="none")
    assert [dict(c) for c in space] == [
        {"local": False, "padding": 0, "mode": "none"},
        {"local": True, "padding": 0, "mode": "none"},
        {"local": True, "padding": 1, "mode": "a"},
        {"local": True, "padding": 1, "mode": "b"},
    ]


STRATEGIES = (
    *("automatic", "exhaustive", "random", "hill_climbing"),
    *("annealing", "genetic", "differential_evolution"),
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_find_the_best(strategy):
    space = small_space()
    found = tune.minimize(space, cost, strategy=strategy, seed=3)
    assert dict(found.configuration) == {"x": 16, "y": 8} and found.value == 1
    assert len(found.trials) == len({trial.number for trial in found.trials}) == len(space)


def test_a_search_is_asked_and_told():
    search = tune.Search(small_space(), strategy="genetic", evaluations=20, seed=1)
    gc.collect()
    while not search.is_over:
        for number in search.ask(4):
            search.tell(number, cost(search.space[number]))
    assert len(search.trials) == 20 and search.strategy == "genetic"
    assert search.best.value == min(trial.value for trial in search.trials)
    assert cost(search.configuration) == search.best.value
    assert search.ask() == []
    with pytest.raises(treadle.InvalidState, match="was told before"):
        search.tell(search.best.number, 1)


def test_errors_of_treadle_fail_a_configuration_and_others_end_the_search():
    space = small_space()

    def measure(c):
        if c["x"] > 16:
            raise treadle.NotSupported("too wide")
        return math.nan if c["y"] > 8 else cost(c)

    found = tune.minimize(space, measure)
    assert dict(found.configuration) == {"x": 16, "y": 8}
    assert {trial.error for trial in found.trials} == {"", "too wide", "the value is NaN"}
    assert all(math.isinf(trial.value) for trial in found.trials if trial.error)

    def interrupted(c):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune.minimize(space, interrupted)
    with pytest.raises(ZeroDivisionError):
        tune.minimize(space, lambda c: 1 / 0)
    with pytest.raises(TypeError, match="measure returned None"):
        tune.minimize(space, lambda c: None)
    with pytest.raises(treadle.InvalidState, match=r"28|configurations failed"):
        tune.minimize(space, lambda c: math.inf)


def test_budgets_and_starts():
    space = small_space()
    tried = []
    first = {"x": 4, "y": 4}
    tune.minimize(space, lambda c: tried.append(dict(c)) or cost(c), evaluations=7, start=[first])
    assert tried[0] == first and len(tried) == 7
    assert len(tune.minimize(space, cost, probability=0.9, fraction=0.2).trials) == 11
    for wrong in ({"evaluations": 0}, {"seconds": 0}, {"probability": 2}, {"strategy": "best"}):
        with pytest.raises(treadle.InvalidArgument):
            tune.minimize(space, cost, **wrong)
    with pytest.raises(TypeError, match="no option 'evals'; there are strategy"):
        tune.minimize(space, cost, evals=3)
    with pytest.raises(TypeError, match="seconds is 'x'"):
        tune.Search(space, seconds="x")
    with pytest.raises(treadle.InvalidArgument, match="expected one of 1, 2, 4"):
        tune.minimize(space, cost, start=[{"x": 5}])


def test_halving_measures_few_large_problems():
    rounds = []
    found = tune.successive_halving(
        small_space(), lambda c, k: rounds.append(k) or cost(c), first=30, rounds=3, keep=0.2
    )
    assert [rounds.count(k) for k in range(3)] == [30, 6, 2]
    assert len(found.trials) == 2


def test_texts_of_configurations_are_kernels(device):
    text = """
    #include <treadle/dialect.h>
    TREADLE_KERNEL k(TREADLE_GLOBAL int *out)
    {
      for (int i = 0; i < %(items)d; ++i)
        out[treadle_global_id(0) * %(items)d + i] = %(items)d;
    }
    """
    out = treadle.Buffer(device, 4 * 64)
    space = tune.Space().add("items", [1, 2, 4])

    def measure(c):
        kernel = treadle.Program(device, text % c).kernel("k")
        kernel(out, groups=1, group_size=64 // c["items"])
        result = np.empty(64, np.int32)
        out.copy_to(result)
        assert (result == c["items"]).all()
        return -result[0]

    assert tune.minimize(space, measure).configuration["items"] == 4


DOUBLED = """
#include <treadle/dialect.h>
TREADLE_KERNEL doubled(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  const int i = treadle_global_id(0);
#if MODE == 1
  if (i % 2 == 1) return;
#elif MODE == 2
  if (i == 5) *(volatile TREADLE_GLOBAL int *)0 = 1;
#elif MODE == 3
  for (volatile int k = 0; k < 2; k = 0) ;
#elif MODE == 7
  return;  /* what the variant before has written */
#elif MODE == 8
  if (i == 7) { out[i] = in[0] / in[0]; return; }  /* NaN */
#elif MODE == 9
  if (i == 7) { out[i] = in[i] * 3e38f * 3e38f; return; }
#endif
  if (i < n) out[i] = 2 * in[i];
}
"""
N = 300
IN = np.arange(N, dtype=np.float32)
QUICK = {"repeats": 2, "sample_seconds": 0}


def doubled(device, modes, text=DOUBLED, output=None, **options):
    space = tune.Space(device=device, n=N)
    space.add("MODE", modes).add_powers_of_two("GROUP", 32, 64)
    return tune.tune_kernel(
        text,
        "doubled",
        space,
        [output or tune.Output(np.empty_like(IN), 2 * IN), IN, np.int32(N)],
        groups=["ceil_div(n, GROUP)"],
        group_size=["GROUP"],
        strategy="exhaustive",
        **{"measure": QUICK, **options},
    )


def test_a_kernel_is_tuned(device):
    told = []
    tuned = doubled(device, [0, 1], progress=told.append)
    assert tuned.configuration["MODE"] == 0 and tuned.seconds > 0
    assert [t["tried"] for t in told] == [1, 2, 3, 4] and told[-1]["failed"] == 2
    for attempt in tuned.attempts:
        measured = attempt.measured
        assert (measured.outcome == "wrong result") == (attempt.configuration["MODE"] == 1)
        assert measured.is_right == (measured.error == "") == math.isfinite(measured.seconds)
    assert tuned.ending == "search over" and "4 attempts" in repr(tuned)
    assert tuned.busy_seconds <= tuned.wall_seconds


def test_texts_shapes_and_checks_are_functions(device):
    def wrong(found):
        return None if (np.frombuffer(found, np.float32) == 2 * IN).all() else "not doubled"

    buffer = treadle.Buffer(device, IN)
    tuned = doubled(
        device,
        [0, 1],
        text=lambda c: f"#define MODE {c['MODE']}\n{DOUBLED}",
        output=tune.Output(buffer, check=wrong),
    )
    assert {a.measured.error for a in tuned.attempts} == {"", "argument 0: not doubled"}
    space = tune.Space(device=device)
    space.add("MODE", [0]).add("SIZE", [4, 100])
    tuned = tune.tune_kernel(
        DOUBLED,
        "doubled",
        space,
        [tune.Output(buffer), IN, np.int32(N)],
        shape=lambda c: (-(-N // c["SIZE"]), c["SIZE"]),
        measure=QUICK,
    )
    assert all(a.measured.is_right for a in tuned.attempts)
    with pytest.raises(ZeroDivisionError):
        doubled(device, [0], text=lambda c: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        doubled(device, [0], progress=lambda now: 1 / 0)


def test_arguments_are_views_of_arrays_too(device):
    x = treadle.numpy.arange(2 * N, dtype=np.float32, device=device).reshape(N, 2)[:, 1]
    space = tune.Space(device=device, n=N).add("MODE", [0]).add("GROUP", [32, 64])
    tuned = tune.tune_kernel(
        DOUBLED,
        "doubled",
        space,
        [tune.Output(x, expected=2 * x.get()), x, np.int32(N)],
        groups=["ceil_div(n, GROUP)"],
        group_size=["GROUP"],
        measure=QUICK,
    )
    assert all(each.measured.is_right for each in tuned.attempts)
    assert (x.get() == np.arange(1, 2 * N, 2)).all()


FAULTS = {1: "wrong result", 2: "crash", 3: "timeout"}  # unwritten, a fault, an endless loop
FAULTS |= dict.fromkeys((7, 8, 9), "wrong result")  # stale, NaN, infinite


# The search goes on behind each: the right variants come first and last.
def test_variants_that_crash_or_hang_end_their_own_process(device):
    space = tune.Space(device=device, n=N).add("MODE", [0, *FAULTS, 4]).add("GROUP", [64])
    out, options = np.empty_like(IN), {"measure": {**QUICK, "limit_seconds": 0.5}}
    launch = {"groups": ["ceil_div(n, GROUP)"], "group_size": ["GROUP"]}
    tuned = tune.tune_kernel(
        DOUBLED, "doubled", space, [tune.Output(out, 2 * IN), IN, np.int32(N)], isolate=True,
        strategy="exhaustive", **launch, **options,
    )  # fmt: skip
    found = {each.configuration["MODE"]: each.measured.outcome for each in tuned.attempts}
    assert {mode: found[mode] for mode in FAULTS} == FAULTS
    assert {found[0], found[4]} <= {"measured", "overtaken"} and tuned.ending == "search over"


def test_in_a_process_of_its_own_the_first_configuration_tells_what_is_right():
    tuned = doubled("cpu", [0, 1], isolate=True, output=tune.Output(np.empty_like(IN)))
    assert {a.measured.outcome for a in tuned.attempts} >= {"measured", "wrong result"}


# Compiled elsewhere, measured here; a text that is refused is refused there.
def test_variants_are_compiled_by_processes(device):
    tuned = doubled(device, [0, 1], text=f"#if GROUP == 32\n#error no\n#endif\n{DOUBLED}",
                    compile_processes=True)  # fmt: skip
    outcomes = {tuple(a.configuration.values()): a.measured.outcome for a in tuned.attempts}
    assert outcomes.pop((0, 64)) in ("measured", "overtaken")
    assert outcomes == {(0, 32): "compile error", (1, 32): "compile error", (1, 64): "wrong result"}


# PoCL compiles at a kernel's first launch, which is made elsewhere, too: on zeros, of one group.
def test_what_compiles_at_launch_is_launched_where_it_is_compiled(device):
    arguments = [tune.Output(treadle.Buffer(device, 64), IN), tune.Updated(IN, IN), IN, np.int32(3)]
    sent = _tune_worker.zeros_for([*arguments, treadle.Local(8)])
    assert [type(each) for each in sent] == [
        tune.Output, tune.Updated, np.ndarray, np.int32, treadle.Local]  # fmt: skip
    assert sent[0].expected is sent[1].expected is None and not sent[1].memory.any()
    assert sent[0].memory.nbytes == 64 and sent[2].shape == IN.shape and sent[3] == 3
    assert _tune_worker.zeros_for([np.broadcast_to(IN[:1], 1 << 28)]) is None
    variant = ("text", "kernel", [], [], ((7, 1 << 20, 1), (32, 4, 1), 0))
    assert _tune_worker.of_one_group(variant)[4] == ((1, 1 << 14, 1), (32, 4, 1), 0)
    workers = _tune_worker.CompileWorkers(device.id, sent[:1] + sent[2:4])
    launch = ((N // 32, 1, 1), (32, 1, 1), 0)
    try:
        right = f"#define MODE 0\n#define GROUP 32\n{DOUBLED}"
        assert workers((right, "doubled", [], [], launch)).outcome == "measured"
        wrong = workers((right + "!", "doubled", [], [], launch)).outcome
        assert wrong == "compile error" or not _tune_worker.compiles_at_launch(device)
    finally:
        workers.close()


# In one process a fault ends the search, with what was found.
def test_a_fault_of_the_device_ends_the_search(run_python):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tune_test import doubled\n"
        "tuned = doubled('cpu', [0, 2])\n"
        "assert tuned.ending == 'device failed', tuned.ending\n"
        "assert tuned.attempts[-1].measured.outcome == 'crash', tuned.attempts\n"
        "assert tuned.configuration['MODE'] == 0"
    )
    done = run_python("-c", program, str(pathlib.Path(__file__).parent))
    assert done.returncode == 0, done.stderr


INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from tune_test import doubled
tuned = doubled("cpu", [0, 4, 5, 6], isolate=sys.argv[2] == "isolate",
                progress=lambda now: now["tried"] == 3 and os.kill(os.getpid(), signal.SIGINT))
assert tuned.ending == "stopped" and len(tuned.attempts) in (3, 4), tuned
"""


@pytest.mark.parametrize("how", ["isolate", "together"])
def test_ctrl_c_ends_tuning_with_what_was_found(run_python, how):
    done = run_python("-c", INTERRUPTED, str(pathlib.Path(__file__).parent), how)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_tuned_is_refused(device):
    with pytest.raises(TypeError, match=r"argument 2 is 300, expected .* numpy.int32"):
        tune.tune_kernel(DOUBLED, "doubled", small_space(), [IN, IN, 300], device=device)
    with pytest.raises(TypeError, match="measure has no option 'repeat'"):
        doubled(device, [0], measure={"repeat": 3})
    with pytest.raises(treadle.InvalidArgument, match="there are macros, keys"):
        doubled(device, [0], writing="template")
    with pytest.raises(
        treadle.InvalidState, match="none of 2 variants is right; the first, MODE=1"
    ):
        doubled(device, [1])
    with pytest.raises(treadle.InvalidArgument, match="runs no kernels"):
        doubled("null", [0])


def test_a_store_keeps_what_was_measured(device, tmp_path):
    file = tmp_path / "tuning.db"
    first = doubled(device, [0, 1], store=file, problem={"n": N})
    assert first.known == 0
    again = doubled(device, [0, 1], store=file, problem={"n": N})
    assert again.known == len(again.attempts) == 4
    assert doubled(device, [0], store=tune.Store(file), problem={"n": N + 1}).known == 0
    store = tune.Store(file)
    assert len(store) == 6 and store.is_written and store.file == file
    space = tune.Space(device=device, n=N).add("MODE", [0, 1]).add_powers_of_two("GROUP", 32, 64)
    key = tune.store_key(
        DOUBLED,
        "doubled",
        space,
        {"n": N},
        device=device,
        groups=["ceil_div(n, GROUP)"],
        group_size=["GROUP"],
    )
    choice = store.choose(key)
    assert choice.match == "exact" and choice.values["MODE"] == 0 and choice.problem == {"n": N}
    assert key.environment.device == device.name and key.kernel.startswith("doubled-")
    kept = store.attempts(key)
    assert len(kept) == 4 and kept[0].values == choice.values
    assert kept[0].measured.seconds == choice.seconds and kept[-1].measured.error
    other = tune.Store()
    assert other.import_lines(store.export_lines()) == 6 == other.merge(file)
    assert other.export_lines() == store.export_lines() and "memory" in repr(other)
    assert other.remove() == 6
    with pytest.raises(treadle.InvalidArgument, match="line 1 of the wisdom is no JSON"):
        other.import_lines("{")
    file.write_text("no database " * 200)
    with pytest.raises(treadle.InvalidState, match="no store, or is damaged"):
        tune.Store(file)


def tripled(device, policy, store, **options):
    text = """
    #include <treadle/dialect.h>
    TREADLE_KERNEL tripled(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
    {
      const int i = treadle_global_id(0);
      if (i < n) out[i] = 3 * in[i];
    }
    """
    space = tune.Space(device=device).add_powers_of_two("GROUP", 32, 128)
    space.require(lambda GROUP: GROUP != 64).require("GROUP <= n")

    @tune.tuned(
        text,
        "tripled",
        space,
        groups=["ceil_div(n, GROUP)"],
        group_size=["GROUP"],
        outputs=[0],
        policy=policy,
        store=store,
        measure=QUICK,
        **options,
    )
    def kernel(out, a, n):
        """Three times a."""
        return {"n": int(n)}

    return kernel


def call(kernel, device, n):
    a = treadle.numpy.arange(n, dtype=np.float32, device=device)
    out = treadle.numpy.empty(n, np.float32, device=device)
    kernel(out, a, np.int32(n))
    assert (out.get() == 3 * np.arange(n)).all()
    return kernel.choose(out, a, np.int32(n))


def test_a_tuned_kernel_chooses_by_its_arguments(device):
    store = tune.Store()
    kernel = tripled(device, "block", store)
    assert kernel.__doc__ == "Three times a."
    assert call(kernel, device, 200).match == "exact"
    assert len(store) == 2
    assert dict(call(kernel, device, 40).configuration) == {"GROUP": 32}
    known = len(store)
    later = tripled(device, "never", store)
    assert call(later, device, 200).match == "exact"
    assert call(later, device, 210).match == "near problem"
    assert len(store) == known
    default = tripled(device, "never", tune.Store(), defaults={"GROUP": 128})
    chosen = call(default, device, 200)
    assert chosen.match == "none" and dict(chosen.configuration) == {"GROUP": 128}
    out = treadle.numpy.empty(200, np.float32, device=device)
    assert default.tune(out, out, np.int32(200)).match == "exact"


def test_a_program_ships_what_it_has_tuned(device, tmp_path):
    store = tune.Store()
    best = call(tripled(device, "block", store), device, 200)
    wisdom = tmp_path / "wisdom.jsonl"
    wisdom.write_text(store.export_lines())
    shipped = tripled(device, "never", tune.Store(), seeds=wisdom)
    assert call(shipped, device, 210).match == "near problem"
    assert call(shipped, device, 200).configuration == best.configuration
    wisdom.write_text("no wisdom")
    with pytest.raises(treadle.InvalidArgument, match="no wisdom that Treadle knows"):
        tripled(device, "never", tune.Store(), seeds=wisdom)


def test_a_kernel_is_tuned_in_the_background(device):
    kernel = tripled(device, "background", tune.Store())
    assert call(kernel, device, 300).match in ("none", "exact")
    kernel.wait()
    assert call(kernel, device, 300).match == "exact"
    kernel.close()
    with pytest.raises(treadle.InvalidState, match="was closed"):
        call(kernel, device, 500)


# Ended while it tunes, a program ends.
def test_a_program_ends_while_a_kernel_is_tuned(run_python):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tune_test import call, treadle, tripled, tune\n"
        "kernel = tripled('cpu', 'background', tune.Store())\n"
        "call(kernel, treadle.find_device('cpu'), 1000)"
    )
    done = run_python("-c", program, str(pathlib.Path(__file__).parent))
    assert done.returncode == 0, done.stderr


def test_wrong_options_of_tuned_kernels_are_refused(device):
    with pytest.raises(treadle.InvalidArgument, match="there are never, background and block"):
        call(tripled(device, "often", tune.Store()), device, 200)
    with pytest.raises(TypeError, match="a search has no option 'evaluation'"):
        call(tripled(device, "never", tune.Store(), evaluation=3), device, 200)
