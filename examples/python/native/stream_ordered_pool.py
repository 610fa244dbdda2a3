# SPDX-License-Identifier: MIT
"""Frames go through a filter, with scratch memory that comes and goes in the order of a stream.

A second stream makes a frame and writes its number to a word; the first one waits for that number.
Nothing waits on the host until the end.
"""

import numpy as np

import treadle
from treadle import cuda

SOURCE = """
extern "C" __global__ void make(int *frame, int number)
{
    frame[blockIdx.x * blockDim.x + threadIdx.x] = number;
}

extern "C" __global__ void blur(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[max(i - 1, 0)] + 2 * in[i] + in[min(i + 1, n - 1)];
}
"""


def main(frames=20, pixels=4096):
    grid, block = (pixels // 256,), (256,)
    count, sums = np.int32(pixels), []
    with cuda.Context.make_current(cuda.default_device()) as context:
        module = cuda.Module(treadle.compile_cuda(SOURCE, context.device.target).image)
        make, blur = module.function("make"), module.function("blur")
        pool = cuda.MemoryPool()
        pool.release_threshold = 16 << 20  # kept from frame to frame
        maker, filterer = (cuda.Stream(cuda.StreamFlags.non_blocking) for _ in range(2))
        frame, words = cuda.DeviceMemory(4 * pixels), cuda.DeviceMemory(8)
        words.copy_from(np.zeros(2, np.int32))
        made, filtered = int(words), int(words) + 4
        host = cuda.HostMemory(4 * pixels)
        picture = np.frombuffer(host, np.int32)  # type: ignore[call-overload]
        for number in range(1, frames + 1):
            cuda.wait_value32(maker, filtered, number - 1)
            make(frame, np.int32(number), grid=grid, block=block, stream=maker)
            cuda.write_value32(maker, made, number)

            cuda.wait_value32(filterer, made, number)
            scratch = pool.allocate(4 * pixels, filterer)
            blur(frame, scratch, count, grid=grid, block=block, stream=filterer)
            cuda.write_value32(filterer, filtered, number)
            scratch.copy_to(picture, stream=filterer)
            cuda.free_async(scratch, filterer)
            cuda.call_host(filterer, lambda: sums.append(int(picture.sum())))
        filterer.synchronize()
        print(f"at most {pool.most_used_bytes} bytes of scratch memory at once")
    assert sums == [4 * pixels * number for number in range(1, frames + 1)]
    return sums


if __name__ == "__main__":
    main()
