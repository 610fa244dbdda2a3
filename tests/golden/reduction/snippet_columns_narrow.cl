// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// columns, strided loop, narrow schedule
typedef float treadle_result;
static inline __attribute__((always_inline)) treadle_result treadle_neutral(void) {
  return (
  -1
  );
}
static inline __attribute__((always_inline)) treadle_result treadle_reduce(
    treadle_result a, treadle_result b) {
  return (
  a > b ? a : b
  );
}
static inline __attribute__((always_inline)) treadle_result treadle_map(long i, float treadle_x) {
  return (
  treadle_x * treadle_x
  );
}
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result *restrict z, long z_offset, long out_inner, long out_row_pieces,
    long n, long x0_stride0, long group_pieces, long tiles, long group_tiles) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const long line = tile / out_row_pieces;
    const long start = (tile - line * out_row_pieces) * 1024;
    const long width = out_inner - start < 1024 ? out_inner - start : 1024;
    const __global float *x0_row = x0 + start;
    __global treadle_result *z_row = z + start;
    treadle_result folded_part[1024];
    treadle_result folded_total[1024];
    for (uint k = 0; k < 1024; ++k) {
      folded_part[k] = treadle_neutral();
      folded_total[k] = treadle_neutral();
    }
    for (long run = 0; run < n; run += 16) {
      const long run_end = n - run < 16 ? n : run + 16;
      long i = run;
      for (; i + 4 <= run_end; i += 4) {
        for (long k = 0; k < width; ++k) {
          {
            const long index0 = i;
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long index0 = (i + 1);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long index0 = (i + 2);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
          {
            const long index0 = (i + 3);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k] = treadle_reduce(folded_part[k], value);
          }
        }
      }
      for (; i < run_end; ++i) {
        const long index0 = i;
        const __global float *x0_tile = x0_row + index0 * x0_stride0;
        for (long k = 0; k < width; ++k) {
          const float x0_i = x0_tile[k];
          const treadle_result value = treadle_map(0, x0_i);
          folded_part[k] = treadle_reduce(folded_part[k], value);
        }
      }
      for (uint k = 0; k < width; ++k) {
        folded_total[k] = treadle_reduce(folded_total[k], folded_part[k]);
        folded_part[k] = treadle_neutral();
      }
    }
    for (long k = 0; k < width; ++k) {
      const treadle_result folded = folded_total[k];
      z_row[k] = folded;
    }
  }
}
