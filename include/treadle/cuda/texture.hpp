// SPDX-License-Identifier: MIT
// How kernels read arrays with filtering and with coordinates outside them (textures), and how they
// write them (surfaces). Objects are arguments of launches; references are variables of a module,
// as programs declared them before CUDA 12: `texture<float, 2> image;`.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <variant>

#include "treadle/cuda/array.hpp"
#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// CUaddress_mode: what a coordinate outside the array reads. Without normalized coordinates, wrap
/// and mirror are clamp.
enum class AddressMode : int { wrap = 0, clamp = 1, mirror = 2, border = 3 };
/// CUfilter_mode: the nearest element, or one interpolated with weights of 8 bits after the point.
enum class FilterMode : int { point = 0, linear = 1 };

/// How a texture is read; CUDA_TEXTURE_DESC.
struct TextureSettings {
  /// For x, y and z.
  std::array<AddressMode, 3> address_modes = {AddressMode::clamp, AddressMode::clamp,
                                              AddressMode::clamp};
  FilterMode filter = FilterMode::point;  ///< linear: elements must be read as floats
  bool normalized_coordinates = false;    ///< 0 to 1 instead of 0 to width, height, depth
  /// Integers of 8 and 16 bits are read as floats of 0 to 1, or -1 to 1; else as they are.
  bool normalized_values = false;
  bool srgb = false;  ///< 8-bit channels are decoded from sRGB as they are read
  /// A linear filter reads across the edges of a cubemap's faces, where it else repeats the edge.
  bool seamless_cubemap = false;
  /// Whether the device may take a cheaper filter between levels where it sees no difference.
  bool trilinear_optimization = true;
  unsigned max_anisotropy = 0;                   ///< 0 to 16
  FilterMode mipmap_filter = FilterMode::point;  ///< between levels of a MipmappedArray
  float mipmap_bias = 0, min_mipmap_level = 0, max_mipmap_level = 99;  ///< levels, 0 the largest
  std::array<float, 4> border = {};  ///< what AddressMode::border reads, by channel

  bool operator==(const TextureSettings&) const = default;
};

/// Blocks of 4 x 4 elements that were compressed: CU_RES_VIEW_FORMAT_*_BC*.
enum class BlockFormat : int {
  none = 0,
  bc1 = 0x19,
  bc2,
  bc3,
  bc4,
  bc4_signed,
  bc5,
  bc5_signed,
  bc6h,
  bc6h_signed,
  bc7,
};

/// Another look at an array; CUDA_RESOURCE_VIEW_DESC. At first all of it, as it is.
struct TextureView {
  static constexpr unsigned all = ~0u;  ///< to the last one

  ArrayFormat format = ArrayFormat::float32;  ///< of each number, if `channels` is not 0
  unsigned channels = 0;                      ///< 0: the array's format and channels
  /// The array holds 8 (bc1 and bc4) or 16 bytes of a block in 2 or 4 channels of uint32, and the
  /// texture is 4 times as wide and high. The CPU device has none.
  BlockFormat blocks = BlockFormat::none;
  unsigned first_level = 0, last_level = all;  ///< of a MipmappedArray
  unsigned first_layer = 0, last_layer = all;  ///< of a layered one

  bool operator==(const TextureView&) const = default;
};

/// Device memory that a texture reads: a row of elements, or pitched rows.
struct TextureMemory {
  DevicePointer address = 0;  ///< aligned as DeviceAttribute::texture_alignment says
  /// Width, format and channels; height for pitched rows, which alone are filtered.
  ArrayShape shape = {};
  std::size_t pitch_bytes = 0;                  ///< of rows; a multiple of texture_pitch_alignment
  std::shared_ptr<const void> owner = nullptr;  ///< keeps the memory, if anything does

  bool operator==(const TextureMemory&) const = default;
};

// What Handles of them end with: each in its own context, and a failure is a warning.
void destroy_texture(const Context& context, RawTexture raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_texture> = "cuda texture";
void destroy_surface(const Context& context, RawSurface raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_surface> = "cuda surface";

/// A texture object: kernels take it as a cudaTextureObject_t. It keeps its array, or the owner of
/// its memory; it must live until the kernels that read it are done.
class Texture {
 public:
  /// Made in the array's context. Throws InvalidArgument for settings that do not go with the
  /// format and for a view of what the array does not have, InvalidState for an array that was
  /// freed.
  explicit Texture(const Array& array, const TextureSettings& settings = {},
                   const TextureView& view = {});
  explicit Texture(const MipmappedArray& array, const TextureSettings& settings = {},
                   const TextureView& view = {});
  /// Made in the current context. Throws InvalidArgument, naming what was expected, for memory that
  /// is not aligned, has no elements, or rows that are longer than the pitch.
  explicit Texture(const TextureMemory& memory, const TextureSettings& settings = {});
  Texture(const Context& context, const TextureMemory& memory,
          const TextureSettings& settings = {});
  /// One that someone else made in `context` and destroys, with what it reads. Throws
  /// InvalidArgument for 0, DeviceError for a number that is no texture.
  static Texture wrap(const Context& context, RawTexture raw);

  /// As it was made.
  const TextureSettings& settings() const noexcept { return settings_; }
  const TextureView& view() const noexcept { return view_; }
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }
  /// CUtexObject. Throws InvalidState where it was moved from, or its array was freed.
  RawTexture raw() const;
  /// Whether its array ends with this.
  bool is_last() const noexcept;

 private:
  friend struct LaunchArgument<Texture>;
  using Source = std::variant<Array, MipmappedArray, TextureMemory>;
  Texture(const Context& context, Source source, const TextureSettings& settings,
          const TextureView& view);
  Texture(Source source, const TextureSettings& settings, const TextureView& view,
          Handle<RawTexture, destroy_texture> handle)
      : source_(std::move(source)), settings_(settings), view_(view), handle_(std::move(handle)) {}

  Source source_;
  TextureSettings settings_;
  TextureView view_;
  Handle<RawTexture, destroy_texture> handle_;
};
/// Throws what Texture::raw() throws.
template <>
struct LaunchArgument<Texture> {
  static const void* data(const Texture& texture);
  static constexpr std::size_t size = sizeof(RawTexture), alignment = alignof(RawTexture);
};

/// A surface object: kernels read and write the elements of its array through a
/// cudaSurfaceObject_t. It keeps the array, and must live until the kernels that use it are done.
class Surface {
 public:
  /// Throws InvalidArgument for an array without ArrayFlags::surface_load_store, InvalidState for
  /// one that was freed.
  explicit Surface(const Array& array);
  /// One that someone else made in `context` and destroys. Throws as Texture::wrap().
  static Surface wrap(const Context& context, RawSurface raw);

  /// What it writes.
  const Array& array() const noexcept { return array_; }
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }
  /// CUsurfObject. Throws InvalidState where it was moved from, or its array was freed.
  RawSurface raw() const;
  /// Whether its array ends with this.
  bool is_last() const noexcept { return array_.is_last(); }

 private:
  friend struct LaunchArgument<Surface>;
  Surface(Array array, Handle<RawSurface, destroy_surface> handle)
      : array_(std::move(array)), handle_(std::move(handle)) {}
  Array array_;
  Handle<RawSurface, destroy_surface> handle_;
};
template <>
struct LaunchArgument<Surface> {
  static const void* data(const Surface& surface);
  static constexpr std::size_t size = sizeof(RawSurface), alignment = alignof(RawSurface);
};

class Function;
class Module;
class SurfaceReferenceState;
class TextureReferenceState;

/// Whether a texture may begin before the address that it was asked for.
enum class TextureOffset { refused, allowed };

/// A texture that is a variable of a module. What is bound and set counts for the next launch of
/// any kernel of the module: that makes the texture object, and writes it into the variable in the
/// order of its stream, after earlier launches on whatever stream have read the old one. A cheap
/// value: all references to one variable share what is set, the module keeps it, and they keep the
/// module.
class TextureReference {
 public:
  /// A reference to no variable: it holds settings, and no kernel reads it.
  TextureReference();

  /// Reads this array, in its format. Throws InvalidState for one that was freed, InvalidArgument
  /// for another context's.
  void set_array(const Array& array);
  void set_mipmapped_array(const MipmappedArray& array);
  /// Reads elements in device memory, which `owner` keeps. Textures begin at multiples of
  /// texture_alignment: returns how many bytes before `address` this one begins. Throws
  /// InvalidArgument for null, for less than one element, and for such bytes where they are
  /// refused.
  std::size_t set_address(DevicePointer address, std::size_t size_bytes,
                          TextureOffset offset = TextureOffset::refused,
                          std::shared_ptr<const void> owner = nullptr);
  /// Reads rows in device memory. Throws as Texture does.
  void set_address_2d(const TextureMemory& memory);
  /// Of elements at addresses; an array's and set_address_2d's are their own. At first what the
  /// variable was declared with. Throws InvalidArgument for one that no array has.
  void set_format(ArrayFormat format, unsigned channels);
  /// At first what the variable was declared with. Whether kernels read integers as floats was
  /// decided when they were compiled: of references to a variable, `normalized_values` is ignored.
  void set_settings(const TextureSettings& settings);

  /// What set_array() bound; none if something else, or nothing, is.
  Array array() const;
  /// What set_address() or set_address_2d() bound; 0 if something else, or nothing, is.
  DevicePointer address() const;
  /// Format and channels of the elements that are bound, or that set_address() would bind.
  ArrayShape format() const;
  /// As they were set, or declared.
  TextureSettings settings() const;

  /// The variable's; empty for a reference to none.
  const std::string& name() const noexcept;
  /// Whether it is a variable of the kernel's module.
  bool is_of(const Function& function) const;
  /// Whether both refer to one variable.
  bool operator==(const TextureReference&) const = default;

 private:
  friend class Module;
  explicit TextureReference(std::shared_ptr<TextureReferenceState> state) noexcept
      : state_(std::move(state)) {}
  std::shared_ptr<TextureReferenceState> state_;
};

/// A surface that is a variable of a module, `surface<void, 2> image;`: as TextureReference.
class SurfaceReference {
 public:
  /// Kernels read and write this array. Throws as Surface, and for another context's.
  void set_array(const Array& array);
  /// What is bound; none if nothing is.
  Array array() const;
  /// The variable's.
  const std::string& name() const noexcept;
  /// Whether both refer to one variable.
  bool operator==(const SurfaceReference&) const = default;

 private:
  friend class Module;
  explicit SurfaceReference(std::shared_ptr<SurfaceReferenceState> state) noexcept
      : state_(std::move(state)) {}
  std::shared_ptr<SurfaceReferenceState> state_;
};

/// The most elements of `channels` numbers that a Texture over TextureMemory of one dimension reads
/// on the device. Throws InvalidArgument for a format or number that textures do not have;
/// NotSupported before CUDA 11.1.
std::size_t max_linear_texture_width(const Device& device, ArrayFormat format,
                                     unsigned channels = 1);

}  // namespace treadle::cuda
