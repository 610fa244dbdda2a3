// any_b8, made by treadle's reduction generator:
//   any_0 = any of x
//   z = any_0
// rows, linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) any_b8(
    const unsigned char *x, unsigned char *__restrict__ z, long long x_out_stride0,
    long long z_out_stride0, long long n, long long piece_length, long long tiles,
    long long group_tiles) {
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const long long out_index0 = tile;
    const unsigned char *x_row = x + out_index0 * x_out_stride0;
    unsigned char *z_row = z + out_index0 * z_out_stride0;
    int any_0 = 0;
    int any_0_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      any_0_part[k] = 0;
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
    long long i = start;
    for (; i + 8 <= end; i += 8) {
      for (unsigned int k = 0; k < 8; ++k) {
        const int x_i = x_row[(i + k)] != 0;
        any_0_part[k] = any_0_part[k] | x_i;
      }
    }
    for (; i < end; ++i) {
      const int x_i = x_row[i] != 0;
      any_0 = any_0 | x_i;
    }
    for (unsigned int k = 0; k < 8; ++k) {
      any_0 = any_0 | any_0_part[k];
    }
    z_row[0] = any_0;
  }
}
