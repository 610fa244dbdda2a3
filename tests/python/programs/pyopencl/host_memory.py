# SPDX-License-Identifier: MIT
"""What may be host memory: bytes, bytearray, array.array, memoryview, views, Fortran order."""

import array
import ctypes

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags

for source in [
    b"0123456789abcdef",
    bytearray(b"0123456789abcdef"),
    array.array("B", b"0123456789abcdef"),
    memoryview(b"0123456789abcdef"),
    np.frombuffer(b"0123456789abcdef", np.uint64),
    (ctypes.c_char * 16)(*b"0123456789abcdef"),
]:
    buf = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=source)
    assert buf.size == 16 and buf.hostbuf is None
    back = bytearray(16)
    cl.enqueue_copy(queue, back, buf)
    assert back == b"0123456789abcdef", type(source)
    cl.enqueue_copy(queue, buf, source)

fortran = np.asfortranarray(np.arange(12, dtype=np.int16).reshape(3, 4))
buf = cl.Buffer(ctx, mf.READ_WRITE, size=np.int64(fortran.nbytes))
cl.enqueue_copy(queue, buf, fortran)
flat = np.empty(12, np.int16)
cl.enqueue_copy(queue, flat, buf)
assert (flat == fortran.ravel("K")).all()

scalar = np.array(3.5)
one = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=scalar)
zero_d = np.empty((), np.float64)
cl.enqueue_copy(queue, zero_d, one)
assert zero_d == 3.5

read_only = np.arange(4.0)
read_only.flags.writeable = False
for attempt, kinds in [
    (lambda: cl.enqueue_copy(queue, read_only, buf), (ValueError, BufferError)),
    (lambda: cl.enqueue_copy(queue, np.zeros((4, 4))[:, 1], buf), (ValueError, BufferError)),
    (
        lambda: cl.Buffer(ctx, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=read_only),
        (ValueError, BufferError),
    ),
    (lambda: cl.enqueue_copy(queue, np.zeros(2), np.zeros(2)), TypeError),
    (lambda: cl.enqueue_copy(queue, np.zeros(1000), buf), cl.LogicError),
]:
    try:
        attempt()
    except kinds as error:
        print(type(error).__name__, str(error)[:70])
    else:
        raise AssertionError("wrong memory was accepted")

own = np.zeros(8, np.int32)
shared = cl.Buffer(ctx, mf.READ_WRITE | mf.USE_HOST_PTR, hostbuf=own)
assert shared.hostbuf is own
buf.release()
try:
    buf.release()
except cl.LogicError as error:
    print(error)
