// SPDX-License-Identifier: MIT
#include "treadle/tune/variant.hpp"

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

using Formulas = std::vector<Formula>;

Formulas read_formulas(const std::vector<std::string>& texts, const char* what) {
  if (texts.size() > 3)
    throw InvalidArgument(std::string(what) + " has " + std::to_string(texts.size()) +
                              " formulas, expected three at most",
                          "launch over x, y and z");
  Formulas made;
  for (const std::string& text : texts) made.emplace_back(text);
  return made;
}

/// An integer, or a truth value, as C spells it.
std::string macro_text(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return value_text(value);
}

codegen::KeyValue key_value(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return codegen::KeyValue(*truth ? 1 : 0);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return codegen::KeyValue(*whole);
  if (const auto* real = std::get_if<double>(&value)) return codegen::KeyValue(*real);
  return codegen::KeyValue(std::get<std::string>(value));
}

/// Whether a text has a key of that name: replace_keys() refuses values that it has none for, and a
/// parameter may be for the launch alone.
bool has_key(const std::string& text, const std::string& name, codegen::KeyStyle style) {
  switch (style) {
    case codegen::KeyStyle::percent:
      return text.find("%(" + name + ")") != std::string::npos;
    case codegen::KeyStyle::braces:
      return text.find("{{" + name + "}}") != std::string::npos;
    case codegen::KeyStyle::dollar:
      break;
  }
  return text.find("$" + name) != std::string::npos ||
         text.find("${" + name + "}") != std::string::npos;
}

}  // namespace

kernel::Program Variant::program_to_try(const std::shared_ptr<device::Device>& device) const {
  kernel::ProgramOptions how = options;
  if (device->info().traits.builds_text && how.cache == compile::CacheUse::enabled)
    how.cache = compile::CacheUse::reading;
  return {device, source, how};
}

struct VariantWriter::State {
  KernelTemplate written;
  const Space& space;
  Formulas groups, group_size;
  std::optional<Formula> local_bytes = {};

  std::int64_t whole(const Formula& formula, const Configuration& configuration, std::int64_t least,
                     const char* what) const {
    const Value value = space.evaluate(formula, configuration);
    std::int64_t number = least - 1;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) number = *integer;
    const auto* real = std::get_if<double>(&value);
    constexpr auto most = std::numeric_limits<unsigned>::max();
    if (real != nullptr && *real >= 0 && *real <= most &&
        *real == static_cast<double>(static_cast<std::int64_t>(*real)))
      number = static_cast<std::int64_t>(*real);
    if (number < least || number > most)
      throw InvalidArgument(std::string(what) + " is '" + formula.text() + "', " +
                                value_text(value) + " for " + configuration.text() +
                                ", expected an integer from " + std::to_string(least) + " on",
                            "round up with ceil_div(), or constrain the space");
    return number;
  }
  device::Extent extent(const Formulas& formulas, const Configuration& configuration,
                        const char* what) const {
    std::array<unsigned, 3> sizes = {1, 1, 1};
    for (std::size_t k = 0; k < formulas.size(); ++k)
      sizes[k] = static_cast<unsigned>(whole(formulas[k], configuration, 1, what));
    return {sizes[0], sizes[1], sizes[2]};
  }
  device::LaunchShape shape(const Configuration& configuration) const {
    if (written.shape) return written.shape(configuration);
    device::LaunchShape made{.groups = extent(groups, configuration, "groups"),
                             .group_size = extent(group_size, configuration, "group_size")};
    if (local_bytes)
      made.local_bytes =
          static_cast<unsigned>(whole(*local_bytes, configuration, 0, "local_bytes"));
    return made;
  }
};

VariantWriter::VariantWriter(KernelTemplate written, const Space& space) {
  if (written.text.empty() && !written.write)
    throw InvalidArgument("text is empty, expected a kernel", "pass its text, or a function");
  if (written.kernel.empty())
    throw InvalidArgument("kernel is empty, expected the name of the kernel in the text",
                          "pass its name");
  if (!written.shape && (written.groups.empty() || written.group_size.empty()))
    throw InvalidArgument(
        std::string(written.groups.empty() ? "groups" : "group_size") + " has no formula",
        "say by formulas over the parameters how a variant is launched, {\"n // tile\"}, say");
  auto made = std::make_shared<State>(State{std::move(written), space, {}, {}});
  made->groups = read_formulas(made->written.groups, "groups");
  made->group_size = read_formulas(made->written.group_size, "group_size");
  if (!made->written.local_bytes.empty()) made->local_bytes.emplace(made->written.local_bytes);
  state_ = std::move(made);
}

Variant VariantWriter::operator()(const Configuration& configuration) const {
  const KernelTemplate& written = state_->written;
  Variant made{.source = written.write ? written.write(configuration) : written.text,
               .kernel = written.kernel,
               .options = written.options,
               .shape = state_->shape(configuration)};
  const auto& names = configuration.names();
  if (written.writing == Writing::macros) {
    if (written.write) return made;
    for (std::size_t k = 0; k < names.size(); ++k)
      made.options.flags.push_back("-D" + names[k] + "=" + macro_text(configuration.values()[k]));
    return made;
  }
  std::map<std::string, codegen::KeyValue, std::less<>> values;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (has_key(made.source, names[k], written.key_style))
      values.emplace(names[k], key_value(configuration.values()[k]));
  made.source = codegen::replace_keys(made.source, values, {.style = written.key_style}).text;
  return made;
}

const KernelTemplate& VariantWriter::written() const noexcept { return state_->written; }

}  // namespace treadle::tune
