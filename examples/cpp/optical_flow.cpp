// SPDX-License-Identifier: MIT
// How points move from one picture to the next, on every device there is: optical flow by
// variations, a system with two unknowns for each pixel, solved by conjugate gradients that are
// written by hand around one kernel, and by the library's with that kernel in the place of a
// matrix.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array;
using treadle::Index;
using treadle::Scalar;
namespace array = treadle::array;

constexpr std::int64_t side = 64, pixels = side * side;
constexpr float smoothness = 0.02f;
constexpr double turn = 0.7 / side, middle = side / 2.0;

// Waves of a few lengths: a picture that is known between its pixels, too.
float picture_at(double row, double column) {
  double total = 0;
  for (int k = 0; k < 12; ++k)
    total += std::sin(0.35 * std::cos(2.1 * k) * row + 0.35 * std::sin(1.3 * k + 1) * column + k);
  return static_cast<float>(total / 4);
}

// The matrix, the preconditioner and the right side; two planes lie one behind the other.
struct System {
  array::ElementwiseKernel multiply{
      "int width, const float *m1, const float *m2, const float *m3, const float *up, "
      "const float *left, const float *right, const float *down, const float *u, const float *v, "
      "float *qu, float *qv",
      R"(
    float su = m1[i] * u[i] + m2[i] * v[i], sv = m2[i] * u[i] + m3[i] * v[i];
    if (up[i] != 0) { su += up[i] * u[i - width]; sv += up[i] * v[i - width]; }
    if (left[i] != 0) { su += left[i] * u[i - 1]; sv += left[i] * v[i - 1]; }
    if (right[i] != 0) { su += right[i] * u[i + 1]; sv += right[i] * v[i + 1]; }
    if (down[i] != 0) { su += down[i] * u[i + width]; sv += down[i] * v[i + width]; }
    qu[i] = su;
    qv[i] = sv;
)",
      {.name = "flow_product"}};
  Array m1, m2, m3, up, left, right, down, p1, p2, p3, b;

  static Array plane(const Array& x, int which) {
    return x(Index{.start = which * pixels, .stop = (which + 1) * pixels});
  }
  Array product(const Array& x) {
    const Array q = array::empty({2 * pixels}, Scalar::float32);
    multiply(static_cast<int>(side), m1, m2, m3, up, left, right, down, plane(x, 0), plane(x, 1),
             plane(q, 0), plane(q, 1));
    return q;
  }
  Array preconditioned(const Array& r) const {
    const Array u = plane(r, 0), v = plane(r, 1);
    return array::concatenate({p1 * u + p2 * v, p2 * u + p3 * v});
  }
};

void fill(System& made, const std::vector<float>& before, const std::vector<float>& after) {
  std::vector<float> dx(pixels, 0), dy(pixels, 0), edge[4];
  for (auto& weights : edge) weights.assign(pixels, -smoothness);
  for (std::int64_t row = 0; row < side; ++row)
    for (std::int64_t column = 0; column < side; ++column) {
      const auto at = static_cast<std::size_t>(row * side + column);
      const auto mean = [&](std::size_t k) { return (before[k] + after[k]) / 2; };
      if (row > 0 && row < side - 1) dy[at] = (mean(at + side) - mean(at - side)) / 2;
      if (column > 0 && column < side - 1) dx[at] = (mean(at + 1) - mean(at - 1)) / 2;
      if (row == 0) edge[0][at] = 0;
      if (column == 0) edge[1][at] = 0;
      if (column == side - 1) edge[2][at] = 0;
      if (row == side - 1) edge[3][at] = 0;
    }
  made.up = Array::from(edge[0]);
  made.left = Array::from(edge[1]);
  made.right = Array::from(edge[2]);
  made.down = Array::from(edge[3]);
  const Array x = Array::from(dx), y = Array::from(dy);
  const Array t = Array::from(after) - Array::from(before);
  const Array around = -(made.up + made.left + made.right + made.down);
  made.m1 = x * x + around;
  made.m2 = x * y;
  made.m3 = y * y + around;
  const Array determinant = made.m1 * made.m3 - made.m2 * made.m2;
  made.p1 = made.m3 / determinant;
  made.p2 = -made.m2 / determinant;
  made.p3 = made.m1 / determinant;
  made.b = array::concatenate({-(x * t), -(y * t)});
  array::evaluate({made.m1, made.m2, made.m3, made.p1, made.p2, made.p3, made.b});
}

// Hestenes and Stiefel 1952. All numbers stay on the device.
Array solved_by_hand(System& system, int iterations) {
  Array x = array::zeros_like(system.b), r = system.b, d = system.preconditioned(r);
  Array delta = sum(r * d);
  for (int k = 0; k < iterations; ++k) {
    const Array q = system.product(d), alpha = delta / sum(d * q);
    x = x + alpha * d;
    r = r - alpha * q;
    const Array z = system.preconditioned(r), last = delta;
    delta = sum(r * z);
    d = z + delta / last * d;
    array::evaluate({x, r, d, delta});
  }
  return x;
}

bool is_right_on(const std::shared_ptr<treadle::device::Device>& device,
                 const std::vector<float>& before, const std::vector<float>& after) {
  const treadle::DeviceScope on(device);
  System system;
  fill(system, before, after);
  const auto relative_residual = [&](const Array& x) {
    const Array r = system.b - system.product(x);
    return double(sqrt(sum(r * r) / sum(system.b * system.b)));
  };
  const Array by_hand = solved_by_hand(system, 100);
  const treadle::Solution found = treadle::sparse::conjugate_gradients(
      [&](const Array& x) { return system.product(x); }, system.b,
      {.relative_tolerance = 1e-4,
       .preconditioner = [&](const Array& r) { return system.preconditioned(r); },
       .check_every = 10});
  const std::vector<float> flow = found.x.as<float>();
  double error = 0;
  for (std::int64_t row = 8; row < side - 8; ++row)
    for (std::int64_t column = 8; column < side - 8; ++column) {
      const auto at = static_cast<std::size_t>(row * side + column);
      const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
      error += std::hypot(flow[at] + turn * (y - middle), flow[at + pixels] - turn * (x - middle));
    }
  error /= (side - 16) * (side - 16);
  std::printf("%-10s %lld iterations, flow wrong by %.3f pixels\n", device->info().id.c_str(),
              static_cast<long long>(found.iterations), error);
  return found.end == treadle::SolverEnd::converged && error < 0.1 &&
         relative_residual(found.x) < 2e-4 && relative_residual(by_hand) < 2e-4;
}

}  // namespace

int main() {
  std::vector<float> before, after;  // the second is the first, turned around its middle
  for (std::int64_t row = 0; row < side; ++row)
    for (std::int64_t column = 0; column < side; ++column) {
      const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
      before.push_back(picture_at(y, x));
      after.push_back(picture_at(y - turn * (x - middle), x + turn * (y - middle)));
    }
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels)
      is_right = is_right_on(device, before, after) && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
