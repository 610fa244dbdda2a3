// SPDX-License-Identifier: MIT
// Arrays of random numbers, with the names of NumPy's Generator:
//
//     Generator random(42);
//     const Array x = random.normal(0, 1, {1000, 3}, Scalar::float32);
//
// What is drawn follows from the seed and the sequence of draws, and from nothing else: not from
// the device, its stream, the schedule or the number of threads. treadle/kernel/random.hpp says
// which numbers are equal to the bit everywhere; those that a function of the device's mathematics
// makes (exponential(), lognormal()) are as equal as that function is, and those that sums make
// (dirichlet(), multivariate_normal()) as equal as these.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/random.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::array {

using kernel::RandomKind;

/// How choice() chooses.
struct ChoiceOptions {
  bool replaces = true;  ///< the same one may be chosen again
  /// The probability of each, of one axis; null: all have the same. Waits for its elements.
  Array probabilities = {};
  int axis = 0;  ///< of the array whose parts are chosen
};

/// A sequence of random numbers, each drawn once. A copy goes on by itself, with the same numbers.
/// Threads may share one: each draw is whole, and they come in either order.
///
/// A draw takes whole blocks of four random words from the state, as many as its numbers need: how
/// many that is follows from their count and dtype, not from parameters. Draws that fail leave the
/// state. Work is queued on the current stream of the device.
class Generator {
 public:
  /// Of a seed that the operating system gives.
  Generator();
  /// Arrays are made on `device`; null: on the one that is current when they are drawn.
  explicit Generator(std::uint64_t seed, std::shared_ptr<device::Device> device = nullptr)
      : Generator(RandomState{.seed = seed}, std::move(device)) {}
  /// One that goes on from a state.
  explicit Generator(const RandomState& state, std::shared_ptr<device::Device> device = nullptr)
      : state_(state), device_(std::move(device)) {}
  Generator(const Generator& other) : Generator(other.state(), other.device()) {}
  Generator& operator=(const Generator& other);

  /// A new array of numbers of any distribution and dtype that RandomDraw has. Throws as
  /// kernel::fill_random(), OutOfMemory.
  Array draw(const RandomDraw& draw, const Shape& shape);
  /// One number, made on the host: that of an array of one element.
  Number draw(const RandomDraw& draw);
  /// Sets every element of an existing array, on any device, to another number, in C's order.
  /// Throws DTypeError unless the array has the dtype of the draw, InvalidArgument where elements
  /// share memory.
  void fill(const Array& out, const RandomDraw& draw);

  /// Of [0, 1).
  Array random(const Shape& shape, Scalar dtype = Scalar::float64) {
    return draw(RandomDraw::uniform(dtype), shape);
  }
  /// Of [low, high), below high even where rounding would reach it. Either end is a number, or an
  /// array that broadcasts to the shape, beside which the result is. Throws ShapeError, DTypeError
  /// for complex ends, InvalidArgument for numbers that are no interval, and for arrays that are
  /// not on device(); elements of arrays are not looked at.
  Array uniform(const Operand& low, const Operand& high, const Shape& shape,
                Scalar dtype = Scalar::float64);
  /// Of [low, high), in the dtype of T. Other dtypes and ends: draw(RandomDraw::integers(...)).
  template <std::integral T>
  Array integers(T low, T high, const Shape& shape) {
    return draw(RandomDraw::integers(low, high), shape);
  }
  /// The same of integers, operands as in uniform(). Looks at arrays, and waits: InvalidArgument
  /// where high is not above low. Throws DTypeError for ends that are no integers.
  Array integers(const Operand& low, const Operand& high, const Shape& shape,
                 Scalar dtype = Scalar::int64);
  /// Of mean 0 and deviation 1.
  Array standard_normal(const Shape& shape, Scalar dtype = Scalar::float64) {
    return draw(RandomDraw::normal(dtype), shape);
  }
  /// Operands as in uniform(). Throws InvalidArgument for a number as deviation that is negative.
  Array normal(const Operand& mean, const Operand& deviation, const Shape& shape,
               Scalar dtype = Scalar::float64);
  /// exp() of normal numbers; as normal().
  Array lognormal(const Operand& mean, const Operand& deviation, const Shape& shape,
                  Scalar dtype = Scalar::float64);
  /// Of density exp(-x / scale) / scale; as normal() of `scale`.
  Array exponential(const Operand& scale, const Shape& shape, Scalar dtype = Scalar::float64);
  /// How often something happens that happens `mean` times on average; as normal() of `mean`, which
  /// is at most 2^30. Of the dtypes that RandomDraw::poisson() has.
  Array poisson(const Operand& mean, const Shape& shape, Scalar dtype = Scalar::int64);
  /// A new array of numbers of a listed distribution (treadle/codegen/distributions.def):
  ///
  ///     random.draw(RandomKind::gamma, {2.0, scales}, {1000});
  ///
  /// Parameters are numbers, or arrays that broadcast to the shape, beside which the result is. No
  /// dtype: float64, or int64 of counts. On devices with float64; the same bits on all of them.
  /// Throws as RandomDraw::listed() where all are numbers, and as uniform(); elements of arrays are
  /// not looked at.
  Array draw(RandomKind kind, std::span<const Operand> parameters, const Shape& shape,
             std::optional<Scalar> dtype = {});
  Array draw(RandomKind kind, std::initializer_list<Operand> parameters, const Shape& shape,
             std::optional<Scalar> dtype = {}) {
    return draw(kind, std::span(parameters.begin(), parameters.size()), shape, dtype);
  }

  // Rows along a last axis that is added to the shape. Parameters are few, and of the host, or
  // waited for. Throw InvalidArgument for those out of range, ShapeError.

  /// Shares of 1, of the density that is a product of powers alpha[i] - 1 of them.
  Array dirichlet(std::span<const double> alpha, const Shape& shape);
  /// How often each of several things happens in `trials` independent trials, of int64. The last
  /// axis of `probabilities` has one for each thing, the last of which stands for what the others
  /// leave of 1; its other axes, and those of trials, broadcast to the shape.
  Array multinomial(const Operand& trials, const Array& probabilities, const Shape& shape);
  /// How many of each colour `sample` balls have that are taken without putting back, of int64,
  /// from `colors[i]` balls of each, below 10^9 in all.
  Array multivariate_hypergeometric(std::span<const std::int64_t> colors, std::int64_t sample,
                                    const Shape& shape);
  /// Normal numbers of these means and covariances, of n x n numbers in C's order, which are
  /// positive semidefinite: throws InvalidArgument where they are further from it than `tolerance`.
  Array multivariate_normal(std::span<const double> mean, std::span<const double> covariance,
                            const Shape& shape, double tolerance = 1e-8);

  // Orders. They are those of sorted random words of 64 bits.

  /// Positions from 0 to below `count`, of int64. Throws InvalidArgument for none to choose from,
  /// for more than there are without putting back, and for probabilities that are none.
  Array choice(std::int64_t count, const Shape& shape, const ChoiceOptions& options = {});
  /// Parts of x along an axis, whose place the shape takes.
  Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options = {});
  /// The positions from 0 to below `count` in random order, of int64.
  Array permutation(std::int64_t count);
  /// The parts of x along an axis in random order.
  Array permutation(const Array& x, int axis = 0);
  /// The elements of each row along an axis in an order of its own; without an axis all elements.
  Array permuted(const Array& x, std::optional<int> axis = {});
  /// permutation() in place.
  void shuffle(const Array& x, int axis = 0) { x.assign(permutation(x, axis)); }

  /// On the host.
  std::vector<std::byte> bytes(std::size_t count);

  /// Where the next numbers come from.
  RandomState state() const;
  void set_state(const RandomState& state);
  /// Null: the current one.
  const std::shared_ptr<device::Device>& device() const noexcept { return device_; }
  /// A Generator at the start of a later stream of the same seed: 2^64 blocks further on.
  Generator jumped(std::uint64_t streams = 1) const;
  /// Generators with seeds of their own, for threads or processes. Later calls give others.
  std::vector<Generator> spawn(std::size_t count);

 private:
  mutable std::mutex mutex_;
  RandomState state_;
  std::shared_ptr<device::Device> device_;
};

}  // namespace treadle::array

namespace treadle {

using array::Generator;

}  // namespace treadle
