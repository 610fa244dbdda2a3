// reduction, made by treadle's reduction generator around a user's text:
//   folded_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// rows, linear loop, narrow schedule, results are shared by groups
typedef double treadle_result_0;
static inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return
  0
  ;
}
static inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(treadle_result_0 a, treadle_result_0 b) {
  return
  a + b
  ;
}
static inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(long i, float treadle_x) {
  return
  treadle_x
  ;
}
typedef long treadle_result_1;
static inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return
  0
  ;
}
static inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(treadle_result_1 a, treadle_result_1 b) {
  return
  a + b
  ;
}
static inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(long i, float treadle_x) {
  return
  treadle_x > 0
  ;
}
typedef float treadle_result_2;
static inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return
  -1e30f
  ;
}
static inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(treadle_result_2 a, treadle_result_2 b) {
  return
  a > b ? a : b
  ;
}
static inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(long i, float treadle_x) {
  return
  treadle_x
  ;
}
typedef struct {
  treadle_result_0 folded_0;
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
  treadle_result_0 folded_0 = treadle_neutral_0();
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  treadle_result_0 folded_0_part[64];
  treadle_result_0 folded_0_total[64];
  treadle_result_1 folded_1_part[64];
  treadle_result_2 folded_2_part[64];
  treadle_result_2 folded_2_total[64];
  for (uint k = 0; k < 64; ++k) {
    folded_0_part[k] = treadle_neutral_0();
    folded_0_total[k] = treadle_neutral_0();
    folded_1_part[k] = treadle_neutral_1();
    folded_2_part[k] = treadle_neutral_2();
    folded_2_total[k] = treadle_neutral_2();
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  while (i + 64 <= end) {
    const long run_end = end - i < 1024 ? end : i + 1024;
    for (; i + 64 <= run_end; i += 64) {
      for (uint k = 0; k < 64; ++k) {
        const float x0_i = x0_row[(i + k)];
        const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
        const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
        const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
        folded_0_part[k] = treadle_reduce_0(folded_0_part[k], value_0);
        folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
        folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
      }
    }
    for (uint k = 0; k < 64; ++k) {
      folded_0_total[k] = treadle_reduce_0(folded_0_total[k], folded_0_part[k]);
      folded_0_part[k] = treadle_neutral_0();
      folded_2_total[k] = treadle_reduce_2(folded_2_total[k], folded_2_part[k]);
      folded_2_part[k] = treadle_neutral_2();
    }
  }
  for (; i < end; ++i) {
    const float x0_i = x0_row[i];
    const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
    const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
    const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
    folded_0 = treadle_reduce_0(folded_0, value_0);
    folded_1 = treadle_reduce_1(folded_1, value_1);
    folded_2 = treadle_reduce_2(folded_2, value_2);
  }
  for (uint k = 0; k < 64; ++k) {
    folded_0 = treadle_reduce_0(folded_0, folded_0_total[k]);
    folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    folded_2 = treadle_reduce_2(folded_2, folded_2_total[k]);
  }
  partials[(uint)get_group_id(0)].folded_0 = folded_0;
  partials[(uint)get_group_id(0)].folded_1 = folded_1;
  partials[(uint)get_group_id(0)].folded_2 = folded_2;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    folded_0 = treadle_neutral_0();
    folded_1 = treadle_neutral_1();
    folded_2 = treadle_neutral_2();
    for (uint other = 0; other < splits; ++other) {
      folded_0 = treadle_reduce_0(folded_0, partials[(long)tile * splits + other].folded_0);
      folded_1 = treadle_reduce_1(folded_1, partials[(long)tile * splits + other].folded_1);
      folded_2 = treadle_reduce_2(folded_2, partials[(long)tile * splits + other].folded_2);
    }
    z_0_row[0] = folded_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
