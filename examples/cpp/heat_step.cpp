// SPDX-License-Identifier: MIT
// Heat that spreads in a cube whose sides are cold, on every device there is: implicit steps of the
// heat equation in three dimensions, each a system of equations solved by conjugate gradients.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace {

using treadle::Array;
using treadle::CsrMatrix;
using treadle::Index;
using treadle::Scalar;
namespace array = treadle::array;

constexpr std::int64_t n = 16, size = n * n * n;
constexpr double weight = 1e-3 * (n + 1) * (n + 1);
constexpr int steps = 3;

// 1 + 6 w on the diagonal, and -w for each neighbour that is inside the cube.
CsrMatrix matrix_of_a_step() {
  const Array places = array::arange(0, size, 1, Scalar::int64, {});
  std::vector<Array> rows{places}, columns{places},
      values{array::full({size}, 1 + 6 * weight, Scalar::float64, {})};
  for (const std::int64_t stride : {n * n, n, std::int64_t{1}}) {
    const Array coordinate = remainder(floor_divide(places, stride), n);
    const std::pair<std::int64_t, Array> neighbours[] = {{stride, coordinate < n - 1},
                                                         {-stride, coordinate > 0}};
    for (const auto& [towards, is_inside] : neighbours) {
      const Array here = array::selected(places, is_inside);
      rows.push_back(here);
      columns.push_back(here + towards);
      values.push_back(array::full({here.size()}, -weight, Scalar::float64, {}));
    }
  }
  return CsrMatrix::from_entries(array::concatenate(values), array::concatenate(rows),
                                 array::concatenate(columns), {size, size});
}

// How far the slowest mode is from what it has to be after some steps.
double error_on(const std::shared_ptr<treadle::device::Device>& device) {
  const treadle::DeviceScope on(device);
  const treadle::FormatChoice fastest = treadle::sparse::choose_format(matrix_of_a_step());
  const auto times = [&](const Array& x) { return fastest.matrix->multiply(x); };
  const double turn = std::numbers::pi / (n + 1);
  const Array wave = sin(turn * (array::arange(0, n, 1, Scalar::float64, {}) + 1));
  const Array along_x = wave(Index::all(), Index::new_axis(), Index::new_axis()),
              along_y = wave(Index::all(), Index::new_axis());
  const Array mode = array::ravel(along_x * along_y * wave);
  Array heat = mode;
  std::int64_t iterations = 0;
  for (int step = 0; step < steps; ++step) {
    const treadle::Solution found = treadle::sparse::conjugate_gradients(
        times, heat, {.relative_tolerance = 1e-10, .start = heat});
    if (found.end != treadle::SolverEnd::converged) return 1;
    heat = found.x;
    iterations += found.iterations;
  }
  const double factor = 1 + 12 * weight * std::pow(std::sin(turn / 2), 2);
  const double error = double(max(abs(heat - mode / std::pow(factor, steps))));
  std::printf("%-10s %lld entries, %lld iterations, error %.1e\n", device->info().id.c_str(),
              static_cast<long long>(fastest.matrix->entries()), static_cast<long long>(iterations),
              error);
  return error;
}

}  // namespace

int main() {
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels) is_right = error_on(device) < 1e-8 && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
