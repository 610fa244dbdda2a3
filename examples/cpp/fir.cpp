// SPDX-License-Identifier: MIT
// A complex FIR filter that lets one band of frequencies pass, by slices of an array, on every
// device there is.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array, treadle::Index, treadle::Scalar;

// A low-pass filter, moved to the frequency 0.2 by a rotation: its taps are complex.
std::vector<std::complex<double>> make_taps(int count) {
  std::vector<std::complex<double>> taps;
  double total = 0;
  for (int i = 0; i < count; ++i) {
    const double turn = 2 * std::numbers::pi * i, x = 0.1 * std::numbers::pi * (i - count / 2);
    const double tap =
        (0.54 - 0.46 * std::cos(turn / (count - 1))) * (x == 0 ? 1 : std::sin(x) / x);
    total += tap;
    taps.push_back(std::polar(1.0, 0.2 * turn) * tap);
  }
  for (auto& tap : taps) tap /= total;
  return taps;
}

// Where all taps see samples: y[i] = sum of taps[k] * signal[i + taps.size() - 1 - k].
Array apply_filter(const Array& signal, const std::vector<std::complex<double>>& taps) {
  const auto count = static_cast<std::int64_t>(taps.size()), valid = signal.size() - count + 1;
  Array result = treadle::array::zeros({valid}, Scalar::complex64);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto tap = taps[static_cast<std::size_t>(count - 1 - k)];
    result += tap * signal(Index{.start = k, .stop = k + valid});
  }
  return result;
}

}  // namespace

int main() {
  constexpr std::size_t samples = 1 << 16;
  const auto taps = make_taps(31);
  std::vector<std::complex<float>> signal;  // a wave that is wanted, and one that is not
  for (std::size_t i = 0; i < samples; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i);
    signal.emplace_back(std::polar(1.0, 0.2 * turn) + std::polar(1.0, -0.1 * turn));
  }
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array on_device = Array::from(signal);
    const Array passed = apply_filter(on_device, taps);
    const double power = double(mean(pow(abs(passed), 2)));
    std::printf("%s: of two waves of power 1 each one is left: %.4f\n", device->info().id.c_str(),
                power);

    const auto found = passed.as<std::complex<float>>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::complex<double> expected = 0;
      for (std::size_t k = 0; k < taps.size(); ++k)
        expected += taps[k] * std::complex<double>(signal[i + taps.size() - 1 - k]);
      correct = correct && std::abs(std::complex<double>(found[i]) - expected) < 1e-5;
    }
    correct = correct && std::abs(power - 1) < 0.02;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
