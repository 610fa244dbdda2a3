// SPDX-License-Identifier: MIT
// Absolute names of folders, and who besides their owner can change what they lead to.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace treadle {

/// Where the process stands; empty if that folder was deleted.
std::filesystem::path current_folder();

/// `path` from the current folder on, without "." and ".."; no failure.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Who could put another folder in the place of `folder`, an absolute path: a sentence that names
/// the folder or link above it that others may change, and what to do. Empty if nobody could but
/// this user, root and `owner`, to whom `folder` belongs. Below a folder like /tmp, where everybody
/// may make files but nobody may rename another's, what is this user's is safe. What is missing
/// belongs to whoever makes it and is no reason. Reads the disk; throws std::bad_alloc only.
std::string untrusted_way_to(const std::filesystem::path& folder, uid_t owner = geteuid());

}  // namespace treadle
