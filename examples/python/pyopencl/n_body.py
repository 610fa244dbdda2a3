# SPDX-License-Identifier: MIT
"""Two discs of stars that pass each other under their own gravity: float4 and local memory.

n_body.py [--bodies N] [--steps N] [--pictures FOLDER]
"""

import argparse
import pathlib
import sys

import numpy as np
import pyopencl as cl

GROUP, SOFT, STEP = 64, 0.05, 0.01
SOURCE = """
/* Each group reads all bodies once, a tile of GROUP at a time; w is the mass. */
kernel void kick_and_drift(global const float4 *from, global float4 *to, global float4 *speed) {
    local float4 tile[GROUP];
    int i = get_global_id(0), lane = get_local_id(0), count = get_global_size(0);
    float4 here = from[i];
    float3 pull = 0;
    for (int first = 0; first < count; first += GROUP) {
        tile[lane] = from[first + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < GROUP; ++k) {
            float3 away = tile[k].xyz - here.xyz;
            float nearness = rsqrt(dot(away, away) + SOFT * SOFT);
            pull += tile[k].w * nearness * nearness * nearness * away;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    speed[i].xyz += STEP * pull;
    to[i] = (float4)(here.xyz + STEP * speed[i].xyz, here.w);
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--bodies", type=int, default=2048)
parser.add_argument("--steps", type=int, default=150)
parser.add_argument("--pictures", type=pathlib.Path)
options = parser.parse_args()
n = options.bodies // (2 * GROUP) * 2 * GROUP

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
print("device:", queue.device.name)

rng = np.random.default_rng(6)
radius, angle = 0.1 + 0.9 * np.sqrt(rng.random(n)), 2 * np.pi * rng.random(n)
side = np.where(np.arange(n) % 2, 1, -1)
spin = np.sqrt(radius) / 1.2
body, speed = np.zeros((2, n, 4), np.float32)
body[:, 0] = radius * np.cos(angle) + 1.5 * side
body[:, 1] = radius * np.sin(angle) + 0.6 * side
body[:, 2] = 0.05 * rng.normal(size=n)
body[:, 3] = 2 / n
speed[:, 0] = -spin * np.sin(angle) - 0.4 * side
speed[:, 1] = spin * np.cos(angle)


def step_on_host(body, speed):
    away = body[np.newaxis, :, :3] - body[:, np.newaxis, :3]
    nearness = ((away**2).sum(axis=2) + SOFT**2) ** -1.5
    speed[:, :3] += STEP * np.einsum("ij,ijk->ik", body[:, 3] * nearness, away)
    body[:, :3] += STEP * speed[:, :3]


mf = cl.mem_flags
now, speed_cl = (cl.Buffer(ctx, mf.COPY_HOST_PTR, hostbuf=array) for array in (body, speed))
later = cl.Buffer(ctx, mf.READ_WRITE, body.nbytes)
options_of_build = [f"-DGROUP={GROUP}", f"-DSOFT={SOFT}f", f"-DSTEP={STEP}f"]
kick_and_drift = cl.Program(ctx, SOURCE).build(options=options_of_build).kick_and_drift
momentum = (body[:, 3:] * speed[:, :3]).sum(axis=0)
result = np.empty_like(body)
for step in range(options.steps):
    kick_and_drift(queue, (n,), (GROUP,), now, later, speed_cl)
    now, later = later, now
    if step < 3:  # later small differences grow
        cl.enqueue_copy(queue, result, now)
        step_on_host(body, speed)
correct = np.allclose(result, body, atol=1e-4)
cl.enqueue_copy(queue, result, now)
cl.enqueue_copy(queue, speed, speed_cl)
drift = abs((result[:, 3:] * speed[:, :3]).sum(axis=0) - momentum).max()
print(f"after {options.steps} steps the momentum changed by {drift:.1e}")

if options.pictures:
    stars, _, _ = np.histogram2d(-result[:, 1], result[:, 0], 300, [[-3, 3], [-3, 3]])
    shade = 255 * (1 - np.exp(-stars))
    (options.pictures / "n_body.pgm").write_bytes(b"P5 300 300 255\n" + np.uint8(shade).tobytes())
correct = correct and drift < 1e-3
print("check against NumPy:", "ok" if correct else "WRONG")
sys.exit(0 if correct else 1)
