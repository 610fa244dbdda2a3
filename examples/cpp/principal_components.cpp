// SPDX-License-Identifier: MIT
// What many pictures have in common, on every device there is: their principal components, by one
// SVD, and pictures without noise, which are put together from few components. With the name of a
// folder it writes pictures.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array;
using treadle::Index;
using treadle::Scalar;
namespace array = treadle::array;
namespace linalg = treadle::linalg;

constexpr std::int64_t count = 400, n = 32, kept_count = 4, shown = 8;
constexpr double noise = 6;

Array column(const Array& x) { return x(Index::all(), Index::new_axis()); }

/// Images of n x n, one below the other.
void write_picture(const std::string& name, const Array& images) {
  const std::vector<std::uint8_t> greys =
      cast(clip(images, 0, 255), Scalar::uint8).as<std::uint8_t>();
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << n << ' ' << greys.size() / n << " 255\n";
  file.write(reinterpret_cast<const char*>(greys.data()),
             static_cast<std::streamsize>(greys.size()));
}

/// Four patterns, each of norm 1 and orthogonal to the others: waves along rows and columns.
Array waves(const Array& place) {
  const auto wave = [&](int i, int j) {
    const Array picture = cos(i * column(place)) * cos(j * place);
    return reshape(picture / norm(picture), {1, n * n});
  };
  const std::vector<Array> all = {wave(1, 0), wave(0, 1), wave(1, 2), wave(3, 1)};
  return array::concatenate(all, 0);
}

double mean_distance(const Array& x, const Array& y) { return double(mean(abs(x - y))); }

bool is_right_on(const std::shared_ptr<treadle::device::Device>& device, const char* folder) {
  const treadle::DeviceScope on(device);
  const Array place = (array::arange(0, n, 1, Scalar::float64) + 0.5) * (std::numbers::pi / n);
  const Array patterns = waves(place);
  const Array common =
      reshape(128 + 40 * exp(-(pow(column(place) - 1.5, 2) + pow(place - 1.5, 2))), {n * n});

  // Images: a common one, the patterns by chance, and noise.
  treadle::Generator random(5, device);
  const Array spreads = Array::from(std::vector{40.0, 25.0, 18.0, 12.0}) * (n / 8);
  const Array amounts = random.normal(0, 1, {count, kept_count}) * spreads;
  const Array clean = common + linalg::matmul(amounts, patterns);
  const Array images = clean + random.normal(0, noise, {count, n * n});

  const Array middle = mean(images, {.axes = 0}), centred = images - middle;
  const linalg::Svd parts = linalg::svd(centred, /*has_full_matrices=*/false);
  const Array kept = parts.vh(Index{.stop = kept_count});
  const Array restored = middle + linalg::matmul(linalg::matmul(centred, transpose(kept)), kept);

  // The components span what the patterns span: all cosines of angles between both are near 1.
  const Array cosines =
      linalg::svd(linalg::matmul(kept, transpose(patterns)), false, /*has_vectors=*/false).s;
  const double least = double(min(cosines));
  const double before = mean_distance(images, clean), after = mean_distance(restored, clean);
  const std::vector<double> s = (parts.s / std::sqrt(double{count})).as<double>();
  std::printf("%s: spreads %.1f %.1f %.1f %.1f, then %.1f; cosines from %.3f; ",
              device->info().id.c_str(), s[0], s[1], s[2], s[3], s[4], least);
  std::printf("mean distance %.2f before, %.2f after\n", before, after);
  if (folder != nullptr) {
    const std::string start = std::string(folder) + "/";
    write_picture(start + "noisy.pgm", images(Index{.stop = shown}));
    write_picture(start + "restored.pgm", restored(Index{.stop = shown}));
    write_picture(start + "components.pgm", 128 + 60 * n * kept);
  }
  return least > 0.95 && after < before / 3;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool is_right = true;
    for (const auto& device : treadle::devices())
      if (device->info().traits.runs_kernels)
        is_right = is_right_on(device, argc > 1 ? argv[1] : nullptr) && is_right;
    std::puts(is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
  } catch (const treadle::LibraryNotFound& error) {
    std::printf("skipped: %s\n", error.message().c_str());  // no LAPACK on this machine
    return 77;
  }
}
