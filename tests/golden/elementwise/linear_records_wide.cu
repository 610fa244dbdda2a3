// copy_v64, made by treadle's elementwise generator:
//   z = x
// linear loop, wide schedule, elements at a time: 2 by one access
typedef struct {
  unsigned int words[2];
} record8_4;
typedef struct __align__(16) {
  record8_4 at[2];
} record8_4_x2;

extern "C" __global__ void __launch_bounds__(256) copy_v64(
    record8_4 *__restrict__ z, const record8_4 *x, long long n) {
  const unsigned int lane = threadIdx.x;
  const long long start = (long long)blockIdx.x * 1024;
  const unsigned int left = n - start < 1024 ? (unsigned int)(n - start) : 1024;
  z += start;
  x += start;
  if (left == 1024) {
    #pragma unroll
    for (unsigned int k = 0; k < 2; ++k) {
      const unsigned int i = (k * 256 + lane) * 2;
      record8_4_x2 z_out;
      const record8_4_x2 x_in = *(const record8_4_x2 *)(x + i);
      #pragma unroll
      for (unsigned int j = 0; j < 2; ++j) {
        const record8_4 x_i = x_in.at[j];
        z_out.at[j] = x_i;
      }
      *(record8_4_x2 *)(z + i) = z_out;
    }
  } else {
    for (unsigned int i = lane; i < left; i += 256) {
      const record8_4 x_i = x[i];
      z[i] = x_i;
    }
  }
}
