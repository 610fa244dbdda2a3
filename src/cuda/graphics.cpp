// SPDX-License-Identifier: MIT
#include "treadle/cuda/graphics.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "cuda/cleanup.hpp"
#include "cuda/gl_context.hpp"

namespace treadle::cuda {
namespace {

void unregister_resource(const Context& context, RawGraphicsResource raw) noexcept {
  clean_up(context, "a graphics resource", "cuGraphicsUnregisterResource",
           &Table::cuGraphicsUnregisterResource, raw);
}

}  // namespace

template <>
inline constexpr const char* handle_kind<unregister_resource> = "cuda graphics resource";

class GraphicsResourceState {
 public:
  Handle<RawGraphicsResource, unregister_resource> handle;
  std::atomic<int> mappings = 0;  ///< that were not unmapped
};

class GraphicsMappingState {
 public:
  GraphicsMappingState(std::shared_ptr<GraphicsResourceState> of, StreamRef in) noexcept
      : resource(std::move(of)), stream(in) {
    ++resource->mappings;
  }
  GraphicsMappingState(const GraphicsMappingState&) = delete;
  GraphicsMappingState& operator=(const GraphicsMappingState&) = delete;
  ~GraphicsMappingState() {
    if (is_unmapped.exchange(true)) return;
    RawGraphicsResource raw = resource->handle.raw();
    clean_up(resource->handle.context(), "a mapped graphics resource", "cuGraphicsUnmapResources",
             &Table::cuGraphicsUnmapResources, 1u, &raw, stream.raw());
    --resource->mappings;
  }

  std::shared_ptr<GraphicsResourceState> resource;
  StreamRef stream;
  std::atomic<bool> is_unmapped = false;
};

namespace {

/// Names of OpenGL's own header, of the images that the driver registers.
constexpr unsigned gl_targets[] = {
    0x0DE1,  // GL_TEXTURE_2D
    0x84F5,  // GL_TEXTURE_RECTANGLE
    0x8513,  // GL_TEXTURE_CUBE_MAP
    0x806F,  // GL_TEXTURE_3D
    0x8C1A,  // GL_TEXTURE_2D_ARRAY
    0x8D41,  // GL_RENDERBUFFER
};

/// Refuses what could end the process inside the driver.
void check_gl(const Context& context, const char* what, unsigned name) {
  if (context.driver().provider() == Provider::cpu)
    throw NotSupported("the CPU device shares no memory with OpenGL",
                       "copy through host memory, or run on an NVIDIA GPU");
  if (name == 0)
    throw InvalidArgument(
        std::string(what) + " is 0, and the name of an OpenGL object was expected",
        "make one with glGenBuffers or glGenTextures");
  // A table that was filled in by hand has no library.
  if (!context.driver().library().empty()) require_gl_context();
}

const GraphicsResourceState& mapped(const GraphicsMappingState& state) {
  if (state.is_unmapped)
    throw InvalidState("the graphics resource was unmapped", "map it again, after OpenGL is done");
  return *state.resource;
}

}  // namespace

GraphicsResource GraphicsResource::registered(const Context& context, RawGraphicsResource raw) {
  auto state = std::make_shared<GraphicsResourceState>();
  state->handle = {context, raw};
  return GraphicsResource(std::move(state));
}

GraphicsResource GraphicsResource::gl_buffer(unsigned buffer, GraphicsFlags flags) {
  const Context context = Context::current();
  check_gl(context, "buffer", buffer);
  const Activation active(context);
  RawGraphicsResource raw = nullptr;
  check(active.table(),
        active.table().cuGraphicsGLRegisterBuffer(&raw, buffer, static_cast<unsigned>(flags)),
        "cuGraphicsGLRegisterBuffer",
        [&] { return "OpenGL's buffer " + std::to_string(buffer) + ", in its current context"; });
  return registered(context, raw);
}

GraphicsResource GraphicsResource::gl_image(unsigned image, unsigned target, GraphicsFlags flags) {
  const Context context = Context::current();
  check_gl(context, "image", image);
  if (std::ranges::find(gl_targets, target) == std::end(gl_targets))
    throw InvalidArgument(
        "target is " + std::to_string(target) + ", and no kernel reads images of it",
        "take GL_TEXTURE_2D (3553), _RECTANGLE, _CUBE_MAP, _3D, _2D_ARRAY or GL_RENDERBUFFER");
  const Activation active(context);
  RawGraphicsResource raw = nullptr;
  check(active.table(),
        active.table().cuGraphicsGLRegisterImage(&raw, image, target, static_cast<unsigned>(flags)),
        "cuGraphicsGLRegisterImage",
        [&] { return "OpenGL's image " + std::to_string(image) + ", in its current context"; });
  return registered(context, raw);
}

GraphicsMapping GraphicsResource::map(StreamRef stream) const {
  RawGraphicsResource resource = raw();
  const Activation active(context());
  check(active.table(), active.table().cuGraphicsMapResources(1, &resource, stream.raw()),
        "cuGraphicsMapResources");
  return GraphicsMapping(std::make_shared<GraphicsMappingState>(state_, stream));
}

void GraphicsResource::unregister() {
  const RawGraphicsResource resource = raw();
  if (state_->mappings != 0)
    throw InvalidState("the graphics resource is mapped",
                       "unmap it, and let go of the arrays of its mapping");
  const Activation active(context());
  state_->handle.release();
  check(active.table(), active.table().cuGraphicsUnregisterResource(resource),
        "cuGraphicsUnregisterResource");
}

bool GraphicsResource::is_unregistered() const noexcept { return !state_->handle; }
const Context& GraphicsResource::context() const noexcept { return state_->handle.context(); }

RawGraphicsResource GraphicsResource::raw() const {
  if (is_unregistered())
    throw InvalidState("the graphics resource was unregistered", "register it again");
  return state_->handle.raw();
}

MappedMemory GraphicsMapping::memory() const {
  const GraphicsResourceState& resource = mapped(*state_);
  const Activation active(resource.handle.context());
  MappedMemory memory;
  check(active.table(),
        active.table().cuGraphicsResourceGetMappedPointer(&memory.address, &memory.size_bytes,
                                                          resource.handle.raw()),
        "cuGraphicsResourceGetMappedPointer", [] { return "images are mapped as arrays"; });
  return memory;
}

Array GraphicsMapping::array(unsigned index, unsigned level) const {
  const GraphicsResourceState& resource = mapped(*state_);
  const Activation active(resource.handle.context());
  RawArray raw = nullptr;
  check(
      active.table(),
      active.table().cuGraphicsSubResourceGetMappedArray(&raw, resource.handle.raw(), index, level),
      "cuGraphicsSubResourceGetMappedArray", [&] {
        return "index " + std::to_string(index) + ", level " + std::to_string(level) +
               "; buffers are mapped as memory";
      });
  return Array::borrow(resource.handle.context(), raw, state_);
}

MipmappedArray GraphicsMapping::mipmapped_array(unsigned levels) const {
  const GraphicsResourceState& resource = mapped(*state_);
  const Activation active(resource.handle.context());
  RawMipmappedArray raw = nullptr;
  check(active.table(),
        active.table().cuGraphicsResourceGetMappedMipmappedArray(&raw, resource.handle.raw()),
        "cuGraphicsResourceGetMappedMipmappedArray", [] { return "buffers are mapped as memory"; });
  return MipmappedArray::borrow(resource.handle.context(), raw, levels, state_);
}

void GraphicsMapping::unmap() { unmap(state_->stream); }

void GraphicsMapping::unmap(StreamRef stream) {
  RawGraphicsResource raw = mapped(*state_).handle.raw();
  const Activation active(state_->resource->handle.context());
  check(active.table(), active.table().cuGraphicsUnmapResources(1, &raw, stream.raw()),
        "cuGraphicsUnmapResources");
  state_->is_unmapped = true;
  --state_->resource->mappings;
}

bool GraphicsMapping::is_unmapped() const noexcept { return state_->is_unmapped; }

bool has_gl(const Driver& driver) {
  return driver.provider() == Provider::nvidia &&
         is_present(driver.table().cuGraphicsGLRegisterBuffer) && has_gl_library();
}

}  // namespace treadle::cuda
