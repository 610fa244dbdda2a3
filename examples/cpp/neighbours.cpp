// SPDX-License-Identifier: MIT
// Neighbours of stars on every device there is: sorted by cells, each star looks in nine of them.
// With the name of a folder it writes a picture.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

#include "picture.hpp"

int main(int count, char** arguments) {
  namespace array = treadle::array;
  using treadle::Array, treadle::Index, treadle::Scalar;
  constexpr std::int64_t stars = 1000, side = 15;
  constexpr float reach = 1.f / side;
  array::ElementwiseKernel count_neighbours(
      "int side, float reach, const float *x, const float *y, "
      "const long *first, int *neighbours",
      R"(
    int column = min((int)(x[i] * side), side - 1), row = min((int)(y[i] * side), side - 1);
    int found = 0;
    for (int r = max(row - 1, 0); r <= min(row + 1, side - 1); ++r)
      for (int c = max(column - 1, 0); c <= min(column + 1, side - 1); ++c)
        for (long k = first[r * side + c]; k < first[r * side + c + 1]; ++k) {
          float away_x = x[i] - x[k], away_y = y[i] - y[k];
          if (k != i && away_x * away_x + away_y * away_y < reach * reach) ++found;
        }
    neighbours[i] = found;)",
      {.name = "count_neighbours"});
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    treadle::Generator random(5, device);
    const Array x = random.random({stars}, Scalar::float32);
    const Array y = random.random({stars}, Scalar::float32);
    const auto along = [&](const Array& place) {
      return minimum(cast(place * float(side), Scalar::int32), side - 1);
    };
    const Array cell = along(y) * side + along(x);
    const array::IndexArray order(argsort(cell));  // stars of one cell lie side by side
    const Array near_x = take(x, order, 0), near_y = take(y, order, 0);
    const Array first =
        searchsorted(take(cell, order, 0), array::arange(0, side * side + 1, 1, Scalar::int32));
    const Array neighbours =
        count_neighbours(static_cast<int>(side), reach, near_x, near_y, first).front();

    const std::vector<float> all_x = x.as<float>(), all_y = y.as<float>();
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < all_x.size(); ++i)
      for (std::size_t k = 0; k < all_x.size(); ++k)
        expected += i != k && std::hypot(all_x[i] - all_x[k], all_y[i] - all_y[k]) < reach;
    const double found = double(sum(neighbours));
    std::printf("%s: %.2f neighbours of each star\n", device->info().id.c_str(), found / stars);
    correct = correct && std::abs(found - static_cast<double>(expected)) <= 4;  // at the very end
    if (count > 1) {
      const std::vector<float> column = near_x.as<float>(), row = near_y.as<float>();
      const std::vector<int> near = neighbours.as<int>();
      Picture picture;
      for (std::size_t i = 0; i < near.size(); ++i)
        picture.dot(double{column[i]}, double{row[i]},
                    static_cast<std::uint8_t>(std::min(255, 60 + 15 * near[i])));
      picture.write(std::string(arguments[1]) + "/neighbours.pgm");
    }
  }
  std::printf("check against every pair: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
