// SPDX-License-Identifier: MIT
// Texture and surface references of one module. A reference is a variable that holds an object;
// kernels of the module read it. What is bound to it counts from the next launch on:
//
//   launch k on A            reads object 1
//   bind another array
//   launch k on B            B waits for k on A; object 2 is written in B; k
//   launch k on A            A waits for the write; k
//
// So that no launch reads an object that was bound after it, and none is destroyed that is still
// read. Modules without references pay one load for each launch, and modules that use one stream
// no event.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "treadle/cuda/event.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {

class ModuleState;
class ReferenceSet;

/// What the compiler laid down in the variable: kernels/*/treadle has the same structure.
struct ReferenceDeclaration {
  static constexpr std::uint32_t expected_mark = 0x66657274;  // "tref"
  enum Kind : std::uint8_t { texture, surface };

  std::uint64_t object = 0;  ///< the only part that is written
  std::uint32_t mark = 0;
  Kind kind = texture;
  std::uint8_t shape = 0;              ///< cudaTextureType*
  std::uint8_t normalized_values = 0;  ///< cudaTextureReadMode
  std::uint8_t channels = 0;
  std::uint32_t format = 0;  ///< CUarray_format
  std::uint8_t normalized_coordinates = 0, filter = 0, address_mode = 0, unused = 0;
};
static_assert(sizeof(ReferenceDeclaration) == 24);

/// An object as it stands in the variable, and what keeps it.
struct BoundObject {
  unsigned long long raw = 0;
  std::shared_ptr<const void> keeper;
};

/// One reference. Everything but its name is guarded by the set's mutex.
class ReferenceState {
 public:
  /// A reference to no variable.
  explicit ReferenceState(ReferenceSet& set) noexcept : set_(set) {}
  /// To a variable of a module in `context`.
  ReferenceState(ReferenceSet& set, Context context, std::string name, DevicePointer variable)
      : set_(set), context_(std::move(context)), name_(std::move(name)), variable_(variable) {}
  ReferenceState(const ReferenceState&) = delete;
  ReferenceState& operator=(const ReferenceState&) = delete;
  virtual ~ReferenceState() = default;

  ReferenceSet& set() const noexcept { return set_; }
  /// Of the module; none for a reference to no variable.
  const Context& context() const noexcept { return context_; }
  const std::string& name() const noexcept { return name_; }

 protected:
  friend class ReferenceSet;
  /// The object of what is bound now; Throws what making it throws. Empty if nothing is bound.
  virtual BoundObject make() const = 0;
  /// Throws InvalidState if what is bound was freed.
  virtual void refuse_freed() const = 0;

  ReferenceSet& set_;
  const Context context_;
  const std::string name_;
  const DevicePointer variable_ = 0;
  bool is_changed_ = false;
  BoundObject object_;  ///< what the variable holds, once the write is done
};

class TextureReferenceState final : public ReferenceState {
 public:
  static constexpr auto kind = ReferenceDeclaration::texture;
  using ReferenceState::ReferenceState;
  using Source = std::variant<std::monostate, Array, MipmappedArray, TextureMemory>;

  void declare(const ReferenceDeclaration& declaration);

  Source source;
  TextureSettings settings;
  ArrayShape element;  ///< format and channels of elements at addresses; no sizes
  /// Whether kernels were compiled to read integers as they are; nothing is known of references to
  /// no variable.
  bool reads_integers = false, is_declared = false;

 private:
  BoundObject make() const override;
  void refuse_freed() const override;
};

class SurfaceReferenceState final : public ReferenceState {
 public:
  static constexpr auto kind = ReferenceDeclaration::surface;
  using ReferenceState::ReferenceState;
  void declare(const ReferenceDeclaration&) {}

  Array array;

 private:
  BoundObject make() const override;
  void refuse_freed() const override;
};

class ReferenceSet {
 public:
  ReferenceSet() = default;
  ReferenceSet(const ReferenceSet&) = delete;
  ReferenceSet& operator=(const ReferenceSet&) = delete;
  /// Waits for launches that still read an object.
  ~ReferenceSet();

  /// Whether launches must go through launch().
  bool is_used() const noexcept { return is_used_.load(std::memory_order_relaxed); }
  /// Runs `start`, which starts a kernel on `stream`, after what was bound is written. The context
  /// is current. Throws what making the objects throws.
  template <class Start>
  int launch(const Context& context, RawStream stream, Start start) {
    std::vector<BoundObject> unused;
    const int code = [&] {
      const std::lock_guard lock(mutex_);
      write_changes(context, stream, unused);
      const int launched = start();
      if (launched == 0) note_reader(context, stream);
      return launched;
    }();
    // Behind the lock: an owner may run code of a program.
    if (!unused.empty()) drop(unused);
    return code;
  }

  /// The reference called `name`, made by `make` if it is asked for the first time.
  ReferenceState& find(const std::string& name,
                       const std::function<std::unique_ptr<ReferenceState>()>& make);

  /// Changes what is bound or set, and says whether it differs. What `change` replaces must be
  /// dropped by the caller, after the call.
  template <class Change>
  void change(ReferenceState& state, Change apply) {
    const std::lock_guard lock(mutex_);
    if (!apply()) return;
    state.is_changed_ = true;
    if (state.variable_ != 0) is_used_.store(true, std::memory_order_relaxed);
  }
  /// Reads what is bound or set.
  template <class Read>
  auto read(Read get) const {
    const std::lock_guard lock(mutex_);
    return get();
  }

 private:
  static void drop(std::vector<BoundObject>& unused);
  void write_changes(const Context& context, RawStream stream, std::vector<BoundObject>& unused);
  void wait_for_readers(StreamRef stream);
  void follow_write(StreamRef stream, std::vector<BoundObject>& unused);
  void note_reader(const Context& context, RawStream stream);

  mutable std::mutex mutex_;
  std::atomic<bool> is_used_{false};
  std::vector<std::unique_ptr<ReferenceState>> references_;
  std::vector<BoundObject> replaced_;  ///< read until the last write is done
  std::unique_ptr<Event> written_;     ///< the last write; null: it is done
  /// Launches since then, the last on each stream. The default stream cannot be destroyed: its
  /// event is recorded when it is needed.
  std::vector<std::pair<RawStream, Event>> readers_;
  Context default_reader_;
};

/// The references of a module.
ReferenceSet& references_of(const ModuleState& module);

}  // namespace treadle::cuda
