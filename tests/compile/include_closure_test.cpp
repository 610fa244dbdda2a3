// SPDX-License-Identifier: MIT
#include "compile/include_closure.hpp"

#include <gmock/gmock.h>
#include <sys/time.h>

#include "scratch.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

IncludeSearch in_folders(std::vector<std::filesystem::path> folders) {
  return {
      .user_dirs = std::move(folders), .toolkit_dirs = {}, .pre_includes = {}, .is_embedded = {}};
}

std::vector<std::string> paths(const IncludeClosure& closure) {
  std::vector<std::string> texts;
  for (const IncludedFile& file : closure.files) texts.push_back(file.path);
  return texts;
}

Freshness check(const IncludeClosure& closure) {
  Restamps restamps;
  return check_closure(closure, restamps);
}

TEST(IncludeClosure, follows_headers_of_headers_in_search_order) {
  const ScratchFolder dir;
  dir.write("one/a.h", "#include \"sub/b.h\"\n#include <c.h>\n");
  dir.write("one/sub/b.h", "#include \"d.h\"\n");
  dir.write("one/sub/d.h", "");
  dir.write("two/d.h", "");
  dir.write("two/c.h", "#include \"a.h\"\n");  // a circle
  const IncludeClosure closure =
      follow_includes("#include \"a.h\"", in_folders({dir / "one", dir / "two"}));
  EXPECT_THAT(paths(closure), ElementsAre(dir / "one/a.h", dir / "one/sub/b.h", dir / "one/sub/d.h",
                                          dir / "two/c.h"));
  EXPECT_THAT(closure.absent, ElementsAre(dir / "one/c.h", dir / "two/a.h"));
  EXPECT_EQ(closure.obstacle, "");
}

TEST(IncludeClosure, P3_notices_a_header_that_appears_earlier_on_the_path) {
  const ScratchFolder dir;
  dir.write("two/a.h", "");
  std::filesystem::create_directories(dir / "one");
  const IncludeClosure closure =
      follow_includes("#include <a.h>", in_folders({dir / "one", dir / "two"}));
  EXPECT_EQ(check(closure) == Freshness::changed, false);
  dir.write("one/a.h", "");
  EXPECT_EQ(check(closure), Freshness::changed);
}

TEST(IncludeClosure, P3_notices_what_a_question_was_answered_with) {
  const ScratchFolder dir;
  const IncludeClosure closure =
      follow_includes("#if __has_include(<a.h>)\n#endif", in_folders({dir.path()}));
  EXPECT_EQ(check(closure), Freshness::unchanged);
  dir.write("a.h", "");
  EXPECT_EQ(check(closure), Freshness::changed);
  const IncludeClosure other =
      follow_includes("#if __has_include(<a.h>)\n#endif", in_folders({dir.path()}));
  EXPECT_NE(closure.structure.hex(), other.structure.hex());
}

TEST(IncludeClosure, P3_contents_count_and_times_do_not) {
  const ScratchFolder dir;
  const auto header = dir.write("a.h", "#define A 1\n");
  IncludeClosure closure = follow_includes("#include <a.h>", in_folders({dir.path()}));
  const timeval times[2] = {{1000000, 1}, {1000000, 1}};
  ASSERT_EQ(::utimes(header.c_str(), times), 0);
  EXPECT_EQ(check(closure), Freshness::restamped);
  // Same size, and the same times set back by hand: the change time and the digest tell.
  overwrite(header, "#define A 2\n");
  ASSERT_EQ(::utimes(header.c_str(), times), 0);
  EXPECT_EQ(check(closure), Freshness::changed);
}

TEST(IncludeClosure, a_file_written_just_now_is_read_again) {
  const ScratchFolder dir;
  const auto header = dir.write("a.h", "#define A 1\n");
  const IncludeClosure closure = follow_includes("#include <a.h>", in_folders({dir.path()}));
  EXPECT_FALSE(closure.files.at(0).stamp.trusted);
  EXPECT_EQ(check(closure), Freshness::restamped);
}

TEST(IncludeClosure, embedded_headers_give_way_to_the_users_only) {
  const ScratchFolder dir;
  dir.write("user/math.h", "");
  dir.write("kit/math.h", "");
  dir.write("kit/stdio.h", "");
  dir.write("kit/k.h", "#include \"math.h\"\n");
  IncludeSearch search = in_folders({dir / "user"});
  search.toolkit_dirs = {dir / "kit"};
  search.is_embedded = [](std::string_view name) { return name == "math.h" || name == "stdio.h"; };
  const IncludeClosure closure =
      follow_includes("#include <math.h>\n#include <stdio.h>\n#include <k.h>", search);
  EXPECT_THAT(paths(closure), ElementsAre(dir / "user/math.h", dir / "kit/k.h"));
  EXPECT_THAT(closure.shadowed, ElementsAre("math.h"));
  EXPECT_THAT(closure.absent, ElementsAre(dir / "user/stdio.h", dir / "user/k.h"));
}

TEST(IncludeClosure, parts_of_curand_come_from_where_the_whole_does) {
  const ScratchFolder dir;
  dir.write("kit/curand_kernel.h", "#include \"curand.h\"\n#include \"math.h\"\n");
  dir.write("kit/curand.h", "");
  dir.write("kit/math.h", "");
  IncludeSearch search = in_folders({dir / "kit"});
  search.toolkit_dirs = {dir / "kit"};
  search.is_embedded = [](std::string_view) { return true; };
  const IncludeClosure closure = follow_includes("#include <curand_kernel.h>", search);
  EXPECT_THAT(paths(closure), ElementsAre(dir / "kit/curand_kernel.h", dir / "kit/curand.h"));
  EXPECT_THAT(closure.shadowed, ElementsAre("curand_kernel.h", "curand.h"));
}

TEST(IncludeClosure, unreadable_constructs_are_an_obstacle) {
  const ScratchFolder dir;
  dir.write("a.h", "#include MACRO\n");
  EXPECT_EQ(follow_includes("#include <a.h>", in_folders({dir.path()})).obstacle,
            "#include of a macro");
}

TEST(IncludeClosure, P4_bytes_come_back_whole_or_not_at_all) {
  const ScratchFolder dir;
  dir.write("a.h", "#include <b.h>\n#include <none.h>\n__FILE__");
  dir.write("b.h", "#if __has_include(<a.h>)\n#endif\n");
  const IncludeClosure closure = follow_includes("#include <a.h>", in_folders({dir.path()}));
  const std::string bytes = pack_closure(closure);
  const auto again = unpack_closure(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(pack_closure(*again), bytes);
  EXPECT_TRUE(again->names_its_file);
  EXPECT_THAT(paths(*again), ElementsAre(dir / "a.h", dir / "b.h"));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack_closure(std::string_view(bytes).substr(0, size))) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {  // no count, however large, is believed
    std::string bent = bytes;
    bent[at] = '\xff';
    unpack_closure(bent);
  }
}

}  // namespace
}  // namespace treadle::compile
