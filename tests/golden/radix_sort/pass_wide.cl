// radix_sort, made by treadle's radix sort generator around a user's text: wide schedule
typedef uint treadle_key;
typedef long treadle_index;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) radix_sort_counts(
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __local treadle_index treadle_counters[4096];
  for (uint treadle_d = 0; treadle_d < 16; treadle_d += 1) {
    treadle_counters[treadle_d * 256 + (uint)get_local_id(0)] = 0;
  }
  for (long treadle_at = treadle_begin + (uint)get_local_id(0); treadle_at < treadle_end; treadle_at += 256) {
    const treadle_index i = (treadle_index)treadle_at;
    const treadle_key treadle_whole = (treadle_key)(
    keys[i]
    );
    const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 15;
    ++treadle_counters[treadle_digit * 256 + (uint)get_local_id(0)];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_d = (uint)get_local_id(0); treadle_d < 16; treadle_d += 256) {
    treadle_index treadle_sum = 0;
    for (uint treadle_k = 0; treadle_k < 256; ++treadle_k) {
      treadle_sum += treadle_counters[treadle_d * 256 + (treadle_k + treadle_d) % 256];
    }
    treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)] = treadle_sum;
  }
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) radix_sort_places(
    __global uint *treadle_sorted_keys__base, long treadle_sorted_keys__offset,
    __global float *treadle_sorted_x__base, long treadle_sorted_x__offset,
    __global uint *keys__base, long keys__offset, __global float *x__base, long x__offset,
    treadle_index N, long treadle_length, long treadle_intervals, uint treadle_bit,
    __global treadle_index *treadle_numbers) {
  __global uint *treadle_sorted_keys = (__global uint *)((__global char *)treadle_sorted_keys__base + treadle_sorted_keys__offset);
  __global float *treadle_sorted_x = (__global float *)((__global char *)treadle_sorted_x__base + treadle_sorted_x__offset);
  __global uint *keys = (__global uint *)((__global char *)keys__base + keys__offset);
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  const long treadle_begin = (uint)get_group_id(0) * treadle_length;
  const long treadle_end = N - treadle_begin < treadle_length ? N : treadle_begin + treadle_length;
  __local ushort treadle_counters[4096];
  __local uint treadle_sums[256];
  __local uint treadle_starts[17];
  __local treadle_index treadle_next[16];
  for (uint treadle_d = (uint)get_local_id(0); treadle_d < 16; treadle_d += 256) {
    treadle_next[treadle_d] = treadle_numbers[treadle_d * treadle_intervals + (uint)get_group_id(0)];
  }
  for (long treadle_from = treadle_begin; treadle_from < treadle_end; treadle_from += 1792) {
    for (uint treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      treadle_counters[treadle_d * 256 + (uint)get_local_id(0)] = 0;
    }
    uint treadle_digits[7];
    uint treadle_ranks[7];
    #pragma unroll
    for (uint treadle_k = 0; treadle_k < 7; ++treadle_k) {
      const long treadle_at = treadle_from + (uint)get_local_id(0) * 7 + treadle_k;
      if (treadle_at >= treadle_end)
        break;
      const treadle_index i = (treadle_index)treadle_at;
      const treadle_key treadle_whole = (treadle_key)(
      keys[i]
      );
      const uint treadle_digit = (uint)(treadle_whole >> treadle_bit) & 15;
      treadle_digits[treadle_k] = treadle_digit;
      treadle_ranks[treadle_k] = treadle_counters[treadle_digit * 256 + (uint)get_local_id(0)]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint treadle_sum = 0;
    for (uint treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      treadle_sum += treadle_counters[(uint)get_local_id(0) * 16 + treadle_d];
    }
    uint treadle_before = treadle_sum;
    treadle_sums[(uint)get_local_id(0)] = treadle_before;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_step = 1; treadle_step < 256; treadle_step *= 2) {
      if ((uint)get_local_id(0) >= treadle_step) {
        treadle_before += treadle_sums[(uint)get_local_id(0) - treadle_step];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_sums[(uint)get_local_id(0)] = treadle_before;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if ((uint)get_local_id(0) == 255)
      treadle_starts[16] = treadle_before;
    treadle_before -= treadle_sum;
    for (uint treadle_d = 0; treadle_d < 16; treadle_d += 1) {
      const uint treadle_c = (uint)get_local_id(0) * 16 + treadle_d;
      const uint treadle_count = treadle_counters[treadle_c];
      treadle_counters[treadle_c] = (ushort)treadle_before;
      if (treadle_c % 256 == 0)
        treadle_starts[treadle_c / 256] = treadle_before;
      treadle_before += treadle_count;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    #pragma unroll
    for (uint treadle_k = 0; treadle_k < 7; ++treadle_k) {
      const long treadle_at = treadle_from + (uint)get_local_id(0) * 7 + treadle_k;
      if (treadle_at >= treadle_end)
        break;
      const treadle_index i = (treadle_index)treadle_at;
      const uint treadle_digit = treadle_digits[treadle_k];
      const treadle_index treadle_place = treadle_next[treadle_digit] + (treadle_index)(treadle_counters[treadle_digit * 256 + (uint)get_local_id(0)] + treadle_ranks[treadle_k] - treadle_starts[treadle_digit]);
      treadle_sorted_keys[treadle_place] = keys[i];
      treadle_sorted_x[treadle_place] = x[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_d = (uint)get_local_id(0); treadle_d < 16; treadle_d += 256) {
      treadle_next[treadle_d] += (treadle_index)(treadle_starts[treadle_d + 1] - treadle_starts[treadle_d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
