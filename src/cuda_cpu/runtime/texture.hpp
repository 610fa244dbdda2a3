// SPDX-License-Identifier: MIT
// Texture and surface objects. A handle is the address of what kernels read of the object, so that
// a fetch need not look anything up; the host looks handles up and never follows them.
#pragma once

#include "cuda_cpu/module_abi.h"
#include "cuda_cpu/treadle/texture_object.h"

namespace treadle::cuda_cpu {

class Context;

/// Forgets the texture and surface objects of a context that ends.
void drop_textures_of(const Context& context);

/// A fetch that is not inlined into a kernel. `fetch` is of __treadle_fetch; `layer` is the index
/// for tex1Dfetch. Coordinates are as the program gives them.
TexelWords sample_texture(const __treadle_texture* texture, unsigned fetch, float x, float y,
                          float z, int layer, float level);

}  // namespace treadle::cuda_cpu
