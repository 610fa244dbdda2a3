// SPDX-License-Identifier: MIT
// Events that are shared with other processes.
#pragma once

#include "pycuda/classes.hpp"

namespace treadle::bindings::face {

/// A bytearray of 64 bytes.
nb::object event_ipc_handle(const Event& event);
/// Makes an event of a bytearray of 64 bytes. Throws LogicError for other objects.
Event event_from_ipc_handle(nb::handle handle);

}  // namespace treadle::bindings::face
