// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "treadle/base/error.hpp"
#include "treadle/tune/judge.hpp"
#include "tune/json.hpp"

namespace treadle::tune {
namespace {

constexpr std::string_view question_names[] = {
    "compiles", "runs",  "bounds", "race",    "init",    "sync",     "order",    "repeat",
    "written",  "zeros", "result", "extreme", "special", "accuracy", "aliasing", "resources"};
constexpr std::string_view answer_names[] = {"right", "wrong", "told", "unknown"};

std::string ulp_text(double ulp) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", ulp);
  return text;
}

/// How much it matters: what is wrong before what nobody knows.
int weight(Answer answer) {
  switch (answer) {
    case Answer::wrong:
      return 3;
    case Answer::told:
      return 2;
    case Answer::right:
      return 1;
    case Answer::unknown:
      break;
  }
  return 0;
}

}  // namespace

std::string_view question_name(Question question) noexcept {
  return question_names[static_cast<std::size_t>(question)];
}

Question question_of(std::string_view name) {
  const auto found = std::ranges::find(question_names, name);
  if (found != std::end(question_names))
    return static_cast<Question>(found - std::begin(question_names));
  std::string all;
  for (const std::string_view each : question_names)
    all += (all.empty() ? "" : ", ") + std::string(each);
  throw InvalidArgument("question is '" + std::string(name) + "', which no judge asks",
                        "use one of " + all);
}

std::string_view answer_name(Answer answer) noexcept {
  return answer_names[static_cast<std::size_t>(answer)];
}

bool Verdict::is_right() const noexcept {
  return std::ranges::none_of(findings, [&](const Finding& finding) {
    return finding.answer == Answer::wrong && !accepted.contains(finding.question);
  });
}

Answer Verdict::answer(Question question) const noexcept {
  Answer worst = Answer::unknown;
  for (const Finding& finding : findings)
    if (finding.question == question && weight(finding.answer) > weight(worst))
      worst = finding.answer;
  return worst;
}

std::string Verdict::text() const {
  std::string made = kernel + ": " + (is_right() ? "nothing wrong was found" : "wrong") + "\n";
  for (const Finding& finding : findings) {
    if (finding.answer == Answer::right) continue;
    const bool is_accepted = finding.answer == Answer::wrong && accepted.contains(finding.question);
    made += "  " + std::string(question_name(finding.question)) + ": " +
            (is_accepted ? "accepted" : std::string(answer_name(finding.answer)));
    if (!finding.device.empty()) made += " on " + finding.device;
    if (!finding.run.empty()) made += " (" + finding.run + ")";
    if (!finding.text.empty()) made += ": " + finding.text;
    made += "\n";
  }
  for (const auto& [name, most] : ulp)
    made += "  error of '" + name + "': " + ulp_text(most) + " ulp\n";
  return made;
}

std::string Verdict::json() const {
  std::string made = "{\"kernel\": " + json_text(kernel) +
                     ", \"right\": " + (is_right() ? "true" : "false") + ", \"findings\": [";
  for (const Finding& finding : findings) {
    if (&finding != &findings.front()) made += ", ";
    made += "{\"question\": " + json_text(question_name(finding.question)) +
            ", \"answer\": " + json_text(answer_name(finding.answer)) +
            ", \"accepted\": " + (accepted.contains(finding.question) ? "true" : "false") +
            ", \"device\": " + json_text(finding.device) +
            ", \"text\": " + json_text(finding.text) + ", \"run\": " + json_text(finding.run) + "}";
  }
  made += "], \"ulp\": {";
  for (const auto& [name, most] : ulp)
    made += (name == ulp.begin()->first ? "" : ", ") + json_text(name) + ": " +
            (std::isfinite(most) ? ulp_text(most) : std::string("null"));
  return made + "}}";
}

}  // namespace treadle::tune
