// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {

class KernelState;
class Program;

/// One to three sizes; empty where OpenCL is to choose.
class WorkSize {
 public:
  constexpr WorkSize() = default;
  /// Throws InvalidArgument for more than three.
  WorkSize(std::initializer_list<std::size_t> sizes)
      : WorkSize(std::span(sizes.begin(), sizes.size())) {}
  /// The first `dimensions` of three sizes, 1 to 3.
  constexpr WorkSize(unsigned dimensions, std::size_t x, std::size_t y, std::size_t z)
      : sizes_{x, y, z}, dimensions_(dimensions) {}
  explicit WorkSize(std::span<const std::size_t> sizes)
      : dimensions_(static_cast<unsigned>(sizes.size())) {
    if (sizes.size() > sizes_.size()) refuse(sizes.size());
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  }
  /// 0 to 3.
  unsigned dimensions() const noexcept { return dimensions_; }
  /// Whether OpenCL is to choose.
  bool is_empty() const noexcept { return dimensions_ == 0; }
  /// `dimension` is less than 3; 0 from dimensions() on.
  std::size_t operator[](unsigned dimension) const noexcept { return sizes_[dimension]; }
  /// Null if empty.
  const std::size_t* data() const noexcept { return is_empty() ? nullptr : sizes_.data(); }
  bool operator==(const WorkSize&) const = default;

 private:
  [[noreturn]] static void refuse(std::size_t dimensions);
  std::array<std::size_t, 3> sizes_ = {};
  unsigned dimensions_ = 0;
};

/// Where and over what a kernel runs.
struct LaunchConfig {
  const Queue& queue;    ///< of the kernel's context; must live until the launch returns
  WorkSize global;       ///< work-items
  WorkSize local = {};   ///< work-items in a group; empty: the platform chooses
  WorkSize offset = {};  ///< of the global ids
  Order order = {};      ///< what is waited for, and whether an event is made
};

/// Local memory for each group, as the argument of a __local parameter.
struct LocalMemory {
  std::size_t size_bytes;  ///< of each group; 0 is refused by platforms
};

/// One argument of a kernel. What its parameter does not take is refused before the platform, which
/// may end the process, sees it; `bytes` may be anything, and are not.
struct ArgumentView {
  enum class Kind : unsigned char {
    bytes,    ///< copied
    local,    ///< local memory
    svm,      ///< a pointer to shared virtual memory
    value,    ///< bytes that stand for nothing but themselves: not set again while OpenCL has them
    buffer,   ///< a handle, as all that follow
    image,    ///< of any dimensions
    sampler,  ///< of an image's coordinates
    pipe,     ///< of packets
    queue,    ///< for kernels that enqueue
    null,     ///< a null handle, for a pointer
  } kind = Kind::bytes;          ///< what `data` means
  std::size_t size_bytes = 0;    ///< of the bytes, or of the local memory
  const void* data = nullptr;    ///< kept only until the call returns; the pointer itself for svm
  RawContext context = nullptr;  ///< of memory, samplers and queues; null where nobody knows
};

/// How a value is handed to a kernel: by default its own bytes. Specialise for types that stand for
/// something else.
template <class T>
struct KernelArgument {
  static_assert(std::is_trivially_copyable_v<T>,
                "a kernel argument is copied as bytes: pass a plain value or a Buffer");
  /// Refers to `value`, which must live until the call returns.
  static ArgumentView of(const T& value) noexcept {
    // A structure may hold a handle, and a pointer may be one.
    return {std::is_arithmetic_v<T> ? ArgumentView::Kind::value : ArgumentView::Kind::bytes,
            sizeof(T), &value};
  }
};
/// The memory. Throws InvalidState if it was released.
inline ArgumentView argument_of(const MemoryObject& memory, ArgumentView::Kind kind) {
  (void)memory.raw();
  return {kind, sizeof(RawMemory), memory.raw_address(), memory.context().raw()};
}
/// Memory of a kind that only the platform knows.
template <std::derived_from<MemoryObject> T>
struct KernelArgument<T> {
  static ArgumentView of(const T& memory) {
    return argument_of(memory, std::derived_from<T, Buffer> ? ArgumentView::Kind::buffer
                                                            : ArgumentView::Kind::bytes);
  }
};
template <>
struct KernelArgument<LocalMemory> {
  static ArgumentView of(const LocalMemory& local) noexcept {
    return {ArgumentView::Kind::local, local.size_bytes, nullptr};
  }
};

/// A queue of the device's, for kernels that enqueue.
template <>
struct KernelArgument<Queue> {
  static ArgumentView of(const Queue& queue) {
    (void)queue.raw();
    return {ArgumentView::Kind::queue, sizeof(RawQueue), queue.raw_address(),
            queue.context().raw()};
  }
};

/// One parameter as the source has it; texts are empty where the program keeps no such information
/// (build with -cl-kernel-arg-info).
struct KernelParameter {
  std::string name, type;  ///< as the source has them
  /// What a pointer points to.
  KernelArgAddressQualifier address = KernelArgAddressQualifier::private_;
  KernelArgAccessQualifier access = KernelArgAccessQualifier::none;  ///< of images
  /// const, restrict, volatile, pipe.
  KernelArgTypeQualifier qualifiers = KernelArgTypeQualifier::none;
};

/// A kernel of a built program, which it keeps. Copies are the same kernel. launch() is safe on any
/// number of threads at once, although OpenCL keeps arguments as state of the kernel: each launch
/// holds a lock of the kernel. set_argument() and enqueue() are separate steps, for one thread.
class Kernel : public Queries<Kernel, KernelInfo> {
 public:
  Kernel() = default;
  /// Wraps a kernel of another library.
  Kernel(std::shared_ptr<const Table> table, RawKernel raw, Ownership ownership);

  /// Sets all arguments and enqueues, as one operation. Throws InvalidArgument for a wrong number
  /// of arguments; DeviceError CL_INVALID_ARG_SIZE naming the parameter; before the platform is
  /// asked, CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER or CL_INVALID_ARG_VALUE for what the
  /// parameter does not take, where the program keeps its type (build with -cl-kernel-arg-info),
  /// and CL_INVALID_CONTEXT for objects of another context; LaunchError with the limits that forbid
  /// the shape. Errors while running end the event.
  template <class... Arguments>
  Event launch(const LaunchConfig& config, const Arguments&... arguments) const {
    const std::array<ArgumentView, sizeof...(Arguments)> list{
        KernelArgument<Arguments>::of(arguments)...};
    return launch_list(config, list);
  }
  /// The same for arguments collected at run time.
  Event launch_list(const LaunchConfig& config, std::span<const ArgumentView> arguments) const;

  /// Sets one argument; it stays until it is set again.
  void set_argument(unsigned index, const ArgumentView& argument) const;
  /// Enqueues with the arguments set before.
  Event enqueue(const LaunchConfig& config) const;
  /// Another kernel with the same arguments set, for another thread. Needs OpenCL 2.1.
  Kernel clone() const;

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(KernelInfo parameter) const;
  /// What the kernel allows on one device of its program; throws as info().
  InfoValue work_group_info(const Device& device, KernelWorkGroupInfo parameter) const;
  /// `input` as the parameter wants it: a work-group shape, or a number of sub-groups. Needs OpenCL
  /// 2.1 or cl_khr_subgroups.
  InfoValue sub_group_info(const Device& device, KernelSubGroupInfo parameter,
                           std::span<const std::size_t> input = {}) const;
  /// Throws DeviceError CL_KERNEL_ARG_INFO_NOT_AVAILABLE, as parameters() does not.
  InfoValue argument_info(unsigned index, KernelArgInfo parameter) const;
  /// The local size that the platform would take for a launch without one, of the arguments that
  /// are set. Needs cl_khr_suggested_local_work_size.
  WorkSize suggested_local_size(const LaunchConfig& config) const;
  /// Asked once.
  const std::vector<KernelParameter>& parameters() const;
  /// Of the parameters in the source.
  unsigned argument_count() const;

  /// As the source has it.
  const std::string& name() const;
  /// What it was made from.
  Program program() const;
  /// That of its program.
  const Context& context() const;
  /// False where there is no kernel: every question throws InvalidState then.
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// For calls of OpenCL itself, without a reference of its own. From now on other code may set its
  /// arguments, so each launch sets them all.
  RawKernel raw() const;
  /// The platform's entry points; valid as long as the kernel.
  const Table& table() const { return *shared_table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const;
  bool operator==(const Kernel& other) const noexcept;

 private:
  friend class Program;
  explicit Kernel(std::shared_ptr<const KernelState> state) noexcept;
  const Handle<RawKernel>& handle() const;
  std::shared_ptr<const KernelState> state_;
};

}  // namespace treadle::opencl
