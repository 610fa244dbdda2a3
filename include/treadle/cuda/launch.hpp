// SPDX-License-Identifier: MIT
// What a kernel launch needs: its shape, and its arguments checked against the kernel's parameters.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// Blocks of a grid, or threads of a block, in each direction.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;  ///< x runs fastest; 0 in any is refused by the launch
  bool operator==(const Dim3&) const = default;
};

struct LaunchAttributes;

/// The shape of one launch, and where it is queued.
struct LaunchConfig {
  Dim3 grid = {};             ///< blocks
  Dim3 block = {};            ///< threads in a block
  unsigned shared_bytes = 0;  ///< dynamic shared memory for each block
  /// All blocks run at once, so that they may meet (grid.sync()): no more than the device holds.
  bool cooperative = false;
  StreamRef stream = {};  ///< default: the default stream
  /// Clusters of blocks and more, `launch_attributes.hpp`; lives until the launch returns.
  const LaunchAttributes* attributes = nullptr;
};

/// What a parameter is, where the driver or the compiler reports it.
enum class ParameterKind { unknown, integer, floating, pointer, structure };

/// One parameter of a kernel as the driver expects it.
struct KernelParameter {
  std::size_t offset = 0, size = 0;  ///< bytes, in the packed parameter buffer
  /// Checked by bindings, which know the kinds of their values; C++ checks sizes only.
  ParameterKind kind = ParameterKind::unknown;
  std::string name = {}, type = {};  ///< as in the source, if the driver reports them
};

/// The parameters of one kernel. `known` is false where neither driver nor compiler reports them:
/// then nothing can be checked, and arguments are laid out by their natural alignment.
struct ParameterLayout {
  std::vector<KernelParameter> parameters;  ///< in the source's order
  std::size_t buffer_bytes = 0;             ///< end of the last parameter
  bool known = false;  ///< false: `parameters` says nothing, not that there are none
};

/// What launches and ArgumentBuffer throw, naming the kernel, the parameter, its index and both
/// sizes, or both counts; for callers that lay arguments out themselves.
InvalidArgument wrong_argument_size(std::string_view kernel, const ParameterLayout& layout,
                                    std::size_t index, std::size_t given_bytes);
/// The same for a call with `given_count` arguments.
InvalidArgument wrong_argument_count(std::string_view kernel, const ParameterLayout& layout,
                                     std::size_t given_count);

/// How an argument is handed to a kernel: by default its own bytes. Specialise `data` and `size`
/// for types that stand for something else; `data` must stay valid until the launch returns.
template <class T>
struct LaunchArgument {
  static_assert(
      std::is_trivially_copyable_v<T>,
      "a kernel argument is copied as bytes: pass a plain value, or specialise LaunchArgument");
  /// The bytes to copy, and how many at which alignment.
  static const void* data(const T& value) noexcept { return &value; }
  /// Bytes, of what `data` points to.
  static constexpr std::size_t size = sizeof(T), alignment = alignof(T);
};
/// The address of the allocation. Throws InvalidState if it was freed.
template <>
struct LaunchArgument<DeviceMemory> {
  static const void* data(const DeviceMemory& memory);
  static constexpr std::size_t size = sizeof(DevicePointer), alignment = alignof(DevicePointer);
};
template <>
struct LaunchArgument<ManagedMemory> {
  static const void* data(const ManagedMemory& memory);
  static constexpr std::size_t size = sizeof(DevicePointer), alignment = alignof(DevicePointer);
};

/// Collects the arguments of one launch, in order, each checked as it is added: for callers that
/// learn number and types at run time, such as bindings. Lives on the stack; allocates only for
/// kernels with more than 64 parameters or 1 KiB of arguments. `layout` and `kernel` must outlive
/// it.
class ArgumentBuffer {
 public:
  /// Empty; grows at once to what `layout` needs.
  ArgumentBuffer(const ParameterLayout& layout, std::string_view kernel);
  ArgumentBuffer(const ArgumentBuffer&) = delete;
  ArgumentBuffer& operator=(const ArgumentBuffer&) = delete;

  /// The parameter that the next add() fills; null if the layout is unknown. Throws
  /// InvalidArgument, naming the kernel and its parameter count, if there is none left.
  const KernelParameter* next() const;
  /// Number of arguments added so far.
  std::size_t count() const noexcept { return count_; }

  /// Adds the `size` bytes at `data`. `alignment` places them where the layout is unknown.
  /// Throws InvalidArgument naming parameter, index and both sizes if `size` is not the
  /// parameter's.
  void add_bytes(const void* data, std::size_t size, std::size_t alignment = 1) {
    std::memcpy(reserve(size, alignment), data, size);
  }
  /// Adds a value as LaunchArgument<T> says.
  template <class T>
  void add(const T& value) {
    add_bytes(LaunchArgument<T>::data(value), LaunchArgument<T>::size,
              LaunchArgument<T>::alignment);
  }
  /// An address of device memory, whatever it points at.
  void add_pointer(DevicePointer address) { add(address); }
  /// Room for the next argument, to be written in place; checked as add_bytes is.
  void* reserve(std::size_t size, std::size_t alignment = 1);

  /// Checks that no argument is missing and returns them as cuLaunchKernel takes them.
  /// Throws InvalidArgument naming both counts.
  void** finish();

 private:
  static constexpr std::size_t small_bytes = 1024, small_count = 64;
  void grow_bytes(std::size_t needed_bytes);
  void grow_pointers(std::size_t needed);

  const ParameterLayout& layout_;
  std::string_view kernel_;
  std::size_t count_ = 0, end_bytes_ = 0, capacity_bytes_ = small_bytes,
              capacity_count_ = small_count;
  std::byte* bytes_ = small_storage_;
  void** pointers_ = small_pointers_;
  std::unique_ptr<std::byte[]> large_storage_;
  std::unique_ptr<void*[]> large_pointers_;
  alignas(16) std::byte small_storage_[small_bytes];
  void* small_pointers_[small_count];
};

}  // namespace treadle::cuda
