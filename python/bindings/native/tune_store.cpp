// SPDX-License-Identifier: MIT
// Keeps measured results, and kernels that are launched by these results.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "native/tune.hpp"
#include "treadle/tune/foreign_wisdom.hpp"
#include "treadle/tune/report.hpp"
#include "treadle/tune/tuned_kernel.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;
using tune::Choice;
using tune::Chosen;
using tune::KeptAttempt;
using tune::Store;
using tune::StoreKey;
using tune::TunedKernel;

nb::dict dict_of(const std::map<std::string, tune::Value>& values) {
  nb::dict made;
  for (const auto& [name, value] : values) made[name.c_str()] = value_to(value);
  return made;
}

void bind_keys(nb::module_& m) {
  nb::class_<tune::Environment>(m, "Environment", "Where something was measured.")
      .def_ro("device", &tune::Environment::device, "The vendor's name of it.")
      .def_ro("architecture", &tune::Environment::architecture, "\"sm_90\", \"cpu\".")
      .def_ro("driver", &tune::Environment::driver, "Its version.")
      .def_ro("compiler", &tune::Environment::compiler, "Its build.")
      .def_ro("treadle", &tune::Environment::treadle, "Version.");
  nb::class_<StoreKey>(m, "StoreKey", "Under which name attempts are kept.")
      .def(
          "__init__",
          [](StoreKey* self, std::string kernel, const nb::object& problem,
             const device::Device& device) {
            new (self)
                StoreKey{std::move(kernel), named_values(problem), tune::environment_of(device)};
          },
          "kernel"_a, "problem"_a, "device"_a,
          "A kernel, for a problem, on a device of this process.")
      .def_ro("kernel", &StoreKey::kernel, "A digest of its text and space.")
      .def_prop_ro(
          "problem", [](const StoreKey& self) { return dict_of(self.problem); },
          nb::sig("def problem(self) -> dict[str, bool | int | float | str]"), "What it is for.")
      .def_ro("environment", &StoreKey::environment, "Where it is measured.");
  nb::class_<Choice>(m, "Choice", "The best that is known.")
      .def_prop_ro(
          "values", [](const Choice& self) { return dict_of(self.values); },
          nb::sig("def values(self) -> dict[str, bool | int | float | str]"), "Of the parameters.")
      .def_ro("seconds", &Choice::seconds, "That it took where it was measured.")
      .def_prop_ro(
          "match", [](const Choice& self) { return tune::match_name(self.match); },
          "\"exact\", \"near problem\", \"architecture\", \"older architecture\" or \"none\".")
      .def_prop_ro(
          "problem", [](const Choice& self) { return dict_of(self.problem); },
          nb::sig("def problem(self) -> dict[str, bool | int | float | str]"),
          "That it was measured for.");
  nb::class_<KeptAttempt>(m, "KeptAttempt", "A kept attempt.")
      .def_ro("key", &KeptAttempt::key, "Of which kernel, problem and environment.")
      .def_prop_ro(
          "values", [](const KeptAttempt& self) { return dict_of(self.values); },
          nb::sig("def values(self) -> dict[str, bool | int | float | str]"), "Of the parameters.")
      .def_ro("measured", &KeptAttempt::measured, "What came of it.");
}

void bind_store_class(nb::module_& m) {
  nb::class_<Store>(m, "Store", "A file of attempts, or memory. Processes and threads share it.")
      .def(
          "__init__",
          [](Store* self, const std::optional<std::filesystem::path>& file) {
            const nb::gil_scoped_release released;
            new (self) Store(file.value_or(std::filesystem::path()));
          },
          "file"_a = nb::none(), "Of a file; without a name: memory alone.")
      .def_static("of_user", &Store::of_user, "The user's, in the cache folder.")
      .def("attempts", &Store::attempts, "key"_a, "All of a key, the best first.")
      .def("choose", &Store::choose, "key"_a,
           "The best that is known: exactly, for the nearest problem, on the same architecture.")
      .def("keys", &Store::keys, "kernel"_a = "",
           "For what there are attempts, of one kernel or of all.")
      .def("__len__", &Store::size)
      .def("export_lines", &Store::export_lines, "kernel"_a = "",
           "All attempts as JSON, one a line: wisdom.")
      .def("import_lines", &Store::import_lines, "lines"_a,
           "Adds wisdom; returns how many attempts there were.")
      .def("merge", &Store::merge, "file"_a, "Adds what another store's file has.")
      .def("remove", &Store::remove, "kernel"_a = "", "Forgets a kernel, or all.")
      .def_prop_ro(
          "file",
          [](const Store& self) {
            return self.file().empty() ? std::nullopt : std::optional(self.file());
          },
          "None: memory.")
      .def_prop_ro("is_written", &Store::is_written, "False: what is added stays in memory.")
      .def("__repr__", [](const Store& self) {
        return "<Store " + (self.file().empty() ? "in memory" : self.file().string()) + ">";
      });
}

/// Tuning in the background needs the GIL, so release the GIL while waiting for it.
class TunedKernelHolder {
 public:
  explicit TunedKernelHolder(std::unique_ptr<TunedKernel> kernel) : kernel_(std::move(kernel)) {}
  TunedKernelHolder(TunedKernelHolder&&) = default;
  ~TunedKernelHolder() { close(); }
  void close() {
    if (kernel_ == nullptr) return;
    const nb::gil_scoped_release released;
    kernel_.reset();
  }
  TunedKernel& operator*() const {
    if (kernel_ == nullptr) throw InvalidState("the tuned kernel was closed", "make a new one");
    return *kernel_;
  }

 private:
  std::unique_ptr<TunedKernel> kernel_;
};

void bind_tuned_kernel(nb::module_& m) {
  nb::class_<Chosen>(m, "Chosen", "What is launched for a problem.")
      .def_ro("configuration", &Chosen::configuration, "Which.")
      .def_prop_ro(
          "match", [](const Chosen& self) { return tune::match_name(self.match); },
          "\"exact\", \"near problem\", \"architecture\", \"older architecture\" or \"none\": the "
          "default.")
      .def_prop_ro(
          "kernel", [](const Chosen& self) { return kernel_object(self.kernel); },
          nb::sig("def kernel(self) -> treadle._core.kernel.Kernel"), "Compiled and loaded.")
      .def_prop_ro(
          "groups", [](const Chosen& self) { return self.shape.groups; }, "That are launched.")
      .def_prop_ro(
          "group_size", [](const Chosen& self) { return self.shape.group_size; },
          "Work-items of a group.")
      .def_prop_ro(
          "local_bytes", [](const Chosen& self) { return self.shape.local_bytes; },
          "Dynamic local memory of a group.");
  nb::class_<TunedKernelHolder>(m, "TunedKernel", "A kernel, tuned for each problem.")
      .def(
          "__init__",
          [](TunedKernelHolder* self, const std::shared_ptr<device::Device>& device,
             const tune::Space& space, const tune::KernelTemplate& kernel,
             std::vector<std::string> names, const nb::dict& how, const nb::kwargs& search) {
            tune::TunedKernelOptions options{
                .policy = tune::policy_of(nb::cast<std::string>(how["policy"])),
                .defaults = named_values(nb::object(how["defaults"])),
                .problem =
                    [function =
                         nb::handle(how["arguments"])](const tune::ProblemSignature& problem) {
                      const nb::gil_scoped_acquire held;
                      return nb::cast<std::vector<tune::ProblemArgument>>(
                          function(dict_of(problem)));
                    },
                .tune = tune_options(space, how, search),
                .store = nb::cast<std::shared_ptr<Store>>(how["store"]),
                .seeds = how["seeds"].is_none() ? nullptr
                                                : nb::cast<std::shared_ptr<Store>>(how["seeds"]),
                .version = nb::cast<std::string>(how["version"])};
            new (self) TunedKernelHolder(std::make_unique<TunedKernel>(
                device, space, kernel, std::move(names), std::move(options)));
          },
          "device"_a, "space"_a, "kernel"_a, "names"_a, "how"_a, "search"_a,
          "The caller keeps what it calls.")
      .def(
          "choose",
          [](const TunedKernelHolder& self, const nb::iterable& problem) {
            const std::vector<tune::Value> values = values_from(problem);
            const nb::gil_scoped_release released;
            return *(*self).choose(values);
          },
          "problem"_a, "The variant for these values of the problem's names.")
      .def(
          "tune",
          [](const TunedKernelHolder& self, const nb::iterable& problem) {
            const std::vector<tune::Value> values = values_from(problem);
            const nb::gil_scoped_release released;
            return *(*self).tune(values);
          },
          "problem"_a, "Tunes for a problem now.")
      .def(
          "wait",
          [](const TunedKernelHolder& self) {
            const nb::gil_scoped_release released;
            (*self).wait();
          },
          "Waits until nothing is tuned in the background; raises what failed there.")
      .def("close", &TunedKernelHolder::close, "Stops what tunes in the background.");
}

void bind_texts(nb::module_& m) {
  m.def(
      "foreign_wisdom",
      [](const std::string& text, const std::string& kernel, const nb::object& problem,
         const device::Device* device) {
        tune::ForeignNames names{.kernel = kernel};
        if (!problem.is_none()) names.problem = named_values(problem);
        if (device != nullptr) names.environment = tune::environment_of(*device);
        return tune::foreign_wisdom(text, names);
      },
      "text"_a, "kernel"_a = "", "problem"_a = nb::none(), "device"_a.none() = nb::none(),
      "Lines for Store.import_lines() from a cache of Kernel Tuner or wisdom of Kernel Launcher. "
      "kernel, problem and device stand in the place of the file's names.");
  m.def("report_page", &tune::report_page, "store"_a, "kernel"_a = "",
        "What a store knows, as one page of HTML without scripts.");
  m.def("duration_text", &tune::duration_text, "seconds"_a, "A time as people read it: 12.5 us.");
}

}  // namespace

void bind_tune_store(nb::module_& m) {
  bind_keys(m);
  bind_store_class(m);
  bind_texts(m);
  bind_tuned_kernel(m);
  m.def(
      "kernel_key",
      [](const tune::KernelTemplate& kernel, const tune::Space& space, const std::string& version) {
        return tune::kernel_key(kernel, space, version);
      },
      "kernel"_a, "space"_a, "version"_a = "",
      "A digest of a template and the parameters of a space: StoreKey.kernel.");
}

}  // namespace treadle::bindings
