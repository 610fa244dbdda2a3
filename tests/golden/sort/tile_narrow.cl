// sort_tile_float32_int32, made by treadle's sort generator: stages within tiles of 4096, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sort_tile_float32_int32(
    __global float *restrict x, long x_offset, __global int *restrict y, long y_offset, long total,
    long length, long inner, long first, long last) {
  x += x_offset;
  y += y_offset;
  const long start = (long)(uint)get_group_id(0) * 2048;
  const long end = total / 2 - start < 2048 ? total / 2 : start + 2048;
  for (long stage = first; stage <= last; stage *= 2) {
    for (uint distance = stage <= 4096 ? (uint)stage / 2 : 2048; distance > 0; distance /= 2) {
      for (long pair = start; pair < end; ++pair) {
        const long low = 2 * pair - (pair & (distance - 1));
        const long high = low + distance;
        const float a = x[low];
        const float b = x[high];
        if ((low & (length - 1) & stage) == 0 ? b < a || (a != a && b == b) : a < b || (b != b && a == a)) {
          x[low] = b;
          x[high] = a;
          const int c = y[low];
          y[low] = y[high];
          y[high] = c;
        }
      }
    }
  }
}
