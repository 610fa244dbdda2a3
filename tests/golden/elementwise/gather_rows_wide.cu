// gather_f32, made by treadle's elementwise generator:
//   z = x1[x0]
// rows loop, wide schedule, outer axes: 1, elements at a time: 4 by one access
typedef struct __align__(16) {
  float at[4];
} float32_x4;

// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static __device__ inline unsigned int divided(unsigned int dividend, unsigned long long divider) {
  return (__umulhi(dividend, (unsigned int)divider) + dividend) >> (unsigned int)(divider >> 32);
}

extern "C" __global__ void __launch_bounds__(256) gather_f32(
    float *__restrict__ z, const long long *x0, const float *x1, long long inner, long long pieces,
    unsigned int row_pieces, unsigned long long row_divider, unsigned int lanes_log2,
    long long z_stride0, long long x0_stride0, long long x1_stride0) {
  // Short rows share a group: 1 << lanes_log2 work-items take a piece of a row.
  const unsigned int lanes = 1u << lanes_log2;
  const unsigned int lane = threadIdx.x & (lanes - 1);
  const unsigned int groups_row = threadIdx.x >> lanes_log2;
  const long long any_piece = (long long)blockIdx.x * (256 >> lanes_log2) + groups_row;
  if (any_piece >= pieces)
    return;
  const unsigned int piece = (unsigned int)any_piece;
  const unsigned int row = divided(piece, row_divider);
  const long long start = (long long)(piece - row * row_pieces) * (lanes * 4);
  const unsigned int left = inner - start < lanes * 4 ? (unsigned int)(inner - start) : lanes * 4;
  const unsigned int index0 = row;
  z += index0 * z_stride0 + start;
  x0 += index0 * x0_stride0;
  x1 += index0 * x1_stride0 + start;
  const long long x0_i = x0[0];
  if (left == lanes * 4) {
    const unsigned int i = lane * 4;
    float32_x4 z_out;
    #pragma unroll
    for (unsigned int j = 0; j < 4; ++j) {
      const float gather_1 = x1[(i + j) + x0_i];
      z_out.at[j] = gather_1;
    }
    *(float32_x4 *)(z + i) = z_out;
  } else {
    for (unsigned int i = lane; i < left; i += lanes) {
      const float gather_1 = x1[i + x0_i];
      z[i] = gather_1;
    }
  }
}
