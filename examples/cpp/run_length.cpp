// SPDX-License-Identifier: MIT
// A picture of few colours as runs, on every device there is: encoded, decoded and painted by how
// long its runs are. With the name of a folder it writes the pictures.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

constexpr std::int64_t n = 512;
using treadle::Array, treadle::Index, treadle::Scalar;
namespace array = treadle::array;

// Rings around two points, in six greys.
Array rings() {
  const Array x = cast(array::linspace(-1, 1, n), Scalar::float32);
  const Array y = reshape(x, {n, 1});
  const auto wave = [&](float centre) { return sin(9.0f * hypot(x - centre, y)); };
  const Array level = floor((wave(0.4f) + wave(-0.4f)) * 1.4f + 3.0f);
  return cast(array::clip(level, 0.0f, 5.0f) * 50.0f, Scalar::uint8);
}

void write_picture(const std::string& path, const Array& grey) {
  const std::vector<std::uint8_t> bytes = grey.as<std::uint8_t>();
  std::ofstream file(path, std::ios::binary);
  file << "P5 " << n << " " << n << " 255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array picture = array::ravel(rings());
    const array::Runs runs = array::run_length_encode(picture);
    const Array again = array::run_length_decode(runs.values, runs.lengths);
    const Array shades =
        array::clip(log2(cast(runs.lengths, Scalar::float32)) * 25.0f, 0.0f, 255.0f);
    const Array by_length = array::run_length_decode(cast(shades, Scalar::uint8), runs.lengths);
    // Without waiting: the count stays on the device.
    const array::Runs few = array::run_length_encode(picture, {100});

    const std::vector<std::uint8_t> points = picture.as<std::uint8_t>();
    std::int64_t changes = 1;
    for (std::size_t i = 1; i < points.size(); ++i) changes += points[i] != points[i - 1] ? 1 : 0;
    const std::int64_t found = runs.values.size();
    std::printf("%s: %lld runs of %lld points\n", device->info().id.c_str(),
                static_cast<long long>(found), static_cast<long long>(picture.size()));
    correct = correct && found == changes && again.as<std::uint8_t>() == points &&
              few.count.as<std::int64_t>().front() == changes && few.values.size() == 100;
    if (argc > 1) {
      write_picture(argv[1] + std::string("/rings.pgm"), again);
      write_picture(argv[1] + std::string("/run_lengths.pgm"), by_length);
    }
  }
  std::printf("check against a loop: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
