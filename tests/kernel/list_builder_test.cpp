// SPDX-License-Identifier: MIT
// Lists of unequal lengths on every device; what they are made of is tested in both schedules.
#include "treadle/kernel/list_builder.hpp"

#include <gtest/gtest.h>

#include "treadle/codegen/expression_snippet.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

class ListBuilderTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    stream_ = device_->make_stream();
  }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }
  ElementwiseOptions options() const { return {.name = "divisors"}; }
  /// generate() of this device's language.
  std::string function(const std::string& body) const {
    return "#include \"treadle/dialect.h\"\nTREADLE_FUNCTION void generate(LIST_ARG_DECL "
           "USER_ARG_DECL index_type i) {\n" +
           body + "\n}";
  }
  std::vector<int> values(const memory::Buffer& buffer) const {
    stream_->synchronize();
    std::vector<int> all(buffer.size_bytes() / sizeof(int));
    buffer.copy_to(all);
    return all;
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ListBuilderTest, device::each_native_device(),
                         device::device_test_name);

/// The odd numbers have no list of divisors, the others those below a limit, and their squares.
TEST_P(ListBuilderTest, MakesListsOfUnequalLengths) {
  ListBuilder builder(device(),
                      {{"small", Scalar::int32},
                       {"squares", Scalar::int32, "small"},
                       {"unwanted", Scalar::int32, "", true}},
                      {.generate = function("if (x[i] % 2) return;\n"
                                            "for (int d = 1; d < limit; ++d)\n"
                                            "  if (x[i] % d == 0) { APPEND_small(d); "
                                            "APPEND_squares(d * d); APPEND_unwanted(d); }"),
                       .arguments = "const int *x, int limit"},
                      options());
  EXPECT_EQ(builder.counted(), std::vector<std::string>{"small"});
  EXPECT_EQ(builder.written(), (std::vector<std::string>{"small", "squares"}));
  const std::size_t n = 5000;
  std::vector<int> x(n), starts{0}, small, squares, left, objects;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<int>(i);
    for (int d = 1; i % 2 == 0 && d < 9; ++d)
      if (x[i] % d == 0) small.push_back(d), squares.push_back(d * d);
    if (i % 2 == 0) left.push_back(starts.back()), objects.push_back(x[i]);
    starts.push_back(static_cast<int>(small.size()));
  }
  left.push_back(starts.back());
  const memory::Buffer in(device(), x), counts(device(), n * 4), begins(device(), (n + 1) * 4);
  const int limit = 9;
  const UserArgument arguments[] = {in, limit}, count_list[] = {counts}, begin_list[] = {begins};
  builder.count(stream(), n, count_list, arguments);
  builder.add_up(stream(), n, counts, begins);
  const memory::Buffer first(device(), small.size() * 4), second(device(), small.size() * 4);
  const UserArgument elements[] = {first, second};
  builder.write(stream(), n, begin_list, elements, arguments);
  // Filled: they are shorter than what is read of them.
  const std::vector<int> empty(n + 1);
  const memory::Buffer fewer(device(), empty), owners(device(), empty);
  const memory::Buffer places(device(), (n + 1) * 4);
  builder.compress(stream(), n, begins, {fewer, owners, places});
  if (!runs_kernels()) return;
  EXPECT_EQ(values(begins), starts);
  EXPECT_EQ(values(first), small);
  EXPECT_EQ(values(second), squares);
  std::vector<int> got = values(fewer), got_owners = values(owners);
  ASSERT_EQ(values(places).back(), static_cast<int>(objects.size()));
  got.resize(left.size()), got_owners.resize(objects.size());
  EXPECT_EQ(got, left);
  EXPECT_EQ(got_owners, objects);
  EXPECT_EQ(values(places)[7], 4);
}

/// An expression says how long each list is, as it may be the element of the other families.
TEST_P(ListBuilderTest, ExpressionsAreElementsAsTextsAre) {
  const codegen::Dialect& dialect = codegen::dialect_of(device()->info().language);
  codegen::ExpressionBuilder build;
  const auto x = build.leaf(Scalar::int32), s = build.scalar(Scalar::int32);
  build.output(build.step(Op::remainder, Scalar::int32,
                          {build.step(Op::multiply, Scalar::int32, {x, x}), s}));
  const codegen::ExpressionSnippet length = codegen::snippet_of(build.build(), dialect);
  ElementwiseOptions expression_options = options();
  expression_options.preamble = length.preamble;
  expression_options.flags = dialect.exact_flags;
  ListBuilder builder(
      device(), {{"up", Scalar::int32}},
      {.generate = function("for (int d = 0; d < " + length.value + "; ++d) APPEND_up(d);"),
       .arguments = length.arguments},
      expression_options);
  constexpr int n = 500, divisor = 7;
  std::vector<int> numbers(n), starts{0}, expected;
  for (int i = 0; i < n; ++i) {
    numbers[static_cast<std::size_t>(i)] = i;
    for (int d = 0; d < i * i % divisor; ++d) expected.push_back(d);
    starts.push_back(static_cast<int>(expected.size()));
  }
  const memory::Buffer in(device(), numbers), counts(device(), n * 4), begins(device(), n * 4 + 4);
  const memory::Buffer made(device(), expected.size() * 4);
  const UserArgument arguments[] = {in, divisor}, count_list[] = {counts}, begin_list[] = {begins},
                     elements[] = {made};
  builder.count(stream(), n, count_list, arguments);
  builder.add_up(stream(), n, counts, begins);
  builder.write(stream(), n, begin_list, elements, arguments);
  if (!runs_kernels()) return;
  EXPECT_EQ(values(begins), starts);
  EXPECT_EQ(values(made), expected);
}

TEST_P(ListBuilderTest, RefusesListsThatCannotBe) {
  const ListBuilderTexts texts = {.generate = function("APPEND_a(i);"), .arguments = ""};
  const auto refuses = [&](std::vector<BuiltList> lists, const std::string& word) {
    device::expect_error<InvalidArgument>(
        [&] { ListBuilder(device(), std::move(lists), texts, options()); }, {word});
  };
  refuses({{"a", Scalar::int32}, {"a", Scalar::int32}}, "called a");
  refuses({{"a", Scalar::int32, "b"}}, "counts of b");
  refuses({{"a", Scalar::int32}, {"b", Scalar::int32, "a"}, {"c", Scalar::int32, "b"}},
          "counts of b");
  device::expect_error<DTypeError>(
      [&] { ListBuilder(device(), {{"a", Scalar::int32}}, texts, options(), Scalar::uint64); },
      {"uint64"});
  device::expect_error<InvalidArgument>(
      [&] { ListBuilder(nullptr, {{"a", Scalar::int32}}, texts); }, {"needs a device"});
}

}  // namespace
}  // namespace treadle::kernel
