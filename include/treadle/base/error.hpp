// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// Base of everything Treadle throws. `what()` is the message followed by the hint, if there is
/// one.
class Error : public std::exception {
 public:
  /// `message` is a sentence without its end; `hint` begins with a verb.
  explicit Error(std::string message, std::string hint = {});
  const char* what() const noexcept override { return text_.c_str(); }
  /// What was attempted, on which object, and why it failed.
  const std::string& message() const noexcept { return message_; }
  /// One thing to try; may be empty.
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string message_, hint_, text_;
};

/// What a run-time system (CUDA driver, OpenCL platform) said when a call failed.
struct DeviceFailure {
  int code;  ///< the run-time's number: CUresult, or OpenCL's status
  std::string
      code_name;  ///< the run-time's own name of the code, for example "CUDA_ERROR_INVALID_VALUE"
  std::string call;  ///< the entry point that failed, without version suffix
  std::string
      driver_text;  ///< the run-time's description of the code, for example "invalid argument"
  std::string detail = {};  ///< what was attempted, on which object; may be empty
};

/// A run-time system answered a call with an error code. The message is
/// "<call> failed: <driver's text>[ - <detail>]".
class DeviceError : public Error {
 public:
  /// The message is made of `failure`.
  explicit DeviceError(DeviceFailure failure, std::string hint = {});
  // Each part of the failure, as DeviceFailure explains it.
  /// The run-time's number for it.
  int code() const noexcept { return failure_.code; }
  /// "CUDA_ERROR_INVALID_VALUE", "CL_INVALID_VALUE".
  const std::string& code_name() const noexcept { return failure_.code_name; }
  /// The entry point, without the suffix of its version.
  const std::string& call() const noexcept { return failure_.call; }
  /// The run-time's own description, in English.
  const std::string& driver_text() const noexcept { return failure_.driver_text; }
  /// What was attempted, on which object; may be empty.
  const std::string& detail() const noexcept { return failure_.detail; }

 private:
  DeviceFailure failure_;
};

/// The device or the page-locked host memory is exhausted.
class OutOfMemory : public DeviceError {
  using DeviceError::DeviceError;
};

/// A kernel could not start, or failed while running.
class LaunchError : public DeviceError {
  using DeviceError::DeviceError;
};

/// An argument was refused before anything was done with it.
class InvalidArgument : public Error {
  using Error::Error;
};
/// Sizes or shapes that do not fit each other.
class ShapeError : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};
/// An element type that is unknown, malformed, or not what was expected.
class DTypeError : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};
/// An integer that the dtype it should take on does not hold.
class OverflowError : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};
/// An index that names no element or axis.
class IndexError : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// The object was freed, popped, detached or moved from.
class InvalidState : public Error {
  using Error::Error;
};

/// This device, driver or build does not have what was asked for.
class NotSupported : public Error {
  using Error::Error;
};

/// A library needed at run time was not found or could not be loaded.
class LibraryNotFound : public Error {
 public:
  /// The message is made of `library` and `tried`.
  LibraryNotFound(std::string library, std::vector<std::string> tried, std::string hint);
  /// As its users call it: "NVRTC".
  const std::string& library() const noexcept { return library_; }
  /// Each place searched, with the loader's answer, in order.
  const std::vector<std::string>& tried() const noexcept { return tried_; }

 private:
  std::string library_;
  std::vector<std::string> tried_;
};

/// A compiler refused the source, or could not be run.
class CompileError : public Error {
 public:
  /// The message says what failed; the log says why.
  CompileError(std::string message, std::string log, std::string source,
               std::vector<std::string> options, std::string hint = {});
  /// What failed: message() without the log.
  const std::string& summary() const noexcept { return summary_; }
  /// What the compiler said, with the user's own lines and columns.
  const std::string& log() const noexcept { return log_; }
  /// The whole text, as the caller gave it.
  const std::string& source() const noexcept { return source_; }
  /// What the compiler was given, in its own spellings.
  const std::vector<std::string>& options() const noexcept { return options_; }

 private:
  std::string summary_, log_, source_;
  std::vector<std::string> options_;
};

/// An operating-system call on a file failed where going on without it makes no sense.
class FileError : public Error {
 public:
  /// `message` says what was attempted; the text of `error_number` is added.
  FileError(int error_number, std::string path, std::string message);
  /// errno, and the file it was about.
  int error_number() const noexcept { return error_number_; }
  /// As it was opened: relative to the folder of that time, if it is relative.
  const std::string& path() const noexcept { return path_; }

 private:
  int error_number_;
  std::string path_;
};

}  // namespace treadle
