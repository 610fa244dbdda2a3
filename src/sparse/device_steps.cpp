// SPDX-License-Identifier: MIT
#include "sparse/device_steps.hpp"

#include <utility>
#include <vector>

#include "sparse/entries.hpp"
#include "sparse/iteration.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::sparse {
namespace {

using codegen::ConjugateEnd;
using codegen::ConjugateParts;
using codegen::ConjugateState;

constexpr std::size_t place_of(ConjugateState number) { return static_cast<std::size_t>(number); }
/// Numbers behind the state that are the kernels' own.
constexpr std::size_t own_numbers = place_of(ConjugateState::count);

/// Whether a work-item of a GPU may go through a row by itself.
bool has_rows_for_one(const kernel::SparseProduct& product, device::Device& device) {
  const codegen::Tiling& tiling = kernel::tiling_of(device);
  if (tiling.schedule == Schedule::narrow || product.form.layout != codegen::SparseLayout::rows)
    return true;
  return !product.classes && product.entries <= product.rows * tiling.lone_row;
}

device::Argument argument_of(const Array& x) {
  return x.has_value() ? device::Argument(x) : device::Argument(device::Location{});
}

SolverEnd end_of(ConjugateEnd end) {
  switch (end) {
    case ConjugateEnd::converged:
      return SolverEnd::converged;
    case ConjugateEnd::running:
      return SolverEnd::iterations;
    case ConjugateEnd::not_definite:
      return SolverEnd::not_definite;
    case ConjugateEnd::not_a_number:
      break;
  }
  return SolverEnd::not_a_number;
}

}  // namespace

DeviceSteps::DeviceSteps(ProductParts parts, std::optional<Array> factors, const Array& b)
    : parts_(std::move(parts)),
      factors_(std::move(factors)),
      what_{.product = parts_.product, .has_factor = factors_.has_value()},
      product_(array::empty({b.size()}, parts_.product.form.dtype, {.stream = b.stream()})) {
  what_.parts = kernel::conjugate_parts(b.device(), what_.product);
}

std::optional<DeviceSteps> DeviceSteps::of(const LinearOperator& a,
                                           const LinearOperator& preconditioner, const Array& b,
                                           Scalar dtype) {
  device::Device& device = b.device();
  const std::shared_ptr<const SparseMatrix> matrix = a.matrix();
  const bool is_real = dtype == Scalar::float32 || dtype == Scalar::float64;
  if (!matrix || !is_real || b.rank() != 1 || b.size() == 0 || !device.info().traits.fp64)
    return std::nullopt;
  std::optional<Array> factors = preconditioner.row_factors();
  if (preconditioner && !factors) return std::nullopt;
  const bool has_complex = DType(matrix->dtype()).kind() == ScalarKind::complex ||
                           (factors && factors->dtype().kind() == ScalarKind::complex);
  if (has_complex || &matrix->stream()->device() != &device ||
      (factors && &factors->device() != &device))
    return std::nullopt;
  std::optional<ProductParts> parts = matrix->product_parts(dtype);
  if (!parts || !has_rows_for_one(parts->product, device)) return std::nullopt;
  if (factors) factors = packed(in_dtype(*factors, dtype));
  return DeviceSteps(std::move(*parts), std::move(factors), b);
}

void DeviceSteps::begin(const Vectors& vectors, const Numbers& numbers) {
  vectors_ = vectors;
  const auto as_double = [](const Array& x) { return array::in_dtype(x, Scalar::float64); };
  const auto number = [&](ConjugateEnd end) {
    return number_like(as_double(numbers.wanted), static_cast<double>(end));
  };
  const Array residual = as_double(numbers.residual), wanted = as_double(numbers.wanted);
  // What is no number ends here, too.
  const Array end = where(
      residual <= wanted, number(ConjugateEnd::converged),
      where(residual > wanted, number(ConjugateEnd::running), number(ConjugateEnd::not_a_number)));
  std::vector<Array> state(own_numbers + place_of(ConjugateState::count));
  state[place_of(ConjugateState::rz)] = as_double(numbers.rz);
  state[place_of(ConjugateState::norm)] = residual;
  state[place_of(ConjugateState::steps)] =
      number_like(residual, static_cast<double>(numbers.steps));
  state[place_of(ConjugateState::end)] = end;
  state[place_of(ConjugateState::wanted)] = wanted;
  state.push_back(residual);
  state.push_back(as_double(numbers.right_side));
  state_ = side_by_side(state);
  array::evaluate({state_});
}

void DeviceSteps::run(std::int64_t steps) {
  kernel::launch_conjugate_steps(*product_.stream(), what_,
                                 {.data = argument_of(parts_.data),
                                  .columns = argument_of(parts_.columns),
                                  .starts = argument_of(parts_.starts),
                                  .direction = vectors_.direction,
                                  .product = product_,
                                  .residual = vectors_.residual,
                                  .solution = vectors_.solution,
                                  .factor = argument_of(factors_.value_or(Array())),
                                  .state = state_},
                                 steps);
}

std::int64_t DeviceSteps::steps_at_once() const noexcept {
  return what_.parts == ConjugateParts::three_kernels ? 16 : 256;
}

DeviceSteps::Seen DeviceSteps::look() const {
  const std::vector<double> state = state_.as<double>();
  const auto end = static_cast<int>(state[place_of(ConjugateState::end)]);
  return {.end = {static_cast<std::int64_t>(state[place_of(ConjugateState::steps)]),
                  state[place_of(ConjugateState::norm)], end_of(static_cast<ConjugateEnd>(end))},
          .right_side = state.back(),
          .first_residual = state[state.size() - 2],
          .wanted = state[place_of(ConjugateState::wanted)]};
}

}  // namespace treadle::sparse
