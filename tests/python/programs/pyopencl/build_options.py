# SPDX-License-Identifier: MIT
"""Options of a build: defines, folders of headers, logs of failures and warnings."""

import os
import tempfile
import warnings

import numpy as np
import pyopencl as cl

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
out = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, 4)


def run(source, *args, **kwargs):
    knl = cl.Program(ctx, source).build(*args, **kwargs).value
    knl(queue, (1,), (1,), out)
    result = np.empty(1, np.int32)
    cl.enqueue_copy(queue, result, out)
    return int(result[0])


source = "__kernel void value(__global int *out) { *out = VALUE; }"
assert run(source, "-DVALUE=7") == 7
assert run(source, options="-D VALUE=8 -cl-fast-relaxed-math -Werror") == 8
assert run(source, options=["-cl-std=CL1.2", "-DVALUE=1"], devices=ctx.devices) == 1
assert run(source.encode(), b"-DVALUE=5") == 5

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "answer.h"), "w") as f:
        f.write("#define VALUE 42\n")
    assert run('#include "answer.h"\n' + source, ["-I", folder]) == 42
    with open(os.path.join(folder, "answer.h"), "w") as f:
        f.write("#define VALUE 43\n")
    assert run('#include "answer.h"\n' + source, ["-I", folder]) == 43

prg = cl.Program(ctx, "__kernel void broken(__global int *out) { *out = undeclared_name; }")
try:
    prg.build()
except cl.RuntimeError as e:
    assert e.code == cl.status_code.BUILD_PROGRAM_FAILURE
    assert "undeclared_name" in str(e)
    assert e.routine == "clBuildProgram"
    print(str(e).splitlines()[0])
    # What most programs do here.
    device = ctx.devices[0]
    assert "undeclared_name" in prg.get_build_info(device, cl.program_build_info.LOG)
    assert prg.get_build_info(device, cl.program_build_info.STATUS) == -2
else:
    raise AssertionError("a broken program was built")
try:
    cl.Program(ctx, source).build("-DVALUE=1 --no-such-option=3")
except cl.Error as e:
    print("option:", type(e).__name__, e.code)

os.environ["PYOPENCL_COMPILER_OUTPUT"] = "1"
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        cl.Program(ctx, "#warning take care\n" + source).build("-DVALUE=1")
    except cl.RuntimeError as e:
        assert "NVIDIA" in ctx.devices[0].platform.vendor, e  # its compiler has no #warning
        assert "take care" in str(e)
        logs = []
    else:
        logs = [w for w in caught if issubclass(w.category, cl.CompilerWarning)]
        assert len(logs) == 1 and "take care" in str(logs[0].message), caught
prg = cl.Program(ctx, source).build("-DVALUE=1")
print("log:", repr(prg.get_build_info(ctx.devices[0], cl.program_build_info.LOG)))
assert "-DVALUE=1" in prg.get_build_info(ctx.devices[0], cl.program_build_info.OPTIONS)
