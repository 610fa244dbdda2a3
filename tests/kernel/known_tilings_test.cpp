// SPDX-License-Identifier: MIT
#include "treadle/kernel/known_tilings.hpp"

#include <gtest/gtest.h>

#include "treadle/base/embedded.hpp"
#include "treadle/device/null.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {
namespace shipped_tilings {
extern const std::span<const EmbeddedFile> embedded_files;
}
namespace {

using codegen::Tiling;

TEST(KnownTilingsTest, ALineIsReadAsItWasWritten) {
  const KnownTiling known{.device = "GPU \"1\" \\ 2",
                          .architecture = "sm_90",
                          .schedule = Schedule::narrow,
                          .numbers = {{"chunk_bytes", 65536}, {"tile_side", 16}}};
  const std::string line = tiling_line(known);
  EXPECT_EQ(line, R"({"device":"GPU \"1\" \\ 2","architecture":"sm_90","schedule":"narrow",)"
                  R"("numbers":{"chunk_bytes":65536,"tile_side":16}})");
  EXPECT_EQ(tiling_of_line(line), known);
  EXPECT_EQ(tiling_of_line(R"(  { "schedule" : "wide" , "numbers" : { } , "comment": "x" } )"),
            KnownTiling{});
}

TEST(KnownTilingsTest, WhatIsNoLineIsNone) {
  for (const char* line :
       {"", "{", "{}", "x", R"({"schedule":"wide")", R"({"schedule":"sideways","numbers":{}})",
        R"({"schedule":"wide","numbers":{"a":-1}})", R"({"schedule":"wide","numbers":{"a":"1"}})",
        R"({"schedule":"wide","numbers":3})", R"({"schedule":"wide"} x)", R"({"schedule":"wide\)",
        R"({"schedule":"wide","numbers":{"a":1},})"})
    EXPECT_FALSE(tiling_of_line(line)) << line;
}

std::string line_for(const std::string& device, const std::string& architecture,
                     std::map<std::string, std::uint64_t> numbers) {
  return tiling_line({device, architecture, Schedule::wide, std::move(numbers)}) + "\n";
}

TEST(KnownTilingsTest, LinesOfTheDeviceCountElseThoseOfItsArchitecture) {
  const Tiling before = codegen::tiling_of(Schedule::wide);
  const auto with = [&](const std::string& lines) {
    return tiling_from(lines, "GPU 1", "sm_90", before);
  };
  const std::string all = line_for("", "sm_90", {{"tile_side", 16}}),
                    one = line_for("GPU 1", "sm_90", {{"group_size", 128}});
  EXPECT_EQ(with(""), before);
  EXPECT_EQ(with(line_for("GPU 2", "sm_90", {{"tile_side", 16}})), before);
  EXPECT_EQ(with(line_for("", "sm_100", {{"tile_side", 16}})), before);
  EXPECT_EQ(with(all).tile_side, 16);
  EXPECT_EQ(with(one + all).group_size, 128u);
  EXPECT_EQ(with(one + all).tile_side, before.tile_side);
  EXPECT_EQ(with(one + line_for("GPU 1", "", {{"group_size", 512}})).group_size, 512u);
  EXPECT_EQ(tiling_from(one, "GPU 1", "sm_90", codegen::tiling_of(Schedule::narrow)),
            codegen::tiling_of(Schedule::narrow));
}

// Nobody has measured the newest: it begins with what was better on the one before it.
TEST(KnownTilingsTest, ANewArchitectureTakesLinesOfTheLastBeforeIt) {
  const Tiling before = codegen::tiling_of(Schedule::wide);
  const std::string lines =
      line_for("", "sm_90", {{"group_size", 128}}) + line_for("", "sm_80", {{"group_size", 64}}) +
      line_for("", "sm_120", {{"group_size", 512}}) + line_for("", "cpu", {{"group_size", 32}});
  const auto size = [&](const std::string& device, const std::string& architecture) {
    return tiling_from(line_for("Xeon 1", "cpu", {{"group_size", 1024}}) + lines, device,
                       architecture, before)
        .group_size;
  };
  EXPECT_EQ(size("GPU 1", "sm_100"), 128u);
  EXPECT_EQ(size("GPU 1", "sm_90"), 128u);
  EXPECT_EQ(size("GPU 1", "sm_89"), 64u);
  EXPECT_EQ(size("GPU 1", "sm_75"), before.group_size);
  // A processor of another name takes what any processor has.
  EXPECT_EQ(size("Xeon 1", "cpu"), 1024u);
  EXPECT_EQ(size("EPYC 1", "cpu"), 32u);
}

TEST(KnownTilingsTest, NumbersThatMayNotBeSoChangeNothing) {
  const Tiling before = codegen::tiling_of(Schedule::wide);
  for (const auto& [name, value] : std::map<std::string, std::uint64_t>{
           {"group_size", 96}, {"tile_side", 1 << 20}, {"sides", 3}, {"chunk_bytes", 4096}})
    EXPECT_EQ(tiling_from("x\n" + line_for("", "cpu", {{name, value}, {"lone_rounds", 1}}), "",
                          "cpu", before),
              before)
        << name;
}

TEST(KnownTilingsTest, WhatTreadleCarriesIsValid) {
  for (const EmbeddedFile& file : shipped_tilings::embedded_files) {
    std::string_view lines = file.text;
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      const auto known = tiling_of_line(line);
      ASSERT_TRUE(known) << line;
      const Tiling before = codegen::tiling_of(known->schedule);
      EXPECT_NE(tiling_from(line, known->device, known->architecture, before), before) << line;
    }
  }
}

// By architecture: a machine that nobody has measured starts with what another of its kind has.
TEST(KnownTilingsTest, AnUnknownDeviceOfAKnownArchitectureHasItsSeed) {
  const Tiling before = codegen::tiling_of(Schedule::wide);
  const std::string lines = line_for("", "sm_90", {{"lone_rounds", 1}});
  for (const char* kind : {"sm_90", "sm_100"})
    EXPECT_NE(tiling_from(lines, "a GPU that nobody has seen", kind, before), before);
  EXPECT_EQ(tiling_from(lines, "NVIDIA H200", "sm_80", before), before);
}

TEST(KnownTilingsTest, ADeviceNobodyKnowsHasItsLimitsNumbers) {
  const auto device = device::null_driver()->devices().front();
  const Schedule schedule = device->info().traits.schedule;
  EXPECT_EQ(known_tiling(*device, schedule, "no such file"),
            default_tiling(device->info().limits, schedule));
  EXPECT_EQ(tilings_file().filename(), "tilings.jsonl");
}

}  // namespace
}  // namespace treadle::kernel
