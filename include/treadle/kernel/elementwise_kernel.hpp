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

/// How an ElementwiseKernel is made.
struct ElementwiseOptions {
  std::string name = "elementwise";     ///< of the kernel
  std::string preamble = {};            ///< C text before the kernel
  std::string loop_prep = {};           ///< statements before the loop over elements
  std::string after_loop = {};          ///< and behind it
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes beside the language's own: structures that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  /// Whether each array that the text uses as x[i] has elements of the declared size, one for each
  /// index, whatever the conditions under which the text uses them.
  bool is_one_for_one = false;
};

/// Which elements a launch computes: from `start`, by `step` of either sign, to before `stop`.
struct ElementRange {
  std::int64_t start, stop, step = 1;
  /// How many they are. Throws InvalidArgument for a step of 0.
  std::uint64_t count() const;
  /// The least and the largest index. Throws likewise.
  Indices indices() const;
};

/// A kernel that runs a user's C text for every index `i`:
///
///     ElementwiseKernel axpy(device, "float a, const float *x, float *y", "y[i] += a * x[i]");
///     axpy.launch(stream, n, 2.0f, x, y);
///
/// The text may use `i` and `n`, or in launches over a range `start`, `stop` and `step`; and the
/// variables of a GPU's loop, as treadle/codegen/snippet.hpp has it. Any thread; compiled at the
/// first launch of each form, and keeps the device alive.
class ElementwiseKernel {
 public:
  /// `arguments` are C declarations; pointers are memory of the device. Throws InvalidArgument for
  /// what is no declaration.
  ElementwiseKernel(std::shared_ptr<device::Device> device, std::string_view arguments,
                    std::string operation, ElementwiseOptions options = {});
  ~ElementwiseKernel();

  /// Queues the text for i = 0 .. n - 1. One argument for each declaration: a Buffer or a Location
  /// for a pointer, a number for a value, which is converted to the declared type. Throws as
  /// DeclaredArguments::check(), Program and Stream::launch().
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...,
                                 UserArgument(device::Argument(device::Location{}))};
    launch_arguments(stream, n, {list, sizeof...(Arguments)});
  }
  /// The same for arguments collected at run time. Throws as DeclaredArguments::check().
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
  /// Whether the text has `name[i]` of this argument. Other arguments are tables to look up in.
  bool mentions_element(std::string_view name) const;
  /// The program for launches over n elements, or over ranges.
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
  std::mutex mutex_;                 // guards what follows; held while a form is compiled
  std::optional<Form> forms_[2][2];  // by whether they have a range and are apart
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::ElementRange;
using kernel::ElementwiseOptions;

}  // namespace treadle
