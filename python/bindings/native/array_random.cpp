// SPDX-License-Identifier: MIT
// treadle.random.Generator, with the parameters of numpy.random.Generator. The GIL is released
// around draws, because a draw may compile, and draws of one Generator wait for each other.
#include "treadle/array/random.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>

#include "caller.hpp"
#include "errors.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/promotion.hpp"
#include "native/random.hpp"
#include "native/random_request.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

using array::Generator;
using array::Shape;

nb::object python_number(const Number& number, Scalar dtype) {
  if (dtype == Scalar::boolean) return nb::bool_(number.as_bool());
  if (!number.is_integer()) return nb::float_(number.as_double());
  const nb::object integer = number.kind() == ScalarKind::unsigned_integer
                                 ? nb::int_(number.as_uint64())
                                 : nb::int_(number.as_int64());
  return numpy_dtype(dtype).attr("type")(integer);
}

nb::object without_sequences(nb::handle object) {
  const bool is_sequence = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
  return is_sequence ? nb::object(nb::module_::import_("numpy").attr("asarray")(object))
                     : nb::borrow(object);
}

array::Placement placement_of(const Generator& random) {
  array::Placement placement;
  if (random.device() != nullptr) placement.stream = stream_for(*random.device());
  return placement;
}

Parameter::Parameter(const Generator& random, nb::handle object, const char* name)
    : given_(without_sequences(object).ptr(), placement_of(random)) {
  if (!given_)
    raise_python(PyExc_TypeError, std::string(name) + " is a number or an array, not a " +
                                      Py_TYPE(object.ptr())->tp_name);
  if (given_.get().array() != nullptr) array_ = *given_.get().array();
}

double Parameter::number() const {
  if (given_.get().number().kind() == ScalarKind::complex)
    throw DTypeError("a distribution with a complex parameter", "pass real numbers");
  return given_.get().number().as_double();
}

Request::Request(nb::handle size, nb::handle dtype, nb::handle out) : out_object_(nb::borrow(out)) {
  note_launch_site();
  out_ = out_array(out);
  if (out_.has_value()) shape_.emplace(out_.shape().begin(), out_.shape().end());
  if (!size.is_none()) {
    Shape shape = shape_from(size);
    if (out_.has_value() && shape != *shape_)
      throw ShapeError(
          "size is " + shape_text(shape) + " and the shape of out " + shape_text(*shape_),
          "leave size out");
    shape_ = std::move(shape);
  }
  if (out_.has_value()) dtype_ = out_.dtype().scalar();
  if (dtype.is_none()) return;
  const Scalar wanted = scalar_from(dtype);
  if (out_.has_value() && wanted != dtype_)
    throw DTypeError("random numbers of " + DType(wanted).name() + " do not go into an array of " +
                         out_.dtype().name(),
                     "leave dtype out");
  dtype_ = wanted;
}

nb::object Request::of(Generator& random, const RandomDraw& draw) const {
  if (!shape_) return python_number(random.draw(draw), dtype_);
  Array made;
  {
    const nb::gil_scoped_release released;
    if (out_.has_value())
      random.fill(out_, draw);
    else
      made = random.draw(draw, *shape_);
  }
  return out_.has_value() ? out_object_ : array_object(std::move(made));
}

namespace {

nb::object uniform(Generator& self, nb::handle low, nb::handle high, nb::handle size,
                   nb::handle dtype, nb::handle out) {
  const Parameter from(self, low, "low"), to(self, high, "high");
  const Request request(size, dtype, out);
  if (from.is_number() && to.is_number())
    return request.of(self, RandomDraw::uniform(request.dtype(), from.number(), to.number()));
  return request.of({&from, &to}, [&](const Shape& shape) {
    return self.uniform(from.get(), to.get(), shape, request.dtype());
  });
}

nb::object normal(Generator& self, nb::handle loc, nb::handle scale, nb::handle size,
                  nb::handle dtype, nb::handle out) {
  const Parameter mean(self, loc, "loc"), deviation(self, scale, "scale");
  const Request request(size, dtype, out);
  if (mean.is_number() && deviation.is_number())
    return request.of(self, RandomDraw::normal(request.dtype(), mean.number(), deviation.number()));
  return request.of({&mean, &deviation}, [&](const Shape& shape) {
    return self.normal(mean.get(), deviation.get(), shape, request.dtype());
  });
}

nb::object lognormal(Generator& self, nb::handle mean, nb::handle sigma, nb::handle size,
                     nb::handle dtype, nb::handle out) {
  const Parameter center(self, mean, "mean"), deviation(self, sigma, "sigma");
  const Request request(size, dtype, out);
  return request.of({&center, &deviation}, [&](const Shape& shape) {
    return self.lognormal(center.get(), deviation.get(), shape, request.dtype());
  });
}

nb::object exponential(Generator& self, nb::handle scale, nb::handle size, nb::handle dtype,
                       nb::handle out) {
  const Parameter mean(self, scale, "scale");
  const Request request(size, dtype, out);
  return request.of({&mean}, [&](const Shape& shape) {
    return self.exponential(mean.get(), shape, request.dtype());
  });
}

nb::object poisson(Generator& self, nb::handle lam, nb::handle size, nb::handle dtype,
                   nb::handle out) {
  const Parameter mean(self, lam, "lam");
  const nb::str usual("int64");
  const Request request(size, dtype.is_none() && out.is_none() ? nb::handle(usual) : dtype, out);
  if (mean.is_number())
    return request.of(self, RandomDraw::poisson(request.dtype(), mean.number()));
  return request.of({&mean}, [&](const Shape& shape) {
    return self.poisson(mean.get(), shape, request.dtype());
  });
}

/// Takes whole floats such as 1e6 as integers, as NumPy does, and refuses other numbers.
nb::int_ integer_argument(nb::handle object, const char* name) {
  if (PyIndex_Check(object.ptr())) {
    PyObject* const index = PyNumber_Index(object.ptr());
    if (index == nullptr) throw nb::python_error();
    return nb::steal<nb::int_>(index);
  }
  if (PyFloat_Check(object.ptr()) && nb::cast<bool>(object.attr("is_integer")()))
    return nb::int_(object);
  raise_python(PyExc_TypeError, std::string(name) + " is an integer, not " +
                                    nb::cast<std::string>(nb::repr(object)));
}

/// Whether the object is an array, ours or NumPy's, or a sequence.
bool is_many(nb::handle object) {
  if (as_array(object.ptr()) != nullptr || nb::isinstance<nb::list>(object) ||
      nb::isinstance<nb::tuple>(object))
    return true;
  return is_numpy_array(object.ptr()) && nb::cast<int>(object.attr("ndim")) > 0;
}

// over 6 parameters because they are NumPy's
nb::object integers(Generator& self, nb::handle low, nb::handle high, nb::handle size,
                    nb::handle dtype, bool endpoint, nb::handle out) {
  const bool has_low = !high.is_none();
  if (is_many(low) || is_many(high)) {
    const nb::int_ zero(0);
    const nb::object ends = endpoint
                                ? nb::object(without_sequences(has_low ? high : low) + nb::int_(1))
                                : nb::borrow(has_low ? high : low);
    const Parameter from(self, has_low ? low : nb::handle(zero), "low"), to(self, ends, "high");
    const nb::str usual_of_many("int64");
    const Request many(size, dtype.is_none() && out.is_none() ? nb::handle(usual_of_many) : dtype,
                       out);
    return many.of({&from, &to}, [&](const Shape& shape) {
      return self.integers(from.get(), to.get(), shape, many.dtype());
    });
  }
  const nb::int_ first = has_low ? integer_argument(low, "low") : nb::int_(0);
  const nb::int_ last = integer_argument(has_low ? high : low, "high");
  const nb::str usual("int64");
  const Request request(size, dtype.is_none() && out.is_none() ? nb::handle(usual) : dtype, out);
  return request.of(self, integers_between(request.dtype(), first,
                                           endpoint ? nb::int_(last + nb::int_(1)) : last));
}

std::uint64_t seed_from(nb::handle seed) {
  const nb::int_ number = integer_argument(seed, "a seed");
  if (const IntegerFit fits = integer_fit(Scalar::uint64, number); fits != IntegerFit::within)
    throw_overflow(Scalar::uint64, fits, nb::cast<std::string>(nb::str(number)));
  return nb::cast<std::uint64_t>(number);
}

void make_generator(Generator* self, nb::handle seed, std::shared_ptr<device::Device> device) {
  if (seed.is_none())
    new (self) Generator(Generator().state(), std::move(device));
  else if (nb::isinstance<RandomState>(seed))
    new (self) Generator(nb::cast<const RandomState&>(seed), std::move(device));
  else
    new (self) Generator(seed_from(seed), std::move(device));
}

std::string text_of(const Generator& self) {
  const RandomState state = self.state();
  const bool is_philox = state.generator == RandomGenerator::philox;
  return "Generator(" + std::string(is_philox ? "" : "threefry, ") +
         "seed=" + std::to_string(state.seed) + ", stream=" + std::to_string(state.stream) +
         ", position=" + std::to_string(state.position) + ")";
}

#define TREADLE_SIZE "size: int | typing.Sequence[int] | None = None"
#define TREADLE_PLACE "dtype: typing.Any = None, *, out: treadle._core.array.Array | None = None"

nb::object draw_any(Generator& self, const RandomDraw& draw, nb::handle size, nb::handle out) {
  return Request(size, numpy_dtype(draw.dtype()), out).of(self, draw);
}

void bind_distributions(nb::class_<Generator>& type) {
  const auto size = nb::arg("size") = nb::none();
  const auto dtype = nb::arg("dtype") = nb::none();
  const auto out = nb::arg("out") = nb::none();
  type.def(
          "random",
          [](Generator& self, nb::handle shape, nb::handle of, nb::handle into) {
            const Request request(shape, of, into);
            return request.of(self, RandomDraw::uniform(request.dtype()));
          },
          size, dtype, nb::kw_only(), out,
          nb::sig("def random(self, " TREADLE_SIZE ", " TREADLE_PLACE ") -> typing.Any"),
          "Numbers of [0, 1).")
      .def("uniform", &uniform, nb::arg("low") = 0.0, nb::arg("high") = 1.0, size, dtype,
           nb::kw_only(), out,
           nb::sig("def uniform(self, low: typing.Any = 0.0, high: typing.Any = 1.0, " TREADLE_SIZE
                   ", " TREADLE_PLACE ") -> typing.Any"),
           "Numbers of [low, high).")
      .def("integers", &integers, nb::arg("low"), nb::arg("high") = nb::none(), size, dtype,
           nb::arg("endpoint") = false, nb::kw_only(), out,
           nb::sig("def integers(self, low: typing.Any, high: typing.Any = None, " TREADLE_SIZE
                   ", dtype: typing.Any = None, endpoint: bool = False, *, out: "
                   "treadle._core.array.Array | None = None) -> typing.Any"),
           "Integers of [low, high), of [low, high] with `endpoint`; of [0, low) where high is "
           "None. Of int64, unless dtype or out say otherwise. Arrays of ends are looked at, which "
           "waits.")
      .def(
          "standard_normal",
          [](Generator& self, nb::handle shape, nb::handle of, nb::handle into) {
            const Request request(shape, of, into);
            return request.of(self, RandomDraw::normal(request.dtype()));
          },
          size, dtype, nb::kw_only(), out,
          nb::sig("def standard_normal(self, " TREADLE_SIZE ", " TREADLE_PLACE ") -> typing.Any"),
          "Normal numbers of mean 0 and deviation 1.")
      .def("normal", &normal, nb::arg("loc") = 0.0, nb::arg("scale") = 1.0, size, dtype,
           nb::kw_only(), out,
           nb::sig("def normal(self, loc: typing.Any = 0.0, scale: typing.Any = 1.0, " TREADLE_SIZE
                   ", " TREADLE_PLACE ") -> typing.Any"),
           "Normal numbers of mean loc and deviation scale.")
      .def("lognormal", &lognormal, nb::arg("mean") = 0.0, nb::arg("sigma") = 1.0, size, dtype,
           nb::kw_only(), out,
           nb::sig(
               "def lognormal(self, mean: typing.Any = 0.0, sigma: typing.Any = 1.0, " TREADLE_SIZE
               ", " TREADLE_PLACE ") -> typing.Any"),
           "exp() of normal numbers of mean `mean` and deviation sigma.")
      .def("exponential", &exponential, nb::arg("scale") = 1.0, size, dtype, nb::kw_only(), out,
           nb::sig("def exponential(self, scale: typing.Any = 1.0, " TREADLE_SIZE ", " TREADLE_PLACE
                   ") -> typing.Any"),
           "Numbers of density exp(-x / scale) / scale.")
      .def(
          "standard_exponential",
          [](Generator& self, nb::handle shape, nb::handle of, nb::handle into) {
            return exponential(self, nb::float_(1.0), shape, of, into);
          },
          size, dtype, nb::kw_only(), out,
          nb::sig("def standard_exponential(self, " TREADLE_SIZE ", " TREADLE_PLACE
                  ") -> typing.Any"),
          "Numbers of density exp(-x).")
      .def("poisson", &poisson, nb::arg("lam") = 1.0, size, dtype, nb::kw_only(), out,
           nb::sig("def poisson(self, lam: typing.Any = 1.0, " TREADLE_SIZE ", " TREADLE_PLACE
                   ") -> typing.Any"),
           "How often something happens that happens lam times on average, which is at most 2**30. "
           "Of int64, unless dtype or out say otherwise: integers of 32 and 64 bits, float32, "
           "float64. On devices with float64.")
      .def("draw", &draw_any, nb::arg("draw"), size, nb::kw_only(), out,
           nb::sig("def draw(self, draw: RandomDraw, " TREADLE_SIZE
                   ", *, out: treadle._core.array.Array | None = None) -> typing.Any"),
           "Numbers of any distribution that treadle's kernels make themselves.")
      .def(
          "bytes",
          [](Generator& self, std::size_t length) {
            const std::vector<std::byte> made = self.bytes(length);
            return nb::bytes(made.data(), made.size());
          },
          nb::arg("length"), "Random bytes, on the host.");
}

}  // namespace

void bind_generator(nb::module_& m) {
  auto type = nb::class_<Generator>(
      m, "Generator",
      "A sequence of random numbers, the same on every device, with the methods of "
      "numpy.random.Generator.\n\n"
      "Draws return an array of shape `size`, or one number of Python's where it is None; `out` is "
      "an array to fill instead. dtype is float64 or that of `out`, unless it is given: float32 is "
      "the other one. Parameters such as loc and scale are numbers, or arrays that broadcast.");
  type.def("__init__", &make_generator, nb::arg("seed") = nb::none(), nb::kw_only(),
           nb::arg("device") = nb::none(),
           nb::sig("def __init__(self, seed: int | RandomState | None = None, *, device: "
                   "treadle._core.device.Device | None = None) -> None"),
           "`seed` is of 64 bits, or a state to go on from; None: the operating system gives one. "
           "Arrays are made on `device`; None: on that which is current when they are drawn.")
      .def_prop_rw("state", &Generator::state, &Generator::set_state,
                   "Where the next numbers come from, as a RandomState of its own.")
      .def_prop_ro(
          "device", &Generator::device,
          nb::for_getter(nb::sig("def device(self) -> treadle._core.device.Device | None")),
          "Where arrays are made; None: the current device.")
      .def("jumped", &Generator::jumped, nb::arg("streams") = 1,
           "A Generator at the start of a later stream of the same seed: independent numbers.")
      .def("spawn", &Generator::spawn, nb::arg("n_children"),
           "Generators with seeds of their own, for threads or processes.")
      .def("__copy__", [](const Generator& self) { return self; })
      .def(
          "__deepcopy__", [](const Generator& self, nb::handle) { return self; }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> Generator"))
      .def("__getstate__", &Generator::state)
      .def("__setstate__",
           [](Generator& self, const RandomState& state) { new (&self) Generator(state); })
      .def("__repr__", &text_of);
  bind_distributions(type);
  bind_random_distributions(type);
  bind_random_orders(type);
  bind_sobol(m);
}

}  // namespace treadle::bindings
