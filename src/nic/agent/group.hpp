// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A group of this host as its agent holds it: the page that its ranks look at, who of them is here, how far
// it is on all hosts, and until when it is kept.

#include "base/files.hpp"
#include "nic/agent/ledger.hpp"
#include "nic/agent/members.hpp"
#include "nic/group_watch.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace thalweg::nic {

/// When a group's packets up are started again on behalf of ranks that do not look: what has not ended for a
/// while may be lost. Each time it takes longer until the next.
class Restarts {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds first_patience{10};

  /// `stuck`: the epochs that go on only if this card is heard. Those of them that are due now, by place; 0
  /// at the other places.
  StuckEpochs due(const StuckEpochs& stuck, Clock::time_point now);

private:
  struct Wait { ///< at a place of the window
    std::uint32_t epoch = 0;
    Clock::duration patience = {};
    Clock::time_point due = {};
  };
  std::array<Wait, THALWEG_NIC_WINDOW> waits_ = {};
};

/// Which ranks of this host are in a group, and until when it is kept without them.
class Presence {
public:
  using Clock = std::chrono::steady_clock;

  /// A rank comes, or goes. Throws Error where it is there already.
  void join(std::uint32_t local);
  void leave(std::uint32_t local, Clock::time_point now);
  bool has_ranks() const { return ranks_ != 0; }
  int count() const { return std::popcount(ranks_); }
  /// The group is needed until now, though no rank is here.
  void renew(Clock::time_point now) { left_ = now; }
  Clock::time_point made() const { return made_; }
  Clock::time_point left() const { return left_; }

  /// No rank needs the group, on any host.
  void dissolve() { is_dissolved_ = true; }
  bool is_dissolved() const { return is_dissolved_; }
  /// It may go, unless cards below still need something of it; or whatever these need.
  bool may_expire(Clock::time_point now) const;
  bool must_expire(Clock::time_point now) const;

private:
  std::uint64_t ranks_ = 0; ///< a bit for each
  Clock::time_point made_ = Clock::now();
  Clock::time_point left_ = {};
  bool is_dissolved_ = false;
};

/// It does not speak with the card's programs: whoever holds it tells it what they know.
class Group {
public:
  using Clock = std::chrono::steady_clock;

  /// Takes the descriptors over. `address` and `host`: this host's. Throws Error where the page cannot be
  /// mapped.
  Group(const thalweg_nic_request& request, uid_t user, const GroupDescriptors& descriptors,
        std::uint32_t address, const std::string& host);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const thalweg_nic_group& view() const { return view_; }
  uid_t user() const { return user_; }
  /// They stay the group's.
  GroupDescriptors descriptors() const { return {page_file_.number(), doorbell_.number()}; }
  const thalweg_nic_page& page() const { return *page_; }
  GroupWatch& watch() { return watch_; }
  const GroupWatch& watch() const { return watch_; }
  Restarts& restarts() { return restarts_; }

  /// Of a new one: as if there had been broadcasts before the first.
  void begin();
  /// Goes on as the page says: who is gone is known from before.
  void recall();

  Presence& presence() { return presence_; }
  const Presence& presence() const { return presence_; }
  /// Its ranks have said that none needs it, on any host.
  bool was_given_up() const { return __atomic_load_n(&page_->dissolved, __ATOMIC_ACQUIRE) != 0; }

  /// Tells the ranks of this host who is gone.
  void announce();
  bool is_above(std::uint32_t address) const;
  /// What the member that left last has started through: that may have to be started again.
  StartSocket& last_start() { return last_start_; }

  /// As an object of JSON.
  std::string describe(Clock::time_point now) const;

private:
  thalweg_nic_departure& departure() const;

  thalweg_nic_group view_;
  uid_t user_;
  Descriptor page_file_;
  Descriptor doorbell_;
  thalweg_nic_page* page_ = nullptr;
  GroupWatch watch_;
  Restarts restarts_;
  Presence presence_;
  StartSocket last_start_;
};

} // namespace thalweg::nic
