// SPDX-License-Identifier: BSD-3-Clause
#include "nic/doorbell.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace thalweg::nic {

namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

// The ring is never empty once it was rung, as nobody reads it for others. So edges count.
Doorbell::Doorbell(Descriptor ring, thalweg_nic_page* page)
    : ring_(std::move(ring)), rung_(epoll_create1(EPOLL_CLOEXEC)), page_(page) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  const auto bytes = page_bytes();
  void* const read = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_.number(), 0);
  void* const written =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, ring_.number(), static_cast<off_t>(bytes));
  if (read != MAP_FAILED)
    read_ = static_cast<std::uint64_t*>(read);
  if (written != MAP_FAILED)
    written_ = static_cast<const std::uint64_t*>(written);
  if (read_ != nullptr && written_ != nullptr && rung_.number() >= 0 &&
      epoll_ctl(rung_.number(), EPOLL_CTL_ADD, ring_.number(), &event) == 0)
    return;
  const int error = errno;
  unmap();
  throw Error(fmt::format("the agent's doorbell cannot be heard: {}", std::strerror(error)),
              "look at the limits of open files and of locked memory: ulimit -n, ulimit -l",
              thalweg_error_system);
}

Doorbell::~Doorbell() {
  unmap();
}

void Doorbell::unmap() {
  if (read_ != nullptr)
    munmap(read_, page_bytes());
  if (written_ != nullptr)
    munmap(const_cast<std::uint64_t*>(written_), page_bytes());
}

void Doorbell::sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) {
  const timespec longest{longest_us / 1'000'000, longest_us % 1'000'000 * 1000L};
  pollfd rung{rung_.number(), POLLIN, 0};
  __atomic_fetch_add(&page_->sleepers, 1, __ATOMIC_SEQ_CST);
  if (!has_come() && ppoll(&rung, 1, &longest, nullptr) > 0) {
    epoll_event event{};
    epoll_wait(rung_.number(), &event, 1, 0);
    make_room();
  }
  __atomic_fetch_sub(&page_->sleepers, 1, __ATOMIC_RELAXED);
}

// A full ring does not ring.
void Doorbell::make_room() {
  const std::uint64_t written = __atomic_load_n(written_, __ATOMIC_ACQUIRE);
  if (written - __atomic_load_n(read_, __ATOMIC_RELAXED) > THALWEG_NIC_DOORBELL_BYTES / 2)
    __atomic_store_n(read_, written, __ATOMIC_RELEASE);
}

} // namespace thalweg::nic
