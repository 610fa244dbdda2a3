// argmax_i64, made by treadle's reduction generator:
//   argmax_0_at = argmax of x
//   z = argmax_0_at
// rows, linear loop, narrow schedule, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  double argmax_0;
  long argmax_0_at;
} partial;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) argmax_i64(
    const __global double *x, long x_offset, long place, __global long *restrict z, long z_offset,
    long n, long piece_length, uint splits, __global partial *partials, __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const __global double *x_row = x;
  const long place_row = place;
  __global long *z_row = z;
  double argmax_0 = -INFINITY;
  long argmax_0_at = 9223372036854775807L;
  double argmax_0_part[64];
  uint argmax_0_step_part[64];
  for (uint k = 0; k < 64; ++k) {
    argmax_0_part[k] = -INFINITY;
    argmax_0_step_part[k] = 0;
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  uint step = 0;
  for (; i + 64 <= end; i += 64) {
    for (uint k = 0; k < 64; ++k) {
      const double x_i = x_row[(i + k)];
      {
        const int wins = !(x_i <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
        argmax_0_part[k] = wins ? x_i : argmax_0_part[k];
        argmax_0_step_part[k] = wins ? step : argmax_0_step_part[k];
      }
    }
    ++step;
  }
  for (; i < end; ++i) {
    const double x_i = x_row[i];
    {
      const int is_before = !(x_i <= argmax_0) & !((isnan(argmax_0)) != 0);
      const int is_behind = !(argmax_0 <= x_i) & !((isnan(x_i)) != 0);
      const int wins = is_before | (!is_behind & ((place_row + i) < argmax_0_at));
      argmax_0 = wins ? x_i : argmax_0;
      argmax_0_at = wins ? (place_row + i) : argmax_0_at;
    }
  }
  if (step > 0) {
    long argmax_0_at_part[16];
    #pragma unroll 1
    for (uint k = 0; k < 16; ++k) {
      argmax_0_at_part[k] = (long)argmax_0_step_part[k] * 64 + k;
      for (uint j = 16; j < 64; j += 16) {
        const long at = (long)argmax_0_step_part[k + j] * 64 + k + j;
        {
          const int is_before = !(argmax_0_part[k + j] <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
          const int is_behind = !(argmax_0_part[k] <= argmax_0_part[k + j]) & !((isnan(argmax_0_part[k + j])) != 0);
          const int wins = is_before | (!is_behind & (at < argmax_0_at_part[k]));
          argmax_0_part[k] = wins ? argmax_0_part[k + j] : argmax_0_part[k];
          argmax_0_at_part[k] = wins ? at : argmax_0_at_part[k];
        }
      }
    }
    for (uint k = 0; k < 16; ++k) {
      {
        const int is_before = !(argmax_0_part[k] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
        const int wins = is_before | (!is_behind & ((place_row + (start + argmax_0_at_part[k])) < argmax_0_at));
        argmax_0 = wins ? argmax_0_part[k] : argmax_0;
        argmax_0_at = wins ? (place_row + (start + argmax_0_at_part[k])) : argmax_0_at;
      }
    }
  }
  partials[(uint)get_group_id(0)].argmax_0 = argmax_0;
  partials[(uint)get_group_id(0)].argmax_0_at = argmax_0_at;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    argmax_0 = -INFINITY;
    argmax_0_at = 9223372036854775807L;
    for (uint other = 0; other < splits; ++other) {
      {
        const int is_before = !((partials[(long)tile * splits + other].argmax_0) <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= (partials[(long)tile * splits + other].argmax_0)) & !((isnan(partials[(long)tile * splits + other].argmax_0)) != 0);
        const int wins = is_before | (!is_behind & (partials[(long)tile * splits + other].argmax_0_at < argmax_0_at));
        argmax_0 = wins ? partials[(long)tile * splits + other].argmax_0 : argmax_0;
        argmax_0_at = wins ? partials[(long)tile * splits + other].argmax_0_at : argmax_0_at;
      }
    }
    z_row[0] = argmax_0_at;
  }
}
