// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/declared_arguments.hpp"

namespace treadle::kernel {

class LaunchCache;

/// Options of an ElementwiseKernel.
struct ElementwiseOptions {
  std::string name = "elementwise";     ///< name of the kernel
  std::string preamble = {};            ///< C text before the kernel
  std::string loop_prep = {};           ///< statements before the loop over elements
  std::string after_loop = {};          ///< statements after the loop
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, in addition to the language's: structures that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  /// Whether each array that the text uses as x[i], even under conditions, must have an element of
  /// the declared size for each index.
  bool is_one_for_one = false;
};

/// The elements that a launch computes: from `start` in steps of `step`, which may be negative, up
/// to but not including `stop`.
struct ElementRange {
  std::int64_t start, stop, step = 1;
  /// The number of elements. Throws InvalidArgument for a step of 0.
  std::uint64_t count() const;
  /// The smallest and the largest index. Throws InvalidArgument for a step of 0.
  Indices indices() const;
};

/// A kernel that runs a user's C text for every index `i`:
///
///     ElementwiseKernel axpy(device, "float a, const float *x, float *y", "y[i] += a * x[i]");
///     axpy.launch(stream, n, 2.0f, x, y);
///
/// The text may use `i` and `n`, or, in launches over a range, `start`, `stop` and `step`; it may
/// also use the loop variables of treadle/codegen/snippet.hpp. Any thread. Each form is compiled at
/// its first launch. Keeps the device alive.
class ElementwiseKernel {
 public:
  /// `arguments` are C declarations; pointers refer to memory of the device. Throws InvalidArgument
  /// for text that is not a declaration.
  ElementwiseKernel(std::shared_ptr<device::Device> device, std::string_view arguments,
                    std::string operation, ElementwiseOptions options = {});
  ~ElementwiseKernel();

  /// Queues the text for i = 0 .. n - 1. Takes an argument for each declaration: a Buffer or a
  /// Location for a pointer, a number for a value; the number is converted to the declared type.
  /// Throws as DeclaredArguments::check(), Program and Stream::launch().
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...,
                                 UserArgument(device::Argument(device::Location{}))};
    launch_arguments(stream, n, {list, sizeof...(Arguments)});
  }
  /// Like launch(), for arguments collected at run time.
  void launch_arguments(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> arguments, const device::Order& order = {});
  /// Queues the text for the elements of a range.
  void launch_arguments(device::Stream& stream, const ElementRange& range,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// As ScanKernel::let_go_of_device().
  void let_go_of_device();
  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept {
    return declared_.parameters();
  }
  /// Whether the text contains `name[i]` for this argument; a text looks up other arguments by
  /// indices of its own.
  bool mentions_element(std::string_view name) const;
  /// The text of the program for launches over n elements, or over ranges.
  std::string text(bool has_range = false) const { return generate(has_range, false).text; }

 private:
  /// One compiled form.
  struct Form {
    device::Kernel kernel;
    unsigned group_size;
    std::uint64_t group_length;
  };
  codegen::SnippetText generate(bool has_range, bool is_apart) const;
  const Form& form(bool has_range, bool is_apart);
  bool are_apart(std::span<const UserArgument> arguments, std::uint64_t n) const;
  void run(device::Stream& stream, const ElementRange& range, std::span<const std::int64_t> own,
           std::span<const UserArgument> arguments, const device::Order& order);

  std::shared_ptr<device::Device> device_;
  codegen::TypeNames types_;
  codegen::Snippet snippet_;
  DeclaredArguments declared_;
  std::vector<std::string> flags_;
  const codegen::Tiling& tiling_;
  bool is_kept_by_device_ = false;
  std::unique_ptr<LaunchCache> launches_;
  std::mutex mutex_;                 // guards forms_; held while a form is compiled
  std::optional<Form> forms_[2][2];  // the first index says whether it has a range, the second
                                     // whether the arrays are apart
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::ElementRange;
using kernel::ElementwiseOptions;

}  // namespace treadle
