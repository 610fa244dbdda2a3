// SPDX-License-Identifier: MIT
// Verdicts on kernels. treadle/testing.py has the shape that users see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/choice.hpp"
#include "native/tune.hpp"
#include "treadle/tune/judge.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;
using tune::Finding;
using tune::JudgedCase;
using tune::JudgedKernel;
using tune::JudgedUse;
using tune::JudgeOptions;
using tune::Reference;
using tune::Verdict;

using Texts = std::map<std::string, std::string>;
constexpr const char* use_names[] = {"input", "output", "updated", "scratch"};

/// What numpy.dtype() takes for elements with parts; None for plain numbers.
nb::object parts_to(const tune::JudgedArray& array) {
  if (array.parts.empty()) return nb::none();
  nb::list names, formats, offsets;
  for (const tune::JudgedPart& part : array.parts) {
    names.append(part.name);
    formats.append(DType(part.dtype).name());
    offsets.append(part.offset);
  }
  nb::dict made;
  made["names"] = names, made["formats"] = formats, made["offsets"] = offsets;
  made["itemsize"] = array.element_bytes;
  return made;
}

/// (name, dtype or "vector", use, bytes, parts) of each array, and the values; it returns numbers
/// by name.
Reference reference_of(nb::handle function) {
  if (function.is_none()) return {};
  return [function](JudgedCase& run) {
    const nb::gil_scoped_acquire held;
    nb::list arrays;
    for (const tune::JudgedArray& array : run.arrays)
      arrays.append(nb::make_tuple(
          array.name, array.is_vector ? "vector" : DType(array.dtype).name(),
          use_names[static_cast<int>(array.use)],
          nb::bytes(reinterpret_cast<const char*>(array.before.data()), array.before.size()),
          parts_to(array)));
    nb::dict values;
    for (const auto& [name, value] : run.values) values[name.c_str()] = value_to(value);
    const nb::object given = function(arrays, values);
    for (const auto& [name, bytes] : nb::cast<nb::dict>(given)) {
      const auto numbers = nb::cast<nb::bytes>(bytes);
      const auto* const first = static_cast<const double*>(numbers.data());
      run.results[nb::cast<std::string>(name)] = {first, first + numbers.size() / sizeof *first};
    }
  };
}

JudgedKernel kernel_from(const std::string& text, const std::string& name, const nb::dict& given) {
  JudgedKernel made{.text = text, .kernel = name};
  for (const auto& [key, value] : given) {
    const auto word = nb::cast<std::string>(key);
    if (word == "groups") made.groups = nb::cast<std::vector<std::string>>(value);
    if (word == "group_size") made.group_size = nb::cast<std::vector<std::string>>(value);
    if (word == "local_bytes") made.local_bytes = nb::cast<std::string>(value);
    if (word == "elements") made.elements = nb::cast<Texts>(value);
    if (word == "ranges") made.ranges = nb::cast<Texts>(value);
    if (word == "read") {
      const auto names = nb::cast<std::vector<std::string>>(value);
      made.read.emplace(names.begin(), names.end());
    }
    if (word == "where") made.where = nb::cast<std::string>(value);
    if (word == "flags") made.options.flags = nb::cast<std::vector<std::string>>(value);
    if (word == "source_name") made.options.source_name = nb::cast<std::string>(value);
    if (word == "include_dirs")
      for (auto& folder : nb::cast<std::vector<std::string>>(value))
        made.options.include_dirs.emplace_back(std::move(folder));
    if (word == "uses")
      for (const auto& [parameter, use] : nb::cast<Texts>(value))
        made.uses[parameter] = chosen_by_name<JudgedUse>(use_names, use, "use is '");
    if (word == "values")
      for (const auto& [parameter, values] : nb::cast<nb::dict>(value))
        made.values[nb::cast<std::string>(parameter)] = values_from(nb::cast<nb::iterable>(values));
  }
  return made;
}

JudgeOptions options_from(const std::vector<std::string>& devices, std::optional<double> tolerance,
                          const std::vector<std::string>& accepted, const std::string& architecture,
                          std::uint64_t seed) {
  JudgeOptions made{
      .devices = devices, .tolerance = tolerance, .architecture = architecture, .seed = seed};
  for (const std::string& name : accepted) made.accepted.insert(tune::question_of(name));
  return made;
}

}  // namespace

void bind_tune_judge(nb::module_& m) {
  nb::class_<Finding>(m, "Finding", "An answer to a question about a kernel.")
      .def_prop_ro(
          "question", [](const Finding& self) { return tune::question_name(self.question); },
          "What was asked: 'race', 'bounds', 'result' and so on.")
      .def_prop_ro(
          "answer", [](const Finding& self) { return tune::answer_name(self.answer); },
          "'right', 'wrong', 'told' or 'unknown'.")
      .def_ro("device", &Finding::device, "Where it was asked; empty: on none.")
      .def_ro("text", &Finding::text, "What is wrong, with the fault's own words.")
      .def_ro("run", &Finding::run, "In which run: 'n=257, random values'.")
      .def("__repr__", [](const Finding& self) {
        return "<Finding " + std::string(tune::question_name(self.question)) + ": " +
               std::string(tune::answer_name(self.answer)) +
               (self.text.empty() ? "" : ", " + self.text) + ">";
      });
  nb::class_<Verdict>(m, "Verdict", "What a judge found about a kernel.")
      .def_ro("kernel", &Verdict::kernel, "Its name.")
      .def_ro("findings", &Verdict::findings, "One for each question and device.")
      .def_ro("ulp", &Verdict::ulp,
              "By output: the largest error for random values, in units of the last place.")
      .def_prop_ro("is_right", &Verdict::is_right, "Whether nothing is wrong but what is accepted.")
      .def(
          "answer",
          [](const Verdict& self, const std::string& question) {
            return tune::answer_name(self.answer(tune::question_of(question)));
          },
          "question"_a, "The worst answer of all devices.")
      .def("json", &Verdict::json, "All of it, as text.")
      .def("__str__", &Verdict::text)
      .def("__bool__", &Verdict::is_right);
  m.def(
      "judge",
      [](const std::string& text, const std::string& name, const nb::dict& given,
         nb::handle reference, const std::vector<std::string>& devices,
         std::optional<double> tolerance, const std::vector<std::string>& accepted,
         const std::string& architecture, std::uint64_t seed) {
        const JudgedKernel kernel = kernel_from(text, name, given);
        const JudgeOptions options = options_from(devices, tolerance, accepted, architecture, seed);
        const Reference asked = reference_of(reference);
        const nb::gil_scoped_release released;
        return tune::judge(kernel, asked, options);
      },
      "text"_a, "name"_a, "given"_a, "reference"_a.none(), "devices"_a, "tolerance"_a.none(),
      "accepted"_a, "architecture"_a, "seed"_a, "What treadle.testing.judge() calls.");
}

}  // namespace treadle::bindings
