// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// rows, linear loop, narrow schedule, results are shared by groups
typedef double treadle_result_0;
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(
    treadle_result_0 a, treadle_result_0 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
typedef long long treadle_result_1;
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(
    treadle_result_1 a, treadle_result_1 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(
    long long i, float treadle_x) {
  return (
  treadle_x > 0
  );
}
typedef float treadle_result_2;
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return (
  -1e30f
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(
    treadle_result_2 a, treadle_result_2 b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct {
  double sum_0;
  double sum_0_left_out;
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
  double sum_0 = 0.0;
  double sum_0_left_out = 0.0;
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  double sum_0_total[64];
  double sum_0_left_out_total[64];
  treadle_result_1 folded_1_part[64];
  treadle_result_2 folded_2_total[64];
  for (unsigned int k = 0; k < 64; ++k) {
    sum_0_total[k] = 0.0;
    sum_0_left_out_total[k] = 0.0;
    folded_1_part[k] = treadle_neutral_1();
    folded_2_total[k] = treadle_neutral_2();
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  for (; i + 1024 <= end; i += 1024) {
    for (unsigned int k = 0; k < 64; ++k) {
      double sum_0_runs = 0.0;
      treadle_result_2 folded_2_runs = treadle_neutral_2();
      #pragma unroll
      for (unsigned int r = 0; r < 4; ++r) {
        double sum_0_run = 0.0;
        treadle_result_2 folded_2_run = treadle_neutral_2();
        #pragma unroll
        for (unsigned int t = 0; t < 4; ++t) {
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
    const unsigned int left = end - i < 64 ? (unsigned int)(end - i) : 64;
    for (unsigned int k = 0; k < left; ++k) {
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
  for (unsigned int k = 0; k < 64; ++k) {
    {
      const double addend = sum_0_total[k];
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_total[k]));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    folded_2 = treadle_reduce_2(folded_2, folded_2_total[k]);
  }
  partials[blockIdx.x].sum_0 = sum_0;
  partials[blockIdx.x].sum_0_left_out = sum_0_left_out;
  partials[blockIdx.x].folded_1 = folded_1;
  partials[blockIdx.x].folded_2 = folded_2;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    sum_0 = 0.0;
    sum_0_left_out = 0.0;
    folded_1 = treadle_neutral_1();
    folded_2 = treadle_neutral_2();
    for (unsigned int other = 0; other < splits; ++other) {
      {
        const double addend = partials[(long long)tile * splits + other].sum_0;
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[(long long)tile * splits + other].sum_0_left_out)));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, partials[(long long)tile * splits + other].folded_1);
      folded_2 = treadle_reduce_2(folded_2, partials[(long long)tile * splits + other].folded_2);
    }
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    z_0_row[0] = sum_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
