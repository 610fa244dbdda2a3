// SPDX-License-Identifier: MIT
// Sums, extrema and other reductions: methods of treadle.Array with NumPy's signatures, and the
// functions behind treadle.numpy.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "native/array.hpp"
#include "native/linalg.hpp"
#include "native/promotion.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::bindings {
namespace {

using array::ReduceOptions;

/// A reduction that is bound as a method.
struct Method {
  const char* name;  ///< as in NumPy
  Array (*reduce)(const Array&, const ReduceOptions&);
  std::vector<const char*> parameters;  ///< names of positional arguments, in order
  const char* signature;
  const char* doc;
};

std::vector<Method> reductions() {
  return {
      {"sum",
       &array::sum,
       {"axis", "dtype", "out", "keepdims", "initial", "where"},
       "def sum(self, axis: int | tuple[int, ...] | None = None, dtype: typing.Any = None, out: "
       "Array | None = None, keepdims: bool = False, initial: typing.Any = None, where: "
       "typing.Any = True) -> Array",
       "The sum of all elements, or along axes; lazy, as all reductions."},
      {"prod",
       &array::prod,
       {"axis", "dtype", "out", "keepdims", "initial", "where"},
       "def prod(self, axis: int | tuple[int, ...] | None = None, dtype: typing.Any = None, out: "
       "Array | None = None, keepdims: bool = False, initial: typing.Any = None, where: "
       "typing.Any = True) -> Array",
       "The product of all elements, or along axes."},
      {"mean",
       &array::mean,
       {"axis", "dtype", "out", "keepdims", "where"},
       "def mean(self, axis: int | tuple[int, ...] | None = None, dtype: typing.Any = None, out: "
       "Array | None = None, keepdims: bool = False, where: typing.Any = True) -> Array",
       "The mean; of integers in float64."},
      {"var",
       &array::variance,
       {"axis", "dtype", "out", "ddof", "keepdims", "where", "correction"},
       "def var(self, axis: int | tuple[int, ...] | None = None, dtype: typing.Any = None, out: "
       "Array | None = None, ddof: float = 0, keepdims: bool = False, where: typing.Any = True, "
       "correction: float = 0) -> Array",
       "The variance: the sum of squared distances from the mean, by n - ddof."},
      {"std",
       &array::standard_deviation,
       {"axis", "dtype", "out", "ddof", "keepdims", "where", "correction"},
       "def std(self, axis: int | tuple[int, ...] | None = None, dtype: typing.Any = None, out: "
       "Array | None = None, ddof: float = 0, keepdims: bool = False, where: typing.Any = True, "
       "correction: float = 0) -> Array",
       "The root of the variance."},
      {"min",
       &array::min,
       {"axis", "out", "keepdims", "initial", "where"},
       "def min(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, "
       "keepdims: bool = False, initial: typing.Any = None, where: typing.Any = True) -> Array",
       "The least element; NaN if there is one."},
      {"max",
       &array::max,
       {"axis", "out", "keepdims", "initial", "where"},
       "def max(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, "
       "keepdims: bool = False, initial: typing.Any = None, where: typing.Any = True) -> Array",
       "The largest element; NaN if there is one."},
      {"argmin",
       &array::argmin,
       {"axis", "out", "keepdims"},
       "def argmin(self, axis: int | None = None, out: Array | None = None, keepdims: bool = "
       "False) -> Array",
       "Where the least element is along an axis, or in C's order of all."},
      {"argmax",
       &array::argmax,
       {"axis", "out", "keepdims"},
       "def argmax(self, axis: int | None = None, out: Array | None = None, keepdims: bool = "
       "False) -> Array",
       "Where the largest element is along an axis, or in C's order of all."},
      {"any",
       &array::any,
       {"axis", "out", "keepdims", "where"},
       "def any(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, "
       "keepdims: bool = False, where: typing.Any = True) -> Array",
       "Whether an element is not zero."},
      {"all",
       &array::all,
       {"axis", "out", "keepdims", "where"},
       "def all(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, "
       "keepdims: bool = False, where: typing.Any = True) -> Array",
       "Whether all elements are not zero."},
  };
}

std::vector<Method> cumulations() {
  return {
      {"cumsum",
       &array::cumulative_sum,
       {"axis", "dtype", "out"},
       "def cumsum(self, axis: int | None = None, dtype: typing.Any = None, out: Array | None = "
       "None) -> Array",
       "For each element the sum of all up to it along an axis, or in C's order of all."},
      {"cumprod",
       &array::cumulative_prod,
       {"axis", "dtype", "out"},
       "def cumprod(self, axis: int | None = None, dtype: typing.Any = None, out: Array | None = "
       "None) -> Array",
       "For each element the product of all up to it along an axis, or in C's order of all."},
  };
}

const std::vector<Method>& methods() {
  static const auto& all = *new std::vector<Method>([] {
    std::vector<Method> both = reductions();
    for (Method& method : cumulations()) both.push_back(std::move(method));
    return both;
  }());
  return all;
}

/// Options as Python names them. Keeps the arrays that the options refer to.
class Options {
 public:
  /// `x` is the array that is reduced; it must outlive the options.
  Options(std::string name, const Array& x) : name_(std::move(name)), x_(x) {}
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  void set(std::string_view parameter, nb::handle value) {
    if (parameter == "axis") {
      if (!value.is_none()) values_.axes = axes_from(value);
    } else if (parameter == "dtype") {
      if (!value.is_none()) values_.dtype = scalar_from(value);
    } else if (parameter == "out") {
      set_out(value);
    } else if (parameter == "keepdims") {
      values_.keeps_axes = is_true(value);
    } else if (parameter == "initial") {
      if (!value.is_none()) values_.initial = one_number(value);
    } else if (parameter == "where") {
      set_where(value);
    } else if (parameter == "ddof" || parameter == "correction") {
      set_correction(value);
    } else if (parameter == "ignores_nan") {
      values_.ignores_nan = is_true(value);
    } else {
      refuse(parameter);
    }
  }

  /// Sets the options of a call; `parameters` are the names of positional arguments.
  void set(const nb::args& arguments, const std::vector<const char*>& parameters,
           const nb::kwargs& named) {
    if (arguments.size() > parameters.size())
      raise_python(PyExc_TypeError, name_ + "() takes at most " +
                                        std::to_string(parameters.size()) + " arguments, not " +
                                        std::to_string(arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (named.contains(parameters[i]))
        raise_python(PyExc_TypeError,
                     name_ + "() got several values for argument '" + parameters[i] + "'");
      set(parameters[i], arguments[i]);
    }
    for (const auto& [key, value] : named)
      if (std::ranges::find(parameters, std::string_view(nb::cast<const char*>(key))) ==
          parameters.end())
        refuse(nb::cast<const char*>(key));
    set(named);
  }
  void set(const nb::kwargs& named) {
    for (const auto& [key, value] : named) set(nb::cast<const char*>(key), value);
  }

  const ReduceOptions& get() const { return values_; }
  /// The object to return: `out` itself, if it was given.
  nb::object result(Array array) const {
    return out_.is_valid() ? out_ : array_object(std::move(array));
  }

 private:
  [[noreturn]] void refuse(std::string_view parameter) const {
    raise_python(PyExc_TypeError,
                 name_ + "() got an unexpected keyword argument '" + std::string(parameter) + "'");
  }
  static bool is_true(nb::handle value) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    return truth == 1;
  }
  /// A number, or an array without axes, whose element is waited for.
  static Number one_number(nb::handle value) {
    const Array* own = as_array(value.ptr());
    if (own != nullptr && own->rank() == 0) return own->item();
    const bool is_host = is_numpy_array(value.ptr()) && nb::cast<int>(value.attr("ndim")) == 0;
    return number_from(is_host ? value.attr("item")() : nb::borrow(value));
  }
  void set_out(nb::handle value) {
    target_ = out_array(value);
    if (!target_.has_value()) return;
    values_.out = &target_;
    out_ = nb::borrow(value);
  }
  void set_where(nb::handle value) {
    if (value.ptr() == Py_True) return;
    const Array* own = as_array(value.ptr());
    // As in NumPy, numbers and lists are converted to truth values; arrays must be bool.
    const nb::object dtype =
        is_numpy_array(value.ptr()) ? nb::object(nb::none()) : nb::object(nb::str("?"));
    where_ = own != nullptr ? *own : array_from(value, dtype, placement_beside(x_));
    values_.where = &where_;
  }
  /// Sets correction, by NumPy's name ddof or the array API's.
  void set_correction(nb::handle value) {
    const double correction = number_from(value).as_double();
    if (correction == 0) return;
    if (values_.correction != 0)
      raise_python(PyExc_ValueError, "ddof and correction are the same: give one of them");
    values_.correction = correction;
  }

  std::string name_;
  const Array& x_;
  ReduceOptions values_;
  Array where_, target_;
  nb::object out_;
};

const Array& array_of(const ArrayOperand& operand, nb::handle object, const std::string& name) {
  if (!operand || operand.get().array() == nullptr)
    raise_python(PyExc_TypeError, name + "() of a " + Py_TYPE(object.ptr())->tp_name);
  return *operand.get().array();
}

nb::object reduce(const std::string& name, nb::handle x, const nb::kwargs& named) {
  using Function = Array (*)(const Array&, const ReduceOptions&);
  Function function = nullptr;
  for (const Method& method : methods())
    if (method.name == name) function = method.reduce;
  if (name == "count_nonzero") function = &array::count_nonzero;
  if (name == "ptp") function = &array::ptp;
  if (name == "norm") function = &array::norm;
  if (function == nullptr) raise_python(PyExc_ValueError, "there is no reduction '" + name + "'");
  const ArrayOperand operand(x.ptr());
  const Array own = array_of(operand, x, name);
  Options options(name, own);
  options.set(named);
  return options.result(function(own, options.get()));
}

}  // namespace

void bind_array_reductions(nb::module_& m, nb::class_<Array>& type) {
  for (const Method& method : methods())
    type.def(
        method.name,
        [&method](const Array self, const nb::args& arguments, const nb::kwargs& named) {
          note_launch_site();
          Options options(method.name, self);
          options.set(arguments, method.parameters, named);
          return options.result(method.reduce(self, options.get()));
        },
        nb::sig(method.signature), method.doc);
  type.def("dot", &dotted, nb::arg("b"), nb::arg("out") = nb::none(),
           nb::sig("def dot(self, b: typing.Any, out: Array | None = None) -> Array"),
           "The sum over the last axis of the array and the last but one of b.");
  m.def("reduce", recorded(&reduce), nb::arg("name"), nb::arg("x"), nb::arg("options"),
        nb::sig("def reduce(name: str, x: typing.Any, **options: typing.Any) -> Array"),
        "A reduction by its name in NumPy; beside NumPy's options it takes ignores_nan.");
  m.def("vdot", recorded(+[](nb::handle x, nb::handle y) {
          const ArrayOperand first(x.ptr(), y.ptr()), second(y.ptr(), x.ptr());
          const Array a = array_of(first, x, "vdot"), b = array_of(second, y, "vdot");
          return array_object(array::vdot(a, b));
        }),
        nb::arg("x"), nb::arg("y"), nb::sig("def vdot(x: typing.Any, y: typing.Any) -> Array"),
        "The sum of the products of all elements, the first conjugated.");
  m.def("vector_norm", recorded(+[](nb::handle x, double order, const nb::kwargs& named) {
          const ArrayOperand operand(x.ptr());
          const Array vector = array_of(operand, x, "vector_norm");
          Options options("vector_norm", vector);
          options.set(named);
          return options.result(array::vector_norm(vector, order, options.get()));
        }),
        nb::arg("x"), nb::arg("order"), nb::arg("options"),
        nb::sig("def vector_norm(x: typing.Any, order: float, **options: typing.Any) -> Array"),
        "The root of `order` of the sum of powers of magnitudes.");
  m.def("average", recorded(+[](nb::handle x, nb::handle weights, const nb::kwargs& named) {
          const ArrayOperand first(x.ptr(), weights.ptr()), second(weights.ptr(), x.ptr());
          const Array a = array_of(first, x, "average"), b = array_of(second, weights, "average");
          Options options("average", a);
          options.set(named);
          return options.result(array::average(a, b, options.get()));
        }),
        nb::arg("x"), nb::arg("weights"), nb::arg("options"),
        nb::sig("def average(x: typing.Any, weights: typing.Any, **options: typing.Any) -> Array"),
        "The mean of elements that count by their weights.");
}

}  // namespace treadle::bindings
