// count_values_float32, made by treadle's generator of counts: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) count_values_float32(
    __global float *elements__base, long elements__offset, __global uint *counts__base,
    long counts__offset, __global float *edges__base, long edges__offset, float first, float scale,
    float margin, long N, long treadle_length, uint bin_count, uint copies) {
  __global float *elements = (__global float *)((__global char *)elements__base + elements__offset);
  __global uint *counts = (__global uint *)((__global char *)counts__base + counts__offset);
  __global float *edges = (__global float *)((__global char *)edges__base + edges__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const float lowest = edges[0];
  const float highest = edges[bin_count];
  uint own[1024];
  const uint all = copies * (bin_count + 1);
  for (uint k = 0; k < all; ++k) {
    own[k] = 0;
  }
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const uint some = treadle_end - treadle_from < 64 ? (uint)(treadle_end - treadle_from) : 64;
    uint bins[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (uint k = 0; k < some; ++k) {
      const float value = elements[treadle_from + k];
      const int is_within = (value >= lowest) & (value <= highest);
      const float place = ((is_within ? (float)value : first) - first) * scale;
      int near = (int)place;
      near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
      near -= (value < edges[near]) & (near > 0);
      near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
      const uint bin = is_within ? (uint)near : bin_count;
      bins[k] = bin;
    }
    for (uint k = 0; k < some; ++k) {
      ++own[k % copies * (bin_count + 1) + bins[k]];
    }
  }
  for (uint bin = 0; bin < bin_count; ++bin) {
    uint sum = 0;
    for (uint k = 0; k < copies; ++k) {
      sum += own[k * (bin_count + 1) + bin];
    }
    if (sum != 0)
      atomic_add(&counts[bin], sum);
  }
}
