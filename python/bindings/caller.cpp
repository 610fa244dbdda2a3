// SPDX-License-Identifier: MIT
#include "caller.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "python_parts.hpp"
#include "treadle/cuda/launch_log.hpp"

namespace treadle::bindings {
namespace {

// Nothing here is destroyed, because warnings and errors may come while the interpreter shuts down.
// The GIL guards everything.
std::string& package_folder() {
  static auto* folder = new std::string;
  return *folder;
}

bool is_own(nb::handle code) {
  const auto file = nb::cast<std::string>(code.attr("co_filename"));
  return std::string_view(file).starts_with(package_folder());
}

nb::object running_frame() {
  return nb::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
}
nb::object frame_behind(const nb::object& frame) {
  return nb::steal(
      reinterpret_cast<PyObject*>(PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(frame.ptr()))));
}
PyFrameObject* raw(const nb::object& frame) {
  return reinterpret_cast<PyFrameObject*>(frame.ptr());
}

// A call in a code object. Finding its line reads a table of the code, so each place is looked up
// once: then a launch in a loop costs a look-up in our table.
struct Place {
  PyObject* code;
  int instruction;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const noexcept {
    return std::hash<void*>()(place.code) ^ (static_cast<std::size_t>(place.instruction) << 32);
  }
};
struct Line {
  cuda::LaunchSite site;
  bool is_own;
};

Place place_of(const nb::object& frame) {
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(raw(frame))));
#if PY_VERSION_HEX >= 0x030B0000
  return {code.ptr(), PyFrame_GetLasti(raw(frame))};
#else
  return {code.ptr(), PyFrame_GetLineNumber(raw(frame))};
#endif
}

// Errors refer to the text for as long as the process lives. There are as many texts as the program
// has files.
const char* kept_name(const std::string& file) {
  static auto* names = new std::set<std::string>;
  return names->insert(file).first->c_str();
}

// Places of launches in the user's own code, where the innermost frame was the user's. An address
// chooses the entry, and a new place overwrites the entry's old place.
struct Remembered {
  Place place{nullptr, 0};
  cuda::LaunchSite site;
};
std::array<Remembered, 64> all_remembered;
Remembered& remembered(const Place& place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place.code) >> 5;
  return all_remembered[(address + static_cast<std::size_t>(place.instruction)) %
                        all_remembered.size()];
}

// The place where Python is now. It is found without a frame object, because CPython makes frame
// objects only on request. `code` is borrowed: the running function keeps it.
Place running_place() {
#if PY_VERSION_HEX >= 0x030D0000
  _PyInterpreterFrame* const frame = PyThreadState_Get()->current_frame;
#elif PY_VERSION_HEX >= 0x030C0000
  _PyInterpreterFrame* const frame = PyThreadState_Get()->cframe->current_frame;
#endif
#if PY_VERSION_HEX >= 0x030C0000
  if (frame == nullptr) return {nullptr, 0};
  const nb::object code = nb::steal(PyUnstable_InterpreterFrame_GetCode(frame));
  return {code.ptr(), PyUnstable_InterpreterFrame_GetLasti(frame)};
#else
  const nb::object frame = running_frame();
  return frame.is_valid() ? place_of(frame) : Place{nullptr, 0};
#endif
}

const Line& line_of(const nb::object& frame) {
  static auto* lines = new std::unordered_map<Place, Line, PlaceHash>;
  constexpr std::size_t most_lines = 4096;
  const Place place = place_of(frame);
  if (const auto found = lines->find(place); found != lines->end()) return found->second;
  if (lines->size() >= most_lines) {  // a program that makes code all the time
    all_remembered.fill({});          // so old code objects need not be kept
    for (const auto& entry : *lines) Py_DECREF(entry.first.code);
    lines->clear();
  }
  const nb::handle code = place.code;
  const auto file = nb::cast<std::string>(code.attr("co_filename"));
  const Line line{{kept_name(file), PyFrame_GetLineNumber(raw(frame))}, is_own(code)};
  Py_INCREF(place.code);  // the address identifies the code
  return lines->emplace(place, line).first->second;
}

}  // namespace

void find_package_folder() {
  const nb::object path = package().attr("__path__");
  package_folder() = nb::cast<std::string>(nb::object(path[nb::int_(0)])) + "/";
}

nb::object calling_frame() noexcept {
  try {
    nb::object frame = running_frame();
    while (frame.is_valid() && is_own(nb::object(frame.attr("f_code"))))
      frame = frame_behind(frame);
    return frame;
  } catch (...) {
    PyErr_Clear();
    return {};
  }
}

void note_launch_site() noexcept {
  try {
    const Place place = running_place();
    Remembered& known = remembered(place);
    if (place.code != nullptr && known.place == place) [[likely]]
      return cuda::set_launch_site(known.site);
    bool is_innermost = true;
    for (nb::object frame = running_frame(); frame.is_valid(); frame = frame_behind(frame)) {
      const Line& line = line_of(frame);
      if (!line.is_own) {
        if (is_innermost) known = {place, line.site};
        return cuda::set_launch_site(line.site);
      }
      is_innermost = false;
    }
    cuda::set_launch_site({});
  } catch (...) {
    PyErr_Clear();
  }
}

}  // namespace treadle::bindings
