// SPDX-License-Identifier: MIT
// Compiles and measures variants of kernels.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/choice.hpp"
#include "native/device.hpp"
#include "native/tune.hpp"
#include "treadle/kernel/precompile.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/tune/store.hpp"
#include "treadle/tune/tune_kernel.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;
using tune::Attempt;
using tune::Expected;
using tune::KernelTemplate;
using tune::Measured;
using tune::MeasureOptions;
using tune::Measurer;
using tune::ProblemArgument;
using tune::Tuned;
using tune::TuneOptions;
using tune::Variant;

tune::Writing writing_named(const std::string& name) {
  static constexpr const char* names[] = {"macros", "keys"};
  return chosen_by_name<tune::Writing>(names, name, "writing is '");
}
codegen::KeyStyle key_style_named(const std::string& name) {
  static constexpr const char* names[] = {"percent", "dollar", "braces"};
  return chosen_by_name<codegen::KeyStyle>(names, name, "key_style is '");
}

/// (groups, group_size) or (groups, group_size, local_bytes).
device::LaunchShape shape_from(const nb::object& given) {
  const nb::tuple parts(given);
  if (parts.size() < 2 || parts.size() > 3)
    raise_python(PyExc_TypeError,
                 "shape returns (groups, group_size) or (groups, group_size, local_bytes)");
  device::LaunchShape made{.groups = extent_argument(nb::object(parts[0]).ptr(), "groups"),
                           .group_size = extent_argument(nb::object(parts[1]).ptr(), "group_size")};
  if (parts.size() == 3) made.local_bytes = nb::cast<unsigned>(parts[2]);
  return made;
}

/// Python's functions are borrowed: the caller of tune_kernel() keeps them.
void bind_template(nb::module_& m) {
  nb::class_<KernelTemplate>(m, "KernelTemplate", "A kernel that can be written in many ways.")
      .def(nb::init<>())
      .def_rw("text", &KernelTemplate::text, "In the device's language.")
      .def_rw("kernel", &KernelTemplate::kernel, "The name of the kernel in it.")
      .def_rw("groups", &KernelTemplate::groups, "Formulas for x, y, z.")
      .def_rw("group_size", &KernelTemplate::group_size, "The same.")
      .def_rw("local_bytes", &KernelTemplate::local_bytes, "A formula; empty: 0.")
      .def("set_writing",
           [](KernelTemplate& self, const std::string& writing, const std::string& key_style) {
             self.writing = writing_named(writing);
             self.key_style = key_style_named(key_style);
           })
      .def("set_options",
           [](KernelTemplate& self, std::vector<std::string> flags,
              std::vector<std::filesystem::path> include_dirs, std::string source_name) {
             self.options.flags = std::move(flags);
             self.options.include_dirs = std::move(include_dirs);
             self.options.source_name = std::move(source_name);
           })
      .def("set_write",
           [](KernelTemplate& self, nb::handle function) {
             self.write = [function](const tune::Configuration& configuration) {
               const nb::gil_scoped_acquire held;
               return nb::cast<std::string>(nb::str(function(configuration)));
             };
           })
      .def("set_shape", [](KernelTemplate& self, nb::handle function) {
        self.shape = [function](const tune::Configuration& configuration) {
          const nb::gil_scoped_acquire held;
          return shape_from(function(configuration));
        };
      });
}

Expected expected_from(const std::optional<nb::bytes>& bytes, const std::string& dtype,
                       std::optional<double> tolerance, nb::handle check) {
  Expected made{.tolerance = tolerance};
  if (bytes) {
    const auto* data = static_cast<const std::byte*>(bytes->data());
    made.bytes.assign(data, data + bytes->size());
  }
  if (!dtype.empty()) made.dtype = DType::parse(dtype).scalar();
  if (!check.is_none())
    made.check = [check](std::span<const std::byte> found) {
      const nb::gil_scoped_acquire held;
      const nb::object said =
          check(nb::bytes(reinterpret_cast<const char*>(found.data()), found.size()));
      return said.is_none() ? std::string() : nb::cast<std::string>(nb::str(said));
    };
  return made;
}

memory::Buffer memory_from(nb::handle given) {
  if (const memory::Buffer* buffer = as_buffer(given.ptr())) return *buffer;
  raise_python(PyExc_TypeError,
               std::string("memory is a Buffer, not ") + Py_TYPE(given.ptr())->tp_name);
}

void bind_arguments(nb::module_& m) {
  nb::class_<ProblemArgument>(m, "ProblemArgument",
                              "An argument of the launches that are measured.")
      .def_static(
          "value",
          [](const nb::bytes& bytes, const std::string& kind) {
            const auto what = kind == "f"                  ? device::ParameterKind::floating
                              : kind == "i" || kind == "u" ? device::ParameterKind::integer
                                                           : device::ParameterKind::structure;
            return ProblemArgument(bytes.data(), bytes.size(), what);
          },
          "bytes"_a, "kind"_a, "A value of a dtype of this kind.")
      .def_static(
          "input", [](nb::handle memory) { return ProblemArgument(memory_from(memory)); },
          "memory"_a, "Memory that kernels read.")
      .def_static(
          "written",
          [](nb::handle memory, bool is_updated, const std::optional<nb::bytes>& expected,
             const std::string& dtype, std::optional<double> tolerance, nb::handle check) {
            Expected wanted = expected_from(expected, dtype, tolerance, check);
            memory::Buffer buffer = memory_from(memory);
            return is_updated ? ProblemArgument::updated(std::move(buffer), std::move(wanted))
                              : ProblemArgument::output(std::move(buffer), std::move(wanted));
          },
          "memory"_a, "is_updated"_a, "expected"_a.none(), "dtype"_a, "tolerance"_a.none(),
          "check"_a.none(), "Memory that kernels write, or read and write.")
      .def_static("local", &ProblemArgument::local, "size_bytes"_a, "Dynamic local memory.");
}

void bind_made_elsewhere(nb::class_<Measured>& measured) {
  measured
      .def_static(
          "failed",
          [](const std::string& outcome, std::string error) {
            return Measured{.outcome = tune::outcome_of(outcome),
                            .seconds = HUGE_VAL,
                            .error = std::move(error)};
          },
          "outcome"_a, "error"_a, "A failure.")
      .def_static(
          "compiled", [](double seconds) { return Measured{.compile_seconds = seconds}; },
          "seconds"_a, "A variant that was compiled, and not measured yet.");
}

void bind_results(nb::module_& m) {
  nb::class_<Measured> measured(m, "Measured", "A variant that was tried.");
  bind_made_elsewhere(measured);
  measured
      .def_prop_ro(
          "outcome", [](const Measured& self) { return tune::outcome_name(self.outcome); },
          "\"measured\", \"overtaken\", \"excluded\", \"compile error\", \"launch refused\", "
          "\"wrong result\", \"timeout\" or \"crash\".")
      .def_ro("seconds", &Measured::seconds, "Of a launch, the median; infinity if it failed.")
      .def_ro("samples", &Measured::samples, "Seconds of a launch each.")
      .def_ro("resources", &Measured::resources, "What the kernel needs.")
      .def_ro("compile_seconds", &Measured::compile_seconds, "To compile or find it.")
      .def_ro("error", &Measured::error, "Why it failed; empty otherwise.")
      .def_ro("won", &Measured::won, "Whether the last search that tried it ended with it.")
      .def_ro("text", &Measured::text, "Of a winner: how it is written, with the flags.")
      .def_ro("measured_at", &Measured::measured_at,
              "Seconds since 1970, when it was tried first; 0: nobody knows.")
      .def_prop_ro("is_right", &Measured::is_right, "Whether its results are right.")
      .def("__getstate__",
           [](const Measured& self) {
             const auto& r = self.resources;
             return std::make_tuple(
                 std::string(tune::outcome_name(self.outcome)), self.seconds, self.samples,
                 std::vector<std::uint64_t>{r.registers, r.static_local_bytes, r.private_bytes,
                                            r.preferred_group_multiple, r.max_group_items},
                 self.compile_seconds, self.error, self.won);
           })
      .def("__setstate__",
           [](Measured& self,
              const std::tuple<std::string, double, std::vector<double>, std::vector<std::uint64_t>,
                               double, std::string, bool>& state) {
             const auto& [outcome, seconds, samples, r, compile_seconds, error, won] = state;
             new (&self)
                 Measured{.outcome = tune::outcome_of(outcome),
                          .seconds = seconds,
                          .samples = samples,
                          .resources = {.registers = static_cast<unsigned>(r.at(0)),
                                        .static_local_bytes = r.at(1),
                                        .private_bytes = r.at(2),
                                        .preferred_group_multiple = static_cast<unsigned>(r.at(3)),
                                        .max_group_items = static_cast<unsigned>(r.at(4))},
                          .compile_seconds = compile_seconds,
                          .error = error,
                          .won = won};
           })
      .def("__repr__", [](const Measured& self) {
        const std::string name(tune::outcome_name(self.outcome));
        return "<" + name + ": " +
               (self.is_right() ? tune::value_text(self.seconds) + " s" : self.error) + ">";
      });
  nb::class_<Attempt>(m, "Attempt", "A configuration that was tried, and what came of it.")
      .def_ro("configuration", &Attempt::configuration, "Which.")
      .def_ro("measured", &Attempt::measured, "What came of it.")
      .def("__repr__", [](const Attempt& self) {
        return "<Attempt " + self.configuration.text() + ": " +
               std::string(tune::outcome_name(self.measured.outcome)) + ">";
      });
  nb::class_<Tuned>(m, "Tuned", "What tuning found.")
      .def_ro("configuration", &Tuned::configuration, "The best.")
      .def_ro("seconds", &Tuned::seconds, "That it takes.")
      .def_ro("attempts", &Tuned::attempts, "All, in the order of measuring.")
      .def_prop_ro(
          "ending", [](const Tuned& self) { return tune::ending_name(self.ending); },
          "\"search over\", \"stopped\" or \"device failed\".")
      .def_ro("known", &Tuned::known, "Attempts that were known before.")
      .def_ro("wall_seconds", &Tuned::wall_seconds, "Of the call.")
      .def_ro("compile_seconds", &Tuned::compile_seconds, "Of all threads together.")
      .def_ro("busy_seconds", &Tuned::busy_seconds, "That the device ran kernels.")
      .def("__repr__", [](const Tuned& self) {
        return "<Tuned " + self.configuration.text() + ": " + tune::value_text(self.seconds) +
               " s, " + std::to_string(self.attempts.size()) + " attempts>";
      });
}

void bind_measure_options(nb::module_& m) {
  nb::class_<MeasureOptions>(m, "MeasureOptions", "How long and how often is measured.")
      .def(nb::init<>())
      .def_rw("warm_up", &MeasureOptions::warm_up, "Runs before those that count.")
      .def_rw("repeats", &MeasureOptions::repeats, "Samples, of which the median counts.")
      .def_rw("sample_seconds", &MeasureOptions::sample_seconds, "That a sample takes, at least.")
      .def_rw("first_repeats", &MeasureOptions::first_repeats,
              "Samples after which a slow variant is overtaken.")
      .def_rw("overtaken_above", &MeasureOptions::overtaken_above,
              "Times the best: what is slower is overtaken; 0: nothing is.")
      .def_rw("flush_cache", &MeasureOptions::flush_cache,
              "Whether the device's last cache is written over before each sample.")
      .def_rw("limit_seconds", &MeasureOptions::limit_seconds, "After which a run is a timeout.");
}

/// One variant of a kernel, in the form that another process receives.
Variant variant_from(const nb::tuple& parts) {
  Variant made;
  made.source = nb::cast<std::string>(parts[0]);
  made.kernel = nb::cast<std::string>(parts[1]);
  made.shape = shape_from(nb::object(parts[4]));
  made.options.flags = nb::cast<std::vector<std::string>>(parts[2]);
  made.options.include_dirs = nb::cast<std::vector<std::filesystem::path>>(parts[3]);
  return made;
}
nb::object extent_tuple(const device::Extent& extent) {
  return nb::make_tuple(extent.x, extent.y, extent.z);
}
nb::object variant_parts(const Variant& variant) {
  nb::list folders;
  for (const auto& folder : variant.options.include_dirs) folders.append(folder.string());
  return nb::make_tuple(
      variant.source, variant.kernel, variant.options.flags, folders,
      nb::make_tuple(extent_tuple(variant.shape.groups), extent_tuple(variant.shape.group_size),
                     variant.shape.local_bytes));
}

void bind_measurer(nb::module_& m) {
  nb::class_<Measurer>(m, "Measurer", "Measures variants of one problem.")
      .def(
          "__init__",
          [](Measurer* self, std::shared_ptr<device::Device> device,
             std::vector<ProblemArgument> arguments, const MeasureOptions& options) {
            new (self) Measurer(std::move(device), std::move(arguments), options);
          },
          "device"_a, "arguments"_a, "options"_a)
      .def_prop_ro("needs_reference", &Measurer::needs_reference,
                   "Whether outputs have to be what the first variant writes.")
      .def_prop_ro("is_usable", &Measurer::is_usable, "Whether the device survived.")
      .def_prop_ro("busy_seconds", &Measurer::busy_seconds, "That kernels ran.")
      .def(
          "set_reference",
          [](Measurer& self, const nb::tuple& parts) {
            const Variant variant = variant_from(parts);
            const nb::gil_scoped_release released;
            const kernel::Program program(self.device().shared_from_this(), variant.source,
                                          variant.options);
            self.set_reference(program.kernel(variant.kernel), variant.shape);
          },
          "variant"_a, "Takes what this variant writes as what all have to.")
      .def(
          "measure",
          [](Measurer& self, const nb::tuple& parts, std::optional<double> best,
             std::optional<double> left) {
            const Variant variant = variant_from(parts);
            const nb::gil_scoped_release released;
            const kernel::Program program =
                variant.program_to_try(self.device().shared_from_this());
            return self.measure(program.kernel(variant.kernel), variant.shape, best, left);
          },
          "variant"_a, "best"_a.none() = nb::none(), "left"_a.none() = nb::none(),
          "Runs, checks and times.");
}

void bind_compile_variant(nb::module_& m) {
  m.def(
      "compile_variant",
      [](const std::shared_ptr<device::Device>& device, const nb::tuple& parts) {
        const Variant variant = variant_from(parts);
        const nb::gil_scoped_release released;
        if (!device->info().traits.builds_text)  // needs no context of the device
          return kernel::precompile(device->info(), variant.source, variant.options).seconds;
        return kernel::Program(device, variant.source, variant.options).seconds();
      },
      "device"_a, "variant"_a, "Compiles into the cache; seconds that it took.");
}

/// After Ctrl-C the result so far is returned. Python's handler notes the signal, and `stop`
/// reports it.
struct Interrupt {
  nb::handle stop;
  bool came = false;
  bool operator()() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return came = stop.is_valid() && nb::cast<bool>(stop());
  }
};

Tuned run(const std::shared_ptr<device::Device>& device, const tune::Space& space,
          const KernelTemplate& kernel, std::vector<ProblemArgument> arguments, TuneOptions options,
          nb::handle stop) {
  space.size();  // evaluates Python's constraints now, with the GIL
  Interrupt interrupt{.stop = stop};
  options.stop = [&] { return interrupt(); };
  try {
    const nb::gil_scoped_release released;
    return tune::tune_kernel(device, space, kernel, std::move(arguments), options);
  } catch (const InvalidState&) {
    if (!interrupt.came) throw;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

}  // namespace

TuneOptions tune_options(const tune::Space& space, const nb::dict& how, const nb::kwargs& search) {
  TuneOptions options{.search = search_options(space, search)};
  const auto given = [&](const char* name) { return how.contains(name) && !how[name].is_none(); };
  options.measure = nb::cast<MeasureOptions>(how["measure"]);
  if (given("store") && given("key"))
    tune::use_store(options, nb::cast<std::shared_ptr<tune::Store>>(how["store"]),
                    nb::cast<tune::StoreKey>(how["key"]));
  if (given("compile_threads"))
    options.compile_threads = nb::cast<unsigned>(how["compile_threads"]);
  if (given("ahead")) options.ahead = nb::cast<std::size_t>(how["ahead"]);
  if (given("overlap")) options.overlap = nb::cast<bool>(how["overlap"]);
  if (given("finalists")) options.finalists = nb::cast<unsigned>(how["finalists"]);
  if (given("progress"))
    options.progress = [function = nb::handle(how["progress"])](const tune::TuneProgress& now) {
      const nb::gil_scoped_acquire held;
      nb::dict told;
      told["tried"] = now.tried;
      told["failed"] = now.failed;
      told["compiled_ahead"] = now.compiled_ahead;
      told["seconds"] = now.seconds;
      told["best"] = now.best == nullptr ? nb::object(nb::none()) : nb::cast(*now.best);
      told["last"] = nb::cast(*now.last);
      function(told);
    };
  if (given("measure_with"))
    options.measure_with = [function = nb::handle(how["measure_with"])](
                               const Variant& variant, std::optional<double> best,
                               std::optional<double> left) {
      const nb::gil_scoped_acquire held;
      return nb::cast<Measured>(function(variant_parts(variant), best, left));
    };
  if (given("compile_with"))
    options.compile_with = [function = nb::handle(how["compile_with"])](const Variant& variant) {
      const nb::gil_scoped_acquire held;
      return nb::cast<Measured>(function(variant_parts(variant)));
    };
  if (given("set_reference"))
    options.set_reference = [function = nb::handle(how["set_reference"])](const Variant& variant) {
      const nb::gil_scoped_acquire held;
      function(variant_parts(variant));
    };
  return options;
}

void bind_tune_kernel(nb::module_& m) {
  bind_template(m);
  bind_arguments(m);
  bind_results(m);
  bind_measure_options(m);
  bind_measurer(m);
  bind_compile_variant(m);
  m.def(
      "tune_kernel",
      [](const std::shared_ptr<device::Device>& device, const tune::Space& space,
         const KernelTemplate& kernel, std::vector<ProblemArgument> arguments, const nb::dict& how,
         const nb::kwargs& search) {
        const nb::object stop = how.contains("stop") ? nb::object(how["stop"]) : nb::object();
        return run(device, space, kernel, std::move(arguments), tune_options(space, how, search),
                   stop);
      },
      "device"_a, "space"_a, "kernel"_a, "arguments"_a, "how"_a, "search"_a,
      "Finds the variant that takes least; the caller keeps what it calls.");
}

}  // namespace treadle::bindings
