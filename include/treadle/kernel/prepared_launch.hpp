// SPDX-License-Identifier: MIT
// Launches that were worked out once, and are queued again with other arrays and other scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/number.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/workspace.hpp"

namespace treadle::kernel {

/// An array as an operand of a launch.
struct ElementwiseArray {
  device::Location location;              ///< of its first element
  std::span<const std::int64_t> strides;  ///< in bytes, of each axis; 0 where it is broadcast
};

/// What a kernel was, for reports. The texts live as long as the device.
struct KernelNote {
  const std::string* name = nullptr;  ///< null: nothing ran
  const std::string* text = nullptr;  ///< null where the name is, or unknown
  std::uint64_t bytes_read = 0;       ///< what is broadcast counts once
  std::uint64_t bytes_written = 0;    ///< likewise
  std::uint64_t instructions = 0;     ///< an estimate
};

/// A launch with all that stays the same when arrays begin elsewhere and scalars have other values.
/// Never changes once it is made; any thread. Lives no longer than the device.
struct PreparedLaunch {
  /// The argument for a parameter.
  struct Slot {
    /// Where it comes from.
    enum class What : std::uint8_t {
      address,     ///< of an array, `number` bytes behind where it begins
      handle,      ///< of an array, where languages have no addresses
      offset,      ///< of that address behind the handle, in elements
      scalar,      ///< a value that each launch brings
      number,      ///< a value that is the same for all launches
      partials,    ///< of the workspace
      tickets,     ///< of the workspace
      words,       ///< of the workspace
      word_count,  ///< how many those are, a value
      scratch,     ///< memory of the launch's own: which of `scratch`
    };
    What what;                                                    ///< where it comes from
    std::uint8_t index = 0;                                       ///< which array or scalar
    std::uint8_t size_bytes = 8;                                  ///< of a value
    device::ParameterKind kind = device::ParameterKind::integer;  ///< likewise
    std::int64_t number = 0;                                      ///< as `what` says
    DType element = Scalar::int8;                                 ///< for `offset`
  };
  /// One launch of one kernel.
  struct Step {
    const device::Kernel* kernel;  ///< a plan's, which the device keeps
    device::LaunchShape shape;     ///< groups and their size
    std::vector<Slot> slots;       ///< in the kernel's order
  };

  std::vector<Step> steps;  ///< one, but for spaces that are too large for one launch, and scans
  WorkspaceSize workspace = {};           ///< without tickets and words: none
  KernelNote note;                        ///< of all steps together
  std::vector<std::size_t> scratch = {};  ///< bytes of the pool, for as long as it runs

  /// Queues the launch. `arrays` are as those that it was made for; they may begin elsewhere, at
  /// the same address modulo 16. There are as many scalars. Throws as Stream::launch().
  void launch(device::Stream& stream, std::span<const ElementwiseArray> arrays,
              std::span<const ElementBytes> scalars, const device::Order& order = {}) const;
  /// The same with the arguments `first` before those of the slots: a user's own arguments. The
  /// steps run one after the other.
  void launch_behind(device::Stream& stream, std::span<const device::Argument> first,
                     std::span<const ElementwiseArray> arrays,
                     const device::Order& order = {}) const;
};

}  // namespace treadle::kernel
