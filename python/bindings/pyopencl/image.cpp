// SPDX-License-Identifier: MIT
// Images, their formats and descriptors.
#include "treadle/opencl/image.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kept_objects.hpp"
#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::ImageFormat;
using opencl::MemFlags;
using opencl::MemObjectType;

/// The description of a new image, with the buffer it uses.
struct ImageDescriptor {
  opencl::ImageDescriptor descriptor;
  nb::object buffer = {};

  /// The description with the buffer's memory.
  opencl::ImageDescriptor complete() const {
    opencl::ImageDescriptor image = descriptor;
    if (buffer.is_valid() && !buffer.is_none())
      image.memory = nb::cast<const MemoryObjectHolder&>(buffer).memory();
    return image;
  }
};

[[noreturn]] void raise_plain(const std::string& text) { raise_error(0, "", text); }

/// The arguments that describe an image separately.
struct ImageWords {
  nb::handle shape, pitches, hostbuf, buffer;
  bool is_array;
};

opencl::ImageDescriptor described(const ImageWords& words) {
  nb::object shape = nb::borrow(words.shape);
  if (shape.is_none()) {
    if (words.hostbuf.is_none()) raise_plain("Image needs a shape, or a hostbuf that has one");
    shape = nb::getattr(words.hostbuf, "shape");
  }
  if (!words.pitches.is_none() && words.hostbuf.is_none())
    raise_plain("Image: pitches are those of a hostbuf, and there is none");
  const std::vector<std::size_t> sizes = sizes_in(shape, "clCreateImage", "shape");
  if (sizes.empty() || sizes.size() > 3)
    raise_python(PyExc_ValueError,
                 "an image has 1 to 3 dimensions, not " + std::to_string(sizes.size()));
  if (words.is_array && !words.buffer.is_none())
    raise_python(PyExc_ValueError,
                 "an array of images cannot be a buffer's: give is_array or buffer");
  if (words.is_array && sizes.size() == 1)
    raise_python(PyExc_TypeError, "an array of images has 2 or 3 dimensions, its own the last");
  if (!words.buffer.is_none() && sizes.size() > 1)
    raise_python(PyExc_TypeError, "only an image of one dimension can be a buffer's");
  opencl::ImageDescriptor image =
      words.is_array
          ? opencl::ImageDescriptor::of(std::span(sizes).first(sizes.size() - 1), sizes.back())
          : opencl::ImageDescriptor::of(sizes);
  if (words.is_array && sizes.back() == 0)  // the core takes 0 as "no array"
    raise_error(static_cast<int>(opencl::StatusCode::invalid_image_descriptor), "clCreateImage",
                "an array of 0 images");
  if (!words.buffer.is_none()) {
    image.type = MemObjectType::image1d_buffer;
    image.memory = object_in<MemoryObjectHolder>(words.buffer, {"Image", "buffer"}).memory();
  }
  const auto pitches = numbers<2>(words.pitches, 0, "pitches", "clCreateImage");
  image.row_pitch = pitches[0];
  image.slice_pitch = pitches[1];
  return image;
}

Image make_image(const Context& context, MemFlags flags, const ImageFormat& format,
                 const opencl::ImageDescriptor& image, nb::handle hostbuf) {
  if (hostbuf.is_none())
    return Image(with_retry([&] { return opencl::Image(context.context, format, image, flags); }));
  const HostBuffer host(hostbuf, host_access(flags), "hostbuf");
  opencl::Image made = with_retry(
      [&] { return opencl::Image(context.context, format, image, flags, host.bytes()); });
  const bool is_kept = opencl::has(flags, MemFlags::use_host_ptr);
  Image kept(std::move(made), is_kept ? nb::borrow(hostbuf) : nb::object());
  if (is_kept) note_end_of(kept);
  return kept;
}

// over 6 parameters because they are the keywords of the Python call
void construct_image(Image* self, const Context& context, std::uint64_t flags,
                     const ImageFormat& format, nb::handle shape, nb::handle pitches,
                     nb::handle hostbuf, bool is_array, nb::handle buffer, nb::handle desc,
                     bool through_create_image) {
  const auto bits = static_cast<MemFlags>(flags);
  if (!desc.is_none()) {
    if (!shape.is_none() || !pitches.is_none() || is_array || !buffer.is_none())
      raise_python(PyExc_TypeError,
                   "Image: desc stands for shape, pitches, is_array and buffer; give one or the "
                   "others");
    const auto& given = object_in<ImageDescriptor>(desc, {"Image", "desc"});
    new (self) Image(make_image(context, bits, format, given.complete(), hostbuf));
    return;
  }
  const bool has_types = context.context.platform().version() >= opencl::Version{1, 2};
  if (!has_types && (is_array || !buffer.is_none()))
    raise_python(PyExc_TypeError, "arrays of images and images of buffers need OpenCL 1.2");
  if (has_types && !through_create_image)
    warn_python(PyExc_DeprecationWarning,
                "Image with a shape is deprecated: use create_image, or pass desc=");
  new (self) Image(make_image(context, bits, format,
                              described({shape, pitches, hostbuf, buffer, is_array}), hostbuf));
}

nb::object image_info(const Image& self, long long param) {
  const auto parameter = static_cast<opencl::ImageInfo>(param);
  if (parameter == opencl::ImageInfo::format) return nb::cast(self.image().format());
  return to_python(self.image().shared_table(), self.image().info(parameter));
}

nb::object shape_of(const Image& self) {
  using enum MemObjectType;
  const auto& extent = self.image().extent();
  switch (self.image().type()) {
    case image1d:
    case image1d_buffer:
      return nb::make_tuple(extent[0]);
    case image1d_array:
    case image2d:
      return nb::make_tuple(extent[0], extent[1]);
    default:
      return nb::make_tuple(extent[0], extent[1], extent[2]);
  }
}

void bind_format(nb::module_& m) {
  nb::class_<ImageFormat>(m, "ImageFormat", "Which channels a pixel has, and of which type.")
      .def(
          "__init__",
          [](ImageFormat* self, int order, int type) {
            new (self) ImageFormat{static_cast<opencl::ChannelOrder>(order),
                                   static_cast<opencl::ChannelType>(type)};
          },
          nb::arg("channel_order"), nb::arg("channel_type"))
      .def_prop_rw(
          "channel_order", [](const ImageFormat& self) { return static_cast<int>(self.order); },
          [](ImageFormat& self, int order) {
            self.order = static_cast<opencl::ChannelOrder>(order);
          })
      .def_prop_rw(
          "channel_data_type", [](const ImageFormat& self) { return static_cast<int>(self.type); },
          [](ImageFormat& self, int type) { self.type = static_cast<opencl::ChannelType>(type); })
      .def_prop_ro("channel_count",
                   pyopencl([](const ImageFormat& self) { return self.channel_count(); }))
      .def_prop_ro("dtype_size",
                   pyopencl([](const ImageFormat& self) { return self.channel_bytes(); }))
      .def_prop_ro("itemsize", pyopencl([](const ImageFormat& self) { return self.pixel_bytes(); }))
      .def("__repr__", [](const ImageFormat& self) { return "ImageFormat(" + self.text() + ")"; })
      .def("__hash__",
           [](const ImageFormat& self) {
             return static_cast<Py_hash_t>(self.order) * 65536 + static_cast<Py_hash_t>(self.type);
           })
      .def(
          "__eq__",
          [](const ImageFormat& self, nb::handle other) {
            const ImageFormat* same = nullptr;
            return nb::try_cast(other, same) && same != nullptr && self == *same;
          },
          nb::arg().none());
}

// Missing sizes are 1. The third size is also the length of an array of images.
void set_shape(ImageDescriptor& self, nb::handle shape) {
  const auto sizes = numbers<3>(shape, 1, "shape", "ImageDescriptor");
  opencl::ImageDescriptor& image = self.descriptor;
  image.width = sizes[0];
  image.height = sizes[1];
  image.depth = image.array_size = sizes[2];
}

void set_pitches(ImageDescriptor& self, nb::handle given) {
  const auto pitches = numbers<2>(given, 0, "pitches", "ImageDescriptor");
  self.descriptor.row_pitch = pitches[0];
  self.descriptor.slice_pitch = pitches[1];
}

void bind_descriptor(nb::module_& m) {
  using D = ImageDescriptor;
  static PyType_Slot slots[] = {type_slot(Py_tp_traverse, traverse_kept<D, &D::buffer>),
                                type_slot(Py_tp_clear, clear_kept<D, &D::buffer>),
                                {0, nullptr}};
  nb::class_<D>(m, "ImageDescriptor", nb::type_slots(slots), "What an image is made as.")
      .def(nb::init<>())
      .def_prop_rw(
          "image_type", [](const D& self) { return static_cast<int>(self.descriptor.type); },
          [](D& self, int type) { self.descriptor.type = static_cast<MemObjectType>(type); })
      .def_prop_rw(
          "array_size", [](const D& self) { return self.descriptor.array_size; },
          pyopencl([](D& self, Size size) {
            self.descriptor.array_size = size.in("ImageDescriptor", "array_size");
          }))
      .def_prop_rw(
          "num_mip_levels", [](const D& self) { return self.descriptor.mip_levels; },
          [](D& self, unsigned levels) { self.descriptor.mip_levels = levels; })
      .def_prop_rw(
          "num_samples", [](const D& self) { return self.descriptor.samples; },
          [](D& self, unsigned samples) { self.descriptor.samples = samples; })
      .def_prop_rw(
          "shape",
          [](const D& self) {
            const opencl::ImageDescriptor& image = self.descriptor;
            return nb::make_tuple(image.width, image.height, image.depth);
          },
          pyopencl(set_shape))
      .def_prop_rw(
          "pitches",
          [](const D& self) {
            return nb::make_tuple(self.descriptor.row_pitch, self.descriptor.slice_pitch);
          },
          pyopencl(set_pitches))
      .def_prop_rw(
          "buffer",
          [](const D& self) {
            return self.buffer.is_valid() ? self.buffer : nb::object(nb::none());
          },
          pyopencl([](D& self, nb::handle buffer) {
            if (!buffer.is_none())
              object_in<MemoryObjectHolder>(buffer, {"ImageDescriptor", "buffer"});
            self.buffer = nb::borrow(buffer);
          }),
          nb::for_setter(nb::arg("buffer").none()));
}

}  // namespace

const opencl::Image& image_of(const MemoryObjectHolder& memory) {
  if (const auto* image = dynamic_cast<const Image*>(&memory)) return image->image();
  raise_error(static_cast<int>(opencl::StatusCode::invalid_mem_object), "",
              "the memory is no image; enqueue_copy copies buffers, too");
}

void bind_image(nb::module_& m) {
  bind_format(m);
  bind_descriptor(m);
  static PyType_Slot slots[] = {type_slot(Py_bf_getbuffer, export_host_memory),
                                // No tp_clear: the host's memory must outlive the device's.
                                type_slot(Py_tp_traverse, traverse_kept<Image, &Image::hostbuf>),
                                {0, nullptr}};
  auto type = nb::class_<Image, MemoryObject>(m, "Image", nb::dynamic_attr(), nb::type_slots(slots),
                                              "Pixels of a context.");
  type.def("__init__", pyopencl(construct_image), nb::arg("context"), nb::arg("flags"),
           nb::arg("format"), nb::arg("shape") = nb::none(), nb::arg("pitches") = nb::none(),
           nb::arg("hostbuf") = nb::none(), nb::arg("is_array") = false,
           nb::arg("buffer") = nb::none(), nb::kw_only(), nb::arg("desc") = nb::none(),
           nb::arg("_through_create_image") = false);
  type.def(
      "_custom_init",
      [](nb::handle self, nb::handle context, nb::handle flags, nb::handle format,
         nb::handle shape_or_desc, nb::handle pitches, nb::handle hostbuf) {
        const bool has_desc = nb::isinstance<ImageDescriptor>(shape_or_desc);
        self.type().attr("__init__")(
            self, context, flags, format, has_desc ? nb::none() : nb::borrow(shape_or_desc),
            pitches, hostbuf, nb::arg("desc") = has_desc ? nb::borrow(shape_or_desc) : nb::none(),
            nb::arg("_through_create_image") = true);
      },
      nb::arg("context"), nb::arg("flags"), nb::arg("format"), nb::arg("shape_or_desc"),
      nb::arg("pitches") = nb::none(), nb::arg("hostbuf") = nb::none(),
      "Image._custom_init(Image.__new__(Image), ...): what the constructor does, without "
      "warnings.");
  bind_info(type, "image_info", image_info, "get_image_info");
  type.def_prop_ro("shape", pyopencl(shape_of),
                   "Columns, rows and slices; images of an array last.")
      .def_prop_ro(
          "image", [](nb::object self) { return self; }, "The image itself, for its information.");
  m.def("get_supported_image_formats",
        pyopencl([](const Context& context, std::uint64_t flags, int image_type) {
          nb::list formats;
          for (const ImageFormat& format :
               opencl::supported_image_formats(context.context, static_cast<MemFlags>(flags),
                                               static_cast<MemObjectType>(image_type)))
            formats.append(nb::cast(format));
          return formats;
        }),
        nb::arg("context"), nb::arg("flags"), nb::arg("image_type"),
        "The formats that images of a type may have.");
}

}  // namespace treadle::bindings::cl
