// SPDX-License-Identifier: MIT
// Shared by the pools of both faces.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "instance.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::bindings {

/// Options of the faces' pools: block sizes by PyCUDA's rule, because programs compare these
/// numbers, and a run of Python's garbage collection before held blocks are freed.
memory::PoolOptions face_options(unsigned leading_bits = 4);

/// A size from Python. Throws TypeError, or OverflowError for a negative one.
std::size_t pool_size_argument(PyObject* size);

/// A run-time's error for exhausted memory.
struct NoMemory {
  int code;
  const char* code_name;
};
/// `allocate` of a pool. Its errors for lack of memory have PyCUDA's and PyOpenCL's texts.
template <class F>
auto in_pool_words(const NoMemory& status, F&& allocate) {
  try {
    return allocate();
  } catch (const OutOfMemory& refusal) {
    throw OutOfMemory(
        DeviceFailure{status.code, status.code_name, "memory_pool::allocate", "out of memory",
                      "failed to free memory for allocation: " + refusal.detail()},
        refusal.hint());
  }
}

/// The pool of `self`, an instance of the class bound for Owner, which has a member `pool`. Throws
/// TypeError if a subclass did not call __init__.
template <class Owner>
Owner& pool_owner(PyObject* self) {
  return instance_of<Owner>(self);
}

/// Gives a class a method of one argument, by CPython's fastest calling convention.
void add_quick_method(nb::handle type, PyMethodDef* method);

/// Binds the members that all pools have. Owner has a member `pool`.
template <class Owner>
void bind_pool_members(nb::class_<Owner>& type) {
  const auto statistics = [](const Owner& self) { return self.pool.statistics(); };
  type.def_prop_ro(
          "held_blocks", [=](const Owner& self) { return statistics(self).held_blocks; },
          "Blocks that wait to be used again.")
      .def_prop_ro(
          "active_blocks", [=](const Owner& self) { return statistics(self).active_blocks; },
          "Blocks that allocations own.")
      .def_prop_ro(
          "managed_bytes", [=](const Owner& self) { return statistics(self).managed_bytes; },
          "Bytes of held and active blocks, as they were allocated.")
      .def_prop_ro(
          "active_bytes", [=](const Owner& self) { return statistics(self).active_bytes; },
          "Bytes of active blocks, as they were asked for.")
      .def(
          "bin_number",
          [](const Owner& self, nb::object size) {
            return self.pool.bins().bin_number(pool_size_argument(size.ptr()));
          },
          nb::arg("size"), nb::sig("def bin_number(self, size: int) -> int"),
          "The bin whose blocks hold `size` bytes.")
      .def(
          "alloc_size",
          [](const Owner& self, nb::object bin) {
            return self.pool.bins().alloc_size(
                static_cast<unsigned>(unsigned_argument(bin.ptr(), "bin", ~0u)));
          },
          nb::arg("bin"), nb::sig("def alloc_size(self, bin: int) -> int"),
          "Bytes of every block of a bin.")
      .def(
          "free_held",
          [](Owner& self) {
            const nb::gil_scoped_release released;
            self.pool.free_held();
          },
          "Gives every held block back to the system.")
      .def(
          "stop_holding",
          [](Owner& self) {
            const nb::gil_scoped_release released;
            self.pool.stop_holding();
          },
          "The same, and from now on what is freed goes to the system at once.");
}

}  // namespace treadle::bindings
