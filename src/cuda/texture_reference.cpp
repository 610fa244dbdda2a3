// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/function_state.hpp"
#include "cuda/reference_set.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

/// The start of a variable that may be a reference. Throws InvalidArgument if it is none of `kind`.
ReferenceDeclaration read_declaration(const Module& module, const std::string& name,
                                      const Global& variable, ReferenceDeclaration::Kind kind) {
  const bool is_texture = kind == ReferenceDeclaration::texture;
  ReferenceDeclaration declared{};
  if (variable.size_bytes == sizeof declared) {
    const Activation active(module.context());
    check(active.table(), active.table().cuMemcpyDtoH(&declared, variable.address, sizeof declared),
          "cuMemcpyDtoH", [&] { return "reading the declaration of \"" + name + "\""; });
  }
  if (declared.mark != ReferenceDeclaration::expected_mark)
    throw InvalidArgument(
        "\"" + name + "\" is a variable of " + std::to_string(variable.size_bytes) +
            " bytes, and no " + (is_texture ? "texture" : "surface") + " reference",
        is_texture ? "declare it as texture<float, 2> " + name + "; outside of functions"
                   : "declare it as surface<void, 2> " + name + "; outside of functions");
  if (declared.kind != kind)
    throw InvalidArgument(
        "\"" + name + "\" is a " + (is_texture ? "surface" : "texture") + " reference, and no " +
            (is_texture ? "texture" : "surface"),
        is_texture ? "ask for the surface reference" : "ask for the texture reference");
  return declared;
}

/// The state of a variable's references, which keeps the module.
template <class State>
std::shared_ptr<State> reference(const Module& module, const std::shared_ptr<ModuleState>& state,
                                 const std::string& name) {
  ReferenceSet& set = references_of(*state);
  ReferenceState& found = set.find(name, [&] {
    const Global variable = module.global(name);
    const ReferenceDeclaration declared = read_declaration(module, name, variable, State::kind);
    auto made = std::make_unique<State>(set, module.context(), name, variable.address);
    made->declare(declared);
    return made;
  });
  auto* const of_kind = dynamic_cast<State*>(&found);
  if (of_kind == nullptr)
    read_declaration(module, name, module.global(name), State::kind);  // throws
  return {state, of_kind};
}

/// A reference to no variable, and the set it is alone in.
struct Unbound {
  ReferenceSet set;
  TextureReferenceState state{set};
};

void refuse_foreign(const ReferenceState& state, const Context& of_array) {
  if (state.context() && of_array != state.context())
    throw InvalidArgument("reference \"" + state.name() + "\": the array is of another context",
                          "make the array in the context that the module was loaded in");
}

/// Puts `source` in place of what was bound, which is dropped after the lock.
void bind(TextureReferenceState& state, TextureReferenceState::Source source) {
  state.set().change(state, [&] {
    if (source == state.source) return false;
    std::swap(source, state.source);
    return true;
  });
}

}  // namespace

TextureReference Module::texture_reference(std::string_view name) const {
  return TextureReference(reference<TextureReferenceState>(*this, state_, std::string(name)));
}
SurfaceReference Module::surface_reference(std::string_view name) const {
  return SurfaceReference(reference<SurfaceReferenceState>(*this, state_, std::string(name)));
}

TextureReference::TextureReference() {
  auto unbound = std::make_shared<Unbound>();
  state_ = {unbound, &unbound->state};
}

void TextureReference::set_array(const Array& array) {
  static_cast<void>(array.raw());  // throws if it was freed
  refuse_foreign(*state_, array.context());
  bind(*state_, array);
}

void TextureReference::set_mipmapped_array(const MipmappedArray& array) {
  static_cast<void>(array.raw());
  refuse_foreign(*state_, array.context());
  bind(*state_, array);
}

std::size_t TextureReference::set_address(DevicePointer address, std::size_t size_bytes,
                                          TextureOffset rule, std::shared_ptr<const void> owner) {
  const std::string call = "texture reference \"" + name() + "\"";
  refuse_negative(call.c_str(), "size_bytes", size_bytes);
  refuse_null(call.c_str(), "address", address, 1);
  const ArrayShape element = state_->set().read([&] { return state_->element; });
  if (size_bytes < element.element_bytes())
    throw InvalidArgument(call + ": size_bytes is " + std::to_string(size_bytes) +
                              ", and an element has " + std::to_string(element.element_bytes()),
                          "bind at least one element");
  const Context context = state_->context() ? state_->context() : Context::current();
  const int told = context.device().attribute(DeviceAttribute::texture_alignment);
  const std::size_t alignment = told > 0 ? static_cast<std::size_t>(told) : 1;
  const std::size_t offset = address % alignment;
  if (offset != 0 && rule == TextureOffset::refused)
    throw InvalidArgument(call + ": the address is " + std::to_string(offset) +
                              " bytes behind a multiple of " + std::to_string(alignment),
                          "allow the offset, and add it to the index in the kernel");
  // In bytes: the format may be set after the address.
  bind(*state_, TextureMemory{.address = address - offset,
                              .shape = {.width = size_bytes + offset},
                              .owner = std::move(owner)});
  return offset;
}

void TextureReference::set_address_2d(const TextureMemory& memory) {
  refuse_null("texture reference", "address", memory.address, 1);
  if (memory.shape.height == 0 || memory.shape.width == 0)
    throw InvalidArgument("texture reference \"" + name() + "\": rows of " +
                              std::to_string(memory.shape.width) + " elements, and " +
                              std::to_string(memory.shape.height) + " of them",
                          "set width and height; set_address() takes one row");
  static_cast<void>(memory.shape.element_bytes());  // throws
  bind(*state_, memory);
}

void TextureReference::set_format(ArrayFormat format, unsigned channels) {
  const ArrayShape element{.format = format, .channels = channels};
  static_cast<void>(element.element_bytes());  // throws
  state_->set().change(*state_, [&] { return std::exchange(state_->element, element) != element; });
}

void TextureReference::set_settings(const TextureSettings& settings) {
  state_->set().change(*state_,
                       [&] { return std::exchange(state_->settings, settings) != settings; });
}

Array TextureReference::array() const {
  return state_->set().read([&] {
    const auto* array = std::get_if<Array>(&state_->source);
    return array == nullptr ? Array() : *array;
  });
}

DevicePointer TextureReference::address() const {
  return state_->set().read([&] {
    const auto* memory = std::get_if<TextureMemory>(&state_->source);
    return memory == nullptr ? DevicePointer{0} : memory->address;
  });
}

ArrayShape TextureReference::format() const {
  const ArrayShape shape = state_->set().read([&] {
    if (const auto* array = std::get_if<Array>(&state_->source)) return array->shape();
    if (const auto* array = std::get_if<MipmappedArray>(&state_->source)) return array->shape();
    const auto* memory = std::get_if<TextureMemory>(&state_->source);
    return memory != nullptr && memory->shape.height != 0 ? memory->shape : state_->element;
  });
  return {.format = shape.format, .channels = shape.channels};
}
TextureSettings TextureReference::settings() const {
  return state_->set().read([&] { return state_->settings; });
}
const std::string& TextureReference::name() const noexcept { return state_->name(); }

bool TextureReference::is_of(const Function& function) const {
  return &function.state_->references() == &state_->set();
}

void SurfaceReference::set_array(const Array& array) {
  static_cast<void>(array.raw());
  refuse_foreign(*state_, array.context());
  static_cast<void>(Surface(array));  // throws what the launch would
  Array incoming = array;
  state_->set().change(*state_, [&] {
    if (incoming == state_->array) return false;
    std::swap(incoming, state_->array);
    return true;
  });
}

Array SurfaceReference::array() const {
  return state_->set().read([&] { return state_->array; });
}
const std::string& SurfaceReference::name() const noexcept { return state_->name(); }

}  // namespace treadle::cuda
