// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/timeline/event_memory.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace thalweg::mpi::timeline {

namespace {

using nlohmann::json;

constexpr std::size_t definition_room_max = std::size_t{1} << 20U;
// Between two readings of the system's clock: as long as they have gone on for, so that the length of a tick
// is known of jobs that end early too, and about 10 ms at most, of a counter at 3 GHz or of nanoseconds.
constexpr std::uint64_t min_ticks_between_readings = 300'000;
constexpr std::uint64_t max_ticks_between_readings = 30'000'000;

bool is_reading_due(const Head& head, std::uint64_t now) {
  return now - head.latest_ticks > std::clamp(head.latest_ticks - head.start_ticks,
                                              min_ticks_between_readings, max_ticks_between_readings);
}

// On another host the path may lead to anything.
int open_own(const char* path) {
  std::array<char, 64> target{};
  constexpr std::string_view name = "/memfd:thalweg-timeline";
  if (path == nullptr || readlink(path, target.data(), target.size() - 1) < 0 ||
      !std::string_view(target.data()).starts_with(name))
    return -1;
  return ::open(path, O_RDWR | O_CLOEXEC);
}

void* map(int file, std::uint64_t offset, std::size_t bytes) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

Head* begin_section(void* place, std::size_t bytes) {
  auto* const head = new (place) Head{};
  head->definition_room = std::min(definition_room_max, bytes / 4) / page_bytes * page_bytes;
  head->blocks = static_cast<std::uint32_t>((bytes - page_bytes - head->definition_room) / Block::size);
  std::memcpy(head->magic, Head::right_magic, sizeof head->magic);
  return head;
}

// Some network file systems reserve no pages: zeros are written there, where nothing is yet.
bool reserve(int file, std::uint64_t begin, std::uint64_t bytes) {
  if (file < 0 || fallocate(file, 0, static_cast<off_t>(begin), static_cast<off_t>(bytes)) == 0)
    return true;
  static constexpr std::array<char, page_bytes> zeros{};
  bool is_reserved = errno == EOPNOTSUPP;
  for (std::uint64_t place = begin; is_reserved && place < begin + bytes; place += zeros.size())
    is_reserved = pwrite(file, zeros.data(), zeros.size(), static_cast<off_t>(place)) ==
                  static_cast<ssize_t>(zeros.size());
  return is_reserved;
}

} // namespace

Writer::~Writer() {
  if (has_thread)
    event_memory().give_back(*this);
}

bool EventMemory::open(const char* path, const std::string& folder, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes = std::max(bytes, bytes_min) / page_bytes * page_bytes;
  if (head_ != nullptr || take_section(open_own(path)) || make_file(folder, bytes))
    return head_ != nullptr;
  if (void* const mapped = map(-1, 0, bytes))
    head_ = begin_section(mapped, bytes);
  return head_ != nullptr;
}

bool EventMemory::make_file(const std::string& folder, std::size_t bytes) {
  if (folder.empty())
    return false;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  mkdir(folder.c_str(), 0755);
  std::string path = fmt::format("{}/{}-{}.events", folder, host.data(), getpid());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  MemoryFile memory{};
  std::memcpy(memory.magic, MemoryFile::right_magic, sizeof memory.magic);
  memory.section_bytes = bytes;
  if (file < 0 || ftruncate(file, page_bytes) != 0 ||
      pwrite(file, static_cast<const void*>(&memory), sizeof memory, 0) != sizeof memory) {
    close(file);
    return false;
  }
  file_path_ = std::move(path);
  if (take_section(file))
    return true;
  remove_file();
  return false;
}

void EventMemory::remove_file() {
  if (file_path_.empty())
    return;
  unlink(file_path_.c_str());
  rmdir(file_path_.substr(0, file_path_.rfind('/')).c_str()); // fails until the last rank's file is gone
  file_path_.clear();
}

bool EventMemory::take_section(int file) {
  if (file < 0)
    return false;
  if (void* const first = map(file, 0, page_bytes)) {
    auto* const memory = static_cast<MemoryFile*>(first);
    const bool is_ours = std::memcmp(memory->magic, MemoryFile::right_magic, sizeof memory->magic) == 0;
    const std::uint64_t bytes = is_ours ? memory->section_bytes : 0;
    const std::uint64_t offset = is_ours ? page_bytes + memory->sections.fetch_add(1) * bytes : 0;
    munmap(first, page_bytes);
    if (bytes >= bytes_min && reserve(file, offset, page_bytes + definition_room_max))
      if (void* const mapped = map(file, offset, bytes)) {
        head_ = begin_section(mapped, bytes);
        file_ = file;
        offset_ = offset;
        return true;
      }
  }
  close(file);
  return false;
}

Block* EventMemory::block_at(std::uint32_t number) const {
  auto* const begin = reinterpret_cast<char*>(head_) + page_bytes + head_->definition_room;
  return reinterpret_cast<Block*>(begin + number * Block::size); // NOLINT: blocks lie on pages
}

bool EventMemory::has_room_for(const Block& block) {
  const auto place = static_cast<std::uint64_t>(reinterpret_cast<const char*>(&block) -
                                                reinterpret_cast<const char*>(head_));
  return reserve(file_, offset_ + place, Block::size);
}

Writer& EventMemory::own_writer() {
  auto& writer = PerThread<Writer>::own();
  if (!writer.has_thread) [[unlikely]] {
    const std::lock_guard lock(mutex_);
    writer.has_thread = true;
    if (spare_threads_.empty()) {
      writer.thread = threads_++;
    } else {
      writer.thread = spare_threads_.back();
      spare_threads_.pop_back();
    }
  }
  return writer;
}

void EventMemory::give_back(Writer& writer) {
  const std::lock_guard lock(mutex_);
  if (writer.block != nullptr)
    full_.push_back(writer.block);
  if (head_ != nullptr && writer.thread < Head::open_calls_max)
    head_->open[writer.thread].begin.store(0);
  spare_threads_.push_back(writer.thread);
  writer = {};
}

Block* EventMemory::oldest_block() {
  if (full_.empty())
    return nullptr;
  Block* const block = full_.front();
  full_.pop_front();
  const std::uint32_t used = block->used.load();
  head_->lost_events += used;
  for (const Event& event : std::span(block->events, used))
    head_->lost_until = std::max({head_->lost_until, event.begin, event.end});
  return block;
}

bool EventMemory::begin_block(Writer& writer) {
  const std::lock_guard lock(mutex_);
  if (writer.block != nullptr)
    full_.push_back(writer.block);
  const bool is_fresh = begun_ < head_->blocks && has_room_for(*block_at(begun_));
  writer.block = is_fresh ? block_at(begun_++) : oldest_block();
  if (writer.block == nullptr)
    return false;
  writer.block->used.store(0);
  writer.block->thread = writer.thread;
  writer.block->number = ++numbers_;
  return true;
}

void EventMemory::append(const Event& event) {
  Writer& writer = own_writer();
  if (writer.block == nullptr || writer.block->used.load(std::memory_order_relaxed) == Block::events_max)
      [[unlikely]]
    if (!begin_block(writer)) {
      const std::lock_guard lock(mutex_);
      ++head_->lost_events;
      head_->lost_until = std::max({head_->lost_until, event.begin, event.end});
      return;
    }
  const std::uint32_t place = writer.block->used.load(std::memory_order_relaxed);
  writer.block->events[place] = event;
  writer.block->used.store(place + 1, std::memory_order_release);
}

void EventMemory::enter(std::uint64_t ticks) {
  const Writer& writer = own_writer();
  if (writer.thread >= Head::open_calls_max)
    return;
  OpenCall& open = head_->open[writer.thread];
  open.call = 0;
  open.begin.store(ticks, std::memory_order_release);
}

void EventMemory::name_open_call(std::uint32_t call) {
  if (const Writer& writer = own_writer(); writer.thread < Head::open_calls_max)
    head_->open[writer.thread].call = call;
}

void EventMemory::leave(std::uint64_t ticks) {
  if (const Writer& writer = own_writer(); writer.thread < Head::open_calls_max)
    head_->open[writer.thread].begin.store(0, std::memory_order_relaxed);
  if (is_reading_due(*head_, ticks)) [[unlikely]]
    read_clocks(ticks);
}

void EventMemory::read_clocks(std::uint64_t now) {
  const std::lock_guard lock(mutex_);
  if (!is_reading_due(*head_, now))
    return; // another thread has
  head_->latest_ns = observe::monotonic_ns();
  head_->latest_ticks = observe::ticks();
}

void EventMemory::define(std::string line) {
  line += '\n';
  const std::uint64_t begin = head_->definition_bytes.load();
  if (begin + line.size() > head_->definition_room)
    return;
  std::memcpy(reinterpret_cast<char*>(head_) + page_bytes + begin, line.data(), line.size());
  head_->definition_bytes.store(begin + line.size(), std::memory_order_release);
}

namespace {

std::string text_of(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

std::uint32_t EventMemory::define_call(const CallDefinition& call) {
  const std::lock_guard lock(mutex_);
  define(text_of({{"call", ++calls_},
                  {"function", call.function},
                  {"module", call.module},
                  {"address", call.address},
                  {"python", call.python_function},
                  {"phase", call.phase},
                  {"own", call.is_own}}));
  return calls_;
}

std::uint32_t EventMemory::define_communicator(std::uint64_t id, std::span<const int> members,
                                               bool is_world) {
  const std::lock_guard lock(mutex_);
  json document{{"communicator", ++communicators_}, {"id", id}, {"ranks", members.size()}};
  if (!is_world)
    document["members"] = std::vector<int>(members.begin(), members.end());
  define(text_of(document));
  return communicators_;
}

std::uint32_t EventMemory::define_text(std::string_view text) {
  const std::lock_guard lock(mutex_);
  define(text_of({{"text", ++texts_}, {"value", text}}));
  return texts_;
}

std::vector<std::span<const std::uint8_t>> EventMemory::parts() const {
  THALWEG_ASSERT(light, head_ != nullptr);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(head_);
  std::vector<std::span<const std::uint8_t>> parts{{begin, page_bytes + head_->definition_bytes.load()}};
  for (std::uint32_t number = 0; number < begun_; ++number) {
    const Block& block = *block_at(number);
    parts.emplace_back(reinterpret_cast<const std::uint8_t*>(&block), 64 + block.used.load() * sizeof(Event));
  }
  return parts;
}

EventMemory& event_memory() {
  return of_process<EventMemory>();
}

} // namespace thalweg::mpi::timeline
