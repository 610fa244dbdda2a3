// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/module_parts.hpp"

#include <gmock/gmock.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "cuda_cpu/compiler/ir_module.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A function that takes LLVM a while; `inside` stands before its end.
std::string function(const std::string& name, const std::string& inside = "",
                     const std::string& kind = "internal", unsigned instructions = 900) {
  std::string text = "define " + kind + " i32 @" + name + "(i32 %x0) {\n";
  for (unsigned i = 1; i <= instructions; ++i)
    text += "%x" + std::to_string(i) + " = mul i32 %x" + std::to_string(i - 1) + ", %x0\n";
  return text + inside + "ret i32 %x" + std::to_string(instructions) + "\n}\n";
}

constexpr const char* list = "@list = constant [2 x ptr] [ptr @first, ptr @second]\n";

struct CutModule {
  explicit CutModule(const std::string& text, const ModulePlan& plan = {}) : module(text) {
    parts = cut_module(*module, plan);
  }
  std::string text_of(unsigned part) {
    llvm::LLVMContext context;
    std::string text;
    llvm::raw_string_ostream stream(text);
    const ModulePart loaded = load_part(parts, part, context);
    EXPECT_FALSE(llvm::verifyModule(*loaded.module, &llvm::errs()));
    loaded.module->print(stream, nullptr);
    return text;
  }

  IrModule module;
  ModuleParts parts;
};

TEST(ModuleParts, SmallModulesStayWhole) {
  CutModule cut(list + function("first", "", "internal", 100) +
                function("second", "", "internal", 100));
  EXPECT_EQ(cut.parts.count, 1u);
  EXPECT_TRUE(cut.parts.bitcode.empty());
  EXPECT_TRUE(cut.module.function("first").hasLocalLinkage());
}

TEST(ModuleParts, EachFunctionIsDefinedOnce) {
  CutModule cut(list + function("first") + function("second"));
  ASSERT_EQ(cut.parts.count, 2u);
  EXPECT_THAT(cut.text_of(0), AllOf(HasSubstr("define hidden i32 @first"),
                                    HasSubstr("declare hidden i32 @second")));
  EXPECT_THAT(cut.text_of(1), AllOf(HasSubstr("declare hidden i32 @first"),
                                    HasSubstr("define hidden i32 @second")));
}

TEST(ModuleParts, WhatTheInlinerMayJoinStaysTogether) {
  const std::string call = "%c = call i32 @helper(i32 %x0)\n";
  CutModule cut(list + function("first", call) + function("second") + function("third") +
                function("helper", "", "internal", 2) + "@more = constant ptr @third");
  ASSERT_EQ(cut.parts.count, 3u);
  EXPECT_EQ(cut.parts.part_of.lookup("helper"), cut.parts.part_of.lookup("first"));
  EXPECT_THAT(cut.text_of(cut.parts.part_of.lookup("first")),
              HasSubstr("define internal i32 @helper"));
}

TEST(ModuleParts, WhatIsNeverInlinedIsASymbolForAll) {
  const std::string call = "%c = call i32 @helper(i32 %x0)\n";
  CutModule cut(list + function("first", call) + function("second", call) +
                "define internal i32 @helper(i32 %x) noinline {\nret i32 %x\n}");
  ASSERT_EQ(cut.parts.count, 2u);
  const unsigned home = cut.parts.part_of.lookup("helper");
  EXPECT_THAT(cut.text_of(home), HasSubstr("define hidden i32 @helper"));
  EXPECT_THAT(cut.text_of(1 - home), HasSubstr("declare hidden i32 @helper"));
}

TEST(ModuleParts, VariablesAreInTheFirstPartAndConstantsKnownToAll) {
  const std::string use =
      "%a = load i32, ptr @variable\n%b = load ptr, ptr @0\n%c = load i32, ptr @unused\n";
  CutModule cut(
      "@variable = internal global i32 7\n@0 = private constant ptr @table\n"
      "@table = internal constant [2 x i32] [i32 5, i32 6]\n@alone = internal "
      "global i32 1\n@unused = hidden global i32 2\n" +
      std::string(list) + function("first", use) + function("second", use));
  ASSERT_EQ(cut.parts.count, 2u);
  EXPECT_THAT(cut.text_of(0), AllOf(HasSubstr("@variable = hidden global i32 7"),
                                    HasSubstr("@treadle.value = hidden constant ptr @table"),
                                    HasSubstr("@table = hidden constant [2 x i32]"),
                                    HasSubstr("@alone = internal global i32 1")));
  EXPECT_THAT(cut.text_of(1),
              AllOf(HasSubstr("@variable = external hidden global i32\n"),
                    HasSubstr("@treadle.value = available_externally hidden constant ptr @table"),
                    HasSubstr("@table = available_externally hidden constant [2 x i32]"),
                    HasSubstr("@unused = external hidden global i32\n")));
}

TEST(ModuleParts, KernelsKeepTheirNamesAndDescriptions) {
  const std::string description =
      "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
      "!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1)\n"
      "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"
      "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
      "!3 = distinct !DISubprogram(name: \"k\", unit: !0, spFlags: DISPFlagDefinition)\n"
      "!kept = !{!3}\n";
  IrModule module(list + function("first") + function("second") + description);
  ModulePlan plan;
  plan.kernels.resize(2);
  plan.kernels[0].name = "k";
  plan.kernels[0].description =
      llvm::cast<llvm::DISubprogram>(module->getNamedMetadata("kept")->getOperand(0));
  plan.kernels[1].name = "other";
  const ModuleParts parts = cut_module(*module, plan);
  llvm::LLVMContext context;
  const ModulePart part = load_part(parts, 1, context);
  ASSERT_EQ(part.plan.kernels.size(), 2u);
  EXPECT_EQ(part.plan.kernels[0].name, "k");
  ASSERT_NE(part.plan.kernels[0].description, nullptr);
  EXPECT_EQ(part.plan.kernels[0].description->getName(), "k");
  EXPECT_EQ(&part.plan.kernels[0].description->getContext(), &context);
  EXPECT_EQ(part.plan.kernels[1].description, nullptr);
}

TEST(ModuleParts, AddressesOfLabelsKeepAModuleWhole) {
  CutModule cut("@label = internal constant ptr blockaddress(@third, %there)\n" +
                std::string(list) + function("first") + function("second") +
                "define ptr @third() {\nbr label %there\nthere:\n%p = load ptr, ptr @label\n"
                "ret ptr %p\n}");
  EXPECT_EQ(cut.parts.count, 1u);
}

TEST(ModuleParts, TheSameModuleIsCutTheSame) {
  std::string text = list;
  for (const char* name : {"first", "second"}) text += function(name);
  for (int i = 0; i < 40; ++i) text += function("f" + std::to_string(i), "", "", 300);
  const CutModule one(text), other(text);
  EXPECT_EQ(one.parts.count, 16u);
  EXPECT_EQ(one.parts.bitcode, other.parts.bitcode);
  for (const auto& entry : one.parts.part_of)
    EXPECT_EQ(entry.second, other.parts.part_of.lookup(entry.first()));
}

}  // namespace
}  // namespace treadle::cuda_cpu
