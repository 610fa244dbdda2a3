// SPDX-License-Identifier: MIT
// Launches that are prepared once and queued many times, with other arrays and other scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// An array that is an operand of a launch.
struct ElementwiseArray {
  device::Location location;              ///< of the first element
  std::span<const std::int64_t> strides;  ///< bytes along each axis; 0 for a broadcast axis
};

/// A report of the kernels that ran. The texts live as long as the device, or as `keeper`.
struct KernelNote {
  const std::string* name = nullptr;        ///< null: nothing ran
  const std::string* text = nullptr;        ///< null if nothing ran or the text is unknown
  std::uint64_t bytes_read = 0;             ///< a broadcast element counts once
  std::uint64_t bytes_written = 0;          ///< a broadcast element counts once
  std::uint64_t instructions = 0;           ///< an estimate
  std::shared_ptr<const void> keeper = {};  ///< of texts that the device does not keep
};

/// A launch with everything that does not depend on the start of its arrays and on its scalars.
/// Immutable; any thread. Must not outlive the device.
struct PreparedLaunch {
  /// The argument for a parameter of the kernel.
  struct Slot {
    /// Where the argument comes from.
    enum class What : std::uint8_t {
      address,     ///< address of an array, plus `number` bytes
      handle,      ///< handle of an array, if the language has no addresses
      offset,      ///< elements from the handle to the address of What::address
      scalar,      ///< a value that the caller of launch() passes
      number,      ///< a value that is the same for all launches
      partials,    ///< address in the workspace
      tickets,     ///< address in the workspace
      words,       ///< address in the workspace
      word_count,  ///< number of words, a value
      scratch,     ///< memory for this launch: `scratch[number]`
    };
    What what;                                                    ///< where it comes from
    std::uint8_t index = 0;                                       ///< number of the array or scalar
    std::uint8_t size_bytes = 8;                                  ///< size of a value
    device::ParameterKind kind = device::ParameterKind::integer;  ///< kind of a value
    std::int64_t number = 0;                                      ///< see `what`
    DType element = Scalar::int8;                                 ///< element type, for `offset`
  };
  /// One launch of one kernel.
  struct Step {
    const device::Kernel* kernel;  ///< kernel of a plan, which the device keeps
    device::LaunchShape shape;     ///< groups and their size
    std::vector<Slot> slots;       ///< arguments in the kernel's order
  };

  /// One step, but several for scans and for spaces too large for one launch.
  std::vector<Step> steps;
  WorkspaceSize workspace = {};  ///< no tickets and no words: no workspace
  KernelNote note;               ///< for all steps together
  /// Sizes in bytes of pool memory held while the launch runs.
  std::vector<std::size_t> scratch = {};

  /// Queues the launch. `arrays` must match those it was prepared for, but may start elsewhere, at
  /// an address equal modulo 16. `scalars` must be as many. Throws as Stream::launch().
  void launch(device::Stream& stream, std::span<const ElementwiseArray> arrays,
              std::span<const ElementBytes> scalars, const device::Order& order = {}) const;
  /// Like launch(), with the arguments `first`, a user's own, before those of the slots. The steps
  /// run one after the other.
  void launch_behind(device::Stream& stream, std::span<const device::Argument> first,
                     std::span<const ElementwiseArray> arrays,
                     const device::Order& order = {}) const;
};

}  // namespace treadle::kernel
