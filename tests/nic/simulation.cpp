// SPDX-License-Identifier: BSD-3-Clause

// The protocol on a network that loses, doubles and overtakes: trees of simulated cards, ranks that start as
// many barriers at once as they may, and a search for what is wrong or never ends. Then again, with one rule
// left out.

#include <algorithm>
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {
constinit thread_local unsigned rules_left_out = 0;
}
#define THALWEG_NIC_KEEPS(rule) ((rules_left_out & (1U << (rule))) == 0)
#include "effort.hpp"
#include "long_rows.hpp"
#include "lossy_network.hpp"
#include "nic/protocol.h"
#include "nic/tree_result.hpp"

namespace {

using thalweg::nic::effort;
using thalweg::nic::has_blocks;
using thalweg::nic::has_integers;
using thalweg::nic::has_luck;
using thalweg::nic::has_words;
using thalweg::nic::LossyNetwork;
using thalweg::nic::Result;
using thalweg::nic::set_block;
using thalweg::nic::set_integers;
using Random = std::mt19937_64;

struct Setting {
  std::uint64_t seed = 1;
  std::uint32_t cards = 8;
  std::uint32_t epochs = 2000;
  std::uint32_t first_epoch = 1;
  std::uint32_t lost_percent = 20;
  std::uint32_t doubled_percent = 10;
  std::uint32_t window = THALWEG_NIC_WINDOW; // epochs that a rank has under way
  bool ranks_compute = false;                // they start once; agents see to the rest
  bool has_aggregators = false;              // some cards above others have no ranks
  bool is_fat_tree = false;                  // hosts below two leaves below a spine: the first three cards
};

struct Packet {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  thalweg_nic_packet words{};
  thalweg_nic_content content{};
};

// A card with its ranks, which look at its page.
struct SimulatedCard {
  thalweg_nic_group group{};
  thalweg_nic_state state{};
  std::vector<thalweg_nic_content> cells;
  std::array<std::uint32_t, THALWEG_NIC_WINDOW> page{};
  struct LocalRank {
    std::uint32_t started = 0; // how many
    std::uint32_t ended = 0;   // all before
  };
  std::vector<LocalRank> ranks;
};

// All have arrived at an epoch of a card, which combines what they brought while other packets go on.
struct Combination {
  std::uint32_t card = 0;
  std::uint32_t epoch = 0;
  thalweg_nic_content content{};
  bool is_ready = false;
};

class Simulation {
public:
  explicit Simulation(const Setting& setting)
      : setting_(setting), random_(setting.seed), cards_(setting.cards) {
    starts_.resize(setting.epochs);
    expected_.resize(setting.epochs);
    for (std::uint32_t card = 0; card < cards_.size(); ++card)
      plant(card);
    for (SimulatedCard& card : cards_)
      card.cells.resize(std::size_t{THALWEG_NIC_WINDOW} * card.group.contributors);
  }

  Result run() {
    std::uint64_t idle = 0;
    while (finished_ < ranks_) {
      const std::uint64_t before = ends_;
      ++steps_;
      if (!combinations_.empty() && (combinations_.size() > 4 || random_() % 4 == 0))
        go_on_combining();
      else if (!network_.is_empty() && random_() % 4 != 0)
        deliver();
      else
        act(static_cast<std::uint32_t>(random_() % cards_.size()));
      if (is_wrong_)
        return Result::wrong;
      idle = ends_ == before ? idle + 1 : 0;
      if (idle > 20000 + 2000 * ranks_)
        return Result::hung;
    }
    return Result::right;
  }

private:
  static thalweg_nic_place place_of(std::uint32_t card) { return {card + 1, 1, 0}; }

  // The last card has ranks, as it has none below.
  bool is_aggregator(std::uint32_t index) const {
    if (setting_.is_fat_tree)
      return index < 3;
    return setting_.has_aggregators && (index + setting_.seed) % 3 == 0 && index + 1 < setting_.cards;
  }

  std::uint32_t card_above(std::uint32_t index) {
    if (setting_.is_fat_tree)
      return index < 3 ? 0 : 1 + index % 2;
    return is_aggregator(index - 1) ? index - 1 : static_cast<std::uint32_t>(random_() % index);
  }

  // Cards hang below any earlier one, and each without ranks has the next one below it.
  void plant(std::uint32_t index) {
    SimulatedCard& card = cards_[index];
    card.group.key = setting_.seed;
    card.group.id = 7;
    card.ranks.resize(is_aggregator(index) ? 0 : 1 + random_() % 3);
    ranks_ += card.ranks.size();
    card.group.locals = card.group.contributors = static_cast<std::uint16_t>(card.ranks.size());
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

  // Some rank of the card starts another barrier, starts one again, or looks for ends.
  void act(std::uint32_t index) {
    SimulatedCard& card = cards_[index];
    if (card.ranks.empty())
      return;
    const auto local = static_cast<std::uint32_t>(random_() % card.ranks.size());
    SimulatedCard::LocalRank& rank = card.ranks[local];
    while (rank.ended < rank.started) {
      const std::uint32_t epoch = epoch_of(rank.ended);
      if (card.page[epoch % THALWEG_NIC_WINDOW] != epoch)
        break;
      ++ends_;
      if (++rank.ended == setting_.epochs)
        ++finished_;
    }
    if (rank.started < setting_.epochs && rank.started - rank.ended < setting_.window && has(70)) {
      ++starts_[rank.started];
      start(index, local, rank.started++);
    } else if (setting_.ranks_compute) {
      act_as_agent(index);
    } else if (rank.ended < rank.started) {
      start(index, local, rank.ended + static_cast<std::uint32_t>(random_() % (rank.started - rank.ended)));
    }
  }

  // The agent starts again for a rank where all have arrived here, as something was lost. It does not know
  // what the rank brought.
  void act_as_agent(std::uint32_t index) {
    SimulatedCard& card = cards_[index];
    const thalweg_nic_slot& slot = card.state.slots[random_() % THALWEG_NIC_WINDOW];
    if (slot.arrived == thalweg_nic_all(&card.group) && slot.finished == 0)
      arrive(index, 0, slot.epoch, {});
  }

  // What a rank brings to a sum: a whole number, and one whose sums depend on the order.
  static std::array<double, 2> values_of(std::uint32_t card, std::uint32_t local, std::uint32_t number) {
    const double whole = (card * 64.0 + local + 1) * (number + 7);
    return {whole, whole * 0.1 * ((card + local) % 3 == 0 ? 1e9 : 1)};
  }

  // What a card's subtree adds up to, in the order of its contributors.
  std::array<double, 2> sums_below(std::uint32_t index, std::uint32_t number) const {
    const SimulatedCard& card = cards_[index];
    std::array<double, 2> sums = card.ranks.empty() ? sums_below(card.group.below[0].address - 1, number)
                                                    : values_of(index, 0, number);
    for (std::uint32_t contributor = 1; contributor < card.group.contributors; ++contributor) {
      const std::array<double, 2> others =
          contributor < card.group.locals ? values_of(index, contributor, number)
                                          : sums_below(card.group.below[contributor].address - 1, number);
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += others[i];
    }
    return sums;
  }

  bool is_row(std::uint32_t number, const thalweg_nic_content& content) const {
    thalweg_nic_content expected{};
    for (std::uint32_t index = 0; index < cards_.size(); ++index)
      for (std::uint32_t local = 0; local < cards_[index].ranks.size(); ++local) {
        thalweg_nic_content one{};
        if (has_blocks(number))
          set_block(one, index, local, number);
        else
          set_integers(one, index, local, number);
        for (std::uint32_t i = 0; i < one.count; ++i) {
          __u64& word = expected.words[one.first + i];
          word = has_blocks(number) ? word | one.words[i] : word + one.words[i];
        }
      }
    thalweg_nic_content found{};
    for (std::uint32_t i = 0; i < content.count; ++i)
      found.words[content.first + i] = content.words[i];
    return std::ranges::equal(found.words, expected.words);
  }

  void start(std::uint32_t index, std::uint32_t local, std::uint32_t number) {
    if (!setting_.ranks_compute && has(setting_.lost_percent))
      return;
    thalweg_nic_content content{THALWEG_NIC_DOUBLE * 8 + THALWEG_NIC_SUM, 0, 0, index * 8 + local + 1, 0, {}};
    if (has_blocks(number)) {
      set_block(content, index, local, number);
    } else if (has_integers(number)) {
      set_integers(content, index, local, number);
    } else if (has_words(number)) {
      content.count = THALWEG_NIC_PAIR;
      const std::array<double, 2> values = values_of(index, local, number);
      content.words[0] = std::bit_cast<std::uint64_t>(values[0]);
      content.words[1] = std::bit_cast<std::uint64_t>(values[1]);
    }
    arrive(index, local, epoch_of(number), content);
  }

  void arrive(std::uint32_t index, std::uint32_t contributor, std::uint32_t epoch,
              thalweg_nic_content content) {
    SimulatedCard& card = cards_[index];
    const std::size_t place = epoch % THALWEG_NIC_WINDOW * std::size_t{card.group.contributors} + contributor;
    const std::uint32_t actions = thalweg_nic_arrive(&card.group, &card.state, &card.cells[place],
                                                     contributor, epoch, &content, clock_of(index));
    if (actions == THALWEG_NIC_COMBINE)
      combinations_.push_back({index, epoch, content, false});
    else if (actions == THALWEG_NIC_ANSWER)
      send(index, card.group.below[contributor].address - 1, THALWEG_NIC_DOWN, epoch, content);
  }

  // First reads the cells, then does what follows, with other packets in between.
  void go_on_combining() {
    const std::size_t which = random_() % combinations_.size();
    Combination& combination = combinations_[which];
    SimulatedCard& card = cards_[combination.card];
    if (!combination.is_ready) {
      const std::size_t first = combination.epoch % THALWEG_NIC_WINDOW * std::size_t{card.group.contributors};
      thalweg::nic::combine_cells(combination.content, {&card.cells[first], card.group.contributors});
      combination.is_ready = true;
      return;
    }
    Combination ready = combination;
    combinations_.erase(combinations_.begin() + static_cast<std::ptrdiff_t>(which));
    const std::uint32_t actions = thalweg_nic_complete(&card.group, &card.state, ready.epoch, &ready.content);
    perform(ready.card, actions, ready.epoch, ready.content);
  }

  void deliver() {
    if (const auto packet = network_.next())
      receive(*packet);
  }

  void receive(const Packet& packet) {
    SimulatedCard& card = cards_[packet.to];
    const thalweg_nic_place from = place_of(packet.from);
    if (thalweg_nic_is_ours(&packet.words) == 0 ||
        thalweg_nic_admits(&card.group, &packet.words, from.address, from.port) == 0) {
      is_wrong_ = true; // all are well-formed
      return;
    }
    const std::uint32_t epoch = thalweg_nic_order32(packet.words.epoch);
    thalweg_nic_content content = packet.content;
    if (packet.words.kind == THALWEG_NIC_DOWN) {
      const std::uint32_t actions = thalweg_nic_release(&card.group, &card.state, epoch, &content);
      perform(packet.to, actions, epoch, content);
      return;
    }
    arrive(packet.to, packet.words.contributor, epoch, content);
  }

  void perform(std::uint32_t index, std::uint32_t actions, std::uint32_t epoch,
               const thalweg_nic_content& content) {
    SimulatedCard& card = cards_[index];
    if ((actions & THALWEG_NIC_PUBLISH) != 0) {
      const std::uint32_t number = epoch - setting_.first_epoch;
      card.page[epoch % THALWEG_NIC_WINDOW] = epoch;
      is_wrong_ = is_wrong_ || starts_[number] != ranks_ ||
                  (has_words(number) && !is_right(number, content)) || !is_who_came_last(number, content);
    }
    if ((actions & THALWEG_NIC_NOTIFY_PARENT) != 0)
      send(index, card.group.parent.address - 1, THALWEG_NIC_UP, epoch, content);
    if ((actions & THALWEG_NIC_NOTIFY_CHILDREN) != 0)
      for (std::uint32_t child = card.group.locals; child < card.group.contributors; ++child)
        send(index, card.group.below[child].address - 1, THALWEG_NIC_DOWN, epoch, content);
  }

  // Each card has a clock of its own.
  std::uint64_t clock_of(std::uint32_t index) const { return steps_ + std::uint64_t{index} * 1'000'003; }

  // All cards say the same, and nobody waited longer than all has taken.
  bool is_who_came_last(std::uint32_t number, const thalweg_nic_content& content) {
    const auto [known, is_new] = last_.try_emplace(number, content.last, content.waited_us);
    const std::uint32_t card = (content.last - 1) / 8;
    return known->second == std::pair(content.last, content.waited_us) && content.waited_us <= steps_ &&
           content.last > 0 && card < cards_.size() && (content.last - 1) % 8 < cards_[card].ranks.size();
  }

  bool is_right(std::uint32_t number, const thalweg_nic_content& content) {
    if (has_blocks(number) || has_integers(number))
      return is_row(number, content);
    Expected& expected = expected_[number];
    if (!expected.is_known)
      expected = {true, sums_below(0, number)};
    return content.count == THALWEG_NIC_PAIR &&
           content.words[0] == std::bit_cast<std::uint64_t>(expected.sums[0]) &&
           content.words[1] == std::bit_cast<std::uint64_t>(expected.sums[1]);
  }

  void send(std::uint32_t from, std::uint32_t to, std::uint8_t kind, std::uint32_t epoch,
            const thalweg_nic_content& content) {
    Packet packet{from, to, {}, content};
    thalweg_nic_write(&packet.words, &cards_[from].group, kind, epoch, &content);
    network_.send(packet);
  }

  Setting setting_;
  std::uint64_t steps_ = 0;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> last_; // and how long the first one waited
  Random random_;
  std::vector<SimulatedCard> cards_;
  LossyNetwork<Packet> network_{random_, setting_.lost_percent, setting_.doubled_percent};
  std::vector<std::uint64_t> starts_; // by barrier: how many ranks have started it
  struct Expected {
    bool is_known = false;
    std::array<double, 2> sums{};
  };
  std::vector<Expected> expected_; // by operation
  std::vector<Combination> combinations_;
  std::uint64_t ranks_ = 0;
  std::uint64_t finished_ = 0; // ranks
  std::uint64_t ends_ = 0;
  bool is_wrong_ = false;
};

// Before the numbers of epochs go round.
constexpr std::uint32_t near_the_end = 0xfffffff0U - 200;

// A thousandth of a million barriers for each seed; `make test-all` runs all of them.
TEST(NicSimulation, BarriersAndSumsAreRightOnANetworkThatLosesDoublesAndOvertakes) {
  const std::uint64_t trials = std::min<std::uint64_t>(20 * effort(), 1000);
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    Setting setting{.seed = seed, .cards = static_cast<std::uint32_t>(1 + seed % 12), .epochs = 1000};
    setting.first_epoch = seed % 2 == 0 ? 1 : near_the_end;
    setting.window = static_cast<std::uint32_t>(1 + seed % THALWEG_NIC_WINDOW);
    setting.ranks_compute = seed % 3 == 0;
    setting.has_aggregators = seed % 4 < 2;
    setting.is_fat_tree = setting.cards > 4 && seed % 4 == 2;
    ASSERT_EQ(Simulation(setting).run(), Result::right) << "seed " << seed;
  }
}

class NicRule : public testing::TestWithParam<unsigned> {};

TEST_P(NicRule, LeftOutItIsMissed) {
  rules_left_out = 1U << GetParam();
  bool is_missed = false;
  for (std::uint64_t seed = 1; seed <= 200 && !is_missed; ++seed)
    is_missed = Simulation({.seed = seed,
                            .cards = 4,
                            .epochs = 500,
                            .first_epoch = near_the_end,
                            .ranks_compute = seed % 2 == 0})
                    .run() != Result::right;
  rules_left_out = 0;
  EXPECT_TRUE(is_missed);
}

INSTANTIATE_TEST_SUITE_P(All, NicRule, testing::Range(0U, static_cast<unsigned>(THALWEG_NIC_RULES)));

TEST(NicSimulation, RanksThatStartMoreThanAWindowHang) {
  bool hangs = false;
  for (std::uint64_t seed = 1; seed <= 200 && !hangs; ++seed)
    hangs = Simulation({.seed = seed, .cards = 4, .epochs = 500, .window = 3 * THALWEG_NIC_WINDOW}).run() ==
            Result::hung;
  EXPECT_TRUE(hangs);
}

} // namespace
