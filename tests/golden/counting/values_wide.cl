// count_values_float32, made by treadle's generator of counts: wide schedule
static inline uint bin_of(
    float x, const __global float *edges, float first, float scale, float margin, uint bin_count) {
  const int last = (int)bin_count - 1;
  const float value = x;
  const int is_within = (value >= edges[0]) & (value <= edges[bin_count]);
  const float place = ((is_within ? (float)value : first) - first) * scale;
  int bin = (int)place;
  bin = bin < 0 ? 0 : bin > last ? last : bin;
  if (!(place - bin > margin && place - bin < 1 - margin)) {
    bin -= (value < edges[bin]) & (bin > 0);
    bin += (value >= edges[bin + 1]) & (bin < last);
  }
  return is_within ? (uint)bin : bin_count;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) count_values_float32(
    __global float *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, __global float *edges__base, long edges__offset, float first, float scale,
    float margin, long N, long treadle_length, uint bin_count, uint copies) {
  __global float *elements = (__global float *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  __global float *edges = (__global float *)((__global char *)edges__base + edges__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __local uint own[1024];
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < bin_count; treadle_k += 256) {
    own[treadle_k] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (long treadle_from = treadle_begin + (uint)get_local_id(0); treadle_from < treadle_end; treadle_from += 256 * 5) {
    uint bins[5];
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      bins[treadle_q] = treadle_from + treadle_q * 256 < treadle_end ? bin_of(elements[treadle_from + treadle_q * 256], edges, first, scale, margin, bin_count) : bin_count;
    }
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      if (bins[treadle_q] < bin_count)
        atomic_add(&own[bins[treadle_q]], 1u);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_k = (uint)get_local_id(0); treadle_k < bin_count; treadle_k += 256) {
    if (own[treadle_k] != 0)
      atomic_add(&counts[treadle_k], own[treadle_k]);
  }
}
