// SPDX-License-Identifier: MIT
#include <iostream>
#include <treadle/treadle.hpp>
using namespace treadle;
int main() {
  const Program program("extern \"C\" __global__ void twice(float *a) { a[threadIdx.x] *= 2; }");
  const Array a = array::full({16}, 21, Scalar::float32);
  launch(program.kernel("twice"), {.groups = {1}, .group_size = {16}}, a);
  std::cout << a << '\n';
  return double(sum(a)) == 16 * 42 ? 0 : 1;
}
