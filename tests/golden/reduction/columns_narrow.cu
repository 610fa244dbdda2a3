// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// columns, strided loop, narrow schedule, results are shared by groups
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct {
  float sum_0;
  float sum_0_left_out;
} partial;

extern "C" __global__ void __launch_bounds__(1) sum_f32(
    const float *x, float *__restrict__ z, long long out_inner, long long out_row_pieces,
    long long n, long long x_stride0, long long group_pieces, unsigned int splits,
    partial *partials, unsigned int *tickets) {
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long line = tile / out_row_pieces;
  const long long start = (tile - line * out_row_pieces) * 1024;
  const long long width = out_inner - start < 1024 ? out_inner - start : 1024;
  const float *x_row = x + start;
  float *z_row = z + start;
  float sum_0_part[1024];
  float sum_0_total[1024];
  float sum_0_left_out_total[1024];
  for (unsigned int k = 0; k < 1024; ++k) {
    sum_0_part[k] = 0.0f;
    sum_0_total[k] = 0.0f;
    sum_0_left_out_total[k] = 0.0f;
  }
  const long long first = (long long)split * group_pieces;
  const long long last = n - first < group_pieces ? n : first + group_pieces;
  for (long long run = first; run < last; run += 16) {
    const long long run_end = last - run < 16 ? last : run + 16;
    long long i = run;
    for (; i + 4 <= run_end; i += 4) {
      for (long long k = 0; k < width; ++k) {
        {
          const long long index0 = i;
          const float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long long index0 = (i + 1);
          const float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long long index0 = (i + 2);
          const float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long long index0 = (i + 3);
          const float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
      }
    }
    for (; i < run_end; ++i) {
      const long long index0 = i;
      const float *x_tile = x_row + index0 * x_stride0;
      for (long long k = 0; k < width; ++k) {
        const float x_i = x_tile[k];
        sum_0_part[k] = sum_0_part[k] + x_i;
      }
    }
    for (unsigned int k = 0; k < width; ++k) {
      {
        const float addend = sum_0_part[k];
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
      sum_0_part[k] = 0.0f;
    }
  }
  for (long long k = 0; k < width; ++k) {
    partials[(long long)blockIdx.x * 1024 + k].sum_0 = sum_0_total[k];
    partials[(long long)blockIdx.x * 1024 + k].sum_0_left_out = sum_0_left_out_total[k];
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    for (long long k = 0; k < width; ++k) {
      sum_0_total[k] = 0.0f;
      sum_0_left_out_total[k] = 0.0f;
    }
    for (unsigned int other = 0; other < splits; ++other) {
      for (long long k = 0; k < width; ++k) {
        {
          const float addend = partials[((long long)tile * splits + other) * 1024 + k].sum_0;
          const float total = sum_0_total[k] + addend;
          sum_0_left_out_total[k] = sum_0_left_out_total[k] + ((treadle_left_out_float32(sum_0_total[k], addend, total) + (partials[((long long)tile * splits + other) * 1024 + k].sum_0_left_out)));
          sum_0_total[k] = total;
        }
      }
    }
    for (long long k = 0; k < width; ++k) {
      const float sum_0 = treadle_settled_float32(sum_0_total[k], sum_0_left_out_total[k]);
      z_row[k] = sum_0;
    }
  }
}
