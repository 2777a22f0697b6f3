// SPDX-License-Identifier: BSD-3-Clause

// What is put into links leaves them once and in order, however they are sent; and is taken in once and in
// order, in the phase that it belongs to. Links and departures send to a mailbox that the test reads, then to
// arrivals.

#include "stream/links.hpp"

#include "base/error.hpp"
#include "fabric.hpp"
#include "stream/arrivals.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>

namespace thalweg::streams {
namespace {

/// Two ranks of a node: the first one sends to the second, bytes one by one.
struct TwoRanks {
  explicit TwoRanks(std::uint32_t slot_bytes, std::uint32_t slots) {
    world.ranks = world.per_node = 2;
    world.shapes = {{2}};
    world.slot_bytes = slot_bytes;
    world.extra_slots = slots;
    memories = std::make_unique<Memories>(world);
  }
  MeshEnd end(Rank rank) const {
    Fabric fabric{.rank = rank, .ranks = 2, .node_ranks = {0, 1}};
    fabric.rings = false;
    return {Mesh{.route = ItemRoute({2}, 2, rank),
                 .memory = memories->layout(0),
                 .base = memories->of(0, 0, 0),
                 .fill_bytes = world.slot_bytes},
            fabric, world.slot_bytes};
  }
  World world;
  std::unique_ptr<Memories> memories;
};

/// Puts bytes into the link to the second rank, as a program does, and sends them at random.
class RandomSender {
public:
  static constexpr std::uint32_t link = 1;

  RandomSender(const TwoRanks& ranks, unsigned seed)
      : random_(seed), mesh_(ranks.end(0)), spare_(ranks.world.slot_bytes, std::size_t{1} << 20, peak_bytes_),
        departures_(mesh_, spare_, done_), links_(mesh_, departures_, 1, done_) {
    links_.show_in(view_);
  }

  void act() {
    switch (random_() % 8) {
    case 0:
      if (links_.is_filling(link))
        links_.send(link, Reason::flush);
      break;
    case 1:
      links_.hurry(link, random_() % 2 != 0);
      break;
    case 2:
      links_.send_old();
      break;
    case 3:
      departures_.drain();
      break;
    case 4:
      detail::show(view_, link);
      break;
    default:
      put();
    }
  }
  /// Everything leaves, as far as slots are free.
  void close() {
    if (!is_closed_)
      is_closed_ = links_.close(link, {.flags = SlotHead::closes});
    departures_.drain();
  }
  bool has_left() const { return is_closed_ && departures_.is_empty() && links_.is_empty(); }
  void end_phase() {
    is_closed_ = false;
    links_.end_phase();
    all_ += put_;
    put_.clear();
  }

  /// In the phase that is open.
  const std::string& put_so_far() const { return put_; }
  std::size_t spare_bytes() const { return spare_.bytes(); }
  const Statistics& done() const { return done_; }
  std::uint64_t all_bytes() const { return all_.size() + put_.size(); }

private:
  void put() {
    if (!links_.has_place(link, 1)) {
      if (links_.is_filling(link))
        links_.send(link, Reason::full);
      if (!links_.fill(link))
        links_.fill_spare(link);
      EXPECT_TRUE(links_.has_place(link, 1));
    }
    const auto letter = static_cast<char>('a' + random_() % 26);
    *view_.links[link].next++ = letter;
    put_ += letter;
  }

  std::mt19937 random_;
  MeshEnd mesh_;
  Statistics done_;
  std::size_t peak_bytes_ = 0;
  SpareSlots spare_;
  Departures departures_;
  Links links_;
  thalweg_stream_view view_{};
  std::string put_;
  std::string all_;
  bool is_closed_ = false;
};

TEST(Links, SlotsBringWhatWasPutInOrder) {
  for (unsigned seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const TwoRanks ranks(64U << random() % 2, 1 + random() % 3);
    RandomSender sender(ranks, seed);
    const MeshEnd receiver = ranks.end(1);
    MailboxEnd mailbox = receiver.mailbox_from(0, 0);
    std::string came;
    bool is_closed = false;
    const auto read_slot = [&] {
      const std::optional<Notice> notice = mailbox.take();
      if (!notice)
        return;
      EXPECT_FALSE(is_closed) << "something behind the mark";
      if (notice->place != 0) {
        Slot& slot = receiver.slot_at(notice->place);
        came.append(reinterpret_cast<const char*>(slot.items()), slot.head.bytes);
        slot.is_free.store(1, std::memory_order_release);
      }
      is_closed = (notice->flags & SlotHead::closes) != 0;
    };
    for (unsigned step = random() % 2000; step > 0; --step)
      random() % 12 == 0 ? read_slot() : sender.act();
    for (int step = 0; step < 10'000 && !(sender.has_left() && is_closed); ++step) {
      sender.close();
      read_slot();
    }
    EXPECT_TRUE(is_closed);
    EXPECT_EQ(came, sender.put_so_far());
    EXPECT_EQ(sender.spare_bytes(), 0U);
    EXPECT_EQ(sender.done().near_bytes, sender.all_bytes());
  }
}

/// The second rank: what it handles in each phase.
class Taker final : public Member {
public:
  explicit Taker(const TwoRanks& ranks)
      : mesh_(ranks.end(1)), membership_(std::make_shared<StreamSet>(), *this),
        spare_(ranks.world.slot_bytes, std::size_t{1} << 20, peak_bytes_), failure_(1),
        handler_({.context = this, .deliver = deliver}, membership_),
        phase_end_(mesh_.route(), failure_, handler_.view().has_sent, record_, nullptr),
        arrivals_(mesh_, spare_, handler_, phase_end_, failure_) {}

  void act(std::mt19937& random) {
    now_ns_ += random() % 30'000;
    switch (random() % 4) {
    case 0:
      hold(random() % 2 != 0);
      break;
    case 1:
      take(random() % 2 != 0);
      arrivals_.take_shown(now_ns_);
      break;
    default:
      take(random() % 2 != 0);
    }
  }
  void take(bool copies) { arrivals_.take(0, copies); }
  void hold(bool on) { arrivals_.hold(on); }
  void end_phase() {
    arrivals_.end_phase();
    handler_.begin_phase();
    handled.clear();
  }
  std::uint64_t delivered_bytes() const { return handler_.delivered_bytes(); }
  std::size_t spare_bytes() const { return spare_.bytes(); }

  bool take_in(std::uint32_t, bool) override { return false; }
  void advance() override {}
  void defer(bool) override {}
  bool runs_handler() const override { return handler_.runs(); }
  bool look_at_clock() override { return false; }

  std::string handled;

private:
  static int deliver(void* context, const char* items, std::size_t bytes) {
    auto& self = *static_cast<Taker*>(context);
    EXPECT_TRUE(self.runs_handler());
    EXPECT_TRUE(self.membership_.set().is_nested());
    self.handled.append(items, bytes);
    return 0;
  }

  MeshEnd mesh_;
  Membership membership_;
  std::uint64_t now_ns_ = 0;
  std::size_t peak_bytes_ = 0;
  SpareSlots spare_;
  Failure failure_;
  Handler handler_;
  PhaseRecord record_{0};
  PhaseEnd phase_end_;
  Arrivals arrivals_;
};

TEST(Arrivals, HandleOnceAndInOrderWhatBelongsToThePhase) {
  for (unsigned seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const TwoRanks ranks(64U << random() % 2, 1 + random() % 3);
    RandomSender sender(ranks, seed);
    Taker taker(ranks);
    const auto act = [&](unsigned steps) {
      for (; steps > 0; --steps)
        random() % 6 == 0 ? taker.act(random) : sender.act();
    };
    act(random() % 1000);
    for (int step = 0; step < 10'000 && !sender.has_left(); ++step) {
      sender.close();
      taker.hold(false);
      taker.take(random() % 2 != 0);
    }
    ASSERT_TRUE(sender.has_left());
    const std::string first = sender.put_so_far();
    // The sender is in the next phase, and this rank has not taken in all of the one before.
    sender.end_phase();
    act(random() % 200);
    EXPECT_EQ(taker.handled, first.substr(0, taker.handled.size())) << "something of the next phase";
    taker.hold(false);
    taker.take(true);
    EXPECT_EQ(taker.handled, first);
    EXPECT_EQ(taker.delivered_bytes(), first.size());
    taker.end_phase();
    for (int step = 0; step < 10'000 && !sender.has_left(); ++step) {
      sender.close();
      taker.take(false);
    }
    taker.take(false);
    EXPECT_EQ(taker.handled, sender.put_so_far());
    EXPECT_EQ(taker.spare_bytes() + sender.spare_bytes(), 0U);
  }
}

TEST(SpareSlots, KeepToTheirLimitAndCountTheMost) {
  std::size_t peak_bytes = 0;
  SpareSlots spare(128, 2000, peak_bytes);
  std::vector<Slot*> slots;
  const auto make = [&] { slots.push_back(&spare.make()); };
  while (spare.bytes() + spare.bytes() / std::max<std::size_t>(1, slots.size()) <= 2000)
    make();
  const std::size_t full_bytes = spare.bytes();
  EXPECT_FALSE(spare.may_keep_more());
  EXPECT_THROW(make(), Error);
  EXPECT_EQ(spare.bytes(), full_bytes) << "a slot that was refused";
  Slot& copied = spare.copy(*slots.front()); // what arrives has no limit of its own
  EXPECT_EQ(peak_bytes, spare.bytes());
  spare.free(copied);
  for (Slot* slot : slots)
    spare.free(*slot);
  EXPECT_EQ(spare.bytes(), 0U);
  EXPECT_TRUE(spare.may_keep_more());
  EXPECT_GT(peak_bytes, full_bytes);
}

} // namespace
} // namespace thalweg::streams
