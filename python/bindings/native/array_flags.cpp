// SPDX-License-Identifier: MIT
// x.flags: the layout of an array's elements in memory, and whether the array can be changed.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "native/array.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

/// The object that x.flags returns. Its attributes tell the array's present state.
struct ArrayFlags {
  nb::object array;

  const Array& get() const { return *as_array(array.ptr()); }
  bool is_c() const { return get().layout().is_contiguous(get().dtype().size_bytes()); }
  bool is_fortran() const {
    return get().layout().is_contiguous(get().dtype().size_bytes(), MemoryOrder::fortran);
  }
  bool is_writable() const { return get().is_writable(); }
};

bool has_either(const ArrayFlags& flags) { return flags.is_c() || flags.is_fortran(); }
bool is_fortran_alone(const ArrayFlags& flags) { return flags.is_fortran() && !flags.is_c(); }
bool is_aligned(const ArrayFlags&) { return true; }

/// A flag's names in NumPy: as an attribute, and in brackets.
struct Flag {
  const char* attribute;
  std::string_view name, letter;
  bool (*get)(const ArrayFlags&);
  const char* text;
};
constexpr std::array<Flag, 7> all_flags = {{
    {"c_contiguous", "C_CONTIGUOUS", "C", [](const ArrayFlags& f) { return f.is_c(); },
     "Whether elements lie dense, in C's order."},
    {"f_contiguous", "F_CONTIGUOUS", "F", [](const ArrayFlags& f) { return f.is_fortran(); },
     "Whether elements lie dense, in Fortran's order."},
    {"contiguous", "CONTIGUOUS", "", [](const ArrayFlags& f) { return f.is_c(); },
     "The same as c_contiguous."},
    {"fortran", "FORTRAN", "", [](const ArrayFlags& f) { return f.is_fortran(); },
     "The same as f_contiguous."},
    {"forc", "FORC", "", has_either, "Whether they lie in one of the two orders."},
    {"fnc", "FNC", "", is_fortran_alone, "Whether they lie in Fortran's order and not in C's."},
    {"aligned", "ALIGNED", "A", is_aligned, "True: each is at a multiple of its alignment."},
}};

bool flag_of(const ArrayFlags& flags, const std::string& name) {
  if (name == "WRITEABLE" || name == "W") return flags.is_writable();
  const auto found = std::find_if(all_flags.begin(), all_flags.end(), [&](const Flag& flag) {
    return flag.name == name || (!flag.letter.empty() && flag.letter == name);
  });
  if (found == all_flags.end()) raise_python(PyExc_KeyError, "no flag is called '" + name + "'");
  return found->get(flags);
}

void set_writable(const ArrayFlags& flags, bool is_writable) {
  if (is_writable == flags.is_writable()) return;
  if (is_writable)
    throw InvalidArgument("an array that is read-only cannot be made writeable",
                          "copy() gives one that can be changed");
  Array& array = nb::cast<Array&>(flags.array);
  array = array.read_only();
}

std::string text_of(const ArrayFlags& flags) {
  std::string text;
  for (const char* name : {"C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED"})
    text += std::string("  ") + name + " : " + (flag_of(flags, name) ? "True" : "False") + "\n";
  return text;
}

}  // namespace

void bind_array_flags(nb::module_& m, nb::class_<Array>& type) {
  auto flags = nb::class_<ArrayFlags>(m, "ArrayFlags",
                                      "How the elements of an array lie in memory, by NumPy's "
                                      "names: flags.c_contiguous, flags['C_CONTIGUOUS'].");
  for (const Flag& flag : all_flags) flags.def_prop_ro(flag.attribute, flag.get, flag.text);
  flags
      .def_prop_rw("writeable", &ArrayFlags::is_writable, &set_writable,
                   "Whether elements can be changed through this array: it is no view of what is "
                   "read-only, and each has memory of its own. False makes it read-only.")
      .def("__getitem__", &flag_of, nb::arg("name"))
      .def("__repr__", &text_of);
  type.def_prop_ro(
      "flags", [](nb::handle self) { return ArrayFlags{nb::borrow(self)}; },
      nb::for_getter(nb::sig("def flags(self) -> typing.Any")),
      "How the elements lie in memory and whether they can be changed, as NumPy has it: an "
      "ArrayFlags.");
}

}  // namespace treadle::bindings
