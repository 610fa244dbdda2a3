// SPDX-License-Identifier: MIT
// The packer behind pycuda._pvt_struct: the struct module in native mode, with complex numbers and
// pointers, and without padding at the end. Prepared calls pack kernel arguments with it. It is
// part of the bindings because it only reads and makes Python objects; C++ programs lay out
// arguments with cuda::ArgumentBuffer.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::bindings {

namespace nb = nanobind;

/// One value of a format: its code and its place.
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

/// The natural alignment of a code; 1 for codes without alignment.
std::size_t code_alignment(char code) noexcept;
/// The size in bytes of a code, except 's' and 'p'; 0 if the character is no code.
std::size_t code_size(char code) noexcept;
/// Whether the code is an integer whose range is checked.
bool is_integer_code(char code) noexcept;

/// Writes `value` to `to` in the item's format. Throws nb::python_error.
void pack_value(const FormatItem& item, PyObject* value, char* to);
/// Reads the Python value at `from` in the item's format. Throws nb::python_error.
nb::object unpack_value(const FormatItem& item, const char* from);

void bind_pvt_struct(nb::module_& m);

}  // namespace treadle::bindings
