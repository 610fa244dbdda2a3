// top_k_float16, made by treadle's generator of largest elements: wide schedule
static __device__ inline __attribute__((always_inline)) unsigned int treadle_ordered(
    unsigned int bits) {
  const unsigned int all = ((unsigned int)1 << 15) | (((unsigned int)1 << 15) - 1);
  const unsigned int size = bits & (((unsigned int)1 << 15) - 1);
  const unsigned int turned = bits & ((unsigned int)1 << 15) ? bits ^ all : bits | ((unsigned int)1 << 15);
  return size > 0x7c00u ? all : size == 0 ? ((unsigned int)1 << 15) : turned;
}

extern "C" __global__ void __launch_bounds__(256) top_k_float16(
    unsigned short *elements, unsigned short *values, long long *places, long long *given,
    long long length, long long pieces, long long k, unsigned int flip) {
  const long long group = blockIdx.x;
  const long long row = group / pieces;
  const long long piece = group % pieces;
  const long long begin = row * length + length * piece / pieces;
  const long long end = row * length + length * (piece + 1) / pieces;
  __shared__ unsigned int counts[2048];
  __shared__ unsigned int partials[256];
  __shared__ unsigned int keys[256];
  __shared__ unsigned int kept[256];
  __shared__ unsigned int chosen;
  __shared__ unsigned int before;
  __shared__ unsigned int total;
  const unsigned int id = threadIdx.x;
  const unsigned int size = (unsigned int)(end - begin);
  // Of the k-th: its key's digits, as far as they are known, and its place's,
  // reversed; how many with these are taken, and how many with larger ones.
  unsigned int digits = 0;
  unsigned int place_digits = 0;
  unsigned int left = (unsigned int)k;
  unsigned int taken = 0;
  // Not yet known; and how many elements have the digits that are.
  unsigned int key_bits = 16;
  unsigned int place_bits = 32;
  unsigned int among = size;
  while (taken + among > 256) {
    const unsigned int of_keys = key_bits > 0;
    const unsigned int rest = of_keys ? key_bits : place_bits;
    const unsigned int width = rest < 11 ? rest : 11;
    const unsigned int shift = rest - width;
    for (unsigned int treadle_k = threadIdx.x; treadle_k < 2048; treadle_k += 256) {
      counts[treadle_k] = 0;
    }
    __syncthreads();
    for (unsigned int from = id; from < size; from += 256 * 5) {
      unsigned int seen[5];
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
        seen[treadle_q] = from + treadle_q * 256 < size ? treadle_ordered(elements[begin + from + treadle_q * 256]) ^ flip : 0;
      }
      #pragma unroll
      for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
        const unsigned int at = from + treadle_q * 256;
        if (at >= size)
          break;
        const unsigned int reversed = ~at;
        if (of_keys) {
          if (key_bits == 16 || seen[treadle_q] >> key_bits == digits) {
            atomicAdd(&counts[(unsigned int)(seen[treadle_q] >> shift) & ((1u << width) - 1)], 1u);
          }
        } else {
          if (seen[treadle_q] == digits && (place_bits == 32 || reversed >> place_bits == place_digits)) {
            atomicAdd(&counts[reversed >> shift & ((1u << width) - 1)], 1u);
          }
        }
      }
    }
    __syncthreads();
    unsigned int sum = 0;
    for (unsigned int d = 0; d < 8; ++d) {
      sum += counts[id * 8 + d];
    }
    partials[id] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned int part = 255;
      unsigned int above = 0;
      while (part > 0 && above + partials[part] < left) {
        above += partials[part--];
      }
      unsigned int bin = (part + 1) * 8 - 1;
      const unsigned int first = part * 8;
      while (bin > first && above + counts[bin] < left) {
        above += counts[bin--];
      }
      chosen = bin;
      before = above;
      total = counts[bin];
    }
    __syncthreads();
    if (of_keys) {
      digits = key_bits == 16 ? (unsigned int)chosen : digits << width | chosen;
      key_bits = shift;
    } else {
      place_digits = place_bits == 32 ? chosen : place_digits << width | chosen;
      place_bits = shift;
    }
    taken += before;
    left -= before;
    among = total;
    __syncthreads();
  }
  if (id == 0)
    total = 0;
  __syncthreads();
  for (unsigned int from = id; from < size; from += 256 * 5) {
    unsigned int seen[5];
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      seen[treadle_q] = from + treadle_q * 256 < size ? treadle_ordered(elements[begin + from + treadle_q * 256]) ^ flip : 0;
    }
    #pragma unroll
    for (unsigned int treadle_q = 0; treadle_q < 5; ++treadle_q) {
      const unsigned int at = from + treadle_q * 256;
      if (at >= size)
        break;
      const unsigned int known = key_bits == 16 ? 0 : seen[treadle_q] >> key_bits;
      const unsigned int known_place = place_bits == 32 ? 0 : ~at >> place_bits;
      if (known > digits || (known == digits && known_place >= place_digits)) {
        const unsigned int slot = atomicAdd(&total, 1u);
        keys[slot] = seen[treadle_q];
        kept[slot] = at;
      }
    }
  }
  __syncthreads();
  const unsigned int count = total;
  unsigned int all = 2;
  while (all < count) {
    all *= 2;
  }
  for (unsigned int i = count + id; i < all; i += 256) {
    keys[i] = 0;
    kept[i] = ~0u;
  }
  __syncthreads();
  for (unsigned int run = 2; run <= all; run *= 2) {
    for (unsigned int distance = run / 2; distance > 0; distance /= 2) {
      for (unsigned int pair = id; pair < all / 2; pair += 256) {
        const unsigned int low = 2 * pair - (pair & (distance - 1));
        const unsigned int high = low + distance;
        const unsigned int a = keys[low];
        const unsigned int b = keys[high];
        const unsigned int p = kept[low];
        const unsigned int q = kept[high];
        const unsigned int is_behind = a < b || (a == b && p > q);
        if (is_behind == ((low & run) == 0)) {
          keys[low] = b;
          keys[high] = a;
          kept[low] = q;
          kept[high] = p;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned int i = threadIdx.x; i < (unsigned int)k; i += 256) {
    values[group * k + i] = elements[begin + kept[i]];
    places[group * k + i] = given[begin + kept[i]];
  }
}
