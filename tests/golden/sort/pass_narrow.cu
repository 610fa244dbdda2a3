// sort_pass_float16_int64, made by treadle's sort generator: one pass over pairs, tiles of 4096, narrow schedule
static __device__ inline float treadle_half_to_float(unsigned short bits)
{
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}

extern "C" __global__ void __launch_bounds__(1) sort_pass_float16_int64(
    unsigned short *__restrict__ x, long long *__restrict__ y, long long total, long long length,
    long long inner, long long first, long long last) {
  const long long start = (long long)blockIdx.x * 2048;
  const long long end = total / 2 - start < 2048 ? total / 2 : start + 2048;
  for (long long pair = start; pair < end; ++pair) {
    const long long low = 2 * pair - (pair & (last - 1));
    const long long high = low + last;
    const long long low_place = (low / length / inner * length + low % length) * inner + low / length % inner;
    const long long high_place = (high / length / inner * length + high % length) * inner + high / length % inner;
    const unsigned short a = x[low_place];
    const unsigned short b = x[high_place];
    if ((low & (length - 1) & first) == 0 ? treadle_half_to_float(b) < treadle_half_to_float(a) || (treadle_half_to_float(a) != treadle_half_to_float(a) && treadle_half_to_float(b) == treadle_half_to_float(b)) : treadle_half_to_float(a) < treadle_half_to_float(b) || (treadle_half_to_float(b) != treadle_half_to_float(b) && treadle_half_to_float(a) == treadle_half_to_float(a))) {
      x[low_place] = b;
      x[high_place] = a;
      const long long c = y[low_place];
      y[low_place] = y[high_place];
      y[high_place] = c;
    }
  }
}
