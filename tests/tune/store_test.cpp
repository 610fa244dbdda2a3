// SPDX-License-Identifier: MIT
#include "treadle/tune/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "treadle/base/error.hpp"
#include "treadle/device/null.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::tune {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("treadle-store-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    set_warning_handler([this](std::string_view text) { warnings_.emplace_back(text); });
    space_.add("tile", {std::int64_t{8}, std::int64_t{16}, std::int64_t{32}});
    space_.add("kind", {std::string("a \"b\"\n"), std::string("c")}).add("f", {0.5, 2.0});
  }
  void TearDown() override {
    set_warning_handler({});
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path file() const { return folder_ / "below" / "tuning.db"; }
  static Measured taking(double seconds) {
    return {.seconds = seconds, .samples = {seconds, 2 * seconds}, .resources = {.registers = 40}};
  }
  static StoreKey key(std::int64_t n, const std::string& device = "GPU 1",
                      const std::string& compiler = "1") {
    return {
        "f-1", {{"n", n}, {"dtype", std::string("float32")}}, {device, "sm_1", "d", compiler, "t"}};
  }
  static void write(const std::filesystem::path& name, const char* statements) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(name.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, statements, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
  }
  void make_version_1(const std::filesystem::path& path) {
    std::filesystem::create_directories(path.parent_path());
    write(path,
          "CREATE TABLE attempt (kernel TEXT NOT NULL, problem TEXT NOT NULL, environment TEXT NOT "
          "NULL, configuration TEXT NOT NULL, device TEXT NOT NULL, architecture TEXT NOT NULL, "
          "outcome TEXT NOT NULL, seconds REAL, samples TEXT NOT NULL, resources TEXT NOT NULL, "
          "compile_seconds REAL NOT NULL, error TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY "
          "(kernel, problem, environment, configuration)) WITHOUT ROWID;"
          "INSERT INTO attempt VALUES ('f-1', '{\"dtype\":\"float32\",\"n\":100}', "
          "'{\"architecture\":\"sm_1\",\"compiler\":\"1\",\"device\":\"GPU 1\",\"driver\":\"d\","
          "\"treadle\":\"t\"}', '{\"f\":0.5,\"kind\":\"c\",\"tile\":8}', 'GPU 1', 'sm_1', "
          "'measured', "
          "2.0, '[2.0]', '{}', 0.1, '', 5);"
          "PRAGMA application_id = 0x54524454; PRAGMA user_version = 1;");
  }
  /// Each of them makes or migrates the file, and adds to it at the same time.
  void expect_processes_share(std::size_t before) {
    constexpr int processes = 16, each = 20;
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        int status = 0;
        try {
          Store store(file());
          for (int k = 0; k < each; ++k)
            store.add(key(1000 * process + k), space_.at(0), taking(k + 1));
          store.add(key(7), space_.at(1), taking(process + 1));
          store.choose(key(7));
        } catch (const std::exception& error) {
          std::fprintf(stderr, "%s\n", error.what());
          status = 1;
        }
        _exit(status);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    Store store(file());
    EXPECT_EQ(store.size(), std::size_t{processes * each + 1} + before);
  }
  template <class F>
  static std::string refusal(F&& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
  Space space_;
};

TEST_F(StoreTest, KeepsEveryAttemptForLaterProcesses) {
  {
    Store store(file());
    EXPECT_TRUE(store.is_written());
    store.add(key(100), space_.at(0), taking(3));
    store.add(key(100), space_.at(1), taking(2));
    store.add(key(100), space_.at(2),
              {.outcome = Outcome::wrong_result, .seconds = HUGE_VAL, .error = "x is 3"});
    store.add(key(100), space_.at(1), taking(1));
    EXPECT_EQ(store.size(), 3u);
  }
  Store store(file());
  const auto kept = store.attempts(key(100));
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].measured.seconds, 1);
  EXPECT_EQ(kept[0].measured.samples, (std::vector<double>{1, 2}));
  EXPECT_EQ(kept[0].measured.resources.registers, 40u);
  EXPECT_EQ(space_.make(kept[0].values), space_.at(1));
  EXPECT_EQ(kept[2].measured.outcome, Outcome::wrong_result);
  EXPECT_TRUE(std::isinf(kept[2].measured.seconds));
  EXPECT_EQ(kept[2].measured.error, "x is 3");
  EXPECT_EQ(store.find(key(100), space_.at(0))->seconds, 3);
  EXPECT_FALSE(store.find(key(100), space_.at(5)));
  EXPECT_FALSE(store.find(key(101), space_.at(0)));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(store.remove("f-1"), 3u);
  EXPECT_EQ(store.size(), 0u);
}

TEST_F(StoreTest, ChoosesTheNearestThatIsKnown) {
  Store store({});
  EXPECT_EQ(store.choose(key(100)).match, Match::none);
  store.add(key(1000, "GPU 2"), space_.at(3), taking(1));
  EXPECT_EQ(store.choose(key(100)).match, Match::architecture);
  store.add(key(1000), space_.at(0), taking(5));
  store.add(key(110), space_.at(1), taking(9));
  Choice found = store.choose(key(100));
  EXPECT_EQ(found.match, Match::near_problem);
  EXPECT_EQ(space_.make(found.values), space_.at(1));
  EXPECT_EQ(found.problem, key(110).problem);
  // Another compiler here is nearer than another problem by this one.
  store.add(key(100, "GPU 1", "2"), space_.at(4), taking(7));
  found = store.choose(key(100));
  EXPECT_EQ(found.match, Match::near_problem);
  EXPECT_EQ(space_.make(found.values), space_.at(4));
  store.add(key(100), space_.at(2), taking(8));
  EXPECT_EQ(store.choose(key(100)).match, Match::exact);
  EXPECT_EQ(store.choose(key(100)).seconds, 8);
  EXPECT_EQ(store.choices(key(100)).size(), 5u);
  StoreKey other = key(100);
  other.problem["dtype"] = std::string("float64");
  EXPECT_EQ(store.choose(other).match, Match::none);
  other.kernel = "g-1";
  EXPECT_EQ(store.choose(other).match, Match::none);
}

// Who has the newest GPU begins with what others found for the one before it.
TEST_F(StoreTest, ChoosesForANewArchitectureWhatTheLastBeforeItLiked) {
  Store store({});
  const auto on = [&](const std::string& device, const std::string& architecture,
                      std::int64_t n = 100) {
    StoreKey made = key(n, device);
    made.environment.architecture = architecture;
    return made;
  };
  const auto chosen = [&](const StoreKey& wanted) {
    const Choice found = store.choose(wanted);
    return std::string(match_name(found.match)) +
           (found.match == Match::none ? "" : " " + std::to_string(found.seconds).substr(0, 1));
  };
  store.add(on("GPU 8", "sm_80"), space_.at(0), taking(8));
  store.add(on("GPU 9", "sm_90", 110), space_.at(1), taking(9));
  store.add(on("CPU 1", "cpu"), space_.at(2), taking(1));
  store.add(on("GPU C", "sm_120"), space_.at(3), taking(2));
  EXPECT_EQ(chosen(on("GPU 10", "sm_100")), "older architecture 9");
  EXPECT_EQ(chosen(on("GPU 9b", "sm_90")), "architecture 9");
  EXPECT_EQ(chosen(on("GPU 9", "sm_90")), "near problem 9");
  EXPECT_EQ(chosen(on("GPU 9", "sm_90", 110)), "exact 9");
  EXPECT_EQ(chosen(on("GPU 8b", "sm_89")), "older architecture 8");
  EXPECT_EQ(chosen(on("GPU 7", "sm_75")), "none");
  // Another processor, by its name.
  EXPECT_EQ(chosen(on("CPU 2", "cpu")), "architecture 1");
}

// Seconds of one that was measured once may be luck.
TEST_F(StoreTest, ChoosesWhoWonThoughAnotherTookLessOnce) {
  Store store({});
  Measured winner = taking(3);
  winner.won = true;
  store.add(key(100), space_.at(0), taking(2));
  EXPECT_EQ(space_.make(store.choose(key(100)).values), space_.at(0));
  store.add(key(100), space_.at(1), winner);
  Choice chosen = store.choose(key(100));
  EXPECT_EQ(space_.make(chosen.values), space_.at(1));
  EXPECT_EQ(chosen.seconds, 3);
  EXPECT_EQ(store.choices(key(100)).size(), 1u);
  EXPECT_TRUE(store.attempts(key(100)).front().measured.won);
  EXPECT_TRUE(store.find(key(100), space_.at(1))->won);
  EXPECT_FALSE(store.find(key(100), space_.at(0))->won);
  Store other({});
  other.import_lines(store.export_lines());
  EXPECT_EQ(space_.make(other.choose(key(100)).values), space_.at(1));
  EXPECT_EQ(other.export_lines(), store.export_lines());
  // Lines that do not know of it: nobody won.
  std::string older = store.export_lines();
  for (const std::string mark : {",\"won\":true", ",\"won\":false"})
    older.erase(older.find(mark), mark.size());
  EXPECT_THAT(older, testing::Not(HasSubstr("won")));
  Store third({});
  EXPECT_EQ(third.import_lines(older), 2u);
  EXPECT_EQ(space_.make(third.choose(key(100)).values), space_.at(0));
  winner.won = false;
  store.add(key(100), space_.at(1), winner);
  EXPECT_EQ(space_.make(store.choose(key(100)).values), space_.at(0));
}

TEST_F(StoreTest, AFileOfVersion1IsMigrated) {
  make_version_1(file());
  Store reader({});
  EXPECT_EQ(reader.merge(file()), 1u);
  EXPECT_EQ(reader.choose(key(100)).match, Match::exact);
  {
    Store store(file());
    EXPECT_EQ(store.choose(key(100)).seconds, 2);
    EXPECT_EQ(store.export_lines(), reader.export_lines());
    EXPECT_EQ(store.keys().size(), 1u);
    EXPECT_EQ(store.keys("f-1").front().environment, key(100).environment);
    EXPECT_EQ(store.keys("f").size(), 1u);  // the name of the kernel
    for (const char* other : {"g-1", "f-", "f-11", "-1"}) EXPECT_THAT(store.keys(other), IsEmpty());
    Measured winner = taking(3);
    winner.won = true;
    winner.text = "int \"x\";\n";
    winner.measured_at = 1.5;
    store.add(key(100), space_.at(1), winner);
  }
  Store store(file());
  EXPECT_EQ(store.choose(key(100)).seconds, 3);
  EXPECT_EQ(store.find(key(100), space_.at(1))->text, "int \"x\";\n");
  EXPECT_EQ(store.find(key(100), space_.at(1))->measured_at, 1.5);
  // The same of one of version 2.
  const auto second = folder_ / "second.db";
  make_version_1(second);
  write(second,
        "ALTER TABLE attempt ADD COLUMN won INTEGER NOT NULL DEFAULT 0; "
        "UPDATE attempt SET won = 1; PRAGMA user_version = 2;");
  Store other({});
  EXPECT_EQ(other.merge(second), 1u);
  EXPECT_EQ(Store(second).export_lines(), other.export_lines());
  EXPECT_THAT(other.export_lines(), HasSubstr("\"won\":true,\"text\":\"\",\"measured_at\":0"));
}

TEST_F(StoreTest, WisdomIsLinesOfText) {
  Store store({});
  store.add(key(100), space_.at(0), taking(3));
  store.add(key(200), space_.at(7), taking(0.1));
  const std::string lines = store.export_lines();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
  EXPECT_THAT(lines, HasSubstr(R"("kernel":"f-1","problem":{"dtype":"float32","n":100})"));
  Store other(file());
  EXPECT_EQ(other.import_lines(lines + "\n"), 2u);
  EXPECT_EQ(other.import_lines(lines), 2u);
  EXPECT_EQ(other.export_lines(), lines);
  EXPECT_EQ(other.export_lines("g"), "");
  EXPECT_EQ(other.find(key(200), space_.at(7))->seconds, 0.1);
  Store third({});
  EXPECT_EQ(third.merge(file()), 2u);
  EXPECT_EQ(third.export_lines(), lines);
}

TEST_F(StoreTest, CorruptWisdomAddsNothing) {
  Store store({});
  store.add(key(100), space_.at(0), taking(3));
  const std::string lines = store.export_lines();
  Store other({});
  EXPECT_THAT(refusal([&] { other.import_lines(lines + "{\"kernel\": 3"); }),
              HasSubstr("line 2 of the wisdom is no JSON"));
  EXPECT_THAT(refusal([&] { other.import_lines(lines + "{\"kernel\": 3}"); }),
              HasSubstr("line 2 of the wisdom lacks kernel"));
  EXPECT_THAT(refusal([&] {
                std::string wrong = lines;
                wrong.replace(wrong.find("measured"), 8, "whatever");
                other.import_lines(wrong);
              }),
              HasSubstr("outcome is 'whatever'"));
  EXPECT_EQ(other.size(), 0u);
}

TEST_F(StoreTest, FilesThatAreNoStoresAreLeftAlone) {
  const auto path = folder_ / "text";
  std::ofstream(path) << "This is not a database, but long enough to look like one. "
                      << std::string(2000, 'x');
  EXPECT_THAT(refusal([&] { Store store(path); }), HasSubstr("is no store, or is damaged"));
  write(folder_ / "other.db", "CREATE TABLE people (name TEXT)");
  EXPECT_THAT(refusal([&] { Store store(folder_ / "other.db"); }),
              HasSubstr("another program's database"));
  Store(folder_ / "newer.db");
  write(folder_ / "newer.db", "PRAGMA user_version = 7");
  EXPECT_THAT(refusal([&] { Store store(folder_ / "newer.db"); }),
              HasSubstr("of version 7, newer than this Treadle's 3"));
  Store store({});
  EXPECT_THAT(refusal([&] { store.merge(folder_ / "newer.db"); }), HasSubstr("of version 7"));
  EXPECT_THAT(refusal([&] { store.merge(folder_ / "none.db"); }), HasSubstr("cannot be opened"));
}

TEST_F(StoreTest, WhereNothingCanBeWrittenMemoryDoes) {
  std::ofstream(folder_ / "file") << "x";
  Store store(folder_ / "file" / "tuning.db");
  EXPECT_FALSE(store.is_written());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("what is tuned is kept in memory"));
  store.add(key(1), space_.at(0), taking(1));
  EXPECT_EQ(store.size(), 1u);
}

TEST_F(StoreTest, SixteenProcessesShareAFile) { expect_processes_share(0); }
TEST_F(StoreTest, SixteenProcessesShareAFileThatTheyMigrate) {
  make_version_1(file());
  expect_processes_share(1);
}

TEST_F(StoreTest, ThreadsShareOne) {
  Store store(file());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int k = 0; k < 20; ++k) {
        store.add(key(100 * thread + k), space_.at(0), taking(1));
        store.choose(key(k));
      }
    });
  threads.clear();
  EXPECT_EQ(store.size(), 80u);
}

TEST_F(StoreTest, KernelsThatAreWrittenInAnotherWayAreOthers) {
  const KernelTemplate written{
      .text = "x", .kernel = "f", .groups = {"n", "1"}, .group_size = {"tile"}};
  const std::string before = kernel_key(written, space_);
  EXPECT_THAT(before, HasSubstr("f-"));
  EXPECT_EQ(kernel_key(written, space_), before);
  std::vector<std::string> others = {kernel_key(written, space_, "2")};
  const auto changed = [&](auto&& change) {
    KernelTemplate other = written;
    change(other);
    others.push_back(kernel_key(other, space_));
  };
  changed([](KernelTemplate& t) { t.text = "y"; });
  changed([](KernelTemplate& t) { t.groups = {"n1"}; });
  changed([](KernelTemplate& t) { t.group_size = {"1", "tile"}; });
  changed([](KernelTemplate& t) { t.options.flags = {"-O1"}; });
  changed([](KernelTemplate& t) { t.writing = Writing::keys; });
  Space more = space_;
  more.add("g", {true});
  others.push_back(kernel_key(written, more));
  EXPECT_THAT(others, testing::Not(Contains(before)));
}

TEST_F(StoreTest, AnEnvironmentTellsDevicesApart) {
  const auto device = device::null_driver()->devices().front();
  const Environment environment = environment_of(*device);
  EXPECT_EQ(environment.device, device->info().name);
  EXPECT_FALSE(environment.treadle.empty());
  EXPECT_EQ(environment, environment_of(*device));
  EXPECT_EQ(match_name(Match::near_problem), "near problem");
}

}  // namespace
}  // namespace treadle::tune
