// sort_tile_float32_int32, made by treadle's sort generator: stages within tiles of 512, wide schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sort_tile_float32_int32(
    __global float *restrict x, long x_offset, __global int *restrict y, long y_offset, long total,
    long length, long inner, long first, long last) {
  x += x_offset;
  y += y_offset;
  __local float x_tile[512];
  __local int y_tile[512];
  const long start = (long)(uint)get_group_id(0) * 512;
  const uint item = (uint)get_local_id(0);
  if (start + item < total) {
    const long element = start + item;
    const long place = element;
    x_tile[item] = x[place];
    y_tile[item] = y[place];
  }
  if (start + item + 256 < total) {
    const long element = start + item + 256;
    const long place = element;
    x_tile[item + 256] = x[place];
    y_tile[item + 256] = y[place];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (long stage = first; stage <= last; stage *= 2) {
    for (uint distance = stage <= 512 ? (uint)stage / 2 : 256; distance > 0; distance /= 2) {
      const uint here = 2 * item - (item & (distance - 1));
      const long low = start + here;
      if (low + distance < total) {
        const float a = x_tile[here];
        const float b = x_tile[here + distance];
        if ((low & (length - 1) & stage) == 0 ? b < a || (a != a && b == b) : a < b || (b != b && a == a)) {
          x_tile[here] = b;
          x_tile[here + distance] = a;
          const int c = y_tile[here];
          y_tile[here] = y_tile[here + distance];
          y_tile[here + distance] = c;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
  if (start + item < total) {
    const long element = start + item;
    const long place = element;
    x[place] = x_tile[item];
    y[place] = y_tile[item];
  }
  if (start + item + 256 < total) {
    const long element = start + item + 256;
    const long place = element;
    x[place] = x_tile[item + 256];
    y[place] = y_tile[item + 256];
  }
}
