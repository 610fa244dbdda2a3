// SPDX-License-Identifier: MIT
// Fourier transforms, for treadle.numpy.fft.
#include "native/fft.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "native/array.hpp"
#include "native/kernel_arguments.hpp"
#include "native/overlap.hpp"
#include "native/promotion.hpp"
#include "treadle/base/error.hpp"
#include "treadle/fft/convolution.hpp"
#include "treadle/fft/fft.hpp"
#include "treadle/fft/plan.hpp"

namespace treadle::bindings {
namespace {

fft::Norm norm_named(const std::optional<std::string>& name) {
  if (!name || *name == "backward") return fft::Norm::backward;
  if (*name == "ortho") return fft::Norm::ortho;
  if (*name == "forward") return fft::Norm::forward;
  throw InvalidArgument("norm='" + *name + "'", "it is \"backward\", \"ortho\" or \"forward\"");
}

using Function = Array (*)(const Array&, const fft::Options&);

void bind_transform(nb::module_& m, const char* name, Function function, const char* doc) {
  m.def(
      name,
      [function](const Array& x, std::vector<int> axes, std::vector<std::int64_t> lengths,
                 const std::optional<std::string>& norm) {
        note_launch_site();
        const Array own = x;
        return function(
            own,
            {.axes = std::move(axes), .lengths = std::move(lengths), .norm = norm_named(norm)});
      },
      nb::arg("x"), nb::arg("axes"), nb::arg("lengths"), nb::arg("norm").none(), doc);
}

fft::Plan::Function transform_named(const std::string& name) {
  for (const auto& [known, function] :
       {std::pair<const char*, fft::Plan::Function>("fft", &fft::fft),
        {"ifft", &fft::ifft},
        {"rfft", &fft::rfft},
        {"irfft", &fft::irfft},
        {"hfft", &fft::hfft},
        {"ihfft", &fft::ihfft}})
    if (name == known) return function;
  throw InvalidArgument("there is no transform '" + name + "'",
                        "it is fft, ifft, rfft, irfft, hfft or ihfft");
}

// over 6 parameters because they are the keywords of the Python call
void make_plan(fft::Plan* self, const std::string& transform, std::string arguments,
               std::string load, std::string store, nb::handle dtype, std::vector<int> axes,
               std::vector<std::int64_t> lengths, const std::optional<std::string>& norm) {
  const auto result =
      dtype.is_none() ? std::optional<Scalar>() : std::optional(dtype_from(dtype).scalar());
  new (self)
      fft::Plan(transform_named(transform),
                {.arguments = std::move(arguments),
                 .load = std::move(load),
                 .store = std::move(store),
                 .dtype = result},
                {.axes = std::move(axes), .lengths = std::move(lengths), .norm = norm_named(norm)});
}

/// What KernelArguments asks of a kernel.
struct PlanArguments {
  bool may_write(std::size_t) const noexcept { return false; }
  std::string name() const { return "fft.Plan"; }
};
Array call_plan(const fft::Plan& plan, const nb::args& objects) {
  note_launch_site();
  const KernelArguments arguments(PlanArguments{}, objects);
  const auto all = arguments.get();
  if (all.empty() || all[0].array() == nullptr)
    raise_python(PyExc_TypeError, "an fft.Plan transforms an array, its first argument");
  return plan.call(*all[0].array(), all.subspan(1));
}

void bind_plan(nb::module_& m) {
  nb::class_<fft::Plan>(m, "Plan", "A transform with C texts for loaded and stored elements.")
      .def("__init__", &make_plan, nb::arg("transform"), nb::arg("arguments"), nb::arg("load"),
           nb::arg("store"), nb::arg("dtype").none(), nb::arg("axes"), nb::arg("lengths"),
           nb::arg("norm").none(), "InvalidArgument for what is no declaration.")
      .def("__call__", &call_plan, nb::arg("arguments"),
           nb::sig("def __call__(self, *arguments: typing.Any) -> treadle._core.array.Array"),
           "The transform of an array; behind it what was declared.");
}

using Frequencies = Array (*)(std::int64_t, double, Scalar, const array::Placement&);

void bind_frequencies(nb::module_& m, const char* name, Frequencies function, const char* doc) {
  m.def(
      name,
      [function](std::int64_t n, double spacing, nb::handle dtype, nb::handle device) {
        return function(n, spacing, dtype_from(dtype).scalar(), placement_on(device));
      },
      nb::arg("n"), nb::arg("spacing"), nb::arg("dtype"), nb::arg("device").none(), doc);
}

using Shift = Array (*)(const Array&, List<int>);

void bind_shift(nb::module_& m, const char* name, Shift function, const char* doc) {
  m.def(
      name,
      [function](const Array& x, const std::vector<int>& axes) {
        note_launch_site();
        const Array own = x;
        return function(own, axes);
      },
      nb::arg("x"), nb::arg("axes"), doc);
}

}  // namespace

void bind_fft(nb::module_& m) {
  bind_transform(m, "fft", &fft::fft, "The forward transform along axes.");
  bind_transform(m, "ifft", &fft::ifft, "The inverse transform along axes.");
  bind_transform(m, "rfft", &fft::rfft, "Half of the spectrum of real elements.");
  bind_transform(m, "irfft", &fft::irfft, "The real elements of half a spectrum.");
  bind_transform(m, "hfft", &fft::hfft, "The real spectrum of half of a symmetric signal.");
  bind_transform(m, "ihfft", &fft::ihfft, "Half of the symmetric signal of a real spectrum.");
  bind_plan(m);
  bind_frequencies(m, "fftfreq", &fft::fftfreq, "The frequencies of a transform's elements.");
  bind_frequencies(m, "rfftfreq", &fft::rfftfreq, "The frequencies of half a spectrum.");
  bind_shift(m, "fftshift", &fft::fftshift, "With frequency 0 in the middle of axes.");
  bind_shift(m, "ifftshift", &fft::ifftshift, "What fftshift() was applied to.");
  m.def("convolve_fft", recorded(+[](const Array& x, const Array& y, const std::string& mode) {
          return fft::convolve_fft(x, y, overlap_named(mode));
        }),
        nb::arg("x"), nb::arg("y"), nb::arg("mode"), "Sums of x[k - j] * y[j] along all axes.");
}

}  // namespace treadle::bindings
