// SPDX-License-Identifier: MIT
// A verdict on a kernel: what it does wrong, on small problems that its signature allows.
//
//   const auto verdict = tune::judge(
//       {.text = text, .kernel = "scale"}, [](tune::JudgedCase& run) {
//         const auto x = run.reals("x");
//         for (double& each : run.results["y"] = x) each *= run.number("a");
//       });
//   if (!verdict.is_right()) std::cerr << verdict.text();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/tune/value.hpp"

namespace treadle::tune {

/// What is asked about a kernel.
enum class Question : std::uint8_t {
  compiles,   ///< is it taken by the device's compiler?
  runs,       ///< does it end without a fault?
  bounds,     ///< does it stay within its memory? The CPU device's check, guard zones elsewhere
  race,       ///< do threads meet at one place with nothing in between?
  init,       ///< does it read what nobody has written?
  sync,       ///< do all threads come to each barrier?
  order,      ///< are bits the same if blocks and warps run in another order?
  repeat,     ///< are bits the same if it runs again?
  written,    ///< does it write every element of its outputs?
  zeros,      ///< does it give zeros where others are expected?
  result,     ///< does it give what the reference gives, for random values?
  extreme,    ///< and for very large and very small ones?
  special,    ///< and for NaN and infinities?
  accuracy,   ///< how many units of the last place is it off?
  aliasing,   ///< does it give the same if an output lies where an input does?
  resources,  ///< registers and occupancy on a GPU
};
/// "compiles", "bounds" and so on.
std::string_view question_name(Question question) noexcept;
/// Throws InvalidArgument listing those there are.
Question question_of(std::string_view name);

/// What came of a question.
enum class Answer : std::uint8_t {
  right,    ///< nothing is wrong
  wrong,    ///< `text` says what
  told,     ///< no matter of right and wrong; `text` says what it is
  unknown,  ///< was not asked; `text` says why
};
/// "right", "wrong", "told" or "unknown".
std::string_view answer_name(Answer answer) noexcept;

/// How a kernel uses a pointer.
enum class JudgedUse : std::uint8_t {
  input,    ///< reads it
  output,   ///< writes all of it, and does not read it before
  updated,  ///< reads and writes it
  scratch,  ///< its contents are nobody's result
};

/// A kernel, and what has to be known to run it. Formulas are over its integer parameters.
struct JudgedKernel {
  std::string text = {};    ///< CUDA C or OpenCL C
  std::string kernel = {};  ///< its name; empty: the only one in the text
  kernel::ProgramOptions options = {.source_name = "kernel.cu"};  ///< to compile it
  std::vector<std::string> groups = {};      ///< for x, y, z; empty: one work-item an element
  std::vector<std::string> group_size = {};  ///< for x, y, z; empty: 128
  std::string local_bytes = {};              ///< dynamic local memory of a group; empty: 0
  /// Elements behind a pointer; of one that is not here, the product of all sizes.
  std::map<std::string, std::string> elements = {};
  /// Of a pointer that is not here: input if it points to const; else updated, or output where it
  /// is not among `read`.
  std::map<std::string, JudgedUse> uses = {};
  std::optional<std::set<std::string>> read = {};  ///< what the reference takes; none: all
  /// Values of a parameter that is no pointer. Integers that are not here are sizes, of which some
  /// are tried.
  std::map<std::string, std::vector<Value>> values = {};
  /// Integers behind a pointer are from 0 to this, exclusively: indices, say.
  std::map<std::string, std::string> ranges = {};
  std::string where = {};  ///< a formula that values have to fulfil; empty: all do
};

/// A number in a vector or a structure.
struct JudgedPart {
  std::string name;                ///< "x", "at.x", "kinds0" of an array `kinds`
  Scalar dtype = Scalar::float32;  ///< of it
  std::size_t offset = 0;          ///< bytes from the start
  bool operator==(const JudgedPart&) const = default;
};

/// An array of a run.
struct JudgedArray {
  std::string name;                    ///< of the parameter
  Scalar dtype = Scalar::float32;      ///< of an element; of a structure's first real number
  JudgedUse use = JudgedUse::input;    ///< by the kernel
  std::vector<std::byte> before = {};  ///< its contents
  std::vector<JudgedPart> parts = {};  ///< of an element that is a vector or a structure
  std::size_t element_bytes = 0;       ///< between elements
  bool is_vector = false;              ///< its parts are those of a float4, say
};

/// One run, as a reference sees it.
struct JudgedCase {
  std::map<std::string, Value> values = {};                 ///< of all parameters but pointers
  std::vector<JudgedArray> arrays = {};                     ///< of pointers
  std::map<std::string, std::vector<double>> results = {};  ///< what the reference fills in

  /// What is in an array before the kernel runs, the parts of an element one after the other.
  /// Throws InvalidArgument for another name.
  std::vector<double> reals(std::string_view name) const;
  /// A number among `values`, "p.x" of a structure `p`. Throws InvalidArgument for another name.
  double number(std::string_view name) const;
};

/// Fills in `results` what the kernel has to give, by the name of its output, computed in double
/// precision. Outputs without a result are compared with nothing.
using Reference = std::function<void(JudgedCase&)>;

/// How a kernel is judged.
struct JudgeOptions {
  /// Ids of devices; empty: the CPU device, and the first GPU if there is one; for a text in OpenCL
  /// C those of OpenCL.
  std::vector<std::string> devices = {};
  /// Of a number and of the root of the mean square of all; none: as Expected::tolerance.
  std::optional<double> tolerance = {};
  /// Questions whose answer may be wrong.
  std::set<Question> accepted = {};
  std::string architecture = "sm_90";  ///< of Question::resources
  std::uint64_t seed = 1;              ///< of what is random
};

/// An answer.
struct Finding {
  Question question = Question::compiles;  ///< to what
  Answer answer = Answer::right;           ///< what
  std::string device = {};                 ///< where; empty: everywhere
  std::string text = {};                   ///< what is wrong, with the fault's own words
  std::string run = {};                    ///< in which run: "n=257, random values"
};

/// What a judge found. Each question has one finding for each device.
struct Verdict {
  std::string kernel = {};             ///< its name
  std::vector<Finding> findings = {};  ///< in the order of the questions
  /// By output: the largest error found for random values, in units of the last place of its dtype,
  /// against the reference, or against the same kernel in double precision.
  std::map<std::string, double> ulp = {};
  std::set<Question> accepted = {};  ///< as the options had it

  /// Whether nothing is wrong that was not accepted.
  bool is_right() const noexcept;
  /// The worst answer of all devices to a question; unknown if none was asked.
  Answer answer(Question question) const noexcept;
  std::string text() const;  ///< for people: a line for each finding that says anything
  std::string json() const;  ///< all of it
};

/// Runs a kernel on small problems, under the CPU device's checks in contexts of its own, and on
/// the devices as they are; a fault ends neither the process nor anybody's context. Without a
/// reference its results are compared with its own in double precision where that can be compiled.
/// Blocking, some seconds. Throws InvalidArgument for a kernel that is not in the text, for
/// parameters other than numbers, vectors, structures of these, and pointers to them, and for
/// formulas that cannot be read; what the reference throws goes through.
Verdict judge(const JudgedKernel& kernel, const Reference& reference = {},
              const JudgeOptions& options = {});

}  // namespace treadle::tune
