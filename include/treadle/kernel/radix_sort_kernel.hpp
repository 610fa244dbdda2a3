// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/radix_sort.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/scan_kernel.hpp"

namespace treadle::kernel {

/// The C texts of a radix sort.
struct RadixSortTexts {
  std::string arguments;            ///< C declarations: "const uint *keys, const float *values"
  std::string key;                  ///< an expression of the arguments and the index `i`: "keys[i]"
  std::vector<std::string> sorted;  ///< the arrays that are moved: "keys", "values"
};

/// Options of a RadixSortKernel.
struct RadixSortOptions {
  std::string name = "radix_sort";      ///< the kernels' names begin with this name
  std::string preamble = {};            ///< C text before the kernels
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// As ScanOptions::types.
  std::vector<std::pair<std::string, DType>> types = {};
  Scalar key_dtype = Scalar::uint32;      ///< unsigned; the dtype in which keys are compared
  Scalar index_dtype = Scalar::int64;     ///< dtype of `i`: int32 or int64
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  bool is_sequential = false;             ///< as ScanOptions::is_sequential
  /// Whether a pass reads the keys once, in groups that wait for earlier groups (a sweep); no
  /// value: yes on devices with DeviceTraits::forward_progress, in the wide schedule. There are no
  /// sweeps unless codegen::can_sweep().
  std::optional<bool> sweeps = {};
};

/// A kernel that sorts arrays by an integer key; a user's C text computes the key of each index:
///
///     RadixSortKernel sort(device, {.arguments = "const uint *keys, const float *values",
///                                   .key = "keys[i]", .sorted = {"keys", "values"}});
///     sort.launch(stream, n, {{keys, values}}, {{sorted_keys, sorted_values}});
///
/// Equal keys keep their order. The sort writes sorted copies and leaves its arguments unchanged.
/// Any thread. Compiled at the first launch. Keeps the device alive.
class RadixSortKernel {
 public:
  /// Throws InvalidArgument for arguments that are not declarations, for an argument named `i` or
  /// `N`, and unless `sorted` names at least one array and only arrays; DTypeError for a key dtype
  /// that is not an unsigned integer.
  RadixSortKernel(std::shared_ptr<device::Device> device, RadixSortTexts texts,
                  RadixSortOptions options = {});

  /// The arguments of a launch.
  struct Arguments {
    std::span<const UserArgument> given;  ///< an argument for each declaration
    /// Memory for the sorted copies of RadixSortTexts::sorted, n elements each.
    std::span<const UserArgument> sorted;
    unsigned key_bits = 0;  ///< keys differ only in so many low bits; 0: in all bits
  };
  /// Queues the sort of n elements. While the sort runs, it holds memory for another n elements
  /// from the device's pool. Throws as DeclaredArguments::check(); InvalidArgument for more
  /// elements than the index dtype can count or more bits than a key has; OutOfMemory; and as
  /// Program and Stream::launch().
  void launch(device::Stream& stream, std::uint64_t n, const Arguments& arguments,
              const device::Order& order = {});

  /// Compiles now rather than at the first launch.
  void compile();
  /// As ScanKernel::let_go_of_device().
  void let_go_of_device();
  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept {
    return given_.parameters();
  }
  /// The text of the program.
  std::string text() const { return made_.text; }
  /// Whether a pass reads the keys once.
  bool sweeps() const noexcept { return made_.sweeps; }
  /// The kernel's device.
  device::Device& device() const noexcept { return *device_; }

 private:
  /// The compiled kernels.
  struct Form {
    DeclaredArguments targets;
    device::Kernel counts, places;
  };
  /// Generates the text and decides whether it sweeps.
  void generate(std::optional<bool> sweeps);
  const Form& form();
  void require_valid(std::uint64_t n, const Arguments& arguments) const;
  unsigned passes_of(const Arguments& arguments) const;
  /// Calls `pass(number, from, into)` for each pass, with the arrays that it reads and writes.
  void each_pass(device::Stream& stream, std::uint64_t n, const Arguments& arguments,
                 const std::function<void(unsigned pass, std::span<const UserArgument> from,
                                          std::span<const UserArgument> into)>& pass) const;
  void launch_sweeps(device::Stream& stream, std::uint64_t n, const Arguments& arguments,
                     const device::Order& order);

  std::shared_ptr<device::Device> device_;
  codegen::TypeNames types_;
  codegen::RadixSortSnippet snippet_;
  DeclaredArguments given_;
  std::vector<std::string> flags_;
  const codegen::Tiling& tiling_;
  bool is_sequential_;
  codegen::RadixSortText made_;
  std::optional<ScanKernel> first_places_;  // scans the counts in place; none for a sweep
  std::mutex mutex_;  // guards the members below; held while the program is compiled
  std::optional<Form> form_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::RadixSortKernel;
using kernel::RadixSortOptions;
using kernel::RadixSortTexts;

}  // namespace treadle
