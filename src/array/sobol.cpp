// SPDX-License-Identifier: MIT
#include "treadle/array/sobol.hpp"

#include <limits>
#include <string>
#include <utility>

#include "treadle/array/creation.hpp"
#include "treadle/array/user_kernel.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/sobol.hpp"

namespace treadle::array {
namespace {

std::shared_ptr<ElementwiseKernel> make_kernel(Scalar dtype, const device::Device& device) {
  return std::make_shared<ElementwiseKernel>(
      "first, dimensions, const *vectors, const *shifts, *x",
      codegen::sobol_statements(dtype, codegen::dialect_of(device.info().language)),
      kernel::ElementwiseOptions{.name = "sobol_" + DType(dtype).name()});
}

void require_count(std::int64_t count, const char* what) {
  if (count < 0)
    throw InvalidArgument(std::string(what) + " of " + std::to_string(count) + " points",
                          "give 0 or more");
}

}  // namespace

Sobol::Sobol(std::int64_t dimensions, std::optional<std::uint64_t> seed,
             std::shared_ptr<device::Device> device)
    : dimensions_(dimensions), seed_(seed), device_(std::move(device)) {
  constexpr auto most = static_cast<std::int64_t>(sobol_dimensions);
  if (dimensions < 1 || dimensions > most)
    throw InvalidArgument("a Sobol sequence of " + std::to_string(dimensions) + " dimensions",
                          "give 1 to " + std::to_string(most));
}

const Sobol::Tables& Sobol::tables(Scalar dtype, const Placement& placement) {
  Tables& own = dtype == Scalar::float32 ? single_ : double_;
  if (own.vectors.has_value() && &own.vectors.device() == &placement.stream->device()) return own;
  const auto make = [&]<class Word>(Word) {
    const auto count = static_cast<std::size_t>(dimensions_);
    const std::vector<Word> vectors =
        seed_ ? scrambled_sobol_vectors<Word>(count, *seed_) : sobol_vectors<Word>(count);
    const std::vector<Word> shifts =
        seed_ ? sobol_shifts<Word>(count, *seed_) : std::vector<Word>(count);
    return Tables{Array::from(vectors, placement), Array::from(shifts, placement),
                  make_kernel(dtype, placement.stream->device())};
  };
  own = dtype == Scalar::float32 ? make(std::uint32_t{}) : make(std::uint64_t{});
  return own;
}

Array Sobol::draw(std::int64_t count, Scalar dtype) {
  require_count(count, "a draw");
  if (dtype != Scalar::float32 && dtype != Scalar::float64)
    throw DTypeError("points of a Sobol sequence cannot be of dtype '" + DType(dtype).name() + "'",
                     "float32 and float64 can");
  Placement here;
  if (device_ != nullptr) here.stream = device_->default_stream();
  const Array made = empty({count, dimensions_}, dtype, here);
  here.stream = made.stream();
  if (dtype == Scalar::float64 && !here.stream->device().info().traits.fp64)
    throw NotSupported(here.stream->device().info().id + " has no float64", "draw float32");
  const std::lock_guard lock(mutex_);
  const std::int64_t end =
      dtype == Scalar::float32 ? std::int64_t{1} << 32 : std::numeric_limits<std::int64_t>::max();
  if (count > end - position_)
    throw InvalidArgument("a Sobol sequence of " + std::to_string(end) + " points has no " +
                              std::to_string(count) + " behind the first " +
                              std::to_string(position_),
                          "draw float64, or begin again: reset()");
  const Tables& own = tables(dtype, here);
  if (count != 0)
    (*own.kernel)(Operand::typed(position_, Scalar::int64),
                  Operand::typed(dimensions_, Scalar::int64), own.vectors, own.shifts, made);
  position_ += count;
  return made;
}

void Sobol::skip(std::int64_t count) {
  require_count(count, "a skip");
  const std::lock_guard lock(mutex_);
  if (count > std::numeric_limits<std::int64_t>::max() - position_)
    throw InvalidArgument("a skip of " + std::to_string(count) + " points leaves the sequence",
                          "skip fewer");
  position_ += count;
}

void Sobol::reset() {
  const std::lock_guard lock(mutex_);
  position_ = 0;
}

std::int64_t Sobol::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

}  // namespace treadle::array
