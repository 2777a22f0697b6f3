// Segments between real processes: found, refused, and gone when nobody holds them.

#include "transport/shm/segment.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
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

/// How many of a segment's first pages this process has mapped.
std::size_t pages_mapped(const Segment& segment, std::size_t bytes) {
  std::vector<std::uint64_t> entries(bytes / 4096);
  const int file = ::open("/proc/self/pagemap", O_RDONLY);
  const auto begin = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(segment.memory()) / 4096 * 8);
  const ssize_t got = ::pread(file, entries.data(), entries.size() * 8, begin);
  ::close(file);
  if (got != static_cast<ssize_t>(entries.size() * 8))
    return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [](std::uint64_t entry) { return entry >> 63 != 0; }));
}

TEST(Segment, HasWhatWasPreparedMapped) {
  constexpr std::size_t bytes = 1 << 20;
  constexpr std::size_t prepared = 1 << 18;
  if (::madvise(nullptr, 0, MADV_POPULATE_READ) != 0)
    GTEST_SKIP() << "this kernel (before 5.14) maps pages when they are used";
  const auto segment = Segment::make(bytes, prepared);
  EXPECT_EQ(pages_mapped(*segment, prepared), prepared / 4096);
  EXPECT_LT(pages_mapped(*segment, bytes), bytes / 4096);
  const SegmentAddress address = segment->address();
  const int child = in_child([&address] {
    const auto same = Segment::open(address);
    return pages_mapped(*same, prepared) == prepared / 4096 ? 0 : 1;
  });
  EXPECT_EQ(child, 0);
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
