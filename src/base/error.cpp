// SPDX-License-Identifier: MIT
#include "treadle/base/error.hpp"

#include <utility>

namespace treadle {

Error::Error(std::string message, std::string hint)
    : message_(std::move(message)), hint_(std::move(hint)) {
  text_ = hint_.empty() ? message_ : message_ + "\n  try: " + hint_;
}

namespace {
std::string describe_failure(const DeviceFailure& failure) {
  std::string text = failure.call + " failed: " + failure.driver_text;
  if (!failure.detail.empty()) text += " - " + failure.detail;
  return text;
}
}  // namespace

DeviceError::DeviceError(DeviceFailure failure, std::string hint)
    : Error(describe_failure(failure), std::move(hint)), failure_(std::move(failure)) {}

namespace {
std::string describe_search(const std::string& library, const std::vector<std::string>& tried) {
  std::string text = library + " was not found; tried:";
  for (const auto& place : tried) text += "\n    " + place;
  return text;
}
}  // namespace

LibraryNotFound::LibraryNotFound(std::string library, std::vector<std::string> tried,
                                 std::string hint)
    : Error(describe_search(library, tried), std::move(hint)),
      library_(std::move(library)),
      tried_(std::move(tried)) {}

CompileError::CompileError(std::string message, std::string log, std::string source,
                           std::vector<std::string> options, std::string hint)
    : Error(log.empty() ? message : message + "\n" + log, std::move(hint)),
      summary_(std::move(message)),
      log_(std::move(log)),
      source_(std::move(source)),
      options_(std::move(options)) {}

FileError::FileError(int error_number, std::string path, std::string message)
    : Error(std::move(message)), error_number_(error_number), path_(std::move(path)) {}

}  // namespace treadle
