// reduction, made by treadle's reduction generator around a user's text:
//   folded_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// rows, linear loop, narrow schedule, results are shared by groups
typedef double treadle_result_0;
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return
  0
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(treadle_result_0 a, treadle_result_0 b) {
  return
  a + b
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(long long i, float treadle_x) {
  return
  treadle_x
  ;
}
typedef long long treadle_result_1;
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return
  0
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(treadle_result_1 a, treadle_result_1 b) {
  return
  a + b
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(long long i, float treadle_x) {
  return
  treadle_x > 0
  ;
}
typedef float treadle_result_2;
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return
  -1e30f
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(treadle_result_2 a, treadle_result_2 b) {
  return
  a > b ? a : b
  ;
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(long long i, float treadle_x) {
  return
  treadle_x
  ;
}
typedef struct {
  treadle_result_0 folded_0;
  treadle_result_1 folded_1;
  treadle_result_2 folded_2;
} partial;

extern "C" __global__ void __launch_bounds__(1) reduction(
    float *user_x, long long x0_offset, treadle_result_0 *__restrict__ z_0,
    treadle_result_1 *__restrict__ z_1, treadle_result_2 *__restrict__ z_2, long long n,
    long long piece_length, unsigned int splits, partial *partials, unsigned int *tickets) {
  const float *x0 = user_x + x0_offset;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const float *x0_row = x0;
  treadle_result_0 *z_0_row = z_0;
  treadle_result_1 *z_1_row = z_1;
  treadle_result_2 *z_2_row = z_2;
  treadle_result_0 folded_0 = treadle_neutral_0();
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  treadle_result_0 folded_0_part[64];
  treadle_result_0 folded_0_total[64];
  treadle_result_1 folded_1_part[64];
  treadle_result_2 folded_2_part[64];
  treadle_result_2 folded_2_total[64];
  for (unsigned int k = 0; k < 64; ++k) {
    folded_0_part[k] = treadle_neutral_0();
    folded_0_total[k] = treadle_neutral_0();
    folded_1_part[k] = treadle_neutral_1();
    folded_2_part[k] = treadle_neutral_2();
    folded_2_total[k] = treadle_neutral_2();
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  while (i + 64 <= end) {
    const long long run_end = end - i < 1024 ? end : i + 1024;
    for (; i + 64 <= run_end; i += 64) {
      for (unsigned int k = 0; k < 64; ++k) {
        const float x0_i = x0_row[(i + k)];
        const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
        const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
        const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
        folded_0_part[k] = treadle_reduce_0(folded_0_part[k], value_0);
        folded_1_part[k] = treadle_reduce_1(folded_1_part[k], value_1);
        folded_2_part[k] = treadle_reduce_2(folded_2_part[k], value_2);
      }
    }
    for (unsigned int k = 0; k < 64; ++k) {
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
  for (unsigned int k = 0; k < 64; ++k) {
    folded_0 = treadle_reduce_0(folded_0, folded_0_total[k]);
    folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    folded_2 = treadle_reduce_2(folded_2, folded_2_total[k]);
  }
  partials[blockIdx.x].folded_0 = folded_0;
  partials[blockIdx.x].folded_1 = folded_1;
  partials[blockIdx.x].folded_2 = folded_2;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    folded_0 = treadle_neutral_0();
    folded_1 = treadle_neutral_1();
    folded_2 = treadle_neutral_2();
    for (unsigned int other = 0; other < splits; ++other) {
      folded_0 = treadle_reduce_0(folded_0, partials[(long long)tile * splits + other].folded_0);
      folded_1 = treadle_reduce_1(folded_1, partials[(long long)tile * splits + other].folded_1);
      folded_2 = treadle_reduce_2(folded_2, partials[(long long)tile * splits + other].folded_2);
    }
    z_0_row[0] = folded_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
