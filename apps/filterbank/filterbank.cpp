// SPDX-License-Identifier: MIT
// 3-D filter banks whose kernels are generated for each shape, and tuned: table 1 of the paper.
//
//   filterbank [small|sixteenth|paper [EVALUATIONS [DEVICE ...]]]
//
// filterbank.py is the same in Python and says more. Here a variant's program is a tree, printed in
// each device's language.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <treadle/base/embedded.hpp>
#include <treadle/codegen/tree_builders.hpp>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace tune = treadle::tune;
namespace tree = treadle::codegen::tree;
using treadle::Scalar;

namespace filterbank {
extern const std::span<const treadle::EmbeddedFile> embedded_files;
}

namespace {

struct Shape {
  std::int64_t height, width, channels, filters, filter_height, filter_width;

  std::map<std::string, std::int64_t> names() const {
    return {{"height", height},
            {"width", width},
            {"channels", channels},
            {"filters", filters},
            {"filter_height", filter_height},
            {"filter_width", filter_width}};
  }
  std::int64_t out_height() const { return height - filter_height + 1; }
  std::int64_t out_width() const { return width - filter_width + 1; }
  std::int64_t out_size() const { return out_height() * out_width() * filters; }
  std::int64_t filter_size() const { return filter_height * filter_width * channels; }
  double flop() const { return 2.0 * static_cast<double>(out_size() * filter_size()); }
  std::string text() const {
    std::string made = std::to_string(height);
    for (const auto number : {width, channels, filters, filter_height, filter_width})
      made.append(1, 'x').append(std::to_string(number));
    return made;
  }
};

const std::map<std::string, std::vector<Shape>, std::less<>> shapes = {
    {"small", {{64, 64, 8, 16, 5, 5}, {40, 37, 3, 5, 4, 6}}},
    {"sixteenth",
     {{64, 64, 8, 64, 9, 9},
      {128, 128, 4, 32, 13, 13},
      {256, 256, 8, 16, 5, 5},
      {512, 512, 4, 4, 8, 8}}},
    {"paper",
     {{256, 256, 8, 64, 9, 9},
      {512, 512, 4, 32, 13, 13},
      {1024, 1024, 8, 16, 5, 5},
      {2048, 2048, 4, 4, 8, 8}}}};

std::string kernel_text(std::string_view file) {
  const auto found =
      std::ranges::find(filterbank::embedded_files, file, &treadle::EmbeddedFile::path);
  return std::string(found->text);
}

/// The weights as a constant of the program, in the order in which a variant reads them.
tree::NodePtr table(const Shape& shape, std::span<const float> bank, std::int64_t filters_each) {
  tree::Parts weights;
  for (std::int64_t first = 0; first < shape.filters; first += filters_each)
    for (std::int64_t c = 0; c < shape.channels; ++c)
      for (std::int64_t i = 0; i < shape.filter_width; ++i)
        for (std::int64_t j = 0; j < shape.filter_height; ++j)
          for (std::int64_t f = first; f < first + filters_each; ++f) {
            const std::int64_t place =
                ((f * shape.filter_height + j) * shape.filter_width + i) * shape.channels + c;
            const float weight = f < shape.filters ? bank[static_cast<std::size_t>(place)] : 0.0f;
            weights.push_back(tree::literal(static_cast<double>(weight), Scalar::float32));
          }
  const auto count = static_cast<std::int64_t>(weights.size());
  return tree::initialize_array(
      tree::constant_table(tree::array(tree::scalar(Scalar::float32, "bank_table"), count)),
      std::move(weights));
}

/// The program of a configuration: macros, the table and the kernel that all variants share.
std::string variant_text(const Shape& shape, std::span<const float> bank,
                         const tune::Configuration& configuration, treadle::Language language) {
  const tree::NodePtr program = tree::collection({tree::include("treadle/dialect.h", false)});
  for (const auto& [name, value] : shape.names()) {
    std::string capitals = name;
    for (char& letter : capitals) letter = static_cast<char>(std::toupper(letter));
    program->append(tree::define(capitals, std::to_string(value)));
  }
  for (const std::string& name : configuration.names()) {
    const tune::Value& value = configuration[name];
    const auto* word = std::get_if<std::string>(&value);
    program->append(tree::define(name, word != nullptr ? *word : tune::value_text(value)));
  }
  if (configuration.get<std::string>("BANK") == "IN_TABLE")
    program->append(table(shape, bank, configuration.get<std::int64_t>("FILTERS_EACH")));
  program->append(tree::literal_lines(kernel_text("variant_kernel.h")));
  return tree::print(program, language);
}

std::vector<tune::Value> integers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

/// The variants of a shape on a device.
tune::Space space_of(const Shape& shape, const treadle::device::DeviceInfo& device) {
  const bool on_processor = device.kind == treadle::device::DeviceKind::cpu;
  tune::Space space;
  space.let(device);
  for (const auto& [name, value] : shape.names()) space.let(name, value);
  space.let("most_sums", std::int64_t{on_processor ? 32 : 128});
  space.let("most_table", std::int64_t{on_processor ? 1 << 20 : 1 << 14});
  space.let("least_items", std::int64_t{on_processor ? 1 : 64});
  // A group of a processor is one work-item, with vectors of pixels.
  space.add("ACROSS", on_processor ? integers({1}) : integers({16, 32, 64}));
  space.add_powers_of_two("DOWN", 1, 32).add("SERIAL", integers({on_processor ? 1 : 0}));
  space.add("LANES", on_processor ? integers({4, 8, 16}) : integers({1}));
  space.add("PIXELS_X", on_processor ? integers({1, 2}) : integers({1, 2, 4}));
  space.add("PIXELS_Y", integers({1, 2, 3, 4, 6, 8, 12, 16}));
  space.add_powers_of_two("FILTERS_EACH", 1, 16).add_powers_of_two("TURNS", 1, 8);
  std::vector<tune::Value> steps;
  for (std::int64_t step = 1; step < std::min<std::int64_t>(shape.channels, 32); step *= 2)
    steps.emplace_back(step);
  steps.emplace_back(shape.channels);
  space.add("STEP", steps);
  space.add("BANK", {std::string("IN_LOCAL"), std::string("IN_TABLE"), std::string("IN_GLOBAL")});
  space.add("WINDOW", integers({0, 1})).add_powers_of_two("UNROLL", 1, 4);
  space.add("PADDING", on_processor ? integers({0}) : integers({0, 1}));
  space.add("RESIDENT", on_processor ? integers({1}) : integers({1, 2, 3, 4}));
  std::istringstream constraints(kernel_text("constraints.txt"));
  for (std::string line; std::getline(constraints, line);)
    if (!line.starts_with('#')) space.require(line);
  return space;
}

/// The configuration that is tried first: of each parameter the first value that goes with those
/// before it.
tune::Configuration start_of(const tune::Space& space, bool on_processor) {
  const std::vector<std::pair<std::string, std::vector<tune::Value>>> wishes =
      on_processor
          ? std::vector<std::pair<std::string,
                                  std::vector<tune::Value>>>{{"LANES", integers({16, 8})},
                                                             {"BANK", {std::string("IN_TABLE")}},
                                                             {"FILTERS_EACH", integers({4, 2})},
                                                             {"PIXELS_Y", integers({6, 3, 2})},
                                                             {"WINDOW", integers({1})},
                                                             {"DOWN", integers({4, 2})},
                                                             {"STEP", integers({16, 8, 4, 3, 2})},
                                                             {"TURNS", integers({4, 2})}}
          : std::vector<std::pair<std::string, std::vector<tune::Value>>>{
                {"ACROSS", integers({32})},
                {"BANK", {std::string("IN_LOCAL")}},
                {"FILTERS_EACH", integers({8, 4, 2})},
                {"PIXELS_Y", integers({8, 4, 2})},
                {"WINDOW", integers({1})},
                {"DOWN", integers({4, 2})},
                {"STEP", integers({4, 2, 1})},
                {"RESIDENT", integers({2})}};
  std::map<std::string, tune::Value> chosen;
  for (const auto& [name, values] : wishes)
    for (const tune::Value& value : values) try {
        auto more = chosen;
        more[name] = value;
        static_cast<void>(space.make(more));
        chosen = std::move(more);
        break;
      } catch (const treadle::InvalidArgument&) {
        // Not with what was chosen before: the next value.
      }
  return space.make(chosen);
}

struct Inputs {
  std::vector<float> image, bank;
};

Inputs inputs(const Shape& shape) {
  std::mt19937 engine(1);
  Inputs made{
      std::vector<float>(static_cast<std::size_t>(shape.height * shape.width * shape.channels)),
      std::vector<float>(static_cast<std::size_t>(shape.filters * shape.filter_size()))};
  for (auto* values : {&made.image, &made.bank})
    for (float& value : *values) value = static_cast<float>(engine() >> 8) * 0x1p-24f - 0.5f;
  return made;
}

/// The largest error of some pixels, all filters, in parts of what float32 may be wrong by: 2e-6
/// sqrt(h w D) max|image| max|bank|.
double error(const Shape& shape, const Inputs& in, std::span<const float> out) {
  double worst = 0;
  const std::int64_t pixels = shape.out_height() * shape.out_width();
  for (std::int64_t pixel = 0; pixel < pixels; pixel += std::max<std::int64_t>(1, pixels / 509))
    for (std::int64_t f = 0; f < shape.filters; ++f) {
      double exact = 0;
      const std::int64_t row = shape.filter_width * shape.channels;  // of a filter
      for (std::int64_t j = 0; j < shape.filter_height; ++j)
        for (std::int64_t i = 0; i < row; ++i) {
          const std::int64_t y = pixel / shape.out_width() + j, x = pixel % shape.out_width();
          const auto at = (y * shape.width + x) * shape.channels + i;
          const auto weight = (f * shape.filter_height + j) * row + i;
          exact += static_cast<double>(in.image[static_cast<std::size_t>(at)]) *
                   static_cast<double>(in.bank[static_cast<std::size_t>(weight)]);
        }
      const float found = out[static_cast<std::size_t>(pixel * shape.filters + f)];
      const double wrong = std::abs(static_cast<double>(found) - exact);
      worst = std::isnan(wrong) ? std::numeric_limits<double>::infinity() : std::max(worst, wrong);
    }
  return worst / (2e-6 * std::sqrt(static_cast<double>(shape.filter_size())) * 0.25);
}

/// Rates of launches in rounds, and what they are on average.
struct Rates {
  double mean, deviation;
  explicit Rates(const std::vector<double>& samples) {
    const auto count = static_cast<double>(samples.size());
    double sum = 0, squares = 0;
    for (const double sample : samples) sum += sample, squares += sample * sample;
    mean = sum / count;
    deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  }
};

/// 1e9 operations a second of launches that take turns.
std::vector<Rates> measure(
    const std::shared_ptr<treadle::device::Device>& device, double flop,
    const std::vector<std::function<void(treadle::device::Stream&)>>& launches) {
  const auto stream = device->make_stream();
  const auto begin = device->make_event(), end = device->make_event();
  std::vector<std::vector<double>> samples(launches.size());
  for (int round = 0; round < 9; ++round)
    for (std::size_t k = 0; k < launches.size(); ++k) {
      launches[k](*stream);
      stream->record(*begin);
      launches[k](*stream);
      stream->record(*end);
      end->synchronize();
      samples[k].push_back(1e-9 * flop / std::max(end->seconds_since(*begin), 1e-9));
    }
  return {samples.begin(), samples.end()};
}

unsigned quotient_up(std::int64_t a, std::int64_t b) {
  return static_cast<unsigned>((a + b - 1) / b);
}

/// Measures and prints a row of the table; whether all of it is right.
bool run(const std::shared_ptr<treadle::device::Device>& device, const Shape& shape,
         std::uint64_t evaluations) {
  const Inputs in = inputs(shape);
  std::vector<float> result(static_cast<std::size_t>(shape.out_size()));
  const treadle::Buffer image(device, in.image), bank(device, in.bank), out(device, result);
  const auto size = [](std::int64_t number) { return static_cast<int>(number); };

  const treadle::Program program(device, kernel_text("default_kernel.h"));
  const auto common = program.kernel("filterbank");
  const auto launch_default = [&](treadle::device::Stream& stream) {
    stream.launch(common,
                  {.groups = {quotient_up(shape.out_width(), 16),
                              quotient_up(shape.out_height(), 8), quotient_up(shape.filters, 4)},
                   .group_size = {16, 8}},
                  out, image, bank, size(shape.height), size(shape.width), size(shape.channels),
                  size(shape.filters), size(shape.filter_height), size(shape.filter_width));
  };
  const auto stream = device->make_stream();
  launch_default(*stream);
  stream->synchronize();
  out.copy_to(result);
  double worst = error(shape, in, result);

  const tune::Space space = space_of(shape, device->info());
  const bool on_processor = device->info().kind == treadle::device::DeviceKind::cpu;
  tune::KernelTemplate kernel{
      .kernel = "filterbank", .write = [&](const tune::Configuration& configuration) {
        return variant_text(shape, in.bank, configuration, device->info().language);
      }};
  kernel.groups = {"ceil_div(width - filter_width + 1, LANES * ACROSS * PIXELS_X)",
                   "ceil_div(height - filter_height + 1, DOWN * PIXELS_Y)",
                   "ceil_div(filters, FILTERS_EACH * TURNS)"};
  kernel.group_size = {"1 if SERIAL else ACROSS * DOWN"};
  const auto expected = std::as_bytes(std::span(result));
  const tune::Tuned tuned = tune::tune_kernel(
      device, space, kernel,
      {tune::ProblemArgument::output(
           out, {.bytes = {expected.begin(), expected.end()}, .dtype = Scalar::float32}),
       image, bank},
      {.search = {.budget = {.evaluations = evaluations},
                  .start = {start_of(space, on_processor)}}});
  for (const tune::Attempt& each : tuned.attempts)
    if (each.measured.outcome == tune::Outcome::wrong_result)
      worst = std::numeric_limits<double>::infinity();

  const tune::Variant best = tune::VariantWriter(kernel, space)(tuned.configuration);
  const treadle::Program best_program(device, best.source, best.options);
  const auto best_kernel = best_program.kernel(best.kernel);
  const auto launch_best = [&](treadle::device::Stream& on) {
    on.launch(best_kernel, best.shape, out, image, bank);
  };
  launch_best(*stream);
  stream->synchronize();
  out.copy_to(result);
  worst = std::max(worst, error(shape, in, result));
  const auto rates = measure(device, shape.flop(), {launch_default, launch_best});
  std::printf("| %s | %s | %.1f +- %.1f | %.1f +- %.1f | %.1f %% | %.3f | %s |\n",
              device->info().id.c_str(), shape.text().c_str(), rates[0].mean, rates[0].deviation,
              rates[1].mean, rates[1].deviation, 100 * (rates[1].mean / rates[0].mean - 1), worst,
              tuned.configuration.text().c_str());
  return worst <= 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string which = count > 1 ? words[1] : "small";
  const std::uint64_t evaluations = count > 2 ? std::strtoull(words[2], nullptr, 10) : 4;
  if (!shapes.contains(which) || evaluations == 0) {
    std::fputs("usage: filterbank [small|sixteenth|paper [EVALUATIONS [DEVICE ...]]]\n", stderr);
    return 2;
  }
  std::vector<std::shared_ptr<treadle::device::Device>> devices;
  for (int k = 3; k < count; ++k) devices.push_back(treadle::find_device(words[k]));
  if (devices.empty()) devices = treadle::devices();
  std::puts(
      "| device | image and bank | default, GFLOP/s | tuned, GFLOP/s | boost | error | best |\n"
      "|---|---|---|---|---|---|---|");
  bool correct = true;
  for (const auto& device : devices)
    if (device->info().traits.runs_kernels)
      for (const Shape& shape : shapes.find(which)->second)
        correct = run(device, shape, evaluations) && correct;
  std::puts(correct ? "check: ok" : "check: WRONG");
  return correct ? 0 : 1;
}
