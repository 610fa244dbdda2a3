// SPDX-License-Identifier: MIT
// Arrays of random numbers, with the names of NumPy's Generator:
//
//     Generator random(42);
//     const Array x = random.normal(0, 1, {1000, 3}, Scalar::float32);
//
// The numbers depend only on the seed and the sequence of draws: not on the device, its stream, the
// schedule or the number of threads. treadle/kernel/random.hpp tells which numbers have the same
// bits everywhere. Numbers that use a function of the device's mathematics (exponential(),
// lognormal()) differ as that function differs. Numbers that use sums (dirichlet(),
// multivariate_normal()) differ as those sums differ.
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
#include "treadle/base/list.hpp"
#include "treadle/base/random.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::array {

using kernel::RandomKind;

/// Options of choice().
struct ChoiceOptions {
  bool replaces = true;  ///< the same element may be chosen again
  /// The probability of each element, in one axis; null: all are equal. choice() waits for them.
  Array probabilities = {};
  int axis = 0;  ///< the axis whose parts are chosen
};

/// A sequence of random numbers; each number is drawn once. A copy continues independently with the
/// same numbers. Threads may share a Generator: each draw is atomic, and draws come in any order.
///
/// A draw takes whole blocks of four random words from the state. The number of blocks depends on
/// the count and the dtype of the numbers, not on parameters. A draw that fails leaves the state.
/// Work is queued on the current stream of the device.
class Generator {
 public:
  /// Takes a seed from the operating system.
  Generator();
  /// Makes arrays on `device`. Null: on the device that is current at the draw.
  explicit Generator(std::uint64_t seed, std::shared_ptr<device::Device> device = nullptr)
      : Generator(RandomState{.seed = seed}, std::move(device)) {}
  /// Continues from a state.
  explicit Generator(const RandomState& state, std::shared_ptr<device::Device> device = nullptr)
      : state_(state), device_(std::move(device)) {}
  Generator(const Generator& other) : Generator(other.state(), other.device()) {}
  Generator& operator=(const Generator& other);

  /// Draws a new array from any distribution and dtype of RandomDraw. Throws as
  /// kernel::fill_random(), OutOfMemory.
  Array draw(const RandomDraw& draw, const Shape& shape);
  /// Draws one number on the host, equal to that of an array of one element.
  Number draw(const RandomDraw& draw);
  /// Draws new numbers for all elements of an existing array, on any device, in C's order. Throws
  /// DTypeError unless the array has the dtype of the draw, InvalidArgument if elements share
  /// memory.
  void fill(const Array& out, const RandomDraw& draw);

  /// Uniform numbers in [0, 1).
  Array random(const Shape& shape, Scalar dtype = Scalar::float64) {
    return draw(RandomDraw::uniform(dtype), shape);
  }
  /// Uniform numbers in [low, high), below high even if rounding would reach high. Each end is a
  /// number, or an array that broadcasts to the shape; the result is on the array's device. Throws
  /// ShapeError, DTypeError for complex ends, InvalidArgument for numbers that are no interval and
  /// for arrays of another device than device(). The elements of arrays are not checked.
  Array uniform(const Operand& low, const Operand& high, const Shape& shape,
                Scalar dtype = Scalar::float64);
  /// Integers in [low, high), in the dtype of T. For other dtypes and ends:
  /// draw(RandomDraw::integers(...)).
  template <std::integral T>
  Array integers(T low, T high, const Shape& shape) {
    return draw(RandomDraw::integers(low, high), shape);
  }
  /// Integers in [low, high), with operands as in uniform(). Reads arrays, and waits: throws
  /// InvalidArgument if high is not above low. Throws DTypeError for ends that are not integers.
  Array integers(const Operand& low, const Operand& high, const Shape& shape,
                 Scalar dtype = Scalar::int64);
  /// Normal numbers with mean 0 and deviation 1.
  Array standard_normal(const Shape& shape, Scalar dtype = Scalar::float64) {
    return draw(RandomDraw::normal(dtype), shape);
  }
  /// Normal numbers, with operands as in uniform(). Throws InvalidArgument if the deviation is a
  /// negative number.
  Array normal(const Operand& mean, const Operand& deviation, const Shape& shape,
               Scalar dtype = Scalar::float64);
  /// exp() of normal numbers. Throws as normal().
  Array lognormal(const Operand& mean, const Operand& deviation, const Shape& shape,
                  Scalar dtype = Scalar::float64);
  /// Numbers with the density exp(-x / scale) / scale. Throws as normal() does for `scale`.
  Array exponential(const Operand& scale, const Shape& shape, Scalar dtype = Scalar::float64);
  /// The number of events that happen `mean` times on average. Throws as normal() does for `mean`,
  /// which is at most 2^30. Takes the dtypes of RandomDraw::poisson().
  Array poisson(const Operand& mean, const Shape& shape, Scalar dtype = Scalar::int64);
  /// A new array of numbers of a listed distribution (treadle/codegen/distributions.def):
  ///
  ///     random.draw(RandomKind::gamma, {2.0, scales}, {1000});
  ///
  /// Parameters are numbers, or arrays that broadcast to the shape; the result is on the arrays'
  /// device. Without a dtype the result is float64, or int64 for counts. Needs a device with
  /// float64; the bits are the same on all such devices. Throws as RandomDraw::listed() if all
  /// parameters are numbers, and as uniform(). The elements of arrays are not checked.
  Array draw(RandomKind kind, List<Operand> parameters, const Shape& shape,
             std::optional<Scalar> dtype = {});

  // Random rows along a new last axis of the shape. Parameters are small; they are on the host, or
  // the functions wait for them. They throw InvalidArgument for parameters out of range, and
  // ShapeError.

  /// Shares whose sum is 1. The density is a product of powers alpha[i] - 1 of the shares.
  Array dirichlet(List<double> alpha, const Shape& shape);
  /// How often each of several outcomes happens in `trials` independent trials, as int64. The last
  /// axis of `probabilities` has one probability for each outcome; the last outcome gets the
  /// remainder to 1. The other axes, and those of trials, broadcast to the shape.
  Array multinomial(const Operand& trials, const Array& probabilities, const Shape& shape);
  /// How many balls of each colour are among `sample` balls drawn without replacement, as int64.
  /// There are `colors[i]` balls of colour i, below 10^9 in all.
  Array multivariate_hypergeometric(List<std::int64_t> colors, std::int64_t sample,
                                    const Shape& shape);
  /// Normal vectors with these means and covariances. The covariance matrix has n x n numbers in
  /// C's order and is positive semidefinite: throws InvalidArgument if it differs from such a
  /// matrix by more than `tolerance`.
  Array multivariate_normal(List<double> mean, List<double> covariance, const Shape& shape,
                            double tolerance = 1e-8);

  // Random orders. They sort random words of 64 bits.

  /// Random positions from 0 to below `count`, as int64. Throws InvalidArgument if there is none to
  /// choose, if there are too few without replacement, and for invalid probabilities.
  Array choice(std::int64_t count, const Shape& shape, const ChoiceOptions& options = {});
  /// Random parts of x along an axis. The axes of `shape` replace that axis.
  Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options = {});
  /// The positions from 0 to below `count` in random order, as int64.
  Array permutation(std::int64_t count);
  /// The parts of x along an axis in random order.
  Array permutation(const Array& x, int axis = 0);
  /// Permutes each row along an axis independently. Without an axis, permutes all elements.
  Array permuted(const Array& x, std::optional<int> axis = {});
  /// Permutes the parts of x in place.
  void shuffle(const Array& x, int axis = 0) { x.assign(permutation(x, axis)); }

  /// Random bytes on the host.
  std::vector<std::byte> bytes(std::size_t count);

  /// The state from which the next numbers come.
  RandomState state() const;
  void set_state(const RandomState& state);
  /// Null: the device that is current at the draw.
  const std::shared_ptr<device::Device>& device() const noexcept { return device_; }
  /// A Generator at the start of a later stream of the same seed, 2^64 blocks further on for each
  /// stream.
  Generator jumped(std::uint64_t streams = 1) const;
  /// Generators with seeds of their own, for threads or processes. Each call returns new seeds.
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
