// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// rows, linear loop, narrow schedule, results are shared by groups
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
typedef struct {
  treadle_result folded;
} partial;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result *restrict z, long z_offset, long n, long piece_length, uint splits,
    __global partial *partials, __global uint *tickets) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z += z_offset;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const __global float *x0_row = x0;
  __global treadle_result *z_row = z;
  treadle_result folded = treadle_neutral();
  treadle_result folded_part[128];
  treadle_result folded_total[128];
  for (uint k = 0; k < 128; ++k) {
    folded_part[k] = treadle_neutral();
    folded_total[k] = treadle_neutral();
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  while (i + 128 <= end) {
    const long run_end = end - i < 2048 ? end : i + 2048;
    for (; i + 128 <= run_end; i += 128) {
      for (uint k = 0; k < 128; ++k) {
        const float x0_i = x0_row[(i + k)];
        const treadle_result value = treadle_map(0, x0_i);
        folded_part[k] = treadle_reduce(folded_part[k], value);
      }
    }
    for (uint k = 0; k < 128; ++k) {
      folded_total[k] = treadle_reduce(folded_total[k], folded_part[k]);
      folded_part[k] = treadle_neutral();
    }
  }
  for (; i < end; ++i) {
    const float x0_i = x0_row[i];
    const treadle_result value = treadle_map(0, x0_i);
    folded = treadle_reduce(folded, value);
  }
  for (uint k = 0; k < 128; ++k) {
    folded = treadle_reduce(folded, folded_total[k]);
  }
  partials[(uint)get_group_id(0)].folded = folded;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    folded = treadle_neutral();
    for (uint other = 0; other < splits; ++other) {
      folded = treadle_reduce(folded, partials[(long)tile * splits + other].folded);
    }
    z_row[0] = folded;
  }
}
