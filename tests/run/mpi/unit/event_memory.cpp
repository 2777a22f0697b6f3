// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/timeline/event_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace thalweg::mpi::timeline {
namespace {

constexpr std::size_t section_bytes = EventMemory::bytes_min;

// The beginning of a memory's first section, as who reads it finds it.
class Section {
public:
  explicit Section(int file)
      : place_(static_cast<const char*>(
            mmap(nullptr, page_bytes + section_bytes, PROT_READ, MAP_SHARED, file, 0))) {}
  ~Section() { munmap(const_cast<char*>(place_), page_bytes + section_bytes); } // NOLINT: as it was mapped
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  const MemoryFile& memory() const { return *reinterpret_cast<const MemoryFile*>(place_); }
  const Head& head() const { return *reinterpret_cast<const Head*>(place_ + page_bytes); }
  std::string definitions() const { return {place_ + 2 * page_bytes, head().definition_bytes.load()}; }
  // The blocks in the order in which they were begun.
  std::vector<const Block*> blocks(off_t end) const {
    std::vector<const Block*> found;
    const std::size_t first = 2 * page_bytes + head().definition_room;
    for (std::size_t at = first; at + Block::size <= static_cast<std::size_t>(end); at += Block::size)
      if (const auto* block = reinterpret_cast<const Block*>(place_ + at); block->number != 0)
        found.push_back(block);
    std::ranges::sort(found, {}, &Block::number);
    return found;
  }

private:
  const char* place_;
};

off_t size_of(int file) {
  return lseek(file, 0, SEEK_END);
}

template <typename Work>
void run_and_kill(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
}

int make_memory(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  MemoryFile memory{};
  std::memcpy(memory.magic, MemoryFile::right_magic, sizeof memory.magic);
  memory.section_bytes = section_bytes;
  EXPECT_EQ(pwrite(file, static_cast<const void*>(&memory), sizeof memory, 0),
            static_cast<ssize_t>(sizeof memory));
  EXPECT_EQ(ftruncate(file, page_bytes), 0);
  return file;
}

// Each thread appends so many events, which have numbers in the order of all threads, and in its own as a
// tag.
void append_from_threads(int threads, int events) {
  static std::atomic<std::uint64_t> number = 0;
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([=] {
      for (int own = 1; own <= events; ++own) {
        Event event{};
        event.begin = ++number;
        event.call = static_cast<std::uint32_t>(thread + 1);
        event.tag = own;
        event_memory().append(event);
      }
    });
  for (std::thread& one : running)
    one.join();
}

class EventMemoryOf : public testing::TestWithParam<int> {};

TEST_P(EventMemoryOf, ThreadsHoldsTheLatestEventsOfEach) {
  const int threads = GetParam();
  for (const int events : {10, 5'000, 20'000}) {
    const int file = make_memory("thalweg-timeline");
    const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), file);
    run_and_kill([&] {
      if (!event_memory().open(path.c_str(), "", section_bytes))
        _exit(2);
      append_from_threads(threads, events);
    });
    const Section section(file);
    std::map<std::uint32_t, std::vector<const Event*>> kept;
    std::uint64_t late = 0;
    std::uint64_t count = 0;
    for (const Block* block : section.blocks(size_of(file)))
      for (const Event& event : std::span(block->events, block->used.load())) {
        kept[event.call].push_back(&event);
        late += event.begin > section.head().lost_until ? 1 : 0;
        ++count;
      }
    const auto total = static_cast<std::uint64_t>(threads) * static_cast<std::uint64_t>(events);
    EXPECT_EQ(count + section.head().lost_events, total);
    EXPECT_EQ(late, total - section.head().lost_until) << "from then on all are there";
    for (const auto& [thread, own] : kept)
      for (std::size_t place = 0; place < own.size(); ++place)
        EXPECT_EQ(own[place]->tag, events - static_cast<int>(own.size() - 1 - place))
            << "those of a thread are in order, and none but the first ones are lost";
    close(file);
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, EventMemoryOf, testing::Values(1, 2, 5));

TEST(EventMemory, IsAFileWhereNobodyHoldsMemory) {
  std::string above = testing::TempDir() + "thalweg-events-XXXXXX";
  ASSERT_NE(mkdtemp(above.data()), nullptr);
  const std::string folder = above + "/t.json.parts";
  run_and_kill([&] {
    if (!event_memory().open("/dev/null", folder, section_bytes))
      _exit(2);
    event_memory().head()->rank = 3;
    CallDefinition call;
    call.function = "MPI_Send";
    EXPECT_EQ(event_memory().define_call(call), 1U);
    append_from_threads(1, 10);
  });
  const std::filesystem::directory_iterator found(folder);
  const std::string path = found->path();
  EXPECT_TRUE(path.ends_with(".events")) << path;
  const int file = open(path.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  {
    const Section section(file);
    EXPECT_EQ(section.memory().sections.load(), 1U);
    EXPECT_EQ(section.head().rank, 3);
    EXPECT_NE(section.definitions().find("MPI_Send"), std::string::npos);
    const std::vector<const Block*> blocks = section.blocks(size_of(file));
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0]->used.load(), 10U);
  }
  close(file);
  std::filesystem::remove(path);
  run_and_kill([&] {
    if (event_memory().open(nullptr, folder, section_bytes))
      event_memory().remove_file();
  });
  EXPECT_FALSE(std::filesystem::exists(folder)) << "its events are elsewhere";
  std::filesystem::remove_all(above);
}

TEST(EventMemory, IsItsOwnWhereNothingCanBeWritten) {
  run_and_kill([] {
    const int foreign = make_memory("another");
    const std::string path = fmt::format("/proc/self/fd/{}", foreign);
    if (!event_memory().open(path.c_str(), "/dev/null/parts", section_bytes))
      _exit(2);
    append_from_threads(1, 10);
    MemoryFile memory{};
    if (pread(foreign, static_cast<void*>(&memory), sizeof memory, 0) != sizeof memory ||
        memory.sections.load() != 0)
      _exit(3);
  });
}

} // namespace
} // namespace thalweg::mpi::timeline
