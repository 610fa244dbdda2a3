# SPDX-License-Identifier: MIT
"""What a queued command uses lives until it has ended, and what a device has not is refused."""

import pyopencl as cl
import pytest

# Everything that a command uses is dropped while a user event holds the command back, and other
# memory takes its place if it is gone.
DROPPED = """
import gc, sys
import numpy as np
import treadle.compat, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
flags = cl.mem_flags
SIZE = 1 << 16
RGBA = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
SOURCE = '''
__kernel void fill(__global float *x) { x[get_global_id(0)] = 7; }
__kernel void look(__global float *x, read_only image2d_t i, sampler_t s)
{ x[get_global_id(0)] = read_imagef(i, s, (float2)(0, 0)).x + 7; }'''
program = cl.Program(context, SOURCE).build()
fill, look = cl.Kernel(program, "fill"), cl.Kernel(program, "look")
def out(more=0):
    return cl.Buffer(context, flags.READ_WRITE | more, 4 * SIZE)
def svm():
    return cl.SVM(cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, SIZE, np.float32))
def allocation():
    return cl.SVMAllocation(context, 4 * SIZE, 0, cl.svm_mem_flags.READ_WRITE)
def image():
    return cl.create_image(context, flags.READ_WRITE, RGBA, shape=(16, 16))
def sampler():
    return cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
def host():
    return np.ones(SIZE, np.float32)

def buffer(**after):
    fill(queue, (SIZE,), None, out(), **after)
def part_of_a_buffer(**after):
    fill(queue, (SIZE // 2,), None, out()[: 2 * SIZE], **after)
def arguments_set_before(**after):
    kernel = cl.Kernel(program, "look")
    kernel.set_args(out(), image(), sampler())
    gc.collect()
    cl.enqueue_nd_range_kernel(queue, kernel, (SIZE,), None, **after)
def image_and_sampler(**after):
    look(queue, (SIZE,), None, out(), image(), sampler(), **after)
def image_copies(**after):
    zeros = np.zeros((16, 16, 4), np.float32)
    box = dict(origin=(0, 0), region=(16, 16), is_blocking=False)
    cl.enqueue_fill_image(queue, image(), np.ones(4, np.float32), (0, 0), (16, 16), **after)
    return [
        cl.enqueue_copy(queue, image(), zeros, **box, **after),
        cl.enqueue_copy(queue, np.empty_like(zeros), image(), **box, **after),
    ]
def program_and_kernel(**after):
    cl.Program(context, SOURCE).build().fill(queue, (SIZE,), None, out(), **after)
def queue_and_events(**after):
    other = cl.CommandQueue(context)
    first = cl.enqueue_marker(other, **after)
    end = fill(other, (SIZE,), None, out(), wait_for=[first])
    cl.enqueue_barrier(queue, wait_for=[end])
def host_copies(**after):
    box = dict(region=(64, 64), host_origin=(0, 0), buffer_origin=(0, 0), is_blocking=False)
    cl.enqueue_copy(queue, out(), out(), **after)
    cl.enqueue_fill_buffer(queue, out(), np.float32(3), 0, 4 * SIZE, **after)
    return [
        cl.enqueue_copy(queue, out(), host(), is_blocking=False, **after),
        cl.enqueue_copy(queue, np.empty(SIZE, np.float32), out(), is_blocking=False, **after),
        cl.enqueue_copy(queue, np.empty((64, 64), np.uint8), out(), **box, **after),
    ]
def host_memory_in_place(**after):
    memory = cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=host())
    fill(queue, (SIZE,), None, memory, **after)
def mapped(**after):
    memory = cl.enqueue_map_buffer(queue, out(flags.ALLOC_HOST_PTR), cl.map_flags.WRITE, 0,
                                   (SIZE,), np.float32, is_blocking=False, **after)
def called_on_the_host(**after):
    data = host()
    cl.enqueue_native_kernel(queue, lambda: data.fill(5), **after)
def svm_argument(**after):
    fill(queue, (SIZE,), None, svm(), **after)
    fill(queue, (SIZE,), None, allocation(), **after)
def svm_set_before(**after):
    kernel = cl.Kernel(program, "fill")
    kernel.set_args(svm())
    gc.collect()
    cl.enqueue_nd_range_kernel(queue, kernel, (SIZE,), None, **after)
def svm_copies(**after):
    cl.enqueue_svm_memfill(queue, svm(), np.float32(3), **after)
    cl.enqueue_copy(queue, allocation(), allocation(), is_blocking=False, **after)
    after["is_blocking"] = False
    return [
        cl.enqueue_copy(queue, allocation(), host(), **after),
        cl.enqueue_copy(queue, np.empty(SIZE, np.float32), allocation(), **after),
    ]
def svm_of_two_queues(**after):
    memory, other = svm(), cl.CommandQueue(context)
    fill(queue, (SIZE,), None, memory, **after)
    fill(other, (SIZE,), None, memory, **after)
def svm_beside_a_queue_that_waits(**after):
    memory, other = svm(), cl.CommandQueue(context)
    fill(queue, (SIZE,), None, out(), **after)
    fill(other, (SIZE,), None, memory)
    del memory
    other.finish()  # not held up by what the other queue waits for
def svm_of_many_queues(**after):
    memory = svm()
    for _ in range(40):
        fill(cl.CommandQueue(context), (SIZE,), None, memory, **after)

uses = [use for use in list(globals().values()) if getattr(use, "__code__", None)
        and use.__code__.co_flags & 8]
if not context.devices[0].svm_capabilities:
    uses = [use for use in uses if "svm" not in use.__name__]
for use in uses:
    print(use.__name__, flush=True)
    gate = cl.UserEvent(context)
    events = use(wait_for=[gate])  # of host memory: their ends wait
    gc.collect()
    kept = [np.full(SIZE, 3, np.float32) for _ in range(16)]
    gate.set_status(0)
    queue.finish()
    assert all((one == 3).all() for one in kept)
print("done")
"""


def test_what_is_dropped_while_a_command_uses_it_lives_on(run_python):
    result = run_python("-c", DROPPED, timeout=120)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
    assert result.stdout.endswith("done\n"), result.stdout


LOCAL = """
__kernel void one(__global int *x, __local int *l) { l[0] = 1; x[0] = l[0]; }
__kernel void two(__global int *x, __local int *l, __local int *m) { l[0] = m[0] = 1; x[0] = l[0]; }
__kernel void own(__global int *x, __local int *l)
{
    __local int more[1024];
    more[get_local_id(0)] = l[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[0] = more[0] + l[0];
}
__kernel void large(__global int *x)
{
    __local int more[MORE];
    more[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[0] = more[x[1]];
}
"""


def test_more_local_memory_than_there_is_is_refused(context, queue):
    there = context.devices[0].local_mem_size
    # Compilers of GPUs refuse such variables by themselves.
    is_processor = bool(context.devices[0].type & cl.device_type.CPU)
    more = 2 * there if is_processor else 1
    program = cl.Program(context, LOCAL).build(f"-DMORE={more}")
    one, two, own, large = (cl.Kernel(program, name) for name in ("one", "two", "own", "large"))
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    half = cl.LocalMemory(there // 2)
    one(queue, (1,), (1,), out, half)
    calls = [
        lambda: one(queue, (1,), (1,), out, cl.LocalMemory(2 * there)),
        lambda: two(queue, (1,), (1,), out, half, cl.LocalMemory(there // 2 + 4)),
        lambda: own(queue, (1,), (1,), out, cl.LocalMemory(there - 2048)),
        lambda: large(queue, (1,), (1,), out),
    ]
    for call in calls if is_processor else calls[:-1]:
        for _ in range(2):
            with pytest.raises(cl.Error, match="local memory"):
                call()
    two(queue, (1,), (1,), out, half, cl.LocalMemory(64))
    own(queue, (1,), (1,), out, cl.LocalMemory(64))
    queue.finish()


# 12.8 MB for each group, where PoCL keeps it on a thread's stack.
PRIVATE = """
import numpy as np
import treadle.compat, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
out = np.zeros(64, np.int32)
memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
program = cl.Program(context, '''__kernel void k(__global int *x, int j)
{
    int many[50000];
    for (int i = 0; i < 50000; ++i) many[i] = i + j;
    x[get_global_id(0)] = many[j * 77 + get_global_id(0)];
}''').build()
program.k(queue, (64,), (64,), memory, np.int32(3))
cl.enqueue_copy(queue, out, memory)
print(out.tolist() == [234 + i for i in range(64)])
"""


def test_private_arrays_of_a_group_may_be_large(run_python):
    result = run_python("-c", PRIVATE, timeout=120)
    assert result.stdout.strip() == "True", f"{result.returncode} {result.stdout}{result.stderr}"


def test_deeply_nested_text_is_compiled(context):
    """Compilers recurse once for each level, here of signs: the process' stack is too small."""
    text = "__kernel void k(__global float *x) { x[0] = " + "- " * 40_000 + "x[1]; }"
    cl.Program(context, text).build()


def test_an_expression_that_pocl_would_compile_for_minutes_is_refused(context):
    if context.devices[0].platform.name != "Portable Computing Language":
        pytest.skip("only PoCL's compiler runs here and as long")
    text = "__kernel void k(__global float *x) {\n x[0] = " + "+".join(["x[1]"] * 100_000) + "; }"
    with pytest.raises(cl.RuntimeError, match="line 2: an expression of 1000"):
        cl.Program(context, text).build()
