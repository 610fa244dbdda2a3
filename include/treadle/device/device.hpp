// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "treadle/base/module_image.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class DeferredWork;
class LaunchLog;
class Module;
class Stream;

/// A number for each type that Device::slot() is asked for.
std::size_t next_slot_number() noexcept;
/// That of T.
template <class T>
inline const std::size_t slot_number = next_slot_number();

/// What Device::build is given.
struct BuildRequest {
  std::string source;                     ///< in the device's language
  std::vector<std::string> options = {};  ///< the run-time's own spellings
  /// False: BuildResult::image stays empty. PoCL compiles a kernel once more for its binary.
  bool wants_image = true;
};
/// What it gives: the binary to keep, and the module it is already.
struct BuildResult {
  ModuleImage image;               ///< what load() takes on an equal device; if it was wanted
  std::string log;                 ///< what the compiler said although it succeeded
  std::shared_ptr<Module> module;  ///< loaded already
};

/// How a stream is made.
struct StreamOptions {
  /// Lower is more urgent; clamped to info().limits.greatest_priority .. least_priority.
  int priority = 0;
};

/// Which memory is allocated.
enum class MemoryKind : std::uint8_t {
  device,       ///< of the device
  page_locked,  ///< of the host, which the device can read and write: copies from it are direct
};
/// What Device::allocate_as() gives.
struct Allocated {
  Location location;          ///< for kernels and copies of the device
  std::byte* host = nullptr;  ///< where the host sees it; null for MemoryKind::device
};

/// Device memory at one moment.
struct MemoryInfo {
  std::uint64_t free_bytes = 0;   ///< for any process, where `is_measured`
  std::uint64_t total_bytes = 0;  ///< as info().memory_bytes
  /// False where the run-time does not tell: then what this Device allocated is subtracted.
  bool is_measured = false;
};

/// What an address is.
struct AddressInfo {
  enum class Kind : std::uint8_t {
    unknown,      ///< nothing this run-time knows: plain host memory, or another run-time's
    device,       ///< memory of a device
    page_locked,  ///< host memory that the run-time allocated or registered
    managed,      ///< memory that moves between host and device
  };
  Kind kind = Kind::unknown;
  Location location = {};        ///< of the whole allocation the address lies in
  std::uint64_t size_bytes = 0;  ///< of that allocation; 0 where the run-time does not tell
  std::uint64_t offset = 0;      ///< of the address in it
  bool is_own = false;           ///< usable in this Device's context
};
/// "unknown", "device", "page-locked" or "managed".
std::string_view address_kind_name(AddressInfo::Kind kind) noexcept;

/// One device of one run-time *in a context*, where memory, streams, events and modules are made.
/// They keep it alive. A native Device has the run-time's own context of the device (on CUDA the
/// primary one), which is set up when it is first needed; one of device_of() (treadle/device/
/// cuda.hpp, opencl.hpp) has the context of a shell or of another library. There is one Device
/// object for each context and device. Any thread.
///
/// The public functions check; what a run-time has to provide are the protected virtuals. No lock
/// is held while one of those runs, so an implementation may take its own.
class Device : public std::enable_shared_from_this<Device> {
 public:
  virtual ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Asked when the device was found; the same for its life.
  const DeviceInfo& info() const noexcept { return info_; }
  /// Whether the context is somebody else's.
  bool is_adopted() const noexcept { return is_adopted_; }
  /// Whether its context was destroyed under it: of no more use.
  virtual bool is_lost() const noexcept { return false; }

  /// Memory aligned to info().limits.allocation_alignment, with undefined contents. Blocking. Zero
  /// bytes give the empty Location, without a call to the run-time. Throws OutOfMemory.
  Location allocate(std::size_t size_bytes);
  /// The same for memory of either kind.
  Allocated allocate_as(MemoryKind kind, std::size_t size_bytes);
  /// Gives back what allocate() or allocate_as() gave, by exactly that Location. Work that is
  /// queued already may still use memory of the device; page-locked memory must not be in use. The
  /// empty Location is ignored. Throws InvalidState if it is no live allocation of this device:
  /// freed before, another device's, or a place inside one.
  void free(Location location);
  /// Makes memory known that someone else allocated and will free, for example another library's
  /// array, so that copies to and from it are possible. Adoptions of one place count, and the
  /// longest tells the size; forget() each before the memory goes.
  void adopt(Location location, std::size_t size_bytes);
  /// Takes one adoption back; with the last the memory is no longer known here. What adopt() did
  /// not make known is ignored.
  void forget(Location location) noexcept;
  /// Throws if [location, location + size_bytes) is not within live memory of this device:
  /// InvalidState for memory it does not know, InvalidArgument naming both sizes otherwise. Nothing
  /// is wrong with zero bytes.
  void require_memory(Location location, std::size_t size_bytes, const char* what) const;
  /// Allocations that were not freed, and their bytes.
  struct LiveMemory {
    std::size_t count = 0;    ///< allocations; adopted memory is none of them
    std::uint64_t bytes = 0;  ///< as they were asked for
  };
  /// Exact when no other thread allocates or frees.
  LiveMemory live_memory() const;
  /// Asks the run-time; other processes change the answer.
  MemoryInfo memory_info();
  /// What `address` is, as the run-time knows it: an address for CUDA, on OpenCL the handle of a
  /// buffer object that this Device allocated or adopted. Never fails for an address it does not
  /// know.
  AddressInfo address_info(std::uint64_t address);

  /// A queue of its own.
  std::shared_ptr<Stream> make_stream(const StreamOptions& options = {});
  /// The stream for those who need no other; lives as long as the device. On CUDA it is the legacy
  /// default stream, with which the data of other libraries is ordered. Streams of make_stream()
  /// are not ordered with it.
  std::shared_ptr<Stream> default_stream();
  /// A stream that someone else owns, and keeps alive or lets `owner` do it (a stream of
  /// treadle::cuda stays alive by itself), by what the run-time
  /// calls it: CUstream (0 or 1: legacy default stream, 2: per-thread one), cl_command_queue of
  /// this context and device (which is retained). The same object for every call while one lives.
  /// Throws InvalidArgument for a stream of another context, where the run-time can tell.
  std::shared_ptr<Stream> adopt_stream(std::uint64_t raw, std::shared_ptr<void> owner = {});
  /// An event of its own, in which nothing is recorded yet.
  std::shared_ptr<Event> make_event(Timing timing = Timing::on);
  /// An event that someone else owns and keeps alive, with what is recorded in it: CUevent,
  /// cl_event (which is retained). Throws InvalidArgument for null.
  std::shared_ptr<Event> adopt_event(std::uint64_t raw);
  /// Devices whose events can be waited for by each other's streams have the same; compare only.
  const void* event_domain() const noexcept { return event_domain_; }

  /// Loads what a compiler or build() made for this device. Blocking. Throws DeviceError with the
  /// run-time's log if it refuses.
  std::shared_ptr<Module> load(const ModuleImage& image);
  /// Compiles text with the run-time's own compiler. Blocking, often long. Throws CompileError with
  /// the log, NotSupported where !info().traits.builds_text.
  BuildResult build(const BuildRequest& request);

  /// For implementations; others ask last_launches() (treadle/device/launch_log.hpp).
  LaunchLog& launches() const noexcept { return *launches_; }

  /// Whoever has put work of this device off; null: nobody, which is the usual case.
  DeferredWork* deferred() const noexcept { return deferred_.load(std::memory_order_acquire); }
  /// Before a mark or a wait: queues what was put off on a stream, or (null) on all of them.
  void queue_deferred(Stream* stream = nullptr);
  /// Lives until null is set, or as long as the device.
  void set_deferred(DeferredWork* work) noexcept {
    deferred_.store(work, std::memory_order_release);
  }

  /// The one T of this device: what code above the waist keeps for a device, such as its pool or
  /// its kernels. Whoever needs one says so by a type of its own; nothing here knows the types.
  /// `make` returns a std::shared_ptr<T>, and is called once, with a lock held that it may take
  /// again by asking for other slots. The T must not keep the device alive. It ends with the
  /// device, before what was made earlier.
  template <class T, class Make>
  T& slot(Make&& make) {
    const std::size_t number = slot_number<T>;
    if (number < slots_.size()) [[likely]]
      if (void* there = slots_[number].load(std::memory_order_acquire)) [[likely]]
        return *static_cast<T*>(there);
    return *static_cast<T*>(
        fill_slot(number, [&] { return std::static_pointer_cast<void>(make()); }));
  }
  /// The same, made as T(device) or, where there is no such constructor, as T().
  template <class T>
  T& slot() {
    return slot<T>([this] {
      if constexpr (std::is_constructible_v<T, Device&>)
        return std::make_shared<T>(*this);
      else
        return std::make_shared<T>();
    });
  }

 protected:
  /// `event_domain` null: the device itself, a domain of its own.
  Device(DeviceInfo info, bool is_adopted, const void* event_domain);

  /// For the destructors of implementations, as their first act, while the virtuals still work:
  /// ends what is in slots, and frees what its users left behind, with a warning.
  void end() noexcept;

  /// Allocates `size_bytes` > 0. Order: the memory is usable by work of every stream from the
  /// return on. Lifetime: until free_memory(). Throws OutOfMemory, or DeviceError.
  virtual Allocated allocate_memory(MemoryKind kind, std::size_t size_bytes) = 0;
  /// Frees what allocate_memory() gave; called once for each. Order: must not pull memory of the
  /// device away under work queued before on any stream: waits for it, or lets the run-time free it
  /// later. Called from destructors too: throws DeviceError only if nothing can be done about it.
  virtual void free_memory(MemoryKind kind, Location location) = 0;
  /// As memory_info(); free_bytes is not read where it is not measured.
  virtual MemoryInfo query_memory() = 0;
  /// As address_info() for an address that is not 0.
  virtual AddressInfo query_address(std::uint64_t address) = 0;
  /// What a stream is made from.
  struct StreamSource {
    enum class From : std::uint8_t { options, default_stream, raw };
    From from;
    StreamOptions options = {};  ///< clamped
    std::uint64_t raw = 0;       ///< never CUDA's null stream: that is default_stream
  };
  /// A new in-order queue, independent of all others; the default stream, asked for once; or one
  /// that wraps `raw`, which its owner keeps. Lifetime: the caller keeps this device alive for
  /// longer than the stream. The stream's destructor must not wait, nor drop queued work.
  virtual std::unique_ptr<Stream> create_stream(const StreamSource& source) = 0;
  /// A new event that nothing was recorded in (`raw` 0), or one that wraps `raw`. Lifetime: as a
  /// stream's.
  virtual std::shared_ptr<Event> create_event(Timing timing, std::uint64_t raw) = 0;
  /// Loads a module image, which the caller may drop after the return. Lifetime: the module keeps
  /// the device, and each of its kernels the module. Two loads of one image are two modules.
  virtual std::shared_ptr<Module> load_module(const ModuleImage& image) = 0;
  /// Compiles; called only where info().traits.builds_text. May run on several threads at once.
  virtual BuildResult build_text(const BuildRequest& request) = 0;

 private:
  struct Allocation {
    std::uint64_t size_bytes;
    MemoryKind kind;
  };
  struct Adoption {
    std::uint64_t size_bytes;
    std::size_t count;
  };
  void* fill_slot(std::size_t number, const std::function<std::shared_ptr<void>()>& make);
  std::shared_ptr<Stream> keeping_device(const std::shared_ptr<Stream>& stream);

  DeviceInfo info_;
  bool is_adopted_;
  const void* event_domain_;
  std::atomic<DeferredWork*> deferred_ = nullptr;
  std::unique_ptr<LaunchLog> launches_;
  mutable std::mutex mutex_;                    // guards the two that follow
  std::map<std::uint64_t, Allocation> memory_;  // handle -> live allocation
  std::map<std::uint64_t, Adoption> adopted_;   // the same for memory of others
  std::once_flag default_stream_made_;
  std::shared_ptr<Stream> default_stream_;
  std::mutex streams_mutex_;  // guards what follows
  std::map<std::uint64_t, std::weak_ptr<Stream>> adopted_streams_;
  std::recursive_mutex slots_mutex_;  // guards slot_owners_; held while a slot is filled
  std::vector<std::pair<std::size_t, std::shared_ptr<void>>> slot_owners_;  // as they were made
  /// What the owners of the first numbers own. Further ones are found among the owners.
  std::array<std::atomic<void*>, 32> slots_ = {};
};

}  // namespace treadle::device
