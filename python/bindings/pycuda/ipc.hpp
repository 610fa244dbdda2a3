// SPDX-License-Identifier: MIT
// What Event has of other processes.
#pragma once

#include "pycuda/classes.hpp"

namespace treadle::bindings::face {

/// A bytearray of 64 bytes.
nb::object event_ipc_handle(const Event& event);
/// Throws LogicError for anything else.
Event event_from_ipc_handle(nb::handle handle);

}  // namespace treadle::bindings::face
