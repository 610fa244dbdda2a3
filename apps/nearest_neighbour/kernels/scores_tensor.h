// SPDX-License-Identifier: MIT
// scores.h by the matrix units of CUDA devices, from compute capability 8 on; elsewhere, for tests,
// by ordinary sums. TENSOR says what they multiply: 1: float32 rounded to the 11 digits of tf32,
// whose products are exact, 2: numbers of 8 bits, whose sums are, too.
//
//   DIMENSIONS CHUNK SPAN  of the data, neighbours of a chunk, and chunks of a block
//   WARPS TILES            warps of a block, and 8 targets each that a warp keeps in registers
//   ROWS STAGES            neighbours that are copied at a time, and how many such copies there are
//   UNROLL                 of 16 neighbours each, how many in a turn of the inner loop
//
// exact.h has put words of one (tf32) or four dimensions where the lanes of a warp want them:
//
//   neighbours[16 of them][8 words][lane][4]: rows lane / 4 and 8 further, words lane % 4 and 4
//   targets[8 of them][8 words][lane][2]:     target lane / 4, words lane % 4 and 4 further
//
// so that a lane takes 16 bytes for each instruction, and copies are of whole pieces of memory. A
// sum begins with minus half of the norm; the largest is the nearest.
#if TENSOR == 2
#define WORDS (DIMENSIONS / 4)
typedef int number;
#define WORST (-(1 << 30))
#else
#define WORDS DIMENSIONS
typedef float number;
#define WORST __int_as_float(0xff800000)
#endif
#define STEPS (WORDS / 8)
#define TARGETS (8 * WARPS * TILES)
#define PIECES (ROWS / 16 * STEPS * 32)  // of 16 bytes, of a copy

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
typedef uint4 row_words;
typedef uint2 target_words;
#define TAKE(tile) (tile)[lane]
#define COPY(to, from)                                     \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" \
               :                                           \
               : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from))
#define COPIES_END() asm volatile("cp.async.commit_group;")
#define WAIT_FOR_COPY() asm volatile("cp.async.wait_group %0;" : : "n"(STAGES - 2) : "memory")

__device__ __forceinline__ void multiply_add(float* sum, row_words a, target_words b,
                                             const float* c) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(c[0]), "f"(c[1]), "f"(c[2]),
        "f"(c[3]));
}
__device__ __forceinline__ void multiply_add(int* sum, row_words a, target_words b, const int* c) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(c[0]), "r"(c[1]), "r"(c[2]),
        "r"(c[3]));
}
#else
typedef const uint4* row_words;
typedef const uint2* target_words;
#define TAKE(tile) (tile)
#define COPY(to, from) (*(to) = *(from))
#define COPIES_END()
#define WAIT_FOR_COPY()

__device__ float product(unsigned a, unsigned b, float) {
  return __uint_as_float(a) * __uint_as_float(b);
}
__device__ int product(unsigned a, unsigned b, int) {
  int sum = 0;
  for (int shift = 0; shift < 32; shift += 8)
    sum += (signed char)(a >> shift) * (signed char)(b >> shift);
  return sum;
}
// The same sums, of what other lanes have.
__device__ void multiply_add(number* sum, row_words a, target_words b, const number* c) {
  const unsigned lane = threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 8;
  for (int k = 0; k < 4; ++k) sum[k] = c[k];
  for (int k = 0; k < 4; ++k) {
    const uint4 mine = a[row + k];
    for (int second = 0; second < 2; ++second) {
      const uint2 theirs = b[column + 4 * second + k];
      sum[second] += product(mine.x, theirs.x, number()) + product(mine.z, theirs.y, number());
      sum[2 + second] += product(mine.y, theirs.x, number()) + product(mine.w, theirs.y, number());
    }
  }
}
#endif

__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ int larger(int a, int b) { return max(a, b); }

// minima: of each target all chunks. stride is that of other kernels of this name.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    scores(float* __restrict__ minima, const uint2* __restrict__ targets,
           const uint4* __restrict__ neighbours, const number* __restrict__ norms, int stride) {
  __shared__ uint4 near[STAGES][PIECES];
  __shared__ uint4 near_norms[STAGES][ROWS / 4];
  __shared__ float found[SPAN][TARGETS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first_target = blockIdx.x * TARGETS, mine = warp * TILES * 8;
  const int turns = SPAN * CHUNK / ROWS;
  const long long first = (long long)blockIdx.y * turns;
  const uint4* halves = reinterpret_cast<const uint4*>(norms);
  const auto copy = [&](int turn) {
    const int stage = turn % STAGES;
    const uint4* from = neighbours + (first + turn) * PIECES;
    for (int k = threadIdx.x; k < PIECES; k += 32 * WARPS) COPY(near[stage] + k, from + k);
    if (threadIdx.x < ROWS / 4)
      COPY(near_norms[stage] + threadIdx.x, halves + (first + turn) * (ROWS / 4) + threadIdx.x);
  };
  for (int turn = 0; turn < STAGES - 1; ++turn) {
    copy(turn);
    COPIES_END();
  }

  target_words target[TILES][STEPS];
  number best[TILES][2];
#pragma unroll
  for (int t = 0; t < TILES; ++t) {
    best[t][0] = best[t][1] = WORST;
#pragma unroll
    for (int k = 0; k < STEPS; ++k)
      target[t][k] =
          TAKE(targets + ((first_target + mine) / 8 + (long long)t) * (STEPS * 32) + k * 32);
  }
  for (int turn = 0; turn < turns; ++turn) {
    WAIT_FOR_COPY();
    __syncthreads();
    if (turn + STAGES - 1 < turns) copy(turn + STAGES - 1);
    COPIES_END();
    const uint4* rows = near[turn % STAGES];
    const number* halves_here = reinterpret_cast<const number*>(near_norms[turn % STAGES]);
#pragma unroll UNROLL
    for (int part = 0; part < ROWS / 16; ++part) {
      const number low = halves_here[16 * part + lane / 4],
                   high = halves_here[16 * part + lane / 4 + 8];
      const number begin[4] = {low, low, high, high};
      number sum[TILES][4];
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        const row_words row = TAKE(rows + (part * STEPS + k) * 32);
#pragma unroll
        for (int t = 0; t < TILES; ++t)
          multiply_add(sum[t], row, target[t][k], k == 0 ? begin : sum[t]);
      }
#pragma unroll
      for (int t = 0; t < TILES; ++t)
#pragma unroll
        for (int k = 0; k < 2; ++k)
          best[t][k] = larger(best[t][k], larger(sum[t][k], sum[t][k + 2]));
    }
    if ((turn + 1) * ROWS % CHUNK != 0) continue;
#pragma unroll
    for (int t = 0; t < TILES; ++t)
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        for (int mask = 4; mask < 32; mask *= 2)
          best[t][k] = larger(best[t][k], __shfl_xor_sync(0xffffffff, best[t][k], mask));
        if (lane < 4)
          found[turn * ROWS / CHUNK][mine + 8 * t + 2 * lane + k] = -2.0f * (float)best[t][k];
        best[t][k] = WORST;
      }
  }
  __syncthreads();
  // Whole sectors of memory at a time.
  for (int k = threadIdx.x; k < SPAN * TARGETS; k += 32 * WARPS)
    minima[(long long)(first_target + k / SPAN) * (gridDim.y * SPAN) + blockIdx.y * SPAN +
           k % SPAN] = found[k % SPAN][k / SPAN];
}
