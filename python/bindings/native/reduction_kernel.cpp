// SPDX-License-Identifier: MIT
#include "treadle/kernel/reduction_kernel.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/numpy_scalars.hpp"
#include "image.hpp"
#include "native/array.hpp"
#include "native/device.hpp"
#include "native/snippet_arguments.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace {

using kernel::ReductionKernel;

// over 6 parameters because they are the keywords of the Python call
void make(ReductionKernel* self, std::shared_ptr<device::Device> device, const PythonType& type,
          nb::handle neutral, std::string reduce, std::string map, std::string arguments,
          const std::vector<PythonType>& types, std::string name, std::string preamble,
          std::vector<std::string> flags) {
  numpy_types();  // recognise NumPy's scalars from now on
  add_python_folders();
  new (self) ReductionKernel(
      std::move(device), dtype_of(type),
      {neutral_of(neutral, type), std::move(reduce), std::move(map), std::move(arguments)},
      {.name = std::move(name),
       .preamble = std::move(preamble),
       .flags = std::move(flags),
       .types = type_names(type, types)});
}

void launch(ReductionKernel& self, const std::pair<std::int64_t, std::int64_t>& range,
            std::int64_t count, const Array& result, const nb::args& objects) {
  const SnippetArguments arguments(objects);
  const kernel::UserArgument target(result);
  const auto [start, step] = range;
  const auto stream = stream_for(result.device());
  const nb::gil_scoped_release released;
  self.launch_arguments(*stream, {start, start + count * step, step}, target, arguments.get());
}

}  // namespace

void bind_reduction_kernel(nb::module_& m) {
  nb::class_<ReductionKernel>(m, "ReductionKernel",
                              "A kernel that folds what a C text gives for each index.")
      .def("__init__", &make, nb::arg("device"), nb::arg("type"), nb::arg("neutral"),
           nb::arg("reduce"), nb::arg("map"), nb::arg("arguments"), nb::kw_only(),
           nb::arg("types") = std::vector<PythonType>(), nb::arg("name") = "reduction",
           nb::arg("preamble") = "", nb::arg("flags") = std::vector<std::string>(),
           "`type` is that of the result: (C name, NumPy's name of the dtype or \"\" for a "
           "structure, size in bytes); `types` are others that `arguments` name. `neutral` is a "
           "text, or a number.")
      .def("compile", &ReductionKernel::compile, nb::call_guard<nb::gil_scoped_release>(),
           "Now rather than at the first launch.")
      .def(
          "launch",
          [](ReductionKernel& self, std::int64_t count, const Array& result,
             const nb::args& arguments, std::int64_t start,
             std::int64_t step) { launch(self, {start, step}, count, result, arguments); },
          nb::arg("count"), nb::arg("result"), nb::arg("arguments"), nb::kw_only(),
          nb::arg("start") = 0, nb::arg("step") = 1,
          nb::sig("def launch(self, count: int, result: treadle._core.array.Array, *arguments: "
                  "typing.Any, start: int = 0, step: int = 1) -> None"),
          "Queues folding the indices start, start + step ... into the first element of `result`. "
          "Arguments are Arrays and Buffers, of which the first element is passed, NumPy's "
          "scalars, and bytes of structures.")
      .def_prop_ro(
          "own_parameters",
          [](const ReductionKernel& self) {
            std::vector<std::tuple<std::string, std::string, bool>> all;
            for (const codegen::ParameterSpec& parameter : self.own_parameters())
              all.emplace_back(parameter.name, parameter.dtype.name(),
                               parameter.kind != codegen::ParameterSpec::Kind::scalar);
            return all;
          },
          "What the kernel of `text` takes behind the user's arguments: names, names of dtypes, "
          "and "
          "whether they are pointers.")
      .def_prop_ro("group_size", &ReductionKernel::group_size, "Work-items of a group.")
      .def_prop_ro(
          "text", [](const ReductionKernel& self) { return self.text(); },
          "The program that folds all elements.");
}

}  // namespace treadle::bindings
