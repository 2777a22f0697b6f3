// SPDX-License-Identifier: BSD-3-Clause
#include "nic/kernel_group.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
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

KernelGroup::KernelGroup(std::unique_ptr<AgentConnection> agent, const thalweg_nic_group& view,
                         std::uint32_t local, AgentConnection::Membership given)
    : agent_(std::move(agent)), view_(view), local_(local), socket_(std::move(given.socket)) {
  void* const memory =
      mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, given.page.number(), 0);
  if (memory == MAP_FAILED)
    throw Error(fmt::format("the agent's page cannot be mapped: {}", std::strerror(errno)),
                "look at the limit of locked memory: ulimit -l", thalweg_error_system);
  page_ = static_cast<thalweg_nic_page*>(memory);
  try {
    doorbell_ = std::make_unique<Doorbell>(std::move(given.doorbell), page_);
  } catch (...) {
    munmap(page_, mapped_bytes());
    throw;
  }
}

KernelGroup::KernelGroup(KernelGroup&& other) noexcept
    : agent_(std::move(other.agent_)), newest_(other.newest_.load(std::memory_order_relaxed)),
      view_(other.view_), local_(other.local_), socket_(std::move(other.socket_)),
      page_(std::exchange(other.page_, nullptr)), doorbell_(std::move(other.doorbell_)) {}

KernelGroup::~KernelGroup() {
  if (page_ != nullptr)
    munmap(page_, mapped_bytes());
}

std::size_t KernelGroup::mapped_bytes() const {
  return std::size_t{THALWEG_NIC_PAGE_BYTES} * thalweg_nic_pages(&view_);
}

std::byte* KernelGroup::segments(std::uint32_t epoch) const {
  constexpr std::size_t bytes_each = std::size_t{THALWEG_NIC_SEGMENTS} * THALWEG_NIC_SEGMENT_BYTES;
  return reinterpret_cast<std::byte*>(page_) + THALWEG_NIC_PAGE_BYTES +
         epoch % THALWEG_NIC_WINDOW * bytes_each;
}

const __u64* KernelGroup::row(std::uint32_t epoch) const {
  const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
  return reinterpret_cast<const __u64*>(entry(1 + place / THALWEG_NIC_PAGE_ROWS)) +
         std::size_t{place % THALWEG_NIC_PAGE_ROWS} * THALWEG_NIC_ROW;
}

std::byte* KernelGroup::entry(std::uint32_t number) const {
  THALWEG_ASSERT(normal, number < thalweg_nic_pages(&view_));
  return reinterpret_cast<std::byte*>(page_) + std::size_t{THALWEG_NIC_PAGE_BYTES} * number;
}

void KernelGroup::enter(std::uint32_t epoch) {
  if (thalweg_nic_later(epoch, newest_.load(std::memory_order_relaxed)) != 0)
    newest_.store(epoch, std::memory_order_relaxed);
}

bool KernelGroup::send(const void* data, std::size_t bytes) const {
  return ::send(socket_.number(), data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

bool KernelGroup::has_ended(std::uint32_t epoch) const {
  return __atomic_load_n(&page_->ended[epoch % THALWEG_NIC_WINDOW], __ATOMIC_ACQUIRE) == epoch;
}

void KernelGroup::sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) {
  doorbell_->sleep_unless(has_come, longest_us);
}

// An agent says nothing by itself, so there is something to read only when it has ended.
std::string KernelGroup::loss() const {
  const auto* const gone = reinterpret_cast<const thalweg_nic_departure*>(
      reinterpret_cast<const std::byte*>(page_) + THALWEG_NIC_DEPARTURE_AT);
  const std::uint32_t kind = __atomic_load_n(&gone->kind, __ATOMIC_ACQUIRE);
  const std::string_view host(gone->host, strnlen(gone->host, sizeof gone->host));
  if (kind == THALWEG_NIC_AGENT_ENDED)
    return fmt::format("the agent of {} has ended", host);
  if (kind != THALWEG_NIC_NOBODY_LEFT)
    throw_if_missed(*gone, host);
  pollfd agent{agent_->descriptor(), POLLIN, 0};
  return poll(&agent, 1, 0) > 0 ? "the agent of this host has ended" : std::string();
}

void KernelGroup::throw_if_missed(const thalweg_nic_departure& gone, std::string_view host) const {
  if (thalweg_nic_later(newest_.load(std::memory_order_relaxed), gone.after) == 0)
    return;
  if (gone.kind == THALWEG_NIC_PROCESS_ENDED)
    throw Error(fmt::format("rank {} on {} ended", gone.rank, host), "see why it did: its own messages",
                thalweg_error_system);
  throw Error(gone.rank < 0 ? fmt::format("the host {} does not answer", host)
                            : fmt::format("the host {} of rank {} does not answer", host, gone.rank),
              "see whether it is up, and its link and agent", thalweg_error_system);
}

} // namespace thalweg::nic
