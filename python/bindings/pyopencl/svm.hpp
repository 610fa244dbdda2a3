// SPDX-License-Identifier: MIT
// Shared virtual memory under PyOpenCL's rules.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "pyopencl/classes.hpp"
#include "treadle/opencl/svm.hpp"

namespace treadle::bindings::cl {

/// The base of shared virtual memory, and of host memory that a device can use as such.
class SVMPointer {
 public:
  virtual ~SVMPointer() = default;
  /// Throws InvalidState after the memory was freed.
  virtual void* address() const = 0;
  /// Nothing if the size is unknown.
  virtual std::optional<std::size_t> size() const = 0;
  /// The memory's context; null for host memory.
  virtual const opencl::Context* context() const { return nullptr; }
  /// The bytes. Throws LogicError if the size is unknown.
  std::span<std::byte> bytes() const;
};

/// The memory of a Python object. Keeps the object.
class SVM final : public SVMPointer {
 public:
  explicit SVM(nb::object object);
  SVM(const SVM&) = delete;
  SVM& operator=(const SVM&) = delete;
  ~SVM() override { PyBuffer_Release(&view_); }
  void* address() const override { return view_.buf; }
  std::optional<std::size_t> size() const override { return static_cast<std::size_t>(view_.len); }
  nb::object mem;

 private:
  Py_buffer view_{};
};

class SVMAllocation final : public SVMPointer {
 public:
  explicit SVMAllocation(opencl::SharedMemory allocated) : memory(std::move(allocated)) {}
  void* address() const override { return memory.data(); }
  std::optional<std::size_t> size() const override { return memory.size_bytes(); }
  const opencl::Context* context() const override { return &memory.context(); }
  opencl::SharedMemory memory;
};

/// The buffer of an SVMPointer, for arrays of its memory.
int export_svm(PyObject* self, Py_buffer* view, int flags) noexcept;
/// The queue to which the memory is bound, or None.
nb::object queue_of(const opencl::SharedMemory& memory);

}  // namespace treadle::bindings::cl
