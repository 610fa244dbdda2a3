// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// rows, linear loop, narrow schedule, results are shared by groups
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

typedef struct {
  double sum_0;
  double sum_0_left_out;
  treadle_result_1 folded_1;
  treadle_result_2 folded_2;
} partial;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result_0 *restrict z_0, long z_0_offset,
    __global treadle_result_1 *restrict z_1, long z_1_offset,
    __global treadle_result_2 *restrict z_2, long z_2_offset, long n, long piece_length,
    uint splits, __global partial *partials, __global uint *tickets) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z_0 += z_0_offset;
  z_1 += z_1_offset;
  z_2 += z_2_offset;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const __global float *x0_row = x0;
  __global treadle_result_0 *z_0_row = z_0;
  __global treadle_result_1 *z_1_row = z_1;
  __global treadle_result_2 *z_2_row = z_2;
  double sum_0 = 0.0;
  double sum_0_left_out = 0.0;
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  double sum_0_total[64];
  double sum_0_left_out_total[64];
  treadle_result_1 folded_1_part[64];
  treadle_result_2 folded_2_total[64];
  for (uint k = 0; k < 64; ++k) {
    sum_0_total[k] = 0.0;
    sum_0_left_out_total[k] = 0.0;
    folded_1_part[k] = treadle_neutral_1();
    folded_2_total[k] = treadle_neutral_2();
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  for (; i + 1024 <= end; i += 1024) {
    for (uint k = 0; k < 64; ++k) {
      double sum_0_runs = 0.0;
      treadle_result_2 folded_2_runs = treadle_neutral_2();
      #pragma unroll
      for (uint r = 0; r < 4; ++r) {
        double sum_0_run = 0.0;
        treadle_result_2 folded_2_run = treadle_neutral_2();
        #pragma unroll
        for (uint t = 0; t < 4; ++t) {
          const float x0_i = x0_row[(i + (r * 4 + t) * 64 + k)];
          const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
          const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
          const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
          sum_0_run = sum_0_run + value_0;
          folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
          folded_2_run = treadle_reduce_2(folded_2_run, value_2);
        }
        sum_0_runs = sum_0_runs + sum_0_run;
        folded_2_runs = treadle_reduce_2(folded_2_runs, folded_2_run);
      }
      {
        const double addend = sum_0_runs;
        const double total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float64(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
      folded_2_total[k] = treadle_reduce_2(folded_2_total[k], folded_2_runs);
    }
  }
  for (; i < end; i += 64) {
    const uint left = end - i < 64 ? (uint)(end - i) : 64;
    for (uint k = 0; k < left; ++k) {
      const float x0_i = x0_row[(i + k)];
      const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
      const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
      const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
      {
        const double addend = value_0;
        const double total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float64(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
      folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
      folded_2_total[k] = treadle_reduce_2(folded_2_total[k], value_2);
    }
  }
  for (uint k = 0; k < 64; ++k) {
    {
      const double addend = sum_0_total[k];
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_total[k]));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    folded_2 = treadle_reduce_2(folded_2, folded_2_total[k]);
  }
  partials[(uint)get_group_id(0)].sum_0 = sum_0;
  partials[(uint)get_group_id(0)].sum_0_left_out = sum_0_left_out;
  partials[(uint)get_group_id(0)].folded_1 = folded_1;
  partials[(uint)get_group_id(0)].folded_2 = folded_2;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    sum_0 = 0.0;
    sum_0_left_out = 0.0;
    folded_1 = treadle_neutral_1();
    folded_2 = treadle_neutral_2();
    for (uint other = 0; other < splits; ++other) {
      {
        const double addend = partials[(long)tile * splits + other].sum_0;
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[(long)tile * splits + other].sum_0_left_out)));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, partials[(long)tile * splits + other].folded_1);
      folded_2 = treadle_reduce_2(folded_2, partials[(long)tile * splits + other].folded_2);
    }
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    z_0_row[0] = sum_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
