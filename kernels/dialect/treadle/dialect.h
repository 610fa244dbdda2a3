// SPDX-License-Identifier: MIT
// One kernel text for CUDA C and for OpenCL C: what the two languages spell differently, under one
// name. What they spell alike (sin, fma, printf, x.y, +=) is left as it is.
//
//     #include "treadle/dialect.h"
//     TREADLE_KERNEL scale(TREADLE_GLOBAL float *x, float factor, int n)
//     {
//         int i = treadle_global_id(0);
//         if (i < n) x[i] *= factor;
//     }
//
// Left out, because the languages differ in more than spelling: textures, images.
#ifndef TREADLE_DIALECT_H
#define TREADLE_DIALECT_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#include "treadle/dialect_opencl.h"
#else
#include "treadle/dialect_cuda.h"
#endif

// A kernel begins with TREADLE_KERNEL, which says that it returns nothing; a group size that is
// known may follow: TREADLE_KERNEL TREADLE_GROUP_SIZE(16, 16, 1) name(...), and for groups of one
// dimension TREADLE_GROUP_OF(256), or TREADLE_GROUPS_OF(256, 2), of which a compute unit is to hold
// two: they get no more registers.
//
// Where data lies:
//   TREADLE_GLOBAL float *p          a pointer to device memory
//   TREADLE_LOCAL float tile[256];   memory of the group, declared in a kernel's outermost block
//   TREADLE_LOCAL_POINTER float *p   a pointer to it, in a function's parameters
//   TREADLE_CONSTANT float table[2] = {1, 2};   a table outside of kernels
//   TREADLE_CONSTANT_POINTER float *p           a pointer to it
//
// Functions that kernels call begin with TREADLE_FUNCTION. TREADLE_ALWAYS_INLINE may follow: a loop
// that calls a function becomes vector code on processors only if the call is inlined.
//
// Index space, by dimension 0, 1 or 2; numbers are unsigned:
//   treadle_local_id treadle_group_id treadle_local_size treadle_group_count, of 32 bits
//   treadle_global_id treadle_global_size, of 64 bits
//
// treadle_barrier() waits for the group and makes its writes to local and to global memory visible
// in it; treadle_fence() orders a thread's own writes, and waits for nobody.
//
// Atomics on int and unsigned int in global or local memory, each returning the old value:
//   treadle_atomic_{add,sub,min,max,and,or,xor,exchange}(pointer, value)
//   treadle_atomic_compare_exchange(pointer, expected, desired)
// treadle_atomic_exchange takes a float, too. On treadle_int64 and treadle_uint64, where
// TREADLE_HAS_INT64_ATOMICS:
//   treadle_atomic_{add,sub,min,max,and,or,xor,exchange}_int64(pointer, value)
//   treadle_atomic_compare_exchange_int64(pointer, expected, desired)
// Words in device memory that other groups read and write meanwhile, as wholes and in no order:
//   treadle_load_{uint,uint64}(pointer), treadle_store_{uint,uint64}(pointer, value)
// On float, and on double where TREADLE_HAS_DOUBLE_ATOMICS, by a loop where there is no instruction;
// those behind _local are for memory of the group:
//   treadle_atomic_{add,min,max}_{float,double}(pointer, value)
//   treadle_atomic_{add,min,max}_{float,double}_local(pointer, value)
//
// Sub-groups (CUDA: warps), where TREADLE_HAS_SUB_GROUPS. All work-items of one come to each word:
//   treadle_sub_group_size(), treadle_sub_group_lane(): of 32 bits; the last of a group may be
//       smaller
//   treadle_sub_group_shuffle(x, lane), treadle_sub_group_shuffle_xor(x, mask),
//       treadle_sub_group_shuffle_down(x, delta), treadle_sub_group_shuffle_up(x, delta): what
//       another lane has, of int, uint and float; beyond the ends of it each keeps its own
//   treadle_sub_group_any(predicate), treadle_sub_group_all(predicate)
//   treadle_sub_group_ballot(predicate): a treadle_uint64 with a bit for each lane
//   treadle_sub_group_barrier()
// The three TREADLE_HAS_ are 1 or 0, for #if. A word that the device lacks does not compile: the
// message says this_device_has_no_sub_groups.
//
// Local memory whose size the launch decides, one array of a kernel, the last of its parameters:
//     TREADLE_KERNEL f(TREADLE_GLOBAL float *x TREADLE_LAUNCH_LOCAL_PARAMETER(float, tile))
//     {
//         TREADLE_LAUNCH_LOCAL(float, tile);
// It has the bytes of LaunchShape::local_bytes, or of the argument Local{bytes} behind the others:
// DeviceTraits::shape_local_memory says which.
//
// Vectors: treadle_make_float4(x, y, z, w) and so for {float,double,int,uint}{2,3,4};
// + - * / between two of them, and of one with its scalar on the right. treadle_make_vector(type)
// stands before the elements of any other: treadle_make_vector(uchar4)(r, g, b, a). A vector of
// three has 12 bytes in CUDA C and 16 in OpenCL C: in memory it is three numbers, which
// treadle_load3(pointer, index) and treadle_store3(pointer, index, vector) read and write.
//
// Math whose names differ: treadle_clamp(x, low, high), treadle_mix(a, b, t), treadle_mad(a, b, c)
// (a * b + c, in whichever way is fastest), treadle_popcount(u), treadle_leading_zeros(u),
// treadle_as_uint(float), treadle_as_int(float), treadle_as_float(uint), treadle_as_uint64(double),
// treadle_as_double(uint64). TREADLE_INFINITY and TREADLE_NAN are floats. Numbers of 16 bits are
// stored as unsigned short and computed with as float: treadle_half_to_float(bits),
// treadle_float_to_half(float), to nearest even, and treadle_round_half(float), the float that has
// as many digits.
//
// #if TREADLE_ON_PROCESSOR: whether loops over work-items become vector code. TREADLE_VECTOR_LOOP
// stands before a loop whose iterations do not need each other; compilers other than Clang do without.
//
// treadle_int64_literal(5) and treadle_uint64_literal(5): numbers with the suffix of their type.
//
// Types: treadle_int64, treadle_uint64; uchar, ushort and uint as in OpenCL.

#endif
