// SPDX-License-Identifier: BSD-3-Clause

// Segments between real processes: found, refused, and gone when nobody holds them.

#include "transport/shm/segment.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace thalweg::transport {
namespace {

/// Exit status of a child that runs `work`.
template <typename Work>
int in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Segment, IsSharedWithAProcessThatOpensIt) {
  const auto segment = Segment::make(1 << 20);
  const SegmentAddress address = segment->address();
  EXPECT_EQ(segment->memory()[0], std::byte{0});
  EXPECT_EQ(in_child([&address] {
              const auto same = Segment::open(address);
              std::memcpy(same->memory() + 1000, "hello", 6);
              return 0;
            }),
            0);
  EXPECT_STREQ(reinterpret_cast<const char*>(segment->memory() + 1000), "hello");
}

TEST(Segment, IsRefusedWhereFilesMustBeShorter) {
  EXPECT_EQ(in_child([] {
              const rlimit shorter{1 << 20, 1 << 20};
              ::setrlimit(RLIMIT_FSIZE, &shorter);
              try {
                Segment::make(1 << 20); // and a page of its own
              } catch (const Error&) {
                return Segment::make(1 << 19) ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST(Segment, CannotBeOpenedOnceItsDoorIsClosed) {
  const auto segment = Segment::make(4096);
  const SegmentAddress address = segment->address();
  segment->close_door();
  EXPECT_THROW(Segment::open(address), Error);
  segment->memory()[4095] = std::byte{1}; // still there for those who have it
}

TEST(Segment, IsNotTakenForAStrangersFile) {
  const auto segment = Segment::make(4096);
  const auto other = Segment::make(4096);
  SegmentAddress address = segment->address();
  address.descriptor = other->address().descriptor;
  EXPECT_THROW(Segment::open(address), Error);
  EXPECT_NE(::fcntl(other->address().descriptor, F_GETFD), -1) << "closed what is another's";
  address.descriptor = 0; // may be a terminal, which must not be waited for
  EXPECT_THROW(Segment::open(address), Error);
}

TEST(Segment, IsGoneWhenItsMakerIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto segment = Segment::make(4096);
    const SegmentAddress address = segment->address();
    [[maybe_unused]] const auto written = ::write(ends[1], &address, sizeof address);
    ::pause();
  }
  SegmentAddress address;
  ASSERT_EQ(::read(ends[0], &address, sizeof address), static_cast<ssize_t>(sizeof address));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THROW(Segment::open(address), Error);
}

} // namespace
} // namespace thalweg::transport
