// SPDX-License-Identifier: MIT
// random.Sobol, and its direction vectors as NumPy arrays.
#include "treadle/array/sobol.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <optional>
#include <string>

#include "caller.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/promotion.hpp"
#include "native/random.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using array::Sobol;

template <class Word>
nb::object numpy_words(const std::vector<Word>& words, std::size_t columns) {
  const nb::bytes bytes(words.data(), words.size() * sizeof(Word));
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object flat =
      numpy.attr("frombuffer")(bytes, sizeof(Word) == 4 ? "uint32" : "uint64").attr("copy")();
  return columns == 0 ? flat : flat.attr("reshape")(-1, columns);
}

template <class Word>
nb::object vectors_of(std::size_t count, std::optional<std::uint64_t> seed) {
  return numpy_words(
      seed ? scrambled_sobol_vectors<Word>(count, *seed) : sobol_vectors<Word>(count),
      8 * sizeof(Word));
}

void require_bits(int bits) {
  if (bits != 32 && bits != 64)
    throw InvalidArgument("words of " + std::to_string(bits) + " bits", "give 32 or 64");
}

}  // namespace

void bind_sobol(nb::module_& m) {
  nb::class_<Sobol>(
      m, "Sobol",
      "Points of a Sobol sequence, which fill a cube of [0, 1) evenly: plain, or of a "
      "seed scrambled and shifted. The same on every device.")
      .def(nb::init<std::int64_t, std::optional<std::uint64_t>, std::shared_ptr<device::Device>>(),
           nb::arg("d"), nb::kw_only(), nb::arg("seed") = nb::none(),
           nb::arg("device") = nb::none(),
           nb::sig("def __init__(self, d: int, *, seed: int | None = None, device: "
                   "treadle._core.device.Device | None = None) -> None"),
           "d dimensions, at most 20000. Arrays are made on `device`; None: on that which is "
           "current when they are drawn.")
      .def(
          "random",
          [](Sobol& self, std::int64_t n, nb::handle dtype) {
            note_launch_site();
            const Scalar of = dtype.is_none() ? Scalar::float64 : scalar_from(dtype);
            Array made;
            {
              const nb::gil_scoped_release released;
              made = self.draw(n, of);
            }
            return array_object(std::move(made));
          },
          nb::arg("n") = 1, nb::arg("dtype") = nb::none(),
          nb::sig("def random(self, n: int = 1, dtype: typing.Any = None) -> "
                  "treadle._core.array.Array"),
          "The next n points, in rows: of float64, or float32, which has 2**32 points.")
      .def("fast_forward", &Sobol::skip, nb::arg("n"), "Passes over n points.")
      .def("reset", &Sobol::reset, "Back to the first point.")
      .def_prop_ro("num_generated", &Sobol::position, "How many points are behind.")
      .def_prop_ro("d", &Sobol::dimensions, "Coordinates of a point.")
      .def_prop_ro("seed", &Sobol::seed, nb::for_getter(nb::sig("def seed(self) -> int | None")),
                   "None: the sequence is plain.");
  m.def(
      "sobol_vectors",
      [](int bits, std::size_t count, std::optional<std::uint64_t> seed) {
        require_bits(bits);
        return bits == 32 ? vectors_of<std::uint32_t>(count, seed)
                          : vectors_of<std::uint64_t>(count, seed);
      },
      nb::arg("bits"), nb::arg("count"), nb::arg("seed") = nb::none(),
      nb::sig("def sobol_vectors(bits: int, count: int, seed: int | None = None) -> typing.Any"),
      "Direction vectors of `count` dimensions as an array of NumPy's, a row each: of 32 or 64 "
      "bits, scrambled if there is a seed.");
  m.def(
      "sobol_shifts",
      [](int bits, std::size_t count, std::uint64_t seed) {
        require_bits(bits);
        return bits == 32 ? numpy_words(sobol_shifts<std::uint32_t>(count, seed), 0)
                          : numpy_words(sobol_shifts<std::uint64_t>(count, seed), 0);
      },
      nb::arg("bits"), nb::arg("count"), nb::arg("seed"),
      nb::sig("def sobol_shifts(bits: int, count: int, seed: int) -> typing.Any"),
      "A random word for each of `count` dimensions, as an array of NumPy's.");
}

}  // namespace treadle::bindings
