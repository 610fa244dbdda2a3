// copy_v64, made by treadle's elementwise generator:
//   z = x
// linear loop, narrow schedule
typedef struct {
  unsigned int words[2];
} record8_4;
extern "C" __global__ void __launch_bounds__(1) copy_v64(
    record8_4 *__restrict__ z, const record8_4 *x, long long n, long long piece_length) {
  const long long start = (long long)blockIdx.x * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  for (long long i = start; i < end; ++i) {
    const record8_4 x_i = x[i];
    z[i] = x_i;
  }
}
