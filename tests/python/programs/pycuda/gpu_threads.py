# SPDX-License-Identifier: MIT
"""One host thread for each context, the classes that GPU programs with threads have."""

import threading

import numpy
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

lock = threading.Lock()
checked = []


class GPUThread(threading.Thread):
    def __init__(self, number, some_array):
        threading.Thread.__init__(self)
        self.number = number
        self.some_array = some_array

    def run(self):
        self.dev = cuda.Device(0)
        self.ctx = self.dev.make_context()
        self.array_gpu = cuda.mem_alloc(self.some_array.nbytes)
        cuda.memcpy_htod(self.array_gpu, self.some_array)
        self.test_kernel()
        with lock:
            checked.append(self.number)
        self.ctx.pop()
        del self.array_gpu
        del self.ctx

    def test_kernel(self):
        mod = SourceModule(
            "__global__ void f(float *out, float *in) { out[threadIdx.x] = in[threadIdx.x] + 6; }"
        )
        func = mod.get_function("f")
        output_array = numpy.zeros(len(self.some_array), numpy.float32)
        output_array_gpu = cuda.mem_alloc(output_array.nbytes)
        func(output_array_gpu, self.array_gpu, block=(len(self.some_array), 1, 1))
        cuda.memcpy_dtoh(output_array, output_array_gpu)
        assert (output_array == self.some_array + 6).all()


cuda.init()
threads = [GPUThread(i, numpy.full(64, i, numpy.float32)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sorted(checked) == [0, 1, 2, 3]

# One context of the main thread, pushed by workers in turn.
context = cuda.Device(0).make_context()
memory = cuda.to_device(numpy.arange(8))
context.pop()
found = []


def read():
    context.push()
    try:
        found.append(cuda.from_device(memory, (8,), numpy.int64).sum())
    finally:
        cuda.Context.pop()


worker = threading.Thread(target=read)
worker.start()
worker.join()
assert found == [28] and cuda.Context.get_current() is None
context.push()
del memory
context.pop()
context.detach()
print("threads:", checked)
