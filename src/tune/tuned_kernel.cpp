// SPDX-License-Identifier: MIT
#include "treadle/tune/tuned_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

constexpr std::string_view policy_names[] = {"never", "background", "block"};

/// Values in the order of the problem's names.
struct ProblemValues {
  std::vector<Value> values;
};
struct ProblemHash {
  using is_transparent = void;
  std::size_t operator()(std::span<const Value> values) const noexcept {
    std::size_t made = values.size();
    for (const Value& value : values)
      made = made * 0x9E3779B97F4A7C15ull + std::hash<Value>()(value);
    return made;
  }
  std::size_t operator()(const ProblemValues& problem) const noexcept {
    return (*this)(std::span<const Value>(problem.values));
  }
};
struct ProblemEqual {
  using is_transparent = void;
  static std::span<const Value> span(const ProblemValues& problem) { return problem.values; }
  static std::span<const Value> span(std::span<const Value> values) { return values; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::ranges::equal(span(a), span(b));
  }
};

}  // namespace

std::string_view policy_name(TunePolicy policy) noexcept {
  return policy_names[static_cast<std::size_t>(policy)];
}
TunePolicy policy_of(std::string_view name) {
  const auto found = std::ranges::find(policy_names, name);
  if (found == std::end(policy_names))
    throw InvalidArgument("policy is '" + std::string(name) + "'",
                          "there are never, background and block");
  return static_cast<TunePolicy>(found - std::begin(policy_names));
}

struct TunedKernel::State {
  std::shared_ptr<device::Device> device;
  Space space;
  KernelTemplate written;
  std::vector<std::string> names;
  TunedKernelOptions options;
  std::string kernel;  // of the store's keys
  Environment environment;

  std::shared_mutex mutex = {};  // guards what follows
  std::unordered_map<ProblemValues, std::shared_ptr<const Chosen>, ProblemHash, ProblemEqual>
      known = {};
  std::unordered_map<std::string, device::Kernel> loaded = {};  // by name, flags and text
  std::mutex first_mutex = {};                                  // of one first call at a time
  std::mutex tuning_mutex = {};                                 // of one that tunes at a time
  std::atomic<bool> is_ending = false;
  std::mutex threads_mutex = {};  // guards what follows
  std::vector<std::jthread> threads = {};
  std::exception_ptr failure = {};

  ProblemSignature signature(std::span<const Value> problem) const {
    ProblemSignature made;
    for (std::size_t k = 0; k < names.size(); ++k) made.emplace(names[k], problem[k]);
    return made;
  }
  Space space_for(const ProblemSignature& problem) const {
    Space made = space;
    for (const auto& [name, value] : problem) made.let(name, value);
    return made;
  }
  StoreKey key(const ProblemSignature& problem) const { return {kernel, problem, environment}; }

  /// Several problems often have the same variant, which is loaded once.
  device::Kernel kernel_of(const Variant& variant) {
    std::string text = variant.kernel;
    for (const std::string& flag : variant.options.flags) (text += '\0') += flag;
    (text += '\0') += variant.source;
    {
      const std::shared_lock lock(mutex);
      if (const auto found = loaded.find(text); found != loaded.end()) return found->second;
    }
    const kernel::Program program(device, variant.source, variant.options);
    const std::unique_lock lock(mutex);
    return loaded.try_emplace(std::move(text), program.kernel(variant.kernel)).first->second;
  }
  std::shared_ptr<const Chosen> made_of(const Space& of_problem, const Configuration& configuration,
                                        Match match) {
    const Variant variant = VariantWriter(written, of_problem)(configuration);
    return std::make_shared<const Chosen>(
        Chosen{configuration, match, kernel_of(variant), variant.shape});
  }
  /// The nearest that is known and possible for the problem; the default.
  std::shared_ptr<const Chosen> nearest(const ProblemSignature& problem) {
    const Space of_problem = space_for(problem);
    for (Store* const store : {options.store.get(), options.seeds.get()}) {
      if (store == nullptr) continue;
      for (const Choice& each : store->choices(key(problem))) {
        try {
          return made_of(of_problem, of_problem.make(each.values), each.match);
        } catch (const Error&) {
          continue;  // not for this problem, or not on this device
        }
      }
    }
    return made_of(of_problem, of_problem.make(options.defaults), Match::none);
  }
  std::shared_ptr<const Chosen> tuned(std::span<const Value> problem) {
    const std::lock_guard alone(tuning_mutex);
    const ProblemSignature named = signature(problem);
    const Space of_problem = space_for(named);
    TuneOptions how = options.tune;
    use_store(how, options.store, key(named));
    how.search.start.insert(how.search.start.begin(), of_problem.make(options.defaults));
    how.stop = [this, given = options.tune.stop] { return is_ending || (given && given()); };
    const Tuned found = tune_kernel(device, of_problem, written, options.problem(named), how);
    auto chosen = made_of(of_problem, found.configuration, Match::exact);
    put(problem, chosen);
    return chosen;
  }
  void put(std::span<const Value> problem, std::shared_ptr<const Chosen> chosen) {
    const std::unique_lock lock(mutex);
    known.insert_or_assign(ProblemValues{{problem.begin(), problem.end()}}, std::move(chosen));
  }
  std::shared_ptr<const Chosen> find(std::span<const Value> problem) {
    const std::shared_lock lock(mutex);
    const auto found = known.find(problem);
    return found == known.end() ? nullptr : found->second;
  }
  void tune_behind(std::span<const Value> problem) {
    const std::lock_guard lock(threads_mutex);
    threads.emplace_back([this, values = std::vector<Value>(problem.begin(), problem.end())] {
      try {
        tuned(values);
      } catch (...) {
        const std::lock_guard held(threads_mutex);
        if (!is_ending) failure = std::current_exception();
      }
    });
  }
  std::shared_ptr<const Chosen> first(std::span<const Value> problem) {
    const std::lock_guard lock(first_mutex);
    if (auto found = find(problem)) return found;
    auto chosen = nearest(signature(problem));
    if (chosen->match != Match::exact && options.policy == TunePolicy::block) return tuned(problem);
    put(problem, chosen);
    if (chosen->match != Match::exact && options.policy == TunePolicy::background)
      tune_behind(problem);
    return chosen;
  }
  void check(std::span<const Value> problem) const {
    if (problem.size() == names.size()) return;
    throw InvalidArgument("problem has " + std::to_string(problem.size()) + " values, expected " +
                              std::to_string(names.size()),
                          "pass one for each of problem_names()");
  }
};

TunedKernel::TunedKernel(std::shared_ptr<device::Device> device, Space space, KernelTemplate kernel,
                         std::vector<std::string> problem_names, TunedKernelOptions options) {
  if (device == nullptr) throw InvalidArgument("device is null", "pass a device");
  if (options.policy != TunePolicy::never && !options.problem)
    throw InvalidArgument(
        "problem is empty, and policy is " + std::string(policy_name(options.policy)),
        "pass a function that makes arguments to tune with");
  VariantWriter(kernel, space);
  if (options.store == nullptr) options.store = Store::of_user();
  std::string key = kernel_key(kernel, space, options.version);
  Environment environment = environment_of(*device);
  state_.reset(new State{.device = std::move(device),
                         .space = std::move(space),
                         .written = std::move(kernel),
                         .names = std::move(problem_names),
                         .options = std::move(options),
                         .kernel = std::move(key),
                         .environment = std::move(environment)});
}

TunedKernel::~TunedKernel() {
  state_->is_ending = true;
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(state_->threads_mutex);
    threads.swap(state_->threads);
  }
}

std::shared_ptr<const Chosen> TunedKernel::choose(std::span<const Value> problem) {
  if (auto found = state_->find(problem)) return found;
  state_->check(problem);
  return state_->first(problem);
}

std::shared_ptr<const Chosen> TunedKernel::tune(std::span<const Value> problem) {
  state_->check(problem);
  if (!state_->options.problem)
    throw InvalidArgument("problem is empty", "pass a function that makes arguments to tune with");
  return state_->tuned(problem);
}

void TunedKernel::wait() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(state_->threads_mutex);
    threads.swap(state_->threads);
  }
  threads.clear();
  const std::lock_guard lock(state_->threads_mutex);
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, {}));
}

const std::vector<std::string>& TunedKernel::problem_names() const noexcept {
  return state_->names;
}
device::Device& TunedKernel::device() const noexcept { return *state_->device; }

}  // namespace treadle::tune
