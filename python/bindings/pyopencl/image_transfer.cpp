// SPDX-License-Identifier: MIT
// Copies and fills of images. Names with an underscore are the parts of enqueue_copy.
#include "treadle/opencl/image_transfer.hpp"

#include <cstring>
#include <string>

#include "pyopencl/classes.hpp"
#include "pyopencl/coordinates.hpp"
#include "pyopencl/host_transfer.hpp"

namespace treadle::bindings::cl {
namespace {

opencl::ImageRegion image_region(nb::handle origin, nb::handle region,
                                 const char* origin_name = "origin") {
  const opencl::ImageRegion box{numbers<3>(origin, 0, origin_name),
                                numbers<3>(region, 1, "region")};
  if (box.size == std::array<std::size_t, 3>{})  // the core takes this as the whole image
    raise_logic_error("enqueue_copy", "a region of (0, 0, 0) pixels");
  return box;
}

// over 6 parameters because they are the keywords of the Python call
template <HostBuffer::Access access>
nb::object transfer_image(const CommandQueue& queue, const MemoryObjectHolder& mem,
                          nb::handle origin, nb::handle region, nb::handle hostbuf, Size row_pitch,
                          Size slice_pitch, nb::handle wait_for, bool is_blocking) {
  const opencl::Image image = image_of(mem);  // a copy: other threads may drop the object
  const opencl::ImageRegion box = image_region(origin, region);
  const opencl::HostPitches pitches{row_pitch.in("enqueue_copy", "row_pitch (pitches[0])"),
                                    slice_pitch.in("enqueue_copy", "slice_pitch (pitches[1])")};
  return transfer_host<access>(
      {queue, mem, hostbuf, wait_for, is_blocking,
       access == HostBuffer::write ? "clEnqueueReadImage" : "clEnqueueWriteImage"},
      [&](const auto& used, const auto&, auto bytes, auto order, auto blocking) {
        if constexpr (access == HostBuffer::write)
          return opencl::read_image(used, image, bytes, box, pitches, order, blocking);
        else
          return opencl::write_image(used, image, bytes, box, pitches, order, blocking);
      });
}

// over 6 parameters because they are the keywords of the Python call
nb::object copy_image(const CommandQueue& queue, const MemoryObjectHolder& src,
                      const MemoryObjectHolder& dest, nb::handle src_origin, nb::handle dest_origin,
                      nb::handle region, nb::handle wait_for) {
  const opencl::ImageRegion box = image_region(src_origin, region, "src_origin");
  const auto to_origin = numbers<3>(dest_origin, 0, "dest_origin");
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::copy_image(use_queue(queue), image_of(src), image_of(dest), box,
                                         to_origin, after.order()));
  });
}

// over 6 parameters because they are the keywords of the Python call
nb::object copy_to_buffer(const CommandQueue& queue, const MemoryObjectHolder& src,
                          const MemoryObjectHolder& dest, nb::handle origin, nb::handle region,
                          Size offset, nb::handle wait_for) {
  const opencl::ImageRegion box = image_region(origin, region);
  const std::size_t begin = offset.in("enqueue_copy", "offset");
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::copy_image_to_buffer(use_queue(queue), image_of(src), dest.memory(),
                                                   box, begin, after.order()));
  });
}

// over 6 parameters because they are the keywords of the Python call
nb::object copy_from_buffer(const CommandQueue& queue, const MemoryObjectHolder& src,
                            const MemoryObjectHolder& dest, Size offset, nb::handle origin,
                            nb::handle region, nb::handle wait_for) {
  const opencl::ImageRegion box = image_region(origin, region);
  const std::size_t begin = offset.in("enqueue_copy", "offset");
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::copy_buffer_to_image(use_queue(queue), src.memory(), image_of(dest),
                                                   box, begin, after.order()));
  });
}

template <class T>
std::array<T, 4> four(const HostBuffer& color) {
  std::array<T, 4> values;
  std::memcpy(values.data(), color.data(), sizeof values);
  return values;
}

// Bytes do not tell their type, so they are taken in the type of the image's channels.
opencl::PixelColor read_color(nb::handle given, const opencl::ImageFormat& format) {
  const HostBuffer color(given, HostBuffer::read, "color");
  constexpr const char* types[] = {"float32", "int32", "uint32"};
  const std::size_t kind = opencl::color_alternative(format);
  if (color.size() != 16)
    raise_logic_error("clEnqueueFillImage", "the colour has " + std::to_string(color.size()) +
                                                " bytes; pass four values of " + types[kind]);
  if (kind == 1) return four<std::int32_t>(color);
  if (kind == 2) return four<std::uint32_t>(color);
  return four<float>(color);
}

nb::object fill_image(const CommandQueue& queue, const MemoryObjectHolder& mem, nb::handle color,
                      nb::handle origin, nb::handle region, nb::handle wait_for) {
  const opencl::Image& image = image_of(mem);
  const opencl::PixelColor value = read_color(color, image.format());
  const opencl::ImageRegion box = image_region(origin, region);
  const Events after(wait_for);
  return with_retry([&] {
    return make_event(opencl::fill_image(use_queue(queue), image, value, box, after.order()));
  });
}

template <class F>
void define_host_transfer(nb::module_& m, const char* name, F function) {
  m.def(name, pyopencl(function), nb::arg("queue"), nb::arg("mem"), nb::arg("origin"),
        nb::arg("region"), nb::arg("hostbuf"), nb::arg("row_pitch") = 0, nb::arg("slice_pitch") = 0,
        nb::arg("wait_for") = nb::none(), nb::arg("is_blocking") = true);
}

}  // namespace

void bind_image_transfer(nb::module_& m) {
  define_host_transfer(m, "_enqueue_read_image", transfer_image<HostBuffer::write>);
  define_host_transfer(m, "_enqueue_write_image", transfer_image<HostBuffer::read>);
  m.def("_enqueue_copy_image", pyopencl(copy_image), nb::arg("queue"), nb::arg("src"),
        nb::arg("dest"), nb::arg("src_origin"), nb::arg("dest_origin"), nb::arg("region"),
        nb::arg("wait_for") = nb::none());
  m.def("_enqueue_copy_image_to_buffer", pyopencl(copy_to_buffer), nb::arg("queue"), nb::arg("src"),
        nb::arg("dest"), nb::arg("origin"), nb::arg("region"), nb::arg("offset"),
        nb::arg("wait_for") = nb::none());
  m.def("_enqueue_copy_buffer_to_image", pyopencl(copy_from_buffer), nb::arg("queue"),
        nb::arg("src"), nb::arg("dest"), nb::arg("offset"), nb::arg("origin"), nb::arg("region"),
        nb::arg("wait_for") = nb::none());
  m.def("enqueue_fill_image", pyopencl(fill_image), nb::arg("queue"), nb::arg("mem"),
        nb::arg("color"), nb::arg("origin"), nb::arg("region"), nb::arg("wait_for") = nb::none(),
        "Gives pixels a colour: four float32, int32 or uint32, as the image's channels are.");
}

}  // namespace treadle::bindings::cl
