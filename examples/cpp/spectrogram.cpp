// SPDX-License-Identifier: MIT
// The pitch of a chirp over time, on every device there is: each frame of a signal times a window,
// transformed, and its power, by one plan whose C texts are computed where the transform loads and
// stores elements.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <treadle/treadle.hpp>

namespace {

using treadle::Array;
using treadle::Scalar;
namespace array = treadle::array;
namespace fft = treadle::fft;

constexpr std::int64_t frames = 64, length = 512;

// A tone that rises from 1/20 to 1/4 of the samples' rate.
Array chirp() {
  const Array time = array::linspace(0.0, 1.0, frames * length, false);
  const Array turns = double(frames * length) * (0.05 * time + 0.1 * time * time);
  return reshape(cast(sin(2 * std::numbers::pi * turns), Scalar::float32), {frames, length});
}

// The largest distance of the spectra from those by three operations, beside the largest power.
double distance_on(const std::shared_ptr<treadle::device::Device>& device) {
  const treadle::DeviceScope on(device);
  const Array signal = chirp(), window = cast(array::hanning(length), Scalar::float32);
  const fft::Plan power(fft::rfft, {.arguments = "const float *window",
                                    .load = "x * window[i]",
                                    .store = "x.x * x.x + x.y * x.y",
                                    .dtype = Scalar::float32});
  const Array spectra = power(signal, window);
  const Array expected = square(abs(fft::rfft(signal * window)));
  const Array pitch = argmax(spectra, {.axes = 1}) / double(length);
  std::printf("%-10s the pitch rises from %.3f to %.3f\n", device->info().id.c_str(),
              double(pitch(0)), double(pitch(-1)));
  return double(max(abs(spectra - expected)) / max(expected));
}

}  // namespace

int main() {
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels) is_right = distance_on(device) < 1e-5 && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
