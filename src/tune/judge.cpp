// SPDX-License-Identifier: MIT
// The questions, in this order, because a kernel that leaves its memory is not run without checks:
//
//   CPU device, CUDA C   one check at a time, each in a context of its own: bounds, race ...
//   each device          guarded runs: two poisons tell what was not written, and what differs
//   all                  results against the reference, or against the kernel in double precision
#include "treadle/tune/judge.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "process/quiet_warnings.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/registry.hpp"
#include "tune/double_shadow.hpp"
#include "tune/judged_kernel.hpp"
#include "tune/judged_run.hpp"
#include "tune/kernel_usage.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

using SharedDevice = std::shared_ptr<device::Device>;

constexpr std::array checked_questions = {
    std::pair{Question::bounds, "memory"}, std::pair{Question::race, "race"},
    std::pair{Question::init, "init"}, std::pair{Question::sync, "sync"},
    std::pair{Question::order, "determinism"}};

/// What a kernel did, without what it did to the context.
std::string fault_in(const Error& error) {
  std::string text = error.what();
  if (const std::size_t at = text.find("kernel "); at != std::string::npos) text.erase(0, at);
  for (const char* const end : {"; last launches", "; the context is lost", "\n"})
    text.resize(std::min(text.size(), text.find(end)));
  return text;
}

bool is_poison(std::span<const std::byte> element, std::byte poison) {
  return std::ranges::all_of(element, [&](std::byte each) { return each == poison; });
}

class Judge {
 public:
  Judge(const JudgedKernel& given, const Reference& reference, const JudgeOptions& options)
      : subject_(given),
        reference_(reference),
        options_(options),
        problems_(subject_.problems()),
        is_opencl_(is_of_opencl(given.text)) {
    verdict_.kernel = subject_.name();
    verdict_.accepted = options.accepted;
  }

  Verdict verdict() {
    for (const SharedDevice& device : devices()) ask(device);
    ask_resources();
    std::ranges::stable_sort(verdict_.findings, {}, &Finding::question);
    return std::move(verdict_);
  }

 private:
  std::vector<SharedDevice> devices() const;
  void ask(const SharedDevice& device);
  std::optional<kernel::Program> compiled(const SharedDevice& device);
  void ask_checks(const SharedDevice& device);
  void ask_check(const SharedDevice& device, Question question, const std::string& check);
  /// False when the device took a fault.
  bool ask_results(const SharedDevice& device, const device::Kernel& kernel, Contents contents);
  bool ask_case(const SharedDevice& device, const device::Kernel& kernel, Contents contents,
                const NamedValues& problem);
  void ask_written(const std::array<RunResult, 2>& runs, const JudgedCase& run,
                   const std::string& where);
  void ask_expected(const RunResult& result, const JudgedCase& run, Contents contents,
                    const std::string& where);
  void ask_zeros(const RunResult& result, const JudgedCase& run, const std::string& where);
  void ask_aliasing(const SharedDevice& device, const device::Kernel& kernel);
  void ask_resources();
  bool fill_expected(JudgedCase& run);

  /// The first that is wrong counts, and before that the first of all.
  void note(Question question, Answer answer, std::string text = {}, std::string where = {}) {
    for (Finding& finding : verdict_.findings) {
      if (finding.question != question || finding.device != device_) continue;
      if (finding.answer != Answer::wrong && answer == Answer::wrong)
        finding = {question, answer, device_, std::move(text), std::move(where)};
      return;
    }
    verdict_.findings.push_back({question, answer, device_, std::move(text), std::move(where)});
  }
  bool is_wrong(Question question) const {
    return std::ranges::any_of(verdict_.findings, [&](const Finding& finding) {
      return finding.question == question && finding.device == device_ &&
             finding.answer == Answer::wrong;
    });
  }
  double tolerance(Scalar dtype) const {
    const double usual = default_tolerance(dtype);
    return usual == 0 ? 0 : options_.tolerance.value_or(usual);
  }

  const KernelSubject subject_;
  const Reference reference_;
  const JudgeOptions options_;
  const std::vector<NamedValues> problems_;
  const bool is_opencl_;
  std::unique_ptr<DoubleShadow> shadow_;  ///< made when it is first needed
  std::string device_;                    ///< that is asked; empty: none
  Verdict verdict_;
};

std::vector<SharedDevice> Judge::devices() const {
  std::vector<SharedDevice> made;
  for (const std::string& id : options_.devices) made.push_back(device::find_device(id));
  if (!made.empty()) return made;
  for (const SharedDevice& each : device::devices()) {
    const bool takes_it = (each->info().language == Language::opencl_c) == is_opencl_;
    const bool is_second = std::ranges::any_of(
        made, [&](const auto& other) { return other->info().kind == each->info().kind; });
    if (takes_it && !is_second && each->info().id != "null") made.push_back(each);
  }
  if (made.empty())
    throw LibraryNotFound("no device of this machine takes the text of kernel " + subject_.name(),
                          device::missing_runtimes(),
                          "install an OpenCL platform, or write the kernel in CUDA C");
  return made;
}

std::optional<kernel::Program> Judge::compiled(const SharedDevice& device) {
  try {
    kernel::Program program(device, subject_.given().text, subject_.given().options);
    note(Question::compiles, Answer::right);
    return program;
  } catch (const CompileError& error) {
    note(Question::compiles, Answer::wrong, error.what());
  }
  return std::nullopt;
}

void Judge::ask(const SharedDevice& given) {
  device_ = given->info().id;
  // What a kernel breaks shall be nobody else's.
  const QuietWarnings quiet;
  const auto own = device::in_new_context(*given);
  const SharedDevice device = own != nullptr ? own : given;
  const auto program = compiled(device);
  if (!program) return;
  if (device->info().id == "cpu") ask_checks(given);
  if (is_wrong(Question::bounds))
    return note(Question::runs, Answer::unknown, "it is not run where nothing stops it");
  const device::Kernel kernel = program->kernel(subject_.name());
  for (const Contents contents : {Contents::random, Contents::extreme, Contents::special}) {
    if (contents != Contents::random && !subject_.reads_floats()) break;
    if (!ask_results(device, kernel, contents)) return;
  }
  ask_aliasing(device, kernel);
}

void Judge::ask_checks(const SharedDevice& device) {
  for (const auto& [question, check] : checked_questions) ask_check(device, question, check);
}

void Judge::ask_check(const SharedDevice& device, Question question, const std::string& check) {
  const QuietWarnings quiet;
  const SharedDevice own = device::in_new_context(*device);
  // A kernel that leaves its memory is stopped before it does.
  const bool leaves = is_wrong(Question::bounds);
  kernel::ProgramOptions options = subject_.given().options;
  options.flags.push_back("--treadle-check=" + std::string(leaves ? "memory," : "") + check);
  std::string where;
  try {
    const kernel::Program program(own, subject_.given().text, options);
    const device::Kernel kernel = program.kernel(subject_.name());
    // The last are the largest, and checks are slow.
    for (std::size_t k = 0; k < std::min<std::size_t>(problems_.size(), 4); ++k) {
      where = KernelSubject::text_of(problems_[k]);
      const JudgedCase run = subject_.make_case(problems_[k], Contents::random, options_.seed + k);
      run_case(own, kernel, subject_, run, {.zones = Zones::none});
    }
    note(question, Answer::right);
  } catch (const DeviceError& error) {
    const bool is_of_bounds = leaves && error.code_name() == "CUDA_ERROR_ILLEGAL_ADDRESS";
    note(question, is_of_bounds ? Answer::unknown : Answer::wrong,
         is_of_bounds ? "it leaves its memory before" : fault_in(error), where);
  }
}

bool Judge::ask_results(const SharedDevice& device, const device::Kernel& kernel,
                        Contents contents) {
  return std::ranges::all_of(problems_, [&](const NamedValues& problem) {
    return ask_case(device, kernel, contents, problem);
  });
}

bool Judge::ask_case(const SharedDevice& device, const device::Kernel& kernel, Contents contents,
                     const NamedValues& problem) {
  static constexpr const char* names[] = {"random", "extreme", "special"};
  const std::string where =
      KernelSubject::text_of(problem) + ", " + names[static_cast<int>(contents)] + " values";
  JudgedCase run = subject_.make_case(problem, contents, options_.seed);
  std::array<RunResult, 2> runs;
  try {
    for (std::size_t k = 0; k < 2; ++k)
      runs[k] = run_case(device, kernel, subject_, run, {.poison = poisons[k]});
  } catch (const DeviceError& error) {
    note(Question::runs, Answer::wrong, fault_in(error), where);
    return false;
  }
  note(Question::runs, Answer::right);
  const bool is_inside = runs[0].beyond.empty();
  note(Question::bounds, is_inside ? Answer::right : Answer::wrong, runs[0].beyond, where);
  ask_written(runs, run, where);
  if (fill_expected(run)) ask_expected(runs[0], run, contents, where);
  if (contents == Contents::random) ask_zeros(runs[0], run, where);
  return is_inside;  // a larger problem may leave its memory by more, and end the process
}

/// Elements that both poisons survived in; and those that differ although they did not.
void Judge::ask_written(const std::array<RunResult, 2>& runs, const JudgedCase& run,
                        const std::string& where) {
  for (const JudgedArray& array : run.arrays) {
    if (array.use == JudgedUse::input || array.use == JudgedUse::scratch) continue;
    const std::span first(runs[0].after.at(array.name)), second(runs[1].after.at(array.name));
    std::size_t left = 0, left_at = 0, other = 0, other_at = 0;
    const std::size_t size = array.element_bytes, count = first.size() / size;
    // What lies between a structure's parts is nobody's result.
    const std::vector<JudgedPart> whole = {{"", array.dtype, 0}};
    for (std::size_t k = 0; k < count; ++k) {
      bool is_left = false, is_other = false;
      for (const JudgedPart& part : array.parts.empty() ? whole : array.parts) {
        const std::size_t at = k * size + part.offset, bytes = DType(part.dtype).size_bytes();
        const auto a = first.subspan(at, bytes), b = second.subspan(at, bytes);
        is_other |= !std::ranges::equal(a, b);
        is_left |=
            array.use == JudgedUse::output && is_poison(a, poisons[0]) && is_poison(b, poisons[1]);
      }
      if (is_other && (is_left ? left++ : other++) == 0) (is_left ? left_at : other_at) = k;
    }
    if (left > 0)
      note(Question::written, Answer::wrong,
           "'" + array.name + "' keeps element " + std::to_string(left_at) + "; " +
               std::to_string(left) + " of " + std::to_string(count) + " are not written",
           where);
    if (other > 0)
      note(Question::repeat, Answer::wrong,
           "element " + std::to_string(other_at) + " of '" + array.name +
               "' is another the second time, over other contents of outputs; " +
               std::to_string(other) + " of " + std::to_string(count) + " are",
           where);
  }
  note(Question::written, Answer::right);
  note(Question::repeat, Answer::right);
}

bool Judge::fill_expected(JudgedCase& run) {
  if (reference_) {
    reference_(run);
    for (const auto& [name, unused] : run.results)
      if (std::ranges::find(run.arrays, name, &JudgedArray::name) == run.arrays.end())
        throw InvalidArgument(
            "the reference gives '" + name + "', which is no array of kernel " + subject_.name(),
            "use the names of the kernel's parameters");
    return true;
  }
  if (is_opencl_) {
    note(Question::accuracy, Answer::unknown, "there is no reference");
    return false;
  }
  if (shadow_ == nullptr) shadow_ = std::make_unique<DoubleShadow>(subject_);
  if (shadow_->fill(run)) return true;
  note(Question::accuracy, Answer::unknown, shadow_->error());
  return false;
}

void Judge::ask_expected(const RunResult& result, const JudgedCase& run, Contents contents,
                         const std::string& where) {
  static constexpr Question questions[] = {Question::result, Question::extreme, Question::special};
  const Question question = reference_ ? questions[static_cast<int>(contents)] : Question::accuracy;
  // In double precision other numbers overflow, and other branches are taken.
  if (!reference_ && contents != Contents::random) return;
  for (const JudgedArray& array : run.arrays) {
    const auto found = run.results.find(array.name);
    if (found == run.results.end()) continue;
    std::vector<double> expected = found->second;
    round_to_infinity(expected, array.dtype);
    const std::vector<double> numbers = numbers_of(array, result.after.at(array.name));
    if (numbers.size() != expected.size())
      throw InvalidArgument("the reference gives " + std::to_string(expected.size()) +
                                " numbers for '" + array.name + "', which has " +
                                std::to_string(numbers.size()) + " for " + where,
                            "say by `elements` how many a pointer has");
    const std::string said = difference_of_numbers(numbers, expected, tolerance(array.dtype));
    if (!said.empty())
      note(question, Answer::wrong,
           "'" + array.name + "': " + said +
               (reference_ ? "" : ", by the same kernel in double precision"),
           where);
    if (contents != Contents::random) continue;
    double& most = verdict_.ulp[array.name];
    most = std::max(most, greatest_ulp(numbers, expected, array.dtype));
  }
  note(question, Answer::right);
}

void Judge::ask_zeros(const RunResult& result, const JudgedCase& run, const std::string& where) {
  const auto is_zero = [](const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double each) { return each == 0; });
  };
  for (const JudgedArray& array : run.arrays) {
    if (array.use == JudgedUse::input || array.use == JudgedUse::scratch) continue;
    const auto expected = run.results.find(array.name);
    const bool may_be = expected != run.results.end() && is_zero(expected->second);
    if (!may_be && is_zero(numbers_of(array, result.after.at(array.name))))
      note(Question::zeros, Answer::wrong, "'" + array.name + "' is all zeros", where);
  }
  note(Question::zeros, Answer::right);
}

/// Whether outputs may lie where inputs do, told of the largest problem.
void Judge::ask_aliasing(const SharedDevice& device, const device::Kernel& kernel) {
  const NamedValues& problem = problems_.back();
  const JudgedCase run = subject_.make_case(problem, Contents::random, options_.seed);
  for (const JudgedArray& output : run.arrays) {
    if (output.use != JudgedUse::output) continue;
    for (const JudgedArray& input : run.arrays) {
      if (input.use != JudgedUse::input || input.dtype != output.dtype ||
          input.parts != output.parts || input.before.size() != output.before.size())
        continue;
      try {
        const RunResult apart = run_case(device, kernel, subject_, run);
        const RunResult together =
            run_case(device, kernel, subject_, run, {.output = output.name, .input = input.name});
        // Which numbers differ depends on the order in which blocks run: the verdict names none.
        const bool is_same =
            difference_of_numbers(numbers_of(output, together.after.at(output.name)),
                                  numbers_of(output, apart.after.at(output.name)),
                                  tolerance(output.dtype))
                .empty();
        return note(Question::aliasing, Answer::told,
                    "'" + output.name + (is_same ? "' may lie where '" : "' must not lie where '") +
                        input.name + (is_same ? "' does" : "' does: its numbers become others"),
                    KernelSubject::text_of(problem));
      } catch (const DeviceError& error) {
        return note(Question::aliasing, Answer::told,
                    "'" + output.name + "' must not lie where '" + input.name +
                        "' does: " + fault_in(error));
      }
    }
  }
}

void Judge::ask_resources() {
  device_.clear();
  if (is_opencl_) return;
  try {
    note(Question::resources, Answer::told,
         usage_on(options_.architecture, subject_, problems_.back()));
  } catch (const Error& error) {
    note(Question::resources, Answer::unknown, fault_in(error));
  }
}

}  // namespace

std::vector<double> JudgedCase::reals(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &JudgedArray::name);
  if (found == arrays.end())
    throw InvalidArgument("'" + std::string(name) + "' is no array of the kernel",
                          "use the name of a pointer among its parameters");
  return numbers_of(*found, found->before);
}

double JudgedCase::number(std::string_view name) const {
  const auto found = values.find(std::string(name));
  if (found == values.end() || std::holds_alternative<std::string>(found->second))
    throw InvalidArgument("'" + std::string(name) + "' is no number of the kernel",
                          "use the name of a parameter that is no pointer");
  return std::visit(
      []<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::string>)
          return 0.0;
        else
          return static_cast<double>(value);
      },
      found->second);
}

Verdict judge(const JudgedKernel& kernel, const Reference& reference, const JudgeOptions& options) {
  return Judge(kernel, reference, options).verdict();
}

}  // namespace treadle::tune
