// argmax_i64, made by treadle's reduction generator:
//   argmax_0_at = argmax of x
//   z = argmax_0_at
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) {
  double at[2];
} float64_x2;

typedef struct {
  double argmax_0;
  long argmax_0_at;
} partial;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) argmax_i64(
    const __global double *x, long x_offset, long place, __global long *restrict z, long z_offset,
    long out_n, long n, uint splits, __global partial *partials, __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  __local double argmax_0_shared[256];
  __local long argmax_0_at_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) % 256;
  const uint result = (uint)get_local_id(0) / 256;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 1 + result;
  double argmax_0 = -INFINITY;
  long argmax_0_at = 9223372036854775807L;
  if (output < out_n) {
    const __global double *x_row = x;
    const long place_row = place;
    double argmax_0_part[2];
    uint argmax_0_step_part[2];
    #pragma unroll
    for (uint k = 0; k < 2; ++k) {
      argmax_0_part[k] = -INFINITY;
      argmax_0_step_part[k] = 0;
    }
    uint step = 0;
    for (long start = (long)split * 1024; start < n; start += (long)splits * 1024) {
      const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
      const __global double *x_tile = x_row + start;
      const long place_tile = place_row + start;
      if (left == 1024) {
        #pragma unroll
        for (uint k = 0; k < 2; ++k) {
          const uint i = (k * 256 + lane) * 2;
          const float64_x2 x_in = *(const __global float64_x2 *)(x_tile + i);
          #pragma unroll
          for (uint j = 0; j < 2; ++j) {
            const double x_i = x_in.at[j];
            {
              const int wins = !(x_i <= argmax_0_part[j % 2]) & !((isnan(argmax_0_part[j % 2])) != 0);
              argmax_0_part[j % 2] = wins ? x_i : argmax_0_part[j % 2];
              argmax_0_step_part[j % 2] = wins ? step + k : argmax_0_step_part[j % 2];
            }
          }
        }
        step += 2;
      } else {
        for (uint i = lane; i < left; i += 256) {
          const double x_i = x_tile[i];
          {
            const int is_before = !(x_i <= argmax_0) & !((isnan(argmax_0)) != 0);
            const int is_behind = !(argmax_0 <= x_i) & !((isnan(x_i)) != 0);
            const int wins = is_before | (!is_behind & ((place_tile + i) < argmax_0_at));
            argmax_0 = wins ? x_i : argmax_0;
            argmax_0_at = wins ? (place_tile + i) : argmax_0_at;
          }
        }
      }
    }
    if (step > 0) {
      #pragma unroll
      for (uint k = 0; k < 2; ++k) {
        const long argmax_0_at_part = place_row + (split + (long)(argmax_0_step_part[k] / 2) * splits) * 1024 + ((argmax_0_step_part[k] % 2) * 256 + lane) * 2 + k;
        {
          const int is_before = !(argmax_0_part[k] <= argmax_0) & !((isnan(argmax_0)) != 0);
          const int is_behind = !(argmax_0 <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
          const int wins = is_before | (!is_behind & (argmax_0_at_part < argmax_0_at));
          argmax_0 = wins ? argmax_0_part[k] : argmax_0;
          argmax_0_at = wins ? argmax_0_at_part : argmax_0_at;
        }
      }
    }
  }
  argmax_0_shared[(uint)get_local_id(0)] = argmax_0;
  argmax_0_at_shared[(uint)get_local_id(0)] = argmax_0_at;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      {
        const int is_before = !(argmax_0_shared[(uint)get_local_id(0) + step] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_shared[(uint)get_local_id(0) + step]) & !((isnan(argmax_0_shared[(uint)get_local_id(0) + step])) != 0);
        const int wins = is_before | (!is_behind & (argmax_0_at_shared[(uint)get_local_id(0) + step] < argmax_0_at));
        argmax_0 = wins ? argmax_0_shared[(uint)get_local_id(0) + step] : argmax_0;
        argmax_0_at = wins ? argmax_0_at_shared[(uint)get_local_id(0) + step] : argmax_0_at;
      }
      argmax_0_shared[(uint)get_local_id(0)] = argmax_0;
      argmax_0_at_shared[(uint)get_local_id(0)] = argmax_0_at;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 1 + result].argmax_0 = argmax_0;
    partials[(long)(uint)get_group_id(0) * 1 + result].argmax_0_at = argmax_0_at;
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0)
    ticket = atomic_add(tickets + tile, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = ticket == splits - 1 ? splits : 0;
  argmax_0 = -INFINITY;
  argmax_0_at = 9223372036854775807L;
  for (uint other = lane; other < count; other += 256) {
    const long at = ((long)tile * splits + other) * 1 + result;
    {
      const int is_before = !((partials[at].argmax_0) <= argmax_0) & !((isnan(argmax_0)) != 0);
      const int is_behind = !(argmax_0 <= (partials[at].argmax_0)) & !((isnan(partials[at].argmax_0)) != 0);
      const int wins = is_before | (!is_behind & (partials[at].argmax_0_at < argmax_0_at));
      argmax_0 = wins ? partials[at].argmax_0 : argmax_0;
      argmax_0_at = wins ? partials[at].argmax_0_at : argmax_0_at;
    }
  }
  argmax_0_shared[(uint)get_local_id(0)] = argmax_0;
  argmax_0_at_shared[(uint)get_local_id(0)] = argmax_0_at;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      {
        const int is_before = !(argmax_0_shared[(uint)get_local_id(0) + step] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_shared[(uint)get_local_id(0) + step]) & !((isnan(argmax_0_shared[(uint)get_local_id(0) + step])) != 0);
        const int wins = is_before | (!is_behind & (argmax_0_at_shared[(uint)get_local_id(0) + step] < argmax_0_at));
        argmax_0 = wins ? argmax_0_shared[(uint)get_local_id(0) + step] : argmax_0;
        argmax_0_at = wins ? argmax_0_at_shared[(uint)get_local_id(0) + step] : argmax_0_at;
      }
      argmax_0_shared[(uint)get_local_id(0)] = argmax_0;
      argmax_0_at_shared[(uint)get_local_id(0)] = argmax_0_at;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    __global long *z_row = z;
    z_row[0] = argmax_0_at;
  }
}
