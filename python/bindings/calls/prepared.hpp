// SPDX-License-Identifier: MIT
// Prepared calls: a format such as "PPi" is matched once against the kernel's real parameters; each
// call then writes its values straight to their places.
#pragma once

#include <string>
#include <vector>

#include "calls/argument.hpp"
#include "calls/pvt_struct.hpp"

namespace treadle::bindings {

struct PreparedItem {
  FormatItem item;        ///< what the format says; `item.offset` is where it goes in the buffer
  std::size_t parameter;  ///< the parameter it belongs to
  bool converted;         ///< an integer of another width than the parameter's
};

/// A format matched against a kernel.
struct PreparedCall {
  std::vector<PreparedItem> items;
  std::size_t buffer_bytes = 0;
};

/// Throws InvalidArgument naming kernel, parameter, index and both sizes if the format does not
/// fit.
PreparedCall prepare_call(const std::string& format, Kernel& kernel);

/// Writes the values to `buffer`, which has room for call.buffer_bytes. Throws pvt_struct.error.
void pack_prepared(const PreparedCall& call, Kernel& kernel, PyObject* const* values,
                   std::size_t count, char* buffer);

/// The format that `prepare(arg_types)` means: NumPy scalar types and dtypes by their character,
/// text as it is, anything else as a pointer-sized integer.
std::string prepared_format(nb::handle argument_types);

}  // namespace treadle::bindings
