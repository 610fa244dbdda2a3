// SPDX-License-Identifier: MIT
// Replaces names of C++ functions in the core's messages and hints. There is a row for each such
// text, and a test looks for the texts in the sources. Rows are whole phrases, so that no text of a
// user is changed.
#include "python_names.hpp"

#include <string_view>
#include <utility>

namespace treadle::bindings {
namespace {

constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"auto context = cuda::Context::make_current(device);",
     "import pycuda.autoinit, or treadle.cuda.Context.make_current(device)"},
    {"Options::include_dirs (include_dirs= in Python)", "include_dirs="},
    {"Options::output (target= in Python)", "target="},
    {"Options::keep (keep=True in Python)", "keep=True"},
    {"Toolchain::nvcc would", "nvcc= would"},
    {"Toolchain::nvcc (TREADLE_COMPILER=nvcc)", "TREADLE_COMPILER=nvcc"},
    {"(Toolchain::nvrtc) needs", "needs"},
    {"CompileResult::seconds", "CompileResult.seconds"},
    {"Timing::on", "timing=True"},
    {"Array::at() takes", "x[...] takes"},
    {"x[{i}].item()", "x[i].item()"},
    {"Context::attach", "Context.attach"},
    {"Context::current", "Context.current"},
    {"ChannelOrder::rgba", "channel_order.RGBA"},
    {"ChannelType::unorm_int8", "channel_type.UNORM_INT8"},
    {"Context::pop", "Context.pop"},
    {"DeviceAttribute::multicast_supported", "DeviceAttribute.multicast_supported"},
    {"DeviceMemory::pitched", "DeviceMemory.pitched"},
    {"DeviceResource::split()", "DeviceResource.split()"},
    {"Driver::nvidia() or cpu()", "Driver.nvidia() or Driver.cpu()"},
    {"ImageDescriptor::of({{width, height}}, array_size)",
     "ImageDescriptor(shape=(width, height))"},
    {"MipmappedArray::level()", "MipmappedArray.level()"},
    {"Multicast::granularity()", "Multicast.granularity()"},
    {"Multiprocessor::of", "Multiprocessor.of"},
    {"DeviceAttribute::", "DeviceAttribute."},
    {"ArrayFlags::", "ArrayFlags."},
    {"ImageDescriptor::of({{width, height}}, array_size)", "ImageDescriptor"},
    {"Stream::copy_from_peer()", "Stream.copy_from_peer()"},
    {"kernel::Program", "treadle.Program"},
    {"Context::devices() lists", "context.devices lists"},
    {"Device::make_stream()", "Device.make_stream()"},
    {"DeviceInfo::language", "Device.language"},
    {"Loader::system().platforms().front().devices()", "get_platforms()[0].get_devices()"},
};

}  // namespace

std::string with_python_names(std::string text) {
  for (const auto& [cpp, python] : names)
    for (std::size_t at = 0; (at = text.find(cpp, at)) != std::string::npos; at += python.size())
      text.replace(at, cpp.size(), python);
  return text;
}

}  // namespace treadle::bindings
