// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, wide schedule, work-items on a result: 32, results are shared by groups
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
} partial;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) cast_sum_divide_f64(
    const __global char *x, long x_offset, __global double *restrict z, long z_offset, double s0,
    long out_n, long x_out_stride0, long z_out_stride0, long n, uint splits,
    __global partial *partials, __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  __local double sum_0_shared[256];
  __local double sum_0_left_out_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) % 32;
  const uint result = (uint)get_local_id(0) / 32;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 8 + result;
  double sum_0 = 0.0;
  double sum_0_left_out = 0.0;
  if (output < out_n) {
    const uint out_index0 = (uint)output;
    const __global char *x_row = x + out_index0 * x_out_stride0;
    double sum_0_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0;
    }
    long start = (long)split * 128;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)splits * 128) {
        const uint left = n - start < 128 ? (uint)(n - start) : 128;
        const __global char *x_tile = x_row + start;
        if (left == 128) {
          #pragma unroll
          for (uint k = 0; k < 4; ++k) {
            const uint i = k * 32 + lane;
            const char x_i = x_tile[i];
            const double cast_2 = (double)x_i;
            sum_0_part[k % 4] = sum_0_part[k % 4] + cast_2;
          }
        } else {
          for (uint i = lane; i < left; i += 32) {
            const char x_i = x_tile[i];
            const double cast_2 = (double)x_i;
            {
              const double addend = cast_2;
              const double total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
              sum_0 = total;
            }
          }
        }
      }
      #pragma unroll
      for (uint k = 0; k < 4; ++k) {
        {
          const double addend = sum_0_part[k];
          const double total = sum_0 + addend;
          sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
          sum_0 = total;
        }
        sum_0_part[k] = 0.0;
      }
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 16; step > 0; step /= 2) {
    if (lane < step) {
      {
        const double addend = sum_0_shared[(uint)get_local_id(0) + step];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step]));
        sum_0 = total;
      }
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 8 + result].sum_0 = sum_0;
    partials[(long)(uint)get_group_id(0) * 8 + result].sum_0_left_out = sum_0_left_out;
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
  for (uint other = lane; other < count; other += 32) {
    const long at = ((long)tile * splits + other) * 8 + result;
    {
      const double addend = partials[at].sum_0;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 16; step > 0; step /= 2) {
    if (lane < step) {
      {
        const double addend = sum_0_shared[(uint)get_local_id(0) + step];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step]));
        sum_0 = total;
      }
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const uint out_index0 = (uint)output;
    __global double *z_row = z + out_index0 * z_out_stride0;
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    const double divide_5 = sum_0 / s0;
    z_row[0] = divide_5;
  }
}
