// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;
class Event;

/// One copy between host and device or within a device.
struct Copy {
  /// Which sides of a copy are Locations.
  enum class Direction { to_device, to_host, on_device };
  Direction direction;                     ///< decides which of the following are read
  Location destination = {}, source = {};  ///< the sides that are on the device
  void* host = nullptr;                    ///< the other side; only read from for to_device
  std::size_t size_bytes = 0;              ///< more than 0: Stream queues nothing for less
};

/// A queue of work on one device: in order within the stream, concurrent with other streams. Work
/// is put on it by any thread; what two threads put on at once comes in either order, each piece
/// whole.
///
/// Functions that queue work return without waiting for it, and a failure of the running work
/// surfaces at the next synchronize() of this stream or an event after it. They check first and
/// throw what is wrong with an argument (InvalidArgument, InvalidState) before anything is queued.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The one it was made by, which outlives it.
  Device& device() const noexcept { return device_; }

  /// Queue a copy. The host range must stay where it is, and unchanged (copy_in) or unread
  /// (copy_out), until the stream is past the copy. Zero bytes queue nothing. The memory must be
  /// live memory of this device, both ends within it.
  void copy_in(Location destination, const void* source, std::size_t size_bytes);
  /// As copy_in(), the other way: the bytes are there once the stream is past the copy.
  void copy_out(void* destination, Location source, std::size_t size_bytes);
  /// The two ranges must not overlap.
  void copy(Location destination, Location source, std::size_t size_bytes);
  /// Queues filling the `count` elements from `destination` on with the bytes of `pattern`: 1, 2,
  /// 4, 8 or 16 of them, to which the offset of `destination` is aligned.
  void fill(Location destination, std::span<const std::byte> pattern, std::size_t count);

  /// Starts a kernel: sets its arguments and queues it, as one operation. Arguments are checked
  /// against the kernel's parameters in number, size and kind, and the shape against the limits of
  /// kernel and device: InvalidArgument (DTypeError for a kind) names the parameter and what it
  /// takes; NotSupported says that groups cannot meet here. No groups run nothing. Values are
  /// copied before the return; memory must live until the stream is past the kernel.
  template <class... Arguments>
  void launch(const Kernel& kernel, const LaunchShape& shape, const Arguments&... arguments) {
    // One spare entry: a kernel without parameters would otherwise need an array of none.
    const Argument list[] = {Argument(arguments)..., Argument(Location{})};
    launch_arguments(kernel, shape, {list, sizeof...(Arguments)});
  }
  /// The same for arguments collected at run time.
  void launch_arguments(const Kernel& kernel, const LaunchShape& shape,
                        std::span<const Argument> arguments);

  /// Marks the work queued so far in `event`; what was recorded in it before is forgotten.
  void record(Event& event);
  /// Later work of this stream starts after what `event` has recorded; the host does not wait. The
  /// event may be recorded anew or destroyed at once. Nothing recorded: nothing to wait for.
  void wait(const Event& event);
  /// Blocks until all work queued so far is done; here its failure surfaces, as DeviceError,
  /// LaunchError where a kernel failed.
  virtual void synchronize() = 0;
  /// Whether all work queued so far is done; does not block. Throws as synchronize().
  ///
  /// Contract of both for implementations: no lock may be held that another thread needs to queue
  /// work here; work queued by other threads meanwhile may or may not be waited for.
  virtual bool is_done() = 0;

 protected:
  /// `device` outlives the stream: Device::make_stream() sees to it.
  explicit Stream(Device& device) noexcept : device_(device) {}

  // What follows gets checked arguments and must be ordered behind everything queued before, from
  // whichever thread. A failed call queues nothing.

  /// size_bytes > 0. Lifetime: the host range stays until the stream is past it; an implementation
  /// may copy it at once. It need not be page-locked.
  virtual void queue_copy(const Copy& copy) = 0;
  /// count > 0, a pattern of 1, 2, 4, 8 or 16 bytes, which lives only for the call.
  virtual void queue_fill(Location destination, std::span<const std::byte> pattern,
                          std::size_t count) = 0;
  /// A kernel of this device, at least one group and one work-item, arguments that fit. Lock: a
  /// kernel may be launched by several threads at once, on this or other streams; where it holds
  /// its arguments as state, setting them and queueing must be one step under a lock of the kernel.
  /// Notes what it queued in device().launches(), unless a shell below does. Lifetime: values live
  /// only for the call; the kernel's module stays loaded until it has run.
  virtual void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                            std::span<const Argument> arguments) = 0;
  /// An event of this device. Another thread may query or wait for it meanwhile, and sees the old
  /// or the new record.
  virtual void queue_record(Event& event) = 0;
  /// An event of this device. Means what is recorded in it now; a later record changes nothing.
  virtual void queue_wait(const Event& event) = 0;

 private:
  Device& device_;
};

}  // namespace treadle::device
