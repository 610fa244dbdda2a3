// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// columns, linear loop, wide schedule, work-items on a result: 4, results are shared by groups
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

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result_0 *restrict z_0, long z_0_offset,
    __global treadle_result_1 *restrict z_1, long z_1_offset,
    __global treadle_result_2 *restrict z_2, long z_2_offset, long out_n, long x0_out_stride0,
    long z_0_out_stride0, long z_1_out_stride0, long z_2_out_stride0, long n, long x0_step,
    uint splits, __global partial *partials, __global uint *tickets) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z_0 += z_0_offset;
  z_1 += z_1_offset;
  z_2 += z_2_offset;
  __local double sum_0_shared[256];
  __local double sum_0_left_out_shared[256];
  __local treadle_result_1 folded_1_shared[256];
  __local treadle_result_2 folded_2_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) / 64;
  const uint result = (uint)get_local_id(0) % 64;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 64 + result;
  double sum_0 = 0.0;
  double sum_0_left_out = 0.0;
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  if (output < out_n) {
    const uint out_index0 = (uint)output;
    const __global float *x0_row = x0 + out_index0 * x0_out_stride0;
    double sum_0_part[8];
    treadle_result_1 folded_1_part[8];
    treadle_result_2 folded_2_part[8];
    #pragma unroll
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0;
      folded_1_part[k] = treadle_neutral_1();
      folded_2_part[k] = treadle_neutral_2();
    }
    long start = (long)split * 32;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)splits * 32) {
        const uint left = n - start < 32 ? (uint)(n - start) : 32;
        const __global float *x0_tile = x0_row + start * x0_step;
        if (left == 32) {
          #pragma unroll
          for (uint k = 0; k < 8; ++k) {
            const uint i = k * 4 + lane;
            const float x0_i = x0_tile[i * x0_step];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            sum_0_part[k % 8] = sum_0_part[k % 8] + value_0;
            folded_1_part[k % 8] = treadle_reduce_1(folded_1_part[k % 8], value_1);
            folded_2_part[k % 8] = treadle_reduce_2(folded_2_part[k % 8], value_2);
          }
        } else {
          for (uint i = lane; i < left; i += 4) {
            const float x0_i = x0_tile[i * x0_step];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            {
              const double addend = value_0;
              const double total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
              sum_0 = total;
            }
            folded_1 = treadle_reduce_1(folded_1, value_1);
            folded_2 = treadle_reduce_2(folded_2, value_2);
          }
        }
      }
      #pragma unroll
      for (uint k = 0; k < 8; ++k) {
        {
          const double addend = sum_0_part[k];
          const double total = sum_0 + addend;
          sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
          sum_0 = total;
        }
        sum_0_part[k] = 0.0;
        folded_2 = treadle_reduce_2(folded_2, folded_2_part[k]);
        folded_2_part[k] = treadle_neutral_2();
      }
    }
    #pragma unroll
    for (uint k = 0; k < 8; ++k) {
      folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  folded_1_shared[(uint)get_local_id(0)] = folded_1;
  folded_2_shared[(uint)get_local_id(0)] = folded_2;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const double addend = sum_0_shared[(uint)get_local_id(0) + step * 64];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step * 64]));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, folded_1_shared[(uint)get_local_id(0) + step * 64]);
      folded_2 = treadle_reduce_2(folded_2, folded_2_shared[(uint)get_local_id(0) + step * 64]);
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
      folded_1_shared[(uint)get_local_id(0)] = folded_1;
      folded_2_shared[(uint)get_local_id(0)] = folded_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 64 + result].sum_0 = sum_0;
    partials[(long)(uint)get_group_id(0) * 64 + result].sum_0_left_out = sum_0_left_out;
    partials[(long)(uint)get_group_id(0) * 64 + result].folded_1 = folded_1;
    partials[(long)(uint)get_group_id(0) * 64 + result].folded_2 = folded_2;
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0)
    ticket = atomic_add(tickets + tile, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = ticket == splits - 1 ? splits : 0;
  sum_0 = 0.0;
  sum_0_left_out = 0.0;
  folded_1 = treadle_neutral_1();
  folded_2 = treadle_neutral_2();
  for (uint other = lane; other < count; other += 4) {
    const long at = ((long)tile * splits + other) * 64 + result;
    {
      const double addend = partials[at].sum_0;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, partials[at].folded_1);
    folded_2 = treadle_reduce_2(folded_2, partials[at].folded_2);
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  folded_1_shared[(uint)get_local_id(0)] = folded_1;
  folded_2_shared[(uint)get_local_id(0)] = folded_2;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const double addend = sum_0_shared[(uint)get_local_id(0) + step * 64];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step * 64]));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, folded_1_shared[(uint)get_local_id(0) + step * 64]);
      folded_2 = treadle_reduce_2(folded_2, folded_2_shared[(uint)get_local_id(0) + step * 64]);
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
      folded_1_shared[(uint)get_local_id(0)] = folded_1;
      folded_2_shared[(uint)get_local_id(0)] = folded_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const uint out_index0 = (uint)output;
    __global treadle_result_0 *z_0_row = z_0 + out_index0 * z_0_out_stride0;
    __global treadle_result_1 *z_1_row = z_1 + out_index0 * z_1_out_stride0;
    __global treadle_result_2 *z_2_row = z_2 + out_index0 * z_2_out_stride0;
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    z_0_row[0] = sum_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
