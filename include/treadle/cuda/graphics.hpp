// SPDX-License-Identifier: MIT
// Buffers and images of OpenGL that kernels read and write where they lie.
//
//   auto picture = cuda::GraphicsResource::gl_buffer(pixel_buffer);     // a GL context is current
//   { auto mapped = picture.map(); kernel.launch(config, mapped.memory().address); }
//   // here OpenGL has it again
//
// Of NVIDIA's driver alone. The OpenGL context has to be current on the thread that registers, maps
// and unmaps, and to be of the same GPU. While a resource is mapped, OpenGL must not touch it.
#pragma once

#include <memory>

#include "treadle/cuda/array.hpp"
#include "treadle/cuda/stream.hpp"

struct CUgraphicsResource_st;

namespace treadle::cuda {

using RawGraphicsResource = CUgraphicsResource_st*;  ///< CUgraphicsResource

/// CU_GRAPHICS_REGISTER_FLAGS_*: what kernels do with a resource; combine with |.
enum class GraphicsFlags : unsigned {
  none = 0,                ///< they may read and write it
  read_only = 1,           ///< they do not write it
  write_discard = 2,       ///< they write all of it, and do not read it
  surface_load_store = 4,  ///< of images: they use it through a Surface
  texture_gather = 8,      ///< of images: tex2Dgather
};
/// Both sets of flags.
constexpr GraphicsFlags operator|(GraphicsFlags a, GraphicsFlags b) noexcept {
  return static_cast<GraphicsFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

class GraphicsMapping;
class GraphicsMappingState;
class GraphicsResourceState;

/// A buffer or image that was registered. A cheap value that shares the registration, which ends
/// with the last of them.
class GraphicsResource {
 public:
  /// A buffer object by its name in OpenGL. Throws NotSupported on the CPU device, LibraryNotFound
  /// where there is no OpenGL, InvalidState where no OpenGL context is current, InvalidArgument for
  /// 0, DeviceError for what is no buffer.
  static GraphicsResource gl_buffer(unsigned buffer, GraphicsFlags flags = GraphicsFlags::none);
  /// A texture or renderbuffer; `target` is GL_TEXTURE_2D and the like. Throws as gl_buffer(), and
  /// InvalidArgument for targets that no kernel reads.
  static GraphicsResource gl_image(unsigned image, unsigned target,
                                   GraphicsFlags flags = GraphicsFlags::none);

  /// Kernels may use it, after all that OpenGL was asked for and after what is in the stream.
  /// Throws DeviceError if it is mapped.
  GraphicsMapping map(StreamRef stream = {}) const;
  /// Ends the registration now, whoever shares it. Throws InvalidState the second time, and while
  /// it is mapped.
  void unregister();
  /// Whether that happened.
  bool is_unregistered() const noexcept;
  /// Where it was registered.
  const Context& context() const noexcept;
  /// CUgraphicsResource. Throws InvalidState after unregister().
  RawGraphicsResource raw() const;

 private:
  explicit GraphicsResource(std::shared_ptr<GraphicsResourceState> state) noexcept
      : state_(std::move(state)) {}
  static GraphicsResource registered(const Context& context, RawGraphicsResource raw);

  std::shared_ptr<GraphicsResourceState> state_;
};

/// What a mapped buffer is to kernels.
struct MappedMemory {
  DevicePointer address = 0;   ///< valid until it is unmapped
  std::size_t size_bytes = 0;  ///< of the buffer
};

/// A resource while it is mapped, until the last of its copies and of the arrays that it gave are
/// gone, or unmap(). The stream that it was mapped in must live as long.
class GraphicsMapping {
 public:
  /// The buffer. Throws DeviceError for an image, InvalidState after unmap().
  MappedMemory memory() const;
  /// A layer or face and level of the image, which keeps the mapping. Throws DeviceError for a
  /// buffer, InvalidState after unmap().
  Array array(unsigned index = 0, unsigned level = 0) const;
  /// The whole image where it has `levels` of them, as OpenGL was told, and was registered since
  /// CUDA 10; it keeps the mapping. Throws as array(), and InvalidArgument for no levels.
  MipmappedArray mipmapped_array(unsigned levels) const;
  /// Gives it back to OpenGL, after what is in the stream: by default the one it was mapped in.
  /// Its memory and its arrays are nobody's then. Throws InvalidState the second time.
  void unmap();
  void unmap(StreamRef stream);
  /// Whether that happened.
  bool is_unmapped() const noexcept;

 private:
  friend class GraphicsResource;
  explicit GraphicsMapping(std::shared_ptr<GraphicsMappingState> state) noexcept
      : state_(std::move(state)) {}
  std::shared_ptr<GraphicsMappingState> state_;
};

/// Whether buffers of OpenGL can be shared with devices of this driver here: it is NVIDIA's, and
/// there is a library of OpenGL. Says nothing of contexts.
bool has_gl(const Driver& driver);

}  // namespace treadle::cuda
