# SPDX-License-Identifier: MIT
"""A file of a program of CUDA 5's time as it is, host functions included: a separable filter that
reads through textures. Python does what the file's host functions did."""

import numpy as np
import pycuda.autoinit  # noqa: F401 - makes the context
import pycuda.driver as drv
from pycuda.compiler import SourceModule

FILE = r"""
#include <stdio.h>
#include <cutil_inline.h>
#include "device_launch_parameters.h"

#define RADIUS 4
#define LENGTH (2 * RADIUS + 1)
#define IMUL(a, b) __mul24(a, b)
#define UNROLL_INNER 1

texture<float, 2, cudaReadModeElementType> texSource;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> texColours;
texture<unsigned short, 1> texGamma;
__device__ __constant__ float c_Filter[LENGTH];
surface<void, cudaSurfaceType2D> result;

static cudaArray *a_Source = NULL;
cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();

extern "C" void setFilter(float *h_Filter)
{
    cutilSafeCall(cudaMemcpyToSymbol(c_Filter, h_Filter, LENGTH * sizeof(float)));
}

static inline int iDivUp(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }

#if(UNROLL_INNER)
template <int i> __device__ float rowSum(float x, float y)
{
    return tex2D(texSource, x + (float)(RADIUS - i), y) * c_Filter[i] + rowSum<i - 1>(x, y);
}
template <> __device__ float rowSum<-1>(float x, float y) { return 0; }
#endif

extern "C" __global__ void filterRows(float *d_Dst, int imageW, int imageH)
{
    const   int px = IMUL(blockDim.x, blockIdx.x) + threadIdx.x;
    const   int py = IMUL(blockDim.y, blockIdx.y) + threadIdx.y;
    const float  x = (float)px + 0.5f;
    const float  y = (float)py + 0.5f;
    if(px >= imageW || py >= imageH) return;
    d_Dst[IMUL(py, imageW) + px] = rowSum<LENGTH - 1>(x, y);
}

extern "C" __global__ void filterColumns(int imageW, int imageH)
{
    const int px = IMUL(blockDim.x, blockIdx.x) + threadIdx.x;
    const int py = IMUL(blockDim.y, blockIdx.y) + threadIdx.y;
    if(px >= imageW || py >= imageH) return;
    float sum = 0;
    #pragma unroll
    for(int k = -RADIUS; k <= RADIUS; k++)
        sum += tex2D(texSource, px + 0.5f, py + 0.5f + k) * c_Filter[RADIUS - k];
    surf2Dwrite(sum, result, px * sizeof(float), py, cudaBoundaryModeTrap);
}

// Luminance of four bytes, then a table of 16 bits.
extern "C" __global__ void grey(float *d_Dst, int imageW, int imageH)
{
    const int px = IMUL(blockDim.x, blockIdx.x) + threadIdx.x;
    const int py = IMUL(blockDim.y, blockIdx.y) + threadIdx.y;
    if(px >= imageW || py >= imageH) return;
    float4 c = tex2D(texColours, (px + 0.5f) / imageW, (py + 0.5f) / imageH);
    float l = 0.25f * c.x + 0.5f * c.y + 0.25f * c.z;
    d_Dst[IMUL(py, imageW) + px] = tex1Dfetch(texGamma, __float2int_rn(l * 255.f));
}

extern "C" void filterGPU(float *d_Dst, float *d_Src, int imageW, int imageH)
{
    dim3 threads(16, 12);
    dim3 blocks(iDivUp(imageW, threads.x), iDivUp(imageH, threads.y));
    if (a_Source == NULL) cutilSafeCall(cudaMallocArray(&a_Source, &channels, imageW, imageH));
    cutilSafeCall(cudaMemcpyToArray(a_Source, 0, 0, d_Src, imageW * imageH * 4,
                                    cudaMemcpyDeviceToDevice));
    texSource.filterMode = cudaFilterModePoint;
    cutilSafeCall(cudaBindTextureToArray(texSource, a_Source));
    filterRows<<<blocks, threads>>>(d_Dst, imageW, imageH);
    cutilCheckMsg("filterRows() execution failed\n");
    cutilSafeCall(cudaUnbindTexture(texSource));
}

int main(int argc, char **argv)
{
    cudaSetDevice(cutGetMaxGflopsDeviceId());
    printf("done\n");
    return 0;
}
"""
mod = SourceModule(FILE, no_extern_c=True, options=["-w"])  # of what is left out

width, height, radius = 75, 41, 4
block, grid = (16, 12, 1), ((width + 15) // 16, (height + 11) // 12)
size = np.int32(width), np.int32(height)
rng = np.random.RandomState(9)
taps = rng.rand(2 * radius + 1).astype(np.float32)
drv.memcpy_htod(mod.get_global("c_Filter")[0], taps)

# Colours become greys: normalized reads and coordinates, and integers as they are.
colours = rng.randint(0, 256, (height, width, 4)).astype(np.uint8)
gamma = np.round(60000 * (np.arange(256) / 255) ** 2.2).astype(np.uint16)
tex_colours, tex_gamma = mod.get_texref("texColours"), mod.get_texref("texGamma")
tex_colours.set_array(drv.make_multichannel_2d_array(colours, order="C"))
tex_colours.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
gamma_gpu = drv.to_device(gamma)
tex_gamma.set_address(gamma_gpu, gamma.nbytes)
grey = np.empty((height, width), np.float32)
mod.get_function("grey")(
    drv.Out(grey), *size, block=block, grid=grid, texrefs=[tex_colours, tex_gamma]
)
luminance = colours[..., :3] @ [0.25, 0.5, 0.25]
sure = np.abs(luminance % 1 - 0.5) > 1e-3  # a fraction of a half may go either way
assert sure.sum() > grey.size / 2
assert (grey == gamma[np.rint(luminance).astype(int)])[sure].all()

# Rows go from an array to memory, columns from another array to a surface.
source = mod.get_texref("texSource")
source.set_array(drv.matrix_to_array(grey, order="C"))
rows = np.empty_like(grey)
mod.get_function("filterRows")(drv.Out(rows), *size, block=block, grid=grid, texrefs=[source])
padded = np.pad(grey, ((0, 0), (radius, radius)), mode="edge")
expected = np.array([np.convolve(row, taps, "valid") for row in padded])
np.testing.assert_allclose(rows, expected, rtol=1e-5)

source.set_array(drv.matrix_to_array(rows, order="C"))
descr = drv.ArrayDescriptor3D()
descr.width, descr.height, descr.depth = width, height, 0
descr.format, descr.num_channels = drv.array_format.FLOAT, 1
descr.flags = drv.array3d_flags.SURFACE_LDST
target = drv.Array(descr)
mod.get_surfref("result").set_array(target)
mod.get_function("filterColumns")(*size, block=block, grid=grid, texrefs=[source])
filtered = np.empty_like(rows)
copy = drv.Memcpy2D()
copy.set_src_array(target)
copy.set_dst_host(filtered)
copy.width_in_bytes = copy.dst_pitch = 4 * width
copy.height = height
copy(aligned=True)
padded = np.pad(rows, ((radius, radius), (0, 0)), mode="edge")
expected = np.array([np.convolve(column, taps, "valid") for column in padded.T]).T
np.testing.assert_allclose(filtered, expected, rtol=1e-5)
print("filtered")
