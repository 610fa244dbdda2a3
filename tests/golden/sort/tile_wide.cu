// sort_tile_float32_int32, made by treadle's sort generator: stages within tiles of 512, wide schedule
extern "C" __global__ void __launch_bounds__(256) sort_tile_float32_int32(
    float *__restrict__ x, int *__restrict__ y, long long total, long long length, long long inner,
    long long first, long long last) {
  __shared__ float x_tile[512];
  __shared__ int y_tile[512];
  const long long start = (long long)blockIdx.x * 512;
  const unsigned int item = threadIdx.x;
  if (start + item < total) {
    const long long element = start + item;
    const long long place = element;
    x_tile[item] = x[place];
    y_tile[item] = y[place];
  }
  if (start + item + 256 < total) {
    const long long element = start + item + 256;
    const long long place = element;
    x_tile[item + 256] = x[place];
    y_tile[item + 256] = y[place];
  }
  __syncthreads();
  for (long long stage = first; stage <= last; stage *= 2) {
    for (unsigned int distance = stage <= 512 ? (unsigned int)stage / 2 : 256; distance > 0; distance /= 2) {
      const unsigned int here = 2 * item - (item & (distance - 1));
      const long long low = start + here;
      if (low + distance < total) {
        const float a = x_tile[here];
        const float b = x_tile[here + distance];
        if ((low & (length - 1) & stage) == 0 ? b < a || (a != a && b == b) : a < b || (b != b && a == a)) {
          x_tile[here] = b;
          x_tile[here + distance] = a;
          const int c = y_tile[here];
          y_tile[here] = y_tile[here + distance];
          y_tile[here + distance] = c;
        }
      }
      __syncthreads();
    }
  }
  if (start + item < total) {
    const long long element = start + item;
    const long long place = element;
    x[place] = x_tile[item];
    y[place] = y_tile[item];
  }
  if (start + item + 256 < total) {
    const long long element = start + item + 256;
    const long long place = element;
    x[place] = x_tile[item + 256];
    y[place] = y_tile[item + 256];
  }
}
