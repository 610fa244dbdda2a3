// SPDX-License-Identifier: MIT
// Shows how pending arrays will be computed, and controls when.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <deque>

#include "native/array.hpp"
#include "treadle/array/evaluate.hpp"

namespace treadle::bindings {
namespace {

/// The scopes of one `fusing()` object, which may be nested.
struct FusingScopes {
  FusingScopes() = default;
  FusingScopes(const FusingScopes&) = delete;
  FusingScopes& operator=(const FusingScopes&) = delete;
  std::deque<array::Fusing> entered;
};

/// Releases the GIL; null if this thread does not hold it.
// At the end of the process, when Python has ended, PyGILState_Check() says 1.
void* release_gil() {
  return Py_IsInitialized() != 0 && PyGILState_Check() != 0 ? PyEval_SaveThread() : nullptr;
}
void acquire_gil(void* thread) { PyEval_RestoreThread(static_cast<PyThreadState*>(thread)); }

}  // namespace

void bind_array_laziness(nb::module_& m, nb::class_<Array>& type) {
  array::set_host_lock({release_gil, acquire_gil});
  type.def_prop_ro(
      "buffer", [](const Array& self) { return self.buffer(); },
      "The memory, as a Buffer: what is done to it by copies, fills and launches is "
      "noticed. Computes what is pending.");
  type.def(
      "explain",
      [](const Array& self) {
        const Array shared = self;  // another thread may give `self` another node
        const nb::gil_scoped_release released;
        return array::explain(shared);
      },
      "What made the array, or is to make it: the kernel, the bytes it reads and writes, the "
      "operations with their lines, what was computed on its own and why, and the text.");
  m.def(
      "runs_at_once",
      [](const Array& array) {
        const Array shared = array;  // another thread may give `array` another node
        return array::is_lazy() && !array::is_fusing() && !shared.is_pending() &&
               shared.buffer().has_escaped();
      },
      nb::arg("array"),
      "Whether operations on the array run when they are written, for its memory has escaped.");
  nb::class_<FusingScopes>(m, "fusing",
                           "with fusing(): within the block expressions wait even where their "
                           "memory is known to other code, which promises not to change it.")
      .def(nb::init<>())
      .def(
          "__enter__",
          [](FusingScopes& self) -> FusingScopes& {
            self.entered.emplace_back();
            return self;
          },
          nb::rv_policy::reference_internal, nb::sig("def __enter__(self) -> fusing"))
      .def(
          "__exit__", [](FusingScopes& self, nb::args) { self.entered.pop_back(); },
          nb::sig("def __exit__(self, *exception: object) -> None"));
}

}  // namespace treadle::bindings
