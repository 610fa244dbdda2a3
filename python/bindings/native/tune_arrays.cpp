// SPDX-License-Identifier: MIT
// Tunes the numbers that shape the kernels of arrays.
#include "treadle/tune/tune_arrays.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "errors.hpp"
#include "native/tune.hpp"
#include "treadle/kernel/known_tilings.hpp"

namespace treadle::bindings {

using namespace nb::literals;
using tune::ArrayTuned;

void bind_tune_arrays(nb::module_& m) {
  nb::class_<ArrayTuned>(m, "ArrayTuned", "What was found for a family of arrays' kernels.")
      .def_ro("family", &ArrayTuned::family, "\"fold\", \"sort\" and so on.")
      .def_ro("numbers", &ArrayTuned::numbers, "Those of Tiling that are better; empty: none is.")
      .def_ro("ratio", &ArrayTuned::ratio, "Time with them, of that without, in the mean.")
      .def_prop_ro(
          "ratios",
          [](const ArrayTuned& self) {
            nb::list made;
            for (const tune::ArrayRatio& each : self.ratios)
              made.append(nb::make_tuple(each.problem.name, each.problem.elements, each.ratio));
            return made;
          },
          nb::sig("def ratios(self) -> list[tuple[str, int, float]]"),
          "Problem, elements, and time with the best numbers that were found, better everywhere or "
          "not, of that without.")
      .def_ro("attempts", &ArrayTuned::attempts, "Configurations that were tried.")
      .def_ro("failed", &ArrayTuned::failed, "Of these, such as were not right.")
      .def("__repr__", [](const ArrayTuned& self) {
        std::string made = "<ArrayTuned " + self.family + ":";
        for (const auto& [name, value] : self.numbers)
          made += " " + name + "=" + std::to_string(value);
        return made + (self.numbers.empty() ? " as it was>" : ">");
      });
  m.def("array_families", &tune::array_families, "The families of arrays' kernels.");
  m.def(
      "tune_arrays",
      [](const std::shared_ptr<device::Device>& device, const nb::dict& how) {
        tune::ArrayTuneOptions options{
            .families = nb::cast<std::vector<std::string>>(how["families"]),
            .seconds = nb::cast<double>(how["seconds"]),
            .size = nb::cast<double>(how["size"]),
            .sizes = nb::cast<std::vector<std::uint64_t>>(how["sizes"]),
            .worth = nb::cast<double>(how["worth"]),
            .slowest = nb::cast<double>(how["slowest"]),
            .is_processor_time = nb::cast<bool>(how["processor_time"]),
            .seed = nb::cast<std::uint64_t>(how["seed"]),
            .store = nb::cast<std::shared_ptr<tune::Store>>(how["store"])};
        options.stop = [stop = nb::handle(how["stop"])] {
          const nb::gil_scoped_acquire held;
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          return nb::cast<bool>(stop());
        };
        if (const nb::handle progress = how["progress"]; !progress.is_none())
          options.progress = [progress](const tune::ArrayProgress& now) {
            const nb::gil_scoped_acquire held;
            nb::dict told;
            told["family"] = now.family;
            told["tried"] = now.tried;
            told["best"] = now.best;
            told["seconds"] = now.seconds;
            progress(told);
          };
        const nb::gil_scoped_release released;
        return tune::tune_arrays(device, options);
      },
      "device"_a, "how"_a, "The caller keeps what it calls.");
  m.def(
      "write_tilings",
      [](tune::Store& store) {
        const std::filesystem::path file = kernel::tilings_file();
        return file.empty() ? 0 : tune::write_tilings(store, file);
      },
      "store"_a,
      "Writes what a store knows of arrays' kernels for later processes; returns for how many "
      "devices and schedules.");
}

}  // namespace treadle::bindings
