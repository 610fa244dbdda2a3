// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// columns, strided loop, narrow schedule
typedef double treadle_result_0;
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(
    treadle_result_0 a, treadle_result_0 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
typedef long long treadle_result_1;
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(
    treadle_result_1 a, treadle_result_1 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(
    long long i, float treadle_x) {
  return (
  treadle_x > 0
  );
}
typedef float treadle_result_2;
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return (
  -1e30f
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(
    treadle_result_2 a, treadle_result_2 b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

extern "C" __global__ void __launch_bounds__(1) reduction(
    float *user_x, long long x0_offset, treadle_result_0 *__restrict__ z_0,
    treadle_result_1 *__restrict__ z_1, treadle_result_2 *__restrict__ z_2, long long out_inner,
    long long out_row_pieces, long long n, long long x0_stride0, long long group_pieces,
    long long tiles, long long group_tiles) {
  const float *x0 = user_x + x0_offset;
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const long long line = tile / out_row_pieces;
    const long long start = (tile - line * out_row_pieces) * 160;
    const long long width = out_inner - start < 160 ? out_inner - start : 160;
    const float *x0_row = x0 + start;
    treadle_result_0 *z_0_row = z_0 + start;
    treadle_result_1 *z_1_row = z_1 + start;
    treadle_result_2 *z_2_row = z_2 + start;
    double sum_0_part[160];
    double sum_0_total[160];
    double sum_0_left_out_total[160];
    treadle_result_1 folded_1_part[160];
    treadle_result_2 folded_2_part[160];
    treadle_result_2 folded_2_total[160];
    for (unsigned int k = 0; k < 160; ++k) {
      sum_0_part[k] = 0.0;
      sum_0_total[k] = 0.0;
      sum_0_left_out_total[k] = 0.0;
      folded_1_part[k] = treadle_neutral_1();
      folded_2_part[k] = treadle_neutral_2();
      folded_2_total[k] = treadle_neutral_2();
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
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long long index0 = (i + 1);
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long long index0 = (i + 2);
            const float *x0_tile = x0_row + index0 * x0_stride0;
            const float x0_i = x0_tile[k];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k] = sum_0_part[k] + value_0;
            folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
            folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
          }
          {
            const long long index0 = (i + 3);
            const float *x0_tile = x0_row + index0 * x0_stride0;
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
        const long long index0 = i;
        const float *x0_tile = x0_row + index0 * x0_stride0;
        for (long long k = 0; k < width; ++k) {
          const float x0_i = x0_tile[k];
          const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
          const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
          const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
          sum_0_part[k] = sum_0_part[k] + value_0;
          folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
          folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
        }
      }
      for (unsigned int k = 0; k < width; ++k) {
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
    for (long long k = 0; k < width; ++k) {
      const double sum_0 = treadle_settled_float64(sum_0_total[k], sum_0_left_out_total[k]);
      const treadle_result_1 folded_1 = folded_1_part[k];
      const treadle_result_2 folded_2 = folded_2_total[k];
      z_0_row[k] = sum_0;
      z_1_row[k] = folded_1;
      z_2_row[k] = folded_2;
    }
  }
}
