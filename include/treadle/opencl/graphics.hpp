// SPDX-License-Identifier: MIT
// Memory that OpenGL made, for kernels. It needs a context that shares with OpenGL's (pass
// graphics_properties() when it is made) and a platform with cl_khr_gl_sharing; on others every
// function throws NotSupported. Between acquire_graphics() and release_graphics() it is OpenCL's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treadle/opencl/image.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {

/// Properties for a Context that shares with the OpenGL context which is current on this thread, of
/// EGL or GLX. Throws InvalidState where none is current; LibraryNotFound where there is neither
/// library.
std::vector<std::intptr_t> graphics_properties();
/// The devices of a platform that may share with an OpenGL context; `properties` are its, as
/// graphics_properties() gives them.
std::vector<Device> graphics_devices(const Platform& platform,
                                     std::span<const std::intptr_t> properties);

/// A buffer object of OpenGL's, by its name, which keeps its memory as long as this. Throws
/// DeviceError CL_INVALID_GL_OBJECT for what is none.
Buffer buffer_from_graphics(const Context& context, unsigned name,
                            MemFlags flags = MemFlags::read_write);
/// A texture of OpenGL's: `target` is its number of GL_TEXTURE_2D and the like.
Image texture_from_graphics(const Context& context, unsigned target, int mip_level, unsigned name,
                            MemFlags flags = MemFlags::read_write);
/// A render buffer of OpenGL's.
Image renderbuffer_from_graphics(const Context& context, unsigned name,
                                 MemFlags flags = MemFlags::read_write);

/// What of OpenGL's some memory was made from.
struct GraphicsObject {
  GlObjectType type;  ///< buffer, texture2d, ...
  unsigned name;      ///< OpenGL's number
};
/// Throws DeviceError CL_INVALID_GL_OBJECT for memory that is none of OpenGL's.
GraphicsObject graphics_object(const MemoryObject& memory);
/// One thing about a texture: its target or its mipmap level. Throws as graphics_object().
std::uint64_t graphics_texture_info(const Image& texture, GlTextureInfo parameter);

/// Gives memory of OpenGL's to kernels, until release_graphics(). OpenGL must be done with it: call
/// glFinish(), or wait for event_from_graphics().
Event acquire_graphics(const Queue& queue, std::span<const MemoryObject> memory,
                       const Order& order = {});
/// Gives it back; OpenGL may use it once the event is done.
Event release_graphics(const Queue& queue, std::span<const MemoryObject> memory,
                       const Order& order = {});
/// Done when a GLsync of OpenGL's is. Needs cl_khr_gl_event.
Event event_from_graphics(const Context& context, void* sync);

}  // namespace treadle::opencl
