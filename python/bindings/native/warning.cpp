// SPDX-License-Identifier: MIT
// Passes the core's warnings to Python. Warnings come from any thread, from destructors, and from
// code that holds a lock. So the warning thread never takes the GIL: another thread may hold the
// GIL while it waits for that lock. The thread stores the text, and Python's main thread issues it
// when it next runs Python code; for a warning of the main thread itself, that is right after the
// call.
#include "treadle/process/warning.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "caller.hpp"
#include "python_names.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace {

struct Left {
  std::string text;
  Left* next;
};

// A list without a lock, because a process may fork while another thread is here.
std::atomic<Left*> newest{nullptr};
std::atomic<bool> is_announced{false};
PyObject* warning_class = nullptr;

std::vector<std::string> take_all() {
  std::vector<std::string> texts;
  for (std::unique_ptr<Left> left(newest.exchange(nullptr)); left; left.reset(left->next))
    texts.push_back(std::move(left->text));
  std::reverse(texts.begin(), texts.end());  // the oldest first
  return texts;
}

// Warns at the user's line; without one, at the program's first line.
void issue_at_caller(const std::string& text) {
  const nb::object frame = calling_frame();
  nb::object file = nb::str("treadle"), globals;
  int line = 1;
  if (frame.is_valid()) {
    file = nb::object(frame.attr("f_code")).attr("co_filename");
    line = PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject*>(frame.ptr()));
    globals = frame.attr("f_globals");
  }
  nb::object registry = nb::none(), module = nb::str("treadle");
  if (globals.is_valid()) {
    registry = globals.attr("setdefault")("__warningregistry__", nb::dict());
    module = globals.attr("get")("__name__", "treadle");
  }
  if (PyErr_WarnExplicitObject(warning_class, nb::object(nb::str(text.c_str())).ptr(), file.ptr(),
                               line, module.ptr(), registry.ptr()) != 0)
    throw nb::python_error();
}

void issue(const std::string& text) noexcept {
  try {
    issue_at_caller(with_python_names(text));
  } catch (nb::python_error& error) {
    // The user's filter turns the warning into an error, but nobody can catch it at its place any
    // more.
    error.restore();
    PyErr_WriteUnraisable(nullptr);
  } catch (...) {
    std::fprintf(stderr, "treadle: warning: %s\n", text.c_str());
  }
}

int issue_left(void*) {
  is_announced = false;
  for (const std::string& text : take_all()) issue(text);
  return 0;
}

void leave(std::string_view text) {
  auto* left = new Left{std::string(text), newest.load()};
  while (!newest.compare_exchange_weak(left->next, left)) {
  }
  // Python can hold only a few such calls. If there is no room, the next warning or the exit tries
  // again.
  if (!is_announced.exchange(true) && Py_AddPendingCall(issue_left, nullptr) != 0)
    is_announced = false;
}

// No Python code can receive a warning any more: the core writes to stderr.
void return_to_stderr() {
  set_warning_handler({});
  issue_left(nullptr);
}

}  // namespace

void bind_warning(nb::module_& m) {
  find_package_folder();
  warning_class = PyErr_NewExceptionWithDoc(
      "treadle.TreadleWarning",
      "The work goes on, but not quite as it was asked for, or a clean-up failed.",
      PyExc_RuntimeWarning, nullptr);
  if (warning_class == nullptr) throw nb::python_error();
  m.attr("TreadleWarning") = nb::handle(warning_class);
  set_warning_handler(leave);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(return_to_stderr));
}

}  // namespace treadle::bindings
