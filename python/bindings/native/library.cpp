// SPDX-License-Identifier: MIT
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "image.hpp"
#include "native/linalg.hpp"
#include "treadle/library/host_blas.hpp"
#include "treadle/library/search.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

using library::HostBlas;
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
  m.def(
      "open_library",
      [](const std::string& name, int cuda_version) {
        add_python_folders();
        SharedLibrary opened = library::open_library(library::library_kind(name), cuda_version);
        opened.keep_loaded();  // ctypes opens it again later
        return opened.path();
      },
      nb::arg("name"), nb::arg("cuda_version") = 0,
      "Opens the library of that name in TREADLE_LIBRARIES, \"cublas\", for the whole process; its "
      "file. cuda_version: the newest that the driver runs, 13000 is 13.0. Raises "
      "LibraryNotFound.");
  nb::class_<HostBlas>(m, "HostBlas",
                       "The CBLAS and LAPACK of the host, whose functions are called by address.")
      .def_static(
          "load",
          [] {
            add_python_folders();
            return std::const_pointer_cast<HostBlas>(HostBlas::load());
          },
          "The process's. Raises LibraryNotFound.")
      .def_prop_ro("path", &HostBlas::path)
      .def_prop_ro("version", &HostBlas::version)
      .def_prop_ro("integer_bytes", &HostBlas::integer_bytes)
      .def(
          "symbol",
          [](const HostBlas& self, const std::string& name) {
            return reinterpret_cast<std::uintptr_t>(self.symbol(name));
          },
          nb::arg("name"),
          "The address of a function by its plain name, \"cblas_dgemm\" or \"dgesvd_\"; 0 if the "
          "library has none.");
}

}  // namespace treadle::bindings
