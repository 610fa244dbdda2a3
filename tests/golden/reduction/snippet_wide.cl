// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
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
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

typedef struct {
  treadle_result folded;
} partial;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) reduction(
    __global float *user_x__base, long user_x__offset, long x0_offset,
    __global treadle_result *restrict z, long z_offset, long out_n, long n, uint splits,
    __global partial *partials, __global uint *tickets) {
  __global float *user_x = (__global float *)((__global char *)user_x__base + user_x__offset);
  const __global float *x0 = user_x + x0_offset;
  z += z_offset;
  __local treadle_result folded_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) % 256;
  const uint result = (uint)get_local_id(0) / 256;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 1 + result;
  treadle_result folded = treadle_neutral();
  if (output < out_n) {
    const __global float *x0_row = x0;
    treadle_result folded_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      folded_part[k] = treadle_neutral();
    }
    long start = (long)split * 2048;
    while (start < n) {
      for (uint turn = 0; turn < 8 && start < n; ++turn, start += (long)splits * 2048) {
        const uint left = n - start < 2048 ? (uint)(n - start) : 2048;
        const __global float *x0_tile = x0_row + start;
        if (left == 2048) {
          #pragma unroll
          for (uint k = 0; k < 2; ++k) {
            const uint i = (k * 256 + lane) * 4;
            const float32_x4 x0_in = *(const __global float32_x4 *)(x0_tile + i);
            #pragma unroll
            for (uint j = 0; j < 4; ++j) {
              const float x0_i = x0_in.at[j];
              const treadle_result value = treadle_map(0, x0_i);
              folded_part[j % 4] = treadle_reduce(folded_part[j % 4], value);
            }
          }
        } else {
          for (uint i = lane; i < left; i += 256) {
            const float x0_i = x0_tile[i];
            const treadle_result value = treadle_map(0, x0_i);
            folded = treadle_reduce(folded, value);
          }
        }
      }
      #pragma unroll
      for (uint k = 0; k < 4; ++k) {
        folded = treadle_reduce(folded, folded_part[k]);
        folded_part[k] = treadle_neutral();
      }
    }
  }
  folded_shared[(uint)get_local_id(0)] = folded;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      folded = treadle_reduce(folded, folded_shared[(uint)get_local_id(0) + step]);
      folded_shared[(uint)get_local_id(0)] = folded;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 1 + result].folded = folded;
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0)
    ticket = atomic_add(tickets + tile, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = ticket == splits - 1 ? splits : 0;
  folded = treadle_neutral();
  for (uint other = lane; other < count; other += 256) {
    const long at = ((long)tile * splits + other) * 1 + result;
    folded = treadle_reduce(folded, partials[at].folded);
  }
  folded_shared[(uint)get_local_id(0)] = folded;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      folded = treadle_reduce(folded, folded_shared[(uint)get_local_id(0) + step]);
      folded_shared[(uint)get_local_id(0)] = folded;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    __global treadle_result *z_row = z;
    z_row[0] = folded;
  }
}
