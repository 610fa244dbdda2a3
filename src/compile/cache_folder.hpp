// SPDX-License-Identifier: MIT
// Which folder the disk cache uses, and whether it may be trusted.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "compile/file_system.hpp"

namespace treadle::compile {

/// settings().cache_dir; else $XDG_CACHE_HOME/treadle, else ~/.cache/treadle. Empty, with `reason`,
/// if there is no home folder.
std::filesystem::path default_cache_folder(std::string& reason);
/// `folder`, absolute; the default one if it is empty.
std::filesystem::path chosen_folder(const std::filesystem::path& folder, std::string& reason);

/// Why `folder` cannot be used; empty if it can. A folder that is missing is
/// made, with its parents, readable by this user only. Another user's folder, one that others may
/// write to or replace, a symbolic link and a file are refused: what is loaded from the cache runs
/// as this user.
std::string prepare_folder(const FileSystem& files, const std::filesystem::path& folder);
/// The same check of a folder as it is: a missing one is not made, and is no reason.
std::string judge_folder(const FileSystem& files, const std::filesystem::path& folder);

/// The same check of a folder that is shared: named by this user, made and filled by any. It
/// must be there, no link, and be written and replaced by its owner only, which `owner` receives.
std::string judge_shared_folder(const FileSystem& files, const std::filesystem::path& folder,
                                uid_t& owner);

/// "No space left on device (ENOSPC)".
std::string error_text(int error_number);

}  // namespace treadle::compile
