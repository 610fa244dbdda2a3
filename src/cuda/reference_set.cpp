// SPDX-License-Identifier: MIT
#include "cuda/reference_set.hpp"

#include <algorithm>

#include "cuda/cleanup.hpp"
#include "treadle/cuda/capture.hpp"

namespace treadle::cuda {
namespace {

/// Streams whose last launches are remembered one by one, before those that are done are forgotten.
constexpr std::size_t most_readers = 16;

bool is_integer_format(std::uint32_t format) {
  return format != static_cast<std::uint32_t>(ArrayFormat::half) &&
         format != static_cast<std::uint32_t>(ArrayFormat::float32);
}

/// The part of what a program set that goes with elements of this format and the kernels.
TextureSettings fitting(const TextureReferenceState& reference, ArrayFormat format) {
  TextureSettings settings = reference.settings;
  if (!reference.is_declared) return settings;
  const bool is_narrow_integer =
      is_integer_format(static_cast<std::uint32_t>(format)) && format_bytes(format) < 4;
  settings.normalized_values = !reference.reads_integers && is_narrow_integer;
  return settings;
}

template <class Object>
BoundObject keep(Object object) {
  auto kept = std::make_shared<const Object>(std::move(object));
  const auto raw = kept->raw();
  return {raw, std::move(kept)};
}

struct MakeTexture {
  const TextureReferenceState& reference;

  BoundObject operator()(std::monostate) const { return {}; }
  BoundObject operator()(const Array& array) const {
    return keep(Texture(array, fitting(reference, array.shape().format)));
  }
  BoundObject operator()(const MipmappedArray& array) const {
    return keep(Texture(array, fitting(reference, array.shape().format)));
  }
  BoundObject operator()(TextureMemory memory) const {
    if (memory.shape.height == 0) {  // bytes, of whatever format was set since
      const std::size_t bytes = memory.shape.width;
      memory.shape = reference.element;
      memory.shape.width = bytes / memory.shape.element_bytes();
    }
    return keep(Texture(reference.context(), memory, fitting(reference, memory.shape.format)));
  }
};

}  // namespace

void TextureReferenceState::declare(const ReferenceDeclaration& declaration) {
  settings.normalized_coordinates = declaration.normalized_coordinates != 0;
  settings.filter = static_cast<FilterMode>(declaration.filter);
  settings.address_modes.fill(static_cast<AddressMode>(declaration.address_mode));
  element.format = static_cast<ArrayFormat>(declaration.format);
  element.channels = declaration.channels;
  reads_integers = declaration.normalized_values == 0 && is_integer_format(declaration.format);
  settings.normalized_values = !reads_integers;
  is_declared = true;
}

BoundObject TextureReferenceState::make() const {
  try {
    return std::visit(MakeTexture{*this}, source);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("texture reference \"" + name() + "\": " + error.message(), error.hint());
  }
}

void TextureReferenceState::refuse_freed() const {
  const auto* array = std::get_if<Array>(&source);
  const auto* levels = std::get_if<MipmappedArray>(&source);
  if ((array != nullptr && array->is_freed()) || (levels != nullptr && levels->is_freed()))
    throw InvalidState("the array that texture reference \"" + name() + "\" is bound to was freed",
                       "bind another before the launch");
}

BoundObject SurfaceReferenceState::make() const {
  return array ? keep(Surface(array)) : BoundObject{};
}

void SurfaceReferenceState::refuse_freed() const {
  if (array && array.is_freed())
    throw InvalidState("the array that surface reference \"" + name() + "\" is bound to was freed",
                       "bind another before the launch");
}

ReferenceSet::~ReferenceSet() {
  if (default_reader_)
    clean_up(default_reader_, "references of a module", "cuStreamSynchronize",
             &Table::cuStreamSynchronize, static_cast<CUstream>(nullptr));
  for (const auto& [stream, event] : readers_)
    clean_up(event.context(), "references of a module", "cuEventSynchronize",
             &Table::cuEventSynchronize, event.raw());
}

ReferenceState& ReferenceSet::find(const std::string& name,
                                   const std::function<std::unique_ptr<ReferenceState>()>& make) {
  const std::lock_guard lock(mutex_);
  for (const auto& reference : references_)
    if (reference->name() == name) return *reference;
  references_.push_back(make());
  return *references_.back();
}

void ReferenceSet::drop(std::vector<BoundObject>& unused) {
  // Destroying an object must not end the capture of another stream.
  const CaptureModeScope relaxed(CaptureMode::relaxed);
  unused.clear();
}

void ReferenceSet::write_changes(const Context& context, RawStream stream,
                                 std::vector<BoundObject>& unused) {
  std::vector<ReferenceState*> changed;
  for (const auto& reference : references_) {
    reference->refuse_freed();
    if (reference->is_changed_ && reference->variable_ != 0) changed.push_back(reference.get());
  }
  if (!written_ && changed.empty()) return;
  // What follows must not end the capture of another stream.
  const CaptureModeScope relaxed(CaptureMode::relaxed);
  follow_write(StreamRef(stream), unused);
  if (changed.empty()) return;
  std::vector<std::pair<ReferenceState*, BoundObject>> made;
  for (ReferenceState* reference : changed) made.emplace_back(reference, reference->make());

  wait_for_readers(StreamRef(stream));
  const Table& cu = context.state()->table();
  for (auto& [reference, object] : made) {
    std::swap(reference->object_, object);
    replaced_.push_back(std::move(object));
    check(cu,
          cu.cuMemcpyHtoDAsync(reference->variable_, &reference->object_.raw,
                               sizeof reference->object_.raw, stream),
          "cuMemcpyHtoDAsync", [&] { return "binding reference \"" + reference->name() + "\""; });
    reference->is_changed_ = false;
  }
  if (!written_) written_ = std::make_unique<Event>(context, EventFlags::disable_timing);
  written_->record(StreamRef(stream));
  readers_.clear();
  default_reader_ = {};
}

void ReferenceSet::follow_write(StreamRef stream, std::vector<BoundObject>& unused) {
  if (!written_) return;
  if (written_->is_done()) {
    written_.reset();
    unused = std::exchange(replaced_, {});
  } else {
    const Table& cu = written_->context().state()->table();
    check(cu, cu.cuStreamWaitEvent(stream.raw(), written_->raw(), 0), "cuStreamWaitEvent");
  }
}

void ReferenceSet::wait_for_readers(StreamRef stream) {
  if (default_reader_ && !stream.is_default()) {
    Event end(default_reader_, EventFlags::disable_timing);
    end.record();
    readers_.emplace_back(nullptr, std::move(end));
  }
  for (const auto& [reader, event] : readers_) {
    const Table& cu = event.context().state()->table();
    check(cu, cu.cuStreamWaitEvent(stream.raw(), event.raw(), 0), "cuStreamWaitEvent");
  }
}

void ReferenceSet::note_reader(const Context& context, RawStream stream) {
  if (stream == nullptr) {
    default_reader_ = context;
    return;
  }
  const auto known = std::ranges::find(readers_, stream, [](const auto& r) { return r.first; });
  if (known != readers_.end()) return known->second.record(StreamRef(stream));
  if (readers_.size() >= most_readers)
    std::erase_if(readers_, [](const auto& reader) { return reader.second.is_done(); });
  readers_.emplace_back(stream, Event(context, EventFlags::disable_timing));
  readers_.back().second.record(StreamRef(stream));
}

}  // namespace treadle::cuda
