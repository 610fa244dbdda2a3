// SPDX-License-Identifier: MIT
// The packer behind pycuda._pvt_struct: like the struct module in native mode, with complex numbers
// and pointers, and without padding at the end. Kernel arguments of prepared calls go through it.
// It is here and not in the core because all it does is read and make Python objects by their
// protocols; what C++ programs use to lay out arguments is cuda::ArgumentBuffer.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::bindings {

namespace nb = nanobind;

/// One value of a format: where it goes and how it is written.
struct FormatItem {
  char code;           ///< one of "cbB?hHiIlLqQnNfdFDPsp"
  std::size_t size;    ///< bytes; the length of an 's' or 'p'
  std::size_t offset;  ///< from the start of the packed bytes
};

/// A compiled format.
struct Format {
  std::vector<FormatItem> items;
  std::size_t size = 0;  ///< bytes in all
};

/// Throws pvt_struct.error.
Format parse_format(std::string_view text);

/// Throws pycuda._pvt_struct.error, an exception class of its own.
[[noreturn]] void raise_struct_error(const std::string& text);

/// Natural alignment of a code; 1 for the ones that have none.
std::size_t code_alignment(char code) noexcept;
/// Size in bytes of a code, except 's' and 'p'; 0 for a character that is no code.
std::size_t code_size(char code) noexcept;
/// Whether the code stands for an integer that is range-checked.
bool is_integer_code(char code) noexcept;

/// Writes `value` as the item says to `to`. Throws nb::python_error.
void pack_value(const FormatItem& item, PyObject* value, char* to);
/// The Python value of the item's bytes at `from`. Throws nb::python_error.
nb::object unpack_value(const FormatItem& item, const char* from);

void bind_pvt_struct(nb::module_& m);

}  // namespace treadle::bindings
