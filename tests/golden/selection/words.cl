// select_2_uint64, made by treadle's generator of selections: narrow schedule

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) select_2_uint64_counts(
    __global uchar *mask__base, long mask__offset, long N, long treadle_length,
    __global long *counts__base, long counts__offset) {
  __global uchar *mask = (__global uchar *)((__global char *)mask__base + mask__offset);
  __global long *counts = (__global long *)((__global char *)counts__base + counts__offset);
  const long group = (uint)get_group_id(0);
  const long treadle_begin = group * treadle_length;
  const long treadle_end = treadle_begin + treadle_length < N ? treadle_begin + treadle_length : N;
  long sum = 0;
  for (long i = treadle_begin; i < treadle_end; ++i) {
    sum += mask[i] != 0;
  }
  counts[group] = sum;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) select_2_uint64_stores(
    __global uchar *mask__base, long mask__offset, __global ulong *elements__base,
    long elements__offset, __global ulong *selected__base, long selected__offset,
    __global long *total__base, long total__offset, long capacity, long N, long treadle_length,
    __global long *counts__base, long counts__offset) {
  __global uchar *mask = (__global uchar *)((__global char *)mask__base + mask__offset);
  __global ulong *elements = (__global ulong *)((__global char *)elements__base + elements__offset);
  __global ulong *selected = (__global ulong *)((__global char *)selected__base + selected__offset);
  __global long *total = (__global long *)((__global char *)total__base + total__offset);
  __global long *counts = (__global long *)((__global char *)counts__base + counts__offset);
  const long group = (uint)get_group_id(0);
  const long treadle_begin = group * treadle_length;
  const long treadle_end = treadle_begin + treadle_length < N ? treadle_begin + treadle_length : N;
  long place = 0;
  long i = treadle_begin;
  for (long k = 0; k < group; ++k) {
    place += counts[k];
  }
  const long behind = place + counts[group];
  if (treadle_end == N)
    *total = behind;
  const long stop = behind < capacity ? behind : capacity;
  while (place < stop) {
    selected[place * 2 + 0] = elements[i * 2 + 0];
    selected[place * 2 + 1] = elements[i * 2 + 1];
    place += mask[i] != 0;
    ++i;
  }
}
