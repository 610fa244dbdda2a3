// SPDX-License-Identifier: MIT
// Points in clusters by k-means on every device there is: distances, labels and centres by
// reductions over axes. With the name of a folder it writes a picture.
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
  constexpr std::int64_t per_cluster = 10'000, clusters = 4;
  const std::vector<float> middles{-2, -1, 2, -2, 0, 2, 3, 2};
  const std::vector<float> start{-1, -1, 1, -1, 0, 1, 1, 1};
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    treadle::Generator random(11, device);
    const auto column = [](const Array& x) { return x(Index::ellipsis(), Index::new_axis()); };

    // Points around each middle: clusters x per_cluster x 2, then one row a point.
    const Array around = Array::from(middles.data(), {clusters, 1, 2}, Scalar::float32);
    const Array noise = random.normal(0, 0.5, {clusters, per_cluster, 2}, Scalar::float32);
    const Array points = reshape(around + noise, {clusters * per_cluster, 1, 2});

    Array centres = Array::from(start.data(), {clusters, 2}, Scalar::float32);
    const Array number = array::arange(0, clusters, 1, Scalar::int32);
    Array labels;
    for (int step = 0; step < 10; ++step) {
      const Array away = points - centres;
      labels = argmin(sum(away * away, {.axes = 2}), {.axes = 1});
      const Array members = cast(column(labels) == number, Scalar::float32);
      centres = sum(column(members) * points, {.axes = 0}) / column(sum(members, {.axes = 0}));
    }

    const std::vector<float> found = centres.as<float>();
    std::printf("%s:", device->info().id.c_str());
    for (std::size_t i = 0; i < found.size(); i += 2) {
      std::printf(" (%.2f, %.2f)", static_cast<double>(found[i]),
                  static_cast<double>(found[i + 1]));
      correct = correct && std::hypot(found[i] - middles[i], found[i + 1] - middles[i + 1]) < 0.05f;
    }
    const Array truth = reshape(array::arange(0, clusters, 1, Scalar::int32), {clusters, 1});
    const double right = double(mean(reshape(labels, {clusters, per_cluster}) == truth));
    std::printf(", %.1f %% of the points in their own cluster\n", 100 * right);
    correct = correct && right > 0.97;
    if (count > 1) {
      const std::vector<float> places = points.as<float>();
      const std::vector<std::int64_t> own = labels.as<std::int64_t>();
      Picture picture;
      for (std::size_t i = 0; i < own.size(); ++i)
        picture.dot((double{places[2 * i]} + 5) / 10, (double{places[2 * i + 1]} + 5) / 10,
                    static_cast<std::uint8_t>(60 + 60 * own[i]));
      picture.write(std::string(arguments[1]) + "/k_means.pgm");
    }
  }
  std::printf("check against the middles: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
