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
#include "treadle/codegen/scan.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/declared_arguments.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::kernel {

class LaunchCache;

using codegen::ScanTexts;

/// How a ScanKernel is made.
struct ScanOptions {
  std::string name = "scan";            ///< the kernels' names begin with it
  std::string preamble = {};            ///< C text before the kernels
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, written in place of the language's own where it has one: structures and
  /// complex numbers that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
  Scalar index_dtype = Scalar::int64;     ///< of `i` and `N`: int32 or int64
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  /// One work-item goes through everything, one index after the other: to debug texts by.
  bool is_sequential = false;
  std::string called = {};  ///< what errors call it; empty: scan and its name
  /// Whether groups may wait for earlier ones, so that one pass is enough; none: on the wide
  /// schedule DeviceTraits::forward_progress. A thread of a processor that waits keeps from running
  /// what it waits for, where there are more threads than cores.
  std::optional<bool> looks_back = {};
  /// Whether callers promise that outputs write no memory that inputs of other elements are read
  /// from. Otherwise texts and arguments are compared.
  bool is_apart = false;
};

/// A kernel that gives every index the sum, by an associative operation, of what a user's C text
/// gives for all indices up to it:
///
///     ScanKernel cumulative(device, Scalar::float32,
///                           {.arguments = "const float *x, float *y", .input = "x[i]",
///                            .scan = "a + b", .output = "y[i] = item"});
///     cumulative.launch(stream, n, x, y);
///
/// All inputs are evaluated, each once, before the first output statement that changes what one is
/// read from runs: arrays may be scanned in place. The operation need not be commutative, and what
/// is scanned may be a structure that the preamble defines. On devices whose groups may wait for
/// each other a launch is one kernel and one pass over memory, unless outputs use last_item or may
/// write, by what the texts and the arguments show, where inputs of other elements are read. Equal
/// launches give equal bits. Any thread; compiled at the first launch, and keeps the device alive.
class ScanKernel {
 public:
  /// Throws InvalidArgument for arguments that are no declarations, or called as a scan's own
  /// variables, and for fetches from what is no array; DTypeError for an index dtype.
  ScanKernel(std::shared_ptr<device::Device> device, const DType& dtype, ScanTexts texts,
             ScanOptions options = {});
  ~ScanKernel();

  /// Queues the scan of i = 0 .. n - 1; of no elements nothing is done. One argument for each
  /// declaration, as ElementwiseKernel takes them. Memory for an item for each element is taken
  /// from the device's pool meanwhile.
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...,
                                 UserArgument(device::Argument(device::Location{}))};
    launch_arguments(stream, n, {list, sizeof...(Arguments)});
  }
  /// The same for arguments collected at run time. Throws as DeclaredArguments::check();
  /// InvalidArgument for more elements than the index dtype counts; OutOfMemory; and as Program and
  /// Stream::launch(). On a queue that its owner made out of order, nothing waits for groups.
  void launch_arguments(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// Compiles now rather than at the first launch.
  void compile() { form(looks_back_); }
  /// Compiles, and no longer keeps the device alive: for kernels that the device itself keeps. To
  /// be called before another thread has the kernel.
  void let_go_of_device();
  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept {
    return declared_.parameters();
  }
  /// As ElementwiseKernel::mentions_element(), of the input.
  bool mentions_element(std::string_view name) const;
  /// The same of all texts and of fetches.
  bool takes_element(std::string_view name) const;
  /// The program; in one pass, where both ways are possible.
  const std::string& text() const noexcept { return usual_.text; }
  /// Work-items of a group.
  unsigned group_size() const noexcept { return usual_.group_size; }
  /// Neighbouring elements that one work-item scans by itself.
  unsigned items_per_work_item() const noexcept { return usual_.items; }
  /// Elements of a tile; 0 where scans are not in one pass.
  unsigned tile() const noexcept { return looks_back_ ? usual_.tile : 0; }
  /// Where it runs.
  device::Device& device() const noexcept { return *device_; }

 private:
  /// The compiled kernels of one of the two ways.
  struct Form {
    codegen::ScanText made;
    device::Kernel intervals;
    std::optional<device::Kernel> totals, outputs;
  };
  /// A pointer that inputs read, and one that outputs write; both may be the same.
  struct Pair {
    std::size_t read, written;
    bool is_read_at_i, is_written_at_i;          // and nowhere else
    bool is_read_within_n, is_written_within_n;  // the elements are those of indices
  };
  codegen::ScanText generate(bool looks_back) const;
  std::vector<Pair> pairs(const std::vector<std::string>& one_for_one, bool is_apart) const;
  bool may_be_one_pass(const device::Stream& stream, std::uint64_t n,
                       std::span<const UserArgument> arguments) const;
  const Form& form(bool looks_back);
  std::shared_ptr<const PreparedLaunch> prepare(std::uint64_t n, bool looks_back);
  std::shared_ptr<const PreparedLaunch> prepare_one_pass(std::uint64_t n);

  std::shared_ptr<device::Device> device_;
  codegen::TypeNames types_;
  codegen::ScanSnippet snippet_;
  DeclaredArguments declared_;
  std::vector<std::string> flags_;
  const codegen::Tiling& tiling_;
  bool is_sequential_, looks_back_, is_kept_by_device_ = false;
  codegen::ScanText usual_;
  std::vector<Pair> pairs_;
  std::unique_ptr<LaunchCache> launches_;
  std::mutex mutex_;  // guards what follows; held while it is compiled
  std::optional<Form> one_pass_, passes_;
};

/// The texts of a scan of an array `x` into an array `y`, both with elements of the C type `type`;
/// the two may be one array. With `neutral` each result leaves its own element out.
ScanTexts scan_of_array(const std::string& type, std::string scan,
                        std::optional<std::string> neutral = {});

}  // namespace treadle::kernel

namespace treadle {

using kernel::ScanOptions;
using kernel::ScanTexts;

}  // namespace treadle
