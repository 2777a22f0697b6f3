// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/journal.hpp"

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/journal_reader.hpp"
#include "mpi/observe/samples.hpp"
#include "mpi/observe/stopwatch.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace thalweg::mpi::observe {
namespace {

int make_journal(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  JournalFile head{};
  std::memcpy(head.magic, JournalFile::right_magic, sizeof head.magic);
  EXPECT_EQ(write(file, static_cast<const void*>(&head), sizeof head), static_cast<ssize_t>(sizeof head));
  EXPECT_EQ(ftruncate(file, journal_page), 0);
  return file;
}

std::string path_of(int file) {
  return fmt::format("/proc/{}/fd/{}", getpid(), file);
}

void begin_section(int rank, std::uint64_t job) {
  JournalSection& section = *journal().section();
  section.rank = rank;
  section.ranks = 3;
  section.job = job;
  section.tick_scale.begin();
  section.counter_is_steady = counter_is_steady;
  section.start_ns = monotonic_ns();
  journal().note_time();
  RunDescription run;
  run.library = "MPI 9";
  const JobMap map{{{"n0", ""}, {"n1", "/a/part"}}, {0, 1, 1}};
  section.description = journal().keep(describe_start(run, {"MPI_Zero", "MPI_One"}, map));
  section.state = JournalState::running;
}

// What a rank does, and how it ends: by SIGKILL in the middle of a call.
[[noreturn]] void be_killed(const std::string& path, int rank, bool has_reported) {
  if (!journal().open(path.c_str()))
    _exit(1);
  begin_section(rank, 1);
  journal().section()->state = has_reported ? JournalState::reported : JournalState::running;
  static CallTable table;
  for (std::uintptr_t site = 1; site <= 2000; ++site) {
    CallRow& row = table.row({reinterpret_cast<const void*>(site * 16), 1, 0, 3});
    Stopwatch watch;
    watch.start(row, true);
    watch.stop(row);
    for (const char* strategy : {"ring", "native", "bruck"})
      row.ended(strategy, "a reason");
  }
  Stopwatch watch;
  watch.start(table.row({reinterpret_cast<const void*>(std::uintptr_t{16}), 1, 0, 3}), true);
  kill(getpid(), SIGKILL);
  _exit(1);
}

TEST(Journal, OutlivesRanksThatAreKilled) {
  const int file = make_journal("thalweg-journal");
  const std::string path = path_of(file);
  for (int rank = 0; rank < 3; ++rank) {
    const pid_t child = fork();
    if (child == 0)
      be_killed(path, rank, rank == 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }
  const std::array journals{OpenJournal{file, true}};
  const UnfinishedJob job = read_journals(journals);
  EXPECT_EQ(job.run.library, "MPI 9");
  EXPECT_EQ(job.rank_count, 3);
  ASSERT_EQ(job.ranks.size(), 2U) << "one has reported";
  ASSERT_EQ(job.run.missing.size(), 1U);
  EXPECT_EQ(job.run.missing[0].host, "n1");
  EXPECT_EQ(job.run.missing[0].ranks, std::vector{1});
  EXPECT_EQ(job.ranks[0].rank, 0);
  EXPECT_EQ(job.ranks[1].rank, 2);
  for (const RankProfile& rank : job.ranks) {
    ASSERT_EQ(rank.calls.size(), 2000U);
    std::uint64_t calls = 0;
    int in_progress = 0;
    for (const CallProfile& call : rank.calls) {
      calls += call.calls;
      in_progress += call.in_progress_ns > 0 ? 1 : 0;
      EXPECT_EQ(call.function, "MPI_One");
      EXPECT_EQ(call.endings.size(), 3U);
      EXPECT_EQ(call.endings.at({"bruck", "a reason"}), 1U);
    }
    EXPECT_EQ(calls, 2001U);
    EXPECT_EQ(in_progress, 1);
  }
  close(file);
}

// Two ranks of a host share its file: they end as told, one after the other.
template <typename End>
void run_ranks(const std::string& folder, std::uint64_t job, End end, bool on_one_host = true) {
  for (int rank = 0; rank < 2; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      if (!journal().open_in(folder.c_str()))
        _exit(1);
      begin_section(rank, job);
      std::snprintf(journal().section()->host, sizeof journal().section()->host, "n%d",
                    on_one_host ? 0 : rank);
      static CallTable table;
      CallRow& row = table.row({reinterpret_cast<const void*>(std::uintptr_t{16}), 1, 0, 2});
      SampleStore samples;
      samples.keep(7, 2);
      for (std::uint64_t call = 0; call < 10; ++call) {
        Stopwatch watch;
        watch.start(row, true);
        watch.stop(row);
        samples.add({call, watch.start_ticks(), watch.stop_ticks(), &row});
      }
      end(rank);
      kill(getpid(), SIGKILL);
      _exit(1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
  }
}

TEST(Journal, OfAFolderIsLeftOrGone) {
  std::string folder = testing::TempDir() + "thalweg-parts-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  run_ranks(folder, 1, [](int) {});
  run_ranks(folder, 2, [](int) {});
  const std::filesystem::directory_iterator found(folder);
  const std::string path = found->path();
  const int file = open(path.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  const std::array journals{OpenJournal{file, false}};
  const UnfinishedJob job = read_journals(journals);
  close(file);
  ASSERT_EQ(job.ranks.size(), 2U) << "of the job that began last";
  for (const RankProfile& rank : job.ranks) {
    EXPECT_EQ(rank.calls.at(0).calls, 10U);
    EXPECT_EQ(rank.calls.at(0).in_progress_ns, 0);
    ASSERT_EQ(rank.samples.size(), 1U);
    EXPECT_EQ(rank.samples[0].id, 7U);
    EXPECT_EQ(rank.samples[0].calls.size(), 10U);
    EXPECT_GT(rank.wall_ns, 0);
    EXPECT_LT(rank.wall_ns, 1e12);
  }
  run_ranks(
      folder, 3, [](int) {}, false);
  const int again = open(path.c_str(), O_RDONLY);
  const std::array of_hosts{OpenJournal{again, false}};
  for (const RankProfile& rank : read_journals(of_hosts).ranks)
    EXPECT_TRUE(rank.samples.empty()) << "clocks of hosts differ";
  close(again);
  unlink(path.c_str());
  run_ranks(folder, 4, [](int rank) {
    if (rank == 1) // the first is killed before it reports
      journal().close_section();
  });
  EXPECT_TRUE(std::filesystem::exists(folder));
  std::filesystem::remove_all(folder);
  run_ranks(folder, 5, [](int) { journal().close_section(); });
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Journal, LiesAmongTemporaryFilesWhereTheFolderCannotBeMade) {
  std::string temporary = testing::TempDir() + "thalweg-parts-XXXXXX";
  ASSERT_NE(mkdtemp(temporary.data()), nullptr);
  setenv("TMPDIR", temporary.c_str(), 1);
  run_ranks(temporary + "/nowhere/run.json.parts", 1, [](int) {});
  const std::string folder = fmt::format("{}/thalweg-{}-run.json.parts", temporary, geteuid());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::remove_all(folder);
  run_ranks(temporary + "/nowhere/run.json.parts", 2, [](int) { journal().close_section(); });
  EXPECT_FALSE(std::filesystem::exists(folder)) << "all have reported";
  unsetenv("TMPDIR");
  std::filesystem::remove_all(temporary);
}

TEST(Journal, IsNothingElse) {
  Journal other;
  EXPECT_FALSE(other.open("/dev/null"));
  EXPECT_FALSE(other.open("/nowhere"));
  const int foreign = make_journal("another");
  EXPECT_FALSE(other.open(path_of(foreign).c_str()));
  const int damaged = memfd_create("thalweg-journal", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(damaged, journal_page), 0);
  EXPECT_FALSE(other.open(path_of(damaged).c_str()));
  EXPECT_EQ(other.allocate(8), nullptr);
  close(foreign);
  close(damaged);
}

} // namespace
} // namespace thalweg::mpi::observe
