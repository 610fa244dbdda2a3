// sort_pass_float16_int64, made by treadle's sort generator: one pass over pairs, tiles of 4096, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// Without cl_khr_fp16 a half can be pointed at, no more.
static inline float treadle_half_to_float(unsigned short bits)
{
  return vload_half(0, (const half *)&bits);
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sort_pass_float16_int64(
    __global ushort *restrict x, long x_offset, __global long *restrict y, long y_offset,
    long total, long length, long inner, long first, long last) {
  x += x_offset;
  y += y_offset;
  const long start = (long)(uint)get_group_id(0) * 2048;
  const long end = total / 2 - start < 2048 ? total / 2 : start + 2048;
  for (long pair = start; pair < end; ++pair) {
    const long low = 2 * pair - (pair & (last - 1));
    const long high = low + last;
    const long low_place = (low / length / inner * length + low % length) * inner + low / length % inner;
    const long high_place = (high / length / inner * length + high % length) * inner + high / length % inner;
    const ushort a = x[low_place];
    const ushort b = x[high_place];
    if ((low & (length - 1) & first) == 0 ? treadle_half_to_float(b) < treadle_half_to_float(a) || (treadle_half_to_float(a) != treadle_half_to_float(a) && treadle_half_to_float(b) == treadle_half_to_float(b)) : treadle_half_to_float(a) < treadle_half_to_float(b) || (treadle_half_to_float(b) != treadle_half_to_float(b) && treadle_half_to_float(a) == treadle_half_to_float(a))) {
      x[low_place] = b;
      x[high_place] = a;
      const long c = y[low_place];
      y[low_place] = y[high_place];
      y[high_place] = c;
    }
  }
}
