// SPDX-License-Identifier: MIT
// What the driver lets go of in a callback of its own, in which it must not be called.
#pragma once

#include <memory>

namespace treadle::cuda {

/// Gets ready to release; throws what starting a thread throws.
void prepare_deferred_release();
/// Destroys `object` on another thread, soon.
void release_later(std::shared_ptr<const void> object) noexcept;

}  // namespace treadle::cuda
