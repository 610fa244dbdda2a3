// SPDX-License-Identifier: MIT
// Build, compile and link, and the errors that carry what the compilers said.
#include "opencl/long_expressions.hpp"
#include "opencl/program_state.hpp"
#include "opencl/version.hpp"
#include "treadle/process/compiler_scope.hpp"
#include "treadle/process/large_stack.hpp"

namespace treadle::opencl {
namespace {

/// What a failed build, compile or link means, with all that the compilers said.
[[noreturn]] void raise_build(const Program& program, std::span<const Device> devices, int code,
                              const char* call, const std::string& options) {
  // These queries may fail too; the first error is the one to report.
  const auto or_empty = [](auto&& ask) -> std::string {
    try {
      return ask();
    } catch (const Error&) {
      return {};
    }
  };
  std::vector<BuildError::DeviceLog> logs;
  if (program)
    for (const Device& device : devices)
      logs.push_back({or_empty([&] { return device.name(); }),
                      or_empty([&] { return program.build_log(device); })});
  std::string source;
  if (program) source = or_empty([&] { return program.get<ProgramInfo::source>(); });
  throw BuildError(code, call, std::move(logs), std::move(source), split_words(options, ' '));
}

bool is_build_failure(int code) {
  switch (code) {
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_COMPILER_OPTIONS:
    case CL_INVALID_LINKER_OPTIONS:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
    case CL_INVALID_BINARY:
      return true;
    default:
      return false;
  }
}

bool was_compiled(const Program& program) {
  for (const Device& device : program.devices()) {
    cl_build_status status = CL_BUILD_NONE;
    check(
        program.table(),
        program.table().clGetProgramBuildInfo(program.raw(), device.raw(), CL_PROGRAM_BUILD_STATUS,
                                              sizeof status, &status, nullptr),
        "clGetProgramBuildInfo");
    if (status != CL_BUILD_NONE) return true;
  }
  return false;
}

/// NVIDIA's linker accepts source that was not compiled, and gives a program without kernels.
void require_compiled(const Table& cl, std::span<const Program> programs) {
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (programs[i].kind() == ProgramKind::source && !was_compiled(programs[i]))
      raise(cl, CL_INVALID_OPERATION, "clLinkProgram",
            "program " + std::to_string(i) + " was never compiled; compile() it first");
}

/// The time that PoCL's compiler takes for one expression grows with the square of its operators,
/// and no Ctrl-C ends it: with PoCL 3.1 and LLVM 14 24,000 took half a minute.
void refuse_long_expressions(const Program& program, std::span<const Device> devices,
                             const char* call, const std::string& options) {
  constexpr std::size_t most = 50'000;
  if (program.kind() != ProgramKind::source ||
      program.context().platform().name() != "Portable Computing Language")
    return;
  std::string source = program.get<ProgramInfo::source>();
  if (source.size() <= most) return;  // an operator is a character at least
  const LongestExpression found = longest_expression(source);
  if (found.operators <= most) return;
  std::vector<BuildError::DeviceLog> logs;
  const std::vector<Device> all = program.devices();
  for (const Device& device : devices.empty() ? std::span(all) : devices)
    logs.push_back({device.name(), "line " + std::to_string(found.line) + ": an expression of " +
                                       std::to_string(found.operators) +
                                       " operators is more than this compiler takes (" +
                                       std::to_string(most) +
                                       "): write it as several statements, or as a loop\n"});
  throw BuildError(CL_BUILD_PROGRAM_FAILURE, call, std::move(logs), std::move(source),
                   split_words(options, ' '));
}

/// What `call()` returns, an entry point that compiles here, in this process.
template <class Call>
int compiled(Call&& call) {
  int code = CL_SUCCESS;
  const CompilerScope scope;
  run_on_large_stack([&] { code = call(); });
  return code;
}

}  // namespace

void Program::build(const std::string& options, std::span<const Device> devices) const {
  const auto raws = raws_of(devices);
  refuse_long_expressions(*this, devices, "clBuildProgram", options);
  const int code = compiled([&] {
    return table().clBuildProgram(raw(), static_cast<cl_uint>(raws.size()), list_or_null(raws),
                                  options.c_str(), nullptr, nullptr);
  });
  if (is_build_failure(code))
    raise_build(*this, devices.empty() ? std::span(context().devices()) : devices, code,
                "clBuildProgram", options);
  check(table(), code, "clBuildProgram", [&] { return "with options \"" + options + "\""; });
}

void Program::compile(const std::string& options, std::span<const Header> headers,
                      std::span<const Device> devices) const {
  const auto raws = raws_of(devices);
  std::vector<RawProgram> programs;
  std::vector<const char*> names;
  for (const auto& [name, program] : headers) {
    names.push_back(name.c_str());
    programs.push_back(program.raw());
  }
  refuse_long_expressions(*this, devices, "clCompileProgram", options);
  const int code = compiled([&] {
    return table().clCompileProgram(raw(), static_cast<cl_uint>(raws.size()), list_or_null(raws),
                                    options.c_str(), static_cast<cl_uint>(headers.size()),
                                    headers.empty() ? nullptr : programs.data(),
                                    headers.empty() ? nullptr : names.data(), nullptr, nullptr);
  });
  if (is_build_failure(code))
    raise_build(*this, devices.empty() ? std::span(context().devices()) : devices, code,
                "clCompileProgram", options);
  check(table(), code, "clCompileProgram", [&] { return "with options \"" + options + "\""; });
}

Program Program::link(const Context& context, std::span<const Program> programs,
                      const std::string& options, std::span<const Device> devices) {
  const auto raws = raws_of(devices);
  std::vector<RawProgram> inputs;
  for (const Program& program : programs) inputs.push_back(program.raw());
  const Table& cl = context.table();
  require_compiled(cl, programs);
  cl_int code = CL_SUCCESS;
  const CompilerScope scope;
  const RawProgram raw = cl.clLinkProgram(
      context.raw(), static_cast<cl_uint>(raws.size()), list_or_null(raws), options.c_str(),
      static_cast<cl_uint>(inputs.size()), inputs.data(), nullptr, nullptr, &code);
  // A failed link may give a program all the same: it holds the log.
  const Program linked =
      raw != nullptr ? Program(adopt(context, raw, ProgramKind::binary)) : Program();
  if (is_build_failure(code))
    raise_build(linked, devices.empty() ? std::span(context.devices()) : devices, code,
                "clLinkProgram", options);
  check(cl, code, "clLinkProgram", [&] { return std::to_string(inputs.size()) + " program(s)"; });
  return linked;
}

void Program::set_specialization_constant(unsigned id, std::span<const std::byte> value) const {
  constexpr const char* call = "clSetProgramSpecializationConstant";
  // Asked here, because PoCL ends the process over a program of another kind.
  if (kind() == ProgramKind::source || kind() == ProgramKind::binary)
    raise(table(), CL_INVALID_PROGRAM, call, "only programs made from SPIR-V have such constants");
  check(table(), table().clSetProgramSpecializationConstant(raw(), id, value.size(), value.data()),
        call, [&] {
          return "constant " + std::to_string(id) + " of " + std::to_string(value.size()) +
                 " bytes";
        });
}

}  // namespace treadle::opencl
