// SPDX-License-Identifier: MIT
#include "native/promotion.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"

namespace treadle::bindings {

namespace {

/// NumPy's dtypes: there is one object of each. Never dropped; guarded by the GIL.
std::array<PyObject*, static_cast<std::size_t>(Scalar::structure)> known_dtypes;

}  // namespace

Scalar scalar_from(nb::handle dtype_like) {
  const auto* const found = std::ranges::find(known_dtypes, dtype_like.ptr());
  if (found != known_dtypes.end() && *found != nullptr)
    return static_cast<Scalar>(found - known_dtypes.begin());
  const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(dtype_like);
  return DType::parse(nb::cast<std::string>(dtype.attr("str"))).scalar();
}

OperandType operand_type(nb::handle object) {
  if (PyLong_CheckExact(object.ptr())) return Weak::integer;
  if (PyFloat_CheckExact(object.ptr())) return Weak::floating;
  if (PyComplex_CheckExact(object.ptr())) return Weak::complex;
  if (PyBool_Check(object.ptr())) return Scalar::boolean;
  if (!PyType_Check(object.ptr()))
    if (const nb::object dtype = attribute_or_null(object.ptr(), "dtype"); dtype.is_valid())
      return scalar_from(dtype);
  if (PyLong_Check(object.ptr())) return Scalar::int64;
  if (PyFloat_Check(object.ptr())) return Scalar::float64;
  if (PyComplex_Check(object.ptr())) return Scalar::complex128;
  return scalar_from(object);
}

IntegerFit integer_fit(Scalar dtype, nb::handle integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (overflow == 0) return fit(dtype, std::int64_t{value});
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(integer.ptr()) : 0;
  const bool beyond = overflow < 0 || PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (!beyond) return fit(dtype, std::uint64_t{large});
  // The number is beyond all integer dtypes; a floating dtype rounds it.
  const bool is_integer = fit(dtype, ~std::uint64_t{0}) != IntegerFit::within ||
                          fit(dtype, std::int64_t{-1}) != IntegerFit::within;
  if (!is_integer) return IntegerFit::within;
  return overflow < 0 ? IntegerFit::below : IntegerFit::above;
}

Op op_named(const std::string& name) {
  const auto op = find_op(name);
  if (!op) throw InvalidArgument("there is no operation \"" + name + "\"");
  return *op;
}

nb::object numpy_dtype(Scalar scalar) {
  PyObject*& dtype = known_dtypes.at(static_cast<std::size_t>(scalar));
  if (dtype == nullptr)
    dtype = nb::module_::import_("numpy").attr("dtype")(DType(scalar).name()).release().ptr();
  return nb::borrow(dtype);
}

namespace {

std::vector<OperandType> operand_types(const nb::args& objects) {
  std::vector<OperandType> types;
  for (const nb::handle object : objects) types.push_back(operand_type(object));
  return types;
}

template <std::size_t count>
std::size_t index_of(const std::array<std::string_view, count>& names, std::string_view name,
                     const char* what) {
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) throw InvalidArgument("\"" + std::string(name) + "\" is not a " + what);
  return static_cast<std::size_t>(found - names.begin());
}

constexpr std::array<std::string_view, 5> castings = {"no", "equiv", "safe", "same_kind", "unsafe"};
constexpr std::array<std::string_view, 13> reductions = {
    "sum", "prod", "cumsum", "cumprod", "mean",   "var",          "min",
    "max", "any",  "all",    "argmin",  "argmax", "count_nonzero"};
constexpr std::array<std::string_view, 3> policies = {"native", "pycuda", "pyopencl"};
constexpr std::array<const DTypePolicy*, 3> policy_values = {&native_dtypes, &pycuda_dtypes,
                                                             &pyopencl_dtypes};

Reduction reduction_named(const std::string& name) {
  return static_cast<Reduction>(index_of(reductions, name, "reduction"));
}

const DTypePolicy& policy_named(const std::string& name) {
  return *policy_values[index_of(policies, name, "policy")];
}

nb::list op_names() {
  nb::list names;
  for (int number = 0; number < static_cast<int>(Op::cast); ++number) {
    const OpInfo& info = op_info(static_cast<Op>(number));
    names.append(nb::make_tuple(std::string(info.name), info.arity));
  }
  return names;
}

// For tests, which compare the results with NumPy.
void bind_resolution(nb::module_& m) {
  m.def("_operations", &op_names, nb::sig("def _operations() -> list[tuple[str, int]]"));
  m.def(
      "_resolve",
      [](const std::string& op, const nb::args& operands) {
        const std::vector<OperandType> types = operand_types(operands);
        const OpDtypes dtypes = resolve(op_named(op), types);
        nb::list all;
        for (std::size_t i = 0; i < types.size(); ++i) all.append(numpy_dtype(dtypes.operands[i]));
        all.append(numpy_dtype(dtypes.result));
        return all;
      },
      nb::sig("def _resolve(op: str, *operands: typing.Any) -> list[numpy.dtype]"));
  m.def(
      "_face_dtype",
      [](const std::string& policy, const std::string& op, nb::handle a, nb::handle b) {
        return numpy_dtype(
            result_dtype(policy_named(policy), op_named(op), operand_type(a), operand_type(b)));
      },
      nb::sig("def _face_dtype(policy: str, op: str, a: typing.Any, b: typing.Any) -> "
              "numpy.dtype"));
  m.def(
      "_reduction_dtypes",
      [](const std::string& reduction, nb::handle dtype, const std::string& policy) {
        const ReductionDtypes dtypes =
            reduction_dtypes(policy_named(policy), reduction_named(reduction), scalar_from(dtype));
        return nb::make_tuple(numpy_dtype(dtypes.accumulator), numpy_dtype(dtypes.result));
      },
      nb::arg("reduction"), nb::arg("dtype"), nb::arg("policy") = "native",
      nb::sig("def _reduction_dtypes(reduction: str, dtype: typing.Any, policy: str = 'native') "
              "-> tuple[numpy.dtype, numpy.dtype]"));
  m.def("_integer_fit", [](nb::handle dtype, nb::handle value) {
    return static_cast<int>(integer_fit(scalar_from(dtype), value));
  });
  m.def("_compare_beyond", [](const std::string& op, int fit) {
    return compare_beyond(op_named(op), static_cast<IntegerFit>(fit));
  });
}

}  // namespace

void bind_promotion(nb::module_& m) {
  m.def(
      "result_type",
      [](const nb::args& operands) { return numpy_dtype(promote(operand_types(operands))); },
      nb::sig("def result_type(*operands: typing.Any) -> numpy.dtype"),
      "The dtype that arrays, scalars and dtypes have in common, by NumPy 2's rules: int, float "
      "and "
      "complex of Python take on the dtype of what they meet.");
  m.def(
      "promote_types",
      [](nb::handle a, nb::handle b) {
        return numpy_dtype(promote(scalar_from(a), scalar_from(b)));
      },
      nb::arg("a"), nb::arg("b"),
      nb::sig("def promote_types(a: typing.Any, b: typing.Any) -> numpy.dtype"),
      "The smallest dtype that both can be cast to safely.");
  m.def(
      "can_cast",
      [](nb::handle from, nb::handle to, const std::string& casting) {
        return can_cast(scalar_from(from), scalar_from(to),
                        static_cast<Casting>(index_of(castings, casting, "kind of casting")));
      },
      nb::arg("from_"), nb::arg("to"), nb::arg("casting") = "safe",
      nb::sig("def can_cast(from_: typing.Any, to: typing.Any, casting: str = 'safe') -> bool"),
      "Whether values may be cast: \"no\", \"equiv\", \"safe\", \"same_kind\" or \"unsafe\".");
  bind_resolution(m);
}

}  // namespace treadle::bindings
