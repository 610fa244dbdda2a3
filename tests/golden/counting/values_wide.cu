// count_values_float32, made by treadle's generator of counts: wide schedule
typedef struct __align__(16) {
  float at[4];
} treadle_pack;

extern "C" __global__ void __launch_bounds__(256) count_values_float32(
    float *elements, unsigned int *counts, float *edges, float shift, float scale, float inside,
    long long N, long long treadle_length, unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const float lowest = edges[0];
  const float highest = edges[bin_count];
  __shared__ unsigned int own[1024];
  for (unsigned int treadle_k = threadIdx.x; treadle_k < bin_count; treadle_k += 256) {
    own[treadle_k] = 0;
  }
  __syncthreads();
  const int has_packs = (unsigned long long)elements % 16 == 0;
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 2048) {
    if (treadle_end - treadle_from >= 2048) {
      treadle_pack packs[2];
      if (has_packs) {
        #pragma unroll
        for (unsigned int treadle_q = 0; treadle_q < 2; ++treadle_q) {
          packs[treadle_q] = *(const treadle_pack *)(elements + treadle_from + (treadle_q * 256 + threadIdx.x) * 4);
        }
      } else {
        #pragma unroll
        for (unsigned int treadle_q = 0; treadle_q < 2; ++treadle_q) {
          #pragma unroll
          for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
            packs[treadle_q].at[treadle_j] = elements[treadle_from + (treadle_q * 4 + treadle_j) * 256 + threadIdx.x];
          }
        }
      }
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 2; ++treadle_q) {
        #pragma unroll
        for (unsigned int treadle_j = 0; treadle_j < 4; ++treadle_j) {
          const float value = packs[treadle_q].at[treadle_j];
          const int is_within = (value >= lowest) & (value <= highest);
          const float place = fma(value, scale, shift);
          const float rounded = place + 12582912.0f;
          const float offset = place - (rounded - 12582912.0f);
          unsigned int bin = __float_as_uint(rounded) - 0x4b400000u;
          if (!(fabs(offset) < inside)) {
            int near = is_within ? (int)(place + 0.5f) : 0;
            near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
            near -= (value < edges[near]) & (near > 0);
            near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
            bin = is_within ? (unsigned int)near : bin_count;
          }
          if (bin < bin_count)
            atomicAdd(&own[bin], 1u);
        }
      }
    } else {
      for (long long treadle_k = treadle_from + threadIdx.x; treadle_k < treadle_end; treadle_k += 256) {
        const float value = elements[treadle_k];
        const int is_within = (value >= lowest) & (value <= highest);
        const float place = fma(value, scale, shift);
        const float rounded = place + 12582912.0f;
        const float offset = place - (rounded - 12582912.0f);
        unsigned int bin = __float_as_uint(rounded) - 0x4b400000u;
        if (!(fabs(offset) < inside)) {
          int near = is_within ? (int)(place + 0.5f) : 0;
          near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
          near -= (value < edges[near]) & (near > 0);
          near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
          bin = is_within ? (unsigned int)near : bin_count;
        }
        if (bin < bin_count)
          atomicAdd(&own[bin], 1u);
      }
    }
  }
  __syncthreads();
  for (unsigned int treadle_k = threadIdx.x; treadle_k < bin_count; treadle_k += 256) {
    if (own[treadle_k] != 0)
      atomicAdd(&counts[treadle_k], own[treadle_k]);
  }
}
