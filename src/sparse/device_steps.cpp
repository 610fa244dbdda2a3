// SPDX-License-Identifier: MIT
#include "sparse/device_steps.hpp"

#include <utility>
#include <vector>

#include "sparse/entries.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::sparse {
namespace {

using codegen::ConjugateEnd;
using codegen::ConjugateParts;
using codegen::ConjugateState;

constexpr std::size_t place_of(ConjugateState number) { return static_cast<std::size_t>(number); }

/// Whether a work-item of a GPU may go through a row by itself.
bool has_rows_for_one(const kernel::SparseProduct& product, device::Device& device) {
  const codegen::Tiling& tiling = kernel::tiling_of(device);
  if (tiling.schedule == Schedule::narrow || product.form.layout != codegen::SparseLayout::rows)
    return true;
  return !product.is_merged && product.entries <= product.rows * tiling.lone_row;
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

void DeviceSteps::begin(const Vectors& vectors, const Norms& norms) {
  vectors_ = vectors;
  std::vector<double> state(2 * place_of(ConjugateState::count));
  // What is no number ends here, too.
  const ConjugateEnd end = norms.residual <= norms.wanted  ? ConjugateEnd::converged
                           : norms.residual > norms.wanted ? ConjugateEnd::running
                                                           : ConjugateEnd::not_a_number;
  state[place_of(ConjugateState::rz)] = norms.rz;
  state[place_of(ConjugateState::norm)] = norms.residual;
  state[place_of(ConjugateState::steps)] = static_cast<double>(norms.steps);
  state[place_of(ConjugateState::end)] = static_cast<double>(end);
  state[place_of(ConjugateState::wanted)] = norms.wanted;
  state_ = Array::from(state.data(), {static_cast<std::int64_t>(state.size())}, Scalar::float64,
                       {.stream = product_.stream()});
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

ColumnEnd DeviceSteps::look() const {
  const std::vector<double> state = state_.as<double>();
  return {
      static_cast<std::int64_t>(state[place_of(ConjugateState::steps)]),
      state[place_of(ConjugateState::norm)],
      end_of(static_cast<ConjugateEnd>(static_cast<int>(state[place_of(ConjugateState::end)])))};
}

}  // namespace treadle::sparse
