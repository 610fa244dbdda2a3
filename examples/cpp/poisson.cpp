// SPDX-License-Identifier: MIT
// The potential of charges on a torus, on every device there is: Poisson's equation in two
// dimensions, solved by one FFT forward, a division, and one FFT back.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <treadle/treadle.hpp>

namespace {

using treadle::Array;
using treadle::Index;
namespace array = treadle::array;
namespace fft = treadle::fft;

constexpr std::int64_t n = 256;

Array column(const Array& x) { return x(Index::all(), Index::new_axis()); }

// Two charges, opposite so that their sum is 0, as it has to be on a torus.
Array two_charges() {
  const Array places = array::linspace(0.0, 1.0, n, false);
  const auto one = [&](double x, double y) {
    return exp(-200 * (pow(column(places) - x, 2) + pow(places - y, 2)));
  };
  const Array charges = one(0.3, 0.4) - one(0.7, 0.6);
  return charges - mean(charges);
}

// The largest distance of the operator on the potential from the charges.
double residual_on(const std::shared_ptr<treadle::device::Device>& device) {
  const treadle::DeviceScope on(device);
  const Array charges = two_charges();
  const double turn = 2 * std::numbers::pi;
  const Array rows = turn * fft::fftfreq(n, 1.0 / n), half = turn * fft::rfftfreq(n, 1.0 / n);
  // -(d2/dx2 + d2/dy2) potential = charges: in frequencies a factor of (2 pi k)^2.
  const Array squares = pow(column(rows), 2) + pow(half, 2);
  const Array spectrum = fft::rfft(charges, {.axes = {0, 1}});
  // The mean is 0, and so is that of the potential.
  const Array solved = where(squares > 0, spectrum / maximum(squares, 1), 0);
  const Array potential = fft::irfft(solved, {.axes = {0, 1}, .lengths = {n, n}});
  const Array again = fft::rfft(potential, {.axes = {0, 1}}) * squares;
  const Array applied = fft::irfft(again, {.axes = {0, 1}, .lengths = {n, n}});
  const double largest = double(max(abs(applied - charges)));
  std::printf("%-10s potential from %.5f to %.5f, residual %.1e\n", device->info().id.c_str(),
              double(min(potential)), double(max(potential)), largest);
  return largest;
}

}  // namespace

int main() {
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels) is_right = residual_on(device) < 1e-10 && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
