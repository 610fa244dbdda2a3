/* a comment */ // another
#pragma once
%:include <digraph.h>
#  include /* here */ "quoted.h"
#include_next <next.h>
#import "imported.h"
#embed "bytes.bin"
#if __has_include(<asked.h>) && defined(X) // (<not a question>)
#define HAS(x) __has_include(x)
#elif HAS(<wrapped.h>)
#include MACRO
#endif
#inc\
lude "joined.h"
const char* where = __FILE__ __TIME__ "#include \"in a string\"";
extern "C" __global__ void k(int* a) { assert(a[0]); }
