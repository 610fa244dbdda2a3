// sort_tile_float32_int32, made by treadle's sort generator: stages within tiles of 4096, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sort_tile_float32_int32(
    float *__restrict__ x, int *__restrict__ y, long long total, long long length, long long inner,
    long long first, long long last) {
  const long long start = (long long)blockIdx.x * 2048;
  const long long end = total / 2 - start < 2048 ? total / 2 : start + 2048;
  for (long long stage = first; stage <= last; stage *= 2) {
    for (unsigned int distance = stage <= 4096 ? (unsigned int)stage / 2 : 2048; distance > 0; distance /= 2) {
      for (long long pair = start; pair < end; ++pair) {
        const long long low = 2 * pair - (pair & (distance - 1));
        const long long high = low + distance;
        const float a = x[low];
        const float b = x[high];
        if ((low & (length - 1) & stage) == 0 ? b < a || (a != a && b == b) : a < b || (b != b && a == a)) {
          x[low] = b;
          x[high] = a;
          const int c = y[low];
          y[low] = y[high];
          y[high] = c;
        }
      }
    }
  }
}
