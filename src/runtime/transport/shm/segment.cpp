// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/segment.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace thalweg::transport {

namespace {

constexpr const char* remedy = "messages inside of the node go through the MPI library instead";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), remedy, thalweg_error_system);
}

} // namespace

std::unique_ptr<Segment> Segment::make(std::size_t bytes) {
  THALWEG_ASSERT(light, bytes > 0);
  // The system ends processes that make a file longer than they may.
  rlimit longest{};
  if (::getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur < header_bytes + bytes)
    throw Error(
        fmt::format("a shared segment of {} bytes: files may have {} (ulimit -f)", bytes, longest.rlim_cur),
        remedy, thalweg_error_system);
  std::unique_ptr<Segment> segment(new Segment);
  Descriptor file(::memfd_create("thalweg", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0)
    refuse("memfd_create");
  if (::ftruncate(file.number(), static_cast<off_t>(header_bytes + bytes)) != 0)
    refuse(fmt::format("a shared segment of {} bytes", bytes));
  // What is mapped must stay: a shorter file would end its readers by SIGBUS.
  ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  std::random_device random;
  segment->address_ = {bytes, std::uint64_t{random()} << 32 | random(), ::getpid(), -1};
  segment->map(file.number());
  std::memcpy(segment->memory_, &segment->address_.cookie, sizeof segment->address_.cookie);
  segment->address_.descriptor = file.release();
  return segment;
}

std::unique_ptr<Segment> Segment::open(const SegmentAddress& address) {
  std::unique_ptr<Segment> segment(new Segment);
  segment->address_ = address;
  segment->address_.descriptor = -1; // a number of the maker's, that may be anything here
  const std::string path = fmt::format("/proc/{}/fd/{}", address.process, address.descriptor);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0)
    refuse(path);
  std::uint64_t cookie = 0;
  if (::pread(file.number(), &cookie, sizeof cookie, 0) != sizeof cookie || cookie != address.cookie)
    throw Error(fmt::format("{} is not the segment that was to be there", path), remedy,
                thalweg_error_system);
  segment->map(file.number());
  return segment;
}

void Segment::map(int descriptor) {
  void* const memory =
      ::mmap(nullptr, header_bytes + address_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    refuse(fmt::format("mapping a shared segment of {} bytes", address_.bytes));
  memory_ = static_cast<std::byte*>(memory);
}

void Segment::close_door() {
  if (address_.descriptor >= 0)
    ::close(address_.descriptor);
  address_.descriptor = -1;
}

Segment::~Segment() {
  if (memory_ != nullptr)
    ::munmap(memory_, header_bytes + address_.bytes);
  if (address_.process == ::getpid())
    close_door();
}

namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

} // namespace

/// Of zeros, as the segment has them: a part that nobody has.
struct alignas(cache_line) Arena::PartUse {
  std::atomic<std::int32_t> users; ///< of the group that has it
  std::atomic<std::int32_t> gone;  ///< of these
};

// Pages that nobody has used take no memory, only addresses. Where these are limited, they are the program's.
std::size_t Arena::usual_parts(std::size_t part_bytes) {
  rlimit given{};
  if (::getrlimit(RLIMIT_AS, &given) != 0 || given.rlim_cur != RLIM_INFINITY)
    return 1;
  constexpr std::size_t addresses = std::size_t{512} << 20;
  constexpr std::size_t limit = page_bytes / sizeof(PartUse);
  return std::clamp(addresses / std::max(part_bytes, page_bytes), std::size_t{1}, limit);
}

std::size_t Arena::bytes_for(std::size_t part_bytes, std::size_t parts) {
  return whole_pages(parts * sizeof(PartUse)) + parts * whole_pages(part_bytes);
}

std::shared_ptr<Arena> Arena::of(std::shared_ptr<Segment> segment, std::size_t part_bytes,
                                 std::int32_t processes) {
  return std::shared_ptr<Arena>(new Arena(std::move(segment), whole_pages(part_bytes), processes));
}

// Part 0 is not free again before all processes have been here, so all write the same.
Arena::Arena(std::shared_ptr<Segment> segment, std::size_t part_bytes, std::int32_t processes)
    : segment_(std::move(segment)), part_bytes_(part_bytes),
      parts_(static_cast<std::uint32_t>(segment_->bytes() / part_bytes)), processes_(processes) {
  while (bytes_for(part_bytes_, parts_) > segment_->bytes())
    --parts_;
  THALWEG_ASSERT(light, parts_ > 0);
  use(0).users.store(processes, std::memory_order_relaxed);
}

Arena::PartUse& Arena::use(std::uint32_t number) const {
  return reinterpret_cast<PartUse*>(segment_->memory())[number];
}

std::byte* Arena::memory(std::uint32_t number) const {
  return segment_->memory() + bytes_for(part_bytes_, parts_) - (parts_ - number) * part_bytes_;
}

std::optional<std::uint32_t> Arena::take(std::int32_t users) {
  THALWEG_ASSERT(light, users > 0 && users <= processes_);
  for (std::uint32_t number = 0; number < parts_; ++number) {
    std::int32_t nobody = 0;
    if (use(number).users.compare_exchange_strong(nobody, users, std::memory_order_acquire,
                                                  std::memory_order_relaxed))
      return number;
  }
  return std::nullopt;
}

std::shared_ptr<std::byte> Arena::part(std::uint32_t number, std::size_t kept) {
  THALWEG_ASSERT(light, number < parts_ && kept <= part_bytes_);
  std::byte* const begin = memory(number);
  // Kernels before 5.14 do not know this: pages are then mapped when they are used.
  if (kept > 0)
    ::madvise(begin, whole_pages(kept), MADV_POPULATE_WRITE);
  return {begin, [arena = shared_from_this(), number, kept](std::byte*) { arena->let_go(number, kept); }};
}

// The last one leaves zeros. A part that the system takes no pages of is not used again.
void Arena::let_go(std::uint32_t number, std::size_t kept) const {
  PartUse& part = use(number);
  if (part.gone.fetch_add(1, std::memory_order_acq_rel) + 1 != part.users.load(std::memory_order_relaxed))
    return;
  const std::size_t stays = whole_pages(kept);
  std::memset(memory(number), 0, stays);
  if (stays < part_bytes_ && ::madvise(memory(number) + stays, part_bytes_ - stays, MADV_REMOVE) != 0)
    return;
  part.gone.store(0, std::memory_order_relaxed);
  part.users.store(0, std::memory_order_release);
}

} // namespace thalweg::transport
