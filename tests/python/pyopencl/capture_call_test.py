# SPDX-License-Identifier: MIT
"""Calls captured as programs: run again, they do what the call did."""

import io

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.capture_call import capture_kernel_call

SOURCE = """
__kernel void add(__global int *a, int by, float more, __local int *scratch)
{
    scratch[get_local_id(0)] = by;
    a[get_global_id(0)] += scratch[get_local_id(0)] + (int) more;
}
"""


def _run(text):
    names = {"__name__": "captured"}
    exec(compile(text, "captured.py", "exec"), names)
    return names


def test_a_captured_call_repeats_itself(context, queue, upload, tmp_path, monkeypatch):
    kernel = cl.Program(context, SOURCE).build(options=["-DUNUSED=1"]).add
    memory = upload(np.arange(8, dtype=np.int32))
    arguments = (memory, np.int32(5), np.float32(2.5), cl.LocalMemory(16))
    path = str(tmp_path / "captured.py")
    kernel.capture_call(path, queue, (2,), (4,), *arguments, g_times_l=True)
    with open(path) as file:
        text = file.read()
    assert "(8,), (4,)" in text and "-DUNUSED=1" in text
    seen = []

    class Remembered(cl.Buffer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            seen.append(self)

    names = _run(text)
    monkeypatch.setattr(cl, "Buffer", Remembered)
    names["main"]()
    found = np.empty(8, np.int32)
    cl.enqueue_copy(cl.CommandQueue(seen[0].context), found, seen[0])
    assert (found == np.arange(8) + 7).all()


def test_offsets_and_files_that_are_open(context, queue, upload):
    kernel = cl.Program(context, SOURCE).build().add
    file = io.StringIO()
    arguments = (upload(np.zeros(8, np.int32)), np.int32(1), None, b"\0" * 4)
    capture_kernel_call(
        kernel, file, queue, (2,), (2,), *arguments, g_times_l=True, global_offset=(1,)
    )
    assert "global_offset=(2,)" in file.getvalue()
    capture_kernel_call(kernel, file, queue, (np.int64(4),), None, *arguments)
    assert "queue, (4,), None, arg0, arg1, arg2, arg3" in file.getvalue()


def test_what_cannot_be_captured_is_refused(context, queue):
    program = cl.Program(context, SOURCE).build()
    with pytest.raises(RuntimeError, match="argument of type"):
        program.add.capture_call(io.StringIO(), queue, (1,), None, object())
    loaded = cl.Program(context, context.devices, program.binaries).build()
    with pytest.raises(RuntimeError, match="no source"):
        loaded.add.capture_call(io.StringIO(), queue, (1,), None)
