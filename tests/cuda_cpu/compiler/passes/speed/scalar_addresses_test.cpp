// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/run_pass.hpp"
#include "cuda_cpu/compiler/passes/speed/scalar_addresses.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(ScalarAddresses, TheFirstLaneIsComputedBesideTheVector) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, i64 %s, i64 %n) {
   entry:
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %start = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    br label %loop
   loop:
    %index = phi i64 [ 0, %entry ], [ %next, %loop ]
    %lanes = phi <4 x i64> [ <i64 0, i64 1, i64 2, i64 3>, %entry ], [ %lanes.next, %loop ]
    %sum = add nsw <4 x i64> %lanes, %start
    %narrow = trunc <4 x i64> %sum to <4 x i32>
    %first = extractelement <4 x i32> %narrow, i64 0
    %i = sext i32 %first to i64
    %a = getelementptr i32, ptr %p, i64 %i
    store <4 x i32> %narrow, ptr %a
    %second = extractelement <4 x i64> %sum, i64 1
    %b = getelementptr i32, ptr %p, i64 %second
    store i32 0, ptr %b
    %next = add nuw i64 %index, 4
    %lanes.next = add <4 x i64> %lanes, <i64 4, i64 4, i64 4, i64 4>
    %more = icmp ult i64 %next, %n
    br i1 %more, label %loop, label %end
   end:
    ret void })");
  EXPECT_EQ(count(text, "extractelement"), 1u) << "the second lane";
  EXPECT_EQ(count(text, "phi i64 [ 0, %entry ]"), 2u);
  EXPECT_THAT(text, HasSubstr(", %s\n")) << "the lane's sum";
  EXPECT_THAT(text, HasSubstr("trunc i64"));
}

TEST(ScalarAddresses, ALaneMayBeThePartOfAnother) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, i64 %s) {
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    %sum = add <4 x i64> %all, <i64 3, i64 4, i64 5, i64 6>
    store <4 x i64> %sum, ptr %p
    %parts = bitcast <4 x i64> %sum to <8 x i32>
    %first = extractelement <8 x i32> %parts, i64 0
    %i = sext i32 %first to i64
    %a = getelementptr i32, ptr %p, i64 %i
    store i32 0, ptr %a
    %joined = bitcast <8 x i32> %parts to <2 x i128>
    %large = extractelement <2 x i128> %joined, i64 0
    %b = getelementptr i32, ptr %p, i128 %large
    store i32 0, ptr %b
    ret void })");
  EXPECT_THAT(text, HasSubstr("trunc i64 %1 to i32"));
  EXPECT_THAT(text, HasSubstr("%large = extractelement <2 x i128> %joined, i64 0"));
}

TEST(ScalarAddresses, WhatNoSumGivesStaysInItsVector) {
  const std::string text = after<ScalarAddresses>(R"(define void @f(ptr %p, <4 x i64> %v, i64 %s) {
    %one = insertelement <4 x i64> poison, i64 %s, i64 0
    %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
    %known = add <4 x i64> %all, <i64 1, i64 1, i64 1, i64 1>
    %w = add <4 x i64> %known, %v
    %first = extractelement <4 x i64> %w, i64 0
    %a = getelementptr i32, ptr %p, i64 %first
    store i32 0, ptr %a
    ret void })");
  EXPECT_THAT(text, HasSubstr("%first = extractelement <4 x i64> %w, i64 0"));
  EXPECT_EQ(count(text, "add "), 2u) << "nothing is left of what was tried";
}

}  // namespace
}  // namespace treadle::cuda_cpu
