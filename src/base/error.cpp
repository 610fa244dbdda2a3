// SPDX-License-Identifier: MIT
#include "treadle/base/error.hpp"

#include <utility>

namespace treadle {

Error::Error(std::string message, std::string hint)
    : message_(std::move(message)), hint_(std::move(hint)) {
  text_ = hint_.empty() ? message_ : message_ + "\n  try: " + hint_;
}

DeviceError::DeviceError(int code, std::string code_name, std::string call, std::string message,
                         std::string hint)
    : Error(std::move(message), std::move(hint)),
      code_(code),
      code_name_(std::move(code_name)),
      call_(std::move(call)) {}

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
    : Error(log.empty() ? std::move(message) : message + "\n" + log, std::move(hint)),
      log_(std::move(log)),
      source_(std::move(source)),
      options_(std::move(options)) {}

FileError::FileError(int error_number, std::string path, std::string message)
    : Error(std::move(message)), error_number_(error_number), path_(std::move(path)) {}

}  // namespace treadle
