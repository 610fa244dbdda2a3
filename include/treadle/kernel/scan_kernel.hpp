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

/// Options of a ScanKernel.
struct ScanOptions {
  std::string name = "scan";            ///< the kernels' names begin with this name
  std::string preamble = {};            ///< C text before the kernels
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// C names for dtypes, which replace the language's own names: structures and complex numbers
  /// that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
  Scalar index_dtype = Scalar::int64;     ///< dtype of `i` and `N`: int32 or int64
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  /// Whether one work-item goes through all indices in order: helps to debug texts.
  bool is_sequential = false;
  std::string called = {};  ///< the name in errors; empty: "scan" and `name`
  /// Whether groups may wait for earlier groups, so that one pass is enough; no value: on the wide
  /// schedule DeviceTraits::forward_progress. If a processor has more threads than cores, a waiting
  /// thread can keep the thread that it waits for from running.
  std::optional<bool> looks_back = {};
  /// Whether callers promise that no output writes memory that the input of another element is read
  /// from. Without the promise, texts and arguments are examined.
  bool is_apart = false;
};

/// A kernel that gives each index the sum, by an associative operation, of the values of a user's C
/// text for all indices up to itself:
///
///     ScanKernel cumulative(device, Scalar::float32,
///                           {.arguments = "const float *x, float *y", .input = "x[i]",
///                            .scan = "a + b", .output = "y[i] = item"});
///     cumulative.launch(stream, n, x, y);
///
/// Arrays may be scanned in place: each input is evaluated once, before any output statement that
/// overwrites its memory. The operation need not be commutative, and the values may be structures
/// that the preamble defines. On devices whose groups may wait for each other, a launch is one
/// kernel and one pass over memory, except in two cases: an output uses last_item, or, as far as
/// the texts and arguments show, may write where the input of another element is read. Equal
/// launches give equal bits. Any thread. Compiled at the first launch. Keeps the device alive.
class ScanKernel {
 public:
  /// Throws InvalidArgument for arguments that are not declarations, for an argument with the name
  /// of one of the scan's variables, and for a fetch from an argument that is not an array;
  /// DTypeError for an index dtype other than int32 and int64.
  ScanKernel(std::shared_ptr<device::Device> device, const DType& dtype, ScanTexts texts,
             ScanOptions options = {});
  ~ScanKernel();

  /// Queues the scan of i = 0 .. n - 1; if n is 0, nothing runs. Takes an argument for each
  /// declaration, like ElementwiseKernel. While the scan runs, it holds memory for n items from the
  /// device's pool.
  template <class... Arguments>
  void launch(device::Stream& stream, std::uint64_t n, const Arguments&... arguments) {
    const UserArgument list[] = {UserArgument(arguments)...,
                                 UserArgument(device::Argument(device::Location{}))};
    launch_arguments(stream, n, {list, sizeof...(Arguments)});
  }
  /// Like launch(), for arguments collected at run time. Throws as DeclaredArguments::check();
  /// InvalidArgument for more elements than the index dtype can count; OutOfMemory; and as Program
  /// and Stream::launch(). On a queue that its owner created out of order, no group waits for
  /// another.
  void launch_arguments(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> arguments, const device::Order& order = {});

  /// Compiles now and not at the first launch.
  void compile() { form(looks_back_); }
  /// Compiles, and stops keeping the device alive: for kernels that the device itself keeps. Call
  /// it before another thread has the kernel.
  void let_go_of_device();
  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept {
    return declared_.parameters();
  }
  /// Whether the input contains `name[i]`; see ElementwiseKernel::mentions_element().
  bool mentions_element(std::string_view name) const;
  /// Whether any text or fetch contains `name[i]`.
  bool takes_element(std::string_view name) const;
  /// The text of the program; if both methods are possible, that of the one-pass scan.
  const std::string& text() const noexcept { return usual_.text; }
  /// Work-items of a group.
  unsigned group_size() const noexcept { return usual_.group_size; }
  /// Neighbouring elements that one work-item scans by itself.
  unsigned items_per_work_item() const noexcept { return usual_.items; }
  /// Elements of a tile; 0 unless scans take one pass.
  unsigned tile() const noexcept { return looks_back_ ? usual_.tile : 0; }
  /// The kernel's device.
  device::Device& device() const noexcept { return *device_; }

 private:
  /// The compiled kernels of one of the two methods.
  struct Form {
    codegen::ScanText made;
    device::Kernel intervals;
    std::optional<device::Kernel> totals, outputs;
  };
  /// A pointer that inputs read and a pointer that outputs write; both may be one pointer.
  struct Pair {
    std::size_t read, written;
    bool is_read_at_i, is_written_at_i;          // only the element `i` is accessed
    bool is_read_within_n, is_written_within_n;  // only elements of indices below n are accessed
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
  std::mutex mutex_;  // guards the members below; held while a program is compiled
  std::optional<Form> one_pass_, passes_;
};

/// The texts of a scan of an array `x` into an array `y`; both have elements of the C type `type`,
/// and may be the same array. With `neutral`, a result excludes its own element.
ScanTexts scan_of_array(const std::string& type, std::string scan,
                        std::optional<std::string> neutral = {});

}  // namespace treadle::kernel

namespace treadle {

using kernel::ScanOptions;
using kernel::ScanTexts;

}  // namespace treadle
