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
  long long argmax_0_at_part[64];
  for (unsigned int k = 0; k < 64; ++k) {
    argmax_0_part[k] = -__int_as_float(0x7f800000);
    argmax_0_at_part[k] = 9223372036854775807LL;
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  for (; i + 64 <= end; i += 64) {
    for (unsigned int k = 0; k < 64; ++k) {
      const double x_i = x_row[(i + k)];
      {
        const int is_before = !((isnan(argmax_0_part[k])) != 0) & ((x_i > argmax_0_part[k]) | ((isnan(x_i)) != 0));
        const int is_behind = !((isnan(x_i)) != 0) & ((argmax_0_part[k] > x_i) | ((isnan(argmax_0_part[k])) != 0));
        const int wins = is_before | (!is_behind & ((place_row + (i + k)) < argmax_0_at_part[k]));
        argmax_0_part[k] = wins ? x_i : argmax_0_part[k];
        argmax_0_at_part[k] = wins ? (place_row + (i + k)) : argmax_0_at_part[k];
      }
    }
  }
  for (; i < end; ++i) {
    const double x_i = x_row[i];
    {
      const int is_before = !((isnan(argmax_0)) != 0) & ((x_i > argmax_0) | ((isnan(x_i)) != 0));
      const int is_behind = !((isnan(x_i)) != 0) & ((argmax_0 > x_i) | ((isnan(argmax_0)) != 0));
      const int wins = is_before | (!is_behind & ((place_row + i) < argmax_0_at));
      argmax_0 = wins ? x_i : argmax_0;
      argmax_0_at = wins ? (place_row + i) : argmax_0_at;
    }
  }
  for (unsigned int k = 0; k < 64; ++k) {
    {
      const int is_before = !((isnan(argmax_0)) != 0) & ((argmax_0_part[k] > argmax_0) | ((isnan(argmax_0_part[k])) != 0));
      const int is_behind = !((isnan(argmax_0_part[k])) != 0) & ((argmax_0 > argmax_0_part[k]) | ((isnan(argmax_0)) != 0));
      const int wins = is_before | (!is_behind & (argmax_0_at_part[k] < argmax_0_at));
      argmax_0 = wins ? argmax_0_part[k] : argmax_0;
      argmax_0_at = wins ? argmax_0_at_part[k] : argmax_0_at;
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
        const int is_before = !((isnan(argmax_0)) != 0) & (((partials[(long long)tile * splits + other].argmax_0) > argmax_0) | ((isnan(partials[(long long)tile * splits + other].argmax_0)) != 0));
        const int is_behind = !((isnan(partials[(long long)tile * splits + other].argmax_0)) != 0) & ((argmax_0 > (partials[(long long)tile * splits + other].argmax_0)) | ((isnan(argmax_0)) != 0));
        const int wins = is_before | (!is_behind & (partials[(long long)tile * splits + other].argmax_0_at < argmax_0_at));
        argmax_0 = wins ? partials[(long long)tile * splits + other].argmax_0 : argmax_0;
        argmax_0_at = wins ? partials[(long long)tile * splits + other].argmax_0_at : argmax_0_at;
      }
    }
    z_row[0] = argmax_0_at;
  }
}
