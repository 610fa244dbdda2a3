// random_words_int64, made by treadle's random generator: Threefry4x32-20, 2 numbers of a block, wide schedule
#pragma OPENCL FP_CONTRACT OFF
static inline __attribute__((always_inline)) uint treadle_rotate_left(uint a, int count)
{
  return a << count | a >> (32 - count);
}

// Two rounds of Threefry.
static inline __attribute__((always_inline)) uint4 treadle_threefry_rounds(uint4 x, int p, int q, int r, int s)
{
  x.x += x.y;
  x.y = treadle_rotate_left(x.y, p) ^ x.x;
  x.z += x.w;
  x.w = treadle_rotate_left(x.w, q) ^ x.z;
  x.x += x.w;
  x.w = treadle_rotate_left(x.w, r) ^ x.x;
  x.z += x.y;
  x.y = treadle_rotate_left(x.y, s) ^ x.z;
  return x;
}

// Threefry4x32-20: twenty rounds of sums and rotations, a key after every fourth (the same paper).
static inline __attribute__((always_inline)) uint4 treadle_threefry_block(ulong block, ulong stream, ulong seed)
{
  uint low = (uint)seed, high = (uint)(seed >> 32);
  uint keys[5] = {low, high, 0, 0, 0x1bd11bdau ^ low ^ high};
  uint4 x = ((uint4)((uint)block + low, (uint)(block >> 32) + high, (uint)stream, (uint)(stream >> 32)));
#pragma unroll
  for (int i = 1; i <= 5; ++i) {
    x = i % 2 == 1 ? treadle_threefry_rounds(x, 10, 26, 11, 21)
                   : treadle_threefry_rounds(x, 6, 20, 17, 11);
    x = i % 2 == 1 ? treadle_threefry_rounds(x, 13, 27, 23, 5)
                   : treadle_threefry_rounds(x, 25, 10, 18, 20);
    x.x += keys[i % 5];
    x.y += keys[(i + 1) % 5];
    x.z += keys[(i + 2) % 5];
    x.w += keys[(i + 3) % 5] + i;
  }
  return x;
}

static inline __attribute__((always_inline)) ulong treadle_joined_words(uint low, uint high)
{
  return (ulong)high << 32 | low;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) random_words_int64(
    __global long *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position) {
  x += x_offset;
  const long first_block = (long)(uint)get_group_id(0) * 2048 + (uint)get_local_id(0);
  for (int k = 0; k < 8; ++k) {
    const long block = first_block + k * 256;
    const long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_threefry_block(position + (ulong)block, stream, seed);
    const long x0 = (long)treadle_joined_words(words.x, words.y);
    const long x1 = (long)treadle_joined_words(words.z, words.w);
    if (n - start >= 2) {
      *(__global long2 *)(x + start) = (long2)(x0, x1);
    } else {
      x[start] = x0;
    }
  }
}
