// SPDX-License-Identifier: MIT
// Places of instructions in functions made of kernels, and the texts that debuggers show.
#include "cuda_cpu/compiler/passes/lowering/line_tables.hpp"

#include <gmock/gmock.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/module_plan.hpp"
#include "cuda_cpu/compiler/source_copies.hpp"
#include "treadle/process/debug_files.hpp"

namespace treadle::cuda_cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Two functions made of one kernel: with a loop, a call, and what came from a header of ours.
const std::string two_regions = R"(
  define internal void @all.0.k(ptr %p) {
    store i32 1, ptr %p, !dbg !5
    br label %loop, !dbg !6, !llvm.loop !9
  loop:
    call void @rest(), !dbg !7
    call void @rest()
    ret void
  }
  define internal void @run.k(ptr %p) {
    store i32 2, ptr %p, !dbg !5
    ret void, !dbg !6
  }
  define internal void @all.0.other() { ret void }
  define internal void @all.1.k() { ret void }
  define internal void @of_the_user() { ret void }
  define void @k() !dbg !4 { ret void }
  declare void @rest()
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!20}
  !20 = !{i32 2, !"Debug Info Version", i32 3}
  !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
  !1 = !DIFile(filename: "kernel.cu", directory: "/treadle/source/1")
  !2 = !DIFile(filename: "/treadle/device/math.h", directory: "")
  !3 = !DISubroutineType(types: !{})
  !4 = distinct !DISubprogram(name: "k", linkageName: "_Z1kPi", file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
  !5 = !DILocation(line: 3, column: 5, scope: !4)
  !6 = !DILocation(line: 4, column: 1, scope: !4)
  !7 = !DILocation(line: 70, column: 1, scope: !8, inlinedAt: !6)
  !8 = distinct !DISubprogram(name: "sync", file: !2, line: 69, type: !3, unit: !0, spFlags: DISPFlagDefinition)
  !9 = distinct !{!9, !5, !6}
)";

class LineTables : public ::testing::Test {
 protected:
  LineTables() : module_(two_regions) {
    for (const char* name : {"k", "other"}) plan_.kernels.emplace_back().name = name;
    const llvm::Function& kernel = module_.function("k");
    plan_.kernels.front().description = kernel.getSubprogram();
    module_.function("k").eraseFromParent();
    finish_line_tables(*module_, plan_);
  }

  /// Lines of a function's instructions, 0 where none is known.
  std::vector<unsigned> lines(const char* function) {
    std::vector<unsigned> found;
    for (const llvm::Instruction& instruction : llvm::instructions(module_.function(function)))
      found.push_back(instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0);
    return found;
  }

  IrModule module_;
  ModulePlan plan_;
};

TEST_F(LineTables, functions_are_named_after_their_kernels) {
  std::vector<std::string> names;
  for (const llvm::Function& function : *module_)
    if (!function.isDeclaration()) names.push_back(function.getName().str());
  EXPECT_THAT(names, ElementsAre("k.all.0", "k.kernel", "other.all.0", "k.all.1", "of_the_user"));
}

TEST_F(LineTables, each_function_has_a_description_with_the_kernels_name) {
  const llvm::DISubprogram* first = module_.function("k.all.0").getSubprogram();
  const llvm::DISubprogram* second = module_.function("k.kernel").getSubprogram();
  const llvm::DISubprogram* empty = module_.function("k.all.1").getSubprogram();
  ASSERT_TRUE(first && second && empty);
  EXPECT_NE(first, second);
  for (const llvm::DISubprogram* description : {first, second, empty}) {
    EXPECT_EQ(description->getName(), "k");
    EXPECT_EQ(description->getLinkageName(), "");
    EXPECT_EQ(description->getLine(), 2u);
  }
  EXPECT_EQ(module_.function("other.all.0").getSubprogram(), nullptr);
}

TEST_F(LineTables, instructions_keep_their_lines_and_our_headers_are_the_users_line) {
  EXPECT_THAT(lines("k.all.0"), ElementsAre(3, 4, 4, 0, 0));
  EXPECT_THAT(lines("k.kernel"), ElementsAre(3, 4));
}

TEST_F(LineTables, the_module_is_one_that_llvm_takes) {
  bool broken_places = true;
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs(), &broken_places));
  EXPECT_FALSE(broken_places);
}

TEST(PresumedFiles, a_text_without_directives_is_one_file) {
  EXPECT_THAT(presumed_files("a\nb\n", "kernel.cu"), ElementsAre(Pair("kernel.cu", "a\nb\n")));
  EXPECT_THAT(presumed_files("", "kernel.cu"), ElementsAre());
}

TEST(PresumedFiles, lines_stand_where_they_are_counted_from) {
  // As SourceModule wraps a source.
  const char* wrapped =
      "#line 1 \"kernel.cu\"\n#include <stdio.h>\nextern \"C\" {\n#line 2 \"kernel.cu\"\nint "
      "i;\n\n}\n";
  EXPECT_THAT(presumed_files(wrapped, "/dev/null/kernel.cu"),
              ElementsAre(Pair("kernel.cu", "#include <stdio.h>\nint i;\n\n}\n")));
}

TEST(PresumedFiles, a_generator_may_name_many_files_and_any_line) {
  EXPECT_THAT(presumed_files("one\n# 3 \"b.cu\"\ntwo\n#line 2\nthree\n#line 4000000000\nfour\n"
                             "#pragma once\n",
                             "a.cu"),
              ElementsAre(Pair("a.cu", "one\n"), Pair("b.cu", "\nthree\ntwo\n")));
}

TEST(PresumedFiles, empty_lines_before_far_ones_have_a_limit_together) {
  const auto files = presumed_files(
      "#line 600000 \"a.cu\"\nfar\n#line 600000 \"b.cu\"\ntoo far\n#line 2 \"c.cu\"\nnear\n",
      "k.cu");
  EXPECT_THAT(files, ElementsAre(Pair("a.cu", std::string(599999, '\n') + "far\n"),
                                 Pair("c.cu", "\nnear\n")));
}

TEST(SourceFolder, is_a_digest_of_the_text_below_the_root) {
  const std::string folder = source_folder("text");
  EXPECT_TRUE(folder.starts_with(debug_source_root));
  EXPECT_EQ(folder.size(), debug_source_root.size() + 32);
  EXPECT_EQ(folder, source_folder("text"));
  EXPECT_NE(folder, source_folder("texT"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
