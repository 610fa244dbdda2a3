// SPDX-License-Identifier: MIT
// The numbers that shape a device's kernels.
#include "treadle/kernel/tiling.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using codegen::Tiling;
using codegen::TilingNumber;

std::optional<Schedule> schedule_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    if (schedule_name(schedule) == name) return schedule;
  throw InvalidArgument("no schedule is called '" + name + "'", "'wide' and 'narrow' are");
}

Tiling with_numbers(Tiling tiling, const nb::kwargs& numbers) {
  const auto all = codegen::tiling_numbers();
  for (const auto& [key, value] : numbers) {
    const auto name = nb::cast<std::string>(key);
    const auto known = std::ranges::find(all, std::string_view(name),
                                         [](const TilingNumber& n) { return n.name; });
    if (known == all.end())
      throw InvalidArgument("a Tiling has no number called '" + name + "'",
                            "dir(tiling) lists them");
    known->set(tiling, nb::cast<std::uint64_t>(value));
  }
  codegen::require_valid(tiling);
  return tiling;
}

}  // namespace

void bind_tiling(nb::module_& m) {
  nb::class_<Tiling> tiling(
      m, "Tiling",
      "The numbers that shape generated kernels of one schedule: work-items of a "
      "group, elements of each, bytes of a tile. What one does not use is 0.");
  tiling
      .def_prop_ro(
          "schedule", [](const Tiling& self) { return std::string(schedule_name(self.schedule)); },
          "'wide': many work-items in lockstep; 'narrow': few strong cores.")
      .def(
          "replace", &with_numbers, nb::arg("numbers"),
          nb::sig("def replace(self, **numbers: int) -> Tiling"),
          "The same with other numbers, by their names. Raises InvalidArgument naming one that may "
          "not be so.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
  for (const TilingNumber& number : codegen::tiling_numbers())
    tiling.def_prop_ro(
        number.name.data(), [get = number.get](const Tiling& self) { return get(self); },
        number.what.data());
  m.def(
      "tiling",
      [](device::Device& device, const std::string& schedule) {
        return kernel::tiling_of(device, schedule_named(schedule));
      },
      nb::arg("device"), nb::arg("schedule") = "",
      "The numbers that kernels of the device are made with now, in its own schedule or another.");
  m.def(
      "set_tiling", &kernel::set_tiling, nb::arg("device"), nb::arg("tiling"),
      "Makes the device's kernels with these numbers from now on: arrays at their next evaluation, "
      "kernels of users' texts when they are constructed. Results are the same but for the order "
      "in which floats are added. Raises InvalidArgument for what the device has no room for.");
}

}  // namespace treadle::bindings
