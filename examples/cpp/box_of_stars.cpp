// SPDX-License-Identifier: MIT
// The box around stars, their mass, and the farthest from a corner, on every device there is:
// reductions of records, one of them to a record.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace {

struct Star {
  float x, y, mass;
};
struct Box {
  float left, right, bottom, top, mass;
};

treadle::DType record(const char* name, const std::vector<const char*>& fields) {
  std::vector<std::pair<std::string, treadle::DType>> floats;
  for (const char* field : fields) floats.emplace_back(field, treadle::Scalar::float32);
  return treadle::DType::c_structure(name, floats);
}

const std::string types = R"(
#include "treadle/dialect.h"
typedef struct { float x, y, mass; } star;
typedef struct { float left, right, bottom, top, mass; } box;
TREADLE_FUNCTION box box_of(float left, float right, float bottom, float top, float mass)
{
    box b;
    b.left = left; b.right = right; b.bottom = bottom; b.top = top; b.mass = mass;
    return b;
}
TREADLE_FUNCTION box around(star s) { return box_of(s.x, s.x, s.y, s.y, s.mass); }
TREADLE_FUNCTION box join(box a, box b)
{
    return box_of(fmin(a.left, b.left), fmax(a.right, b.right), fmin(a.bottom, b.bottom),
                  fmax(a.top, b.top), a.mass + b.mass);
}
)";

}  // namespace

int main() {
  using treadle::Array;
  const treadle::DType star = record("star", {"x", "y", "mass"});
  const treadle::DType box = record("box", {"left", "right", "bottom", "top", "mass"});
  treadle::array::ReductionKernel extent(
      box,
      {.neutral = "box_of(TREADLE_INFINITY, -TREADLE_INFINITY, TREADLE_INFINITY, "
                  "-TREADLE_INFINITY, 0)",
       .reduce = "join(a, b)",
       .map = "around(stars[i])",
       .arguments = "const star *stars"},
      {.name = "extent", .preamble = types, .types = {{"star", star}, {"box", box}}});
  treadle::array::ReductionKernel farthest(
      treadle::Scalar::float32,
      {.neutral = "0",
       .reduce = "fmax(a, b)",
       .map = "hypot(stars[i].x - x, stars[i].y - y)",
       .arguments = "const star *stars, float x, float y"},
      {.name = "farthest", .preamble = types, .types = {{"star", star}}});

  // The host's answers.
  std::mt19937 random(3);
  std::normal_distribution<float> x(2, 1), y(-1, 3);
  std::uniform_real_distribution<float> mass;
  std::vector<Star> stars(1'000'000);
  const float infinity = std::numeric_limits<float>::infinity();
  Box expected{infinity, -infinity, infinity, -infinity, 0};
  double total = 0, distance = 0;
  for (Star& one : stars) {
    one = {x(random), y(random), mass(random)};
    expected.left = std::min(expected.left, one.x);
    expected.right = std::max(expected.right, one.x);
    expected.bottom = std::min(expected.bottom, one.y);
    expected.top = std::max(expected.top, one.y);
    total += double{one.mass};
  }
  for (const Star& one : stars)
    distance = std::max(distance, std::hypot(double{one.x} - double{expected.left},
                                             double{one.y} - double{expected.bottom}));

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array on_device =
        Array::from(stars.data(), {static_cast<std::int64_t>(stars.size())}, star);
    Box found;
    extent(on_device).get(&found);
    const double away = double(farthest(on_device, found.left, found.bottom));
    std::printf("%s: mass %.1f in a box with a corner at (%.2f, %.2f), the farthest is %.2f away\n",
                device->info().id.c_str(), double{found.mass}, double{found.left},
                double{found.bottom}, away);
    correct = correct && found.left == expected.left && found.right == expected.right &&
              found.bottom == expected.bottom && found.top == expected.top &&
              std::abs(double{found.mass} - total) < 1e-5 * total &&
              std::abs(away - distance) < 1e-5 * distance;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
