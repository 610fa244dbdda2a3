// SPDX-License-Identifier: MIT
// Keeps Python objects that only queued work uses.
#pragma once

#include <functional>
#include <memory>

namespace treadle::bindings {

/// Keeps `what` until `is_over()` returns true. release_left_uses() asks `is_over()`. Called with
/// the GIL; `what` is dropped with the GIL, too. Throws std::bad_alloc.
void keep_left_use(std::function<bool()> is_over, std::shared_ptr<void> what);
/// Drops the uses that are over. Called by code that queues copies, waits, runs out of memory or
/// counts objects: the platform's threads notice the end first, but have no GIL to drop a Python
/// object. Any Python code may run. Needs the GIL.
void release_left_uses();

}  // namespace treadle::bindings
