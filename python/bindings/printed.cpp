// SPDX-License-Identifier: MIT
#include "printed.hpp"

#include <Python.h>
#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "treadle/cuda/printing.hpp"

namespace nb = nanobind;

namespace treadle::bindings {
namespace {

struct KeptText {
  std::mutex mutex;
  std::string text;
  std::atomic<bool> is_there{false};
};

KeptText& kept_text() {
  static KeptText& instance = *new KeptText;  // the driver's threads may print until the end
  return instance;
}

int write_when_called(void* /*nothing*/) {
  write_printed();
  return 0;
}

void keep(const char* text, std::size_t size_bytes) {
  KeptText& kept = kept_text();
  bool is_first = false;
  {
    const std::lock_guard lock(kept.mutex);
    is_first = kept.text.empty();
    kept.text.append(text, size_bytes);
    kept.is_there.store(true, std::memory_order_release);
  }
  // Needs no GIL. If Python has too many pending calls, the next wait writes the text.
  if (is_first) Py_AddPendingCall(write_when_called, nullptr);
}

/// Writes characters that the file's encoding lacks as backslash sequences.
void write_to(nb::handle file, const nb::str& text) {
  try {
    file.attr("write")(text);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_UnicodeEncodeError)) throw;
    const nb::object encoding = file.attr("encoding");
    file.attr("write")(text.attr("encode")(encoding, "backslashreplace").attr("decode")(encoding));
  }
  file.attr("flush")();
}

}  // namespace

void start_printing() { cuda::set_print_sink(keep); }

void end_printing() noexcept {
  cuda::set_print_sink(nullptr);
  write_printed();
}

void write_printed() noexcept {
  KeptText& kept = kept_text();
  if (!kept.is_there.load(std::memory_order_acquire)) return;
  std::string text;
  {
    const std::lock_guard lock(kept.mutex);
    text = std::exchange(kept.text, {});
    kept.is_there.store(false, std::memory_order_relaxed);
  }
  PyObject* const file = PySys_GetObject("stdout");  // borrowed
  if (text.empty() || file == nullptr || file == Py_None) return;
  try {
    const nb::object held = nb::borrow(file);
    write_to(held, nb::steal<nb::str>(PyUnicode_DecodeUTF8(
                       text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace")));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("writing what kernels printed to sys.stdout");
  } catch (const std::exception&) {  // out of memory, which cannot be reported well
  }
}

}  // namespace treadle::bindings
