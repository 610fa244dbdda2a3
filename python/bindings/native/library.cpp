// SPDX-License-Identifier: MIT
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "image.hpp"
#include "native/linalg.hpp"
#include "treadle/library/search.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

using library::LibraryStatus;

void bind_library(nb::module_& m) {
  nb::class_<LibraryStatus>(m, "LibraryStatus",
                            "A library of a vendor or of the host, or why there is none.")
      .def_ro("name", &LibraryStatus::name)
      .def_ro("title", &LibraryStatus::title)
      .def_ro("path", &LibraryStatus::path)
      .def_ro("tried", &LibraryStatus::tried)
      .def_ro("problem", &LibraryStatus::problem)
      .def_ro("hint", &LibraryStatus::hint);
  m.def(
      "library_status",
      [] {
        add_python_folders();
        return library::library_status();
      },
      "Each library that Treadle opens at run time, or why there is none. Looks, opens nothing.");
}

}  // namespace treadle::bindings
