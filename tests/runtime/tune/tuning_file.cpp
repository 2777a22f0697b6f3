// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuning_file.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace thalweg::tune {
namespace {

namespace fs = std::filesystem;

machine::Fingerprint machine_named(const std::string& name) {
  return {name, 2, "none", "6.1", "Open MPI v4.1.4", "default", 1, "2"};
}

strategies::Implementation implementation(const std::string& call, const std::string& text) {
  return strategies::parse_implementation(text, *strategies::find_call(call));
}

Pick pick_of(const std::string& call, std::int64_t bytes, const std::string& use) {
  return {call, 2, 1, bytes, implementation(call, use), 1e-6, 2e-6, 21, "tune"};
}

StreamPick stream_of(std::int64_t item_bytes, const std::string& shape) {
  return {.item_bytes = item_bytes,
          .phase_bytes = 3000,
          .ranks = 16,
          .shape = shape,
          .buffer_bytes = 32768,
          .seconds = 1e-3};
}

class TuningFileOnDisk : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("thalweg-tuning-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "deeper" / "tuning.toml";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string text() const {
    std::ifstream stream(path_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path folder_;
  fs::path path_;
};

TEST(TuningFile, StreamsReplaceThoseOfTheSameCase) {
  TuningFile file;
  merge(file, {machine_named("one"), {}, {stream_of(8, "direct"), stream_of(32, "2x8")}});
  merge(file, {machine_named("one"), {}, {stream_of(8, "4x4")}});
  const std::vector<StreamPick> read = parse_tuning(to_text(file), "again").front().streams;
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].shape, "2x8");
  EXPECT_EQ(read[1].shape, "4x4");
  EXPECT_EQ(read[1].item_bytes, 8);
  EXPECT_EQ(read[1].phase_bytes, 3000);
  EXPECT_EQ(read[1].buffer_bytes, 32768);
  EXPECT_EQ(read[1].ranks, 16);
  EXPECT_DOUBLE_EQ(read[1].seconds, 1e-3);
}

BracketPick bracket_of(std::int64_t messages, bool is_multicast, const std::string& use) {
  return {.ranks = 16,
          .messages = messages,
          .message_bytes = 256,
          .is_multicast = is_multicast,
          .use = use,
          .seconds = 2e-4};
}

TEST(TuningFile, BracketsReplaceThoseOfTheSameCase) {
  TuningFile file;
  const auto found = [](std::vector<BracketPick> brackets) {
    return Tuning{.machine = machine_named("one"), .picks = {}, .brackets = std::move(brackets)};
  };
  merge(file,
        found({bracket_of(8, false, "direct"), bracket_of(8, true, "mesh"), bracket_of(0, true, "grid")}));
  merge(file, found({bracket_of(8, true, "hypercube")}));
  const std::string text = to_text(file);
  const std::vector<BracketPick> read = parse_tuning(text, "again").front().brackets;
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].use, "direct");
  EXPECT_EQ(read[1].use, "grid");
  EXPECT_EQ(read[1].messages, 0);
  EXPECT_EQ(read[2].use, "hypercube");
  EXPECT_TRUE(read[2].is_multicast);
  EXPECT_EQ(read[2].message_bytes, 256);
  EXPECT_EQ(read[2].ranks, 16);
  EXPECT_DOUBLE_EQ(read[2].seconds, 2e-4);
  EXPECT_EQ(to_text(parse_tuning(text, "again")), text);
  std::string twice = text;
  twice.replace(twice.find("messages = 0"), 12, "messages = 8");
  EXPECT_THROW(parse_tuning(twice, "twice"), Error) << "two for one case";
  std::string vague = text;
  vague.replace(vague.find("multicast = true"), 16, "multicast = \"a\"");
  EXPECT_THROW(parse_tuning(vague, "vague"), Error);
}

TEST(TuningFile, ReadsWhatItWrites) {
  TuningFile file;
  merge(file, {machine_named("one \"quoted\" \\ name"),
               {pick_of("allreduce", 8, "ring"), pick_of("barrier", 0, "native")}});
  merge(file, {machine_named("two"), {pick_of("alltoall", 1000, "bruck:radix=4")}, {stream_of(8, "4x4")}});
  const std::string text = to_text(file);
  const TuningFile again = parse_tuning(text, "again");
  EXPECT_EQ(to_text(again), text);
  ASSERT_NE(find_tuning(again, machine_named("two")), nullptr);
  EXPECT_EQ(strategies::to_text(find_tuning(again, machine_named("two"))->picks.front().use),
            "bruck:radix=4");
  EXPECT_EQ(find_tuning(again, machine_named("three")), nullptr);
}

std::string problem_of_tuning(const std::string& text) {
  try {
    parse_tuning(text, "tuning.toml");
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return {};
}

std::string file_of(std::initializer_list<Pick> picks) {
  TuningFile file;
  merge(file, {machine_named("one"), picks});
  return to_text(file);
}

Pick pick_by_degree(std::int32_t degree, const std::string& use) {
  Pick pick = pick_of("alltoallv", 1000, use);
  pick.degree = degree;
  return pick;
}

TEST(TuningFile, EachDegreeHasAPickOfItsOwn) {
  TuningFile file;
  merge(file, {machine_named("one"), {pick_by_degree(4, "direct"), pick_by_degree(0, "mesh2d")}});
  merge(file, {machine_named("one"), {pick_by_degree(4, "sparse"), pick_by_degree(1, "direct")}});
  const std::string text = to_text(file);
  const std::vector<Pick> read = parse_tuning(text, "again").front().picks;
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(strategies::to_text(read[0].use), "mesh2d");
  EXPECT_EQ(read[1].degree, 1);
  EXPECT_EQ(strategies::to_text(read[2].use), "sparse") << "the newer one";
  EXPECT_EQ(to_text(parse_tuning(text, "again")), text);
}

TEST(TuningFile, RefusesDegreesThatAreNone) {
  const std::string text = file_of({pick_by_degree(4, "direct")});
  EXPECT_EQ(problem_of_tuning(text), "");
  for (const char* const degree : {"degree = 0", "degree = -1", "degree = 1.5", "degree = \"all\""}) {
    std::string changed = text;
    changed.replace(changed.find("degree = 4"), 10, degree);
    EXPECT_NE(problem_of_tuning(changed).find("degree"), std::string::npos) << degree;
  }
  std::string other = text;
  for (std::size_t at = other.find("alltoallv"); at != std::string::npos; at = other.find("alltoallv"))
    other.replace(at, 9, "alltoall");
  EXPECT_NE(problem_of_tuning(other).find("alltoall has no degree"), std::string::npos);
}

TEST(TuningFile, ReadsTheFormerNameOfTheFallback) {
  TuningFile file;
  Pick pick = pick_of("broadcast", 64, "library:pipeline");
  pick.fallback = implementation("broadcast", "knomial");
  merge(file, {machine_named("one"), {pick}});
  const std::string text = to_text(file);
  std::string former = text;
  const std::size_t key = former.find("fallback = ");
  ASSERT_NE(key, std::string::npos);
  former.replace(key, 8, "otherwise");
  EXPECT_EQ(to_text(parse_tuning(former, "former")), text);
}

TEST(TuningFile, TheLibrarysOwnAlgorithmsAreKeptByName) {
  TuningFile file;
  Pick pick = pick_of("broadcast", 64, "library:pipeline:segment=8192");
  pick.fallback = implementation("broadcast", "knomial");
  merge(file, {machine_named("one"), {pick, pick_of("allreduce", 8, "library:ring")}});
  const std::string text = to_text(file);
  const TuningFile again = parse_tuning(text, "again");
  EXPECT_EQ(to_text(again), text);
  ASSERT_EQ(again.front().picks.size(), 2U);
  EXPECT_EQ(again.front().picks[1].use,
            strategies::Implementation(strategies::Library{"pipeline:segment=8192"}));
  EXPECT_EQ(again.front().picks[1].fallback, pick.fallback);
  EXPECT_EQ(again.front().picks[0].fallback, std::nullopt);
  for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
           {"library:ring", "library:"}, {"library:ring", "library:ring; rm"}, {"knomial", "knowmial"}}) {
    std::string broken = text;
    broken.replace(broken.find(from), from.size(), to);
    EXPECT_THROW(parse_tuning(broken, "broken"), Error) << to;
  }
}

TEST(TuningFile, NewerPicksReplaceOlderOnes) {
  TuningFile file;
  merge(file, {machine_named("one"), {pick_of("allreduce", 8, "ring"), pick_of("allreduce", 64, "ring")}});
  merge(file, {machine_named("one"), {pick_of("allreduce", 64, "swing")}});
  ASSERT_EQ(file.size(), 1U);
  ASSERT_EQ(file.front().picks.size(), 2U);
  EXPECT_EQ(strategies::to_text(file.front().picks[0].use), "ring");
  EXPECT_EQ(strategies::to_text(file.front().picks[1].use), "swing");
}

TEST(TuningFile, RefusesWhatItDoesNotUnderstandAsAWhole) {
  TuningFile file;
  merge(file, {machine_named("one"), {pick_of("allreduce", 8, "ring")}});
  const std::string valid = to_text(file);
  for (const auto& [from, to] :
       std::initializer_list<std::pair<std::string, std::string>>{{"format = 1", "format = 2"},
                                                                  {"format = 1\n", "\n"},
                                                                  {"\"ring\"", "\"rung\""},
                                                                  {"'ring'", "'rung'"},
                                                                  {"machine.allreduce", "machine.allcombine"},
                                                                  {"ranks = 2", "ranks = -2"},
                                                                  {"ranks = 2", "ranks = \"2\""},
                                                                  {"1 us", "1 lightyear"},
                                                                  {"cores = 2", "kernels = 2"},
                                                                  {"\"8B\"", "\"eight\""}}) {
    std::string text = valid;
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
      continue;
    text.replace(at, from.size(), to);
    EXPECT_THROW(parse_tuning(text, "broken"), Error) << to;
  }
  EXPECT_TRUE(parse_tuning(" \n", "blank").empty());
}

TEST(TuningFile, RefusesUnknownKeysWithTheirLine) {
  const std::string text = file_of({pick_of("allreduce", 8, "ring"), pick_of("broadcast", 65536, "chain")});
  std::size_t line = 1;
  int keys = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    const std::size_t equals = text.find(" = ", at);
    if (equals < end && text[at] != '#' && !text.substr(at).starts_with("format")) {
      std::string changed = text;
      changed.insert(equals, "x");
      const std::string key = text.substr(at, equals - at);
      const std::string problem = problem_of_tuning(changed);
      EXPECT_TRUE(problem.starts_with(fmt::format("tuning.toml:{}: ", line))) << key << ": " << problem;
      EXPECT_NE(problem.find("x"), std::string::npos) << problem;
      ++keys;
    }
    at = end + 1;
  }
  EXPECT_GT(keys, 10);
}

// Which of the two is meant, nobody knows.
TEST(TuningFile, RefusesTwoPicksForOneCase) {
  const std::string text = file_of({pick_of("allreduce", 8, "ring"), pick_of("allreduce", 64, "ring")});
  std::string changed = text;
  changed.replace(changed.find("64B"), 3, "8B");
  const std::string problem = problem_of_tuning(changed);
  const auto line = 1 + std::ranges::count(text.substr(0, text.rfind("[[machine.allreduce]]")), '\n');
  EXPECT_EQ(problem,
            fmt::format("tuning.toml:{}: machine[0].allreduce[1]: there is another for the same case before",
                        line));
}

TEST(TuningFile, EveryTruncationAndFlippedByteReadsOrIsRefused) {
  TuningFile file;
  merge(file, {machine_named("one"),
               {pick_of("allreduce", 8, "ring"), pick_of("broadcast", 65536, "chain:segment=8KiB"),
                pick_by_degree(4, "direct")}});
  Pick nonblocking = pick_of("alltoall", 64, "bruck");
  nonblocking.objective = "cpu";
  nonblocking.overlaps = {{1e-6, 2e-6, 3e-6}, {4e-6, 5e-6, 6e-6}};
  merge(file, {machine_named("one"), {}, {}, {nonblocking}});
  const std::string valid = to_text(file);
  for (std::size_t at = 0; at < valid.size(); ++at) {
    std::string flipped = valid;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x15);
    for (const std::string& text : {valid.substr(0, at), flipped}) {
      try {
        parse_tuning(text, "fuzzed");
      } catch (const Error&) {
      }
    }
  }
}

TEST_F(TuningFileOnDisk, IsEmptyWhereThereIsNone) {
  EXPECT_TRUE(load_tuning(path_).empty());
}

TEST_F(TuningFileOnDisk, SavingMerges) {
  save_tuning(path_, {machine_named("one"), {pick_of("allreduce", 8, "ring")}});
  save_tuning(path_, {machine_named("two"), {pick_of("allreduce", 8, "swing")}});
  EXPECT_EQ(load_tuning(path_).size(), 2U);
}

// Learning said "bcast" and tune "broadcast": what the one had found stood beside what the other had.
TEST_F(TuningFileOnDisk, ACallOfTwoNamesHasOnePick) {
  save_tuning(path_, {machine_named("one"), {pick_of("broadcast", 8, "flat")}});
  save_tuning(path_, {machine_named("one"), {pick_of("bcast", 8, "chain")}});
  const TuningFile file = load_tuning(path_);
  ASSERT_EQ(file.front().picks.size(), 1U);
  EXPECT_EQ(strategies::to_text(file.front().picks.front().use), "chain");
  save_tuning(path_, {machine_named("one"), {pick_of("broadcast", 8, "flat")}});
  EXPECT_EQ(strategies::to_text(load_tuning(path_).front().picks.front().use), "flat");
}

TEST_F(TuningFileOnDisk, ADamagedFileIsKeptBesideTheNewOne) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "format = 1\n[[machine]\n";
  EXPECT_THROW(load_tuning(path_), Error);
  const Tuning found{machine_named("one"), {pick_of("allreduce", 8, "ring")}};
  EXPECT_EQ(save_tuning(path_, found), path_.string() + ".refused");
  EXPECT_EQ(load_tuning(path_).size(), 1U);
  EXPECT_EQ(save_tuning(path_, found), "") << "it reads now";
}

TEST_F(TuningFileOnDisk, NoDamagedFileTakesTheNameOfAnother) {
  fs::create_directories(path_.parent_path());
  const Tuning found{machine_named("one"), {pick_of("allreduce", 8, "ring")}};
  for (const char* const kept : {".refused", ".refused-2", ".refused-3"}) {
    std::ofstream(path_) << kept;
    EXPECT_EQ(save_tuning(path_, found), path_.string() + kept);
  }
  for (const char* const kept : {".refused", ".refused-2", ".refused-3"}) {
    std::string text;
    std::ifstream(path_.string() + kept) >> text;
    EXPECT_EQ(text, kept);
  }
}

TEST_F(TuningFileOnDisk, WhereNothingCanBeWrittenTheOldFileStays) {
  EXPECT_THROW(save_tuning("/proc/nowhere/tuning.toml", {machine_named("one"), {}}), Error);
  EXPECT_THROW(save_tuning("/dev/full/tuning.toml", {machine_named("one"), {}}), Error);
}

TEST_F(TuningFileOnDisk, ConcurrentSavesLoseNothing) {
  constexpr int writers = 8;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 5; ++i)
        save_tuning(path_, {machine_named("one"), {pick_of("allreduce", 8 * (1 + 5 * writer + i), "ring")}});
    });
  for (std::thread& thread : threads)
    thread.join();
  const TuningFile file = load_tuning(path_);
  ASSERT_EQ(file.size(), 1U);
  EXPECT_EQ(file.front().picks.size(), 5U * writers);
  for (const fs::directory_entry& entry : fs::directory_iterator(path_.parent_path()))
    EXPECT_FALSE(entry.path().string().ends_with(".new")) << entry.path();
}

// The file holds what any number of whole saves make of it: the first k sizes, never a part of one.
TEST_F(TuningFileOnDisk, AKilledSaveLeavesAWholeFile) {
  constexpr int kills = 20;
  save_tuning(path_, {machine_named("one"), {pick_of("allreduce", 0, "ring")}});
  std::mt19937 random(7);
  for (int kill = 0; kill < kills; ++kill) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0)
      for (int i = 1;; ++i)
        save_tuning(path_, {machine_named("one"), {pick_of("allreduce", 8 * (i % 100), "ring")}});
    ::usleep(std::uniform_int_distribution<useconds_t>(100, 20000)(random));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    const TuningFile file = load_tuning(path_);
    ASSERT_EQ(file.size(), 1U) << "kill " << kill;
    for (std::size_t i = 0; i < file.front().picks.size(); ++i)
      EXPECT_EQ(file.front().picks[i].bytes, static_cast<std::int64_t>(8 * i));
  }
  save_tuning(path_, {machine_named("two"), {pick_of("allreduce", 8, "swing")}});
  EXPECT_EQ(load_tuning(path_).size(), 2U);
  EXPECT_FALSE(fs::exists(path_.string() + ".new"));
}

} // namespace
} // namespace thalweg::tune
