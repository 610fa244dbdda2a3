// SPDX-License-Identifier: MIT
// treadle.ElementwiseKernel, treadle.ReductionKernel and treadle.ScanKernel.
#include "treadle/array/user_kernel.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "errors.hpp"
#include "image.hpp"
#include "native/array.hpp"
#include "native/kernel_arguments.hpp"
#include "native/snippet_arguments.hpp"

namespace treadle::bindings {
namespace {

using KernelTypes = std::vector<std::pair<std::string, DType>>;

KernelTypes types_from(nb::handle types) {
  KernelTypes all;
  if (types.is_none()) return all;
  for (const auto [name, dtype] : nb::cast<nb::dict>(types))
    all.emplace_back(nb::cast<std::string>(name), dtype_from(dtype));
  return all;
}

std::optional<kernel::ElementRange> range_from(nb::handle range) {
  if (range.is_none()) return std::nullopt;
  if (PyRange_Check(range.ptr()) == 0)
    raise_python(PyExc_TypeError,
                 std::string("indices is a range, not a ") + Py_TYPE(range.ptr())->tp_name);
  const auto part = [&](const char* name) { return nb::cast<std::int64_t>(range.attr(name)); };
  return kernel::ElementRange{part("start"), part("stop"), part("step")};
}

// over 6 parameters because they are the keywords of the Python call
void make_elementwise(array::ElementwiseKernel* self, const std::string& arguments,
                      std::string operation, std::string name, std::string preamble,
                      std::string loop_prep, std::string after_loop, std::vector<std::string> flags,
                      nb::handle types) {
  add_python_folders();
  new (self) array::ElementwiseKernel(arguments, std::move(operation),
                                      {.name = std::move(name),
                                       .preamble = std::move(preamble),
                                       .loop_prep = std::move(loop_prep),
                                       .after_loop = std::move(after_loop),
                                       .flags = std::move(flags),
                                       .types = types_from(types)});
}

/// Returns None, one array, or a tuple of several.
nb::object arrays_made(std::vector<Array> made) {
  if (made.empty()) return nb::none();
  if (made.size() == 1) return array_object(std::move(made.front()));
  nb::list all;
  for (Array& one : made) all.append(array_object(std::move(one)));
  return nb::tuple(all);
}

nb::object call_elementwise(array::ElementwiseKernel& self, const nb::args& objects,
                            nb::handle indices) {
  note_launch_site();
  const KernelArguments arguments(self, objects);
  return arrays_made(self.call(arguments.get(), range_from(indices)));
}

/// A C text, or a number as C text.
std::string neutral_from(nb::handle neutral, const DType& dtype, const char* kernel) {
  if (nb::isinstance<nb::str>(neutral)) return nb::cast<std::string>(neutral);
  const Number number = number_from(neutral);
  const ScalarKind kind = dtype.kind();
  // The two languages spell complex numbers and records differently.
  if (kind == ScalarKind::structure || kind == ScalarKind::complex ||
      number.kind() == ScalarKind::complex)
    throw DTypeError(std::string("neutral of a ") + kernel + " of " + dtype.name() +
                         " is the number " + number.text() +
                         ", which no C text stands for in every language",
                     "pass the C text of the kernel's language");
  return neutral_text(neutral, false, "");
}

/// One result takes strings; several results take sequences of equal length.
std::vector<ReductionOutput> outputs_from(nb::handle dtype, nb::handle neutral, nb::handle reduce,
                                          nb::handle map) {
  const auto text = [](nb::handle object, const char* name) {
    if (!nb::isinstance<nb::str>(object))
      raise_python(PyExc_TypeError, std::string(name) +
                                        " of a ReductionKernel is a C text, not a " +
                                        Py_TYPE(object.ptr())->tp_name);
    return nb::cast<std::string>(object);
  };
  const auto output = [&](nb::handle one_dtype, nb::handle start, nb::handle fold, nb::handle of) {
    const DType type = dtype_from(one_dtype);
    return ReductionOutput{type, neutral_from(start, type, "ReductionKernel"), text(fold, "reduce"),
                           text(of, "map")};
  };
  if (nb::isinstance<nb::str>(reduce)) return {output(dtype, neutral, reduce, map)};
  const std::pair<const char*, nb::handle> all[] = {
      {"dtype", dtype}, {"neutral", neutral}, {"reduce", reduce}, {"map", map}};
  for (const auto& [name, value] : all)
    if (!(nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value)) ||
        nb::len(value) != nb::len(reduce))
      raise_python(PyExc_ValueError,
                   std::string(name) +
                       " of a ReductionKernel with several results is no sequence as long as "
                       "reduce: give dtype, neutral, reduce and map one entry for each result");
  std::vector<ReductionOutput> outputs;
  for (std::size_t k = 0; k < nb::len(reduce); ++k)
    outputs.push_back(output(dtype[k], neutral[k], reduce[k], map[k]));
  return outputs;
}

// over 6 parameters because they are the keywords of the Python call
void make_reduction(array::ReductionKernel* self, nb::handle dtype, nb::handle neutral,
                    nb::handle reduce, nb::handle map, std::string arguments, std::string name,
                    std::string preamble, std::vector<std::string> flags, nb::handle types) {
  add_python_folders();
  new (self) array::ReductionKernel(outputs_from(dtype, neutral, reduce, map), std::move(arguments),
                                    {.name = std::move(name),
                                     .preamble = std::move(preamble),
                                     .flags = std::move(flags),
                                     .types = types_from(types)});
}

// over 6 parameters because they are the keywords of the Python call
nb::object call_reduction(array::ReductionKernel& self, const nb::args& objects, nb::handle indices,
                          nb::handle axis, bool keepdims, nb::handle out) {
  note_launch_site();
  const KernelArguments arguments(self, objects);
  const array::ReductionCall options = {
      .range = range_from(indices), .axes = axes_from(axis), .keeps_axes = keepdims};
  const bool is_one = self.result_count() == 1;
  std::vector<Array> targets;
  if (is_one && !out.is_none()) targets.push_back(out_array(out));
  if (!is_one && !out.is_none()) {
    if (!nb::isinstance<nb::tuple>(out) && !nb::isinstance<nb::list>(out))
      raise_python(PyExc_TypeError, "out of reduction kernel " + self.name() +
                                        " is a tuple of an Array for each result, not a " +
                                        Py_TYPE(out.ptr())->tp_name);
    for (std::size_t k = 0; k < nb::len(out); ++k) {
      if (as_array(nb::object(out[k]).ptr()) == nullptr)
        raise_python(PyExc_TypeError, "out[" + std::to_string(k) + "] of reduction kernel " +
                                          self.name() + " is no Array");
      targets.push_back(out_array(nb::object(out[k])));
    }
    if (targets.empty()) raise_python(PyExc_ValueError, "out is an empty tuple: leave it out");
  }
  std::vector<Array> results = self.call_all(arguments.get(), options, targets);
  if (!out.is_none()) return nb::borrow(out);
  if (is_one) return array_object(std::move(results.front()));
  nb::list all;
  for (Array& one : results) all.append(array_object(std::move(one)));
  return nb::tuple(all);
}

/// Name, array and offset of a ScanFetch.
using PythonFetch = std::tuple<std::string, std::string, int>;

// over 6 parameters because they are the keywords of the Python call
void make_scan(array::ScanKernel* self, nb::handle dtype, std::string scan, std::string input,
               std::string output, std::string arguments, nb::handle neutral,
               std::string segment_start, const std::vector<PythonFetch>& fetches, std::string name,
               std::string preamble, std::vector<std::string> flags, nb::handle types) {
  add_python_folders();
  const DType type = dtype_from(dtype);
  ScanTexts texts{.arguments = std::move(arguments),
                  .input = std::move(input),
                  .scan = std::move(scan),
                  .output = std::move(output),
                  .neutral = neutral.is_none() ? "" : neutral_from(neutral, type, "ScanKernel"),
                  .segment_start = std::move(segment_start)};
  for (const auto& [fetched, array, offset] : fetches)
    texts.fetches.push_back({fetched, array, offset});
  new (self) array::ScanKernel(type, std::move(texts),
                               {.name = std::move(name),
                                .preamble = std::move(preamble),
                                .flags = std::move(flags),
                                .types = types_from(types)});
}

nb::object call_scan(array::ScanKernel& self, const nb::args& objects) {
  note_launch_site();
  const KernelArguments arguments(self, objects);
  return arrays_made(self.call(arguments.get()));
}

template <class Kernel>
std::string text_of(Kernel& self, const nb::args& objects) {
  return self.text(KernelArguments(self, objects).get());
}

#define TREADLE_TEXTS                                                                            \
  "preamble: str = '', flags: collections.abc.Sequence[str] = (), types: dict[str, typing.Any] " \
  "| None = None"

void bind_scan(nb::module_& m) {
  using array::ScanKernel;
  const std::vector<std::string> no_flags;
  nb::class_<ScanKernel>(
      m, "ScanKernel",
      "A kernel that gives each element the sum, by an associative operation, of what a C text "
      "gives for all up to it, and runs statements with it.\n\n"
      "    positive = treadle.ScanKernel(\"i4\", input=\"x[i] > 0\", scan=\"a + b\",\n"
      "                                  output=\"if (item != prev_item) found[prev_item] = i\",\n"
      "                                  neutral=0, arguments=\"const *x, int *found\")\n"
      "    positive(x, found)\n\n"
      "`dtype` is that of what is summed up. `scan` joins `a` and, behind it, `b`, which need not "
      "commute. `output` may use `i`, `n`, `item`, `prev_item` (which for the first element is "
      "`neutral`) and `last_item`. A segment begins where `segment_start` holds, a text that may "
      "use the input as `a`; `scan` is told by across_seg_boundary. `fetches` are (name, array, 0 "
      "or -1): elements at i, or before it, under names of their own. Elements are taken in C's "
      "order; arrays that are used at other places than [i] are tables, and nobody looks whether "
      "the places are in them. All else is as ElementwiseKernel has it. Equal calls give equal "
      "bits on a device.")
      .def("__init__", &make_scan, nb::arg("dtype"), nb::kw_only(), nb::arg("scan"),
           nb::arg("input"), nb::arg("output"), nb::arg("arguments"),
           nb::arg("neutral") = nb::none(), nb::arg("segment_start") = "",
           nb::arg("fetches") = std::vector<PythonFetch>(), nb::arg("name") = "scan",
           nb::arg("preamble") = "", nb::arg("flags") = no_flags, nb::arg("types") = nb::none(),
           nb::sig("def __init__(self, dtype: typing.Any, *, scan: str, input: str, output: str, "
                   "arguments: str, neutral: typing.Any = None, segment_start: str = '', fetches: "
                   "collections.abc.Sequence[tuple[str, str, int]] = (), name: str = "
                   "'scan', " TREADLE_TEXTS ") -> None"),
           "InvalidArgument for what is no declaration.")
      .def(
          "__call__", &call_scan, nb::arg("arguments"),
          nb::sig("def __call__(self, *arguments: typing.Any) -> typing.Any"),
          "Queues the scan over all elements on the device's current stream. Arguments may be left "
          "out, and errors are, as ElementwiseKernel has it.")
      .def("text", &text_of<ScanKernel>, nb::arg("arguments"),
           nb::sig("def text(self, *arguments: typing.Any) -> str"),
           "The program that a call with such arguments runs.")
      .def_prop_ro("name", &ScanKernel::name, "What errors and profilers call it.");
}

}  // namespace

void bind_user_kernels(nb::module_& m) {
  using array::ElementwiseKernel;
  using array::ReductionKernel;
  const std::vector<std::string> no_flags;
  nb::class_<ElementwiseKernel>(
      m, "ElementwiseKernel",
      "A kernel that runs a C text for every element `i` of arrays, on whichever device they "
      "are.\n\n"
      "    axpy = treadle.ElementwiseKernel(\"a, const *x, *y\", \"y[i] += a * x[i]\")\n"
      "    axpy(2, x, y)\n\n"
      "`arguments` are C declarations. One without a type takes that of the call's array (`*x`) "
      "or number (`a`; Python's numbers become what arithmetic with the arrays makes of them), "
      "which the text may call x_t. `n` is the number of elements. Arrays that the text uses as "
      "x[i] broadcast together, in any layout; others are tables of any shape. Pointers that are "
      "not const may be written to.\n\n"
      "`types` gives C names to dtypes, of structures that the preamble defines; complex numbers "
      "are float2 and double2 without it. `loop_prep` and `after_loop` stand around the loop over "
      "elements, `flags` are the compiler's.")
      .def("__init__", &make_elementwise, nb::arg("arguments"), nb::arg("operation"), nb::kw_only(),
           nb::arg("name") = "elementwise", nb::arg("preamble") = "", nb::arg("loop_prep") = "",
           nb::arg("after_loop") = "", nb::arg("flags") = no_flags, nb::arg("types") = nb::none(),
           nb::sig("def __init__(self, arguments: str, operation: str, *, name: str = "
                   "'elementwise', loop_prep: str = '', after_loop: str = '', " TREADLE_TEXTS
                   ") -> None"),
           "InvalidArgument for what is no declaration.")
      .def("__call__", &call_elementwise, nb::arg("arguments"), nb::kw_only(),
           nb::arg("indices") = nb::none(),
           nb::sig("def __call__(self, *arguments: typing.Any, indices: range | None = None) -> "
                   "typing.Any"),
           "Queues the text for all elements, or for these indices of them, on the device's "
           "current stream. Arguments at the end that are written to as z[i], and have a declared "
           "type, may be left out: they are made and returned, several as a tuple; else None. "
           "InvalidArgument, DTypeError, ShapeError, IndexError or OverflowError name the argument "
           "that does not fit, before anything runs.")
      .def("text", &text_of<ElementwiseKernel>, nb::arg("arguments"),
           nb::sig("def text(self, *arguments: typing.Any) -> str"),
           "The program that a call with such arguments runs.")
      .def_prop_ro("name", &ElementwiseKernel::name, "What errors and profilers call it.");
  nb::class_<ReductionKernel>(
      m, "ReductionKernel",
      "A kernel that folds what a C text gives for every element of arrays, in one launch.\n\n"
      "    dot = treadle.ReductionKernel(\"f4\", neutral=\"0\", reduce=\"a + b\",\n"
      "                                  map=\"x[i] * y[i]\", arguments=\"const *x, const *y\")\n"
      "    dot(x, y)\n\n"
      "`dtype` is the result's; `reduce` joins `a` and `b`, in any order; `neutral` changes "
      "nothing, and is the result of no elements, as a C text or, of real results, a number. All "
      "else is as ElementwiseKernel has it. Equal calls give equal bits on a device.\n\n"
      "With sequences of dtypes and texts, a call gives a tuple of results, of one pass over "
      "memory:\n\n"
      "    treadle.ReductionKernel((\"f8\", \"i8\"), neutral=(\"0\", \"0\"), "
      "reduce=(\"a + b\",) * 2,\n"
      "                            map=(\"x[i]\", \"x[i] > 0\"), arguments=\"const *x\")")
      .def("__init__", &make_reduction, nb::arg("dtype"), nb::kw_only(), nb::arg("neutral"),
           nb::arg("reduce"), nb::arg("map"), nb::arg("arguments"), nb::arg("name") = "reduction",
           nb::arg("preamble") = "", nb::arg("flags") = no_flags, nb::arg("types") = nb::none(),
           nb::sig("def __init__(self, dtype: typing.Any, *, neutral: typing.Any, reduce: str | "
                   "collections.abc.Sequence[str], "
                   "map: str | collections.abc.Sequence[str], arguments: str, name: str = "
                   "'reduction', " TREADLE_TEXTS ") -> None"),
           "InvalidArgument for what is no declaration.")
      .def("__call__", &call_reduction, nb::arg("arguments"), nb::kw_only(),
           nb::arg("indices") = nb::none(), nb::arg("axis") = nb::none(),
           nb::arg("keepdims") = false, nb::arg("out") = nb::none(),
           nb::sig("def __call__(self, *arguments: typing.Any, indices: range | None = None, axis: "
                   "int | collections.abc.Sequence[int] | None = None, keepdims: bool = False, "
                   "out: Array | tuple[Array, ...] | None = None) -> typing.Any"),
           "Queues the reduction; the result is an array without axes, or `out`, of one element; a "
           "tuple of them where the kernel has several results. "
           "With `axis`, of the shape to which x[i] broadcast, each result is of the elements "
           "along it, as in treadle.numpy.sum(); not together with `indices`. Errors are those of "
           "ElementwiseKernel.")
      .def("text", &text_of<ReductionKernel>, nb::arg("arguments"),
           nb::sig("def text(self, *arguments: typing.Any) -> str"),
           "The program that a call with such arguments runs.")
      .def_prop_ro("name", &ReductionKernel::name, "What errors and profilers call it.");
  bind_scan(m);
}

}  // namespace treadle::bindings
