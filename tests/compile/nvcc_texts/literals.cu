// SPDX-License-Identifier: MIT
// Gives: 10 3 7 6
// Structs as GNU C writes them: a type in parentheses before the braces.
struct Pair {
  int a, b;
};
template <class T>
struct Box {
  T value;
};
__device__ int sum(struct Pair pair) { return pair.a + pair.b; }
__device__ float4 numbers(float x) { return (float4){x, 2, 3, 4}; }
extern "C" __global__ void k(long long* out) {
  float4 four = (float4) {1.0f, 2.0f, 3.0f, 4.0f};
  out[0] = (long long)(four.x + four.y + four.z + numbers(5).w);
  out[1] = sum((struct Pair){1, 2});
  out[2] = ((Box<int>){7}).value;
  out[3] = sum((Pair){sum((Pair){1, 2}), 3});
}
