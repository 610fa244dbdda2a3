// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/reduction_snippet.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

using codegen::ReductionOutput;

class LaunchCache;

/// The C texts of a reduction to one result.
struct ReductionTexts {
  std::string neutral;    ///< the neutral element: "0"
  std::string reduce;     ///< an expression of `a` and `b`: "a + b"
  std::string map;        ///< an expression of the arguments and the index `i`: "x[i] * y[i]"
  std::string arguments;  ///< C declarations: "const float *x, const float *y"
};

/// Options of a ReductionKernel.
struct ReductionOptions {
  std::string name = "reduction";       ///< name of the kernel
  std::string preamble = {};            ///< C text before the kernel
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, which replace the language's own names: structures and complex numbers
  /// that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  bool is_one_for_one = false;            ///< as ElementwiseOptions::is_one_for_one
};

/// An axis of contiguous arrays in C order, whose extents are (outer, length, inner).
struct FoldedAxis {
  std::uint64_t outer = 1, length = 0, inner = 1;                   ///< extents in elements
  std::uint64_t results() const noexcept { return outer * inner; }  ///< number of results
};

/// A kernel that folds the values of a user's C text for all indices, in one launch:
///
///     ReductionKernel dot(device, Scalar::float32,
///                         {.neutral = "0", .reduce = "a + b", .map = "x[i] * y[i]",
///                          .arguments = "const float *x, const float *y"});
///     dot.launch(stream, n, result, x, y);
///
/// The result may be a structure that the preamble defines. Several results, each with its own
/// texts, are folded in one pass over memory. Equal launches give equal bits. Any thread. Compiled
/// at the first launch. Keeps the device alive.
class ReductionKernel {
 public:
  /// Throws InvalidArgument for arguments that are not declarations, and for an argument named `i`.
  ReductionKernel(std::shared_ptr<device::Device> device, DType dtype, ReductionTexts texts,
                  ReductionOptions options = {});
  /// A kernel with several results. Throws as above, and InvalidArgument if `outputs` is empty.
  ReductionKernel(std::shared_ptr<device::Device> device, std::vector<ReductionOutput> outputs,
                  std::string_view arguments, ReductionOptions options = {});
  ~ReductionKernel();

  /// Queues the reduction over i = 0 .. n - 1 into the first element of `result`; if n is 0, the
  /// result is the neutral element. Takes an argument for each declaration, like ElementwiseKernel.
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const UserArgument& result,
              const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...,
                                 UserArgument(device::Argument(device::Location{}))};
    launch_arguments(stream, ElementRange{0, static_cast<std::int64_t>(n)}, result,
                     {list, sizeof...(Arguments)});
  }
  /// Like launch(), over a range, for arguments collected at run time. Throws as
  /// DeclaredArguments::check(), Program and Stream::launch().
  void launch_arguments(device::Stream& stream, const ElementRange& range,
                        const UserArgument& result, std::span<const UserArgument> arguments,
                        const device::Order& order = {}) {
    launch_all(stream, range, std::span(&result, 1), arguments, order);
  }
  /// Like launch_arguments(), for several results: each has its own memory, and these must not
  /// overlap.
  void launch_all(device::Stream& stream, const ElementRange& range,
                  std::span<const UserArgument> results, std::span<const UserArgument> arguments,
                  const device::Order& order = {});
  /// Reduces along an axis: each of `results` has outer * inner elements in C order; `i` counts all
  /// elements of the arrays.
  void launch_along(device::Stream& stream, const FoldedAxis& axis,
                    std::span<const UserArgument> results, std::span<const UserArgument> arguments,
                    const device::Order& order = {});

  /// Compiles the fold of all elements now and not at the first launch, in the form for arrays that
  /// are aligned to vectors.
  void compile();
  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept {
    return declared_.parameters();
  }
  /// The kernel's parameters after the declared ones. Pointers to outputs have the dtype of the
  /// first output.
  std::vector<codegen::ParameterSpec> own_parameters() const;
  /// As ElementwiseKernel::mentions_element(), of the maps.
  bool mentions_element(std::string_view name) const;
  /// The text of the program that folds all elements.
  std::string text() const;
  /// The text of the program that folds along an axis.
  std::string text(const FoldedAxis& axis) const;
  /// Work-items of a group.
  unsigned group_size() const;

 private:
  /// A compiled kernel.
  struct Form {
    codegen::ReductionClass loop;
    device::Kernel kernel;
    codegen::ReductionText text;
  };
  /// The elements to fold: the middle axis of arrays with the extents (outer, length, inner).
  struct Elements {
    std::int64_t length, start, step;
    std::int64_t outer, inner;
    Indices indices() const;
  };
  std::shared_ptr<const PreparedLaunch> prepare(const Elements& elements,
                                                std::span<const ElementwiseArray> places);
  static Elements many();
  static Elements along(const FoldedAxis& axis);
  codegen::ReductionText generate(const codegen::ReductionClass& loop) const;
  codegen::ReductionLowering lower(const Elements& elements,
                                   std::span<const ElementwiseArray> places = {}) const;
  void check_results(const Elements& elements, std::span<const UserArgument> results) const;
  std::vector<ElementwiseArray> places_of(const Elements& elements,
                                          std::span<const UserArgument> results,
                                          std::span<const UserArgument> arguments) const;
  const Form& form(const codegen::ReductionClass& wanted);  ///< the caller holds the mutex
  void launch(device::Stream& stream, const Elements& elements,
              std::span<const UserArgument> results, std::span<const UserArgument> arguments,
              const device::Order& order);

  const codegen::ReductionSnippet& snippet() const noexcept { return read_.snippet(); }

  std::shared_ptr<device::Device> device_;
  std::vector<std::string> flags_;
  codegen::ReadReduction read_;
  DeclaredArguments declared_, results_;
  const codegen::Tiling& tiling_;
  bool has_addresses_;
  std::unique_ptr<LaunchCache> launches_;
  std::mutex mutex_;  // guards the members below; held while a kernel is compiled
  std::deque<Form> forms_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::ReductionOptions;
using kernel::ReductionOutput;
using kernel::ReductionTexts;

}  // namespace treadle
