// SPDX-License-Identifier: MIT
// Definitions for entry points that the static libraries of Debian's LLVM name and this library
// leaves out.
//
// lld asks for every target LLVM was built with, clang's back end for the Polly plug-in. Both calls
// mean "register what you have"; here only x86 is there, so the others register nothing. That keeps
// some 100 MB of code generators for other processors out of the library.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "absent", LLVM_VERSION_STRING, [](llvm::PassBuilder&) {}};
}

#define TREADLE_ABSENT(function) \
  extern "C" void function();    \
  extern "C" void function() {}
#define TREADLE_ABSENT_TARGET(name)                \
  TREADLE_ABSENT(LLVMInitialize##name##Target)     \
  TREADLE_ABSENT(LLVMInitialize##name##TargetInfo) \
  TREADLE_ABSENT(LLVMInitialize##name##TargetMC)   \
  TREADLE_ABSENT(LLVMInitialize##name##AsmPrinter) \
  TREADLE_ABSENT(LLVMInitialize##name##AsmParser)

TREADLE_ABSENT_TARGET(AArch64)
TREADLE_ABSENT_TARGET(AMDGPU)
TREADLE_ABSENT_TARGET(ARM)
TREADLE_ABSENT_TARGET(AVR)
TREADLE_ABSENT_TARGET(BPF)
TREADLE_ABSENT_TARGET(Hexagon)
TREADLE_ABSENT_TARGET(Lanai)
TREADLE_ABSENT_TARGET(LoongArch)
TREADLE_ABSENT_TARGET(M68k)
TREADLE_ABSENT_TARGET(MSP430)
TREADLE_ABSENT_TARGET(Mips)
TREADLE_ABSENT_TARGET(NVPTX)
TREADLE_ABSENT_TARGET(PowerPC)
TREADLE_ABSENT_TARGET(RISCV)
TREADLE_ABSENT_TARGET(Sparc)
TREADLE_ABSENT_TARGET(SystemZ)
TREADLE_ABSENT_TARGET(VE)
TREADLE_ABSENT_TARGET(WebAssembly)
TREADLE_ABSENT_TARGET(XCore)
TREADLE_ABSENT_TARGET(Xtensa)
