// SPDX-License-Identifier: MIT
// Prepared calls. prepare() matches a format such as "PPi" with the kernel's parameters once; each
// call then writes its values directly to their places.
#pragma once

#include <string>
#include <vector>

#include "calls/argument.hpp"
#include "calls/pvt_struct.hpp"

namespace treadle::bindings {

struct PreparedItem {
  FormatItem item;        ///< `item.offset` is the place in the buffer
  std::size_t parameter;  ///< the parameter of this value
  bool converted;         ///< whether an integer has another width than the parameter
};

/// A format matched against a kernel.
struct PreparedCall {
  std::vector<PreparedItem> items;
  std::size_t buffer_bytes = 0;
};

/// Throws InvalidArgument naming kernel, parameter, index and both sizes if the format does not
/// fit.
PreparedCall prepare_call(const std::string& format, Kernel& kernel);

/// Writes the values to `buffer`, which has call.buffer_bytes bytes. Throws pvt_struct.error.
void pack_prepared(const PreparedCall& call, Kernel& kernel, PyObject* const* values,
                   std::size_t count, char* buffer);

/// The format for `prepare(arg_types)`: the characters of NumPy scalar types and dtypes, a given
/// text itself, and a pointer-sized integer for any other object.
std::string prepared_format(nb::handle argument_types);

}  // namespace treadle::bindings
