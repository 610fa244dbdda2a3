# SPDX-License-Identifier: MIT
"""What PyOpenCL's own tests rely on and a reader may take for a mistake, and what is a mistake in
PyOpenCL and right here: wrong elements, endless loops, leaks, lost events."""

import gc

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pyopencl.clmath as clmath
import pytest
from pyopencl import clrandom, tools
from pyopencl.algorithm import (
    ListOfListsBuilder,
    RadixSort,
    copy_if,
    partition,
    remove_if,
    unique,
)
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericDebugScanKernel, GenericScanKernel

READ_WRITE = cl.mem_flags.READ_WRITE


@pytest.fixture
def put(queue):
    return lambda values, dtype=np.int32: cla.to_device(queue, np.asarray(values, dtype))


def test_what_programs_rely_on_stays(queue, context, put):
    rows = cla.zeros(queue, (4, 4), np.float32)
    columns = cla.to_device(queue, np.zeros((4, 4), np.float32, order="F"))
    with pytest.raises(NotImplementedError):
        rows[:] = columns
    with pytest.raises(RuntimeError):
        rows[:, ::2].copy()
    with pytest.raises(AssertionError):
        rows[:, ::2].get()
    numbers = put([1, 2, 3, 4])
    with pytest.raises(TypeError):
        numbers /= 2
    with pytest.raises(TypeError):
        numbers + object()
    assert (numbers == numbers).dtype == np.int8
    with pytest.raises(ValueError):
        cla.zeros(queue, -1, np.float32)
    with pytest.raises(ValueError):
        numbers.reshape(-1, -1)
    allocator = tools.ImmediateAllocator(queue)
    assert allocator(0) is None
    assert cla.empty(queue, 0, np.float32, allocator=allocator).data is None
    many = put(range(10))
    many[put([1, 2, 3])] = put([9])  # one element for all places
    assert list(many.get()[:5]) == [0, 9, 9, 9, 4]
    with pytest.raises(cl.LogicError):
        cl.Buffer(context, READ_WRITE, 16).get_host_array((4,), np.float32)


def test_algorithms_begin_where_a_slice_does(context, put):
    whole = np.arange(20, dtype=np.int32)
    part, host = put(whole)[5:], whole[5:]
    assert (cla.cumsum(part).get() == host.cumsum()).all()
    truth = cla.to_device(part.queue, np.array([True, True, False, True]))
    assert cla.cumsum(truth).get().tolist() == [1, 2, 2, 3]
    assert cla.cumsum(truth, np.float32).get().tolist() == [1, 2, 2, 3]
    kept, count, _ = copy_if(part, "ary[i] > 8")
    assert (kept.get()[: int(count.get())] == host[host > 8]).all()
    left, count, _ = remove_if(part, "ary[i] > 8")
    assert (left.get()[: int(count.get())] == host[host <= 8]).all()
    true, false, count, _ = partition(part, "ary[i] > 8")
    assert int(count.get()) == (host > 8).sum()
    assert (false.get()[: (host <= 8).sum()] == host[host <= 8]).all()
    assert int(unique(part)[1].get()) == len(host)
    flags = put([1, 1, 0, 0])
    assert not flags[2:].any().get() and flags[:2].all().get()
    (ordered,), _ = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(
        put(whole[::-1])[5:]
    )
    assert (ordered.get() == np.arange(15)).all()


def test_nothing_is_sorted_counted_and_listed(context, queue, put):
    one, _ = BitonicSort(context)(put([3], np.float32))
    assert list(one.get()) == [3]
    build = ListOfListsBuilder(
        context,
        [("l", np.int32)],
        "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) { APPEND_l(i); }",
        [],
    )
    lists, _ = build(queue, 0)
    assert lists["l"].count == 0
    nothing = cla.empty(queue, 0, np.int32)
    for counted in (copy_if(nothing, "ary[i] > 0")[1], remove_if(nothing, "ary[i] > 0")[1],
                    partition(nothing, "ary[i] > 0")[2], unique(nothing)[1]):  # fmt: skip
        assert int(counted.get()) == 0


def test_a_slice_that_ends_before_it_starts_is_empty(put):
    assert put(range(10))[5:3].shape == (0,)


def test_elements_of_another_dtype_are_converted(queue):
    array = cla.zeros(queue, 4, np.float32)
    array[:] = np.arange(4, dtype=np.int32)  # as many bytes
    assert list(array.get()) == [0, 1, 2, 3]
    array[:] = np.arange(4, dtype=np.float64) * 2
    assert list(array.get()) == [0, 2, 4, 6]


@pytest.mark.parametrize("step", [100, 7, 3, -1, -4])
def test_reductions_look_at_every_element_of_a_slice(context, put, step):
    total = ReductionKernel(context, np.int32, "0", "a+b", "x[i]", "__global int *x")
    numbers = np.arange(1, 11, dtype=np.int32)
    assert int(total(put(numbers), slice=slice(None, None, step)).get()) == numbers[::step].sum()


def test_products_of_arrays_of_other_lengths_are_refused(put):
    for product in (cla.dot, cla.vdot):
        with pytest.raises(ValueError):
            product(put(range(10)), put(range(5)))


def test_random_numbers_fill_vectors_and_stay_below_the_bound(context, queue):
    vectors = cla.empty(queue, 1000, cl.cltypes.float3)
    generator = clrandom.PhiloxGenerator(context)
    generator.fill_uniform(vectors)
    for lane in "xyz":
        assert (vectors.get()[lane] > 0).mean() > 0.9
    uniform = generator.uniform(queue, 100_000, np.float32).get()
    assert uniform.min() >= 0 and uniform.max() < 1
    assert np.isfinite(generator.normal(queue, 100_000, np.float32).get()).all()


@pytest.mark.parametrize("kind", [GenericScanKernel, GenericDebugScanKernel])
def test_segments_of_a_scan_begin_anew(kind, context, queue, put):
    scan = kind(
        context,
        np.int32,
        "__global int *x, __global char *flags, __global int *out, __global int *before",
        "x[i]",
        "across_seg_boundary ? b : (a + b)",
        neutral="0",
        is_segment_start_expr="flags[i]\n!= 0",  # of two lines
        output_statement="out[i] = item; before[i] = prev_item;",
    )
    starts = np.zeros(12, np.int8)
    starts[[0, 4, 9]] = 1
    out, before = cla.zeros(queue, 12, np.int32), cla.zeros(queue, 12, np.int32)
    scan(put(np.ones(12)), put(starts, np.int8), out, before)
    assert list(out.get()) == [1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2, 3]
    assert list(before.get()) == [0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 1, 2]


def test_long_keys_are_sorted_by_all_their_bits(context, put):
    keys = np.array([2**40 + 3, 5, 2**40 + 1, 2**33], np.uint64)
    sort = RadixSort(
        context,
        "ulong *k, int *v",
        key_expr="k[i]",
        sort_arg_names=["k", "v"],
        key_dtype=np.uint64,
    )
    (ordered, places), _ = sort(put(keys, np.uint64), put(range(4)))
    assert (ordered.get() == np.sort(keys)).all() and (places.get() == keys.argsort()).all()


def test_copies_take_what_both_sides_have(context, queue):
    large, small = cl.Buffer(context, READ_WRITE, 32), cl.Buffer(context, READ_WRITE, 16)
    for dest, src in ((small, large), (large, small)):
        cl.enqueue_copy(queue, dest, src).wait()


def _svm(context, size):
    try:
        return cl.SVMAllocation(context, size, 0, cl.svm_mem_flags.READ_WRITE)
    except cl.Error as error:
        pytest.skip(f"needs shared virtual memory: {error}")


def test_parts_of_shared_memory_are_filled(context, queue):
    memory = _svm(context, 64)
    cl.enqueue_svm_memfill(queue, memory, np.uint8(1)).wait()
    cl.enqueue_svm_memfill(queue, memory, np.uint8(7), 16).wait()
    cl.enqueue_fill(queue, memory, np.uint8(3), 16, offset=32).wait()
    with memory.map_ro(queue) as array:
        assert list(array) == [7] * 16 + [1] * 16 + [3] * 16 + [1] * 16


def test_no_shared_memory_is_released_any_number_of_times(context, queue):
    nothing = _svm(context, 0)
    for _ in range(2):
        nothing.release()
        assert isinstance(nothing.enqueue_release(queue), cl.Event)
    with pytest.raises(cl.LogicError):
        nothing.enqueue_release()  # in which queue


def test_handles_are_counted_once(context, device):
    program = cl.Program(context, "__kernel void a() {} __kernel void b() {}").build()
    assert [kernel.reference_count for kernel in program.all_kernels()] == [1, 1]
    try:
        parts = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    except cl.Error as error:
        pytest.skip(f"the device has no parts: {error}")
    assert parts[0].reference_count == 1


def test_a_map_is_released_once(context, queue):
    buffer = cl.Buffer(context, READ_WRITE, 64)
    array, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, 16, np.float32)
    mapped = array.base
    mapped.release().wait()
    with pytest.raises(cl.LogicError):
        mapped.release()
    with pytest.raises((BufferError, cl.LogicError)):
        memoryview(mapped)  # of memory that is not there any more
    del array
    gc.collect()


def test_every_operation_has_its_event(queue):
    for operate in (
        lambda a: a.__isub__(1),
        lambda a: a <= 1,
        lambda a: cla.logical_and(a, a),
        lambda a: cla.logical_not(a),
    ):
        assert operate(cla.zeros(queue, 8, np.float32)).events


def test_set_waits_for_earlier_events(context, queue, put):
    array, event = put(range(4)), cl.UserEvent(context)
    array.add_event(event)
    event.set_status(0)
    array.set(np.arange(4, dtype=np.int32)[::-1].copy())
    assert list(array.get()) == [3, 2, 1, 0]


def test_programs_are_built_again_and_tell_of_a_failure_once(context):
    program = cl.Program(context, "__kernel void again() {}")
    program.build().build()
    with pytest.raises(cl.RuntimeError) as caught:
        cl.Program(context, "__kernel void broken( {").build()
    assert str(caught.value).count("(options:") == 1


def test_every_kernel_knows_its_text_and_a_clone_its_types(context, queue):
    program = cl.Program(context, "__kernel void k(__global int *x, int y) {}").build()
    (kernel,) = program.all_kernels()
    kernel.set_scalar_arg_dtypes([None, np.int32])
    assert "void k" in kernel._source
    try:
        copy = kernel.clone()
    except cl.Error as error:
        pytest.skip(f"needs OpenCL 2.1: {error}")
    assert "void k" in copy._source
    copy(queue, (1,), None, cl.Buffer(context, READ_WRITE, 4), 5).wait()


def test_functions_of_integers_are_of_floats(put):
    numbers = np.arange(1, 6, dtype=np.int32)
    array = put(numbers)
    assert ((array**array).get() == numbers**numbers).all()
    assert (cla.maximum(array, 3).get() == np.maximum(numbers, 3)).all()
    assert np.allclose(clmath.sin(array).get(), np.sin(numbers))
    assert ((array < 1.5).get() == (numbers < 1.5)).all()
    for dtype in (np.int8, np.int16):
        assert list(cla.cumsum(put(np.ones(5), dtype)).get()) == [1, 2, 3, 4, 5]


def test_arrays_without_axes_and_without_elements_are_themselves(queue, put):
    scalar = cla.zeros(queue, (), np.int32)
    with pytest.raises(TypeError):
        len(scalar)
    assert scalar.view(np.float32).shape == ()
    assert cla.zeros(queue, (0, 1), np.int32).squeeze().shape == (0,)
    numbers = put(range(6))
    assert list(cla.as_strided(numbers[2:], (2,), (4,)).get()) == [2, 3]
    assert (numbers / 1).dtype == np.float64
    assert cla.hstack((numbers, numbers.astype(np.float32))).dtype == np.float64


def test_constants_are_named_by_their_members(context):
    assert cl.mem_flags.to_string(5) == "READ_ONLY | READ_WRITE"
    assert cl.program_kind.to_string(1) == "SOURCE"


def test_scans_refuse_words_that_they_do_not_know(context, put):
    scan = GenericScanKernel(
        context, np.int32, "__global int *x", "x[i]", "a+b", "0", "x[i] = item;"
    )
    with pytest.raises(TypeError, match="nonsense"):
        scan(put(range(4)), nonsense=1)


def test_arrays_without_a_queue_say_so(put):
    array = put(range(4)).with_queue(None)
    with pytest.raises(ValueError, match="queue"):
        array.get()
    with pytest.raises((ValueError, AssertionError)):
        array + array
