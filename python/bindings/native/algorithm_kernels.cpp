// SPDX-License-Identifier: MIT
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
#include "treadle/kernel/group_kernel.hpp"
#include "treadle/kernel/list_builder.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"
#include "treadle/kernel/select_kernel.hpp"

namespace treadle::bindings {
namespace {

using Types = std::vector<PythonType>;

Scalar scalar_of(const std::string& numpy_name) { return DType::parse(numpy_name).scalar(); }

// over 6 parameters because they are the keywords of the Python call
void make_select(SelectKernel* self, std::shared_ptr<device::Device> device,
                 const std::string& selection, const PythonType& type, std::string predicate,
                 std::string arguments, const Types& types, std::string name, std::string preamble,
                 std::vector<std::string> flags, const std::string& count_dtype,
                 std::string called) {
  numpy_types();  // recognise NumPy's scalars from now on
  add_python_folders();
  const std::pair<const char*, Selection> names[] = {{"matching", Selection::matching},
                                                     {"others", Selection::others},
                                                     {"both", Selection::both},
                                                     {"run_starts", Selection::run_starts}};
  const auto* found =
      std::ranges::find(names, selection, &std::pair<const char*, Selection>::first);
  if (found == std::end(names))
    throw InvalidArgument("there is no selection '" + selection + "'",
                          "choose matching, others, both or run_starts");
  new (self) SelectKernel(std::move(device), found->second,
                          {.type = std::get<0>(type),
                           .predicate = std::move(predicate),
                           .arguments = std::move(arguments)},
                          {.name = std::move(name),
                           .preamble = std::move(preamble),
                           .flags = std::move(flags),
                           .types = type_names(type, types),
                           .called = std::move(called)},
                          scalar_of(count_dtype));
}

void launch_select(SelectKernel& self, std::uint64_t count, const nb::args& objects) {
  const SnippetArguments arguments(objects);
  const auto stream = stream_for(self.scan().device());
  const nb::gil_scoped_release released;
  self.launch_arguments(*stream, count, arguments.get());
}

void bind_select(nb::module_& m) {
  nb::class_<SelectKernel>(m, "SelectKernel",
                           "A kernel that moves some elements of an array to the front of another, "
                           "and counts them.")
      .def("__init__", &make_select, nb::arg("device"), nb::arg("selection"), nb::arg("type"),
           nb::arg("predicate"), nb::arg("arguments") = "", nb::kw_only(),
           nb::arg("types") = Types(), nb::arg("name") = "select", nb::arg("preamble") = "",
           nb::arg("flags") = std::vector<std::string>(), nb::arg("count_dtype") = "uint64",
           nb::arg("called") = "",
           "`selection` is \"matching\", \"others\", \"both\" or \"run_starts\"; `type` is that of "
           "the elements: (C name, NumPy's name of the dtype or \"\" for a structure, size in "
           "bytes); `types` are others that `arguments` name; `called` is what errors call it.")
      .def("compile", &SelectKernel::compile, nb::call_guard<nb::gil_scoped_release>(),
           "Now rather than at the first launch.")
      .def("launch", &launch_select, nb::arg("count"), nb::arg("arguments"),
           nb::sig("def launch(self, count: int, *arguments: typing.Any) -> None"),
           "Queues it for the first `count` elements: input, output (of \"both\", a second one), "
           "the number of elements found, and what the predicate uses.");
}

// over 6 parameters because they are the keywords of the Python call
void make_sort(RadixSortKernel* self, std::shared_ptr<device::Device> device, std::string arguments,
               std::string key, std::vector<std::string> sorted, const Types& types,
               std::string name, std::string preamble, std::vector<std::string> flags,
               const std::string& key_dtype, const std::string& index_dtype, bool is_sequential) {
  numpy_types();
  add_python_folders();
  RadixSortOptions options{.name = std::move(name),
                           .preamble = std::move(preamble),
                           .flags = std::move(flags),
                           .key_dtype = scalar_of(key_dtype),
                           .index_dtype = scalar_of(index_dtype),
                           .is_sequential = is_sequential};
  for (const PythonType& type : types)
    options.types.emplace_back(std::get<0>(type), dtype_of(type));
  new (self)
      RadixSortKernel(std::move(device), {std::move(arguments), std::move(key), std::move(sorted)},
                      std::move(options));
}

void launch_sort(RadixSortKernel& self, std::uint64_t count, const nb::tuple& objects,
                 const nb::tuple& results, unsigned key_bits) {
  const SnippetArguments arguments(objects), sorted(results);
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.launch(*stream, count, {arguments.get(), sorted.get(), key_bits});
}

void bind_sort(nb::module_& m) {
  nb::class_<RadixSortKernel>(m, "RadixSortKernel",
                              "A kernel that sorts arrays by a key that a C text gives for each "
                              "index.")
      .def("__init__", &make_sort, nb::arg("device"), nb::arg("arguments"), nb::arg("key"),
           nb::arg("sorted"), nb::kw_only(), nb::arg("types") = Types(),
           nb::arg("name") = "radix_sort", nb::arg("preamble") = "",
           nb::arg("flags") = std::vector<std::string>(), nb::arg("key_dtype") = "uint32",
           nb::arg("index_dtype") = "int64", nb::arg("is_sequential") = false,
           "`sorted` names the arguments that are moved; `types` are those that they name.")
      .def("compile", &RadixSortKernel::compile, nb::call_guard<nb::gil_scoped_release>(),
           "Now rather than at the first launch.")
      .def("launch", &launch_sort, nb::arg("count"), nb::arg("arguments"), nb::arg("sorted"),
           nb::arg("key_bits") = 0,
           nb::sig("def launch(self, count: int, arguments: tuple[typing.Any, ...], sorted: "
                   "tuple[typing.Any, ...], key_bits: int = 0) -> None"),
           "Queues the sort of `count` elements by so many low bits of the keys (0: all).");
}

// over 6 parameters because they are the keywords of the Python call
void make_group(GroupKernel* self, std::shared_ptr<device::Device> device, const std::string& key,
                const PythonType& value, const std::string& start, std::string preamble,
                std::vector<std::string> flags) {
  numpy_types();
  add_python_folders();
  new (self) GroupKernel(std::move(device), {scalar_of(key), dtype_of(value), scalar_of(start)},
                         {.name = "group",
                          .preamble = std::move(preamble),
                          .flags = std::move(flags),
                          .types = type_names(value, {})});
}

// over 6 parameters because they are the keywords of the Python call
void launch_group(GroupKernel& self, std::uint64_t groups, const Array& keys, const Array& values,
                  const Array& starts, const Array& grouped) {
  const GroupKernel::Arrays arrays{keys, values, starts, grouped};
  const auto n = static_cast<std::uint64_t>(keys.size());
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.launch(*stream, {n, groups}, arrays);
}

void bind_group(nb::module_& m) {
  nb::class_<GroupKernel>(m, "GroupKernel", "A kernel that groups values by integer keys.")
      .def("__init__", &make_group, nb::arg("device"), nb::arg("key"), nb::arg("value"),
           nb::arg("start"), nb::kw_only(), nb::arg("preamble") = "",
           nb::arg("flags") = std::vector<std::string>(),
           "NumPy's names of the dtypes of keys and starts; the type of the values.")
      .def("compile", &GroupKernel::compile, nb::call_guard<nb::gil_scoped_release>(),
           "Now rather than at the first launch.")
      .def("launch", &launch_group, nb::arg("groups"), nb::arg("keys"), nb::arg("values"),
           nb::arg("starts"), nb::arg("grouped"), "Queues it, for keys from 0 to before `groups`.");
}

/// Name, type of the elements, the list that shares its counts or "", and whether it is left out.
using PythonList = std::tuple<std::string, PythonType, std::string, bool>;

// over 6 parameters because they are the keywords of the Python call
void make_lists(ListBuilder* self, std::shared_ptr<device::Device> device,
                const std::vector<PythonList>& lists, std::string generate, std::string arguments,
                const Types& types, std::string name, std::string preamble,
                std::vector<std::string> flags, const std::string& index_dtype) {
  numpy_types();
  add_python_folders();
  ElementwiseOptions options{
      .name = std::move(name), .preamble = std::move(preamble), .flags = std::move(flags)};
  for (const PythonType& type : types)
    options.types.emplace_back(std::get<0>(type), dtype_of(type));
  std::vector<BuiltList> made;
  for (const auto& [list, type, mother, is_left_out] : lists)
    made.push_back({list, dtype_of(type), mother, is_left_out});
  new (self)
      ListBuilder(std::move(device), std::move(made), {std::move(generate), std::move(arguments)},
                  options, scalar_of(index_dtype));
}

void count_lists(ListBuilder& self, std::uint64_t count, const nb::tuple& counts,
                 const nb::tuple& objects) {
  const SnippetArguments counted(counts), arguments(objects);
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.count(*stream, count, counted.get(), arguments.get());
}

void write_lists(ListBuilder& self, std::uint64_t count, const nb::tuple& starts,
                 const nb::tuple& elements, const nb::tuple& objects) {
  const SnippetArguments begins(starts), written(elements), arguments(objects);
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.write(*stream, count, begins.get(), written.get(), arguments.get());
}

void add_up(ListBuilder& self, std::uint64_t count, const Array& counts, const Array& starts) {
  const kernel::UserArgument from(counts), to(starts);
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.add_up(*stream, count, from, to);
}

// over 6 parameters because they are the keywords of the Python call
void compress(ListBuilder& self, std::uint64_t count, const Array& starts, const Array& left,
              const Array& objects, const Array& places) {
  const kernel::UserArgument from(starts);
  const ListBuilder::Compressed to{left, objects, places};
  const auto stream = stream_for(self.device());
  const nb::gil_scoped_release released;
  self.compress(*stream, count, from, to);
}

void bind_lists(nb::module_& m) {
  nb::class_<ListBuilder>(m, "ListBuilder",
                          "A kernel that makes lists of unequal lengths for many objects.")
      .def("__init__", &make_lists, nb::arg("device"), nb::arg("lists"), nb::arg("generate"),
           nb::arg("arguments") = "", nb::kw_only(), nb::arg("types") = Types(),
           nb::arg("name") = "lists", nb::arg("preamble") = "",
           nb::arg("flags") = std::vector<std::string>(), nb::arg("index_dtype") = "int32",
           "`lists` are (name, type of its elements, list whose counts it shares or \"\", whether "
           "it is left out).")
      .def_prop_ro("counted", &ListBuilder::counted, "Lists that have counts of their own.")
      .def_prop_ro("written", &ListBuilder::written, "Lists that are not left out.")
      .def("count", &count_lists, nb::arg("count"), nb::arg("counts"), nb::arg("arguments"),
           nb::sig("def count(self, count: int, counts: tuple[typing.Any, ...], arguments: "
                   "tuple[typing.Any, ...]) -> None"),
           "Queues counting what each object appends, for each of `counted`.")
      .def("add_up", &add_up, nb::arg("count"), nb::arg("counts"), nb::arg("starts"),
           "Queues adding the counts of a list up to where each object's elements start.")
      .def("write", &write_lists, nb::arg("count"), nb::arg("starts"), nb::arg("elements"),
           nb::arg("arguments"),
           nb::sig("def write(self, count: int, starts: tuple[typing.Any, ...], elements: "
                   "tuple[typing.Any, ...], arguments: tuple[typing.Any, ...]) -> None"),
           "Queues writing the elements of each of `written`.")
      .def("compress", &compress, nb::arg("count"), nb::arg("starts"), nb::arg("left"),
           nb::arg("objects"), nb::arg("places"),
           "Queues leaving out objects without elements: where the others' start, which they are, "
           "and how many of them are before each object.");
}

}  // namespace

void bind_algorithm_kernels(nb::module_& m) {
  bind_select(m);
  bind_sort(m);
  bind_group(m);
  bind_lists(m);
}

}  // namespace treadle::bindings
