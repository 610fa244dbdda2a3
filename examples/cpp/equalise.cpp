// SPDX-License-Identifier: MIT
// More contrast, on every device there is: a kernel counts the greys of a picture by atomics in
// memory of the group, and an ElementwiseKernel evens them out. With the name of a folder it
// writes the pictures.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using Greys = std::vector<std::uint8_t>;
using Counts = std::vector<std::uint32_t>;
constexpr std::size_t n = 512;
constexpr std::int64_t extent = n;

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL histogram(TREADLE_GLOBAL uint *counts, TREADLE_GLOBAL const uchar *image, int n)
{
    TREADLE_LOCAL uint own[256];  /* of this group */
    int lane = (int)treadle_local_id(0);
    own[lane] = 0;
    treadle_barrier();
    for (int i = (int)treadle_global_id(0); i < n; i += (int)treadle_global_size(0))
        treadle_atomic_add(&own[image[i]], 1u);
    treadle_barrier();
    treadle_atomic_add(&counts[lane], own[lane]);
}
)";

// Few greys, around the middle.
Greys dull_picture() {
  Greys picture;
  for (std::size_t i = 0; i < n * n; ++i) {
    const double x = 4.0 * static_cast<double>(i % n) / (n - 1) - 2;
    const double y = 4.0 * static_cast<double>(i / n) / (n - 1) - 2;
    picture.push_back(
        static_cast<std::uint8_t>(110 + 30 * std::sin(5 * x * y) * std::exp(-x * x - y * y)));
  }
  return picture;
}

// The grey that becomes of each: how many of all points are no brighter.
Greys table_of(const Counts& counts) {
  double below = 0, darkest = 0, all = 0;
  for (const std::uint32_t count : counts) all += count;
  Greys table;
  for (const std::uint32_t count : counts) {
    if (below == 0) darkest = count;
    below += count;
    const double share = (below - darkest) / std::max(all - darkest, 1.0);
    table.push_back(static_cast<std::uint8_t>(std::lround(255 * std::max(share, 0.0))));
  }
  return table;
}

double deviation(const Greys& picture) {
  double sum = 0, squares = 0;
  for (const double grey : picture) {
    sum += grey;
    squares += grey * grey;
  }
  const double count = static_cast<double>(picture.size());
  return std::sqrt(squares / count - sum / count * sum / count);
}

void write_picture(const std::string& name, const Greys& picture) {
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << n << ' ' << n << " 255\n";
  file.write(reinterpret_cast<const char*>(picture.data()), n * n);
}

}  // namespace

int main(int count, char** arguments) {
  using treadle::Array, treadle::Scalar;
  treadle::array::ElementwiseKernel look_up("unsigned char *image, const unsigned char *table",
                                            "image[i] = table[image[i]]", {.name = "look_up"});
  const Greys picture = dull_picture();
  Counts counted(256);
  for (const std::uint8_t grey : picture) ++counted[grey];
  const Greys table = table_of(counted);
  Greys expected;
  for (const std::uint8_t grey : picture) expected.push_back(table[grey]);

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const auto histogram = treadle::Program(device, source).kernel("histogram");
    const Array image = Array::from(picture.data(), {extent, extent}, Scalar::uint8);
    const Array counts = treadle::array::zeros({256}, Scalar::uint32);
    treadle::current_stream()->launch(histogram, {.groups = 32, .group_size = 256}, counts, image,
                                      static_cast<int>(image.size()));
    const Counts found = counts.as<std::uint32_t>();
    look_up(image, Array::from(table_of(found)));
    const Greys equalised = image.as<std::uint8_t>();
    std::printf("%s: greys deviate by %.1f, before by %.1f\n", device->info().id.c_str(),
                deviation(equalised), deviation(picture));
    correct = correct && found == counted && equalised == expected &&
              deviation(equalised) > 2 * deviation(picture);
    if (count > 1) {
      write_picture(std::string(arguments[1]) + "/dull.pgm", picture);
      write_picture(std::string(arguments[1]) + "/equalised.pgm", equalised);
    }
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
