// SPDX-License-Identifier: BSD-3-Clause

// Broadcasts on a network that loses, doubles and overtakes: trees of simulated cards, a root that has as
// many under way as it may, ranks that come late or compute, and a search for what is wrong or never ends.
// Then again, with one rule left out.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {
constinit thread_local unsigned rules_left_out = 0;
}
#define THALWEG_NIC_KEEPS(rule) ((rules_left_out & (1U << (rule))) == 0)
#include "effort.hpp"
#include "lossy_network.hpp"
#include "nic/relay.h"

namespace {

using thalweg::nic::effort;
using thalweg::nic::has_luck;
using thalweg::nic::LossyNetwork;
using thalweg::nic::Result;
using Random = std::mt19937_64;

struct Setting {
  std::uint64_t seed = 1;
  std::uint32_t cards = 8;
  std::uint32_t epochs = 1000;
  std::uint32_t first_epoch = 1;
  std::uint32_t lost_percent = 20;
  std::uint32_t doubled_percent = 10;
  bool ranks_compute = false;   // they do not ask; agents see to the rest
  bool has_aggregators = false; // some cards between others have no ranks
  bool is_fat_tree = false;     // the root's host, its leaf, the spine, the other leaf; then their hosts
};

struct Packet {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  thalweg_nic_packet words{};
  thalweg_nic_part part{}; // in the host's order
  std::uint64_t text = 0;  // of the segment
};

// A segment that a card has agreed to write, while other packets go on.
struct Write {
  std::uint32_t card = 0;
  std::uint32_t epoch = 0;
  thalweg_nic_part part{};
  std::uint64_t text = 0;
};

struct RelayingCard {
  thalweg_nic_group group{};
  thalweg_nic_relay relay{};
  std::array<std::array<std::uint64_t, THALWEG_NIC_SEGMENTS>, THALWEG_NIC_WINDOW> store{};
  std::array<std::uint32_t, THALWEG_NIC_WINDOW> ended{}, freed{}, wanted{};
  struct LocalRank {
    std::array<std::uint32_t, THALWEG_NIC_WINDOW> taken{}; // as in the page
    std::uint32_t done = 0;                                // how many
    bool has_put = false;                                  // of the root: the next one
  };
  std::vector<LocalRank> ranks;
};

class Simulation {
public:
  explicit Simulation(const Setting& setting)
      : setting_(setting), random_(setting.seed), cards_(setting.cards) {
    for (std::uint32_t card = 0; card < cards_.size(); ++card)
      plant(card);
  }

  Result run() {
    std::uint64_t idle = 0;
    while (finished_ < ranks_) {
      const std::uint64_t before = ends_;
      if (!writes_.empty() && (writes_.size() > 6 || random_() % 4 == 0))
        write();
      else if (!network_.is_empty() && random_() % 4 != 0)
        deliver();
      else
        act(static_cast<std::uint32_t>(random_() % cards_.size()));
      if (is_wrong_)
        return Result::wrong;
      idle = ends_ == before ? idle + 1 : 0;
      if (idle > 40000 + 4000 * ranks_)
        return Result::hung;
    }
    return Result::right;
  }

private:
  static constexpr std::uint16_t segment_bytes = 10;
  static thalweg_nic_place place_of(std::uint32_t card) { return {card + 1, 1, 0}; }

  // The first card has the root, the last one none below.
  bool is_aggregator(std::uint32_t index) const {
    if (setting_.is_fat_tree)
      return index > 0 && index < 4;
    return setting_.has_aggregators && index > 0 && (index + setting_.seed) % 3 == 0 &&
           index + 1 < setting_.cards;
  }

  std::uint32_t card_above(std::uint32_t index) {
    if (setting_.is_fat_tree)
      return index < 4 ? index - 1 : 3 - index % 2 * 2;
    return is_aggregator(index - 1) ? index - 1 : static_cast<std::uint32_t>(random_() % index);
  }

  // Cards hang below any earlier one, and each without ranks has the next one below it.
  void plant(std::uint32_t index) {
    RelayingCard& card = cards_[index];
    card.group.key = setting_.seed;
    card.group.id = 7;
    card.group.segment_bytes = segment_bytes;
    card.ranks.resize(is_aggregator(index) ? 0 : 1 + random_() % 3);
    ranks_ += card.ranks.size();
    card.group.locals = card.group.contributors = static_cast<std::uint16_t>(card.ranks.size());
    thalweg_nic_begin(&card.relay, setting_.first_epoch);
    for (std::uint32_t number = 0; number < THALWEG_NIC_WINDOW; ++number) {
      const std::uint32_t epoch = epoch_of(number);
      const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
      card.freed[place] = epoch - THALWEG_NIC_WINDOW;
      card.ended[place] = card.wanted[place] = epoch - THALWEG_NIC_WINDOW;
      for (auto& rank : card.ranks)
        rank.taken[place] = epoch - THALWEG_NIC_WINDOW;
    }
    if (index == 0)
      return;
    const std::uint32_t above = card_above(index);
    thalweg_nic_group& parent = cards_[above].group;
    card.group.has_parent = 1;
    card.group.own = parent.contributors++;
    card.group.parent = place_of(above);
    parent.below[card.group.own] = place_of(index);
  }

  bool has(std::uint32_t percent) { return has_luck(random_, percent); }
  std::uint32_t epoch_of(std::uint32_t number) const { return setting_.first_epoch + number; }
  static std::uint32_t bytes_of(std::uint32_t epoch) { return 1 + epoch * 7 % (6 * segment_bytes); }
  static std::uint64_t text_of(std::uint32_t epoch, std::uint32_t segment) {
    return std::uint64_t{epoch} * THALWEG_NIC_SEGMENTS + segment;
  }

  // Some rank looks, and asks where that was in vain, or an agent does so.
  void act(std::uint32_t index) {
    RelayingCard& card = cards_[index];
    if (card.ranks.empty()) {
      act_as_agent(index);
      return;
    }
    const auto local = static_cast<std::uint32_t>(random_() % card.ranks.size());
    RelayingCard::LocalRank& rank = card.ranks[local];
    const bool is_root = index == 0 && local == 0;
    const bool is_late = has(50 + static_cast<std::uint32_t>(index * 7 + local) % 45);
    if (rank.done < setting_.epochs && !(is_root ? has(20) : is_late))
      is_root ? give(rank) : take(index, local);
    else
      act_as_agent(index);
  }

  void give(RelayingCard::LocalRank& root) {
    RelayingCard& card = cards_.front();
    const std::uint32_t epoch = epoch_of(root.done);
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    if (root.has_put && card.ended[place] == epoch) {
      root.has_put = false;
      finish(0, 0);
      return;
    }
    const bool has_room = root.has_put || (card.freed[place] == epoch - THALWEG_NIC_WINDOW &&
                                           std::ranges::all_of(card.ranks, [&](const auto& rank) {
                                             return rank.taken[place] == epoch - THALWEG_NIC_WINDOW;
                                           }));
    if (!has_room) {
      if (!setting_.ranks_compute)
        ask(0, 0, epoch);
      return;
    }
    root.has_put = true;
    for (std::uint16_t segment = 0; segment * segment_bytes < bytes_of(epoch); ++segment)
      if (!has(setting_.lost_percent / 4)) // held back
        offer(0, epoch, {.have = 0, .bytes = bytes_of(epoch), .segment = segment, .asks = 0},
              text_of(epoch, segment));
  }

  void take(std::uint32_t index, std::uint32_t local) {
    RelayingCard& card = cards_[index];
    const std::uint32_t epoch = epoch_of(card.ranks[local].done);
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    if (card.ended[place] != epoch) {
      if (!setting_.ranks_compute)
        ask(index, local, epoch);
      return;
    }
    for (std::uint32_t segment = 0; segment * segment_bytes < bytes_of(epoch); ++segment)
      is_wrong_ = is_wrong_ || card.store[place][segment] != text_of(epoch, segment);
    finish(index, local);
  }

  void finish(std::uint32_t index, std::uint32_t local) {
    RelayingCard& card = cards_[index];
    RelayingCard::LocalRank& rank = card.ranks[local];
    const std::uint32_t epoch = epoch_of(rank.done);
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    rank.taken[place] = epoch;
    ++ends_;
    finished_ += ++rank.done == setting_.epochs ? 1 : 0;
    if (card.wanted[place] == epoch + THALWEG_NIC_WINDOW)
      ask(index, local, epoch + THALWEG_NIC_WINDOW);
  }

  void act_as_agent(std::uint32_t index) {
    RelayingCard& card = cards_[index];
    const thalweg_nic_message& message = card.relay.messages[random_() % THALWEG_NIC_WINDOW];
    if (setting_.ranks_compute && thalweg_nic_is_passed_on(&card.group, &message) == 0)
      ask(index, THALWEG_NIC_CONTRIBUTORS, message.epoch);
  }

  bool is_taken(RelayingCard& card, std::uint32_t epoch) {
    const std::uint32_t place = epoch % THALWEG_NIC_WINDOW;
    const bool is = std::ranges::all_of(
        card.ranks, [&](const auto& rank) { return rank.taken[place] == epoch - THALWEG_NIC_WINDOW; });
    if (!is)
      card.wanted[place] = epoch;
    return is;
  }

  void ask(std::uint32_t index, std::uint32_t local, std::uint32_t epoch) {
    RelayingCard& card = cards_[index];
    thalweg_nic_errand errand{};
    thalweg_nic_ask(&card.group, &card.relay, local, epoch, is_taken(card, epoch), &errand);
    perform(index, errand, 0);
  }

  void offer(std::uint32_t index, std::uint32_t epoch, const thalweg_nic_part& part, std::uint64_t text) {
    RelayingCard& card = cards_[index];
    thalweg_nic_errand errand{};
    if (thalweg_nic_offer(&card.group, &card.relay, epoch, part.bytes, part.segment, part.asks,
                          is_taken(card, epoch), &errand) != 0)
      writes_.push_back({index, epoch, part, text});
    perform(index, errand, 0);
  }

  // Some take very long.
  void write() {
    const std::size_t which = random_() % 50 == 0 ? 0 : random_() % writes_.size();
    const Write one = writes_[which];
    writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(which));
    RelayingCard& card = cards_[one.card];
    thalweg_nic_errand errand{};
    card.store[one.epoch % THALWEG_NIC_WINDOW][one.part.segment] = one.text;
    thalweg_nic_written(&card.group, &card.relay, one.epoch, one.part.segment, one.part.asks, &errand);
    perform(one.card, errand, 0);
  }

  void deliver() {
    if (const auto packet = network_.next())
      receive(*packet);
  }

  void receive(const Packet& packet) {
    RelayingCard& card = cards_[packet.to];
    const thalweg_nic_place from = place_of(packet.from);
    if (thalweg_nic_admits(&card.group, &packet.words, from.address, from.port) == 0) {
      is_wrong_ = true; // all are well-formed
      return;
    }
    const std::uint32_t epoch = thalweg_nic_order32(packet.words.epoch);
    if (packet.words.kind == THALWEG_NIC_DOWN) {
      offer(packet.to, epoch, packet.part, packet.text);
      return;
    }
    const std::uint32_t contributor = packet.words.contributor;
    thalweg_nic_errand errand{};
    thalweg_nic_hear(&card.group, &card.relay, contributor, epoch, packet.part.have, is_taken(card, epoch),
                     &errand);
    perform(packet.to, errand, contributor);
  }

  void perform(std::uint32_t index, const thalweg_nic_errand& errand, std::uint32_t contributor) {
    RelayingCard& card = cards_[index];
    if ((errand.actions & THALWEG_NIC_END) != 0)
      card.ended[errand.epoch % THALWEG_NIC_WINDOW] = errand.epoch;
    if ((errand.actions & THALWEG_NIC_FREE) != 0)
      card.freed[errand.freed % THALWEG_NIC_WINDOW] = errand.freed;
    if ((errand.actions & THALWEG_NIC_FORWARD) != 0)
      for (std::uint32_t child = card.group.locals; child < card.group.contributors; ++child)
        if ((errand.to >> child & 1) != 0)
          send_down(index, child, errand, errand.segment);
    if ((errand.actions & THALWEG_NIC_RESEND) != 0)
      for (std::uint32_t segment = 0; segment < THALWEG_NIC_SEGMENTS; ++segment)
        if ((errand.segments >> segment & 1) != 0)
          send_down(index, contributor, errand, segment);
    if ((errand.actions & THALWEG_NIC_REPORT) != 0)
      send(index, card.group.parent.address - 1, THALWEG_NIC_UP, errand.above,
           {.have = errand.have, .bytes = 0, .segment = 0, .asks = 0}, 0);
  }

  void send_down(std::uint32_t from, std::uint32_t child, const thalweg_nic_errand& errand,
                 std::uint32_t segment) {
    send(from, cards_[from].group.below[child].address - 1, THALWEG_NIC_DOWN, errand.epoch,
         {.have = 0,
          .bytes = errand.bytes,
          .segment = static_cast<std::uint16_t>(segment),
          .asks = static_cast<std::uint16_t>(errand.asks)},
         cards_[from].store[errand.epoch % THALWEG_NIC_WINDOW][segment]);
  }

  void send(std::uint32_t from, std::uint32_t to, std::uint8_t kind, std::uint32_t epoch,
            const thalweg_nic_part& part, std::uint64_t text) {
    const thalweg_nic_content none{};
    Packet packet{from, to, {}, part, text};
    thalweg_nic_write(&packet.words, &cards_[from].group, kind, epoch, &none);
    network_.send(packet);
  }

  Setting setting_;
  Random random_;
  std::vector<RelayingCard> cards_;
  LossyNetwork<Packet> network_{random_, setting_.lost_percent, setting_.doubled_percent};
  std::vector<Write> writes_;
  std::uint64_t ranks_ = 0;
  std::uint64_t finished_ = 0; // ranks
  std::uint64_t ends_ = 0;
  bool is_wrong_ = false;
};

// Before the numbers of epochs go round.
constexpr std::uint32_t near_the_end = 0xfffffff0U - 200;

TEST(NicRelaying, BroadcastsAreRightOnANetworkThatLosesDoublesAndOvertakes) {
  const std::uint64_t trials = std::min<std::uint64_t>(12 * effort(), 1000);
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    Setting setting{.seed = seed, .cards = static_cast<std::uint32_t>(1 + seed % 12)};
    setting.first_epoch = seed % 2 == 0 ? 1 : near_the_end;
    setting.ranks_compute = seed % 3 == 0;
    setting.has_aggregators = seed % 4 < 2;
    setting.is_fat_tree = setting.cards > 4 && seed % 4 == 2;
    ASSERT_EQ(Simulation(setting).run(), Result::right) << "seed " << seed;
  }
}

class NicRelayRule : public testing::TestWithParam<unsigned> {};

TEST_P(NicRelayRule, LeftOutItIsMissed) {
  rules_left_out = 1U << GetParam();
  bool is_missed = false;
  for (std::uint64_t seed = 1; seed <= 200 && !is_missed; ++seed)
    is_missed = Simulation({.seed = seed, .cards = 4, .epochs = 500, .ranks_compute = seed % 2 == 0}).run() !=
                Result::right;
  rules_left_out = 0;
  EXPECT_TRUE(is_missed);
}

INSTANTIATE_TEST_SUITE_P(All, NicRelayRule,
                         testing::Range(static_cast<unsigned>(THALWEG_NIC_RULES),
                                        static_cast<unsigned>(THALWEG_NIC_RELAY_RULES)));

} // namespace
