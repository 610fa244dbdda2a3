// product_float16_8, made by treadle's product generator: blocks of 128 x 128, wide schedule
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

#pragma OPENCL FP_CONTRACT OFF
// Without cl_khr_fp16 a half can be pointed at, no more.
static inline float treadle_half_to_float(unsigned short bits)
{
  return vload_half(0, (const half *)&bits);
}

static inline unsigned short treadle_float_to_half(float number)
{
  unsigned short bits;
  vstore_half_rte(number, 0, (half *)&bits);
  return bits;
}

// By the bits of a float: there and back by vstore_half and vload_half goes through memory, and in
// PoCL through branches that take a second to compile.
static inline float treadle_round_half(float number)
{
  unsigned int size = as_uint(number) & 0x7fffffff;
  // To the nearest of 10 bits behind the first, ties to even; what reaches 2^16 is infinite.
  unsigned int rounded = (size + 0xfff + (size >> 13 & 1)) & 0xffffe000;
  rounded = rounded < 0x47800000 ? rounded : 0x7f800000;
  // Below 2^-14 the last bit is 2^-24, as that of a float between 0.5 and 1.
  if (size < 0x38800000) rounded = as_uint(as_float(size) + 0.5f - 0.5f);
  return copysign(as_float(size > 0x7f800000 ? size : rounded), number);
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1)))  product_float16_8(
    const __global ushort *x, long x_offset, const __global ushort *y, long y_offset,
    __global ushort *restrict z, long z_offset, long m, long n, long k, long x_row, long x_column,
    long y_row, long y_column, long inner, long x_outer, long x_inner, long y_outer, long y_inner) {
  x += x_offset;
  y += y_offset;
  z += z_offset;
  const long blocks_down = (m + 127) / 128;
  const long blocks_across = (n + 127) / 128;
  const long group = (long)(uint)get_group_id(0);
  const long matrix = group / (blocks_down * blocks_across);
  const long block = group % (blocks_down * blocks_across);
  const long top = block % blocks_down * 128;
  const long left = block / blocks_down * 128;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  z += matrix * m * n + top * n + left;
  const int height = m - top < 128 ? (int)(m - top) : 128;
  const int width = n - left < 128 ? (int)(n - left) : 128;
  __local float32_x4 x_tiles[528];
  __local float32_x4 y_tiles[528];
  const int item = (int)(uint)get_local_id(0);
  const int across = item % 8 + item / 32 % 2 * 8;
  const int down = item / 8 % 4 + item / 32 / 2 * 4;
  float sums[64];
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
      sums[r * 8 + c] = 0.0f;
    }
  }
  long from = 0;
  int rest = k - from < 8 ? (int)(k - from) : 8;
  const int x_at = item % 128;
  const int x_deep = item / 128;
  float next_x[4];
  int x_half = 0;
  x += x_at * x_row + x_deep * x_column;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    next_x[t] = x_at < height && x_deep + t * 2 < rest ? treadle_half_to_float(x[t * 2 * x_column]) : 0.0f;
  }
  x += 8 * x_column;
  const int y_at = item / 8;
  const int y_deep = item % 8;
  float next_y[4];
  int y_half = 0;
  y += y_at * y_column + y_deep * y_row;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    next_y[t] = y_at + t * 32 < width && y_deep < rest ? treadle_half_to_float(y[t * 32 * y_column]) : 0.0f;
  }
  y += 8 * y_row;
  while (from < k) {
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int at = x_at;
      const int deep = x_deep + t * 2;
      x_tiles[x_half + deep * 33 + at / 4].at[at % 4] = next_x[t];
    }
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int at = y_at + t * 32;
      const int deep = y_deep;
      y_tiles[y_half + deep * 33 + at / 4].at[at % 4] = next_y[t];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    from += 8;
    rest = k - from < 8 ? (int)(k - from) : 8;
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      next_x[t] = x_at < height && x_deep + t * 2 < rest ? treadle_half_to_float(x[t * 2 * x_column]) : 0.0f;
    }
    x += 8 * x_column;
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      next_y[t] = y_at + t * 32 < width && y_deep < rest ? treadle_half_to_float(y[t * 32 * y_column]) : 0.0f;
    }
    y += 8 * y_row;
    #pragma unroll
    for (int deep = 0; deep < 8; ++deep) {
      float32_x4 xs[2];
      #pragma unroll
      for (int q = 0; q < 2; ++q) {
        xs[q] = x_tiles[x_half + deep * 33 + q * 16 + down];
      }
      float32_x4 ys[2];
      #pragma unroll
      for (int q = 0; q < 2; ++q) {
        ys[q] = y_tiles[y_half + deep * 33 + q * 16 + across];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int c = 0; c < 8; ++c) {
          sums[r * 8 + c] = fma(xs[r / 4].at[r % 4], ys[c / 4].at[c % 4], sums[r * 8 + c]);
        }
      }
    }
    x_half = 264 - x_half;
    y_half = 264 - y_half;
  }
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    const int i = r / 4 * 64 + down * 4 + r % 4;
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
      const int j = c / 4 * 64 + across * 4 + c % 4;
      if (i < height && j < width) {
        z[i * n + j] = treadle_float_to_half(treadle_round_half(sums[r * 8 + c]));
      }
    }
  }
}
