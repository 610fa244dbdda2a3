// SPDX-License-Identifier: MIT
// Gives: 28 22 28 22
// Virtual functions without a body, from places where the object is not known.
struct Shape {
  float size;
  __device__ Shape() : size(1) { grow(); }
  __device__ void grow() { size += 1; }
  __device__ virtual float area(float x) = 0;
  __device__ virtual float twice(float x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Sum : Shape {
  __device__ float area(float x) override { return x + size; }
  __device__ float twice(float x) const override { return 2 * x; }
};
struct Difference : Shape {
  __device__ float area(float x) override { return x - size; }
  __device__ float twice(float x) const override { return 3 * x; }
};
__device__ __noinline__ Shape* make(int i) { return i ? (Shape*)new Sum : (Shape*)new Difference; }
extern "C" __global__ void k(long long* out) {
  Shape* shape = make(threadIdx.x & 1);
  out[threadIdx.x] = (int)shape->area(shape->twice(10));
  delete shape;
}
