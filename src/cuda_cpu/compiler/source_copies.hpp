// SPDX-License-Identifier: MIT
// Sources come as strings; a debugger shows lines of files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda_cpu {

/// The files that `text` is made of by its own account, #line directives that is, each with its
/// lines where they are counted from. What comes before the first #line belongs to `name`.
std::map<std::string, std::string> presumed_files(std::string_view text, const std::string& name);

/// The folder that line tables name for a source: a digest of `text`, below debug_source_root.
std::string source_folder(std::string_view text);

/// Keeps the files that `text` is made of where debuggers are told to look. Those with absolute
/// names are not kept, they are there; nor is any where the disk refuses.
void keep_source(std::string_view text, const std::string& name);

}  // namespace treadle::cuda_cpu
