// count_values_float32, made by treadle's generator of counts: wide schedule
static __device__ inline unsigned int bin_of(
    float x, const float *edges, float first, float scale, float margin, unsigned int bin_count) {
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
  return is_within ? (unsigned int)bin : bin_count;
}

extern "C" __global__ void __launch_bounds__(256) count_values_float32(
    float *elements, unsigned int *counts, float *edges, float first, float scale, float margin,
    long long N, long long treadle_length, unsigned int bin_count, unsigned int copies) {
  const long long treadle_begin = blockIdx.x * treadle_length;
  const long long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __shared__ unsigned int own[1024];
  for (unsigned int treadle_k = threadIdx.x; treadle_k < bin_count; treadle_k += 256) {
    own[treadle_k] = 0;
  }
  __syncthreads();
  for (long long treadle_from = treadle_begin + threadIdx.x; treadle_from < treadle_end; treadle_from += 256 * 5) {
    unsigned int bins[5];
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      bins[treadle_q] = treadle_from + treadle_q * 256 < treadle_end ? bin_of(elements[treadle_from + treadle_q * 256], edges, first, scale, margin, bin_count) : bin_count;
    }
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      if (bins[treadle_q] < bin_count)
        atomicAdd(&own[bins[treadle_q]], 1u);
    }
  }
  __syncthreads();
  for (unsigned int treadle_k = threadIdx.x; treadle_k < bin_count; treadle_k += 256) {
    if (own[treadle_k] != 0)
      atomicAdd(&counts[treadle_k], own[treadle_k]);
  }
}
