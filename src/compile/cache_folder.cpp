// SPDX-License-Identifier: MIT
#include "compile/cache_folder.hpp"

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "treadle/process/debug_files.hpp"
#include "treadle/process/folders.hpp"

namespace treadle::compile {
namespace {

// Makes `folder` and every missing parent; 0 or the errno of the first step that failed.
int make_folders(const FileSystem& files, const std::filesystem::path& folder) {
  if (files.mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || !folder.has_relative_path()) return errno;
  if (const int failure = make_folders(files, folder.parent_path())) return failure;
  return files.mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

std::string judge_kind(const struct stat& status, const std::filesystem::path& folder) {
  if (S_ISLNK(status.st_mode))
    return fmt::format("{} is a symbolic link; name the folder it leads to", folder.string());
  if (!S_ISDIR(status.st_mode)) return fmt::format("{} is a file, not a folder", folder.string());
  return {};
}

std::string judge_writers(const struct stat& status, const std::filesystem::path& folder,
                          std::string_view mode) {
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fmt::format("{} may be written by other users (mode {:04o}); chmod {} {}", folder.string(),
                     status.st_mode & 07777, mode, folder.string());
}

std::string judge(const struct stat& status, const std::filesystem::path& folder) {
  if (std::string fault = judge_kind(status, folder); !fault.empty()) return fault;
  if (status.st_uid != geteuid())
    return fmt::format("{} belongs to user {}, not to user {} who runs this process",
                       folder.string(), status.st_uid, geteuid());
  return judge_writers(status, folder, "700");
}

}  // namespace

std::string error_text(int error_number) {
  const char* name = strerrorname_np(error_number);
  return fmt::format(
      "{} ({})",
      strerrordesc_np(error_number) != nullptr ? strerrordesc_np(error_number) : "unknown error",
      name != nullptr ? name : std::to_string(error_number));
}

std::filesystem::path default_cache_folder(std::string& reason) {
  std::filesystem::path folder = user_cache_folder();
  if (folder.empty()) reason = "there is no home folder (HOME is unset); set TREADLE_CACHE_DIR";
  return folder;
}

std::filesystem::path chosen_folder(const std::filesystem::path& folder, std::string& reason) {
  return folder.empty() ? default_cache_folder(reason) : absolute_path(folder);
}

std::string judge_folder(const FileSystem& files, const std::filesystem::path& folder) {
  // The way to a folder that the user named is the user's own choice.
  if (folder == unnamed_cache_folder())
    if (std::string fault = untrusted_way_to(folder); !fault.empty()) return fault;
  struct stat status{};
  if (files.lstat(folder.c_str(), &status) == 0) return judge(status, folder);
  return errno == ENOENT ? std::string{}
                         : fmt::format("{}: {}", folder.string(), error_text(errno));
}

std::string judge_shared_folder(const FileSystem& files, const std::filesystem::path& folder,
                                uid_t& owner) {
  struct stat status{};
  if (files.lstat(folder.c_str(), &status) != 0)
    return fmt::format("{}: {}", folder.string(), error_text(errno));
  owner = status.st_uid;
  if (std::string fault = judge_kind(status, folder); !fault.empty()) return fault;
  if (std::string fault = judge_writers(status, folder, "go-w"); !fault.empty()) return fault;
  return untrusted_way_to(folder, owner);
}

std::string prepare_folder(const FileSystem& files, const std::filesystem::path& folder) {
  struct stat status{};
  if (std::string fault = judge_folder(files, folder); !fault.empty()) return fault;
  if (files.lstat(folder.c_str(), &status) == 0) return {};
  if (const int failure = make_folders(files, folder))
    return fmt::format("{} cannot be made: {}", folder.string(), error_text(failure));
  return judge_folder(files, folder);  // the way to it too: others may have been quicker
}

}  // namespace treadle::compile
