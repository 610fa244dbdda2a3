# SPDX-License-Identifier: MIT
"""A picture turned and smoothed by linear fetches, by a texture reference and by a texture object:
the same kernel otherwise; and by an object that takes the nearest element. Run by
`python -m treadle run`."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from worker import Case, serve

SIDE = 4096
KERNEL = """
extern "C" __global__ void NAME(float* out, float c, float s TEXTURE_PARAMETER) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    const float x = i + 0.3f * k, y = j + 0.4f * k;
    sum += FETCH(c * x - s * y, s * x + c * y);
  }
  out[j * gridDim.x * blockDim.x + i] = sum;
}
"""


def kernel_text(name, parameter, fetch):
    text = KERNEL.replace("NAME", name).replace("TEXTURE_PARAMETER", parameter)
    return text.replace("FETCH(", fetch)


TEXT = (
    "texture<float, 2> reference;\n"
    + kernel_text("by_reference", "", "tex2D(reference, ")
    + kernel_text("by_object", ", cudaTextureObject_t object", "tex2D<float>(object, ")
)


class Fetches(Case):
    def __init__(self, launch, synchronize):
        self.launch, self.synchronize = launch, synchronize

    def prepare(self):
        self.run()

    def run(self):
        self.launch()
        self.synchronize()


def make_cases():
    import pycuda.autoinit  # noqa: F401 - the context
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    from treadle.cuda import FilterMode, Texture

    module = SourceModule(TEXT, no_extern_c=True)
    array = cuda.matrix_to_array(np.random.rand(SIDE, SIDE).astype(np.float32), "C")
    reference = module.get_texref("reference")
    reference.set_array(array)
    reference.set_filter_mode(cuda.filter_mode.LINEAR)
    given = [cuda.mem_alloc(4 * SIDE * SIDE), np.float32(0.8), np.float32(0.6)]
    shape = {"block": (32, 8, 1), "grid": (SIDE // 32, SIDE // 8)}
    by_reference, by_object = map(module.get_function, ("by_reference", "by_object"))
    linear, nearest = (Texture(array, filter=f) for f in (FilterMode.linear, FilterMode.point))
    wait = cuda.Context.synchronize
    return {
        "reference": lambda: Fetches(lambda: by_reference(*given, **shape), wait),
        "object": lambda: Fetches(lambda: by_object(*given, linear, **shape), wait),
        "nearest": lambda: Fetches(lambda: by_object(*given, nearest, **shape), wait),
    }


serve(make_cases)
