// SPDX-License-Identifier: MIT
#include "cuda/argument_check.hpp"

#include <cstdint>
#include <string>

#include "treadle/base/error.hpp"

namespace treadle::cuda {
namespace {

[[noreturn]] void refuse_no_memory(const char* call, const char* what, std::size_t size_bytes) {
  throw InvalidArgument(std::string(call) + ": " + what + " is null, and memory of " +
                            std::to_string(size_bytes) + " bytes or elements was expected",
                        "pass the address of what was allocated");
}

}  // namespace

void refuse_negative(const char* call, const char* what, std::size_t value) {
  if (value > static_cast<std::size_t>(PTRDIFF_MAX)) [[unlikely]]
    throw InvalidArgument(std::string(call) + ": " + what + " is " +
                              std::to_string(static_cast<std::ptrdiff_t>(value)) +
                              ", and 0 or more was expected",
                          "look for a subtraction that went below 0");
}

void refuse_null(const char* call, const char* what, const void* data, std::size_t size_bytes) {
  if (data == nullptr && size_bytes != 0) [[unlikely]]
    refuse_no_memory(call, what, size_bytes);
}

void refuse_null(const char* call, const char* what, DevicePointer address,
                 std::size_t size_bytes) {
  if (address == 0 && size_bytes != 0) [[unlikely]]
    refuse_no_memory(call, what, size_bytes);
}

void refuse_null_handle(const char* what, const void* raw) {
  if (raw == nullptr)
    throw InvalidArgument(std::string("the ") + what + " to wrap is null",
                          "pass what another library made");
}

void refuse_moved_from(const char* what, const void* raw) {
  if (raw == nullptr) [[unlikely]]
    throw InvalidState(std::string("the ") + what + " was moved from", "use the one it went to");
}

}  // namespace treadle::cuda
