// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace treadle::device {

/// One T for each argument of a launch, not initialised: on the stack for as many arguments as
/// kernels usually have.
template <class T>
class ArgumentRoom {
 public:
  explicit ArgumentRoom(std::size_t count)
      : large_(count > small_count ? ::operator new(count * sizeof(T)) : nullptr),
        begin_(static_cast<T*>(large_ != nullptr ? large_ : small_)) {}
  ~ArgumentRoom() {
    if (large_ != nullptr) [[unlikely]]
      ::operator delete(large_);
  }
  ArgumentRoom(const ArgumentRoom&) = delete;
  ArgumentRoom& operator=(const ArgumentRoom&) = delete;

  T* get() const noexcept { return begin_; }
  T& operator[](std::size_t index) const noexcept { return begin_[index]; }

 private:
  static_assert(std::is_trivially_copyable_v<T>);  // begins to live by being assigned
  static constexpr std::size_t small_count = 32;
  void* large_;
  T* begin_;
  alignas(T) std::byte small_[small_count * sizeof(T)];
};

}  // namespace treadle::device
