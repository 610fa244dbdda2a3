// SPDX-License-Identifier: MIT
// The least and the greatest of many numbers, and where they are, on every device there is: a
// reduction to a structure.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace {

using treadle::Array, treadle::Scalar;
using Values = std::vector<float>;

struct Extrema {
  float least, greatest;
  std::int32_t at_least, at_greatest;
};

const std::string functions = R"(
#include "treadle/dialect.h"
typedef struct { float least, greatest; int at_least, at_greatest; } extrema;
TREADLE_FUNCTION extrema only(float value, int place)
{
    extrema e;
    e.least = e.greatest = value;
    e.at_least = e.at_greatest = place;
    return e;
}
TREADLE_FUNCTION extrema nothing(void)
{
    extrema e = only(TREADLE_INFINITY, 0x7fffffff);
    e.greatest = -TREADLE_INFINITY;
    return e;
}
/* Of equal numbers the first counts, in whatever order the device combines them. */
TREADLE_FUNCTION extrema both(extrema a, extrema b)
{
    if (b.least < a.least || (b.least == a.least && b.at_least < a.at_least)) {
        a.least = b.least;
        a.at_least = b.at_least;
    }
    if (b.greatest > a.greatest
            || (b.greatest == a.greatest && b.at_greatest < a.at_greatest)) {
        a.greatest = b.greatest;
        a.at_greatest = b.at_greatest;
    }
    return a;
}
)";

// On the host the standard library finds the first of equal ones, too.
bool is_right(const Extrema& found, const Values& x) {
  const auto least = std::ranges::min_element(x), greatest = std::ranges::max_element(x);
  return found.least == *least && found.at_least == least - x.begin() &&
         found.greatest == *greatest && found.at_greatest == greatest - x.begin();
}

}  // namespace

int main() {
  const std::pair<std::string, treadle::DType> fields[] = {{"least", Scalar::float32},
                                                           {"greatest", Scalar::float32},
                                                           {"at_least", Scalar::int32},
                                                           {"at_greatest", Scalar::int32}};
  const treadle::DType extrema = treadle::DType::c_structure("extrema", fields);
  treadle::array::ReductionKernel find_extrema(
      extrema,
      {.neutral = "nothing()",
       .reduce = "both(a, b)",
       .map = "only(x[i], (int)i)",
       .arguments = "const float *x"},
      {.name = "find_extrema", .preamble = functions, .types = {{"extrema", extrema}}});

  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Values x(1'000'000), rounded;
  for (float& value : x) value = normal(random);
  for (std::size_t i = x.size() / 2; i < x.size(); ++i)
    x[i] = std::clamp(x[i], -3.0f, 3.0f);  // many are equal
  for (const float value : x) rounded.push_back(std::nearbyint(value));

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    Extrema found, ties;
    find_extrema(Array::from(x)).get(&found);
    find_extrema(Array::from(rounded)).get(&ties);
    std::printf("%s: least %.4f at %d, greatest %.4f at %d\n", device->info().id.c_str(),
                double{found.least}, found.at_least, double{found.greatest}, found.at_greatest);
    correct = correct && is_right(found, x) && is_right(ties, rounded);
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
