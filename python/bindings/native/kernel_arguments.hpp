// SPDX-License-Identifier: MIT
// The arrays and numbers that a call from Python passes to C texts.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/array/operand.hpp"

namespace treadle::bindings {

/// The arguments of one call, kept during the call: other threads run during the computation and
/// may give a Python object another array.
class KernelArguments {
 public:
  template <class Kernel>
  KernelArguments(const Kernel& kernel, const nb::args& objects) {
    nb::handle beside;
    for (const nb::handle object : objects)
      if (as_array(object.ptr()) != nullptr) beside = object;
    for (const nb::handle object : objects) {
      const std::size_t position = list_.size();
      kept_.emplace_back(object.ptr(), beside.ptr());
      if (kept_.back().is_copied() && kernel.may_write(position))
        raise_python(
            PyExc_TypeError,
            "argument " + std::to_string(position) + " of kernel " + kernel.name() +
                " is written to, and a " + Py_TYPE(object.ptr())->tp_name +
                ": its elements are not on the device. Pass an Array, or declare it const");
      if (!kept_.back())
        raise_python(PyExc_TypeError, "argument " + std::to_string(position) + " of kernel " +
                                          kernel.name() + " is no array or number, but a " +
                                          Py_TYPE(object.ptr())->tp_name);
      const Array* array = kept_.back().get().array();
      list_.push_back(array != nullptr ? array::Operand(arrays_.emplace_back(*array))
                                       : kept_.back().get());
    }
  }
  std::span<const array::Operand> get() const noexcept { return list_; }

 private:
  std::deque<ArrayOperand> kept_;
  std::deque<Array> arrays_;
  std::vector<array::Operand> list_;
};

}  // namespace treadle::bindings
