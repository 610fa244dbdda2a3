// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/module_image.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class Event;
class LaunchLog;
class Module;
class Stream;

/// What Device::build is given.
struct BuildRequest {
  std::string source;                     ///< in the device's language
  std::vector<std::string> options = {};  ///< the run-time's own spellings
};
/// What it gives: the binary to keep, and the module it is already.
struct BuildResult {
  ModuleImage image;               ///< what load() takes on an equal device
  std::string log;                 ///< what the compiler said although it succeeded
  std::shared_ptr<Module> module;  ///< loaded already
};

/// One device of one run-time, where memory, streams, events and modules are made. They keep it
/// alive. Nothing is set up before the first of them is asked for. Any thread.
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

  /// Memory aligned to info().allocation_alignment, with undefined contents. Blocking. Zero bytes
  /// give the empty Location, without a call to the run-time. Throws OutOfMemory.
  Location allocate(std::size_t size_bytes);
  /// Gives back what allocate() gave, by exactly that Location. Work that is queued already may
  /// still use it. The empty Location is ignored. Throws InvalidState if it is no live allocation
  /// of this device: freed before, another device's, or a place inside one.
  void free(Location location);
  /// Makes memory known that someone else allocated and will free, for example another library's
  /// array, so that copies to and from it are possible. forget() it before that.
  void adopt(Location location, std::size_t size_bytes);
  /// The memory is no longer known here; what adopt() did not make known is ignored.
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

  /// A queue of its own.
  std::shared_ptr<Stream> make_stream();
  /// The stream for those who need no other; lives as long as the device. Other streams are not
  /// ordered with it.
  std::shared_ptr<Stream> default_stream();
  /// An event of its own, in which nothing is recorded yet.
  std::shared_ptr<Event> make_event();

  /// Loads what a compiler or build() made for this device. Blocking. Throws DeviceError with the
  /// run-time's log if it refuses.
  std::shared_ptr<Module> load(const ModuleImage& image);
  /// Compiles text with the run-time's own compiler. Blocking, often long. Throws CompileError with
  /// the log, NotSupported where !info().builds_text.
  BuildResult build(const BuildRequest& request);

  /// For implementations; others ask last_launches() (treadle/device/launch_log.hpp).
  LaunchLog& launches() const noexcept { return *launches_; }

 protected:
  explicit Device(DeviceInfo info);

  /// Allocates `size_bytes` > 0. Order: the memory is usable by work of every stream from the
  /// return on. Lifetime: until free_memory(). Throws OutOfMemory, or DeviceError.
  virtual Location allocate_memory(std::size_t size_bytes) = 0;
  /// Frees what allocate_memory() gave; called once for each. Order: must not pull memory away
  /// under work queued before on any stream: waits for it, or lets the run-time free it later.
  /// Called from destructors too: throws DeviceError only if nothing can be done about it.
  virtual void free_memory(Location location) = 0;
  /// A new in-order queue, independent of all others. Lifetime: the caller keeps this device alive
  /// for longer than the stream. The stream's destructor must not wait, nor drop queued work.
  virtual std::unique_ptr<Stream> create_stream() = 0;
  /// A new event that nothing was recorded in. Lifetime: as a stream's.
  virtual std::shared_ptr<Event> create_event() = 0;
  /// Loads a module image, which the caller may drop after the return. Lifetime: the module keeps
  /// the device, and each of its kernels the module. Two loads of one image are two modules.
  virtual std::shared_ptr<Module> load_module(const ModuleImage& image) = 0;
  /// Compiles; called only where info().builds_text. May run on several threads at once.
  virtual BuildResult build_text(const BuildRequest& request) = 0;

 private:
  DeviceInfo info_;
  std::unique_ptr<LaunchLog> launches_;
  mutable std::mutex mutex_;                        // guards what follows
  std::map<std::uint64_t, std::uint64_t> memory_;   // handle -> bytes, of live allocations
  std::map<std::uint64_t, std::uint64_t> adopted_;  // the same for memory of others
  std::once_flag default_stream_made_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace treadle::device
