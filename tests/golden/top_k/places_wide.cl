// top_k_float16, made by treadle's generator of largest elements: wide schedule
static inline __attribute__((always_inline)) uint treadle_ordered(uint bits) {
  const uint all = ((uint)1 << 15) | (((uint)1 << 15) - 1);
  const uint size = bits & (((uint)1 << 15) - 1);
  const uint turned = bits & ((uint)1 << 15) ? bits ^ all : bits | ((uint)1 << 15);
  return size > 0x7c00u ? all : size == 0 ? ((uint)1 << 15) : turned;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) top_k_float16(
    __global ushort *elements__base, long elements__offset, __global ushort *values__base,
    long values__offset, __global long *places__base, long places__offset,
    __global long *given__base, long given__offset, long length, long pieces, long k, uint flip) {
  __global ushort *elements = (__global ushort *)((__global char *)elements__base + elements__offset);
  __global ushort *values = (__global ushort *)((__global char *)values__base + values__offset);
  __global long *places = (__global long *)((__global char *)places__base + places__offset);
  __global long *given = (__global long *)((__global char *)given__base + given__offset);
  const long group = (uint)get_group_id(0);
  const long row = group / pieces;
  const long piece = group % pieces;
  const long begin = row * length + length * piece / pieces;
  const long end = row * length + length * (piece + 1) / pieces;
  __local uint counts[2048];
  __local uint partials[256];
  __local uint keys[256];
  __local uint kept[256];
  __local uint chosen;
  __local uint before;
  __local uint total;
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)(end - begin);
  // Of the k-th: its key's digits, as far as they are known, and its place's,
  // reversed; how many with these are taken, and how many with larger ones.
  uint digits = 0;
  uint place_digits = 0;
  uint left = (uint)k;
  uint taken = 0;
  // Not yet known; and how many elements have the digits that are.
  uint key_bits = 16;
  uint place_bits = 32;
  uint among = size;
  while (taken + among > 256) {
    const uint of_keys = key_bits > 0;
    const uint rest = of_keys ? key_bits : place_bits;
    const uint width = rest < 11 ? rest : 11;
    const uint shift = rest - width;
    for (uint treadle_k = (uint)get_local_id(0); treadle_k < 2048; treadle_k += 256) {
      counts[treadle_k] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint from = id; from < size; from += 256 * 5) {
      uint seen[5];
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
        seen[treadle_q] = from + treadle_q * 256 < size ? treadle_ordered(elements[begin + from + treadle_q * 256]) ^ flip : 0;
      }
      #pragma unroll
      for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
        const uint at = from + treadle_q * 256;
        if (at >= size)
          break;
        const uint reversed = ~at;
        if (of_keys) {
          if (key_bits == 16 || seen[treadle_q] >> key_bits == digits) {
            atomic_add(&counts[(uint)(seen[treadle_q] >> shift) & ((1u << width) - 1)], 1u);
          }
        } else {
          if (seen[treadle_q] == digits && (place_bits == 32 || reversed >> place_bits == place_digits)) {
            atomic_add(&counts[reversed >> shift & ((1u << width) - 1)], 1u);
          }
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint sum = 0;
    for (uint d = 0; d < 8; ++d) {
      sum += counts[id * 8 + d];
    }
    partials[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if ((uint)get_local_id(0) == 0) {
      uint part = 255;
      uint above = 0;
      while (part > 0 && above + partials[part] < left) {
        above += partials[part--];
      }
      uint bin = (part + 1) * 8 - 1;
      const uint first = part * 8;
      while (bin > first && above + counts[bin] < left) {
        above += counts[bin--];
      }
      chosen = bin;
      before = above;
      total = counts[bin];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (of_keys) {
      digits = key_bits == 16 ? (uint)chosen : digits << width | chosen;
      key_bits = shift;
    } else {
      place_digits = place_bits == 32 ? chosen : place_digits << width | chosen;
      place_bits = shift;
    }
    taken += before;
    left -= before;
    among = total;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (id == 0)
    total = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint from = id; from < size; from += 256 * 5) {
    uint seen[5];
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      seen[treadle_q] = from + treadle_q * 256 < size ? treadle_ordered(elements[begin + from + treadle_q * 256]) ^ flip : 0;
    }
    #pragma unroll
    for (uint treadle_q = 0; treadle_q < 5; ++treadle_q) {
      const uint at = from + treadle_q * 256;
      if (at >= size)
        break;
      const uint known = key_bits == 16 ? 0 : seen[treadle_q] >> key_bits;
      const uint known_place = place_bits == 32 ? 0 : ~at >> place_bits;
      if (known > digits || (known == digits && known_place >= place_digits)) {
        const uint slot = atomic_add(&total, 1u);
        keys[slot] = seen[treadle_q];
        kept[slot] = at;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = total;
  uint all = 2;
  while (all < count) {
    all *= 2;
  }
  for (uint i = count + id; i < all; i += 256) {
    keys[i] = 0;
    kept[i] = ~0u;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint run = 2; run <= all; run *= 2) {
    for (uint distance = run / 2; distance > 0; distance /= 2) {
      for (uint pair = id; pair < all / 2; pair += 256) {
        const uint low = 2 * pair - (pair & (distance - 1));
        const uint high = low + distance;
        const uint a = keys[low];
        const uint b = keys[high];
        const uint p = kept[low];
        const uint q = kept[high];
        const uint is_behind = a < b || (a == b && p > q);
        if (is_behind == ((low & run) == 0)) {
          keys[low] = b;
          keys[high] = a;
          kept[low] = q;
          kept[high] = p;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
  for (uint i = (uint)get_local_id(0); i < (uint)k; i += 256) {
    values[group * k + i] = elements[begin + kept[i]];
    places[group * k + i] = given[begin + kept[i]];
  }
}
