// SPDX-License-Identifier: MIT
// The gradients of a layer norm in bfloat16: each warp takes rows, sums by shuffles, and adds its
// share of the gradients of scale and shift to shared memory; the block that finishes last writes
// them. Eight numbers are loaded and stored at a time.
#include <cuda_bf16.h>

constexpr int lanes = 32, pack = 8;

template <class T>
struct alignas(16) Packed {
  T value[16 / sizeof(T)];
  __device__ T& operator[](int i) { return value[i]; }
  __device__ const T& operator[](int i) const { return value[i]; }
};
using Packed16 = Packed<__nv_bfloat16>;
using Packed32 = Packed<float>;

template <class P, class T>
__device__ P load(const T* from) {
  return *reinterpret_cast<const P*>(from);
}
template <class P, class T>
__device__ void store(T* to, const P& value) {
  *reinterpret_cast<P*>(to) = value;
}

__device__ float sum_of_warp(float value) {
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

// over 80 lines because such kernels are; over 6 parameters because they are not packed
extern "C" __global__ void __launch_bounds__(512, 2)
layer_norm_backward(__nv_bfloat16* d_in, __nv_bfloat16* d_scale, __nv_bfloat16* d_shift,
                    float* scratch, unsigned* blocks_done, const __nv_bfloat16* d_out,
                    const __nv_bfloat16* in, const __nv_bfloat16* scale, const float* mean,
                    const float* inverse, int rows, int width) {
  extern __shared__ float shared[];
  const int warps = blockDim.x / lanes, warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const int first_row = blockIdx.x * warps + warp, step = gridDim.x * warps;
  const int chunk = lanes * pack, chunks = (width + chunk - 1) / chunk;
  const int padded = chunks * chunk;
  float* shift_sum = shared;
  float* scale_sum = shared + padded;
  float* others = shared + 2 * padded;  // of each warp but the first, for the chunk at work

  for (int i = threadIdx.x * 4; i < padded; i += blockDim.x * 4) {
    const Packed32 zero{};
    store(shift_sum + i, zero);
    store(scale_sum + i, zero);
  }
  __syncthreads();

  for (int row = first_row; row < rows; row += step) {
    const __nv_bfloat16* own_d_out = d_out + (size_t)row * width;
    const __nv_bfloat16* own_in = in + (size_t)row * width;
    __nv_bfloat16* own_d_in = d_in + (size_t)row * width;
    float sum = 0.0f, sum_times_in = 0.0f;
    for (int i = lane * pack; i < width; i += chunk) {
      const Packed16 d = load<Packed16>(own_d_out + i), x = load<Packed16>(own_in + i),
                     w = load<Packed16>(scale + i);
      for (int k = 0; k < pack; ++k) {
        const float normed = __bfloat162float(w[k]) * __bfloat162float(d[k]);
        sum += normed;
        sum_times_in += normed * __bfloat162float(x[k]);
      }
    }
    const float own_mean = mean[row], own_inverse = inverse[row];
    sum = sum_of_warp(sum) / width;
    sum_times_in = sum_of_warp(sum_times_in) / width * own_inverse - sum * own_mean * own_inverse;

    for (int c = 0; c < chunks; ++c) {
      const int i = c * chunk + lane * pack;
      Packed16 d{}, x{}, w{}, result{};
      if (i < width) {
        d = load<Packed16>(own_d_out + i);
        x = load<Packed16>(own_in + i);
        w = load<Packed16>(scale + i);
        result = load<Packed16>(own_d_in + i);
      }
      for (int quarter = 0; quarter < pack / 4; ++quarter) {
        Packed32 of_shift, of_scale;
        for (int k = 0; k < 4; ++k) {
          const int at = quarter * 4 + k;
          const float gradient = __bfloat162float(d[at]);
          const float normed = (__bfloat162float(x[at]) - own_mean) * own_inverse;
          of_shift[k] = gradient;
          of_scale[k] = normed * gradient;
          float change = __bfloat162float(w[at]) * gradient;
          change -= sum;
          change -= normed * sum_times_in;
          result[at] = __float2bfloat16(__bfloat162float(result[at]) + change * own_inverse);
        }
        if (warp > 0) {
          store(others + ((warp - 1) * 2 * lanes + lane) * 4, of_shift);
          store(others + ((warp - 1) * 2 * lanes + lanes + lane) * 4, of_scale);
        }
        __syncthreads();
        if (warp == 0) {
          for (int j = 1; j < warps; ++j) {
            const Packed32 s = load<Packed32>(others + ((j - 1) * 2 * lanes + lane) * 4);
            const Packed32 w = load<Packed32>(others + ((j - 1) * 2 * lanes + lanes + lane) * 4);
            for (int k = 0; k < 4; ++k) {
              of_shift[k] += s[k];
              of_scale[k] += w[k];
            }
          }
          if (i < width) {
            Packed32 a = load<Packed32>(shift_sum + i + quarter * 4);
            Packed32 b = load<Packed32>(scale_sum + i + quarter * 4);
            for (int k = 0; k < 4; ++k) {
              a[k] += of_shift[k];
              b[k] += of_scale[k];
            }
            store(shift_sum + i + quarter * 4, a);
            store(scale_sum + i + quarter * 4, b);
          }
        }
        __syncthreads();
      }
      if (i < width) store(own_d_in + i, result);
    }
  }
  __syncthreads();

  // Every block's sums to memory; the last block adds them.
  __shared__ unsigned before;
  float* own = scratch + (size_t)blockIdx.x * 2 * padded;
  for (int i = threadIdx.x * 4; i < 2 * padded; i += blockDim.x * 4)
    store(own + i, load<Packed32>(shared + i));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) before = atomicAdd(blocks_done, 1u);
  __syncthreads();
  if (before != gridDim.x - 1) return;
  for (int i = threadIdx.x * pack; i < width; i += blockDim.x * pack) {
    float a[pack] = {}, b[pack] = {};
    for (int block = 0; block < gridDim.x; ++block) {
      const float* of = scratch + (size_t)block * 2 * padded;
      for (int k = 0; k < pack; ++k) {
        a[k] += of[i + k];
        b[k] += of[padded + i + k];
      }
    }
    Packed16 shift16 = load<Packed16>(d_shift + i), scale16 = load<Packed16>(d_scale + i);
    for (int k = 0; k < pack; ++k) {
      shift16[k] = __float2bfloat16(a[k] + __bfloat162float(shift16[k]));
      scale16[k] = __float2bfloat16(b[k] + __bfloat162float(scale16[k]));
    }
    store(d_shift + i, shift16);
    store(d_scale + i, scale16);
  }
  if (threadIdx.x == 0) *blocks_done = 0;
}
