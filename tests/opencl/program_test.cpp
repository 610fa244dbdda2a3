// SPDX-License-Identifier: MIT
#include "treadle/opencl/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class ProgramTest : public OnEachPlatform {
 protected:
  /// What the kernel k writes.
  int answer_of(const Program& program) const {
    const Buffer a(context(), sizeof(int));
    program.kernel("k").launch({.queue = queue(), .global = {1}}, a);
    return values_of<int>(a).front();
  }
  BuildError build_error_of(const std::string& source, const std::string& options = {}) {
    try {
      build(source, options);
    } catch (const BuildError& error) {
      return error;
    }
    ADD_FAILURE() << "the build succeeded";
    return {0, "", {}, "", {}};
  }
};
INSTANTIATE_TEST_SUITE_P(, ProgramTest, each_platform, platform_test_name);

constexpr const char* answer_source = "__kernel void k(__global int* a) { *a = ANSWER; }";

TEST_P(ProgramTest, IsBuiltFromSourceWithOptions) {
  const Program program = build(answer_source, "-DANSWER=41+1");
  EXPECT_EQ(answer_of(program), 42);
  EXPECT_EQ(program.kind(), ProgramKind::source);
  EXPECT_EQ(program.get<ProgramInfo::source>(), answer_source);
  EXPECT_EQ(std::get<std::int64_t>(program.build_info(device(), ProgramBuildInfo::status)),
            CL_BUILD_SUCCESS);
  EXPECT_THAT(std::get<std::string>(program.build_info(device(), ProgramBuildInfo::options)),
              HasSubstr("-DANSWER=41+1"));
}

TEST_P(ProgramTest, KnowsItsKernelsDevicesAndContext) {
  const Program program = build("__kernel void one() {} __kernel void two(int a) {}");
  EXPECT_THAT(program.kernel_names(), UnorderedElementsAre("one", "two"));
  EXPECT_EQ(program.get<ProgramInfo::num_kernels>(), 2u);
  EXPECT_THAT(program.devices(), ElementsAre(device()));
  EXPECT_EQ(program.context(), context());
  std::vector<std::string> names;
  for (const Kernel& kernel : program.kernels()) names.push_back(kernel.name());
  EXPECT_THAT(names, UnorderedElementsAre("one", "two"));
}

TEST_P(ProgramTest, AFailedBuildHasTheLogWithTheUsersLines) {
  const BuildError error = build_error_of("__kernel void k() {\n  int a = 1;\n  wrong(a;\n}");
  EXPECT_EQ(error.code(), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_THAT(error.log(), HasSubstr("3:"));
  EXPECT_THAT(error.what(), HasSubstr("clBuildProgram failed"));
  EXPECT_THAT(error.what(), HasSubstr(device().name()));
  EXPECT_THAT(error.source(), HasSubstr("wrong(a;"));
  ASSERT_EQ(error.logs().size(), 1u);
  EXPECT_EQ(error.logs()[0].device, device().name());
}

TEST_P(ProgramTest, BadOptionsAreABuildError) {
  const BuildError error = build_error_of("__kernel void k() {}", "-no-such-option");
  EXPECT_THAT((std::vector{CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE}),
              testing::Contains(error.code()));
  EXPECT_THAT(error.options(), ElementsAre("-no-such-option"));
}

TEST_P(ProgramTest, WarningsAreInTheLog) {
  const Program program = build("#warning \"look here\"\n__kernel void k() {}");
  EXPECT_THAT(program.build_log(device()), HasSubstr("look here"));
}

TEST_P(ProgramTest, AMissingKernelNamesThoseThereAre) {
  const DeviceError error =
      device_error_of([&] { build("__kernel void scale() {}").kernel("scal"); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_KERNEL_NAME");
  EXPECT_THAT(error.what(), HasSubstr("there is no kernel \"scal\"; there are: scale"));
  EXPECT_EQ(error.hint(), "scale");
}

TEST_P(ProgramTest, AKernelBeforeTheBuildIsRefused) {
  const Program program = Program::from_source(context(), "__kernel void k() {}");
  const DeviceError error = device_error_of([&] { program.kernel("k"); });
  EXPECT_EQ(error.call(), "clCreateKernel");
}

TEST_P(ProgramTest, LivesOnInItsBinaries) {
  const auto binaries = build(answer_source, "-DANSWER=7").binaries();
  ASSERT_EQ(binaries.size(), 1u);
  const Device devices[] = {device()};
  const Program again = Program::from_binaries(context(), devices, binaries);
  again.build();
  EXPECT_EQ(again.kind(), ProgramKind::binary);
  EXPECT_EQ(answer_of(again), 7);
}

TEST_P(ProgramTest, BinariesAreAskedLikeAnyInformation) {
  const Program program = build(answer_source, "-DANSWER=7");
  EXPECT_EQ(std::get<std::vector<Bytes>>(program.info(ProgramInfo::binaries)), program.binaries());
}

TEST_P(ProgramTest, ABrokenBinaryNamesTheDeviceThatRefusedIt) {
  const Device devices[] = {device()};
  const Bytes broken[] = {Bytes(100)};
  // Platforms look at it now, or when it is built.
  const auto load = [&] { Program::from_binaries(context(), devices, broken).build(); };
  try {
    load();
    FAIL() << "nothing was thrown";
  } catch (const BuildError& error) {
    EXPECT_THAT(error.what(), HasSubstr(device().name()));
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CL_INVALID_BINARY");
    EXPECT_THAT(error.what(), HasSubstr(device().name() + " refused its binary of 100 bytes"));
  }
}

TEST_P(ProgramTest, AsManyBinariesAsDevicesAreWanted) {
  const Device devices[] = {device()};
  EXPECT_THROW(Program::from_binaries(context(), devices, {}), InvalidArgument);
  EXPECT_THROW(Program::from_binaries(context(), {}, {}), InvalidArgument);
}

TEST_P(ProgramTest, IsCompiledWithHeadersAndLinked) {
  const Program header = Program::from_source(context(), "#define ANSWER 13\n");
  const Program user =
      Program::from_source(context(), std::string("#include \"answer.h\"\n") + answer_source);
  const Program::Header headers[] = {{"answer.h", header}};
  user.compile("", headers);
  const Program programs[] = {user};
  const Program linked = Program::link(context(), programs);
  EXPECT_EQ(answer_of(linked), 13);
}

TEST_P(ProgramTest, AFailedCompileIsABuildError) {
  try {
    Program::from_source(context(), "__kernel void k( {}").compile();
    FAIL() << "it compiled";
  } catch (const BuildError& error) {
    EXPECT_EQ(error.call(), "clCompileProgram");
    EXPECT_FALSE(error.log().empty());
  }
}

TEST_P(ProgramTest, AFailedLinkIsAnErrorOfTheLinker) {
  const Program never_compiled = Program::from_source(context(), "__kernel void k() {}");
  const Program programs[] = {never_compiled};
  try {
    Program::link(context(), programs);
    FAIL() << "it linked";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.call(), "clLinkProgram");
    EXPECT_THAT(error.what(), HasSubstr("program 0 was never compiled"));
  }
}

TEST_P(ProgramTest, FromILSaysWhereNoDeviceTakesIt) {
  try {
    const Bytes nonsense(64);
    Program::from_il(context(), nonsense);
  } catch (const NotSupported&) {
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.call(), HasSubstr("clCreateProgramWithIL"));
  }
}

TEST_P(ProgramTest, SpecializationConstantsBelongToIL) {
  const Program program = Program::from_source(context(), "__kernel void k() {}");
  const int value = 1;
  EXPECT_THROW(program.set_specialization_constant(0, std::as_bytes(std::span(&value, 1))),
               treadle::Error);
}

TEST_P(ProgramTest, BuiltInKernelsThatDoNotExistAreRefused) {
  const Device devices[] = {device()};
  EXPECT_THROW(Program::from_built_in_kernels(context(), devices, "no.such.kernel"),
               treadle::Error);
}

// One kernel: PoCL 3.1 gives each kernel of a program variables of its own.
TEST_P(ProgramTest, VariablesOfTheProgramHaveTheirValuesAndAreChanged) {
  Program program;
  try {
    program = build(
        "__global int count = 5;\n"
        "__kernel void k(__global int* a) { count += 10; *a = count; }",
        "-cl-std=CL2.0");
  } catch (const BuildError&) {
    GTEST_SKIP() << "the device has no variables of programs";
  }
  EXPECT_EQ(answer_of(program), 15);
}

class ProgramOnFakeTest : public testing::Test {
 protected:
  ProgramOnFakeTest() { fake::reset(); }
  ~ProgramOnFakeTest() override { fake::reset(); }
  static std::vector<std::string> calls() {
    std::vector<std::string> programs;
    for (const std::string& call : fake::state().calls)
      if (call.find("Program") != std::string::npos || call.starts_with("clCreateKernel"))
        programs.push_back(call);
    return programs;
  }
};

TEST_F(ProgramOnFakeTest, IsMadeFromILWithConstantsSetBeforeTheBuild) {
  const Context context(fake::device());
  const Program program = Program::from_il(context, Bytes(20));
  EXPECT_EQ(program.kind(), ProgramKind::il);
  const int value = 42;
  program.set_specialization_constant(7, std::as_bytes(std::span(&value, 1)));
  program.build("-cl-std=CL3.0");
  program.kernel("k");
  const auto made = calls();
  ASSERT_GE(made.size(), 4u);
  EXPECT_EQ(made[0], "clCreateProgramWithIL(20)");
  EXPECT_EQ(made[1], "clSetProgramSpecializationConstant(7, 42)");
  EXPECT_EQ(made[2], "clBuildProgram(-cl-std=CL3.0)");
  EXPECT_EQ(fake::state().count("clCreateKernel"), 1);
}

TEST_F(ProgramOnFakeTest, OlderPlatformsTakeILByTheExtensionAndNoConstants) {
  fake::state().version = "OpenCL 2.1 Fake";
  const Program program = Program::from_il(Context(fake::device()), Bytes(20));
  const int value = 1;
  EXPECT_THROW(program.set_specialization_constant(0, std::as_bytes(std::span(&value, 1))),
               NotSupported);
  fake::state().version = "OpenCL 2.0 Fake";
  Program::from_il(Context(fake::device()), Bytes(20));
  EXPECT_EQ(fake::state().count("clCreateProgramWithIL"), 1);
  EXPECT_EQ(fake::state().count("clCreateProgramWithILKHR"), 1);
}

TEST_F(ProgramOnFakeTest, OfBuiltInKernelsIsBuiltAndHasThem) {
  const Device devices[] = {fake::device()};
  const Program program =
      Program::from_built_in_kernels(Context(devices[0]), devices, "fake.add;fake.sub");
  program.build();
  EXPECT_EQ(program.kernel("fake.add").name(), "fake");
  EXPECT_EQ(calls().front(), "clCreateProgramWithBuiltInKernels(fake.add;fake.sub)");
}

TEST_P(ProgramTest, WrapsAnotherLibrarysProgram) {
  const Program made = build(answer_source, "-DANSWER=5");
  const Program wrapped(Loader::system().shared_table(), made.raw(), Ownership::retain);
  EXPECT_EQ(wrapped, made);
  EXPECT_EQ(wrapped.kind(), ProgramKind::unknown);
  EXPECT_EQ(answer_of(wrapped), 5);
}

TEST_P(ProgramTest, BuildsForTheDevicesGiven) {
  const Program program = Program::from_source(context(), "__kernel void k() {}");
  const Device devices[] = {device()};
  program.build("", devices);
  EXPECT_THAT(program.kernel_names(), ElementsAre("k"));
}

TEST(OpenCLProgram, AnEmptyOneSaysSo) {
  EXPECT_FALSE(Program());
  EXPECT_EQ(Program().kind(), ProgramKind::unknown);
  EXPECT_THROW(Program().raw(), InvalidState);
  EXPECT_THROW(Program().context(), InvalidState);
  EXPECT_EQ(Program(), Program());
}

}  // namespace
}  // namespace treadle::opencl
