// SPDX-License-Identifier: MIT
// Gives: 1 0 0 1 1 12 22 32 8 7 32 42 22 42 22 12 32 42 9 3 1 0 1 1 3
// Arithmetic on void pointers, in bytes, and comparisons with 0.
__device__ int numbers[] = {12, 22, 32, 42};
__device__ const void* skip(const void* from, int bytes) { return from + bytes; }
struct Holder {
  void* p;
  const void* at[2];
};
#define AT(p, n) ((p) + (n))
#define SECOND(p) AT(p, sizeof(int))
#define VALUE(p) (*(const int*)(p))
#define IS_SET(p) ((p) > 0)
#define NOT_SET(p) (0 >= (p))
template <class T>
__device__ T third(T from) {
  return from + 8;
}
template <class T>
__device__ bool above(T value) {
  return value > 0;
}
extern "C" __global__ void k(long long* out) {
  if (threadIdx.x > 0) return;
  int *some = numbers, *none = nullptr;
  out[0] = some > 0;
  out[1] = none > NULL;
  out[2] = some <= 0;
  out[3] = 0 < some;
  out[4] = none >= 0;
  void* p = numbers;
  const void* q = p + 4;
  out[5] = *(int*)p;
  out[6] = *(const int*)(p + 4 * sizeof(char));
  p += 8;
  out[7] = *(int*)p;
  q = q - 4;
  out[8] = (char*)p - (const char*)q;
  out[9] = *(const int*)skip(q, 8) == 32 ? 7 : 0;
  // Casts, elements, members, results.
  void* a[2] = {numbers, numbers + 1};
  Holder h = {numbers, {numbers + 2, numbers + 3}}, *g = &h;
  out[10] = *(int*)((void*)some + 8);
  out[11] = *(int*)(a[1] + 8);
  out[12] = *(int*)(h.p + 4);
  a[1] += 8;
  out[13] = *(int*)a[1];
  out[14] = *(int*)(*a + 4);
  out[15] = *(const int*)(g->at[0] - 8);
  out[16] = *(const int*)(skip(g->p, 4) + 4);
  g->at[1] -= 4;
  out[17] = *(const int*)(g->at[1] + 4);
  // In macros and templates, which have other types as well.
  const char text[] = {1, 9};
  out[18] = VALUE(AT(a[0], 4)) == 22 && VALUE(SECOND(q)) == 22 ? *AT(text, 1) : 0;
  out[19] = AT(1, 2) == AT(1.5, 1.5) && VALUE(numbers) == 12 ? AT(1, 2) : 0;
  out[20] = IS_SET(some) && IS_SET(3) && !IS_SET(-1.0) && !IS_SET(0u);
  out[21] = IS_SET(none) || IS_SET(g) == 0 || NOT_SET(some);
  out[22] = NOT_SET(none) && NOT_SET(-3);
  out[23] = above(some) && above(2) && !above(none) && !above(-1.f);
  out[24] = VALUE(third(q)) == 32 && third(1) == 9 ? 3 : 0;
}
