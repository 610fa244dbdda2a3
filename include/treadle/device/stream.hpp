// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "treadle/device/copy.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;
class Event;

/// A queue of work on one device: in order within the stream, concurrent with other streams. Work
/// is put on it by any thread; what two threads put on at once comes in either order, each piece
/// whole. On a queue of OpenCL's that its owner made out of order, work is ordered by Order::after,
/// wait() and record() alone.
///
/// Functions that queue work return without waiting for it, and a failure of the running work
/// surfaces at the next synchronize() of this stream or an event after it. They check first and
/// throw what is wrong with an argument (InvalidArgument, InvalidState) before anything is queued.
/// Every one of them takes an Order: events to wait for, and an event to record its end in.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The one it was made by, which outlives it.
  Device& device() const noexcept { return device_; }
  /// What the run-time calls it: CUstream, cl_command_queue; 0 for CUDA's legacy default stream and
  /// on the null device.
  std::uint64_t raw() const noexcept { return raw_; }
  /// False for a queue of OpenCL's that its owner made out of order.
  bool is_in_order() const noexcept { return is_in_order_; }

  /// Queue a copy. The host range must stay where it is, and unchanged (copy_in) or unread
  /// (copy_out), until the stream is past the copy. Zero bytes queue nothing. The memory must be
  /// live memory of this device, both ends within it.
  void copy_in(Location destination, const void* source, std::size_t size_bytes,
               const Order& order = {});
  /// As copy_in(), the other way: the bytes are there once the stream is past the copy.
  void copy_out(void* destination, Location source, std::size_t size_bytes,
                const Order& order = {});
  /// As copy_out(), and then `wait()`, which returns once the stream is past the copy: the bytes
  /// are there when this returns. If it throws, they are not, and may come later. `wait` is a
  /// parameter because callers wait in different ways: Python's lets other threads run and obeys
  /// Ctrl-C.
  virtual void fetch(void* destination, Location source, std::size_t size_bytes,
                     const std::function<void()>& wait);
  /// The two ranges must not overlap.
  void copy(Location destination, Location source, std::size_t size_bytes, const Order& order = {});
  /// Strided copies of up to three dimensions: `box` says what is moved, the pitches how its rows
  /// lie on each side. A pitch is at least what it separates, so that rows do not overlap; it is
  /// not read where there is one row, or one slice. As the linear ones else.
  void copy_in(Location destination, const Pitch& destination_pitch, const void* source,
               const Pitch& source_pitch, const Box& box, const Order& order = {});
  void copy_out(void* destination, const Pitch& destination_pitch, Location source,
                const Pitch& source_pitch, const Box& box, const Order& order = {});
  /// The boxes may interleave, as two columns of a matrix do; that they share no byte is the
  /// caller's to see to.
  void copy(Location destination, const Pitch& destination_pitch, Location source,
            const Pitch& source_pitch, const Box& box, const Order& order = {});
  /// Copies from memory of another device, or of another context of this one. Ordered in this
  /// stream; work on the other device that makes or reuses that memory is ordered by events. Within
  /// one run-time nothing is waited for; between two run-times (or two contexts of OpenCL) the host
  /// waits, and the bytes go through its memory.
  void copy_from_peer(Location destination, Device& source_device, Location source,
                      std::size_t size_bytes, const Order& order = {});
  /// The same, the other way.
  void copy_to_peer(Device& destination_device, Location destination, Location source,
                    std::size_t size_bytes, const Order& order = {});
  /// Queues filling the `count` elements from `destination` on with the bytes of `pattern`: 1, 2,
  /// 4, 8 or 16 of them, to which the offset of `destination` is aligned. All of it or, if it
  /// throws, nothing is queued.
  void fill(Location destination, std::span<const std::byte> pattern, std::size_t count,
            const Order& order = {});

  /// Starts a kernel: sets its arguments and queues it, as one operation. Arguments are checked
  /// against the kernel's parameters in number, size and kind, and the shape against the limits of
  /// kernel and device: InvalidArgument (DTypeError for a kind) names the parameter and what it
  /// takes; NotSupported says that groups cannot meet here. No groups run nothing, but their order
  /// holds. Values are copied before the return; memory must live until the stream is past the
  /// kernel.
  template <class... Arguments>
  void launch(const Kernel& kernel, const LaunchShape& shape, const Arguments&... arguments) {
    launch(kernel, shape, Order{}, arguments...);
  }
  /// The same with an order: launch(kernel, shape, {.after = events}, a, b, n).
  template <class... Arguments>
  void launch(const Kernel& kernel, const LaunchShape& shape, const Order& order,
              const Arguments&... arguments) {
    // One spare entry: a kernel without parameters would otherwise need an array of none.
    const Argument list[] = {Argument(arguments)..., Argument(Location{})};
    launch_arguments(kernel, shape, {list, sizeof...(Arguments)}, order);
  }
  /// The same for arguments collected at run time.
  void launch_arguments(const Kernel& kernel, const LaunchShape& shape,
                        std::span<const Argument> arguments, const Order& order = {});

  /// Marks the work queued so far in `event`, which is of this device; what was recorded in it
  /// before is forgotten.
  void record(Event& event);
  /// Later work of this stream starts after what `event` has recorded; the host does not wait. The
  /// event may be recorded anew or destroyed at once. Nothing recorded: nothing to wait for. An
  /// event of another run-time, or of another context of OpenCL, is waited for by the host, here.
  void wait(const Event& event);
  /// Calls `callback` once the stream is past the work queued so far, on a thread of the run-time.
  /// It must not call the run-time, nor wait for work; what it throws becomes a warning. Where work
  /// of the context has failed it may never be called.
  void call_host(std::function<void()> callback);
  /// Blocks until all work queued so far is done; here its failure surfaces, as DeviceError,
  /// LaunchError where a kernel failed.
  void synchronize() {
    queue_deferred();
    wait_until_done();
  }
  /// Queues what rooms above have put off for this stream: pending expressions of arrays. So do
  /// record(), wait() and synchronize().
  void queue_deferred();
  /// What launch_arguments() does first: queues what was put off and reads memory that the launch
  /// may write. For those who take a lock that such work wants, too.
  void before_launch(const Kernel& kernel, std::span<const Argument> arguments);
  /// Whether all work queued so far is done; does not block. Throws as synchronize().
  ///
  /// Contract for implementations: that of wait_until_done().
  virtual bool is_done() = 0;

 protected:
  /// `device` outlives the stream: Device sees to it.
  Stream(Device& device, std::uint64_t raw, bool is_in_order = true) noexcept
      : device_(device), raw_(raw), is_in_order_(is_in_order) {}

  // What follows gets checked arguments and must be ordered behind everything queued before, from
  // whichever thread. A failed call queues nothing. The events of an Order are of this device's
  // event domain (Device::event_domain()); each has something recorded or nothing, and `done` is of
  // this device. An implementation sees to both ends of the order itself.

  /// As synchronize(). Lock: none may be held that another thread needs to queue work here; work
  /// queued by other threads meanwhile may or may not be waited for.
  virtual void wait_until_done() = 0;
  /// More than 0 bytes. Lifetime: the host range stays until the stream is past it; an
  /// implementation may copy it at once. It need not be page-locked. A peer is of the same event
  /// domain.
  virtual void queue_copy(const Copy& copy, const Order& order) = 0;
  /// count > 0, a pattern of 1, 2, 4, 8 or 16 bytes, which lives only for the call.
  virtual void queue_fill(Location destination, std::span<const std::byte> pattern,
                          std::size_t count, const Order& order) = 0;
  /// A kernel of this device, at least one group and one work-item, arguments that fit. Lock: a
  /// kernel may be launched by several threads at once, on this or other streams; where it holds
  /// its arguments as state, setting them and queueing must be one step under a lock of the kernel.
  /// Notes what it queued in device().launches(), unless a shell below does. Lifetime: values live
  /// only for the call; the kernel's module stays loaded until it has run.
  virtual void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                            std::span<const Argument> arguments, const Order& order) = 0;
  /// An event of this device. Another thread may query or wait for it meanwhile, and sees the old
  /// or the new record.
  virtual void queue_record(Event& event) = 0;
  /// An event of this device's event domain. Means what is recorded in it now; a later record
  /// changes nothing.
  virtual void queue_wait(const Event& event) = 0;
  /// Called once, on any thread, after the work queued before; at once if all of that is done.
  /// Lifetime: the callback ends on the thread that called it, or with the context.
  virtual void queue_callback(std::function<void()> callback) = 0;

 private:
  friend class Device;
  struct Waits;
  void queue_order(const Order& order);
  void copy_peer(const Copy& copy, const Order& order);
  void copy_staged(const Copy& copy, const Order& order);

  Device& device_;
  std::uint64_t raw_;
  bool is_in_order_;
  std::shared_ptr<void> owner_;  // of one that was adopted; guarded by the Device
};

}  // namespace treadle::device
