// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// columns, strided loop, narrow schedule
typedef double treadle_result_0;
static inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return (
  0
  );
}
static inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(
    treadle_result_0 a, treadle_result_0 b) {
  return (
  a + b
  );
}
static inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(
    long i, float treadle_x) {
  return (
  treadle_x
  );
}
typedef long treadle_result_1;
static inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return (
  0
  );
}
static inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(
    treadle_result_1 a, treadle_result_1 b) {
  return (
  a + b
  );
}
static inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(
    long i, float treadle_x) {
  return (
  treadle_x > 0
  );
}
typedef float treadle_result_2;
static inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return (
  -1e30f
  );
}
static inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(
    treadle_result_2 a, treadle_result_2 b) {
  return (
  a > b ? a : b
  );
}
static inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(
    long i, float treadle_x) {
  return (
  treadle_x
  );
}
#pragma OPENCL FP_CONTRACT OFF
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result_0 *restrict z_0, long z_0_offset,
    __global treadle_result_1 *restrict z_1, long z_1_offset,
    __global treadle_result_2 *restrict z_2, long z_2_offset, long out_inner, long out_row_pieces,
    long n, long x0_stride0, long group_pieces, long tiles, long group_tiles) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z_0 += z_0_offset;
  z_1 += z_1_offset;
  z_2 += z_2_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const long line = tile / out_row_pieces;
    const long start = (tile - line * out_row_pieces) * 160;
    const long width = out_inner - start < 160 ? out_inner - start : 160;
    const __global float *x0_row = x0 + start;
    __global treadle_result_0 *z_0_row = z_0 + start;
    __global treadle_result_1 *z_1_row = z_1 + start;
    __global treadle_result_2 *z_2_row = z_2 + start;
    double sum_0_part[160];
    double sum_0_total[160];
    double sum_0_left_out_total[160];
    treadle_result_1 folded_1_part[160];
    treadle_result_2 folded_2_part[160];
    treadle_result_2 folded_2_total[160];
    for (uint k = 0; k < 160; ++k) {
      sum_0_part[k] = 0.0;
      sum_0_total[k] = 0.0;
      sum_0_left_out_total[k] = 0.0;
      folded_1_part[k] = treadle_neutral_1();
      folded_2_part[k] = treadle_neutral_2();
      folded_2_total[k] = treadle_neutral_2();
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
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long index0 = (i + 1);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long index0 = (i + 2);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long index0 = (i + 3);
            const __global float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
        }
      }
      for (; i < run_end; ++i) {
        const long index0 = i;
        const __global float *x0_tile = x0_row + index0 * x0_stride0;
        for (long k = 0; k < width; ++k) {
          const float x0_i = x0_tile[k];
          const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
          const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
          const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
          sum_0_part[k] = sum_0_part[k] + value_0;
          folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
          folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
        }
      }
      for (uint k = 0; k < width; ++k) {
        {
          const double addend = sum_0_part[k];
          const double total = sum_0_total[k] + addend;
          sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float64(sum_0_total[k], addend, total);
          sum_0_total[k] = total;
        }
        sum_0_part[k] = 0.0;
        folded_2_total[k] = treadle_reduce_2(folded_2_total[k], folded_2_part[k]);
        folded_2_part[k] = treadle_neutral_2();
      }
    }
    for (long k = 0; k < width; ++k) {
      const double sum_0 = treadle_settled_float64(sum_0_total[k], sum_0_left_out_total[k]);
      const treadle_result_1 folded_1 = folded_1_part[k];
      const treadle_result_2 folded_2 = folded_2_total[k];
      z_0_row[k] = sum_0;
      z_1_row[k] = folded_1;
      z_2_row[k] = folded_2;
    }
  }
}
