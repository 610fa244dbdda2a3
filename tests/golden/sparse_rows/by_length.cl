// sparse_by_length_float32, made by treadle's generator of products by rows of each length: wide schedule
#pragma OPENCL FP_CONTRACT OFF

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_by_length_float32(
    __global float *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *result__base, long result__offset,
    __global int *order__base, long order__offset, __global float *parts__base, long parts__offset,
    long pieces, long count0, long count1, long count2, long count3, long count4) {
  __global float *data = (__global float *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *result = (__global float *)((__global char *)result__base + result__offset);
  __global int *order = (__global int *)((__global char *)order__base + order__offset);
  __global float *parts = (__global float *)((__global char *)parts__base + parts__offset);
  __local float sum_shared[256];
  long group = (uint)get_group_id(0);
  long place = 0;
  long first_place = 0;
  long begin = 0;
  long behind = 0;
  uint lanes = 1;
  int is_there = 0;
  const long groups0 = count0 * pieces;
  if (group >= 0 && group < groups0) {
    lanes = 256;
    place = first_place + group / pieces;
    is_there = place < first_place + count0;
  }
  first_place += count0;
  group -= groups0;
  const long groups1 = count1;
  if (group >= 0 && group < groups1) {
    lanes = 256;
    place = first_place + group;
    is_there = place < first_place + count1;
  }
  first_place += count1;
  group -= groups1;
  const long groups2 = (count2 + 7) / 8;
  if (group >= 0 && group < groups2) {
    lanes = 32;
    place = first_place + group * 8 + (uint)get_local_id(0) / lanes;
    is_there = place < first_place + count2;
  }
  first_place += count2;
  group -= groups2;
  const long groups3 = (count3 + 31) / 32;
  if (group >= 0 && group < groups3) {
    lanes = 8;
    place = first_place + group * 32 + (uint)get_local_id(0) / lanes;
    is_there = place < first_place + count3;
  }
  first_place += count3;
  group -= groups3;
  const long groups4 = (count4 + 255) / 256;
  if (group >= 0 && group < groups4) {
    lanes = 1;
    place = first_place + group * 256 + (uint)get_local_id(0) / lanes;
    is_there = place < first_place + count4;
  }
  first_place += count4;
  const int is_piece = (uint)get_group_id(0) < groups0;
  const long row = is_there ? order[place] : 0;
  if (is_there) {
    begin = starts[row];
    behind = starts[row + 1];
    if (is_piece) {
      const long piece = (uint)get_group_id(0) % pieces;
      const long first = begin;
      const long length = behind - begin;
      begin = first + length * piece / pieces;
      behind = first + length * (piece + 1) / pieces;
    }
  }
  const uint lane = (uint)get_local_id(0) % lanes;
  float sum = 0.0f;
  #pragma unroll 4
  for (long at = begin + lane; at < behind; at += lanes) {
    const long column = columns[at];
    const float stored = data[at];
    const float value = stored;
    const float other = x[column];
    const float product = value * other;
    const float before = sum;
    sum = before + product;
  }
  sum_shared[(uint)get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = lanes / 2; step > 0; step /= 2) {
    if (lane < step) {
      sum = sum + sum_shared[(uint)get_local_id(0) + step];
      sum_shared[(uint)get_local_id(0)] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0 && is_there) {
    if (is_piece) {
      parts[(uint)get_group_id(0)] = sum;
    } else {
      result[row] = sum;
    }
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sparse_by_length_float32_rest(
    __global float *data__base, long data__offset, __global int *columns__base,
    long columns__offset, __global long *starts__base, long starts__offset,
    __global float *x__base, long x__offset, __global float *result__base, long result__offset,
    __global int *order__base, long order__offset, __global float *parts__base, long parts__offset,
    long pieces, long count0, long count1, long count2, long count3, long count4) {
  __global float *data = (__global float *)((__global char *)data__base + data__offset);
  __global int *columns = (__global int *)((__global char *)columns__base + columns__offset);
  __global long *starts = (__global long *)((__global char *)starts__base + starts__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  __global float *result = (__global float *)((__global char *)result__base + result__offset);
  __global int *order = (__global int *)((__global char *)order__base + order__offset);
  __global float *parts = (__global float *)((__global char *)parts__base + parts__offset);
  const long place = (long)(uint)get_group_id(0) * 256 + (uint)get_local_id(0);
  if (place < count0) {
    const long row = order[place];
    float sum = parts[place * pieces];
    for (long k = 1; k < pieces; ++k) {
      sum = sum + parts[place * pieces + k];
    }
    result[row] = sum;
  }
}
