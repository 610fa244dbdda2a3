// SPDX-License-Identifier: MIT
// Texture references under PyCUDA's rules.
#pragma once

#include "pycuda/classes.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::bindings::face {

struct TextureReference {
  cuda::TextureReference reference;
};
struct SurfaceReference {
  cuda::SurfaceReference reference;
};

}  // namespace treadle::bindings::face
