// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/journal.hpp"

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/journal_reader.hpp"
#include "mpi/observe/stopwatch.hpp"

#include <cstring>
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

// What a rank does, and how it ends: by SIGKILL in the middle of a call.
[[noreturn]] void be_killed(const std::string& path, int rank, bool has_reported) {
  if (!journal().open(path.c_str()))
    _exit(1);
  JournalSection& section = *journal().section();
  section.rank = rank;
  section.ranks = 3;
  section.tick_scale.begin();
  section.counter_is_steady = counter_is_steady;
  section.start_ns = monotonic_ns();
  RunDescription run;
  run.library = "MPI 9";
  section.description = journal().keep(describe_start(run, {"MPI_Zero", "MPI_One"}));
  section.state = has_reported ? JournalState::reported : JournalState::running;
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
  const UnfinishedJob job = read_journal(file);
  EXPECT_EQ(job.run.library, "MPI 9");
  EXPECT_EQ(job.rank_count, 3);
  ASSERT_EQ(job.ranks.size(), 2U) << "one has reported";
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
