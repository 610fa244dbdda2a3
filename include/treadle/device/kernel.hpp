// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "treadle/device/info.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;
class WatchedMemory;

/// An object that owns or views device memory: memory::Buffer, and what other rooms and programs
/// make.
template <class T>
concept DeviceMemory = requires(const T& memory) {
  { memory.location() } -> std::convertible_to<Location>;
  { memory.device() } -> std::convertible_to<const Device&>;
};

/// Memory with a watcher (treadle/device/deferred.hpp), which is told of the launch: an array. Its
/// place is asked before.
template <class T>
concept DeviceMemoryWatched = DeviceMemory<T> && requires(const T& memory) {
  { memory.for_launch() } -> std::same_as<std::pair<Location, WatchedMemory*>>;
};

/// How many groups of work-items run a kernel (CUDA: grid and block).
struct LaunchShape {
  Extent groups = {};        ///< none in any direction: nothing runs
  Extent group_size = {};    ///< work-items of a group
  unsigned local_bytes = 0;  ///< dynamic local (shared) memory of each group
  /// All groups run at once, so that they may meet (CUDA: grid.sync()); where
  /// DeviceTraits::cooperative_launch says so, and no more than the device holds.
  bool cooperative = false;
};

/// What a parameter is, where the run-time tells.
enum class ParameterKind : std::uint8_t { unknown, integer, floating, memory, local, structure };

/// One parameter of a kernel as the run-time describes it.
struct Parameter {
  std::string name = {}, type = {};  ///< as in the source; empty where the run-time does not tell
  ParameterKind kind = ParameterKind::unknown;  ///< unknown: only the size is checked
  std::size_t size_bytes = 0;  ///< 0 where the run-time does not tell, and for local memory
};

/// What checking a launch reads, in one cache line beside the parameters' own: caches are cold when
/// a driver returns. Kernel makes it from the rest of the state.
struct LaunchPlan {
  /// Which arguments a parameter takes.
  struct Slot {
    std::uint32_t size_bytes;  ///< 0: of any size
    std::uint8_t takes;        ///< a set of Argument::mark()
  };
  const Device* device = nullptr;  ///< null: each launch is checked at length
  std::unique_ptr<Slot[]> slots = {};
  std::uint32_t slot_count = 0;
  Extent max_groups = {}, max_group_size = {};  ///< of the device
  unsigned max_group_items = 0;                 ///< of the kernel
  unsigned offset_alignment = 1;                ///< of the device
  bool has_shape_local_memory = false;          ///< of the device
  bool has_cooperative_launch = false;          ///< of the device
};

/// What a kernel needs of a compute unit. 0 where the run-time does not tell.
struct KernelResources {
  unsigned registers = 0;                 ///< of 32 bits, of each work-item
  std::uint64_t static_local_bytes = 0;   ///< local memory of each group that the text declares
  std::uint64_t private_bytes = 0;        ///< of each work-item, in memory: arrays and spills
  unsigned preferred_group_multiple = 0;  ///< group sizes best are multiples of it
  unsigned max_group_items = 0;           ///< on this device; always told
};

/// What a run-time knows of a kernel; made by its Module, shared by all copies of the Kernel.
/// Implementations derive from it, and add their own object, which keeps the module loaded.
struct KernelState {
  virtual ~KernelState() = default;
  /// As Kernel::groups_per_compute_unit(), for a shape that the kernel allows; asked only where
  /// DeviceTraits::kernel_occupancy.
  virtual unsigned resident_groups(unsigned group_items, std::size_t local_bytes) const = 0;

  std::shared_ptr<Device> device;          ///< where the module is loaded
  std::string name;                        ///< as Module::kernel() was asked for it
  std::vector<Parameter> parameters = {};  ///< in the source's order
  bool parameters_known = false;           ///< false: neither number nor sizes can be checked
  KernelResources resources = {};          ///< asked when the kernel was looked up
  std::string group_limit_reason = {};     ///< why that is less than the device's: "96 registers"
  /// Last, so that what an implementation adds lies beside it; filled by Kernel.
  alignas(64) LaunchPlan plan = {};
};

/// A kernel of a loaded module, which it keeps loaded. A cheap value; launched by Stream::launch,
/// from any thread.
class Kernel {
 public:
  /// For implementations of Module; `state` is not null, has a device, and is not changed later.
  explicit Kernel(std::shared_ptr<KernelState> state);

  /// As Module::kernel() was asked for it.
  const std::string& name() const noexcept { return state_->name; }
  /// Empty, too, where the run-time does not tell: parameters_known() says which.
  const std::vector<Parameter>& parameters() const noexcept { return state_->parameters; }
  /// False: launches check neither the number of arguments nor their sizes.
  bool parameters_known() const noexcept { return state_->parameters_known; }
  /// The most work-items a group of this kernel may have.
  unsigned max_group_items() const noexcept { return state_->resources.max_group_items; }
  /// Registers, local and private memory.
  const KernelResources& resources() const noexcept { return state_->resources; }
  /// How many groups of `group_items` work-items, with `local_bytes` of dynamic local memory each,
  /// a compute unit holds at the same time; none where the run-time does not tell
  /// (DeviceTraits::kernel_occupancy), 0 if not even one fits.
  std::optional<unsigned> groups_per_compute_unit(unsigned group_items,
                                                  std::size_t local_bytes = 0) const;
  /// Where it runs; streams of another device refuse it.
  Device& device() const noexcept { return *state_->device; }
  /// For implementations of Stream.
  const KernelState& state() const noexcept { return *state_; }
  /// For what lies in a slot of the device: this kernel and its copies no longer keep the device
  /// alive, and must end with it. Not for kernels that another thread has already.
  void let_go_of_device() noexcept;
  /// name(), as an object that lives as long as the process: for records of launches.
  const std::string* lasting_name() const noexcept { return lasting_name_; }

 private:
  std::shared_ptr<KernelState> state_;
  const std::string* lasting_name_;
};

/// An argument: dynamic local memory behind a `__local` pointer (OpenCL).
struct Local {
  std::size_t size_bytes;  ///< of each group; at most DeviceInfo::local_memory_bytes
};

/// One argument of a launch: a view of a value, which must live until the launch returns, or a
/// place in memory.
class Argument {
 public:
  /// Which of the questions below have an answer.
  enum class Kind : std::uint8_t { value, memory, local };

  /// A plain value, passed as its bytes.
  template <class T>
    requires(!DeviceMemory<T>)
  Argument(const T& value) noexcept  // implicit: launch(kernel, shape, buffer, 4, 0.5f)
      : data_(&value), size_bytes_(sizeof(T)), value_kind_(kind_of<T>()) {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel argument is copied as bytes");
    static_assert(!std::is_pointer_v<T>, "pass a Buffer or a Location, not a host address");
  }
  /// A value whose type is known at run time only.
  Argument(const void* data, std::size_t size_bytes, ParameterKind kind) noexcept
      : data_(data), size_bytes_(size_bytes), value_kind_(kind) {}
  /// Live memory of the device; not checked.
  Argument(const Location& location) noexcept
      : location_(location), size_bytes_(sizeof(std::uint64_t)), kind_(Kind::memory) {}
  /// Throws what its location() throws, InvalidState if it was freed; of which device it is, the
  /// launch checks.
  template <DeviceMemory Memory>
  Argument(const Memory& memory)
      : size_bytes_(sizeof(std::uint64_t)),
        device_(&static_cast<const Device&>(memory.device())),
        kind_(Kind::memory) {
    if constexpr (DeviceMemoryWatched<Memory>)
      std::tie(location_, watched_) = memory.for_launch();
    else if constexpr (std::convertible_to<const Memory&, Location>)
      location_ = memory;  // the object is passed, its address stays ours
    else
      location_ = memory.location();
  }
  Argument(const Local& local) noexcept : size_bytes_(local.size_bytes), kind_(Kind::local) {}

  /// Decided by the constructor.
  Kind kind() const noexcept { return kind_; }
  /// Of a value.
  const void* data() const noexcept { return data_; }
  /// Of a value: unknown for structures.
  ParameterKind value_kind() const noexcept { return value_kind_; }
  /// Of a value or of local memory.
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Of memory.
  const Location& location() const noexcept { return location_; }
  /// Who is told that the memory is used; null for nobody. It must live until the launch returns.
  WatchedMemory* watched() const noexcept { return watched_; }
  /// The same memory from the start of its allocation, for kernels that take an offset beside it.
  Argument from_start() const noexcept {
    Argument whole = *this;
    whole.location_.offset = 0;
    return whole;
  }
  /// Whose memory it is; null where that is not known.
  const Device* device() const noexcept { return device_; }
  /// The one bit that stands for kind() and value_kind(): what LaunchPlan::Slot::takes is made of.
  std::uint8_t mark() const noexcept {
    // Kinds of values first, then memory and local memory.
    constexpr int value_kinds = static_cast<int>(ParameterKind::structure) + 1;
    const int number = kind_ == Kind::value ? static_cast<int>(value_kind_)
                                            : value_kinds - 1 + static_cast<int>(kind_);
    return static_cast<std::uint8_t>(1u << number);
  }

 private:
  template <class T>
  static constexpr ParameterKind kind_of() noexcept {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      return ParameterKind::integer;
    else if constexpr (std::is_floating_point_v<T>)
      return ParameterKind::floating;
    else
      return ParameterKind::unknown;
  }

  const void* data_ = nullptr;
  Location location_ = {};
  std::size_t size_bytes_ = 0;
  const Device* device_ = nullptr;
  WatchedMemory* watched_ = nullptr;
  Kind kind_ = Kind::value;
  ParameterKind value_kind_ = ParameterKind::unknown;
};

}  // namespace treadle::device
