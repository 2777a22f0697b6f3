// SPDX-License-Identifier: BSD-3-Clause

// How phases end, without memory and without slots: ranks exchange items and marks through queues, in any
// order that the queues allow. Nobody ends a phase while an item of it is under way, and all do end it.

#include "stream/phase_end.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace thalweg::streams {
namespace {

/// An item, or a mark with its text.
struct Parcel {
  int phase = 0;
  int hops = 0; // how often handlers send an item on
  std::optional<Mark> mark = {};
  std::string text = {};
};

class EndingRank;

/// What is under way, and what all ranks did.
struct EndingWorld {
  std::mt19937 random{};
  std::vector<std::unique_ptr<EndingRank>> ranks{};
  std::map<int, int> items_under_way{}; // by phase
  std::map<int, int> ended{};           // how many ranks have ended a phase
  std::map<int, int> failed{};          // how many of these know of a failure
  std::map<int, std::vector<PhaseMeasurement>> seen{};
  bool may_fail = false;

  unsigned below(unsigned bound) { return static_cast<unsigned>(random()) % bound; }
};

/// Wants to know each phase, and keeps the mesh.
class AskingAlways final : public MeshChooser {
public:
  AskingAlways(EndingWorld& world, const int& phase) : world_(world), phase_(phase) {}
  bool is_due() const override { return true; }
  const Mesh* decide(const PhaseMeasurement& seen) override {
    world_.seen[phase_].push_back(seen);
    return nullptr;
  }
  void phase_ended() override {}

private:
  EndingWorld& world_;
  const int& phase_;
};

class EndingRank final : public LinkCloser {
public:
  EndingRank(EndingWorld& world, const Shape& shape, std::int32_t ranks, Rank rank, int phases)
      : world_(world), rank_(rank), phases_(phases), route_(shape, ranks, rank), failure_(rank),
        choosing_(world, phase_), end_(route_, failure_, has_sent_, record_, &choosing_) {
    begin_phase();
  }

  bool is_done() const { return phase_ == phases_; }

  /// One thing that this rank may do now.
  void act() {
    if (world_.below(2) != 0)
      receive();
    else if (end_.is_finishing())
      go_on();
    else if (items_left_ > 0)
      send_own(static_cast<int>(world_.below(4)));
    else
      begin();
  }

  bool close(std::uint32_t link, const Mark& mark) override {
    const Peer& peer = route_.peers()[link];
    if (peer.rank < 0)
      return true;
    if (world_.below(5) == 0)
      return false; // no slot is free
    send(peer, {.phase = phase_, .mark = mark, .text = {mark.text.begin(), mark.text.end()}});
    return true;
  }

private:
  std::uint64_t clock() { return ++now_ns_; }
  void begin_phase() { items_left_ = is_done() ? 0 : world_.below(6); }

  void begin() {
    record_.finish_began(clock());
    end_.begin();
    if (world_.below(2) != 0)
      end_.close_first(*this);
  }

  void go_on() {
    end_.advance(*this);
    if (end_.is_choosing()) {
      EXPECT_EQ(end_.choose(), nullptr);
    }
    if (!end_.has_ended())
      return;
    EXPECT_EQ(world_.items_under_way[phase_], 0) << "phase " << phase_ << " ends too early on rank " << rank_;
    ++world_.ended[phase_];
    world_.failed[phase_] += failure_.is_known() ? 1 : 0;
    end_.end();
    record_.phase_ended(clock(), 0, 0);
    if (failure_.is_known()) {
      EXPECT_THROW(failure_.end_phase(), Error);
    }
    EXPECT_FALSE(failure_.is_known());
    ++phase_;
    begin_phase();
  }

  void receive() {
    std::vector<std::deque<Parcel>*> waiting;
    std::vector<std::uint32_t> dimensions;
    for (auto& [from, queue] : inbox_)
      if (!queue.empty() && queue.front().phase == phase_) {
        waiting.push_back(&queue);
        dimensions.push_back(from.second);
      }
    if (waiting.empty())
      return;
    const std::size_t which = world_.below(static_cast<unsigned>(waiting.size()));
    const Parcel parcel = std::move(waiting[which]->front());
    waiting[which]->pop_front();
    if (parcel.mark)
      take(*parcel.mark, parcel.text, dimensions[which]);
    else
      handle(parcel.hops, dimensions[which]);
  }

  void take(const Mark& mark, const std::string& text, std::uint32_t dimension) {
    if ((mark.flags & SlotHead::has_failed) != 0) {
      failure_.learned(mark.failed_rank, text);
    } else if (mark.has_text()) {
      PhaseMeasurement seen;
      ASSERT_EQ(text.size(), sizeof seen);
      std::memcpy(&seen, text.data(), sizeof seen);
      end_.take_seen(seen);
    }
    end_.take_mark(dimension, mark.flags);
  }

  // It goes on along the mesh, or is handled here.
  void handle(int hops, std::uint32_t dimension) {
    --world_.items_under_way[phase_];
    if (failure_.is_known())
      return;
    if (world_.may_fail && world_.below(40) == 0)
      failure_.happened("no luck");
    else if (dimension + 1 < route_.dimensions() && world_.below(2) != 0)
      send_item(route_.first_link(dimension + 1), hops);
    else if (hops > 0)
      send_own(hops - 1);
  }

  void send_own(int hops) {
    items_left_ -= items_left_ > 0 && !end_.is_finishing() ? 1 : 0;
    has_sent_ = 1;
    send_item(0, hops);
  }

  // Along some link behind `first`.
  void send_item(std::uint32_t first, int hops) {
    std::vector<Peer> peers;
    for (std::uint32_t link = first; link < route_.end_link(route_.dimensions() - 1); ++link)
      if (route_.peers()[link].rank >= 0)
        peers.push_back(route_.peers()[link]);
    ASSERT_EQ(world_.ended[phase_], 0) << "an item of a phase that has ended";
    ++world_.items_under_way[phase_];
    record_.item_sent(1);
    record_.open().near_bytes += 8;
    send(peers[world_.below(static_cast<unsigned>(peers.size()))], {.phase = phase_, .hops = hops});
  }

  void send(const Peer& peer, Parcel parcel) {
    EndingRank& receiver = *world_.ranks[static_cast<std::size_t>(peer.rank)];
    receiver.inbox_[{rank_, peer.dimension}].push_back(std::move(parcel));
  }

  EndingWorld& world_;
  Rank rank_;
  int phases_;
  int phase_ = 0;
  unsigned items_left_ = 0;
  std::uint64_t now_ns_ = 0;
  ItemRoute route_;
  Failure failure_;
  std::uint32_t has_sent_ = 0;
  PhaseRecord record_{0};
  AskingAlways choosing_;
  PhaseEnd end_;
  std::map<std::pair<Rank, std::uint32_t>, std::deque<Parcel>> inbox_; // by sender and dimension, in order
};

Shape shape_to_end_on(EndingWorld& world, std::int32_t ranks) {
  if (ranks < 4 || world.below(2) != 0)
    return {ranks};
  const auto side = static_cast<std::int32_t>(2 + world.below(static_cast<unsigned>(ranks) / 2 - 1));
  return {side, (ranks + side - 1) / side};
}

void check_that_phases_end(unsigned seed, bool may_fail) {
  EndingWorld world{.random = std::mt19937(seed), .may_fail = may_fail};
  const auto ranks = static_cast<std::int32_t>(1 + world.below(9));
  const int phases = static_cast<int>(1 + world.below(3));
  const Shape shape = shape_to_end_on(world, ranks);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + std::to_string(ranks) + " ranks, " + to_text(shape));
  for (Rank rank = 0; rank < ranks; ++rank)
    world.ranks.push_back(std::make_unique<EndingRank>(world, shape, ranks, rank, phases));
  const auto are_done = [&] {
    return std::ranges::all_of(world.ranks, [](const auto& rank) { return rank->is_done(); });
  };
  constexpr int steps_max = 2'000'000;
  int steps = 0;
  for (; steps < steps_max && !are_done() && !testing::Test::HasFailure(); ++steps)
    if (EndingRank& rank = *world.ranks[world.below(static_cast<unsigned>(ranks))]; !rank.is_done())
      rank.act();
  EXPECT_LT(steps, steps_max) << "a phase does not end";
  for (const auto& [phase, failed] : world.failed)
    EXPECT_TRUE(failed == 0 || failed == ranks) << failed << " ranks know of a failure";
  for (const auto& [phase, seen] : world.seen)
    for (const PhaseMeasurement& one : seen) {
      EXPECT_EQ(seen.size(), world.ranks.size()) << "some ranks choose";
      EXPECT_EQ(one.nanoseconds, seen.front().nanoseconds);
      EXPECT_EQ(one.sent_bytes, seen.front().sent_bytes);
    }
}

TEST(PhaseEnd, NoPhaseEndsWhileItemsAreUnderWay) {
  for (unsigned seed = 1; seed <= 1000 && !HasFailure(); ++seed)
    check_that_phases_end(seed, false);
}

TEST(PhaseEnd, AllRanksKnowOfAFailureOrNone) {
  for (unsigned seed = 1; seed <= 1000 && !HasFailure(); ++seed)
    check_that_phases_end(seed, true);
}

} // namespace
} // namespace thalweg::streams
