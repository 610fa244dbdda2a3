// count_values_float32, made by treadle's generator of counts: wide schedule
typedef struct __attribute__((aligned(16))) {
  float at[4];
} treadle_pack;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) count_values_float32(
    __global float *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, __global float *edges__base, long edges__offset, float shift, float scale,
    float inside, long N, long treadle_length, uint bin_count, uint copies) {
  __global float *elements = (__global float *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  __global float *edges = (__global float *)((__global char *)edges__base + edges__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const float lowest = edges[0];
  const float highest = edges[bin_count];
  __local uint own[1024];
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < bin_count; treadle_k += 256) {
    own[treadle_k] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const int has_packs = (ulong)elements % 16 == 0;
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 2048) {
    if (treadle_end - treadle_from >= 2048) {
      treadle_pack packs[2];
      if (has_packs) {
        #pragma unroll
        for (uint treadle_q = 0; treadle_q < 2; ++treadle_q) {
          packs[treadle_q] = *(const __global treadle_pack *)(elements + treadle_from + (treadle_q * 256 + (uint)get_local_id(0)) * 4);
        }
      } else {
        #pragma unroll
        for (uint treadle_q = 0; treadle_q < 2; ++treadle_q) {
          #pragma unroll
          for (uint treadle_j = 0; treadle_j < 4; ++treadle_j) {
            packs[treadle_q].at[treadle_j] = elements[treadle_from + (treadle_q * 4 + treadle_j) * 256 + (uint)get_local_id(0)];
          }
        }
      }
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 2; ++treadle_q) {
        #pragma unroll
        for (uint treadle_j = 0; treadle_j < 4; ++treadle_j) {
          const float value = packs[treadle_q].at[treadle_j];
          const int is_within = (value >= lowest) & (value <= highest);
          const float place = fma(value, scale, shift);
          const float rounded = place + 12582912.0f;
          const float offset = place - (rounded - 12582912.0f);
          uint bin = as_uint((float)(rounded)) - 0x4b400000u;
          if (!(fabs(offset) < inside)) {
            int near = is_within ? (int)(place + 0.5f) : 0;
            near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
            near -= (value < edges[near]) & (near > 0);
            near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
            bin = is_within ? (uint)near : bin_count;
          }
          if (bin < bin_count)
            atomic_add(&own[bin], 1u);
        }
      }
    } else {
      for (long treadle_k = treadle_from + (uint)get_local_id(0); treadle_k < treadle_end; treadle_k += 256) {
        const float value = elements[treadle_k];
        const int is_within = (value >= lowest) & (value <= highest);
        const float place = fma(value, scale, shift);
        const float rounded = place + 12582912.0f;
        const float offset = place - (rounded - 12582912.0f);
        uint bin = as_uint((float)(rounded)) - 0x4b400000u;
        if (!(fabs(offset) < inside)) {
          int near = is_within ? (int)(place + 0.5f) : 0;
          near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
          near -= (value < edges[near]) & (near > 0);
          near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
          bin = is_within ? (uint)near : bin_count;
        }
        if (bin < bin_count)
          atomic_add(&own[bin], 1u);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < bin_count; treadle_k += 256) {
    if (own[treadle_k] != 0)
      atomic_add(&counts[treadle_k], own[treadle_k]);
  }
}
