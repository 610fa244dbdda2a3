// SPDX-License-Identifier: MIT
// Your own C text for every element of arrays, and its fold, on every device there is.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  namespace array = treadle::array;
  using treadle::Array, treadle::Scalar;
  // Types that are left out are those of the call; results that are left out are made.
  array::ElementwiseKernel polar("const *x, const *y, float *radius, float *angle",
                                 "radius[i] = sqrt(x[i] * x[i] + y[i] * y[i]);"
                                 "angle[i] = atan2((float)y[i], (float)x[i])",
                                 {.name = "polar"});
  array::ReductionKernel furthest(Scalar::float32, {.neutral = "0",
                                                    .reduce = "a > b ? a : b",
                                                    .map = "x[i] * x[i] + y[i] * y[i]",
                                                    .arguments = "const *x, const *y"});
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array x = array::linspace(0, 3, 4, true, Scalar::float32);                   // 0 1 2 3
    const Array y = reshape(array::linspace(0, 4, 3, true, Scalar::float32), {3, 1});  // a column
    const std::vector<Array> made = polar(x, y);  // of shape (3, 4): both broadcast
    const float radius = made[0].as<float>().back(), angle = made[1].as<float>().back();
    const double square = double(furthest(x, y));
    std::printf("%s: (3, 4) is %.1f away, at %.3f\n", device->info().id.c_str(), double(radius),
                double(angle));
    correct = correct && std::abs(radius - 5) < 1e-5f &&
              std::abs(angle - std::atan2(4.f, 3.f)) < 1e-5f && square == 25;
  }
  std::printf("check against the corner: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
