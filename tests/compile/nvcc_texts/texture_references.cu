// SPDX-License-Identifier: MIT
// Gives: 0 1 2 3
// References of textures and surfaces, which nvcc took up to CUDA 11. Nothing is bound to them here.
#include <texture_types.h>
#include "pycuda-helpers.hpp"
#define DECLARE(name) texture<float, cudaTextureType2D, cudaReadModeElementType> name
DECLARE(by_macro);
texture<float, 2> plane, second;
static texture<uchar4, 3, cudaReadModeNormalizedFloat> space(1, cudaFilterModeLinear, cudaAddressModeWrap);
extern texture<short2> words;
texture<short2> words;
texture<fp_tex_double, 1, cudaReadModeElementType> doubles;
texture<float, cudaTextureTypeCubemapLayered> cubes;
surface<void, cudaSurfaceType2DLayered> layers;
typedef texture<float, 2> Plane;

template <class T> __device__ T shifted(texture<T, 2> from, float x) { return tex2D(from, x + 1, 0); }
__device__ Plane& chosen(int i) { return i > 2 ? plane : second; }
extern "C" __global__ void k(long long* out) {
  out[threadIdx.x] = threadIdx.x;
  if (blockIdx.x == 0) return;
  const Plane& image = chosen(threadIdx.x);
  float value = tex2D(image, 1, 2) + tex2D(by_macro, 1, 2) + shifted(plane, 3) + tex3D(space, 1, 2, 3).w;
  value += tex1Dfetch(words, 4).x + texCubemapLayered(cubes, 1, 2, 3, 4) + tex2Dgather(plane, 1, 2).z;
  surf2DLayeredwrite(value, layers, 4, 1, 0, cudaBoundaryModeClamp);
  out[0] = fp_tex1Dfetch(doubles, 3) + surf2DLayeredread<float>(layers, 4, 1, 0);
}
