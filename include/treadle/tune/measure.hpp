// SPDX-License-Identifier: MIT
// How long a kernel takes, and whether its results are right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::tune {

/// What came of a variant.
enum class Outcome : std::uint8_t {
  measured,        ///< it is right, and this is how long it takes
  overtaken,       ///< it is right, and its first runs were slower than the best by far
  excluded,        ///< a constraint over the compiled kernel is false
  compile_error,   ///< the compiler or the loader refused it, or its text could not be written
  launch_refused,  ///< the device has no room for it
  wrong_result,    ///< an output is not what it has to be, or was not written
  timeout,         ///< it ran for too long
  crash,           ///< it ended with a fault, or its process ended
};
/// "measured", "overtaken", "wrong result" and so on.
std::string_view outcome_name(Outcome outcome) noexcept;
/// Throws InvalidArgument listing those there are.
Outcome outcome_of(std::string_view name);

/// A variant that was tried.
struct Measured {
  Outcome outcome = Outcome::measured;     ///< what came of it
  double seconds = 0;                      ///< the median of `samples`; infinity if it failed
  std::vector<double> samples = {};        ///< seconds of a launch each
  device::KernelResources resources = {};  ///< once it was compiled
  double compile_seconds = 0;              ///< what compiling took, or finding it compiled
  std::string error = {};                  ///< why it failed
  bool won = false;        ///< whether the last search that tried it ended with it as the best
  std::string text = {};   ///< how it is written, with the compiler's flags; of a winner
  double measured_at = 0;  ///< seconds since 1970, when it was tried first; 0: nobody knows
  /// Whether `seconds` is a time of right results.
  bool is_right() const noexcept { return outcome <= Outcome::overtaken; }
};

/// What an output has to be.
struct Expected {
  /// All of its bytes. Empty: what the first variant that is measured writes.
  std::vector<std::byte> bytes = {};
  /// What its elements are: real numbers may differ from `bytes` by `tolerance`. None: not at all.
  std::optional<Scalar> dtype = {};
  /// Of a number and of the root of the mean square of all; none: 1e-2 for float16, 1e-4 for
  /// float32, 1e-10 for float64.
  std::optional<double> tolerance = {};
  /// Says what is wrong with an output; an empty text: nothing. In the place of `bytes`.
  std::function<std::string(std::span<const std::byte>)> check = {};
};

/// What is wrong with an output; empty: nothing.
std::string difference(std::span<const std::byte> found, const Expected& expected);

/// An argument of the launches that are measured.
class ProblemArgument {
 public:
  /// A plain value.
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  ProblemArgument(T value)  // implicit: {out, in, 1024}
      : ProblemArgument(&value, sizeof value,
                        std::is_floating_point_v<T> ? device::ParameterKind::floating
                                                    : device::ParameterKind::integer) {}
  /// A value whose type is known at run time only.
  ProblemArgument(const void* data, std::size_t size_bytes, device::ParameterKind kind);
  /// Memory that kernels read and do not write.
  ProblemArgument(memory::Buffer read)  // implicit: {out, in, 1024}
      : buffer_(std::move(read)), use_(Use::input) {}

  /// Memory that kernels write and do not read. Before a run it is filled with what is wrong.
  static ProblemArgument output(memory::Buffer written, Expected expected = {});
  /// Memory that kernels read and write: what is in it now is there again before each run.
  static ProblemArgument updated(memory::Buffer changed, Expected expected = {});
  /// Dynamic local memory behind a `__local` pointer.
  static ProblemArgument local(std::size_t size_bytes);

 private:
  friend class Measurer;
  enum class Use : std::uint8_t { value, input, output, updated, local };
  ProblemArgument() = default;

  std::vector<std::byte> value_;
  device::ParameterKind kind_ = device::ParameterKind::unknown;
  memory::Buffer buffer_;
  Use use_ = Use::value;
  Expected expected_;
  std::size_t local_bytes_ = 0;
};

/// How long and how often is measured.
struct MeasureOptions {
  unsigned warm_up = 1;  ///< runs before those that count, beside the one whose result is checked
  unsigned repeats = 7;  ///< samples, of which the median counts
  /// A sample is so many launches that it takes this long; of one launch where memory is restored
  /// before each.
  double sample_seconds = 50e-6;
  /// Of these samples the best must be below the best variant's time by this factor; otherwise the
  /// variant is overtaken.
  unsigned first_repeats = 2;
  double overtaken_above = 1.3;  ///< times the best; 0: all are measured to the end
  bool flush_cache = false;      ///< writes over the device's last cache before each sample
  /// A run that takes longer is a timeout; 0: none is. The CPU device ends it there, and what takes
  /// more than twenty times the best and 0.1 s before that. Other devices cannot: the kernel goes
  /// on, and the device is not usable any more.
  double limit_seconds = 10;
};

/// Measures variants of one problem, on a stream of its own. From one thread at a time.
class Measurer {
 public:
  /// Copies what `updated` memory holds. Throws InvalidArgument for expected bytes of another size
  /// than their memory, for memory of another device, and for a device that runs no kernels.
  Measurer(std::shared_ptr<device::Device> device, std::vector<ProblemArgument> arguments,
           MeasureOptions options = {});
  ~Measurer();
  Measurer(Measurer&&) noexcept;

  /// Whether an output has to be what the first variant writes.
  bool needs_reference() const noexcept;
  /// Takes what a kernel writes as what all others have to. It is run twice over different
  /// contents: throws InvalidState if it leaves elements unwritten or is refused.
  void set_reference(const device::Kernel& kernel, const device::LaunchShape& shape);

  /// Runs, checks and times. `best`: the time to beat. `left`: seconds that remain for all
  /// variants: one that would take more than a quarter of them has fewer samples, at least one.
  /// Nothing is thrown for what a kernel does; is_usable() tells whether the device survived it.
  Measured measure(const device::Kernel& kernel, const device::LaunchShape& shape,
                   std::optional<double> best = {}, std::optional<double> left = {});
  /// One sample more, without a look at its results: for two variants in turn.
  double sample(const device::Kernel& kernel, const device::LaunchShape& shape);
  /// False after a fault or a timeout of which the device does not recover in this process.
  bool is_usable() const noexcept;
  /// Seconds that kernels ran, warming up and checks included.
  double busy_seconds() const noexcept;
  device::Device& device() const noexcept;  ///< where it measures

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace treadle::tune
