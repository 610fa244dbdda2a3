# SPDX-License-Identifier: MIT
"""Algorithms on arrays: selections, sorts by a key, and lists of unequal lengths.

positive, count, event = copy_if(x, "ary[i] > limit", [("limit", numpy.float32(0))])
positive = positive[: int(count.get())]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle._core import array as _array
from treadle._core.device import Device
from treadle._core.kernel import GroupKernel as NativeGroup
from treadle._core.kernel import ListBuilder as NativeLists
from treadle._core.kernel import RadixSortKernel as NativeSort
from treadle._core.kernel import SelectKernel as NativeSelect
from treadle.pyopencl import _cl
from treadle.pyopencl._arguments import type_preamble
from treadle.pyopencl._array_class import Array
from treadle.pyopencl._array_creation import empty, zeros
from treadle.pyopencl._array_places import as_memory, place_of
from treadle.pyopencl._array_reductions import sum as sum_of
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._cluda import CLUDA_WORDS
from treadle.pyopencl._snippet_kernels import (
    check_are_arrays,
    check_is_array,
    compile_now,
    declared,
    failures_of_builds,
    flags_of,
    native_type,
    native_types,
    on_device,
    one_line,
    order_after,
    parameters_of,
    values_of,
    vector,
)
from treadle.pyopencl._templates import CDeclList
from treadle.pyopencl.scan import (  # noqa: F401
    GenericDebugScanKernel,
    GenericScanKernel,
    ScanTemplate,
)

# Programs also import argument classes from this module.
from treadle.pyopencl.tools import (  # noqa: F401
    Argument,
    DtypedArgument,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
)

# --- selections ----------------------------------------------------------------------------------


def _extra(extra_args: Iterable[tuple[str, Any]] | None) -> tuple[list[Any], list[Any]]:
    """Declarations and values of the additional arguments of a predicate."""
    parameters: list[Any] = []
    values: list[Any] = []
    for name, value in extra_args or ():
        if isinstance(value, Array):
            parameters.append(vector(value.dtype, name))
        elif isinstance(value, np.generic):
            parameters.append(ScalarArg(value.dtype, name))
        else:
            raise RuntimeError(
                f"extra argument {name} is a {type(value).__name__}: pass an array or one of "
                "NumPy's numbers"
            )
        values.append(value)
    return parameters, values


@context_dependent_memoize
def _select_kernel(context: Any, device: Any, texts: tuple[Any, ...]) -> NativeSelect:
    """The selection kernel of a function."""
    function, dtype, predicate, parameters, preamble, count_dtype = texts
    before = type_preamble([dtype, *(a.dtype for a in parameters)])
    kernel = NativeSelect(
        Device.of(context, device),
        _SELECTIONS[function],
        native_type(dtype),
        predicate,
        declared(parameters),
        types=native_types(parameters),
        name="select",
        preamble=f"{before}{CLUDA_WORDS}{preamble}",
        flags=flags_of(device, None),
        count_dtype=count_dtype,
        called=function,
    )
    compile_now(kernel)
    return kernel


# The selecting expression of each function, in the kernel's names.
_SELECTIONS = {
    "copy_if": "matching",
    "remove_if": "others",
    "partition": "both",
    "unique": "run_starts",
}


# over 6 parameters because they are those of PyOpenCL's functions
def _selected(
    function: str,
    ary: Any,
    predicate: str,
    extra_args: Any,
    preamble: str,
    queue: Any,
    wait_for: Any,
) -> tuple[list[Any], Any, Any]:
    """Runs the selection of a function. Returns its outputs, the count and the event."""
    check_is_array(function, 0, "ary", ary)
    queue = ary._queue_for(queue)
    parameters, values = _extra(extra_args)
    count_dtype = np.dtype(np.uint32 if ary.size < 2**32 else np.uint64)
    texts = (function, ary.dtype, predicate, tuple(parameters), preamble, count_dtype.name)
    kernel = _select_kernel(ary.context, queue.device, texts)
    outputs = [ary._new_like_me(queue=queue) for _ in range(2 if function == "partition" else 1)]
    count = empty(queue, (), count_dtype, allocator=ary.allocator)
    place = place_of(queue)
    order_after(place, [ary, *values], wait_for)
    with place.stream:
        kernel.launch(ary.size, ary, *outputs, count, *values_of(parameters, values))
    event = _cl.enqueue_marker(queue)
    for made in (*outputs, count):
        made.add_event(event)
    return outputs, count, event


def copy_if(
    ary: Array,
    predicate: str,
    extra_args: Any = None,
    preamble: str = "",
    queue: Any = None,
    wait_for: Any = None,
) -> tuple[Array, Array, Any]:
    """The elements for which `predicate`, C of `ary[i]`, holds, in their order: an array of which
    the first `count` elements mean something, the count on the device, and the event."""
    (out,), count, event = _selected(
        "copy_if", ary, predicate, extra_args, preamble, queue, wait_for
    )
    return out, count, event


def remove_if(
    ary: Array,
    predicate: str,
    extra_args: Any = None,
    preamble: str = "",
    queue: Any = None,
    wait_for: Any = None,
) -> tuple[Array, Array, Any]:
    """copy_if() of the elements for which it does not."""
    (out,), count, event = _selected(
        "remove_if", ary, predicate, extra_args, preamble, queue, wait_for
    )
    return out, count, event


def partition(
    ary: Array,
    predicate: str,
    extra_args: Any = None,
    preamble: str = "",
    queue: Any = None,
    wait_for: Any = None,
) -> tuple[Array, Array, Array, Any]:
    """Both: those for which it holds, the others, the number of the first ones, and the event."""
    (out_true, out_false), count, event = _selected(
        "partition", ary, predicate, extra_args, preamble, queue, wait_for
    )
    return out_true, out_false, count, event


def unique(
    ary: Array,
    is_equal_expr: str = "a == b",
    extra_args: Any = None,
    preamble: str = "",
    queue: Any = None,
    wait_for: Any = None,
) -> tuple[Array, Array, Any]:
    """copy_if() of the first element of each run of equal ones; `is_equal_expr` compares `b` with
    `a`, which is before it."""
    (out,), count, event = _selected(
        "unique", ary, is_equal_expr, extra_args, preamble, queue, wait_for
    )
    return out, count, event


# --- sorts ---------------------------------------------------------------------------------------


def _unsigned(dtype: np.dtype) -> np.dtype:
    """The unsigned dtype of a key. PyOpenCL sorts signed keys by their bits."""
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind == "i" else dtype


class RadixSort:
    """Sorts arrays by `key_expr`, an integer that C gives for the index `i`. Equal keys stay in
    their order. Keys are compared without a sign: those below zero come last. How many bits of
    the keys are sorted by at a time, the kernel decides. Structures that are registered are
    declared."""

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        context: Any,
        arguments: str | Sequence[str | Argument],
        key_expr: str,
        sort_arg_names: Sequence[str],
        bits_at_a_time: int = 2,
        index_dtype: Any = np.int32,
        key_dtype: Any = np.uint32,
        scan_kernel: Any = GenericScanKernel,
        options: Any = None,
    ) -> None:
        self.context = context
        self.arguments = parameters = parameters_of(arguments)
        self.sort_arg_names = list(sort_arg_names)
        self.index_dtype = np.dtype(index_dtype)
        self.key_dtype = np.dtype(key_dtype)
        vectors = {a.name: n for n, a in enumerate(parameters) if isinstance(a, VectorArg)}
        for name in self.sort_arg_names:
            if name not in vectors:
                raise ValueError(f"sort_arg_names has {name!r}, which is no array: {list(vectors)}")
        self._sorted = [vectors[name] for name in vectors if name in self.sort_arg_names]
        key_expr = one_line(key_expr, "key_expr")
        self._kernels: dict[Any, NativeSort] = {}
        for device in context.devices:
            declarations = CDeclList(device)
            declarations.visit_arguments(parameters)
            kernel = self._kernels[device] = NativeSort(
                Device.of(context, device),
                declared(parameters),
                key_expr,
                [parameters[position].name for position in self._sorted],
                types=native_types(parameters),
                preamble=f"{declarations.get_declarations()}\n{CLUDA_WORDS}",
                flags=flags_of(device, options),
                key_dtype=_unsigned(self.key_dtype).name,
                index_dtype=self.index_dtype.name,
                is_sequential=issubclass(scan_kernel, GenericDebugScanKernel),
            )
            compile_now(kernel)

    def __call__(
        self,
        *args: Any,
        key_bits: int | None = None,
        queue: Any = None,
        allocator: Any = None,
        wait_for: Any = None,
    ) -> tuple[tuple[Any, ...], Any]:
        """The sorted arrays, which are new ones in the order of the arguments, and the event. Only
        the low `key_bits` of the keys are looked at; None: all."""
        if len(args) != len(self.arguments):
            raise TypeError(f"the sort takes {len(self.arguments)} arguments, not {len(args)}")
        first = args[self._sorted[0]]
        check_is_array("the sort", self._sorted[0], self.arguments[self._sorted[0]].name, first)
        n = first.size
        check_are_arrays("the sort", self.arguments, args)
        if key_bits is not None and key_bits < 1:
            raise ValueError(f"key_bits={key_bits}: a sort looks at one bit or more")
        queue = first._queue_for(queue)
        place = place_of(queue)
        kernel = on_device(self._kernels, queue, "the sort")
        results = tuple(
            args[position]._new_with_changes(
                None, 0, shape=(n,), strides=(args[position].dtype.itemsize,),
                queue=queue, allocator=allocator,
            )
            for position in self._sorted
        )  # fmt: skip
        order_after(place, args, wait_for)
        with place.stream:
            values = tuple(values_of(self.arguments, args))
            kernel.launch(n, values, results, key_bits or 0)
        event = _cl.enqueue_marker(queue)
        for made in results:
            made.add_event(event)
        return results, event


class KeyValueSorter:
    """Groups values by integer keys."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self._kernels: dict[Any, NativeGroup] = {}

    def _kernel(self, device: Any, *dtypes: np.dtype) -> NativeGroup:
        kernel = self._kernels.get((device, *dtypes))
        if kernel is None:
            key, value, start = dtypes
            kernel = self._kernels[(device, *dtypes)] = NativeGroup(
                Device.of(self.context, device),
                key.name,
                native_type(value),
                start.name,
                preamble=type_preamble([value]),
                flags=flags_of(device, None),
            )
            compile_now(kernel)
        return kernel

    # over 6 parameters because they are those of PyOpenCL's
    def __call__(
        self,
        queue: Any,
        keys: Array,
        values: Array,
        nkeys: int,
        starts_dtype: Any,
        allocator: Any = None,
        wait_for: Any = None,
    ) -> tuple[Array, Array, Any]:
        """Where the values of each key from 0 to nkeys - 1 begin, and behind the last one; the
        values, those of equal keys in their order; the event."""
        called = "KeyValueSorter"
        check_is_array(called, 1, "keys", keys)
        check_is_array(called, 2, "values", values)
        if keys.size != values.size:
            raise ValueError(f"there are {keys.size} keys for {values.size} values")
        if nkeys < 0:
            raise ValueError(f"nkeys={nkeys}: keys are from 0 to before it")
        starts_dtype = np.dtype(starts_dtype)
        kernel = self._kernel(queue.device, keys.dtype, values.dtype, starts_dtype)
        starts = empty(queue, (nkeys + 1,), starts_dtype, allocator=allocator)
        lists = empty(queue, (values.size,), values.dtype, allocator=allocator)
        place = place_of(queue)
        order_after(place, (keys, values), wait_for)
        with place.stream:
            kernel.launch(nkeys, keys, values, starts, lists)
        event = _cl.enqueue_marker(queue)
        for made in (starts, lists):
            made.add_event(event)
        return starts, lists, event


# --- lists of unequal lengths --------------------------------------------------------------------


@dataclass
class BuiltList:
    """One list for each object, one behind the other in `lists`: that of object i from starts[i] to
    before starts[i + 1]. `count` elements in all.

    Where empty lists are left out, `starts` is of the `num_nonempty_lists` others,
    `nonempty_indices` says whose they are, and compressed_indices[i] how many of them are before
    object i.
    """

    count: int | None
    starts: Any
    lists: Any = None
    num_nonempty_lists: int | None = None
    nonempty_indices: Any = None
    compressed_indices: Any = None


class ListOfListsBuilder:
    """Runs a C function, `generate`, for each of many objects, which appends to lists."""

    # over 6 parameters because they are those of PyOpenCL's
    def __init__(
        self,
        context: Any,
        list_names_and_dtypes: Sequence[tuple[str, Any]],
        generate_template: str,
        arg_decls: str | Sequence[str | Argument],
        count_sharing: Mapping[str, str] | None = None,
        devices: Sequence[Any] | None = None,
        name_prefix: str = "plb_build_list",
        options: Any = None,
        preamble: str = "",
        debug: bool = False,
        complex_kernel: bool = False,
        eliminate_empty_output_lists: bool | Sequence[str] = False,
    ) -> None:
        self.context = context
        self.list_names_and_dtypes = [
            (name, np.dtype(dtype)) for name, dtype in list_names_and_dtypes
        ]
        names = [name for name, _ in self.list_names_and_dtypes]
        self.generate_template = generate_template
        self.arg_decls = parameters_of(arg_decls)
        self.count_sharing = dict(count_sharing or {})
        for name, mother in self.count_sharing.items():
            if name not in names or mother not in names or mother in self.count_sharing:
                raise ValueError(
                    f"count_sharing lets {name!r} share the counts of {mother!r}: name two of "
                    f"{names}, the second with counts of its own"
                )
        self.devices = list(context.devices if devices is None else devices)
        self.name_prefix = name_prefix
        self.options = options
        self.preamble = preamble
        self.debug = debug
        self.complex_kernel = complex_kernel
        if eliminate_empty_output_lists is True:
            eliminate_empty_output_lists = [n for n in names if n not in self.count_sharing]
        self.eliminate_empty_output_lists = list(eliminate_empty_output_lists or ())
        for name in self.eliminate_empty_output_lists:
            if name not in names:
                raise ValueError(f"empty lists of {name!r} cannot be left out: there are {names}")
        self._builders: dict[Any, NativeLists] = {}

    def _builder(self, device: Any, index_dtype: np.dtype, omitted: frozenset[str]) -> NativeLists:
        key = device, index_dtype, omitted
        builder = self._builders.get(key)
        if builder is None:
            dtypes = [dtype for _, dtype in self.list_names_and_dtypes]
            used = [a.dtype for a in self.arg_decls]
            types = list(dict.fromkeys(native_type(dtype) for dtype in (*dtypes, *used)))
            builder = self._builders[key] = NativeLists(
                Device.of(self.context, device),
                [
                    (name, native_type(dtype), self.count_sharing.get(name, ""), name in omitted)
                    for name, dtype in self.list_names_and_dtypes
                ],
                self.generate_template,
                declared(self.arg_decls),
                types=types,
                name=self.name_prefix,
                preamble=f"{type_preamble([*dtypes, *used])}{CLUDA_WORDS}{self.preamble}",
                flags=flags_of(device, self.options),
                index_dtype=index_dtype.name,
            )
        return builder

    def _values(self, args: Sequence[Any], queue: Any) -> tuple[Any, ...]:
        """Converts the arguments for the native kernel."""
        if len(args) != len(self.arg_decls):
            raise TypeError(f"the builder takes {len(self.arg_decls)} arguments, not {len(args)}")
        place = place_of(queue)
        values = []
        for argument, value in zip(self.arg_decls, args, strict=True):
            if not isinstance(argument, VectorArg) or isinstance(value, Array):
                if isinstance(value, Array) and value.ndim != 1:
                    raise ValueError(f"argument {argument.name} has {value.ndim} axes, not 1")
                values.append(value)
            elif value is None:
                # A null pointer: `generate` may test for it.
                values.append(_array.adopt(place.device, 0, 0, None))
            elif argument.with_offset:
                raise ValueError(
                    f"argument {argument.name} is a {type(value).__name__}: pass an array"
                )
            else:
                memory = as_memory(value, self.context)
                values.append(_array.adopt(place.device, memory.int_ptr, memory.size, memory))
        return tuple(values_of(self.arg_decls, values))

    def __call__(
        self,
        queue: Any,
        n_objects: int,
        *args: Any,
        allocator: Any = None,
        omit_lists: Sequence[str] | None = None,
        wait_for: Any = None,
    ) -> tuple[dict[str, BuiltList], Any]:
        """The lists by name, without those in omit_lists, and the event of the last command. Waits
        for the counts."""
        names = [name for name, _ in self.list_names_and_dtypes]
        omitted = frozenset(omit_lists or ())
        if not omitted.issubset(names):
            raise ValueError(f"omit_lists has {sorted(omitted - set(names))}: there are {names}")
        index_dtype = np.dtype(np.int32 if n_objects < 2**31 - 1 else np.int64)
        builder = self._builder(queue.device, index_dtype, omitted)
        values = self._values(args, queue)
        order_after(place_of(queue), args, wait_for)

        def new(n: int, dtype: Any = index_dtype) -> Array:
            return empty(queue, (n,), dtype, allocator=allocator)

        with place_of(queue).stream:
            starts = {name: zeros(queue, n_objects + 1, index_dtype) for name in builder.counted}
            counts = tuple(new(n_objects) for _ in starts)
            if n_objects:
                with failures_of_builds():
                    builder.count(n_objects, counts, values)
                    for count, start in zip(counts, starts.values(), strict=True):
                        builder.add_up(n_objects, count, start)
        totals = self._totals(starts, counts, queue)
        built: dict[str, BuiltList] = {}
        for name, dtype in self.list_names_and_dtypes:
            if name in omitted:
                continue
            counted = self.count_sharing.get(name, name)
            built[name] = BuiltList(totals[counted], starts[counted], new(totals[counted], dtype))
        with place_of(queue).stream, failures_of_builds():
            if n_objects:
                elements = tuple(built[name].lists for name in builder.written)
                builder.write(n_objects, tuple(starts.values()), elements, values)
            for name in self.eliminate_empty_output_lists:
                if name in built:
                    self._compress(builder, built[name], queue)
        event = _cl.enqueue_marker(queue)
        return built, event

    def _totals(self, names: Iterable[str], counts: Sequence[Array], queue: Any) -> dict[str, int]:
        """The number of elements of each list. Raises if the dtype of the starts cannot hold it."""
        totals = {}
        for name, count in zip(names, counts, strict=True):
            total = int(sum_of(count, np.int64, queue).get(queue))
            if not 0 <= total <= np.iinfo(count.dtype).max:
                raise ValueError(
                    f"list {name} of list builder {self.name_prefix} would have {total} elements "
                    f"for {count.size} objects, and starts are {count.dtype}: build it for fewer "
                    "objects at a time"
                )
            totals[name] = total
        return totals

    def _compress(self, builder: NativeLists, made: BuiltList, queue: Any) -> None:
        n = made.starts.size - 1
        left, objects, places = (zeros(queue, n + 1, made.starts.dtype) for _ in range(3))
        if n:
            builder.compress(n, made.starts, left, objects, places)
        number = int(places[n].get(queue))
        made.num_nonempty_lists = number
        made.starts = left[: number + 1]
        made.nonempty_indices = objects[:number]
        made.compressed_indices = places
