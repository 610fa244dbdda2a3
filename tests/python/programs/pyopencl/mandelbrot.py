# SPDX-License-Identifier: MIT
"""The Mandelbrot set: complex numbers as float2, escape times as ushort."""

import numpy as np
import pyopencl as cl

w, h = 128, 96
y, x = np.ogrid[1 : -1 : h * 1j, -2 : 0.75 : w * 1j]
q = (x + y * 1j).astype(np.complex64).ravel()
maxiter = 40

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
output = np.empty(q.shape, dtype=np.uint16)
mf = cl.mem_flags
q_opencl = cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=q)
output_opencl = cl.Buffer(ctx, mf.WRITE_ONLY, output.nbytes)

prg = cl.Program(
    ctx,
    """
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
__kernel void mandelbrot(__global float2 *q,
                 __global ushort *output, ushort const maxiter)
{
    int gid = get_global_id(0);
    float nreal, real = 0;
    float imag = 0;
    output[gid] = 0;
    for (int curiter = 0; curiter < maxiter; curiter++) {
        nreal = real*real - imag*imag + q[gid].x;
        imag = 2* real*imag + q[gid].y;
        real = nreal;
        if (real*real + imag*imag > 4.0f) { output[gid] = curiter; break; }
    }
}
""",
).build()
prg.mandelbrot(queue, output.shape, None, q_opencl, output_opencl, np.uint16(maxiter))
cl.enqueue_copy(queue, output, output_opencl).wait()
picture = output.reshape((h, w))
for line in picture[::8, ::2]:
    print("".join(" .:-=+*#%@"[min(9, v // 2)] for v in line))

z = np.zeros_like(q)
expected = np.zeros(q.shape, int)
inside = np.ones(q.shape, bool)
for i in range(maxiter):
    z[inside] = z[inside] ** 2 + q[inside]
    escaped = inside & (np.abs(z) > 2)
    expected[escaped] = i
    inside &= ~escaped
assert (picture.ravel() == expected).mean() > 0.99
