// SPDX-License-Identifier: MIT
// Python objects that only queued work uses.
#pragma once

#include <functional>
#include <memory>

namespace treadle::bindings {

/// Keeps `what` until `is_over()`, which release_left_uses() asks. Called with the GIL; `what` ends
/// with the GIL, too. Throws std::bad_alloc.
void keep_left_use(std::function<bool()> is_over, std::shared_ptr<void> what);
/// Drops the uses that are over. Code that queues copies, waits, runs out of memory, or counts
/// objects calls it: the platform's threads, which know first, have no GIL to end a Python object
/// with. Any Python code may run. Needs the GIL.
void release_left_uses();

}  // namespace treadle::bindings
