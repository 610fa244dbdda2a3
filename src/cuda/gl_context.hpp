// SPDX-License-Identifier: MIT
// OpenGL, as far as a driver of CUDA needs it: that a context of it is current. Nothing of it is
// linked; EGL and GLX are asked, where they are.
#pragma once

namespace treadle::cuda {

/// Throws LibraryNotFound, naming each library that was tried, where there is neither EGL nor GLX;
/// InvalidState where no context of either is current on this thread.
void require_gl_context();
/// Whether there is EGL or GLX.
bool has_gl_library();

}  // namespace treadle::cuda
