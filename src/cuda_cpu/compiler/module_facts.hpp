// SPDX-License-Identifier: MIT
// What only clang knows about a module, carried over to the passes; and what only the module shows,
// said by clang.
#pragma once

namespace clang {
class CodeGenerator;
class DiagnosticsEngine;
}  // namespace clang
namespace llvm {
class Module;
}

namespace treadle::cuda_cpu {

/// Notes on each kernel, from its declaration: attribute "treadle-max-threads" (of
/// __launch_bounds__) and metadata !treadle.parameters = !{!"name", !"type", !"name", !"type", ...}
/// as the source spells them.
void note_kernel_facts(llvm::Module& module, clang::CodeGenerator& generator);

/// Reports kernels that no compiler for GPUs takes: with references, `...`, or in a class.
void refuse_kernels(const llvm::Module& module, clang::CodeGenerator& generator,
                    clang::DiagnosticsEngine& diagnostics);
/// Reports kernels that are launched by clusters of more than one block, at their attribute.
void refuse_clusters(const llvm::Module& module, clang::CodeGenerator& generator,
                     clang::DiagnosticsEngine& diagnostics);

/// Translates each inline assembly that a kernel can reach, and reports at its place in the source
/// what cannot be translated.
void translate_inline_assembly(llvm::Module& module, clang::DiagnosticsEngine& diagnostics);

}  // namespace treadle::cuda_cpu
