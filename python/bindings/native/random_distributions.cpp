// SPDX-License-Identifier: MIT
// Methods of random.Generator: for listed distributions, made from their list, and for vectors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "native/promotion.hpp"
#include "native/random.hpp"
#include "native/random_request.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using array::Generator;
using array::Operand;
using array::RandomKind;
using array::Shape;

/// The elements of a host array in C's order, and the shape. Waits for arrays on devices.
struct HostNumbers {
  std::vector<double> values;
  Shape shape;
};
HostNumbers host_numbers(nb::handle object) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object own = nb::hasattr(object, "get") && nb::isinstance<Array>(object)
                             ? object.attr("get")()
                             : nb::borrow(object);
  const nb::object dense = numpy.attr("ascontiguousarray")(own, "float64");
  HostNumbers made;
  made.values.resize(nb::cast<std::size_t>(dense.attr("size")));
  const nb::bytes bytes(dense.attr("tobytes")());
  if (bytes.size() != 0) std::memcpy(made.values.data(), bytes.c_str(), bytes.size());
  // ascontiguousarray() would give numbers an axis.
  for (const nb::handle extent : nb::tuple(numpy.attr("shape")(own)))
    made.shape.push_back(nb::cast<std::int64_t>(extent));
  return made;
}

/// Refuses elements of host arrays that are out of range. Elements on devices are not checked.
void require_elements(RandomKind kind, std::size_t parameter, nb::handle object) {
  if (nb::isinstance<Array>(object)) return;
  const bool is_sequence = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
  if (!is_sequence && !nb::hasattr(object, "__array__")) return;
  kernel::require_parameters(kind, parameter, host_numbers(object).values);
}

/// `given` has None for each parameter that is left out.
nb::object draw_listed(Generator& self, RandomKind kind, std::span<const nb::handle> given,
                       std::span<const nb::handle, 3> size_dtype_out) {
  const auto named = codegen::parameters_of(kind);
  std::vector<std::unique_ptr<Parameter>> own;
  std::vector<const Parameter*> parameters;
  for (std::size_t k = 0; k < named.size(); ++k) {
    const bool is_usual = given[k].is_none() && named[k].usual == named[k].usual;
    if (given[k].is_none() && !is_usual)
      raise_python(PyExc_TypeError, std::string(codegen::kind_name(kind)) +
                                        "() misses its argument " + std::string(named[k].name));
    const nb::object value =
        is_usual ? nb::object(nb::float_(named[k].usual)) : nb::borrow(given[k]);
    require_elements(kind, k, value);
    own.push_back(std::make_unique<Parameter>(self, value, named[k].name.data()));
    parameters.push_back(own.back().get());
  }
  const auto& [size, dtype, out] =
      std::tuple(size_dtype_out[0], size_dtype_out[1], size_dtype_out[2]);
  const nb::str usual("int64");
  const bool is_int64 = codegen::counts(kind) && dtype.is_none() && out.is_none();
  const Request request(size, is_int64 ? nb::handle(usual) : dtype, out);
  std::vector<double> numbers;
  std::vector<Operand> operands;
  for (const Parameter* parameter : parameters) {
    if (parameter->is_number()) numbers.push_back(parameter->number());
    operands.push_back(parameter->get());
  }
  if (numbers.size() == parameters.size())
    return request.of(self, RandomDraw::listed(kind, request.dtype(), numbers));
  return request.of(parameters, [&](const Shape& shape) {
    return self.draw(kind, operands, shape, request.dtype());
  });
}

std::string described(RandomKind kind) {
  std::string title(codegen::kind_name(kind));
  for (char& letter : title)
    if (letter == '_') letter = ' ';
  std::string text = "Numbers of the " + title + " distribution, as NumPy's";
  if (codegen::counts(kind))
    return text + ": of int64, unless dtype or out say otherwise. On devices with float64.";
  return text + ". On devices with float64.";
}

std::string signature(RandomKind kind) {
  std::string text = "def " + std::string(codegen::kind_name(kind)) + "(self";
  for (const codegen::RandomParameter& parameter : codegen::parameters_of(kind)) {
    text += ", " + std::string(parameter.name) + ": typing.Any";
    if (parameter.usual == parameter.usual) text += parameter.usual == 0 ? " = 0.0" : " = 1.0";
  }
  return text +
         ", size: int | typing.Sequence[int] | None = None, dtype: typing.Any = None, *, out: "
         "treadle._core.array.Array | None = None) -> typing.Any";
}

template <std::size_t>
using Given = nb::handle;

template <std::size_t... I>
void bind_listed(nb::class_<Generator>& type, RandomKind kind, std::index_sequence<I...>) {
  const auto named = codegen::parameters_of(kind);
  type.def(
      codegen::kind_name(kind).data(),
      [kind](Generator& self, Given<I>... given, nb::handle size, nb::handle dtype,
             nb::handle out) {
        const std::array<nb::handle, sizeof...(I)> all{given...};
        const std::array<nb::handle, 3> rest{size, dtype, out};
        return draw_listed(self, kind, all, rest);
      },
      (nb::arg(named[I].name.data()) = nb::none())..., nb::arg("size") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig(signature(kind).c_str()), described(kind).c_str());
}

Shape shape_or_scalar(nb::handle size) { return size.is_none() ? Shape{} : shape_from(size); }

nb::object dirichlet(Generator& self, nb::handle alpha, nb::handle size) {
  const HostNumbers given = host_numbers(alpha);
  if (given.shape.size() != 1)
    throw ShapeError("dirichlet(): alpha has " + std::to_string(given.shape.size()) + " axes",
                     "give one");
  note_launch_site();
  return array_object(self.dirichlet(given.values, shape_or_scalar(size)));
}

nb::object multinomial(Generator& self, nb::handle n, nb::handle pvals, nb::handle size) {
  require_elements(RandomKind::binomial, 0, n);
  note_launch_site();
  const Parameter trials(self, n, "n"), probabilities(self, without_sequences(pvals), "pvals");
  if (probabilities.is_number() || probabilities.array().rank() == 0)
    throw ShapeError("multinomial(): pvals has no axis", "give an array of probabilities");
  Shape shape(probabilities.array().shape().begin(), probabilities.array().shape().end());
  shape.pop_back();
  if (!size.is_none()) {
    shape = shape_from(size);
  } else if (!trials.is_number()) {
    const Layout rows = Layout::contiguous(shape, 1);
    const Layout* const both[] = {&rows, &trials.array().layout()};
    const Layout all = broadcast(both, 1);
    shape.assign(all.shape().begin(), all.shape().end());
  }
  return array_object(self.multinomial(trials.get(), probabilities.array(), shape));
}

nb::object multivariate_hypergeometric(Generator& self, nb::handle colors, std::int64_t nsample,
                                       nb::handle size, const std::string& method) {
  if (method != "marginals" && method != "count")
    throw InvalidArgument("multivariate_hypergeometric(): method is '" + method + "'",
                          "give 'marginals' or 'count', which draw the same here");
  const HostNumbers given = host_numbers(colors);
  std::vector<std::int64_t> counts;
  for (const double count : given.values) {
    if (count != static_cast<double>(static_cast<std::int64_t>(count)))
      throw InvalidArgument("multivariate_hypergeometric(): colors has " + std::to_string(count),
                            "give integers");
    counts.push_back(static_cast<std::int64_t>(count));
  }
  note_launch_site();
  return array_object(self.multivariate_hypergeometric(counts, nsample, shape_or_scalar(size)));
}

// over 6 parameters because they are NumPy's
nb::object multivariate_normal(Generator& self, nb::handle mean, nb::handle cov, nb::handle size,
                               const std::string& check_valid, double tol,
                               const std::string& method) {
  const HostNumbers means = host_numbers(mean), covariance = host_numbers(cov);
  if (means.shape.size() != 1 || covariance.shape != Shape{means.shape[0], means.shape[0]})
    throw ShapeError("multivariate_normal(): the shape of mean is " + shape_text(means.shape) +
                         ", that of cov " + shape_text(covariance.shape),
                     "give n means and n x n covariances");
  if (check_valid != "warn" && check_valid != "raise" && check_valid != "ignore")
    throw InvalidArgument("multivariate_normal(): check_valid is '" + check_valid + "'",
                          "give 'warn', 'raise' or 'ignore'");
  if (method != "svd" && method != "eigh" && method != "cholesky")
    throw InvalidArgument("multivariate_normal(): method is '" + method + "'",
                          "give 'svd', 'eigh' or 'cholesky', which draw the same here");
  note_launch_site();
  const auto draw = [&](double tolerance) {
    return array_object(self.multivariate_normal(means.values, covariance.values,
                                                 shape_or_scalar(size), tolerance));
  };
  constexpr double any = std::numeric_limits<double>::infinity();
  if (check_valid == "ignore") return draw(any);
  try {
    return draw(tol);
  } catch (const InvalidArgument& error) {
    if (check_valid == "raise") throw;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, error.what(), 1) != 0) throw nb::python_error();
  }
  return draw(any);
}

#define TREADLE_SIZE "size: int | typing.Sequence[int] | None = None"

void bind_rows(nb::class_<Generator>& type) {
  const auto size = nb::arg("size") = nb::none();
  type.def("dirichlet", &dirichlet, nb::arg("alpha"), size,
           nb::sig("def dirichlet(self, alpha: typing.Any, " TREADLE_SIZE
                   ") -> treadle._core.array.Array"),
           "Shares of 1, along a last axis. Waits for alpha, if that is on a device.")
      .def("multinomial", &multinomial, nb::arg("n"), nb::arg("pvals"), size,
           nb::sig("def multinomial(self, n: typing.Any, pvals: typing.Any, " TREADLE_SIZE
                   ") -> treadle._core.array.Array"),
           "How often each of several things happens in n trials, of int64, along a last axis. The "
           "last of pvals stands for what the others leave of 1. Looks at pvals, and waits.")
      .def(
          "multivariate_hypergeometric", &multivariate_hypergeometric, nb::arg("colors"),
          nb::arg("nsample"), size, nb::arg("method") = "marginals",
          nb::sig("def multivariate_hypergeometric(self, colors: typing.Any, nsample: "
                  "int, " TREADLE_SIZE ", method: str = 'marginals') -> treadle._core.array.Array"),
          "How many of each color are among nsample balls that are taken without putting back, of "
          "int64, along a last axis. colors are below 10**9 in all; method does not matter.")
      .def("multivariate_normal", &multivariate_normal, nb::arg("mean"), nb::arg("cov"), size,
           nb::arg("check_valid") = "warn", nb::arg("tol") = 1e-8, nb::kw_only(),
           nb::arg("method") = "svd",
           nb::sig("def multivariate_normal(self, mean: typing.Any, cov: typing.Any, " TREADLE_SIZE
                   ", check_valid: str = 'warn', tol: float = 1e-08, *, method: str = 'svd') -> "
                   "treadle._core.array.Array"),
           "Normal numbers of these means and covariances, along a last axis. tol is a part of the "
           "largest variance; method does not matter.");
}

}  // namespace

void bind_random_distributions(nb::class_<array::Generator>& type) {
  constexpr RandomKind listed[] = {
#define TREADLE_DISTRIBUTION(name, ...) RandomKind::name,
#include "treadle/codegen/distributions.def"
#undef TREADLE_DISTRIBUTION
  };
  for (const RandomKind of : listed) {
    if (of == RandomKind::log_gamma) continue;  // NumPy has no such method
    switch (codegen::parameters_of(of).size()) {
      case 0:
        bind_listed(type, of, std::make_index_sequence<0>());
        break;
      case 1:
        bind_listed(type, of, std::make_index_sequence<1>());
        break;
      case 2:
        bind_listed(type, of, std::make_index_sequence<2>());
        break;
      default:
        bind_listed(type, of, std::make_index_sequence<3>());
    }
  }
  bind_rows(type);
}

}  // namespace treadle::bindings
