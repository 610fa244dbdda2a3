// SPDX-License-Identifier: MIT
// Random numbers in memory of a device, or of the host: the same ones. They are what the state
// (treadle/base/random.hpp) and the sequence of draws give, whatever device makes them:
//
//     RandomState state{.seed = 42};
//     fill_random(stream, {x.location(), n}, RandomDraw::normal(Scalar::float32), state);
//
// Words, integers and uniform numbers are equal to the bit on every device. So are normal ones
// where fma and square root are rounded correctly: GPUs of NVIDIA under CUDA, the CPU device,
// OpenCL devices with DeviceTraits::exact_division. Elsewhere they differ by two units of the last
// digit at most. Poisson's and those of RandomDraw::listed() are equal wherever there is float64,
// which they are made with.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "treadle/base/dtype.hpp"
#include "treadle/base/random.hpp"
#include "treadle/codegen/random.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

using codegen::RandomKind;

/// Which end belongs to an interval.
enum class IntervalEnd : std::uint8_t {
  low,   ///< [low, high)
  high,  ///< (low, high]
};

/// What is drawn: a distribution of one dtype. Each number takes one word of 32 bits, integers of a
/// range and numbers of 64 bits take two, Poisson's and those of listed() a block of four.
class RandomDraw {
 public:
  /// Integers of all values: int32, uint32, int64, uint64.
  static RandomDraw words(Scalar dtype);
  /// One of `count` neighbouring integers, the first of which is `first` in two's complement; a
  /// count of 0 stands for 2^64. No value is likelier than another by more than count / 2^64 of it.
  /// Any integer dtype, or bool. Throws InvalidArgument if the dtype does not have all the values.
  static RandomDraw integers(Scalar dtype, std::uint64_t first, std::uint64_t count);
  /// The integers of [low, high). Throws InvalidArgument for an empty interval.
  template <std::integral T>
  static RandomDraw integers(T low, T high) {
    require_below(low < high);
    return integers(dtype_of<T>().scalar(), static_cast<std::uint64_t>(low),
                    static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  }
  /// float32 in steps of 2^-24 of the interval, float64 of 2^-53. Both ends are rounded to the
  /// dtype, and the one that does not belong to the interval is never drawn unless they are equal.
  /// Throws InvalidArgument for ends that are not finite, too far apart for the dtype, or in the
  /// wrong order.
  static RandomDraw uniform(Scalar dtype, double low = 0, double high = 1,
                            IntervalEnd included = IntervalEnd::low);
  /// float32 within 6.8 deviations, float64 within 8.7. Throws InvalidArgument for a deviation
  /// below 0.
  static RandomDraw normal(Scalar dtype, double mean = 0, double deviation = 1);
  /// Counts of events that happen `mean` times on average, as int32, uint32, int64, uint64, float32
  /// (rounded above 2^24) or float64. Throws InvalidArgument for a mean that is below 0, above 2^30
  /// or NaN.
  static RandomDraw poisson(Scalar dtype, double mean);
  /// The same, where each element holds its mean before the draw. A mean below 0 or NaN stands for
  /// 0, a mean above 2^30 for 2^30.
  static RandomDraw poisson_of_elements(Scalar dtype);

  /// A distribution of treadle/codegen/distributions.def, which says which parameters it has: real
  /// ones as float32 or float64, counts as integers of 32 or 64 bits, too; a count beyond the dtype
  /// is its largest number. Sources of the algorithms: kernels/elements/distributions.h. Throws
  /// InvalidArgument for another number of parameters and for values out of range, DTypeError.
  static RandomDraw listed(RandomKind kind, Scalar dtype, std::span<const double> parameters);
  /// The same, where parameter k of element e is the number of float64 at k count + e of the target
  /// before the draw, which takes parameters times count elements of it. Numbers that are out of
  /// range there give unspecified ones, or NaN.
  static RandomDraw listed_of_elements(RandomKind kind);

  /// The distribution.
  RandomKind kind() const noexcept { return kind_; }
  /// Of listed_of_elements().
  bool of_elements() const noexcept { return of_elements_; }
  /// Whether they are uniform in [0, 1).
  bool is_unit() const noexcept { return is_unit_; }
  /// Of a number.
  Scalar dtype() const noexcept { return dtype_; }
  /// How many blocks of the state `count` numbers take.
  std::uint64_t blocks(std::uint64_t count) const;

  /// A value that the kernel is passed.
  struct Value {
    Scalar dtype;        ///< of the parameter
    std::uint64_t bits;  ///< its bytes, the first one lowest
  };
  /// In the order of codegen::RandomText.
  std::span<const Value> values() const noexcept { return {values_.data(), value_count_}; }

 private:
  RandomDraw(RandomKind kind, Scalar dtype);
  static void require_below(bool is_below);
  void add(Scalar dtype, std::uint64_t bits);
  template <class T>
  void add_uniform(double low, double high, IntervalEnd included);
  void add_float(double value);

  RandomKind kind_;
  Scalar dtype_;
  std::array<Value, 5> values_ = {};
  std::size_t value_count_ = 0;
  bool of_elements_ = false, is_unit_ = false;
};

/// Holds values against the range of a parameter of a listed distribution. Throws InvalidArgument,
/// which names the parameter and the first value that is out of range.
void require_parameters(RandomKind kind, std::size_t parameter, std::span<const double> values);

/// Memory to fill.
struct RandomTarget {
  device::Location location;              ///< live memory of the device, aligned to an element
  std::uint64_t count;                    ///< elements
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Queues the filling of memory and moves the state on behind what is drawn. The kernel is made
/// when it is first needed, and kept for the device. Throws InvalidArgument for memory that is not
/// aligned, NotSupported for float64, Poisson's and listed numbers on a device without float64, and
/// as Program and Stream::launch(); then the state stays.
void fill_random(device::Stream& stream, const RandomTarget& target, const RandomDraw& draw,
                 RandomState& state, const device::Order& order = {});

/// Fills memory of the host with as many numbers as it holds, one after the other, by the same
/// rules, and moves the state on.
void draw_on_host(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state);

}  // namespace treadle::kernel

namespace treadle {

using kernel::fill_random;
using kernel::RandomDraw;
using kernel::RandomTarget;

}  // namespace treadle
