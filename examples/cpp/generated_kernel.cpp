// SPDX-License-Identifier: MIT
// A kernel as a tree: a polynomial whose coefficients are known when the program runs is unrolled
// by Horner's rule, for every device in its own language.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace tree = treadle::codegen::tree;

tree::NodePtr polynomial_kernel(const std::vector<float>& coefficients) {
  using namespace treadle::codegen::tree;
  const Expr i = var("i"), n = var("n"), x = var("x"), y = var("y"), sum = var("sum");
  const NodePtr steps = block({initialize(scalar(treadle::Scalar::float32, "sum"), "0")});
  for (const float coefficient : coefficients) {
    if (coefficient == 0)
      steps->append(assign(sum, sum * x[i]));
    else
      steps->append(assign(sum, sum * x[i] + literal(coefficient, treadle::Scalar::float32)));
  }
  steps->append(assign(y[i], sum));
  return collection({include("treadle/dialect.h", false),
                     kernel_function("polynomial",
                                     {global_pointer(scalar(treadle::Scalar::float32, "x")),
                                      global_pointer(scalar(treadle::Scalar::float32, "y")),
                                      scalar(treadle::Scalar::int32, "n")},
                                     block({initialize(scalar(treadle::Scalar::int32, "i"),
                                                       "treadle_global_id(0)"),
                                            if_then(i < n, steps)}))});
}

int main() {
  const tree::NodePtr kernel = polynomial_kernel({2, 0, -3, 1});  // 2 x^3 - 3 x + 1
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const std::string text = tree::print(kernel, device->info().language);
    const treadle::Program program(device, text);
    std::vector<float> points{-1, 0, 0.5f, 2}, values(points.size());
    const treadle::Buffer x(device, points), y(device, values);
    const auto stream = device->make_stream();
    stream->launch(program.kernel("polynomial"), {.groups = 1, .group_size = 4}, x, y,
                   static_cast<int>(points.size()));
    stream->synchronize();
    y.copy_to(values);
    std::printf("%s%s: p(2) = %g\n", text.c_str(), device->info().name.c_str(),
                static_cast<double>(values[3]));
    for (std::size_t i = 0; i < points.size(); ++i)
      correct = correct && values[i] == 2 * std::pow(points[i], 3.0f) - 3 * points[i] + 1;
  }
  return correct ? 0 : 1;
}
