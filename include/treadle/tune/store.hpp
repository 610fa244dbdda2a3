// SPDX-License-Identifier: MIT
// What was measured, kept for later processes: every attempt, by kernel, problem and environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/tune/space.hpp"
#include "treadle/tune/tune_kernel.hpp"

namespace treadle::tune {

/// Where something was measured: on another device, or by another compiler, times are others.
struct Environment {
  std::string device = {};        ///< the vendor's name of it
  std::string architecture = {};  ///< "sm_90", "cpu"
  std::string driver = {};        ///< its version
  std::string compiler = {};      ///< its build
  std::string treadle = {};       ///< version
  bool operator==(const Environment&) const = default;
};
/// That of a device, in this process. Loads no compiler.
Environment environment_of(const device::Device& device);

/// What a kernel is tuned for: names and values that change what is best, the size of a problem and
/// dtypes, say. Numbers make problems near to each other.
using ProblemSignature = std::map<std::string, Value>;

/// Under which name attempts are kept.
struct StoreKey {
  std::string kernel;  ///< of kernel_key()
  ProblemSignature problem = {};
  Environment environment = {};  ///< where it was measured
};
/// A digest of a template's text, kernel, shape formulas and flags, and of the parameters of a
/// space. Where functions write text or shape, `version` has to tell their changes apart.
std::string kernel_key(const KernelTemplate& kernel, const Space& space,
                       std::string_view version = {});

/// How near a choice is to what was asked for.
enum class Match : std::uint8_t {
  exact,               ///< measured for this problem, here
  near_problem,        ///< for the nearest problem on a device of this name
  architecture,        ///< for the nearest problem on another device of this architecture
  older_architecture,  ///< the same, of the last architecture before this one
  none,                ///< nothing is known: the default
};
/// "exact", "near problem", "architecture", "older architecture" or "none".
std::string_view match_name(Match match) noexcept;

/// The best that is known.
struct Choice {
  std::map<std::string, Value> values = {};  ///< of the parameters
  double seconds = 0;                        ///< that it took where it was measured
  Match match = Match::none;                 ///< how near the problem is
  ProblemSignature problem = {};             ///< that it was measured for
};

/// A kept attempt.
struct KeptAttempt {
  StoreKey key;                         ///< under which it is kept
  std::map<std::string, Value> values;  ///< of the parameters
  Measured measured;                    ///< what came of it
};

/// A file of attempts (SQLite's format), or memory. Processes share a file: what one has added
/// another finds. Any thread.
class Store {
 public:
  /// The store of the user: settings().cache_dir / "tuning.db", or the user's cache folder. Where
  /// that cannot be written, memory, with a warning. The same object for every call.
  static std::shared_ptr<Store> of_user();
  /// Of a file, which is made if need be; empty: memory alone. Where none can be made, and where
  /// one that is there cannot be written, what is added stays in memory, with a warning; what is
  /// there is read. Throws InvalidState for a file that is no store, or of a newer Treadle.
  explicit Store(std::filesystem::path file);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Keeps an attempt, in the place of one of the same key and configuration.
  void add(const StoreKey& key, const Configuration& configuration, const Measured& measured);
  /// All of a key, the best first.
  std::vector<KeptAttempt> attempts(const StoreKey& key);
  /// What is known of one configuration.
  std::optional<Measured> find(const StoreKey& key, const Configuration& configuration);
  /// The best that is known for a key: what won a search; without one, what took least. Measured
  /// for it exactly; else for the nearest problem
  /// (least distance of the logarithms of its numbers; other values have to be equal) on a device
  /// of this name, whatever driver and compiler; else on one of the same architecture, or of the
  /// last before it (device::architecture_age()). None: Match::none.
  Choice choose(const StoreKey& key);
  /// All of them, the nearest first: for who has to pass over some.
  std::vector<Choice> choices(const StoreKey& key);
  std::size_t size();  ///< attempts
  /// For what there are attempts. Here and below, `kernel` is a key's, or the name of a kernel,
  /// which keys of all its texts begin with; empty: all.
  std::vector<StoreKey> keys(std::string_view kernel = {});

  /// All attempts as JSON, one a line, or those of a kernel alone: "wisdom".
  std::string export_lines(std::string_view kernel = {});
  /// Adds what export_lines() of another store gave; where both know an attempt, the later one
  /// stays. All or, if it throws, nothing: InvalidArgument with the line that cannot be read.
  /// Returns how many there were.
  std::size_t import_lines(std::string_view lines);
  /// The same from another store's file.
  std::size_t merge(const std::filesystem::path& file);
  /// Forgets attempts of a kernel; empty: all. Returns how many there were.
  std::size_t remove(std::string_view kernel = {});

  const std::filesystem::path& file() const noexcept;  ///< empty: memory
  bool is_written() const noexcept;                    ///< false: what is added stays in memory

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Tunes with what a store knows of a key, and keeps there what is measured: sets `known` and
/// `keep`. A search that was ended goes on so where it was.
void use_store(TuneOptions& options, std::shared_ptr<Store> store, StoreKey key);

}  // namespace treadle::tune
