// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/segment.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace thalweg::transport {
namespace {

// Segments between real processes: found, refused, and gone when nobody holds them.

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

// Parts of a segment that groups of processes take and give back.

constexpr std::size_t part_bytes = std::size_t{64} << 10;
constexpr std::size_t kept = 5000;

std::shared_ptr<Segment> segment_for(std::size_t parts) {
  return Segment::make(Arena::bytes_for(part_bytes, parts));
}

bool has_only(std::byte value, const std::shared_ptr<std::byte>& part) {
  const std::span bytes(part.get(), part_bytes);
  return std::ranges::all_of(bytes, [&](std::byte byte) { return byte == value; });
}

/// How many pages of the memory this process has mapped.
std::size_t pages_mapped(const std::shared_ptr<std::byte>& memory, std::size_t bytes) {
  std::vector<std::uint64_t> entries(bytes / 4096);
  const int file = ::open("/proc/self/pagemap", O_RDONLY);
  const auto begin = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(memory.get()) / 4096 * 8);
  const ssize_t got = ::pread(file, entries.data(), entries.size() * 8, begin);
  ::close(file);
  if (got != static_cast<ssize_t>(entries.size() * 8))
    return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [](std::uint64_t entry) { return entry >> 63 != 0; }));
}

TEST(Arena, HasPartsApartFromEachOtherUntilAllAreTaken) {
  for (const std::size_t parts : {1, 2, 3, 17}) {
    const auto arena = Arena::of(segment_for(parts), part_bytes, 1);
    std::vector<std::shared_ptr<std::byte>> taken = {arena->part(0, kept)};
    while (const auto number = arena->take(1))
      taken.push_back(arena->part(*number, kept));
    EXPECT_EQ(taken.size(), parts);
    std::ranges::sort(taken);
    for (std::size_t i = 1; i < parts; ++i)
      EXPECT_GE(taken[i].get() - taken[i - 1].get(), static_cast<std::ptrdiff_t>(part_bytes));
    for (const auto& part : taken)
      std::memset(part.get(), 1, part_bytes); // all of it is there
  }
}

TEST(Arena, AnyArenaHasPartsAndAddressesForThem) {
  for (std::size_t bytes = 1; bytes < std::size_t{1} << 34; bytes = bytes * 3 + 1) {
    const std::size_t parts = Arena::usual_parts(bytes);
    EXPECT_GE(parts, 1U);
    EXPECT_GE(Arena::bytes_for(bytes, parts), parts * bytes);
  }
}

TEST(Arena, TakesNoAddressesThatAreLimited) {
  EXPECT_GT(Arena::usual_parts(part_bytes), 1U);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit addresses{rlim_t{1} << 40, rlim_t{1} << 40};
    ::setrlimit(RLIMIT_AS, &addresses);
    ::_exit(Arena::usual_parts(part_bytes) == 1 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Arena, APartIsFreeOnceTheLastOneLetItGoAndHasZerosThen) {
  constexpr std::int32_t users = 3;
  const auto arena = Arena::of(segment_for(1), part_bytes, users);
  std::vector<std::shared_ptr<std::byte>> holders;
  for (std::int32_t user = 0; user < users; ++user)
    holders.push_back(arena->part(0, kept));
  std::memset(holders.front().get(), 0x5A, part_bytes);
  while (!holders.empty()) {
    EXPECT_EQ(arena->take(1), std::nullopt);
    holders.pop_back();
  }
  ASSERT_EQ(arena->take(1), 0U);
  EXPECT_TRUE(has_only(std::byte{0}, arena->part(0, kept)));
}

TEST(Arena, KeepsThePagesThatAllUseAndGivesOthersBack) {
  if (::madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0)
    GTEST_SKIP() << "this kernel (before 5.14) maps pages when they are used";
  const auto arena = Arena::of(segment_for(1), part_bytes, 1);
  std::shared_ptr<std::byte> part = arena->part(0, kept);
  EXPECT_EQ(pages_mapped(part, part_bytes), 2U);
  std::memset(part.get(), 1, part_bytes);
  EXPECT_EQ(pages_mapped(part, part_bytes), part_bytes / 4096);
  part.reset();
  ASSERT_EQ(arena->take(1), 0U);
  part = arena->part(0, 0);
  EXPECT_EQ(pages_mapped(part, part_bytes), 2U);
}

TEST(Arena, LivesAsLongAsItsParts) {
  auto arena = Arena::of(segment_for(2), part_bytes, 1);
  const auto part = arena->part(0, kept);
  arena.reset();
  std::memset(part.get(), 1, part_bytes);
}

/// A process that shares the segment with others: it takes parts, writes what no other does into all of them,
/// and looks for that before it lets them go.
bool takes_and_lets_go(Arena& arena, unsigned seed) {
  std::mt19937 random(seed);
  const auto sign = static_cast<std::byte>(seed + 1);
  std::vector<std::shared_ptr<std::byte>> mine;
  for (int turn = 0; turn < 500; ++turn) {
    if (mine.size() < 3 && random() % 2 == 0) {
      if (const auto number = arena.take(1)) {
        mine.push_back(arena.part(*number, random() % part_bytes));
        if (!has_only(std::byte{0}, mine.back()))
          return false;
        std::memset(mine.back().get(), static_cast<int>(sign), part_bytes);
      }
    } else if (!mine.empty()) {
      if (!has_only(sign, mine.front()))
        return false;
      mine.erase(mine.begin());
    }
  }
  return true;
}

TEST(Arena, ProcessesTakePartsAtTheSameTime) {
  const auto arena = Arena::of(segment_for(5), part_bytes, 1);
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 3; ++seed) {
    children.push_back(::fork());
    if (children.back() == 0)
      ::_exit(takes_and_lets_go(*arena, seed) ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::set<std::uint32_t> free; // again, but for the first
  while (const auto number = arena->take(1))
    free.insert(*number);
  EXPECT_EQ(free, (std::set<std::uint32_t>{1, 2, 3, 4}));
}

} // namespace
} // namespace thalweg::transport
