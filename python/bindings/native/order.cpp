// SPDX-License-Identifier: MIT
#include "native/order.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <string>

#include "errors.hpp"
#include "native/device.hpp"
#include "treadle/device/device.hpp"

namespace treadle::bindings {

OrderArguments::OrderArguments(device::Stream& stream, nb::handle wait_for, nb::handle event) {
  if (wait_for.is_valid() && !wait_for.is_none()) {
    if (as_event(wait_for.ptr()) != nullptr) {
      add(stream, wait_for.ptr());
    } else {
      keep_ = nb::steal(PySequence_Tuple(wait_for.ptr()));
      if (!keep_.is_valid()) {
        PyErr_Clear();
        raise_python(PyExc_TypeError,
                     std::string("wait_for is a treadle.Event or an iterable of them, not ") +
                         Py_TYPE(wait_for.ptr())->tp_name);
      }
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keep_.ptr()); ++i)
        add(stream, PyTuple_GET_ITEM(keep_.ptr(), i));
    }
  }
  if (!event.is_valid() || event.is_none() || event.ptr() == Py_False) return;
  if (event.ptr() == Py_True)
    event_ = nb::cast(stream.device().make_event());
  else
    event_ = nb::borrow(event);
  done_ = as_event(event_.ptr());
  if (done_ == nullptr)
    raise_python(PyExc_TypeError, std::string("event is True, None or a treadle.Event, not ") +
                                      Py_TYPE(event.ptr())->tp_name);
}

void OrderArguments::add(device::Stream& stream, PyObject* event) {
  device::Event* one = as_event(event);
  if (one == nullptr)
    raise_python(PyExc_TypeError, std::string("wait_for has a ") + Py_TYPE(event)->tp_name +
                                      " where a treadle.Event is wanted");
  if (one->device().event_domain() == stream.device().event_domain())
    after_.push_back(one);
  else
    bindings::wait_for(*one);
}

}  // namespace treadle::bindings
