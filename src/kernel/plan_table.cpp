// SPDX-License-Identifier: MIT
#include "plan_table.hpp"

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/kernel/program.hpp"

namespace treadle::kernel {

LoadedText load_text(device::Device& device, const std::string& text, const std::string& name,
                     std::size_t parameter_bytes) {
  const std::size_t room = device.info().limits.parameter_bytes;
  if (room != 0 && parameter_bytes > room)
    throw NotSupported("kernel " + name + " has " + std::to_string(parameter_bytes) +
                           " bytes of parameters, and " + device.info().id + " takes " +
                           std::to_string(room),
                       "evaluate a part of the expression first");
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  std::vector<std::string> flags = dialect.exact_flags;
  if (!dialect.exact_division_flag.empty() && device.info().traits.exact_division)
    flags.push_back(dialect.exact_division_flag);
  const Program program(device.shared_from_this(), text,
                        {.flags = std::move(flags), .source_name = name});
  device::Kernel kernel = program.kernel(name);
  kernel.let_go_of_device();
  return {kernel, program.origin(), program.seconds()};
}

std::uint64_t element_offset(const device::Location& place, const DType& dtype) {
  const std::size_t size = dtype.size_bytes();
  if (place.offset % size != 0)
    throw InvalidArgument("an array of " + dtype.name() + " begins " +
                              std::to_string(place.offset) + " bytes into its allocation",
                          "begin at a multiple of " + std::to_string(size) + " bytes");
  return place.offset / size;
}

device::Argument scalar_argument(Scalar dtype, const void* data) {
  using device::ParameterKind;
  const bool is_plain = dtype == Scalar::float32 || dtype == Scalar::float64;
  return {data, DType(dtype).size_bytes(),
          is_plain                                     ? ParameterKind::floating
          : DType(dtype).kind() == ScalarKind::complex ? ParameterKind::unknown
                                                       : ParameterKind::integer};
}

}  // namespace treadle::kernel
