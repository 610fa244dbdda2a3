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
  std::string key;                  ///< of the arguments for the index `i`: "keys[i]"
  std::vector<std::string> sorted;  ///< the arrays that are moved: "keys", "values"
};

/// How a RadixSortKernel is made.
struct RadixSortOptions {
  std::string name = "radix_sort";      ///< the kernels' names begin with it
  std::string preamble = {};            ///< C text before the kernels
  std::vector<std::string> flags = {};  ///< the compiler's own, as ProgramOptions::flags
  /// As ScanOptions::types.
  std::vector<std::pair<std::string, DType>> types = {};
  Scalar key_dtype = Scalar::uint32;      ///< unsigned; keys are compared as numbers of it
  Scalar index_dtype = Scalar::int64;     ///< of `i`: int32 or int64
  std::optional<Schedule> schedule = {};  ///< none: DeviceTraits::schedule
  bool is_sequential = false;             ///< as ScanOptions::is_sequential
  /// Whether passes read keys once, and groups wait for earlier ones; none: on devices with
  /// DeviceTraits::forward_progress, in the wide schedule. Nobody sweeps where
  /// codegen::can_sweep() says no.
  std::optional<bool> sweeps = {};
};

/// A kernel that sorts arrays by an integer key, which a user's C text gives for each index:
///
///     RadixSortKernel sort(device, {.arguments = "const uint *keys, const float *values",
///                                   .key = "keys[i]", .sorted = {"keys", "values"}});
///     sort.launch(stream, n, {{keys, values}}, {{sorted_keys, sorted_values}});
///
/// Equal keys stay in their order. The arguments are left as they are: what is sorted are copies.
/// Any thread; compiled at the first launch, and keeps the device alive.
class RadixSortKernel {
 public:
  /// Throws InvalidArgument for arguments that are no declarations, or called `i` or `N`, and if
  /// nothing is sorted or it is no array; DTypeError for keys that are no unsigned integers.
  RadixSortKernel(std::shared_ptr<device::Device> device, RadixSortTexts texts,
                  RadixSortOptions options = {});

  /// What a launch is given.
  struct Arguments {
    std::span<const UserArgument> given;   ///< one for each declaration
    std::span<const UserArgument> sorted;  ///< where RadixSortTexts::sorted go, n elements each
    unsigned key_bits = 0;                 ///< only so many low bits of the keys differ; 0: all may
  };
  /// Queues the sort of n elements. Memory for as many again is taken from the device's pool
  /// meanwhile. Throws as DeclaredArguments::check(); InvalidArgument for more elements than the
  /// index dtype counts or more bits than a key has; OutOfMemory; and as Program and
  /// Stream::launch().
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
  /// The program.
  std::string text() const { return made_.text; }
  /// Whether passes read keys once.
  bool sweeps() const noexcept { return made_.sweeps; }
  /// Where it runs.
  device::Device& device() const noexcept { return *device_; }

 private:
  /// The compiled kernels.
  struct Form {
    DeclaredArguments targets;
    device::Kernel counts, places;
  };
  /// Makes the text, and says whether it sweeps.
  void generate(std::optional<bool> sweeps);
  const Form& form();
  void require_valid(std::uint64_t n, const Arguments& arguments) const;
  unsigned passes_of(const Arguments& arguments) const;
  /// Calls `pass(number, from, into)` for each pass, with what it reads and where that goes.
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
  std::optional<ScanKernel> first_places_;  // of the counts, in place; none: it sweeps
  std::mutex mutex_;                        // guards what follows; held while it is compiled
  std::optional<Form> form_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::RadixSortKernel;
using kernel::RadixSortOptions;
using kernel::RadixSortTexts;

}  // namespace treadle
