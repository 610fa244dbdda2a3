// SPDX-License-Identifier: MIT
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>

#include "interrupt.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/printing.hpp"

namespace treadle::bindings {
namespace {

/// `with treadle.cuda.PrintCapture() as printed:`
struct Capture {
  std::optional<cuda::Context> context;
  std::unique_ptr<cuda::PrintCapture> capture;
  std::string text;

  void enter() {
    if (capture != nullptr)
      throw InvalidState("this PrintCapture has begun already", "make another");
    const cuda::Context used = context ? *context : cuda::Context::current();
    wait_for(used);  // Ctrl-C ends the wait; earlier text goes to sys.stdout
    capture = std::make_unique<cuda::PrintCapture>(used);
  }
  void exit() {
    if (capture == nullptr) return;
    std::unique_ptr<cuda::PrintCapture> leaving = std::move(capture);
    const nb::gil_scoped_release released;
    text += leaving->end();
  }
};

}  // namespace

void bind_cuda_printing(nb::module_& m) {
  nb::class_<Capture>(
      m, "PrintCapture",
      "What kernels of a context print in the `with` is kept from the standard output, and told "
      "by `text`. On a GPU it is whatever the process writes to file descriptor 1 meanwhile, by "
      "other threads and child processes too. One at a time: InvalidState.")
      .def(
          "__init__",
          [](Capture* self, std::optional<cuda::Context> context) {
            new (self) Capture{std::move(context), nullptr, {}};
          },
          nb::arg("context") = nb::none(), "None: the current one when the `with` begins.")
      .def(
          "__enter__",
          [](nb::handle self) {
            nb::cast<Capture&>(self).enter();
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> PrintCapture"),
          "Waits for the context: what was printed before is not captured.")
      .def(
          "__exit__", [](Capture& self, const nb::args&) { self.exit(); }, "Waits for the context.")
      .def_prop_ro(
          "text",
          [](const Capture& self) {
            return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
                self.text.data(), static_cast<Py_ssize_t>(self.text.size()), "backslashreplace"));
          },
          "What was printed; empty until the `with` has ended.");
}

}  // namespace treadle::bindings
