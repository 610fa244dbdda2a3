// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// columns, strided loop, narrow schedule
typedef float treadle_result;
static __device__ inline __attribute__((always_inline)) treadle_result treadle_neutral(void) {
  return (
  -1
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_reduce(
    treadle_result a, treadle_result b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_map(
    long long i, float treadle_x) {
  return (
  treadle_x * treadle_x
  );
}
extern "C" __global__ void __launch_bounds__(1) reduction(
    float *user_x, long long x0_offset, treadle_result *__restrict__ z, long long out_inner,
    long long out_row_pieces, long long n, long long x0_stride0, long long group_pieces,
    long long tiles, long long group_tiles) {
  const float *x0 = user_x + x0_offset;
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const long long line = tile / out_row_pieces;
    const long long start = (tile - line * out_row_pieces) * 1024;
    const long long width = out_inner - start < 1024 ? out_inner - start : 1024;
    const float *x0_row = x0 + start;
    treadle_result *z_row = z + start;
    treadle_result folded_part[1024];
    treadle_result folded_total[1024];
    for (unsigned int k = 0; k < 1024; ++k) {
      folded_part[k] = treadle_neutral();
      folded_total[k] = treadle_neutral();
    }
    for (long long run = 0; run < n; run += 16) {
      const long long run_end = n - run < 16 ? n : run + 16;
      long long i = run;
      for (; i + 4 <= run_end; i += 4) {
        for (long long k = 0; k < width; ++k) {
          {
            const long long index0 = i;
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long long index0 = (i + 1);
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long long index0 = (i + 2);
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long long index0 = (i + 3);
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
        }
      }
      for (; i < run_end; ++i) {
        const long long index0 = i;
        const float *x0_tile = x0_row + index0 * x0_stride0;
        for (long long k = 0; k < width; ++k) {
          const float x0_i = x0_tile[k];
          const treadle_result value = treadle_map(0, x0_i);
          folded_part[k] = treadle_reduce(folded_part[k], value);
        }
      }
      for (unsigned int k = 0; k < width; ++k) {
        folded_total[k] = treadle_reduce(folded_total[k], folded_part[k]);
        folded_part[k] = treadle_neutral();
      }
    }
    for (long long k = 0; k < width; ++k) {
      const treadle_result folded = folded_total[k];
      z_row[k] = folded;
    }
  }
}
