// SPDX-License-Identifier: MIT
// A kernel that is launched by the best variant that is known for the problem at hand.
//
//   tune::TunedKernel transpose(device, space, kernel, {"n"});
//   transpose.launch(*stream, {std::int64_t{n}}, out, in, n);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/stream.hpp"
#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// What is done at the first launch for a problem that was not measured here.
enum class TunePolicy : std::uint8_t {
  never,       ///< the nearest that the store knows is used, or the default
  background,  ///< the same, until another thread has tuned the kernel
  block,       ///< the kernel is tuned first
};
/// "never", "background" or "block".
std::string_view policy_name(TunePolicy policy) noexcept;
/// Throws InvalidArgument listing those there are.
TunePolicy policy_of(std::string_view name);

/// How a tuned kernel chooses.
struct TunedKernelOptions {
  TunePolicy policy = TunePolicy::never;
  std::map<std::string, Value> defaults = {};  ///< of parameters; what is missing is the first
  /// The arguments to tune for a problem with; `never` needs none.
  std::function<std::vector<ProblemArgument>(const ProblemSignature&)> problem = {};
  TuneOptions tune = {};              ///< how it is tuned
  std::shared_ptr<Store> store = {};  ///< null: Store::of_user()
  /// What the program ships, made of its wisdom by import_lines(): it is asked where the store
  /// knows nothing, before the defaults.
  std::shared_ptr<Store> seeds = {};
  std::string version = {};  ///< for kernel_key()
};

/// What is launched for a problem.
struct Chosen {
  Configuration configuration;  ///< of the variant
  Match match;                  ///< how it was found; exact once it is tuned
  device::Kernel kernel;        ///< compiled and loaded
  device::LaunchShape shape;    ///< with which it is launched
};

/// A kernel, tuned for each problem. Any thread.
class TunedKernel {
 public:
  /// `problem_names` are names that formulas of the space and of the launch shape use, whose values
  /// each launch tells. Throws as VariantWriter, and InvalidArgument for a policy that needs
  /// `problem`.
  TunedKernel(std::shared_ptr<device::Device> device, Space space, KernelTemplate kernel,
              std::vector<std::string> problem_names, TunedKernelOptions options = {});
  /// Stops what tunes in the background, and waits for it.
  ~TunedKernel();
  TunedKernel(const TunedKernel&) = delete;
  TunedKernel& operator=(const TunedKernel&) = delete;

  /// The variant for these values of the problem's names: looked up, compiled and, by the policy,
  /// tuned at the first call for them; some 100 ns later. Throws InvalidArgument for another number
  /// of values and for problems that no configuration fits, CompileError, and what tuning throws.
  std::shared_ptr<const Chosen> choose(std::span<const Value> problem);
  /// The same for values that are written down.
  std::shared_ptr<const Chosen> choose(std::initializer_list<Value> problem) {
    return choose(std::span<const Value>(problem.begin(), problem.size()));
  }
  /// Launches the variant for a problem. Throws as choose() and Stream::launch().
  template <class... Arguments>
  void launch(device::Stream& stream, std::initializer_list<Value> problem,
              const Arguments&... arguments) {
    const auto chosen = choose(problem);
    stream.launch(chosen->kernel, chosen->shape, arguments...);
  }
  /// Tunes for a problem now, whatever the policy: arguments of TunedKernelOptions::problem.
  std::shared_ptr<const Chosen> tune(std::span<const Value> problem);
  /// Waits until nothing is tuned in the background; throws what failed there.
  void wait();

  /// As they were given, in the order of the values.
  const std::vector<std::string>& problem_names() const noexcept;
  device::Device& device() const noexcept;  ///< where it runs

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace treadle::tune
