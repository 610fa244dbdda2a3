// SPDX-License-Identifier: MIT
// Arrays that programs pass for the pointers of their kernels, read for the check of both faces.
#include "treadle/kernel/declared_vectors.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "calls/argument.hpp"
#include "native/array.hpp"
#include "native/snippet_arguments.hpp"

namespace treadle::bindings {
namespace {

/// Of an array of the program's own class, which may say little.
void read_other_array(nb::handle object, std::int64_t last, kernel::DeclaredVector& vector) {
  const nb::object dtype = attribute_or_null(object.ptr(), "dtype");
  vector.given = dtype.is_valid() ? dtype_from(dtype) : vector.declared;
  const nb::object size = attribute_or_null(object.ptr(), "size");
  vector.size = size.is_valid() ? nb::cast<std::int64_t>(nb::int_(size)) : last + 1;
  const nb::object flags = attribute_or_null(object.ptr(), "flags");
  if (!flags.is_valid()) return;
  vector.in_c_order = nb::cast<bool>(flags.attr("c_contiguous"));
  vector.in_fortran_order = nb::cast<bool>(flags.attr("f_contiguous"));
}

void read_array(nb::handle object, std::int64_t last, kernel::DeclaredVector& vector) {
  const Array* const own = as_array(object.ptr());
  if (own == nullptr) return read_other_array(object, last, vector);
  const std::size_t item = own->dtype().size_bytes();
  vector.given = own->dtype();
  vector.size = own->size();
  vector.in_c_order = own->layout().is_contiguous(item);
  vector.in_fortran_order = own->layout().is_contiguous(item, MemoryOrder::fortran);
}

/// `vectors` has the position, the declaration and the array of each.
void check(const std::string& kernel, nb::handle vectors, const std::vector<bool>& uses,
           nb::handle indices, const std::vector<std::size_t>& counted) {
  const auto first = nb::cast<std::int64_t>(nb::object(indices[nb::int_(0)]));
  const auto last = nb::cast<std::int64_t>(nb::object(indices[nb::int_(-1)]));
  const auto [low, high] = std::minmax(first, last);
  std::vector<kernel::DeclaredVector> all;
  for (const nb::handle one : nb::iter(vectors)) {
    const nb::object declaration = one[nb::int_(1)];
    const DType declared = dtype_from(declaration.attr("dtype"));
    kernel::DeclaredVector vector{
        .position = nb::cast<std::size_t>(nb::object(one[nb::int_(0)])),
        .name = nb::cast<std::string>(nb::object(declaration.attr("name"))),
        .declared = declared,
        .given = declared,
        .size = 0};
    vector.uses_every_element = uses.at(vector.position);
    vector.is_counted = std::ranges::find(counted, vector.position) != counted.end();
    read_array(nb::object(one[nb::int_(2)]), high, vector);
    all.push_back(std::move(vector));
  }
  kernel::check_vectors(kernel, all, low, high);
}

}  // namespace

void bind_declared_vectors(nb::module_& m) {
  m.def("check_vectors", &check, nb::arg("kernel"), nb::arg("vectors"),
        nb::arg("uses_every_element"), nb::arg("indices"),
        nb::arg("counted") = std::vector<std::size_t>(),
        nb::sig("def check_vectors(kernel: str, vectors: collections.abc.Iterable[tuple[int, "
                "typing.Any, typing.Any]], uses_every_element: collections.abc.Sequence[bool], "
                "indices: range, counted: collections.abc.Sequence[int] = ()) -> None"),
        "Refuses arrays that the kernel would read wrongly or beyond their ends. `kernel` is what "
        "errors call it; `vectors` has the position, declaration and array of each; `indices` are "
        "those that the kernel runs for, at least one; `counted` are the positions of arrays for "
        "each of whose elements the kernel makes one.");
}

}  // namespace treadle::bindings
