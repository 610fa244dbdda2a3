// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <vector>

#include "pyopencl/classes.hpp"
#include "pyopencl/info.hpp"

namespace treadle::bindings::cl {
namespace {

nb::object sampler_info(const Sampler& self, long long param) {
  using enum opencl::SamplerInfo;
  const auto parameter = static_cast<opencl::SamplerInfo>(param);
  const opencl::InfoValue answer = self.sampler.info(parameter);
  if (parameter == lod_min || parameter == lod_max) {  // the value is the bits of a float
    const auto bits = static_cast<std::uint32_t>(std::get<std::uint64_t>(answer));
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return nb::float_(value);
  }
  return to_python(self.sampler.shared_table(), answer);
}

void construct_from_properties(Sampler* self, const Context& context, nb::handle properties) {
  std::vector<std::uint64_t> list;
  for_each_in(
      properties, {"Sampler", "properties"}, "an iterable of sampler_properties and values",
      [&](nb::handle item, const Argument& which) { list.push_back(bits_in(item, which)); });
  new (self)
      Sampler{with_retry([&] { return opencl::Sampler::with_properties(context.context, list); })};
}

}  // namespace

void bind_sampler(nb::module_& m) {
  auto type = nb::class_<Sampler>(m, "Sampler", nb::dynamic_attr(), nb::is_weak_referenceable(),
                                  "How a kernel reads an image between and beside its pixels.");
  type.def("__init__",
           pyopencl([](Sampler* self, const Context& context, bool normalized_coords,
                       int addressing_mode, int filter_mode) {
             new (self) Sampler{with_retry([&] {
               return opencl::Sampler(context.context, normalized_coords,
                                      static_cast<opencl::AddressingMode>(addressing_mode),
                                      static_cast<opencl::FilterMode>(filter_mode));
             })};
           }),
           nb::arg("context"), nb::arg("normalized_coords"), nb::arg("addressing_mode"),
           nb::arg("filter_mode"))
      .def("__init__", pyopencl(construct_from_properties), nb::arg("context"),
           nb::arg("properties"), "From constants of sampler_properties and their values.");
  bind_identity(type, [](const Sampler& self) { return self.sampler.raw(); });
  bind_from_pointer<opencl::RawSampler>(type, [](opencl::RawSampler raw, opencl::Ownership own) {
    return nb::cast(Sampler{opencl::Sampler(loader_table(), raw, own)});
  });
  bind_info(type, "sampler_info", sampler_info);
}

}  // namespace treadle::bindings::cl
