// argmax_i64, made by treadle's reduction generator:
//   argmax_0_at = argmax of x
//   z = argmax_0_at
// rows, linear loop, narrow schedule, results are shared by groups
typedef struct {
  double argmax_0;
  long long argmax_0_at;
} partial;

extern "C" __global__ void __launch_bounds__(1) argmax_i64(
    const double *x, long long place, long long *__restrict__ z, long long n,
    long long piece_length, unsigned int splits, partial *partials, unsigned int *tickets) {
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const double *x_row = x;
  const long long place_row = place;
  long long *z_row = z;
  double argmax_0 = -__int_as_float(0x7f800000);
  long long argmax_0_at = 9223372036854775807LL;
  double argmax_0_part[64];
  unsigned int argmax_0_step_part[64];
  for (unsigned int k = 0; k < 64; ++k) {
    argmax_0_part[k] = -__int_as_float(0x7f800000);
    argmax_0_step_part[k] = 0;
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  unsigned int step = 0;
  for (; i + 64 <= end; i += 64) {
    for (unsigned int k = 0; k < 64; ++k) {
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
    long long argmax_0_at_part[16];
    #pragma unroll 1
    for (unsigned int k = 0; k < 16; ++k) {
      argmax_0_at_part[k] = (long long)argmax_0_step_part[k] * 64 + k;
      for (unsigned int j = 16; j < 64; j += 16) {
        const long long at = (long long)argmax_0_step_part[k + j] * 64 + k + j;
        {
          const int is_before = !(argmax_0_part[k + j] <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
          const int is_behind = !(argmax_0_part[k] <= argmax_0_part[k + j]) & !((isnan(argmax_0_part[k + j])) != 0);
          const int wins = is_before | (!is_behind & (at < argmax_0_at_part[k]));
          argmax_0_part[k] = wins ? argmax_0_part[k + j] : argmax_0_part[k];
          argmax_0_at_part[k] = wins ? at : argmax_0_at_part[k];
        }
      }
    }
    for (unsigned int k = 0; k < 16; ++k) {
      {
        const int is_before = !(argmax_0_part[k] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
        const int wins = is_before | (!is_behind & ((place_row + (start + argmax_0_at_part[k])) < argmax_0_at));
        argmax_0 = wins ? argmax_0_part[k] : argmax_0;
        argmax_0_at = wins ? (place_row + (start + argmax_0_at_part[k])) : argmax_0_at;
      }
    }
  }
  partials[blockIdx.x].argmax_0 = argmax_0;
  partials[blockIdx.x].argmax_0_at = argmax_0_at;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    argmax_0 = -__int_as_float(0x7f800000);
    argmax_0_at = 9223372036854775807LL;
    for (unsigned int other = 0; other < splits; ++other) {
      {
        const int is_before = !((partials[(long long)tile * splits + other].argmax_0) <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= (partials[(long long)tile * splits + other].argmax_0)) & !((isnan(partials[(long long)tile * splits + other].argmax_0)) != 0);
        const int wins = is_before | (!is_behind & (partials[(long long)tile * splits + other].argmax_0_at < argmax_0_at));
        argmax_0 = wins ? partials[(long long)tile * splits + other].argmax_0 : argmax_0;
        argmax_0_at = wins ? partials[(long long)tile * splits + other].argmax_0_at : argmax_0_at;
      }
    }
    z_row[0] = argmax_0_at;
  }
}
