// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/group.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/protocol.h"
#include "nic/readable.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/mman.h>

namespace thalweg::nic {

namespace {

constexpr std::chrono::milliseconds patience_max{160};
constexpr std::chrono::seconds kept_after_leaving{10};
constexpr std::chrono::minutes kept_max{10};

// By kind.
constexpr std::array<std::string_view, 4> departures{"", "ended", "silent", "agent ended"};

} // namespace

StuckEpochs Restarts::due(const StuckEpochs& stuck, Clock::time_point now) {
  StuckEpochs found{};
  for (std::size_t place = 0; place < stuck.size(); ++place) {
    const std::uint32_t epoch = stuck[place];
    Wait& wait = waits_[place];
    if (epoch == 0)
      continue;
    if (wait.epoch != epoch) {
      wait = {epoch, first_patience, now + first_patience};
    } else if (now >= wait.due) {
      found[place] = epoch;
      wait.patience = std::min<Clock::duration>(2 * wait.patience, patience_max);
      wait.due = now + wait.patience;
    }
  }
  return found;
}

void Presence::join(std::uint32_t local) {
  THALWEG_ASSERT(light, local < THALWEG_NIC_CONTRIBUTORS);
  const std::uint64_t bit = std::uint64_t{1} << local;
  if ((ranks_ & bit) != 0)
    throw Error(fmt::format("rank {} is there already", local), "have each rank join once");
  ranks_ |= bit;
}

void Presence::leave(std::uint32_t local, Clock::time_point now) {
  THALWEG_ASSERT(light, local < THALWEG_NIC_CONTRIBUTORS && (ranks_ >> local & 1) != 0);
  ranks_ &= ~(std::uint64_t{1} << local);
  left_ = now;
}

bool Presence::may_expire(Clock::time_point now) const {
  return !has_ranks() && (is_dissolved_ || now - left_ >= kept_after_leaving);
}

bool Presence::must_expire(Clock::time_point now) const {
  return !has_ranks() && (is_dissolved_ || now - left_ >= kept_max);
}

Group::Group(const thalweg_nic_request& request, uid_t user, const GroupDescriptors& descriptors,
             std::uint32_t address, const std::string& host)
    : view_(request.group), user_(user), page_file_(descriptors.page), doorbell_(descriptors.doorbell),
      watch_(request.group, request.ranks, address, host) {
  void* const memory =
      mmap(nullptr, THALWEG_NIC_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors.page, 0);
  if (memory == MAP_FAILED)
    throw Error(fmt::format("a group's page cannot be mapped: {}", std::strerror(errno)),
                "look at the agent's limits of memory", thalweg_error_system);
  page_ = static_cast<thalweg_nic_page*>(memory);
}

Group::~Group() {
  munmap(page_, THALWEG_NIC_PAGE_BYTES);
}

void Group::begin() {
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch) {
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    page_->freed[place] = epoch - THALWEG_NIC_WINDOW;
    std::ranges::fill(page_->taken[place], epoch - THALWEG_NIC_WINDOW);
  }
}

void Group::recall() {
  if (__atomic_load_n(&departure().kind, __ATOMIC_ACQUIRE) != THALWEG_NIC_NOBODY_LEFT)
    watch_.recall(departure());
}

thalweg_nic_departure& Group::departure() const {
  return *reinterpret_cast<thalweg_nic_departure*>(reinterpret_cast<std::byte*>(page_) +
                                                   THALWEG_NIC_DEPARTURE_AT);
}

// Ranks look at the kind first.
void Group::announce() {
  const thalweg_nic_departure& gone = watch_.departure();
  THALWEG_ASSERT(light, gone.kind != THALWEG_NIC_NOBODY_LEFT);
  thalweg_nic_departure& known = departure();
  __atomic_store_n(&known.kind, THALWEG_NIC_NOBODY_LEFT, __ATOMIC_RELEASE);
  known.rank = gone.rank;
  known.after = gone.after;
  std::copy_n(gone.host, sizeof gone.host, known.host);
  __atomic_store_n(&known.kind, gone.kind, __ATOMIC_RELEASE);
}

bool Group::is_above(std::uint32_t address) const {
  return view_.has_parent != 0 && view_.parent.address == address;
}

std::string Group::describe(Clock::time_point now) const {
  std::string missing;
  for (const Missing& one : watch_.missing(now))
    missing += fmt::format(R"({}{{"rank":{},"host":"{}","waited_ms":{}}})", missing.empty() ? "" : ",",
                           one.rank, address_text(one.address), one.waited_ms);
  std::string waiting;
  if (thalweg_nic_later(watch_.newest(), watch_.ended()) != 0)
    waiting = fmt::format(R"({{"epoch":{},"waited_ms":{},"missing":[{}]}})", watch_.newest(),
                          watch_.waited_ms(now), missing);
  std::string gone;
  if (const thalweg_nic_departure& departure = watch_.departure(); departure.kind != THALWEG_NIC_NOBODY_LEFT)
    gone = fmt::format(R"({{"rank":{},"host":"{}","after":{},"how":"{}"}})", departure.rank, departure.host,
                       departure.after, departures.at(departure.kind));
  return fmt::format(
      R"({{"group":"{:08x}","user":{},"ranks":{},"present":{},"cards":{},"inboxes":{},"ended":{},"waiting":[{}],"gone":[{}]}})",
      view_.id, user_, view_.locals, presence_.count(), view_.contributors - view_.locals, view_.width != 0,
      watch_.ended(), waiting, gone);
}

} // namespace thalweg::nic
