// any_b8, made by treadle's reduction generator:
//   any_0 = any of x
//   z = any_0
// rows, linear loop, wide schedule, work-items on a result: 1, results are shared by groups
typedef struct {
  int any_0;
} partial;

extern "C" __global__ void __launch_bounds__(256) any_b8(
    const unsigned char *x, unsigned char *__restrict__ z, long long out_n,
    long long x_out_stride0, long long z_out_stride0, long long n, unsigned int splits,
    partial *partials, unsigned int *tickets) {
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 1;
  const unsigned int result = threadIdx.x / 1;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 256 + result;
  int any_0 = 0;
  if (output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    const unsigned char *x_row = x + out_index0 * x_out_stride0;
    int any_0_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      any_0_part[k] = 0;
    }
    for (long long start = (long long)split * 4; start < n; start += (long long)splits * 4) {
      const unsigned int left = n - start < 4 ? (unsigned int)(n - start) : 4;
      const unsigned char *x_tile = x_row + start;
      if (left == 4) {
        #pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
          const unsigned int i = k * 1 + lane;
          const int x_i = x_tile[i] != 0;
          any_0_part[k % 4] = any_0_part[k % 4] | x_i;
        }
      } else {
        for (unsigned int i = lane; i < left; i += 1) {
          const int x_i = x_tile[i] != 0;
          any_0 = any_0 | x_i;
        }
      }
    }
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      any_0 = any_0 | any_0_part[k];
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 256 + result].any_0 = any_0;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  any_0 = 0;
  for (unsigned int other = lane; other < count; other += 1) {
    const long long at = ((long long)tile * splits + other) * 256 + result;
    any_0 = any_0 | (partials[at].any_0);
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    unsigned char *z_row = z + out_index0 * z_out_stride0;
    z_row[0] = any_0;
  }
}
