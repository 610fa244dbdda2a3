# SPDX-License-Identifier: MIT
"""A Jacobi iteration as a CUDA graph: the loop runs on the device until nothing changes much.

The host launches once. The body of the loop is captured from ordinary launches.
"""

import numpy as np

import treadle
from treadle import cuda

SOURCE = """
extern "C" __global__ void relax(const float *now, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = 0.5f * (now[i - 1] + now[i + 1]);
}

extern "C" __global__ void measure(const float *now, const float *next, int n,
                                   cudaGraphConditionalHandle go_on, float tolerance, int *steps)
{
    float change = 0;
    for (int i = 0; i < n; ++i) change = fmaxf(change, fabsf(next[i] - now[i]));
    *steps += 2;
    cudaGraphSetConditional(go_on, change > tolerance);
}
"""


def main(n=64, tolerance=1e-4):
    with cuda.Context.make_current(cuda.default_device()) as context:
        module = cuda.Module(treadle.compile_cuda(SOURCE, context.device.target).image)
        relax, measure = module.function("relax"), module.function("measure")
        start = np.zeros(n, np.float32)
        start[-1] = 1
        a, b, steps = (cuda.DeviceMemory(start.nbytes) for _ in range(3))
        a.copy_from(start)
        b.copy_from(start)
        steps.copy_from(np.zeros(n, np.int32))

        graph = cuda.Graph()
        go_on = graph.add_condition(1)
        body = graph.add_while(go_on).bodies[0]
        stream = cuda.Stream(cuda.StreamFlags.non_blocking)
        capture = cuda.Capture.into(body, stream)
        count = np.int32(n)
        relax(a, b, count, grid=(1,), block=(n,), stream=stream)
        relax(b, a, count, grid=(1,), block=(n,), stream=stream)
        handle, limit = np.uint64(go_on.value), np.float32(tolerance)
        measure(b, a, count, handle, limit, steps, grid=(1,), block=(1,), stream=stream)
        capture.end()

        graph.instantiate().launch(stream)
        stream.synchronize()
        result, taken = np.empty_like(start), np.empty(n, np.int32)
        a.copy_to(result)
        steps.copy_to(taken)
    error = np.abs(result - np.linspace(0, 1, n)).max()
    print(f"{taken[0]} steps, largest error {error:.3f}")
    assert 0 < error < 0.2
    return taken[0]


if __name__ == "__main__":
    main()
