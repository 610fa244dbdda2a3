// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// rows, linear loop, narrow schedule, results are shared by groups
typedef float treadle_result;
static __device__ inline __attribute__((always_inline)) treadle_result treadle_neutral(void) {
  return (
  -1
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_reduce(
    treadle_result a, treadle_result b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_map(
    long long i, float treadle_x) {
  return (
  treadle_x * treadle_x
  );
}
typedef struct {
  treadle_result folded;
} partial;

extern "C" __global__ void __launch_bounds__(1) reduction(
    float *user_x, long long x0_offset, treadle_result *__restrict__ z, long long n,
    long long piece_length, unsigned int splits, partial *partials, unsigned int *tickets) {
  const float *x0 = user_x + x0_offset;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const float *x0_row = x0;
  treadle_result *z_row = z;
  treadle_result folded = treadle_neutral();
  treadle_result folded_part[128];
  treadle_result folded_total[128];
  for (unsigned int k = 0; k < 128; ++k) {
    folded_part[k] = treadle_neutral();
    folded_total[k] = treadle_neutral();
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  while (i + 128 <= end) {
    const long long run_end = end - i < 2048 ? end : i + 2048;
    for (; i + 128 <= run_end; i += 128) {
      for (unsigned int k = 0; k < 128; ++k) {
        const float x0_i = x0_row[(i + k)];
        const treadle_result value = treadle_map(0, x0_i);
        folded_part[k] = treadle_reduce(folded_part[k], value);
      }
    }
    for (unsigned int k = 0; k < 128; ++k) {
      folded_total[k] = treadle_reduce(folded_total[k], folded_part[k]);
      folded_part[k] = treadle_neutral();
    }
  }
  for (; i < end; ++i) {
    const float x0_i = x0_row[i];
    const treadle_result value = treadle_map(0, x0_i);
    folded = treadle_reduce(folded, value);
  }
  for (unsigned int k = 0; k < 128; ++k) {
    folded = treadle_reduce(folded, folded_total[k]);
  }
  partials[blockIdx.x].folded = folded;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    folded = treadle_neutral();
    for (unsigned int other = 0; other < splits; ++other) {
      folded = treadle_reduce(folded, partials[(long long)tile * splits + other].folded);
    }
    z_row[0] = folded;
  }
}
