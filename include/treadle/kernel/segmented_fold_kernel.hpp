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
  std::string map;        ///< of the arguments for the index `i`: "x[column[i]]"
  std::string reduce;     ///< of `a` and `b`, associative and commutative: "a + b"
  std::string neutral;    ///< what changes nothing, and the result of an empty segment: "0"
};

/// How a SegmentedFoldKernel is made.
struct SegmentedFoldOptions {
  std::string name = "segmented_fold";  ///< of the kernel
  std::string preamble = {};            ///< C text before the kernel
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, as ScanOptions::types.
  std::vector<std::pair<std::string, DType>> types = {};
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
};

/// Which segments a launch folds.
struct FoldedSegments {
  std::uint64_t count;     ///< of each row
  std::uint64_t indices;   ///< of each row, about as many as all its segments have together
  std::uint64_t rows = 1;  ///< each with segments of the same ends
};

/// A kernel that folds what a user's C text gives for the indices of each segment:
///
///     SegmentedFoldKernel product(device, Scalar::float32,
///                                 {.arguments = "const float *a, const int *column, "
///                                               "const float *x",
///                                  .map = "a[i] * x[column[i]]", .reduce = "a + b",
///                                  .neutral = "0"});
///     product.launch(stream, {.count = rows, .indices = entries}, starts, ends, y, a, column, x);
///
/// That is a sparse matrix by a vector. Equal launches give equal bits. Any thread; compiled at the
/// first launch of segments of about that length, and keeps the device alive.
class SegmentedFoldKernel {
 public:
  /// Throws InvalidArgument for arguments that are no declarations, or called as the kernel's own
  /// variables, and without a neutral element.
  SegmentedFoldKernel(std::shared_ptr<device::Device> device, const DType& dtype,
                      SegmentedFoldTexts texts, SegmentedFoldOptions options = {});

  /// Queues it: `starts` and `ends` are int64 of each segment of a row, from the row's beginning;
  /// an end before its start is an empty segment. `results` has room for an item of each segment of
  /// each row. Throws as DeclaredArguments::check(), Program and Stream::launch().
  template <class... Arguments>
  void launch(device::Stream& stream, const FoldedSegments& segments, const UserArgument& starts,
              const UserArgument& ends, const UserArgument& results,
              const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)..., starts, ends, results};
    launch_arguments(stream, segments, {list, sizeof...(Arguments) + 3});
  }
  /// The same for arguments collected at run time, with starts, ends and results at the end.
  void launch_arguments(device::Stream& stream, const FoldedSegments& segments,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// As ScanKernel::let_go_of_device().
  void let_go_of_device();
  /// The program for segments of that mean length.
  std::string text(std::uint64_t mean_length) const { return generate(lanes_of(mean_length)).text; }
  /// Where it runs.
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
  std::mutex mutex_;  // guards what follows; held while it is compiled
  std::vector<std::pair<unsigned, std::unique_ptr<Form>>> forms_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::FoldedSegments;
using kernel::SegmentedFoldKernel;
using kernel::SegmentedFoldOptions;
using kernel::SegmentedFoldTexts;

}  // namespace treadle
