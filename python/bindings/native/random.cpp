// SPDX-License-Identifier: MIT
// Random numbers in memory of any device.
#include "treadle/kernel/random.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>
#include <tuple>

#include "native/device.hpp"
#include "native/promotion.hpp"
#include "native/random.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using kernel::IntervalEnd;
using kernel::RandomDraw;
using kernel::RandomTarget;

/// Fills the whole buffer. Takes the blocks from the state before releasing the GIL, so that
/// threads that share a state draw different numbers.
void fill(const memory::Buffer& buffer, const RandomDraw& draw, RandomState& state,
          nb::handle stream) {
  const std::size_t size = DType(draw.dtype()).size_bytes();
  if (buffer.size_bytes() % size != 0)
    throw InvalidArgument("a buffer of " + std::to_string(buffer.size_bytes()) +
                          " bytes holds no whole number of elements of " +
                          DType(draw.dtype()).name());
  const auto queue = stream_or_current(stream, buffer.device());
  const RandomTarget target{buffer, buffer.size_bytes() / size};
  RandomState taken = state;
  state.advance(draw.blocks(target.count));
  const RandomState behind = state;
  try {
    const nb::gil_scoped_release released;
    kernel::fill_random(*queue, target, draw, taken);
  } catch (...) {
    if (state == behind) state.position -= draw.blocks(target.count);
    throw;
  }
}

using Parts =
    std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, RandomGenerator, std::uint64_t>;

void bind_state(nb::module_& m) {
  nb::enum_<RandomGenerator>(m, "RandomGenerator", "How random words are made.")
      .value("philox", RandomGenerator::philox, "Philox4x32-10.")
      .value("threefry", RandomGenerator::threefry, "Threefry4x32-20.");
  nb::class_<RandomState>(m, "RandomState", "Where the next random numbers come from.")
      .def(
          "__init__",
          [](RandomState* self, std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
             RandomGenerator generator) {
            new (self) RandomState{seed, stream, position, generator};
          },
          nb::arg("seed") = 0, nb::arg("stream") = 0, nb::arg("position") = 0,
          nb::arg("generator") = RandomGenerator::philox)
      .def_ro("seed", &RandomState::seed)
      .def_ro("stream", &RandomState::stream)
      .def_ro("position", &RandomState::position, "The next block of four words.")
      .def_ro("generator", &RandomState::generator)
      .def_ro("spawned", &RandomState::spawned, "Children so far.")
      .def("advance", &RandomState::advance, nb::arg("blocks"), "Passes over blocks.")
      .def("jumped", &RandomState::jumped, nb::arg("streams") = 1,
           "The start of a later stream of the same seed.")
      .def("spawn", &RandomState::spawn, nb::arg("count"),
           "States for others, each with a seed of its own.")
      .def(nb::self == nb::self)
      .def("__getstate__",
           [](const RandomState& self) {
             return Parts(self.seed, self.stream, self.position, self.generator, self.spawned);
           })
      .def("__setstate__", [](RandomState& self, const Parts& parts) {
        const auto& [seed, stream, position, generator, spawned] = parts;
        new (&self) RandomState{seed, stream, position, generator, spawned};
      });
}

}  // namespace

kernel::RandomDraw integers_between(Scalar dtype, const nb::int_& low, const nb::int_& high) {
  if (!(low < high))
    throw InvalidArgument("a range of random integers is empty: low is " +
                              nb::cast<std::string>(nb::str(low)) + ", high " +
                              nb::cast<std::string>(nb::str(high)),
                          "let low be less than high");
  const nb::object last = high - nb::int_(1), count = high - low;
  for (const nb::handle end : {nb::handle(low), nb::handle(last)})
    if (const IntegerFit fits = integer_fit(dtype, end); fits != IntegerFit::within)
      throw_overflow(dtype, fits, nb::cast<std::string>(nb::str(end)));
  return RandomDraw::integers(dtype, PyLong_AsUnsignedLongLongMask(low.ptr()),
                              PyLong_AsUnsignedLongLongMask(count.ptr()));
}

void bind_random(nb::module_& m) {
  bind_state(m);
  nb::class_<RandomDraw>(m, "RandomDraw", "A distribution of one dtype.")
      .def_static(
          "words", [](nb::handle dtype) { return RandomDraw::words(scalar_from(dtype)); },
          nb::arg("dtype"), "Integers of all values.")
      .def_static(
          "integers",
          [](nb::handle dtype, const nb::int_& low, const nb::int_& high) {
            return integers_between(scalar_from(dtype), low, high);
          },
          nb::arg("dtype"), nb::arg("low"), nb::arg("high"), "Integers from low to below high.")
      .def_static(
          "uniform",
          [](nb::handle dtype, double low, double high, bool with_high) {
            return RandomDraw::uniform(scalar_from(dtype), low, high,
                                       with_high ? IntervalEnd::high : IntervalEnd::low);
          },
          nb::arg("dtype"), nb::arg("low") = 0.0, nb::arg("high") = 1.0,
          nb::arg("with_high") = false, "Of [low, high), or with_high of (low, high].")
      .def_static(
          "normal",
          [](nb::handle dtype, double mean, double deviation) {
            return RandomDraw::normal(scalar_from(dtype), mean, deviation);
          },
          nb::arg("dtype"), nb::arg("mean") = 0.0, nb::arg("deviation") = 1.0)
      .def_static(
          "poisson",
          [](nb::handle dtype, std::optional<double> mean) {
            return mean ? RandomDraw::poisson(scalar_from(dtype), *mean)
                        : RandomDraw::poisson_of_elements(scalar_from(dtype));
          },
          nb::arg("dtype"), nb::arg("mean") = nb::none(),
          "Counts of a mean; None: of that which each element is before.")
      .def("blocks", &RandomDraw::blocks, nb::arg("count"),
           "How many blocks of a state so many numbers take.");
  m.def("fill", &fill, nb::arg("buffer"), nb::arg("draw"), nb::arg("state"),
        nb::arg("stream") = nb::none(),
        "Queues the filling of a Buffer with random numbers, and moves the state on behind them.");
}

}  // namespace treadle::bindings
