// SPDX-License-Identifier: MIT
#include "treadle/opencl/sampler.hpp"

#include <vector>

#include "opencl/limits.hpp"
#include "opencl/property_list.hpp"
#include "opencl/query.hpp"

namespace treadle::opencl {
namespace {

Handle<RawSampler> create_sampler(const Context& context, const std::vector<std::uint64_t>& list) {
  const Table& cl = context.table();
  if (largest<DeviceInfo::image_support>(context) == 0)
    raise(cl, CL_INVALID_OPERATION, "clCreateSampler",
          context.devices().front().name() + " has no images, and so no samplers");
  cl_int code = CL_SUCCESS;
  const RawSampler raw = cl.clCreateSamplerWithProperties(context.raw(), list.data(), &code);
  check(cl, code, "clCreateSamplerWithProperties");
  return {context.shared_table(), raw, Ownership::adopt};
}

Handle<RawSampler> create_old_sampler(const Context& context, bool normalized_coords,
                                      AddressingMode addressing, FilterMode filter) {
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  const RawSampler raw = cl.clCreateSampler(context.raw(), normalized_coords ? CL_TRUE : CL_FALSE,
                                            static_cast<cl_addressing_mode>(addressing),
                                            static_cast<cl_filter_mode>(filter), &code);
  check(cl, code, "clCreateSampler");
  return {context.shared_table(), raw, Ownership::adopt};
}

/// Asked here: PoCL takes any number.
void check_known(const Table& cl, const char* constants, std::int64_t value) {
  if (!enum_name(constants, value).empty()) return;
  raise(cl, CL_INVALID_VALUE, "clCreateSampler",
        std::to_string(value) + " is no constant of " + constants, "pass one that is listed there");
}

}  // namespace

Sampler::Sampler(const Context& context, bool normalized_coords, AddressingMode addressing,
                 FilterMode filter)
    : context_(context.raw()) {
  check_known(context.table(), "addressing_mode", static_cast<std::int64_t>(addressing));
  check_known(context.table(), "filter_mode", static_cast<std::int64_t>(filter));
  const bool repeats =
      addressing == AddressingMode::repeat || addressing == AddressingMode::mirrored_repeat;
  // The standard's rule, asked here: platforms make such a sampler, whose results are undefined.
  if (repeats && !normalized_coords)
    raise(context.table(), CL_INVALID_VALUE, "clCreateSampler",
          "images are repeated for normalised coordinates only",
          "pass normalized_coords=true and coordinates from 0 to 1");
  if (!is_present(context.table().clCreateSamplerWithProperties)) {
    handle_ = create_old_sampler(context, normalized_coords, addressing, filter);
    return;
  }
  handle_ =
      create_sampler(context, {CL_SAMPLER_NORMALIZED_COORDS, normalized_coords ? 1u : 0u,
                               CL_SAMPLER_ADDRESSING_MODE, static_cast<std::uint64_t>(addressing),
                               CL_SAMPLER_FILTER_MODE, static_cast<std::uint64_t>(filter), 0});
}

Sampler Sampler::with_properties(const Context& context,
                                 std::span<const std::uint64_t> properties) {
  return {context.raw(),
          create_sampler(context, ended_pairs(properties, "clCreateSamplerWithProperties"))};
}

Sampler::Sampler(std::shared_ptr<const Table> table, RawSampler raw, Ownership ownership)
    : handle_(std::move(table), raw, ownership) {
  const Table& cl = handle_.table();
  context_ =
      ask_value<RawContext>(cl, "clGetSamplerInfo", cl.clGetSamplerInfo, raw, CL_SAMPLER_CONTEXT);
}

InfoValue Sampler::info(SamplerInfo parameter) const {
  return query_object(table(), "clGetSamplerInfo", table().clGetSamplerInfo, raw(), parameter);
}

}  // namespace treadle::opencl
