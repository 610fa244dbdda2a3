// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/cuda/raw.hpp"

namespace treadle::cuda {

/// What an entry point that the driver lacks returns: raise() turns it into NotSupported. No
/// CUresult has it.
inline constexpr int absent_entry_point = 1023;

/// Throws what `code` means: OutOfMemory for CUDA_ERROR_OUT_OF_MEMORY; LaunchError where a kernel
/// could not start or failed while running; NotSupported, naming call and driver version, for an
/// entry point the driver lacks; else DeviceError. The message is "<call> failed: <the driver's
/// text>[ - <detail>]". A fault of a kernel is reported with the last launches of the current
/// context, one of which it was, and with whether the context is lost.
[[noreturn]] void raise(const Table& table, int code, const char* call, std::string detail = {},
                        std::string hint = {});

/// Throws if `result`, a CUresult, is not success. `describe()` says what was attempted on which
/// object; it is called only on failure. `call` is the entry point's name without version suffix.
template <class Result, class Describe>
inline void check(const Table& table, Result result, const char* call, Describe&& describe) {
  if (static_cast<int>(result) != 0) [[unlikely]]
    raise(table, static_cast<int>(result), call, std::forward<Describe>(describe)());
}
/// The same where the call alone says what was attempted.
template <class Result>
inline void check(const Table& table, Result result, const char* call) {
  if (static_cast<int>(result) != 0) [[unlikely]]
    raise(table, static_cast<int>(result), call);
}

/// For destructors: hands a failure to the warning hook (treadle/process/warning.hpp)
/// instead of throwing. A driver that has shut down with the process is no failure.
void warn_if_failed(const Table& table, int code, const char* call, const char* object) noexcept;

/// "CUDA_ERROR_INVALID_VALUE", from the driver; "CUDA_ERROR_<code>" if it knows no name.
std::string error_name(const Table& table, int code);
/// "invalid argument", from the driver.
std::string error_text(const Table& table, int code);

}  // namespace treadle::cuda
