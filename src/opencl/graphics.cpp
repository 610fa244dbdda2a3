// SPDX-License-Identifier: MIT
#include "treadle/opencl/graphics.hpp"

#include <array>
#include <string>

#include "opencl/ordering.hpp"
#include "opencl/query.hpp"
#include "treadle/process/library.hpp"

namespace treadle::opencl {
namespace {

/// A window system's library, and what it says of the context that is current.
struct WindowSystem {
  const char* file;
  const char* current_context;
  const char* current_display;
  std::intptr_t display_property;
};

constexpr std::array<WindowSystem, 3> window_systems = {
    {{"libEGL.so.1", "eglGetCurrentContext", "eglGetCurrentDisplay", CL_EGL_DISPLAY_KHR},
     {"libGLX.so.0", "glXGetCurrentContext", "glXGetCurrentDisplay", CL_GLX_DISPLAY_KHR},
     {"libGL.so.1", "glXGetCurrentContext", "glXGetCurrentDisplay", CL_GLX_DISPLAY_KHR}}};

std::string graphics_name(unsigned name) { return "name " + std::to_string(name) + " of OpenGL"; }

/// PoCL has the entry points, which end the process: the extension's name is what counts.
void require_sharing(const Device& device, const char* call) {
  constexpr const char* extension = "cl_khr_gl_sharing";
  if (!device.has_extension(extension) && !device.platform().has_extension(extension))
    raise(device.table(), absent_entry_point, call);
}
void require_sharing(const Context& context, const char* call) {
  require_sharing(context.devices().front(), call);
}

template <class Object, class Create>
Object share(const Context& context, const char* call, unsigned name, Create&& create) {
  require_sharing(context, call);
  cl_int code = CL_SUCCESS;
  const RawMemory raw = create(&code);
  check(context.table(), code, call, [&] { return graphics_name(name); });
  return Object(context.shared_table(), raw, Ownership::adopt);
}

/// clEnqueueAcquireGLObjects and clEnqueueReleaseGLObjects.
template <class Slot>
Event hand_over(const Queue& queue, const char* call, Slot slot,
                std::span<const MemoryObject> memory, const Order& order) {
  require_sharing(queue.device(), call);
  std::vector<RawMemory> raws;
  for (const MemoryObject& object : memory) raws.push_back(object.raw());
  Ordering o(order);
  check(queue.table(),
        slot(queue.raw(), static_cast<cl_uint>(raws.size()), raws.empty() ? nullptr : raws.data(),
             o.count(), o.list(), o.event()),
        call, [&] { return std::to_string(raws.size()) + " memory object(s) of OpenGL's"; });
  return o.take(queue);
}

}  // namespace

std::vector<std::intptr_t> graphics_properties() {
  using Question = void* (*)();
  std::vector<std::string> missing;
  for (const WindowSystem& system : window_systems) {
    try {
      const std::vector<std::string> names{system.file};
      SharedLibrary library(system.file, names, "");
      library.keep_loaded();  // the program's contexts live in it
      const auto context = reinterpret_cast<Question>(library.symbol(system.current_context));
      const auto display = reinterpret_cast<Question>(library.symbol(system.current_display));
      if (context == nullptr || display == nullptr || context() == nullptr) continue;
      return {CL_GL_CONTEXT_KHR, reinterpret_cast<std::intptr_t>(context()),
              system.display_property, reinterpret_cast<std::intptr_t>(display())};
    } catch (const LibraryNotFound& error) {
      missing.insert(missing.end(), error.tried().begin(), error.tried().end());
    }
  }
  if (missing.size() == window_systems.size())
    throw LibraryNotFound(
        "OpenGL", missing,
        "install EGL or GLX: the packages libegl1 or libgl1 of Debian and Ubuntu");
  throw InvalidState("no OpenGL context is current on this thread",
                     "make one current first, as glfwMakeContextCurrent and eglMakeCurrent do");
}

std::vector<Device> graphics_devices(const Platform& platform,
                                     std::span<const std::intptr_t> properties) {
  std::vector<cl_context_properties> list(properties.begin(), properties.end());
  list.insert(list.end(),
              {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform.raw()), 0});
  const Table& cl = platform.table();
  const std::vector<Device> all = platform.devices();
  if (all.empty()) return {};
  require_sharing(all.front(), "clGetGLContextInfoKHR");
  const Bytes bytes =
      ask_bytes(cl, "clGetGLContextInfoKHR", "the devices of an OpenGL context",
                [&](std::size_t size, void* data, std::size_t* size_out) {
                  return cl.clGetGLContextInfoKHR(list.data(), CL_DEVICES_FOR_GL_CONTEXT_KHR, size,
                                                  data, size_out);
                });
  std::vector<Device> devices;
  const InfoValue listed = decode(InfoKind::devices, bytes);
  for (const RawDevice raw : std::get<std::vector<RawDevice>>(listed))
    devices.emplace_back(platform.shared_table(), raw, Ownership::retain);
  return devices;
}

Buffer buffer_from_graphics(const Context& context, unsigned name, MemFlags flags) {
  return share<Buffer>(context, "clCreateFromGLBuffer", name, [&](cl_int* code) {
    return context.table().clCreateFromGLBuffer(context.raw(), static_cast<cl_mem_flags>(flags),
                                                name, code);
  });
}

Image texture_from_graphics(const Context& context, unsigned target, int mip_level, unsigned name,
                            MemFlags flags) {
  return share<Image>(context, "clCreateFromGLTexture", name, [&](cl_int* code) {
    return context.table().clCreateFromGLTexture(context.raw(), static_cast<cl_mem_flags>(flags),
                                                 target, mip_level, name, code);
  });
}

Image renderbuffer_from_graphics(const Context& context, unsigned name, MemFlags flags) {
  return share<Image>(context, "clCreateFromGLRenderbuffer", name, [&](cl_int* code) {
    return context.table().clCreateFromGLRenderbuffer(context.raw(),
                                                      static_cast<cl_mem_flags>(flags), name, code);
  });
}

GraphicsObject graphics_object(const MemoryObject& memory) {
  require_sharing(memory.context(), "clGetGLObjectInfo");
  cl_gl_object_type type = 0;
  cl_GLuint name = 0;
  check(memory.table(), memory.table().clGetGLObjectInfo(memory.raw(), &type, &name),
        "clGetGLObjectInfo");
  return {static_cast<GlObjectType>(type), name};
}

std::uint64_t graphics_texture_info(const Image& texture, GlTextureInfo parameter) {
  require_sharing(texture.context(), "clGetGLTextureInfo");
  return ask_value<cl_uint>(texture.table(), "clGetGLTextureInfo",
                            texture.table().clGetGLTextureInfo, texture.raw(),
                            static_cast<cl_uint>(parameter));
}

Event acquire_graphics(const Queue& queue, std::span<const MemoryObject> memory,
                       const Order& order) {
  return hand_over(queue, "clEnqueueAcquireGLObjects", queue.table().clEnqueueAcquireGLObjects,
                   memory, order);
}

Event release_graphics(const Queue& queue, std::span<const MemoryObject> memory,
                       const Order& order) {
  return hand_over(queue, "clEnqueueReleaseGLObjects", queue.table().clEnqueueReleaseGLObjects,
                   memory, order);
}

Event event_from_graphics(const Context& context, void* sync) {
  require_sharing(context, "clCreateEventFromGLsyncKHR");
  cl_int code = CL_SUCCESS;
  const RawEvent raw = context.table().clCreateEventFromGLsyncKHR(
      context.raw(), static_cast<cl_GLsync>(sync), &code);
  check(context.table(), code, "clCreateEventFromGLsyncKHR");
  return {context.shared_table(), raw, Ownership::adopt};
}

}  // namespace treadle::opencl
