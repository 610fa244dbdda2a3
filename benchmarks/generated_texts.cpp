// SPDX-License-Identifier: MIT
// What writing a kernel's text costs. A line for each family and language, `text elementwise cuda
// 12.50`: processor time of one text in microseconds, of the generators alone. And the same of a
// whole launch of a kernel that is new, `cold`, on a device without hardware and without a
// compiler: lowering, keys, tables, the text and its module.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <treadle/codegen/sort.hpp>
#include <treadle/kernel/counting.hpp>
#include <treadle/kernel/ranks.hpp>
#include <treadle/kernel/search.hpp>
#include <treadle/kernel/selection.hpp>
#include <treadle/kernel/top_k.hpp>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

using namespace treadle;
using namespace treadle::array;
using namespace treadle::codegen;

namespace {

constexpr Schedule schedules[] = {Schedule::wide, Schedule::narrow};

Expression combination() {
  ExpressionBuilder b;
  const auto product = [&] {
    const Value number = b.scalar(Scalar::float32);
    return b.step(Op::multiply, Scalar::float32, {number, b.leaf(Scalar::float32)});
  };
  const Value first = product(), second = product();
  b.output(b.step(Op::add, Scalar::float32, {first, second}));
  return b.build();
}

void elementwise(Language language) {
  const Expression expression = combination();
  const std::vector<std::int64_t> whole{20000}, one{4}, rows{30, 40, 200};
  const std::vector<std::vector<std::int64_t>> strides{{32000, 800, 4}, {0, 800, 4}, {4, 0, 0}};
  for (const Schedule schedule : schedules) {
    const Tiling& tiling = tiling_of(schedule);
    std::vector<OperandLayout> linear(3, {one, 4}), broken;
    for (const auto& each : strides) broken.push_back({each, 4});
    for (const Lowering& space : {lower(whole, linear, 1, tiling), lower(rows, broken, 1, tiling)})
      (void)generate_elementwise(expression, space.loop, tiling, dialect_of(language));
  }
}

void reduction(Language language) {
  ExpressionBuilder b;
  const Value x = b.leaf(Scalar::float32), y = b.leaf(Scalar::float32);
  b.output(b.step(Op::multiply, Scalar::float32, {x, y}));
  const ReductionExpression expression = reduction_of(Reduction::sum, b.build());
  const std::vector<std::int64_t> none, elements{1000000}, one{4}, results{3000}, apart{4000000};
  for (const Schedule schedule : schedules)
    for (const bool is_whole : {true, false}) {
      const auto& kept = is_whole ? none : apart;
      std::vector<ReducedLayout> layouts(2, {kept, one, 4});
      layouts.push_back({is_whole ? none : one, none, 4, 0, false});
      const ReductionLowering space =
          lower_reduction(is_whole ? none : results, elements, layouts,
                          target_of(expression, tiling_of(schedule), 132));
      (void)generate_reduction(expression, space.loop, tiling_of(schedule), dialect_of(language));
    }
}

void user_reduction(Language language) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  ReductionSnippet snippet{.parameters = parse_parameters("const float *x, const float *y", types),
                           .outputs = {}};
  snippet.outputs.push_back(
      {.dtype = Scalar::float32, .neutral = "0", .reduce = "a + b", .map = "x[i] * y[i]"});
  const ReadReduction read(std::move(snippet), dialect, types);
  const std::vector<std::int64_t> none, elements{1000000}, one{4};
  for (const Schedule schedule : schedules) {
    std::vector<ReducedLayout> layouts;
    for (const KernelOperand& operand : read.operands())
      layouts.push_back(
          {none, operand.is_of_elements() ? one : none, 4, 0, operand.is_of_elements()});
    const auto space =
        lower_reduction(none, elements, layouts, read.target(tiling_of(schedule), 132));
    (void)read.generate(space.loop, tiling_of(schedule));
  }
}

void user_elementwise(Language language) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  const Snippet snippet{.parameters = parse_parameters("float a, float *x, float *y", types),
                        .operation = "y[i] = a * x[i]"};
  for (const Schedule schedule : schedules)
    (void)generate_elementwise(snippet, tiling_of(schedule), dialect, types);
}

void scan(Language language) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  const ScanSnippet snippet{.parameters = parse_parameters("int *x, int *y", types),
                            .dtype = Scalar::int32,
                            .input = "x[i]",
                            .scan = "a + b",
                            .neutral = "0",
                            .output = "y[i] = item"};
  for (const Schedule schedule : schedules)
    (void)generate_scan(snippet, tiling_of(schedule), dialect, types);
}

void sorts(Language language) {
  const Dialect& dialect = dialect_of(language);
  const TypeNames types(dialect);
  RadixSortSnippet radix{
      .parameters = parse_parameters("uint *x", types), .key = "x[i]", .sorted = {"x"}};
  for (const Schedule schedule : schedules) {
    (void)generate_radix_sort(radix, tiling_of(schedule), dialect, types);
    for (const SortStep step : {SortStep::tile, SortStep::pass})
      (void)generate_sort({.step = step, .dtype = Scalar::float32, .carried = {}, .is_dense = true},
                          tiling_of(schedule), dialect);
  }
}

void random_numbers(Language language) {
  for (const Schedule schedule : schedules)
    for (const RandomKind kind : {RandomKind::uniform, RandomKind::normal})
      (void)generate_random({.generator = RandomGenerator::philox,
                             .kind = kind,
                             .dtype = Scalar::float32,
                             .has_vectors = true},
                            tiling_of(schedule), dialect_of(language));
}

// Another kernel for each number: sums and products in the order of its digits.
Array another(const Array& x, const Array& y, unsigned number) {
  Array value = x;
  for (int step = 0; step < 6; ++step, number /= 4)
    value = number % 4 == 0   ? value + y
            : number % 4 == 1 ? value * y
            : number % 4 == 2 ? value - y
                              : maximum(value, y);
  return value;
}

struct Family {
  const char* name;
  void (*write)(Language);
  unsigned texts;
};

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of some means, in microseconds: launches are many, and the machine is others', too.
template <class Launch>
void print_cold(const char* name, Language language, Schedule schedule, Launch launch) {
  constexpr unsigned rounds = 20, times = 50;
  const auto device = device::make_null_device({.language = language, .schedule = schedule});
  const auto stream = device->make_stream();
  const device::StreamScope scope(stream);
  double least = 1e9;
  for (unsigned round = 0; round < rounds; ++round) {
    const double start = seconds();
    for (unsigned i = 0; i < times; ++i) launch(device, stream, round * times + i);
    if (round > 0) least = std::min(least, (seconds() - start) / times);
  }
  std::printf("cold %s %s %s %.2f\n", name, language == Language::cuda_c ? "cuda" : "opencl",
              schedule == Schedule::wide ? "wide" : "narrow", 1e6 * least);
}

void print_cold_plans(Language language, Schedule schedule) {
  using Device = std::shared_ptr<device::Device>;
  using Stream = std::shared_ptr<device::Stream>;
  Array x, y;
  const auto begin = [&](unsigned number) {
    if (number > 0) return;
    x = zeros({10000}, Scalar::float32);
    y = zeros({10000}, Scalar::float32);
    evaluate({x, y});
  };
  print_cold("elementwise", language, schedule, [&](const Device&, const Stream&, unsigned number) {
    begin(number);
    evaluate({another(x, y, number)});
  });
  print_cold("reduction", language, schedule, [&](const Device&, const Stream&, unsigned number) {
    begin(number);
    evaluate({sum(another(x, y, number))});
  });
  print_cold("elementwise_of_text", language, schedule,
             [&](const Device& device, const Stream& stream, unsigned number) {
               begin(number);
               kernel::ElementwiseKernel kernel(device, "float *x, float *y",
                                                "y[i] = " + std::to_string(number) + " * x[i]");
               kernel.launch(*stream, 10000, x.buffer(), y.buffer());
             });
  print_cold("scan", language, schedule,
             [&](const Device& device, const Stream& stream, unsigned number) {
               begin(number);
               kernel::ScanKernel kernel(device, Scalar::float32,
                                         {.arguments = "float *x, float *y",
                                          .input = "x[i] + " + std::to_string(number),
                                          .scan = "a + b",
                                          .output = "y[i] = item"});
               kernel.launch(*stream, 10000, x.buffer(), y.buffer());
             });
}

/// The same of families that a device keeps a few kernels of: each launch is the first on its
/// device, which is made before.
void print_cold_families(Language language, Schedule schedule) {
  constexpr unsigned rounds = 20, times = 20;
  struct Place {
    std::shared_ptr<device::Device> device;
    std::shared_ptr<device::Stream> stream;
    memory::Buffer memory;
  };
  using Launch = void (*)(device::Stream&, const memory::Buffer&);
  constexpr std::pair<const char*, Launch> families[] = {
      {"ranks",
       [](device::Stream& stream, const memory::Buffer& x) {
         kernel::launch_ranks(stream, {Scalar::float32, 100000, 2}, {x, x, x});
       }},
      {"top_k",
       [](device::Stream& stream, const memory::Buffer& x) {
         kernel::launch_top_k(stream, {Scalar::float32, 1, 1000, 10}, {x, x, x});
       }},
      {"count",
       [](device::Stream& stream, const memory::Buffer& x) {
         kernel::launch_count(stream, {100000, 100, Scalar::float32, kernel::EvenBins{0, 1}},
                              {x, x, x});
       }},
      {"selection",
       [](device::Stream& stream, const memory::Buffer& x) {
         kernel::launch_masked(stream, {100000, 100000, 4}, {x, x, x, x});
       }},
      {"search", [](device::Stream& stream, const memory::Buffer& x) {
         kernel::launch_search(stream, {Scalar::float32, 1000, 1000, false}, {x, x, x});
       }}};
  for (const auto& [name, launch] : families) {
    double least = 1e9;
    for (unsigned round = 0; round < rounds; ++round) {
      std::vector<Place> places;
      for (unsigned i = 0; i < times; ++i) {
        auto device = device::make_null_device({.language = language, .schedule = schedule});
        auto stream = device->make_stream();
        memory::Buffer memory(device, 1 << 20);
        places.push_back({std::move(device), std::move(stream), std::move(memory)});
      }
      const double start = seconds();
      for (const Place& place : places) launch(*place.stream, place.memory);
      if (round > 0) least = std::min(least, (seconds() - start) / times);
    }
    std::printf("cold %s %s %s %.2f\n", name, language == Language::cuda_c ? "cuda" : "opencl",
                schedule == Schedule::wide ? "wide" : "narrow", 1e6 * least);
  }
}

}  // namespace

int main() {
  constexpr Family families[] = {{"elementwise", elementwise, 4},
                                 {"elementwise_of_text", user_elementwise, 2},
                                 {"reduction", reduction, 4},
                                 {"reduction_of_text", user_reduction, 2},
                                 {"scan", scan, 2},
                                 {"sort", sorts, 6},
                                 {"random", random_numbers, 4}};
  for (const Family& family : families)
    for (const Language language : {Language::cuda_c, Language::opencl_c}) {
      double least = 1e9;
      for (int round = 0; round < 30; ++round) {
        constexpr int times = 20;
        const double start = seconds();
        for (int i = 0; i < times; ++i) family.write(language);
        least = std::min(least, (seconds() - start) / times / family.texts);
      }
      std::printf("text %s %s %.2f\n", family.name,
                  language == Language::cuda_c ? "cuda" : "opencl", 1e6 * least);
    }
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    for (const Schedule schedule : schedules) {
      print_cold_plans(language, schedule);
      print_cold_families(language, schedule);
    }
}
