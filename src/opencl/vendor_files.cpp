// SPDX-License-Identifier: MIT
// Where ICD loaders look for platforms. Khronos's loader and ocl-icd differ in the variables they
// read; all that are set are listed, and the folder that both read when none is.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "treadle/opencl/platform.hpp"

namespace treadle::opencl {
namespace {

namespace fs = std::filesystem;

std::string describe_file(const fs::path& file) {
  std::ifstream stream(file);
  std::string library;
  if (!std::getline(stream, library)) return file.string() + ": cannot be read, or is empty";
  const bool has_path = library.find('/') != std::string::npos;
  std::error_code failure;
  const bool is_there = !has_path || fs::exists(library, failure);
  return file.string() + ": names " + library + (is_there ? "" : ", which does not exist");
}

void describe_folder(const fs::path& folder, std::vector<std::string>& lines) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (entry->path().extension() == ".icd") files.push_back(entry->path());
  if (failure)
    lines.push_back(folder.string() + ": " + failure.message());
  else if (files.empty())
    lines.push_back(folder.string() + ": no .icd file");
  std::ranges::sort(files);
  for (const fs::path& file : files) lines.push_back(describe_file(file));
}

}  // namespace

std::vector<std::string> vendor_files() {
  std::vector<std::string> lines;
  bool is_default = true;
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    lines.push_back(std::string(name) + "=" + value);
    std::error_code failure;
    if (fs::is_directory(value, failure)) {
      describe_folder(value, lines);
    } else if (fs::path(value).extension() == ".icd") {
      lines.push_back(describe_file(value));
    }
    // ocl-icd takes a name that is neither as a library; Khronos's loader has further ones besides.
    is_default = is_default && std::string_view(name) == "OCL_ICD_FILENAMES";
  }
  if (is_default) describe_folder("/etc/OpenCL/vendors", lines);
  return lines;
}

}  // namespace treadle::opencl
