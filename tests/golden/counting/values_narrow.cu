// count_values_float32, made by treadle's generator of counts: narrow schedule

extern "C" __global__ void __launch_bounds__(1) count_values_float32(
    float *elements, unsigned int *counts, float *edges, float first, float scale, float margin,
    long long N, long long treadle_length, unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  const float lowest = edges[0];
  const float highest = edges[bin_count];
  unsigned int own[1024];
  const unsigned int all = copies * (bin_count + 1);
  for (unsigned int k = 0; k < all; ++k) {
    own[k] = 0;
  }
  for (long long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 64) {
    const unsigned int some = treadle_end - treadle_from < 64 ? (unsigned int)(treadle_end - treadle_from) : 64;
    unsigned int bins[64];
    #ifdef __clang__
    #pragma clang loop vectorize(assume_safety)
    #endif
    for (unsigned int k = 0; k < some; ++k) {
      const float value = elements[treadle_from + k];
      const int is_within = (value >= lowest) & (value <= highest);
      const float place = ((is_within ? (float)value : first) - first) * scale;
      int near = (int)place;
      near = near < 0 ? 0 : near >= (int)bin_count ? (int)bin_count - 1 : near;
      near -= (value < edges[near]) & (near > 0);
      near += (value >= edges[near + 1]) & (near < (int)bin_count - 1);
      const unsigned int bin = is_within ? (unsigned int)near : bin_count;
      bins[k] = bin;
    }
    for (unsigned int k = 0; k < some; ++k) {
      ++own[k % copies * (bin_count + 1) + bins[k]];
    }
  }
  for (unsigned int bin = 0; bin < bin_count; ++bin) {
    unsigned int sum = 0;
    for (unsigned int k = 0; k < copies; ++k) {
      sum += own[k * (bin_count + 1) + bin];
    }
    if (sum != 0)
      atomicAdd(&counts[bin], sum);
  }
}
