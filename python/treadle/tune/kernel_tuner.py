# SPDX-License-Identifier: MIT
"""Calls as the package Kernel Tuner has them: its programs run by importing this in its place.

    from treadle.tune import kernel_tuner

    results, env = kernel_tuner.tune_kernel(
        "vector_add", text, n, [c, a, b, numpy.int32(n)],
        {"block_size_x": [64, 128, 256]}, answer=[a + b, None, None, None])

Texts, launch shapes and results are as its documentation describes them: parameters are macros,
`block_size_x`, `_y` and `_z` are the work-items of a group, a grid is the problem size divided by
`grid_div_x`, `_y` and `_z` and rounded up, restrictions are expressions or functions of a dict,
times are in ms. All cores compile, and configurations that fail are not among the results.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle
from treadle import tune

__all__ = ["run_kernel", "tune_kernel"]

# Strategies of both, by its names; those that there are not go by a similar one.
_STRATEGIES = {
    "brute_force": "exhaustive",
    "random_sample": "random",
    "genetic_algorithm": "genetic",
    "simulated_annealing": "annealing",
    "dual_annealing": "annealing",
    "diff_evo": "differential_evolution",
    "pso": "differential_evolution",
    "firefly_algorithm": "differential_evolution",
    "basinhopping": "hill_climbing",
    "bayes_opt": "hill_climbing",
    "greedy_ils": "hill_climbing",
    "greedy_mls": "hill_climbing",
    "mls": "hill_climbing",
    "ordered_greedy_mls": "hill_climbing",
    "minimize": "hill_climbing",
}
_BLOCKS = ("block_size_x", "block_size_y", "block_size_z")
_DEFAULT_BLOCK = {"block_size_x": 256, "block_size_y": 1, "block_size_z": 1}


class _Shape:
    """How a configuration is launched."""

    def __init__(self, problem_size: Any, grid_divs: Sequence[Any], block_names: Sequence[str]):
        self._size = problem_size
        default = [[block_names[0]], None, None]
        self._divs = [d if d is not None else default[k] for k, d in enumerate(grid_divs)]
        self._names = block_names

    def block(self, parameters: dict[str, Any]) -> tuple[int, ...]:
        sizes = _DEFAULT_BLOCK.values()
        return tuple(
            int(parameters.get(name, size)) for name, size in zip(self._names, sizes, strict=True)
        )

    def __call__(self, configuration: Any) -> tuple[Any, Any]:
        parameters = dict(zip(self._names, _DEFAULT_BLOCK.values(), strict=True))
        parameters.update(configuration)
        size = self._size(parameters) if callable(self._size) else self._size
        sizes = size if isinstance(size, tuple | list) else (size,)
        sizes = [int(_value(s, parameters)) for s in sizes] + [1, 1, 1]
        groups = []
        for extent, divs in zip(sizes, self._divs, strict=False):
            divisor = 1
            for each in divs(parameters) if callable(divs) else _listed(divs):
                divisor *= int(_value(each, parameters))
            groups.append(-(-extent // divisor))
        return tuple(groups), self.block(parameters)


def _listed(value: Any) -> Any:
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def _value(value: Any, parameters: dict[str, Any]) -> Any:
    """A number, or what a formula gives."""
    if not isinstance(value, str):
        return value
    return tune.evaluate(value, parameters)


def _text(source: Any, configuration: dict[str, Any], defines: Any) -> str:
    text = source(configuration) if callable(source) else source
    named = configuration if defines is None else defines
    lines = [
        f"#define {name} {_c_text(value(configuration) if callable(value) else value)}\n"
        for name, value in named.items()
    ]
    return "".join(lines) + "#line 1\n" + text


def _read(source: Any) -> Any:
    """The text of a file, if it is the name of one."""
    if callable(source) or "\n" in str(source) or not os.path.exists(source):
        return source
    with open(source, encoding="utf-8") as file:
        return file.read()


def _c_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool | np.bool_) else str(value)


def _device(lang: Any, source: Any, device: int, platform: int) -> Any:
    """CUDA C goes to the GPU of that number or, without one, to the CPU device."""
    language = (lang or "").upper()
    if not language:
        is_opencl = isinstance(source, str) and "__kernel" in source and "__global__" not in source
        language = "OPENCL" if is_opencl else "CUDA"
    if language == "OPENCL":
        return treadle.find_device(f"opencl:{platform}:{device}")
    if language not in ("CUDA", "CUPY", "NVCUDA"):
        raise treadle.NotSupported(f"lang is {lang!r}; there are 'CUDA' and 'OpenCL'")
    gpus = [d for d in treadle.devices() if d.id.startswith("cuda:")]
    return gpus[device] if device < len(gpus) else treadle.find_device("cpu")


def _checked(argument: Any, answer: Any, atol: float) -> Any:
    if answer is None or not isinstance(argument, np.ndarray):
        return argument
    wanted = np.asarray(answer)

    def difference(found: bytes) -> str | None:
        values = np.frombuffer(found, argument.dtype).reshape(argument.shape)
        if np.allclose(wanted.reshape(argument.shape), values, atol=atol, equal_nan=True):
            return None
        wrong = np.abs(wanted.reshape(argument.shape) - values)
        return f"it differs from answer by {np.nanmax(wrong)}"

    return tune.Updated(argument, check=difference)


def _space(device: Any, tune_params: dict[str, Any], restrictions: Any) -> tune.Space:
    space = tune.Space(device=device)
    for name, values in tune_params.items():
        space.add(name, list(values))
    is_one = callable(restrictions) or isinstance(restrictions, str)
    for each in [restrictions] if is_one else restrictions or ():
        if callable(each) and not set(inspect.signature(each).parameters) <= set(tune_params):
            space.require_of_all(each)
        else:
            space.require(each)
    return space


def _store(cache: Any, device: Any, key: Callable[[], Any]) -> Any:
    """The file itself, or what Kernel Tuner has written there as attempts of this kernel."""
    if cache is None:
        return None
    path = os.fspath(cache)
    if not os.path.exists(path) and os.path.exists(path + ".json"):
        path += ".json"  # as Kernel Tuner calls it
    if not os.path.exists(path):
        return cache
    with open(path, "rb") as file:
        content = file.read()
    if not content.startswith(b"{"):
        return cache
    text, store, found = content.decode(), tune.Store(), tune.Store()
    found.import_lines(tune.foreign_wisdom(text))
    if any(each.environment.device == device.identity.name for each in found.keys()):
        mine = key()
        store.import_lines(tune.foreign_wisdom(text, mine.kernel, mine.problem, device))
    return store


def _budget(strategy: str | None, given: dict[str, Any] | None, size: int) -> dict[str, Any]:
    options = dict(given or {})
    chosen = strategy or "brute_force"
    if chosen not in _STRATEGIES:
        raise treadle.InvalidArgument(
            f"strategy is {chosen!r}; there are {', '.join(sorted(_STRATEGIES))}"
        )
    made: dict[str, Any] = {"strategy": _STRATEGIES[chosen]}
    if "fraction" in options:
        made["evaluations"] = max(1, int(size * float(options["fraction"])))
    if "max_fevals" in options:
        made["evaluations"] = int(options["max_fevals"])
    if "time_limit" in options:
        made["seconds"] = float(options["time_limit"])
    return made


# over 6 parameters because they are those of Kernel Tuner's function
def tune_kernel(
    kernel_name: str,
    kernel_source: str | Callable[[dict[str, Any]], str],
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: dict[str, Any],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Sequence[Any] | None = None,
    atol: float = 1e-6,
    verbose: bool = False,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    compiler_options: Sequence[str] | None = None,
    defines: dict[str, Any] | None = None,
    iterations: int = 7,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    strategy: str | None = None,
    strategy_options: dict[str, Any] | None = None,
    cache: str | None = None,
    metrics: dict[str, Any] | None = None,
    objective: str = "time",
    objective_higher_is_better: bool | None = None,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Compiles, checks and times configurations of a kernel.

    Returns a dict for each configuration that works, its parameters, `time` in ms, `times` and the
    metrics, and a dict that describes the device. cache: the file of a treadle.tune.Store, or one
    that Kernel Tuner has written on this device, which is read only. objective: the metric by which
    the best is printed; searches go by time.
    """
    if objective != "time" and objective not in (metrics or {}):
        raise treadle.InvalidArgument(f"objective is {objective!r}, which is no metric")
    source = _read(kernel_source)
    where = _device(lang, source, device, platform)
    names = tuple(block_size_names) if block_size_names else _BLOCKS
    names += _BLOCKS[len(names) :]
    space = _space(where, tune_params, restrictions)
    answers = list(answer) if answer is not None else [None] * len(arguments)
    checked = [_checked(*pair, atol) for pair in zip(arguments, answers, strict=True)]

    def text(configuration: Any) -> str:
        return _text(source, dict(configuration), defines)

    shape = _Shape(problem_size, (grid_div_x, grid_div_y, grid_div_z), names)
    kept: dict[str, Any] = {
        "device": where,
        "flags": list(compiler_options or ()),
        "version": str(source),
    }
    problem = {"size": str(problem_size)}

    def key() -> Any:
        return tune.store_key(text, kernel_name, space, problem, shape=shape, **kept)

    tuned = tune.tune_kernel(
        text,
        kernel_name,
        space,
        checked,
        shape=shape,
        measure={"repeats": iterations, "overtaken_above": 0.0, "sample_seconds": 0.0},
        store=_store(cache, where, key),
        problem=problem,
        **kept,
        progress=_printer(space, verbose, quiet),
        **_budget(strategy, strategy_options, len(space)),
    )
    attempts = tuned.attempts
    if strategy in (None, "brute_force"):
        attempts = sorted(attempts, key=functools.partial(_place, tune_params))
    results = [_result(each, metrics) for each in attempts if each.measured.is_right]
    if not quiet:
        best = _best(results, objective, objective_higher_is_better)
        print(f"best performing configuration: {best}")
    return results, _environment(where)


def _best(results: list[dict[str, Any]], objective: str, is_higher: bool | None) -> dict[str, Any]:
    if is_higher is None:  # as Kernel Tuner has it
        is_higher = "/s" in objective
    return (max if is_higher else min)(results, key=lambda r: r[objective])


def _place(tune_params: dict[str, Any], attempt: Any) -> list[int]:
    """Among all configurations, as Kernel Tuner lists them, whichever was compiled first."""
    found = attempt.configuration
    return [list(values).index(found[name]) for name, values in tune_params.items()]


def _result(attempt: Any, metrics: dict[str, Any] | None) -> dict[str, Any]:
    made = dict(attempt.configuration)
    made["time"] = 1e3 * attempt.measured.seconds
    made["times"] = [1e3 * seconds for seconds in attempt.measured.samples]
    made["compile_time"] = 1e3 * attempt.measured.compile_seconds
    for name, metric in (metrics or {}).items():
        known = {key: value for key, value in made.items() if key != "times"}
        made[name] = metric(made) if callable(metric) else _value(metric, known)
    return made


def _environment(device: Any) -> dict[str, str]:
    identity = device.identity
    return {
        "device_name": identity.name,
        "compute_capability": identity.architecture,
        "driver_version": identity.driver,
        "runtime": device.runtime,
    }


def _printer(space: tune.Space, verbose: bool, quiet: bool) -> Callable[[dict[str, Any]], None]:
    def report(now: dict[str, Any]) -> None:
        last = now["last"]
        values = ", ".join(f"{name}={value}" for name, value in last.configuration.items())
        if last.measured.is_right and not quiet:
            print(f"{values}, time={1e3 * last.measured.seconds:.3f}ms")
        elif verbose:
            print(f"{values}: {last.measured.outcome}: {last.measured.error}")

    return report


# over 6 parameters because they are those of Kernel Tuner's function
def run_kernel(
    kernel_name: str,
    kernel_source: str | Callable[[dict[str, Any]], str],
    problem_size: Any,
    arguments: Sequence[Any],
    params: dict[str, Any],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    compiler_options: Sequence[str] | None = None,
    defines: dict[str, Any] | None = None,
    block_size_names: Sequence[str] | None = None,
) -> list[Any]:
    """Runs one configuration once; returns the arguments as they are then."""
    source = _read(kernel_source)
    where = _device(lang, source, device, platform)
    names = tuple(block_size_names) if block_size_names else _BLOCKS
    names += _BLOCKS[len(names) :]
    groups, group_size = _Shape(problem_size, (grid_div_x, grid_div_y, grid_div_z), names)(params)
    text = _text(source, params, defines)
    kernel = treadle.Program(where, text, flags=list(compiler_options or ())).kernel(kernel_name)
    given = [
        treadle.Buffer(where, np.ascontiguousarray(each)) if isinstance(each, np.ndarray) else each
        for each in arguments
    ]
    kernel(*given, groups=groups, group_size=group_size)
    made = []
    for argument, memory in zip(arguments, given, strict=True):
        if isinstance(argument, np.ndarray):
            argument = np.empty_like(argument)
            memory.copy_to(argument)
        made.append(argument)
    return made
