# SPDX-License-Identifier: MIT
"""Where the time of a program goes: a trace with names for the program's own parts.

traced.py [FILE]: keeps the trace, for ui.perfetto.dev and `python -m treadle trace FILE`."""

import json
import pathlib
import sys
import tempfile

import numpy as np

import treadle

TEXT = """
#include <treadle/dialect.h>
TREADLE_KERNEL smooth(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  int i = treadle_global_id(0);
  if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}
"""
N, GROUP_SIZE, STEPS = 1 << 16, 256, 20

folder = tempfile.TemporaryDirectory()
file = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder.name}/trace.json")
treadle.start_trace(file)  # before the first device is looked for

device = treadle.default_device()
with treadle.TraceRange("prepare"):
    smooth = treadle.Program(device, TEXT).kernel("smooth")
    values = np.random.default_rng(0).random(N, np.float32)
    a, b = treadle.Buffer(device, values), treadle.Buffer(device, values)
    stream = device.make_stream()
with treadle.TraceRange("compute"):
    for _ in range(STEPS):
        smooth(b, a, np.int32(N), groups=N // GROUP_SIZE, group_size=GROUP_SIZE, stream=stream)
        a, b = b, a
    stream.synchronize()
result = np.empty_like(values)
a.copy_to(result)

treadle.write_trace()
spans = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]
for part in ("prepare", "compute"):
    (event,) = (span for span in spans if span["name"] == part and span["cat"] == "range")
    print(f"{part}: {event['dur'] / 1e3:.3f} ms")
kernels = [span["dur"] for span in spans if span["cat"] == "kernel"]
print(f"of which {len(kernels)} kernels on {device.name}: {sum(kernels) / 1e3:.3f} ms")

expected = values.copy()
for _ in range(STEPS):
    expected[1:-1] = (expected[:-2] + expected[1:-1] + expected[2:]) / np.float32(3)
correct = np.allclose(result, expected, rtol=1e-5) and len(kernels) == STEPS
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
