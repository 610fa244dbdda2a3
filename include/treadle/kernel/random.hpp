// SPDX-License-Identifier: MIT
// Random numbers in the memory of a device or of the host. The state (treadle/base/random.hpp) and
// the sequence of draws determine the numbers; every device makes the same numbers:
//
//     RandomState state{.seed = 42};
//     fill_random(stream, {x.location(), n}, RandomDraw::normal(Scalar::float32), state);
//
// Words, integers and uniform numbers are equal to the bit on every device. Normal numbers are,
// too, if fma and square root are rounded correctly: on NVIDIA GPUs under CUDA, on the CPU device,
// and on OpenCL devices with DeviceTraits::exact_division. On other devices they differ by at most
// two units of the last digit. Poisson's numbers and those of RandomDraw::listed() are computed in
// float64, and are equal on all devices that have float64.
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

/// The end that an interval includes.
enum class IntervalEnd : std::uint8_t {
  low,   ///< [low, high)
  high,  ///< (low, high]
};

/// A distribution with a dtype. A number takes one word of 32 bits; an integer of a range and a
/// number of 64 bits take two words; a number of Poisson's or a listed distribution takes a block
/// of four words.
class RandomDraw {
 public:
  /// Integers of all values: int32, uint32, int64, uint64.
  static RandomDraw words(Scalar dtype);
  /// One of `count` consecutive integers from `first` on, which is in two's complement; a count of
  /// 0 means 2^64. Probabilities differ by at most a share of count / 2^64. Any integer dtype, or
  /// bool. Throws InvalidArgument if the dtype does not have all these values.
  static RandomDraw integers(Scalar dtype, std::uint64_t first, std::uint64_t count);
  /// An integer of [low, high). Throws InvalidArgument for an empty interval.
  template <std::integral T>
  static RandomDraw integers(T low, T high) {
    require_below(low < high);
    return integers(dtype_of<T>().scalar(), static_cast<std::uint64_t>(low),
                    static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  }
  /// A real number: float32 in steps of 2^-24 of the interval, float64 in steps of 2^-53. Both ends
  /// are rounded to the dtype. The excluded end is never drawn unless the ends are equal. Throws
  /// InvalidArgument for ends that are not finite, too far apart for the dtype, or in the wrong
  /// order.
  static RandomDraw uniform(Scalar dtype, double low = 0, double high = 1,
                            IntervalEnd included = IntervalEnd::low);
  /// A normally distributed number: float32 within 6.8 deviations, float64 within 8.7. Throws
  /// InvalidArgument for a negative deviation.
  static RandomDraw normal(Scalar dtype, double mean = 0, double deviation = 1);
  /// A count of events of which `mean` happen on average, as int32, uint32, int64, uint64, float32
  /// (rounded above 2^24) or float64. Throws InvalidArgument for a mean that is negative, above
  /// 2^30 or NaN.
  static RandomDraw poisson(Scalar dtype, double mean);
  /// Like poisson(), but before the draw each element holds its own mean. A negative mean or NaN
  /// counts as 0, a mean above 2^30 as 2^30.
  static RandomDraw poisson_of_elements(Scalar dtype);

  /// A distribution of treadle/codegen/distributions.def, which lists its parameters. Real numbers
  /// are float32 or float64; counts may also be integers of 32 or 64 bits, and a count beyond the
  /// dtype becomes its largest number. Sources of the algorithms: kernels/elements/distributions.h.
  /// Throws InvalidArgument for a wrong number of parameters and for values out of range,
  /// DTypeError.
  static RandomDraw listed(RandomKind kind, Scalar dtype, std::span<const double> parameters);
  /// Like listed(), for float64, but the target holds the parameters before the draw: parameter k
  /// of element e at k * count + e. The target must have room for all parameters. A parameter out
  /// of range gives an unspecified number or NaN.
  static RandomDraw listed_of_elements(RandomKind kind);

  /// The distribution.
  RandomKind kind() const noexcept { return kind_; }
  /// Whether the target holds the parameters: listed_of_elements().
  bool of_elements() const noexcept { return of_elements_; }
  /// Whether the numbers are uniform in [0, 1).
  bool is_unit() const noexcept { return is_unit_; }
  /// The dtype of a number.
  Scalar dtype() const noexcept { return dtype_; }
  /// The number of blocks of the state that `count` numbers take.
  std::uint64_t blocks(std::uint64_t count) const;

  /// A value that the launch passes to the kernel.
  struct Value {
    Scalar dtype;        ///< dtype of the parameter
    std::uint64_t bits;  ///< its bytes, the first byte lowest
  };
  /// The values in the order of codegen::RandomText.
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

/// Checks values against the range of a parameter of a listed distribution. Throws InvalidArgument
/// naming the parameter and the first value out of range.
void require_parameters(RandomKind kind, std::size_t parameter, std::span<const double> values);

/// The memory to fill.
struct RandomTarget {
  device::Location location;              ///< live memory of the device, aligned to an element
  std::uint64_t count;                    ///< number of elements
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Queues the filling of memory and advances the state past the numbers drawn. The kernel is made
/// at its first use and kept for the device. Throws InvalidArgument for memory that is not aligned;
/// NotSupported for float64, Poisson's and listed numbers on a device without float64; and as
/// Program and Stream::launch(). If it throws, the state does not change.
void fill_random(device::Stream& stream, const RandomTarget& target, const RandomDraw& draw,
                 RandomState& state, const device::Order& order = {});

/// Fills host memory with as many numbers as it holds, by the same rules, and advances the state.
void draw_on_host(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state);

}  // namespace treadle::kernel

namespace treadle {

using kernel::fill_random;
using kernel::RandomDraw;
using kernel::RandomTarget;

}  // namespace treadle
