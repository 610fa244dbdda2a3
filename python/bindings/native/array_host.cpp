// SPDX-License-Identifier: MIT
// treadle.Array and the host: NumPy arrays, Python's numbers, text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/host_array.hpp"
#include "native/layout.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/transfer.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"

namespace treadle::bindings {
namespace {

using device::Stream;
using StreamRef = std::shared_ptr<Stream>;

/// A NumPy array whose elements are dense, in C's or Fortran's order.
struct DenseHost {
  nb::object array;
  bool is_fortran;
  explicit DenseHost(nb::object dense) : array(std::move(dense)) {
    if (read_buffer()) return;
    const nb::object flags = array.attr("flags");
    is_dense_ = nb::cast<bool>(flags.attr("forc"));
    is_fortran = is_dense_ && !nb::cast<bool>(flags.attr("c_contiguous"));
    data_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(array.attr("ctypes").attr("data")));
  }
  bool is_dense() const { return is_dense_; }
  void* data() const { return data_; }
  /// `x` with its axes in the order in which the host's axes lie in memory.
  Array in_this_order(const Array& x) const {
    return is_fortran ? x.viewed(x.layout().transposed(), x.dtype()) : x;
  }
  /// Keeps the NumPy array until `stream` has passed the work that is queued on it now.
  void keep(Stream& stream) {
    keep_until_past(stream, {array.release().ptr(),
                             [](void* kept) { Py_DECREF(static_cast<PyObject*>(kept)); }});
  }

 private:
  /// Reads the array through the buffer protocol, in a tenth of the time. Not possible for dtypes
  /// without a format letter, nor for arrays with gaps.
  bool read_buffer() {
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_ANY_CONTIGUOUS) != 0) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) throw nb::python_error();
      PyErr_Clear();
      return false;
    }
    is_dense_ = true;
    is_fortran = PyBuffer_IsContiguous(&view, 'C') == 0;
    data_ = view.buf;
    PyBuffer_Release(&view);  // the array itself keeps its memory
    return true;
  }

  bool is_dense_;
  void* data_;
};

/// Waits, or lets the copy keep the array. Ctrl-C ends the wait; the copy goes on.
void finish(Stream& stream, DenseHost& host, bool blocking) {
  if (!blocking) return host.keep(stream);
  try {
    wait_for(stream);
  } catch (...) {
    host.keep(stream);
    throw;
  }
}

void require_fit(const Array& self, nb::handle out) {
  if (!nb::isinstance(out, numpy().attr("ndarray")))
    raise_python(PyExc_TypeError,
                 std::string("out= takes a numpy.ndarray, not a ") + Py_TYPE(out.ptr())->tp_name);
  const array::Shape shape = shape_from(out.attr("shape"));
  if (!numpy_dtype_of(self.dtype()).equal(out.attr("dtype")))
    throw DTypeError("out= is of " +
                         nb::cast<std::string>(nb::object(out.attr("dtype").attr("name"))) +
                         ", the array of " + self.dtype().name(),
                     "numpy.empty(x.shape, x.dtype) fits");
  if (!std::ranges::equal(shape, self.shape()))
    throw ShapeError(
        "out= has the shape " + shape_text(shape) + ", the array " + shape_text(self.shape()),
        "numpy.empty(x.shape, x.dtype) fits");
  if (!nb::cast<bool>(out.attr("flags").attr("writeable")))
    throw InvalidState("out= is read-only", "pass an array of your own");
}

nb::object new_host_array(const Array& self) {
  const std::size_t item = self.dtype().size_bytes();
  const bool is_fortran =
      !self.layout().is_contiguous(item) && self.layout().is_contiguous(item, MemoryOrder::fortran);
  return numpy().attr("empty")(tuple_of(self.shape()), numpy_dtype_of(self.dtype()),
                               is_fortran ? "F" : "C");
}

nb::object get(const Array& self, nb::object out, nb::handle stream, bool blocking) {
  const StreamRef queue = stream_or_current(stream, self.device());
  if (!out.is_none()) require_fit(self, out);
  DenseHost host(out.is_none() ? new_host_array(self) : out);
  if (!host.is_dense()) {
    if (!blocking)
      throw InvalidArgument("out= has gaps, and is to be filled without waiting",
                            "pass one in C's or Fortran's order, or blocking=True");
    numpy().attr("copyto")(out, get(self, nb::none(), stream, true));
    return out;
  }
  nb::object result = host.array;
  blocking = blocking || is_filled_at_once(self.device(), host.data());
  {
    const Array source = host.in_this_order(self);
    void* const values = host.data();
    const nb::gil_scoped_release released;
    if (blocking)
      array::fetch(source, values, queue, [&] {
        const nb::gil_scoped_acquire gil;
        finish(*queue, host, blocking);
      });
    else
      array::copy_out(source, values, queue);
  }
  if (!blocking) finish(*queue, host, blocking);
  return result;
}

void set(const Array& self, nb::handle values, nb::handle stream, bool blocking) {
  const StreamRef queue = stream_or_current(stream, self.device());
  DenseHost host(numpy().attr("asarray")(values));
  if (!host.is_dense()) host = DenseHost(numpy().attr("ascontiguousarray")(host.array));
  const array::Shape shape = shape_from(host.array.attr("shape"));
  const DType dtype = dtype_from(host.array.attr("dtype"));
  const bool is_same = dtype == self.dtype() && std::ranges::equal(shape, self.shape());
  const MemoryOrder order = host.is_fortran ? MemoryOrder::fortran : MemoryOrder::c;
  const void* const data = host.data();
  const Array own = self;  // another thread may give `self` another node
  warn_of_cast(dtype, own.dtype());
  if (blocking) wait_for(*queue);  // Ctrl-C ends this wait; the driver's copy might not return
  try {
    const nb::gil_scoped_release released;
    const Array target =
        is_same ? own : array::empty(shape, dtype, {.stream = queue, .order = order});
    array::copy_in(host.in_this_order(target), data, queue);
    if (!is_same) {
      const device::StreamScope scope(queue);
      own.assign(target);
    }
  } catch (...) {
    wait_for(*queue);  // the copy may be queued, from memory that ends here
    throw;
  }
  finish(*queue, host, blocking);
}

/// The common case of the faces' get(): the array is dense in C's or Fortran's order, and the copy
/// has the same order. None for other arrays.
nb::object fetched(const Array& self, nb::handle stream) {
  const std::size_t item = self.dtype().size_bytes();
  if (!self.layout().is_contiguous(item) &&
      !self.layout().is_contiguous(item, MemoryOrder::fortran))
    return nb::none();
  return get(self, nb::none(), stream, /*blocking=*/true);
}

/// The common case of the faces' set(): dtype, shape and order are those of the array. Returns
/// false without copying in other cases.
bool stored(const Array& self, nb::handle values, bool blocking) {
  const std::optional<HostElements> host = dense_elements(values);
  if (!host || !self.layout().is_contiguous(self.dtype().size_bytes(), host->order) ||
      host->dtype != self.dtype() || !std::ranges::equal(host->shape, self.shape()))
    return false;
  set(self, values, nb::none(), blocking);
  return true;
}

nb::object host_copy(const Array& self) { return get(self, nb::none(), nb::none(), true); }

nb::object item(const Array& self) {
  if (self.size() != 1)
    throw ShapeError("an array of shape " + shape_text(self.shape()) + " is not one number",
                     "index it first: x[i].item()");
  return host_copy(self).attr("item")();
}

/// As item(). A complex element gives its real part and NumPy's warning.
nb::object real_item(const Array& self) {
  if (!self.is_scalar() || self.dtype().kind() != ScalarKind::complex) return item(self);
  warn_of_cast(self.dtype(), self.dtype().real_type());
  return item(self).attr("real");
}

/// The indices of an element that is counted in C's order: then no copy of a view is needed to find
/// the element.
array::Shape place_of(const Array& self, std::int64_t counted) {
  if (counted < -self.size() || counted >= self.size())
    throw IndexError("index " + std::to_string(counted) + " of an array of shape " +
                         shape_text(self.shape()) + ", which has " + std::to_string(self.size()) +
                         " elements",
                     "count from 0, or from -1 backwards");
  if (counted < 0) counted += self.size();
  array::Shape place(static_cast<std::size_t>(self.rank()), 0);
  for (std::size_t axis = place.size(); axis-- > 0; counted /= self.shape()[axis])
    place[axis] = counted % self.shape()[axis];
  return place;
}

/// The element at one integer, counted in C's order, or at one integer for each axis.
Array element(const Array& self, const nb::args& index) {
  const bool is_flat = index.size() == 1 && PyIndex_Check(index[0].ptr()) != 0;
  array::Shape given = shape_from(index.size() == 1 ? index[0] : nb::handle(index));
  if (is_flat) given = place_of(self, given[0]);
  std::vector<Index> places;
  for (const std::int64_t place : given) places.push_back(Index::at(place));
  if (places.size() != static_cast<std::size_t>(self.rank()))
    throw ShapeError("item() at " + std::to_string(places.size()) +
                         " integers of an array of shape " + shape_text(self.shape()),
                     "pass one for each axis, or one in C's order of all");
  return self.at(places);
}

nb::object as_numpy(nb::handle self, nb::handle dtype, nb::handle copy) {
  if (copy.is_none() || copy.ptr() == Py_True) {
    const nb::object host = host_copy(nb::cast<const Array&>(self));
    return dtype.is_none() ? host : nb::object(host.attr("astype")(dtype, nb::arg("copy") = false));
  }
  nb::object seen;
  if (PyObject* view = PyMemoryView_FromObject(self.ptr()))
    seen = numpy().attr("asarray")(nb::steal(view));
  PyErr_Clear();
  if (!seen.is_valid() ||
      !(dtype.is_none() || seen.attr("dtype").equal(numpy().attr("dtype")(dtype))))
    raise_python(PyExc_ValueError,
                 "the elements become a numpy.ndarray by a copy, which copy=False forbids");
  return seen;
}

void bind_copies(nb::class_<Array>& type) {
  type.def("get", &get, nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
           nb::arg("blocking") = true,
           nb::sig("def get(self, out: numpy.ndarray | None = None, stream: "
                   "treadle._core.device.Stream | None = None, blocking: bool = True) -> "
                   "numpy.ndarray"),
           "The elements as a numpy.ndarray: a new one, or `out`. With blocking=False it is filled "
           "when the stream (None: the current one) is past the copy, and must not be read or "
           "changed before.")
      .def("set", &set, nb::arg("values"), nb::arg("stream") = nb::none(),
           nb::arg("blocking") = true,
           nb::sig("def set(self, values: typing.Any, stream: treadle._core.device.Stream | None = "
                   "None, blocking: bool = True) -> None"),
           "Copies values of the host in, broadcast and cast. With blocking=False they must not "
           "change until the stream (None: the current one) is past the copy.")
      .def(
          "item",
          [](const Array& self, const nb::args& index) {
            return index.size() == 0 ? item(self) : item(element(self, index));
          },
          nb::sig("def item(self, *index: int | tuple[int, ...]) -> typing.Any"),
          "The one element, or the one at these indices, or at one in C's order of all, as a "
          "Python number. Blocking.")
      .def(
          "tolist", [](const Array& self) { return host_copy(self).attr("tolist")(); },
          nb::sig("def tolist(self) -> typing.Any"), "Nested lists of Python's numbers. Blocking.")
      .def("__array__", &as_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
                   "numpy.ndarray"));
}

void bind_conversions(nb::class_<Array>& type) {
  type.def("__float__", [](const Array& self) { return nb::float_(real_item(self)); })
      .def("__int__", [](const Array& self) { return nb::int_(real_item(self)); })
      .def(
          "__complex__",
          [](const Array& self) {
            return nb::module_::import_("builtins").attr("complex")(item(self));
          },
          nb::sig("def __complex__(self) -> complex"))
      .def(
          "__round__",
          [](const Array& self, std::optional<int> decimals) -> nb::object {
            if (self.rank() != 0)
              raise_python(PyExc_TypeError, "round() of an array of shape " +
                                                shape_text(self.shape()) +
                                                ": x.round() rounds its elements");
            if (decimals) return array_object(array::round(self, *decimals));
            return nb::module_::import_("builtins").attr("round")(item(self));
          },
          nb::arg("decimals") = nb::none(),
          nb::sig("def __round__(self, decimals: int | None = None) -> typing.Any"),
          "Of an array without axes: Python's integer, or with decimals an array as round() has "
          "it. "
          "The integer waits for the element.")
      .def("__index__", [](const Array& self) {
        if (!self.dtype().is_integer() || self.size() != 1)
          raise_python(PyExc_TypeError, "only an integer array of one element is an index");
        return nb::int_(item(self));
      });
}

void bind_text(nb::class_<Array>& type) {
  const auto by = [](const char* name) {
    return [name](nb::handle self) { return nb::cast<nb::str>(protocols().attr(name)(self)); };
  };
  type.def("__repr__", by("text_of"))
      .def("__str__", by("short_text_of"))
      .def("_repr_html_", by("html_of"), "For notebooks.")
      .def("__format__", [](nb::handle self, nb::handle specification) {
        return nb::cast<nb::str>(protocols().attr("formatted")(self, specification));
      });
}

}  // namespace

std::optional<HostElements> dense_elements(nb::handle values) {
  if (!Py_IS_TYPE(values.ptr(), reinterpret_cast<PyTypeObject*>(numpy().attr("ndarray").ptr())))
    return std::nullopt;
  const DenseHost host(nb::borrow(values));
  if (!host.is_dense()) return std::nullopt;
  return HostElements{shape_from(values.attr("shape")), dtype_from(values.attr("dtype")),
                      host.is_fortran ? MemoryOrder::fortran : MemoryOrder::c};
}

void store_elements(const Array& self, nb::handle values, bool blocking) {
  set(self, values, nb::none(), blocking);
}

void bind_array_host(nb::module_& m, nb::class_<Array>& type) {
  m.def("fetched", &fetched, nb::arg("array"), nb::arg("stream") = nb::none(),
        nb::sig("def fetched(array: Array, stream: treadle._core.device.Stream | None = None) -> "
                "numpy.ndarray | None"),
        "A copy on the host of an array whose elements lie in C's or Fortran's order, and None of "
        "others. Blocking.");
  m.def("stored", &stored, nb::arg("array"), nb::arg("values"), nb::arg("blocking") = true,
        nb::sig("def stored(array: Array, values: typing.Any, blocking: bool = True) -> bool"),
        "Copies a numpy.ndarray in that has the dtype, the shape and the order of the array; False "
        "of others. With blocking=False it must not change until the current stream is past it.");
  bind_copies(type);
  bind_conversions(type);
  bind_text(type);
}

}  // namespace treadle::bindings
