// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/segmented_fold.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/declared_arguments.hpp"

namespace treadle::kernel {

/// The C texts of a fold of segments.
struct SegmentedFoldTexts {
  std::string arguments;  ///< C declarations: "const float *x, const int *column"
  std::string map;        ///< an expression of the arguments and the index `i`: "x[column[i]]"
  std::string reduce;     ///< an expression of `a` and `b`, associative and commutative: "a + b"
  std::string neutral;    ///< the neutral element, which is the result of an empty segment: "0"
  /// Statements for the result `product` of segment `i`, in the place of storing it; empty: it is
  /// stored.
  std::string store = {};
  /// Whether the map only reads, and may be evaluated twice at an index: work-items of a GPU that
  /// share a segment then have all its elements on their way at once.
  bool can_repeat = false;
};

/// Options of a SegmentedFoldKernel.
struct SegmentedFoldOptions {
  std::string name = "segmented_fold";  ///< name of the kernel
  std::string preamble = {};            ///< C text before the kernel
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, as ScanOptions::types.
  std::vector<std::pair<std::string, DType>> types = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// The segments of a launch.
struct FoldedSegments {
  std::uint64_t count;     ///< segments of each row
  std::uint64_t indices;   ///< indices of each row, about as many as all its segments contain
  std::uint64_t rows = 1;  ///< rows; all have segments with the same ends
};

/// A kernel that folds the values of a user's C text over the indices of each segment:
///
///     SegmentedFoldKernel product(device, Scalar::float32,
///                                 {.arguments = "const float *a, const int *column, "
///                                               "const float *x",
///                                  .map = "a[i] * x[column[i]]", .reduce = "a + b",
///                                  .neutral = "0"});
///     product.launch(stream, {.count = rows, .indices = entries}, starts, ends, y, a, column, x);
///
/// This example multiplies a sparse matrix by a vector. Equal launches give equal bits. Any thread.
/// Compiled at the first launch of segments of about that length. Keeps the device alive.
class SegmentedFoldKernel {
 public:
  /// Throws InvalidArgument for arguments that are not declarations, for an argument with the name
  /// of one of the kernel's variables, and without a neutral element.
  SegmentedFoldKernel(std::shared_ptr<device::Device> device, const DType& dtype,
                      SegmentedFoldTexts texts, SegmentedFoldOptions options = {});

  /// Queues the fold. `starts` and `ends` are int64 indices for each segment of a row, counted from
  /// the start of the row; a segment whose end is before its start is empty. `results` has room for
  /// an item for each segment of each row. Throws as DeclaredArguments::check(), Program and
  /// Stream::launch().
  template <class... Arguments>
  void launch(device::Stream& stream, const FoldedSegments& segments, const UserArgument& starts,
              const UserArgument& ends, const UserArgument& results,
              const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)..., starts, ends, results};
    launch_arguments(stream, segments, {list, sizeof...(Arguments) + 3});
  }
  /// Like launch(), for arguments collected at run time; starts, ends and results come last.
  void launch_arguments(device::Stream& stream, const FoldedSegments& segments,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// As ScanKernel::let_go_of_device().
  void let_go_of_device();
  /// The text of the program for segments of this mean length.
  std::string text(std::uint64_t mean_length) const { return generate(lanes_of(mean_length)).text; }
  /// The kernel's device.
  device::Device& device() const noexcept { return *device_; }

 private:
  struct Form {
    codegen::SegmentedFoldText made;
    device::Kernel kernel;
  };
  unsigned lanes_of(std::uint64_t mean_length) const;
  codegen::SegmentedFoldText generate(unsigned lanes) const;
  const Form& form(unsigned lanes);

  std::shared_ptr<device::Device> device_;
  codegen::TypeNames types_;
  codegen::SegmentedFoldSnippet snippet_;
  DeclaredArguments declared_;
  std::vector<std::string> flags_;
  const codegen::Tiling& tiling_;
  bool is_kept_by_device_ = false;
  std::mutex mutex_;  // guards the members below; held while a program is compiled
  std::vector<std::pair<unsigned, std::unique_ptr<Form>>> forms_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::FoldedSegments;
using kernel::SegmentedFoldKernel;
using kernel::SegmentedFoldOptions;
using kernel::SegmentedFoldTexts;

}  // namespace treadle
