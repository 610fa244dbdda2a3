// SPDX-License-Identifier: MIT
// Memory that nobody uses and that is kept for whoever asks next. Rooms that keep some say how it
// is given back; the shells of run-times, which may not know those rooms, ask for it where a
// run-time refuses an allocation.
#pragma once

#include <cstddef>
#include <string>

namespace treadle {

/// How the memory that is kept is given back. Functions of any thread, which hold no lock then.
struct KeptMemory {
  std::size_t (*give_back)() noexcept;  ///< all of it, of every device; how many bytes it was
  std::string (*text)();                ///< how much is kept and in use: "pools ... hold 0 bytes"
};
/// Says how, for the rest of the process, in which `kept` stays; null: nothing is kept.
void set_kept_memory(const KeptMemory* kept) noexcept;

/// Gives back all that is kept, and returns how many bytes it was. Nothing (0) within a KeptAside
/// of this thread, or where nobody has said how.
std::size_t give_back_kept_memory() noexcept;
/// For messages of a shell: adds what is kept and in use to a detail, where somebody has said how,
/// and not within a KeptAside of this thread, who says it himself.
void add_kept_memory(std::string& detail);

/// While this lives, allocations of this thread that are refused leave alone what is kept: for one
/// who keeps memory himself and gives it up in an order of his own. Scopes nest.
class KeptAside {
 public:
  KeptAside() noexcept;
  KeptAside(const KeptAside&) = delete;
  KeptAside& operator=(const KeptAside&) = delete;
  ~KeptAside();
};

/// What `call()` returns, a status of a run-time. Where `is_refusal` says that it is one for lack
/// of memory, gives back what is kept and calls once more.
template <class Call, class IsRefusal>
auto with_kept_memory(Call&& call, IsRefusal&& is_refusal) {
  auto status = call();
  if (is_refusal(status)) [[unlikely]]
    if (give_back_kept_memory() != 0) status = call();
  return status;
}

}  // namespace treadle
