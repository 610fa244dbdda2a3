// SPDX-License-Identifier: MIT
#include "treadle/opencl/program.hpp"

#include <utility>

#include "opencl/build_log.hpp"
#include "opencl/kernel_state.hpp"
#include "opencl/program_state.hpp"
#include "opencl/query.hpp"
#include "opencl/version.hpp"
#include "treadle/base/near_match.hpp"
#include "treadle/process/compiler_scope.hpp"

namespace treadle::opencl {

namespace {

bool takes_il(const Context& context) {
  for (const Device& device : context.devices()) {
    try {
      if (!device.get<DeviceInfo::il_version>().empty()) return true;
    } catch (const DeviceError&) {
      // Devices before OpenCL 2.1 do not know the question.
    }
  }
  return false;
}

}  // namespace

Program::Program(std::shared_ptr<const ProgramState> state) noexcept : state_(std::move(state)) {}

Program Program::from_source(const Context& context, std::string_view source) {
  const Table& cl = context.table();
  const char* text = source.data();
  const std::size_t size = source.size();
  cl_int code = CL_SUCCESS;
  const RawProgram raw = cl.clCreateProgramWithSource(context.raw(), 1, &text, &size, &code);
  check(cl, code, "clCreateProgramWithSource",
        [&] { return std::to_string(size) + " bytes of source"; });
  return Program(adopt(context, raw, ProgramKind::source));
}

Program Program::from_binaries(const Context& context, std::span<const Device> devices,
                               std::span<const Bytes> binaries,
                               std::shared_ptr<const ProgramText> text) {
  if (devices.size() != binaries.size() || devices.empty())
    throw InvalidArgument(std::to_string(binaries.size()) + " binaries for " +
                              std::to_string(devices.size()) + " devices",
                          "give one binary for each device, and at least one");
  std::vector<std::size_t> sizes;
  std::vector<const unsigned char*> data;
  for (const Bytes& binary : binaries) {
    sizes.push_back(binary.size());
    data.push_back(reinterpret_cast<const unsigned char*>(binary.data()));
  }
  const auto raws = raws_of(devices);
  std::vector<cl_int> statuses(devices.size(), CL_SUCCESS);
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  const RawProgram raw =
      cl.clCreateProgramWithBinary(context.raw(), static_cast<cl_uint>(raws.size()), raws.data(),
                                   sizes.data(), data.data(), statuses.data(), &code);
  check(cl, code, "clCreateProgramWithBinary", [&] {
    std::string refused;
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (statuses[i] != CL_SUCCESS)
        refused += (refused.empty() ? "" : "; ") + devices[i].name() + " refused its binary of " +
                   std::to_string(sizes[i]) + " bytes: " + error_name(statuses[i]);
    return refused;
  });
  return Program(adopt(context, raw, ProgramKind::binary, std::move(text)));
}

Program Program::from_il(const Context& context, std::span<const std::byte> il) {
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  RawProgram raw = nullptr;
  const char* call = "clCreateProgramWithIL";
  if (is_present(cl.clCreateProgramWithIL)) {
    raw = cl.clCreateProgramWithIL(context.raw(), il.data(), il.size(), &code);
  } else {
    call = "clCreateProgramWithILKHR";
    raw = cl.clCreateProgramWithILKHR(context.raw(), il.data(), il.size(), &code);
  }
  if (code == CL_INVALID_OPERATION && !takes_il(context))
    throw NotSupported("no device of " + platform_text(cl) + " takes SPIR-V",
                       "give OpenCL C, or choose a device whose il_version is not empty");
  check(cl, code, call, [&] { return std::to_string(il.size()) + " bytes of SPIR-V"; });
  return Program(adopt(context, raw, ProgramKind::il));
}

Program Program::from_built_in_kernels(const Context& context, std::span<const Device> devices,
                                       const std::string& names) {
  const auto raws = raws_of(devices);
  const Table& cl = context.table();
  cl_int code = CL_SUCCESS;
  const RawProgram raw = cl.clCreateProgramWithBuiltInKernels(
      context.raw(), static_cast<cl_uint>(raws.size()), raws.data(), names.c_str(), &code);
  check(cl, code, "clCreateProgramWithBuiltInKernels", [&] { return "\"" + names + "\""; });
  return Program(adopt(context, raw, ProgramKind::unknown));
}

Program::Program(std::shared_ptr<const Table> table, RawProgram raw, Ownership ownership) {
  Handle<RawProgram> owned(table, raw, ownership);
  const Context context(table,
                        ask_value<RawContext>(*table, "clGetProgramInfo", table->clGetProgramInfo,
                                              raw, CL_PROGRAM_CONTEXT),
                        Ownership::retain);
  state_ = adopt(context, owned.detach(), ProgramKind::unknown);
}

InfoValue Program::info(ProgramInfo parameter) const {
  if (parameter == ProgramInfo::binaries) return binaries();
  return query_object(table(), "clGetProgramInfo", table().clGetProgramInfo, raw(), parameter);
}

InfoValue Program::build_info(const Device& device, ProgramBuildInfo parameter) const {
  InfoValue value =
      query(table(), "clGetProgramBuildInfo", parameter,
            [&](std::size_t size, void* data, std::size_t* size_out) {
              return table().clGetProgramBuildInfo(
                  raw(), device.raw(), static_cast<cl_uint>(parameter), size, data, size_out);
            });
  if (parameter != ProgramBuildInfo::log) return value;
  std::string& log = std::get<std::string>(value);
  // A linked program has no source.
  if (counts_the_whole_text(log)) log = with_named_lines(log, get<ProgramInfo::source>());
  return value;
}

std::string Program::build_log(const Device& device) const {
  return std::get<std::string>(build_info(device, ProgramBuildInfo::log));
}

std::vector<Device> Program::devices() const {
  std::vector<Device> devices;
  for (RawDevice device : get<ProgramInfo::devices>())
    devices.emplace_back(shared_table(), device, Ownership::retain);
  return devices;
}

std::vector<Bytes> Program::binaries() const {
  const CompilerScope scope;  // PoCL compiles all kernels for the sizes
  std::vector<Bytes> binaries;
  std::vector<std::byte*> places;
  for (std::uint64_t size : get<ProgramInfo::binary_sizes>()) {
    binaries.emplace_back(static_cast<std::size_t>(size));
    places.push_back(size != 0 ? binaries.back().data() : nullptr);
  }
  check(table(),
        table().clGetProgramInfo(raw(), CL_PROGRAM_BINARIES, places.size() * sizeof places[0],
                                 places.data(), nullptr),
        "clGetProgramInfo", [] { return "asking for binaries"; });
  return binaries;
}

std::vector<std::string> Program::kernel_names() const {
  return split_words(get<ProgramInfo::kernel_names>(), ';');
}

Kernel Program::kernel(const std::string& name) const {
  cl_int code = CL_SUCCESS;
  const RawKernel kernel = table().clCreateKernel(raw(), name.c_str(), &code);
  if (code == CL_INVALID_KERNEL_NAME) {
    const auto names = kernel_names();
    std::string listed, hint;
    for (const auto& known : names) listed += (listed.empty() ? "" : ", ") + known;
    for (const auto& near : near_matches(name, names)) hint += (hint.empty() ? "" : " or ") + near;
    raise(table(), code, "clCreateKernel",
          "there is no kernel \"" + name + "\"; there are: " + listed, std::move(hint));
  }
  check(table(), code, "clCreateKernel",
        [&] { return "\"" + name + "\"; was the program built?"; });
  return Kernel(adopt_kernel(context(), kernel, state_->text()));
}

std::vector<Kernel> Program::kernels() const {
  cl_uint count = 0;
  check(table(), table().clCreateKernelsInProgram(raw(), 0, nullptr, &count),
        "clCreateKernelsInProgram");
  std::vector<RawKernel> raws(count);
  if (count > 0)
    check(table(), table().clCreateKernelsInProgram(raw(), count, raws.data(), nullptr),
          "clCreateKernelsInProgram");
  // All owned before any is asked its name: a question that fails then releases every one.
  std::vector<Handle<RawKernel>> owned;
  for (RawKernel kernel : raws) owned.emplace_back(shared_table(), kernel, Ownership::adopt);
  std::vector<Kernel> kernels;
  for (auto& handle : owned)
    kernels.push_back(Kernel(adopt_kernel(context(), handle.detach(), state_->text())));
  return kernels;
}

ProgramKind Program::kind() const noexcept {
  return state_ != nullptr ? state_->kind() : ProgramKind::unknown;
}
const Context& Program::context() const {
  if (state_ == nullptr) raise_empty();
  return state_->context();
}
RawProgram Program::raw() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle().raw();
}
const std::shared_ptr<const Table>& Program::shared_table() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle().shared_table();
}
bool Program::operator==(const Program& other) const noexcept {
  if (state_ == nullptr || other.state_ == nullptr) return state_ == other.state_;
  return state_->handle() == other.state_->handle();
}

}  // namespace treadle::opencl
