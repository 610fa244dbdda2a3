# SPDX-License-Identifier: MIT
"""Spaces of configurations, and the best of them by few measurements.

    from treadle import tune

    space = tune.Space(n=1 << 20)
    space.add_powers_of_two("block", 32, 1024)
    space.add("unroll", [1, 2, 4])
    space.add("padding", [0, 1], when="unroll > 1")
    space.require("block * unroll <= n // 4")
    space.require(lambda block, unroll: block % unroll == 0)

    found = tune.minimize(space, seconds_of, evaluations=50)
    found.configuration["block"], found.value

    tuned = tune.tune_kernel(text, "transpose", space, [tune.Output(out, expected), a, np.int32(n)],
                             groups=["n // block"], group_size=["block"], seconds=20)
    tuned.configuration, tuned.seconds

A configuration is a mapping of names and values; kernels' texts take it as `text % configuration`,
`Template(text).render(**configuration)` or `specialize(kernel, **configuration)`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import treadle
from treadle._core import tune as _tune
from treadle._core.tune import (
    ArrayTuned,
    Attempt,
    Choice,
    Chosen,
    Configuration,
    Environment,
    Found,
    KeptAttempt,
    Measured,
    Store,
    StoreKey,
    Trial,
    Tuned,
    array_families,
    evaluate,
    foreign_wisdom,
    report_page,
)
from treadle._noted_interrupt import NotedInterrupt
from treadle._tune_arguments import Output, Updated, measure_options, on_host, problem_arguments
from treadle._tuned_kernel import TunedKernel, store_of

__all__ = [
    "ArrayTuned",
    "Attempt",
    "Choice",
    "Chosen",
    "Configuration",
    "Environment",
    "Found",
    "KeptAttempt",
    "Measured",
    "Output",
    "Search",
    "Space",
    "Store",
    "StoreKey",
    "Trial",
    "Tuned",
    "TunedKernel",
    "Updated",
    "array_families",
    "evaluate",
    "foreign_wisdom",
    "minimize",
    "report_page",
    "store_key",
    "successive_halving",
    "tune_arrays",
    "tune_kernel",
    "tuned",
]


class Space(_tune.Space):
    """Configurations of parameters that fulfil all constraints, numbered from 0.

    Keyword arguments are names that formulas may use, the size of a problem, say; with `device`
    (a treadle.Device or its id) they know what it allows, as device.max_group_items,
    device.local_bytes, device.sub_group_width and so on. A space is counted, drawn from and
    indexed (`space[7]`, `len(space)`) without being listed.
    """

    def __init__(self, *, device: Any = None, **names: Any):
        super().__init__()
        self._functions: list[Callable[..., Any]] = []
        self._device = treadle.find_device(device) if isinstance(device, str) else device
        if device is not None:
            self.let_device(self._device)
        for name, value in names.items():
            self.let(name, value)

    def require(self, constraint: str | Callable[..., Any]) -> Space:
        """Adds a constraint: a formula in Python's syntax over parameters, or a function whose
        arguments have the names of parameters. A function is called at most once for each
        combination of them."""
        if isinstance(constraint, str):
            super().require(constraint)
        else:
            names = list(inspect.signature(constraint).parameters)
            self._functions.append(constraint)
            self.require_function(names, constraint)
        return self

    def require_of_all(self, constraint: Callable[[dict[str, Any]], Any]) -> Space:
        """Adds a function of a dict of all parameters that there are now. It is called for each
        combination of them: one of few parameters is asked less often by require()."""
        names = list(self.names)

        def of_values(*values: Any) -> Any:
            return constraint(dict(zip(names, values, strict=True)))

        self._functions.append(of_values)
        self.require_function(names, of_values)
        return self


class Search(_tune.Search):
    """A search for callers who measure in their own way: it is asked what to try, and told.

    strategy: "automatic", "exhaustive", "random", "hill_climbing", "annealing", "genetic",
    "differential_evolution", or "model", which fits what was measured by trees of scikit-learn's
    (pip install 'treadle[tune]') and tries what they expect to be best. The search is over after
    `evaluations` configurations, `seconds`, or as many as random ones would need to have one of the
    best `fraction` among them with `probability`. `start` has mappings of names and values that are
    tried first.
    """

    def __init__(self, space: Space, **options: Any):
        super().__init__(space, **options)
        self._space = space

    @property
    def space(self) -> Space:
        """The space that is searched."""
        return self._space

    @property
    def configuration(self) -> Configuration | None:
        """The best configuration so far; None if all failed."""
        return None if self.best is None else self.space[self.best.number]


def minimize(space: Space, measure: Callable[[Configuration], float], **options: Any) -> Found:
    """The configuration for which measure(configuration) is least. Blocking.

    What `measure` raises of treadle.Error, and NaN, fails that configuration; other exceptions end
    the search. Raises InvalidState if all fail. The options are those of Search.
    """
    return _tune.minimize(space, measure, **options)


def successive_halving(
    space: Space,
    measure: Callable[[Configuration, int], float],
    *,
    first: int = 0,
    rounds: int = 4,
    keep: float = 1 / 3,
    seed: int = 0,
) -> Found:
    """The same where small problems are cheaper and tell something of large ones.

    measure(configuration, round) takes a larger problem in each round from 0 to rounds - 1, and
    the best `keep` of a round's configurations go on. `first`: configurations of the first round;
    0: as many as leave one for the last. Only the last round's trials are in Found.
    """
    return _tune.successive_halving(space, measure, first, rounds, keep, seed)


# over 6 parameters because they are the keywords of the call
def tune_kernel(
    text: str | Callable[[Configuration], Any],
    kernel: str,
    space: Space,
    arguments: Sequence[Any],
    *,
    groups: Sequence[str] = (),
    group_size: Sequence[str] = (),
    local_bytes: str = "",
    shape: Callable[[Configuration], tuple[Any, ...]] | None = None,
    device: Any = None,
    writing: str = "macros",
    key_style: str = "percent",
    flags: Sequence[str] = (),
    include_dirs: Sequence[str] = (),
    measure: dict[str, Any] | None = None,
    compile_threads: int = 0,
    ahead: int = 0,
    overlap: bool | None = None,
    finalists: int = 4,
    progress: Callable[[dict[str, Any]], None] | None = None,
    isolate: bool = False,
    compile_processes: bool | None = None,
    store: Any = None,
    problem: Mapping[str, Any] | None = None,
    version: str = "",
    **search: Any,
) -> Tuned:
    """The variant of a kernel that takes least: all cores compile while the device measures.

    text: of the kernel, in which parameters are macros (`writing="keys"`: values stand in the place
    of keys, as in treadle.templates), or a function of a configuration that returns it. kernel: its
    name. groups, group_size, local_bytes: formulas over parameters and the names of the space, or
    shape(configuration) returns (groups, group_size) or (groups, group_size, local_bytes).

    arguments: those of the kernel: Output and Updated for what it writes, Buffers (whose work is
    done), Arrays and arrays of NumPy's for what it reads, NumPy's scalars, Local. Every variant's
    outputs are compared before it may win; they are filled with what is wrong before.

    measure: options of measuring by name: warm_up, repeats, sample_seconds, first_repeats,
    overtaken_above, flush_cache, limit_seconds. compile_threads: 0 means all cores. ahead: variants
    compiled and not measured yet, at most. finalists: how many of the best are measured again, in
    turn. progress: is called with a dict of tried, failed, compiled_ahead, seconds, best and last.
    isolate: measures in a process of its own, so that variants may crash or hang; `check` of
    outputs must be a function of a module then. compile_processes: compiles in others, for OpenCL
    platforms that compile one text at a time, or crash; None: where isolate measures on OpenCL.
    Others are those of Search: strategy, evaluations, seconds, probability, fraction, seed, start.

    store: True for the user's, a Store, or the name of its file: what it knows of this kernel, for
    this `problem` (names and values that change what is best) on such a device is not measured
    again, and what is measured is kept there. version: for texts that functions write.

    Ctrl-C ends it with what was found so far. Raises InvalidState if no variant is right.
    """
    where = _device_for(space, device)
    launched = {"groups": groups, "group_size": group_size, "local_bytes": local_bytes}
    spelled = {"writing": writing, "key_style": key_style}
    compiled = {"flags": flags, "include_dirs": include_dirs}
    written = _template(text, kernel, shape=shape, **launched, **spelled, **compiled)
    how = {
        "measure": measure_options(measure or {}),
        "compile_threads": compile_threads,
        "ahead": ahead,
        "overlap": overlap,
        "finalists": finalists,
        "progress": progress,
    }
    if store not in (None, False):
        how["store"] = store_of(store)
        how["key"] = StoreKey(_tune.kernel_key(written, space, version), problem or {}, where)
    if compile_processes is None:  # OpenCL's compilers would run in this process
        compile_processes = isolate and str(where.language).startswith("OpenCL")
    with contextlib.ExitStack() as processes:
        if compile_processes:
            how["compile_with"] = _ended_with(processes, _elsewhere(where, arguments))
        if isolate:
            _ended_with(processes, _isolated(where, arguments, how, measure or {}))
        made = [] if isolate else problem_arguments(where, arguments)[0]
        with NotedInterrupt() as how["stop"]:
            return _tune.tune_kernel(where, space, written, made, how, **search)


# over 6 parameters because they are the keywords of the call
def tune_arrays(
    device: Any = None,
    *,
    families: Sequence[str] = (),
    seconds: float = 60,
    size: float = 1,
    sizes: Sequence[int] = (),
    worth: float = 0.97,
    slowest: float = 1.03,
    processor_time: bool = False,
    seed: int = 0,
    store: Any = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> list[ArrayTuned]:
    """Tunes the numbers that shape Treadle's own kernels of arrays, treadle.tiling(device), for
    this device: of all array_families(), or of those that are named.

    Results are compared with those of the numbers before, and times are measured in turn with
    them, for problems of several sizes. What takes less than `worth` of the time in the mean, and
    for no problem more than `slowest` times as long, in a second measurement too, is used from now
    on, and by later processes. size: of the largest arrays, of those that fit the kind of device.
    sizes: how many elements they have, in place of sizes that were chosen. processor_time: seconds
    of this process's processors count, not the clock's, where others use them, too. store: the
    user's, a Store, or the name of its file. progress: is called with a dict of family, tried, best
    (of the time before) and seconds. Nobody else should use a GPU. Ctrl-C ends it with what was
    found so far.
    """
    where = treadle.find_device(device) if isinstance(device, str) else device
    how = {
        "families": list(families),
        "seconds": seconds,
        "size": size,
        "sizes": list(sizes),
        "worth": worth,
        "slowest": slowest,
        "processor_time": processor_time,
        "seed": seed,
        "store": store_of(store),
        "progress": progress,
    }
    with NotedInterrupt() as how["stop"]:
        return _tune.tune_arrays(where or treadle.default_device(), how)


def _device_for(space: Space, device: Any) -> Any:
    where = device if device is not None else space._device
    where = treadle.find_device(where) if isinstance(where, str) else where
    return where if where is not None else treadle.default_device()


def _template(text: Any, kernel: str, **launched: Any) -> Any:
    made = _tune.KernelTemplate()
    made.kernel = kernel
    if callable(text):
        made.set_write(text)
    else:
        made.text = str(text)
    made.groups = list(launched.pop("groups", ()))
    made.group_size = list(launched.pop("group_size", ()))
    made.local_bytes = launched.pop("local_bytes", "")
    if (shape := launched.pop("shape", None)) is not None:
        made.set_shape(shape)
    made.set_writing(launched.pop("writing", "macros"), launched.pop("key_style", "percent"))
    made.set_options(
        list(launched.pop("flags", ())), list(launched.pop("include_dirs", ())), "kernel"
    )
    return made


_LAUNCHED = ("groups", "group_size", "local_bytes", "shape", "writing", "key_style", "flags")


def store_key(
    text: Any, kernel: str, space: Space, problem: Mapping[str, Any], **options: Any
) -> StoreKey:
    """Under which name a Store keeps what tune_kernel() measures with the same arguments; device,
    version and what says how the kernel is written and launched are the options."""
    where = _device_for(space, options.pop("device", None))
    version = options.pop("version", "")
    made = _template(text, kernel, **options)
    return StoreKey(_tune.kernel_key(made, space, version), problem, where)


def tuned(text: Any, kernel: str, space: Space, **options: Any) -> Callable[[Any], TunedKernel]:
    """A decorator: makes a TunedKernel of a function that is given the kernel's arguments and
    returns what the problem is.

        @tune.tuned(text, "transpose", space, groups=["n // TILE", "n // TILE"],
                    group_size=["TILE", "TILE"], outputs=[0], policy="block")
        def transpose(out, a, n):
            return {"n": n}

        transpose(out, a, np.int32(1024))  # launched by the best variant for n

    The options are those of tune_kernel() and TunedKernel.
    """
    where = _device_for(space, options.pop("device", None))
    launched = {name: options.pop(name) for name in (*_LAUNCHED, "include_dirs") if name in options}
    written = _template(text, kernel, **launched)
    kept = (text, launched.get("shape"))

    def decorate(problem: Any) -> TunedKernel:
        return TunedKernel((where, space, written), problem, kept=kept, **options)

    return decorate


def _ended_with(processes: contextlib.ExitStack, owner: Any) -> Any:
    processes.callback(owner.close)
    return owner


def _workers() -> Any:
    from treadle import _tune_worker  # late: few need processes

    return _tune_worker


def _isolated(where: Any, arguments: Sequence[Any], how: dict[str, Any], measure: Any) -> Any:
    """What measures in a process of its own, entered into how."""
    sent = [on_host(argument) for argument in arguments]
    limit = how["measure"].limit_seconds
    how["measure_with"] = measurer = _workers().IsolatedMeasurer(where.id, sent, measure, limit)
    if any(_needs_reference(argument) for argument in arguments):
        how["set_reference"] = measurer.set_reference
    return measurer


def _elsewhere(where: Any, arguments: Sequence[Any]) -> Any:
    """What compiles in processes."""
    workers = _workers()
    tried = workers.zeros_for(arguments) if workers.compiles_at_launch(where) else None
    return workers.CompileWorkers(where.id, tried)


def _needs_reference(argument: Any) -> bool:
    is_written = isinstance(argument, Output | Updated)
    return is_written and argument.expected is None and argument.check is None
