// SPDX-License-Identifier: MIT
// Arrays, and textures and surfaces as kernel arguments, for both interfaces.
#include "treadle/cuda/texture.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "calls/argument.hpp"
#include "instance.hpp"
#include "interrupt.hpp"
#include "kept.hpp"
#include "memory/cuda_array.hpp"
#include "memory/host_buffer.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

std::size_t side(std::ptrdiff_t size) { return static_cast<std::size_t>(size); }

/// An Array, of this interface or of pycuda.driver.
const Array& any_array(nb::handle object, const char* what) {
  if (nb::isinstance<Array>(object)) return instance_of<Array>(object);
  return face::array_argument(object, what);
}

void bind_texture_enumerations(nb::module_& m) {
  nb::enum_<ArrayFormat>(m, "ArrayFormat", "CUarray_format: the type of one channel.")
      .value("uint8", ArrayFormat::uint8)
      .value("uint16", ArrayFormat::uint16)
      .value("uint32", ArrayFormat::uint32)
      .value("int8", ArrayFormat::int8)
      .value("int16", ArrayFormat::int16)
      .value("int32", ArrayFormat::int32)
      .value("half", ArrayFormat::half)
      .value("float32", ArrayFormat::float32);
  nb::enum_<ArrayFlags>(m, "ArrayFlags", "CUDA_ARRAY3D_*; combine with |.", nb::is_arithmetic(),
                        nb::is_flag())
      .value("none", ArrayFlags::none)
      .value("layered", ArrayFlags::layered)
      .value("surface_load_store", ArrayFlags::surface_load_store)
      .value("cubemap", ArrayFlags::cubemap)
      .value("texture_gather", ArrayFlags::texture_gather)
      .value("sparse", ArrayFlags::sparse)
      .value("deferred_mapping", ArrayFlags::deferred_mapping);
  nb::enum_<AddressMode>(m, "AddressMode", "What a coordinate outside the array reads.")
      .value("wrap", AddressMode::wrap)
      .value("clamp", AddressMode::clamp)
      .value("mirror", AddressMode::mirror)
      .value("border", AddressMode::border);
  nb::enum_<FilterMode>(m, "FilterMode", "The nearest element, or an interpolated one.")
      .value("point", FilterMode::point)
      .value("linear", FilterMode::linear);
  nb::enum_<BlockFormat>(m, "BlockFormat", "Compressed blocks of 4 x 4 elements.")
      .value("none", BlockFormat::none)
      .value("bc1", BlockFormat::bc1)
      .value("bc2", BlockFormat::bc2)
      .value("bc3", BlockFormat::bc3)
      .value("bc4", BlockFormat::bc4)
      .value("bc4_signed", BlockFormat::bc4_signed)
      .value("bc5", BlockFormat::bc5)
      .value("bc5_signed", BlockFormat::bc5_signed)
      .value("bc6h", BlockFormat::bc6h)
      .value("bc6h_signed", BlockFormat::bc6h_signed)
      .value("bc7", BlockFormat::bc7);
}

/// Attributes of both kinds of arrays.
template <class T>
void bind_shape(nb::class_<T>& type) {
  type.def(
          "free",
          [](const T& self) {
            T array = self;
            const nb::gil_scoped_release released;
            array.free();
          },
          "Frees now; no kernel may use it. Raises InvalidState the second time.")
      .def_prop_ro("is_freed", &T::is_freed)
      .def_prop_ro("width", [](const T& self) { return self.shape().width; })
      .def_prop_ro("height", [](const T& self) { return self.shape().height; })
      .def_prop_ro("depth", [](const T& self) { return self.shape().depth; })
      .def_prop_ro("format", [](const T& self) { return self.shape().format; })
      .def_prop_ro("channels", [](const T& self) { return self.shape().channels; })
      .def_prop_ro("flags", [](const T& self) { return self.shape().flags; })
      .def_prop_ro("raw",
                   [](const T& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); });
}

void bind_array_class(nb::module_& m) {
  nb::class_<Array> type(m, "Array", nb::is_weak_referenceable(),
                         "Memory for textures and surfaces, in the current context.");
  let_go_without_gil<Array>();
  type.def(
          "__init__",
          [](Array* self, std::ptrdiff_t width, std::ptrdiff_t height, std::ptrdiff_t depth,
             ArrayFormat format, unsigned channels, ArrayFlags flags) {
            new (self)
                Array(ArrayShape{side(width), side(height), side(depth), format, channels, flags});
          },
          nb::arg("width"), nb::arg("height") = 0, nb::arg("depth") = 0, nb::kw_only(),
          nb::arg("format") = ArrayFormat::float32, nb::arg("channels") = 1,
          nb::arg("flags") = ArrayFlags::none,
          "Elements, rows and slices; a height or depth of 0 is a dimension that is not there.")
      .def(
          "copy_from",
          [](const Array& self, nb::handle host) {
            const HostBuffer bytes(host, HostBuffer::read);
            without_gil(self.context(), [&] { self.copy_from(bytes.bytes()); });
          },
          nb::arg("host"), "Copies a buffer of the array's size in; blocks.")
      .def(
          "copy_to",
          [](const Array& self, nb::handle host) {
            const HostBuffer bytes(host, HostBuffer::write);
            without_gil(self.context(), [&] { self.copy_to(bytes.bytes()); });
          },
          nb::arg("host"), "Fills a buffer of the array's size; blocks.")
      .def_prop_ro("size_bytes", [](const Array& self) { return self.shape().size_bytes(); });
  bind_shape(type);
}

void bind_mipmapped_array(nb::module_& m) {
  nb::class_<MipmappedArray> type(m, "MipmappedArray", nb::is_weak_referenceable(),
                                  "An array and smaller and smaller versions of it, each of half "
                                  "the size of the one before.");
  let_go_without_gil<MipmappedArray>();
  type.def(
          "__init__",
          [](MipmappedArray* self, std::ptrdiff_t width, std::ptrdiff_t height,
             std::ptrdiff_t depth, unsigned levels, ArrayFormat format, unsigned channels,
             ArrayFlags flags) {
            const ArrayShape shape{side(width), side(height), side(depth), format, channels, flags};
            new (self) MipmappedArray(shape, levels);
          },
          nb::arg("width"), nb::arg("height") = 0, nb::arg("depth") = 0, nb::kw_only(),
          nb::arg("levels"), nb::arg("format") = ArrayFormat::float32, nb::arg("channels") = 1,
          nb::arg("flags") = ArrayFlags::none,
          "`levels` of them, the first of these elements, rows and slices.")
      .def("level", &MipmappedArray::level, nb::arg("index"),
           "One of the versions, 0 the largest. It keeps all of them.")
      .def_prop_ro("levels", &MipmappedArray::levels);
  bind_shape(type);
}

// Takes one mode for all dimensions, or one mode for each.
std::array<AddressMode, 3> address_modes(nb::handle given) {
  AddressMode mode{};
  if (nb::try_cast(given, mode)) return {mode, mode, mode};
  std::array<AddressMode, 3> modes{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  std::size_t count = 0;
  for (const nb::handle one : nb::borrow<nb::iterable>(given)) {
    if (count == 3) throw InvalidArgument("address_mode has more than 3 entries", "give up to 3");
    modes[count++] = nb::cast<AddressMode>(one);
  }
  return modes;
}

void bind_texture_view(nb::module_& m) {
  nb::class_<TextureView> type(
      m, "TextureView",
      "Another look at an array: elements of another type and the same size, "
      "and some of its levels or layers.");
  type.def(
          "__init__",
          [](TextureView* self, ArrayFormat format, unsigned channels, BlockFormat blocks,
             std::pair<unsigned, unsigned> levels, std::pair<unsigned, unsigned> layers) {
            new (self) TextureView{format,        channels,     blocks,       levels.first,
                                   levels.second, layers.first, layers.second};
          },
          nb::kw_only(), nb::arg("format") = ArrayFormat::float32, nb::arg("channels") = 0,
          nb::arg("blocks") = BlockFormat::none,
          nb::arg("levels") = std::pair(0u, TextureView::all),
          nb::arg("layers") = std::pair(0u, TextureView::all),
          "With channels of 0, elements are the array's. `levels` and `layers` are the first and "
          "the last; `all` is the last that there is.")
      .def_ro("format", &TextureView::format)
      .def_ro("channels", &TextureView::channels)
      .def_ro("blocks", &TextureView::blocks)
      .def_prop_ro(
          "levels",
          [](const TextureView& self) { return nb::make_tuple(self.first_level, self.last_level); })
      .def_prop_ro("layers", [](const TextureView& self) {
        return nb::make_tuple(self.first_layer, self.last_layer);
      });
  type.attr("all") = TextureView::all;
}

void bind_texture_memory(nb::module_& m) {
  nb::class_<TextureMemory>(m, "TextureMemory",
                            "Device memory that a texture reads: a row of elements, or rows.")
      .def(
          "__init__",
          [](TextureMemory* self, nb::object memory, std::ptrdiff_t width, std::ptrdiff_t height,
             std::ptrdiff_t pitch_bytes, ArrayFormat format, unsigned channels) {
            const ArrayShape shape{.width = side(width),
                                   .height = side(height),
                                   .format = format,
                                   .channels = channels};
            new (self) TextureMemory{pointer_argument(memory.ptr(), "memory"), shape,
                                     side(pitch_bytes), keep(memory)};
          },
          nb::arg("memory"), nb::arg("width"), nb::arg("height") = 0, nb::kw_only(),
          nb::arg("pitch_bytes") = 0, nb::arg("format") = ArrayFormat::float32,
          nb::arg("channels") = 1,
          "`width` elements at an address or in an object of device memory, which is kept; with a "
          "height, rows that are pitch_bytes apart.")
      .def_prop_ro("address", [](const TextureMemory& self) { return self.address; })
      .def_prop_ro("width", [](const TextureMemory& self) { return self.shape.width; })
      .def_prop_ro("height", [](const TextureMemory& self) { return self.shape.height; })
      .def_prop_ro("pitch_bytes", [](const TextureMemory& self) { return self.pitch_bytes; });
}

using Setter = void (*)(TextureSettings&, nb::handle);
template <auto member>
void set_member(TextureSettings& settings, nb::handle value) {
  auto& field = settings.*member;
  field = nb::cast<std::remove_reference_t<decltype(field)>>(value);
}
constexpr std::pair<const char*, Setter> texture_setters[] = {
    {"address_mode",
     [](TextureSettings& s, nb::handle value) { s.address_modes = address_modes(value); }},
    {"filter", set_member<&TextureSettings::filter>},
    {"normalized_coordinates", set_member<&TextureSettings::normalized_coordinates>},
    {"normalized_values", set_member<&TextureSettings::normalized_values>},
    {"srgb", set_member<&TextureSettings::srgb>},
    {"seamless_cubemap", set_member<&TextureSettings::seamless_cubemap>},
    {"trilinear_optimization", set_member<&TextureSettings::trilinear_optimization>},
    {"max_anisotropy", set_member<&TextureSettings::max_anisotropy>},
    {"mipmap_filter", set_member<&TextureSettings::mipmap_filter>},
    {"mipmap_bias", set_member<&TextureSettings::mipmap_bias>},
    {"min_mipmap_level", set_member<&TextureSettings::min_mipmap_level>},
    {"max_mipmap_level", set_member<&TextureSettings::max_mipmap_level>},
    {"border", set_member<&TextureSettings::border>},
};

/// Settings by their names, and the view.
TextureSettings settings_of(const nb::kwargs& given, TextureView& view) {
  TextureSettings settings;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto* const found =
        std::ranges::find(texture_setters, name, [](const auto& setter) { return setter.first; });
    const bool is_view = name == "view";
    if (!is_view && found == std::end(texture_setters))
      raise_python(PyExc_TypeError, "Texture has no argument \"" + name + "\"");
    try {
      if (is_view)
        view = nb::cast<TextureView>(value);
      else
        found->second(settings, value);
    } catch (const nb::cast_error&) {
      raise_python(PyExc_TypeError, name + " cannot be of type " + Py_TYPE(value.ptr())->tp_name);
    }
  }
  return settings;
}

void make_texture(Texture* self, const nb::object& source, const nb::kwargs& given) {
  TextureView view;
  const TextureSettings settings = settings_of(given, view);
  if (nb::isinstance<TextureMemory>(source)) {
    if (view != TextureView{})
      throw InvalidArgument("view is given, and the texture reads memory",
                            "say what the elements are in TextureMemory, or take an Array");
    new (self) Texture(instance_of<TextureMemory>(source), settings);
  } else if (nb::isinstance<MipmappedArray>(source)) {
    new (self) Texture(instance_of<MipmappedArray>(source), settings, view);
  } else {
    new (self) Texture(any_array(source, "source"), settings, view);
  }
}

void bind_texture_class(nb::module_& m) {
  nb::class_<Texture> type(m, "Texture", nb::is_weak_referenceable(),
                           "A texture object: kernels take it as a cudaTextureObject_t. It keeps "
                           "what it reads, and must live until the kernels that read it are done.");
  let_go_without_gil<Texture>();
  type.def("__init__", &make_texture, nb::arg("source"), nb::arg("settings"),
           nb::sig("def __init__(self, source: Array | MipmappedArray | TextureMemory | object, *, "
                   "address_mode: AddressMode | typing.Iterable[AddressMode] = ..., "
                   "filter: FilterMode = ..., normalized_coordinates: bool = False, "
                   "normalized_values: bool = False, srgb: bool = False, "
                   "seamless_cubemap: bool = False, trilinear_optimization: bool = True, "
                   "max_anisotropy: int = 0, mipmap_filter: FilterMode = ..., "
                   "mipmap_bias: float = 0, min_mipmap_level: float = 0, "
                   "max_mipmap_level: float = 99, "
                   "border: tuple[float, float, float, float] = (0, 0, 0, 0), "
                   "view: TextureView = ...) -> None"),
           "Reads an array of this interface or of pycuda.driver, a mipmapped one, or memory. "
           "`address_mode` is one for all dimensions, or a list; with normalized_values, integers "
           "of 8 and 16 bits are read as fractions; with seamless_cubemap, a linear filter reads "
           "across the edges of a cubemap's faces. Raises InvalidArgument for what does not go "
           "together.")
      .def_prop_ro("raw", &Texture::raw);
  register_kernel_object(type, [](PyObject* o) { return instance_of<Texture>(o).raw(); });
}

void bind_surface_class(nb::module_& m) {
  nb::class_<Surface> type(m, "Surface", nb::is_weak_referenceable(),
                           "A surface object: kernels take it as a cudaSurfaceObject_t. It keeps "
                           "its array, and must live until the kernels that use it are done.");
  let_go_without_gil<Surface>();
  type.def(
          "__init__",
          [](Surface* self, nb::object array) { new (self) Surface(any_array(array, "array")); },
          nb::arg("array"), "Reads and writes an array that was made with surface_load_store.")
      .def_prop_ro("raw", &Surface::raw);
  register_kernel_object(type, [](PyObject* o) { return instance_of<Surface>(o).raw(); });
}

}  // namespace

void bind_cuda_texture(nb::module_& m) {
  bind_texture_enumerations(m);
  bind_array_class(m);
  bind_mipmapped_array(m);
  bind_texture_view(m);
  bind_texture_memory(m);
  bind_texture_class(m);
  bind_surface_class(m);
  m.def("max_linear_texture_width", &max_linear_texture_width, nb::arg("device"), nb::arg("format"),
        nb::arg("channels") = 1,
        "The most elements that a texture over memory of one dimension reads.");
}

}  // namespace treadle::bindings
