// SPDX-License-Identifier: MIT
#include "treadle/kernel/scan_kernel.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/numpy_scalars.hpp"
#include "image.hpp"
#include "native/device.hpp"
#include "native/snippet_arguments.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace {

using kernel::ScanKernel;

/// Name, array and offset of a ScanFetch.
using PythonFetch = std::tuple<std::string, std::string, int>;

// over 6 parameters because they are the keywords of the Python call
void make(ScanKernel* self, std::shared_ptr<device::Device> device, const PythonType& type,
          std::string arguments, std::string input, std::string scan, std::string output,
          nb::handle neutral, std::string segment_start, const std::vector<PythonFetch>& fetches,
          const std::vector<PythonType>& types, std::string name, std::string preamble,
          std::vector<std::string> flags, const std::string& index_dtype, bool is_sequential,
          std::vector<std::string> one_for_one, std::optional<bool> looks_back) {
  numpy_types();  // recognise NumPy's scalars from now on
  add_python_folders();
  ScanTexts texts{.arguments = std::move(arguments),
                  .input = std::move(input),
                  .scan = std::move(scan),
                  .output = std::move(output),
                  .neutral = neutral_of(neutral, type),
                  .segment_start = std::move(segment_start),
                  .one_for_one = std::move(one_for_one)};
  for (const auto& [fetched, array, offset] : fetches)
    texts.fetches.push_back({fetched, array, offset});
  new (self) ScanKernel(std::move(device), dtype_of(type), std::move(texts),
                        {.name = std::move(name),
                         .preamble = std::move(preamble),
                         .flags = std::move(flags),
                         .types = type_names(type, types),
                         .index_dtype = DType::parse(index_dtype).scalar(),
                         .is_sequential = is_sequential,
                         .looks_back = looks_back});
}

void launch(ScanKernel& self, std::uint64_t count, const nb::args& objects) {
  const SnippetArguments arguments(objects);
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.launch_arguments(*stream, count, arguments.get());
}

}  // namespace

void bind_scan_kernel(nb::module_& m) {
  nb::class_<ScanKernel>(m, "ScanKernel",
                         "A kernel that gives each index the sum, by any associative operation, of "
                         "what a C text gives for all indices up to it.")
      .def("__init__", &make, nb::arg("device"), nb::arg("type"), nb::arg("arguments"),
           nb::arg("input"), nb::arg("scan"), nb::arg("output"), nb::kw_only(),
           nb::arg("neutral") = nb::none(), nb::arg("segment_start") = "",
           nb::arg("fetches") = std::vector<PythonFetch>(),
           nb::arg("types") = std::vector<PythonType>(), nb::arg("name") = "scan",
           nb::arg("preamble") = "", nb::arg("flags") = std::vector<std::string>(),
           nb::arg("index_dtype") = "int64", nb::arg("is_sequential") = false,
           nb::arg("one_for_one") = std::vector<std::string>(), nb::arg("looks_back") = nb::none(),
           "`type` is that of what is scanned: (C name, NumPy's name of the dtype or \"\" for a "
           "structure, size in bytes); `types` are others that `arguments` name. `neutral` is a "
           "text, or a number. `fetches` are "
           "(name, array, 0 or -1); `one_for_one` names arrays with an element for each index; "
           "`looks_back`: whether groups may wait for "
           "earlier ones, so that one pass is enough; None: as the device is.")
      .def("compile", &ScanKernel::compile, nb::call_guard<nb::gil_scoped_release>(),
           "Now rather than at the first launch.")
      .def("launch", &launch, nb::arg("count"), nb::arg("arguments"),
           nb::sig("def launch(self, count: int, *arguments: typing.Any) -> None"),
           "Queues the scan of the indices below `count`. Arguments are Arrays and Buffers, of "
           "which the first element is passed, NumPy's scalars, and bytes of structures.")
      .def_prop_ro("group_size", &ScanKernel::group_size, "Work-items of a group.")
      .def_prop_ro("items_per_work_item", &ScanKernel::items_per_work_item,
                   "Neighbouring elements that one of them scans by itself.")
      .def_prop_ro("text", &ScanKernel::text, "The program.");
}

}  // namespace treadle::bindings
