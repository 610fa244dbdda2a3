// SPDX-License-Identifier: MIT
// A folder is as safe as the path to it: whoever may rename one of the folders above it, or change
// a link on the path, chooses what is found there. So the path is resolved as the kernel does it,
// step by step:
//
//   /home/me/cache -> ../scratch/c     /, /home, /home/me, then /home/scratch, whoever made that
#include "treadle/process/folders.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <deque>
#include <system_error>
#include <vector>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace treadle {
namespace {

using std::filesystem::path;

constexpr unsigned most_links = 40;  // as the kernel's

/// Distributions give each user a group of the same name, which they alone are in, and let it write
/// what they make. Those of group root are trusted as root is.
bool is_nobody_elses(gid_t group) {
  if (group == 0) return true;
  std::vector<char> user_text(16384), group_text(65536);
  passwd user{}, *found_user = nullptr;
  struct group named{}, *found = nullptr;
  if (getpwuid_r(geteuid(), &user, user_text.data(), user_text.size(), &found_user) != 0 ||
      getgrgid_r(group, &named, group_text.data(), group_text.size(), &found) != 0 ||
      found_user == nullptr || found == nullptr)
    return false;
  const std::string name = user.pw_name;
  for (char** member = named.gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  return name == named.gr_name;
}

class Way {
 public:
  Way(const path& folder, uid_t owner) : folder_(folder), owner_(owner) {}

  std::string fault() {
    struct stat status{};
    if (lstat("/", &status) != 0) return {};
    root_owner_ = status.st_uid;
    if (std::string text = judge(status); !text.empty()) return text;
    put_in_front(folder_.relative_path().parent_path());
    for (unsigned links = 0; !steps_.empty();) {
      const path step = steps_.front();
      steps_.pop_front();
      if (step.empty() || step == ".") continue;
      const path before = at_;
      at_ = step == ".." ? at_.parent_path() : at_ / step;
      if (lstat(at_.c_str(), &status) != 0) return {};  // opening it reports the reason
      if (std::string text = judge(status); !text.empty()) return text;
      if (!S_ISLNK(status.st_mode)) continue;
      std::error_code failed;
      const path target = std::filesystem::read_symlink(at_, failed);
      if (failed || ++links > most_links) return {};
      at_ = target.is_absolute() ? path("/") : before;
      put_in_front(target.relative_path());
    }
    return {};
  }

 private:
  void put_in_front(const path& way) { steps_.insert(steps_.begin(), way.begin(), way.end()); }

  /// In a user namespace root may be mapped to nobody; then the owner of "/" counts as root.
  bool is_trusted(uid_t user) const {
    return user == 0 || user == geteuid() || user == owner_ ||
           (user == root_owner_ && !others_make_files_);
  }

  std::string judge(const struct stat& status) {
    if (!is_trusted(status.st_uid))
      return fmt::format(
          "{} belongs to user {}, who could replace {} below it; choose a folder "
          "below one of your own",
          at_.string(), status.st_uid, folder_.string());
    if (S_ISLNK(status.st_mode)) return {};
    const bool others_write = (status.st_mode & S_IWOTH) != 0 ||
                              ((status.st_mode & S_IWGRP) != 0 && !is_nobody_elses(status.st_gid));
    if (others_write && (status.st_mode & S_ISVTX) == 0)
      return fmt::format(
          "{} may be written by other users (mode {:04o}), who could replace {} "
          "below it; chmod go-w {} or choose another folder",
          at_.string(), status.st_mode & 07777, folder_.string(), at_.string());
    others_make_files_ = others_write;
    return {};
  }

  const path& folder_;
  const uid_t owner_;
  uid_t root_owner_ = 0;
  path at_ = "/";  ///< no link is left in it but its last step
  std::deque<path> steps_;
  bool others_make_files_ = false;  ///< in the folder that the next step is in
};

}  // namespace

path current_folder() {
  std::error_code failure;
  return std::filesystem::current_path(failure);
}

path absolute_path(const path& name) {
  return name.is_absolute() ? name.lexically_normal()
                            : (current_folder() / name).lexically_normal();
}

std::string untrusted_way_to(const path& folder, uid_t owner) { return Way(folder, owner).fault(); }

}  // namespace treadle
