// SPDX-License-Identifier: MIT
#include "memory/place.hpp"

#include "caller.hpp"

namespace treadle::bindings {

void PythonPlace::note() noexcept { note_frame(PyEval_GetFrame()); }  // borrowed

void PythonPlace::note_user() noexcept {
  const nb::object frame = calling_frame();
  note_frame(reinterpret_cast<PyFrameObject*>(frame.ptr()));
}

void PythonPlace::note_frame(PyFrameObject* frame) noexcept {
  Py_CLEAR(code_);
  if (frame == nullptr) return;
  code_ = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
#if PY_VERSION_HEX >= 0x030B0000
  position_ = PyFrame_GetLasti(frame);  // converted to a line only on request
#else
  position_ = PyFrame_GetLineNumber(frame);
#endif
}

std::string PythonPlace::describe(const void* place) {
  const auto& self = *static_cast<const PythonPlace*>(place);
  if (self.code_ == nullptr) return memory::Site().text();
  auto* const code = reinterpret_cast<PyCodeObject*>(self.code_);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file == nullptr) {
    PyErr_Clear();
    file = "?";
  }
#if PY_VERSION_HEX >= 0x030B0000
  const int line = PyCode_Addr2Line(code, self.position_);
#else
  const int line = self.position_;
#endif
  return std::string(file) + ':' + std::to_string(line);
}

}  // namespace treadle::bindings
