// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allreduce/whole_exchange.hpp"

#include "base/assertion.hpp"
#include "strategies/exchange.hpp"
#include "strategies/segments.hpp"
#include "topology/exchanges.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::strategies::allreduce {

namespace {

using schedule::After;
using schedule::BlockList;
using schedule::Side;
using schedule::StepId;
using topology::Runs;

After with(After after, StepId step) {
  after.push_back(step);
  return after;
}

/// One rank's exchanges of one piece after the other.
class WholeExchange {
public:
  WholeExchange(Builder& builder, const ExchangeRounds& rounds)
      : b_(builder), rounds_(rounds), sum_(builder, schedule::Buffer::output, 0),
        ready_(static_cast<std::size_t>(builder.pieces()), schedule::nothing) {}

  void run(const std::vector<Rank>& members) {
    if (b_.ranks() == 1) {
      b_.copy(schedule::input(0, b_.pieces()), schedule::output(0, b_.pieces()));
      return;
    }
    if (!members.empty())
      for_each_piece([&](const Runs& piece, StepId& ready) {
        for (const Rank member : members)
          ready = ready == schedule::nothing
                      ? sum_.absorb(member, {&piece, 1}, sum_.home({&piece, 1}), Side::right)
                      : b_.receive_combine(member, sum_.home({&piece, 1}), Side::right, {ready});
      });
    for (const std::vector<Rank>& group : rounds_)
      for_each_piece([&](const Runs& piece, StepId& ready) { ready = exchange(group, piece, {ready}); });
    if (!members.empty())
      for_each_piece([&](const Runs& piece, StepId& ready) {
        for (const Rank member : members)
          b_.send(member, sum_.home({&piece, 1}), {ready});
      });
  }

private:
  /// A round over all pieces: a stage of its own if there is only one, else bound to the last round by steps'
  /// order alone.
  template <typename Append>
  void for_each_piece(Append&& append) {
    if (b_.pieces() == 1)
      b_.round();
    for (std::int32_t k = 0; k < b_.pieces(); ++k)
      append(Runs{k}, ready_[static_cast<std::size_t>(k)]);
    sum_.arrive();
  }

  StepId exchange(const std::vector<Rank>& group, const Runs& piece, const After& ready) {
    After sent;
    for (const Rank peer : group)
      if (peer != b_.rank())
        sent.push_back(b_.send(peer, sum_.here({&piece, 1}), ready));
    if (sum_.is_home())
      return combine_beside(group, piece, ready, sent);
    return receive_in_order(b_, group, sum_.here({&piece, 1}), sum_.home({&piece, 1}), ready);
  }

  /// Home is being sent: what comes from the left is summed in scratch, what comes from the right waits
  /// there.
  StepId combine_beside(const std::vector<Rank>& group, const Runs& piece, const After& ready,
                        const After& sent) {
    const BlockList home = sum_.home({&piece, 1});
    std::size_t next_slot = 0;
    BlockList left;
    StepId last = schedule::nothing;
    bool is_right = false;
    for (const Rank peer : group) {
      if (peer == b_.rank()) {
        is_right = true;
        if (!left.empty())
          last = b_.combine(left, home, Side::left, with(sent, last));
      } else if (is_right) {
        const BlockList arriving = slot(next_slot++, piece);
        const StepId come = b_.receive(peer, arriving, ready);
        last = b_.combine(arriving, home, Side::right, with(with(sent, come), last));
      } else if (left.empty()) {
        left = slot(next_slot++, piece);
        last = b_.receive(peer, left, ready);
      } else {
        last = b_.receive_combine(peer, left, Side::right, {last});
      }
    }
    return last;
  }

  BlockList slot(std::size_t index, const Runs& piece) {
    if (index == slots_.size())
      slots_.push_back(b_.scratch_blocks(b_.canonical()));
    return schedule::scratch(slots_[index] + piece.first);
  }

  Builder& b_;
  const ExchangeRounds& rounds_;
  RunningSum sum_;
  std::vector<StepId> ready_; ///< for each piece the step after which it is summed up so far
  std::vector<std::int32_t> slots_;
};

void follow(Builder& b, Rank speaker) {
  for (std::int32_t k = 0; k < b.pieces(); ++k) {
    const StepId sent = b.send(speaker, schedule::input(k));
    b.receive(speaker, schedule::output(k), {sent});
  }
}

} // namespace

void append_whole_exchange(Builder& builder, const ExchangeRounds& rounds, const std::vector<Rank>& members,
                           Rank speaker) {
  THALWEG_ASSERT(light, speaker < 0 || (rounds.empty() && members.empty()));
  THALWEG_ASSERT(heavy, std::ranges::all_of(rounds, [&](const std::vector<Rank>& group) {
                   return std::ranges::count(group, builder.rank()) == 1;
                 }));
  if (speaker >= 0)
    follow(builder, speaker);
  else
    WholeExchange(builder, rounds).run(members);
}

namespace {

/// Over the digits of places in base `radix`, with neighboring ranks beyond a power of the radix as
/// followers: operands then stand in the order of ranks.
void append_recursive_exchange(Builder& builder, std::int32_t radix) {
  const topology::Places places(builder.ranks(), topology::exchange_places(builder.ranks(), radix));
  const std::int32_t place = places.place_of(builder.rank());
  if (builder.rank() != places.begin(place))
    return append_whole_exchange(builder, {}, {}, places.begin(place));
  ExchangeRounds rounds;
  for (std::int32_t weight = 1; weight < places.count(); weight *= radix) {
    rounds.emplace_back();
    for (const std::int32_t other : topology::exchange_group(place, radix, weight))
      rounds.back().push_back(places.begin(other));
  }
  std::vector<Rank> members;
  for (Rank member = builder.rank() + 1; member < places.end(place); ++member)
    members.push_back(member);
  append_whole_exchange(builder, rounds, members, -1);
}

/// One round in which all ranks are one group.
void append_direct(Builder& b) {
  std::vector<Rank> everybody(static_cast<std::size_t>(b.ranks()));
  std::iota(everybody.begin(), everybody.end(), 0);
  append_whole_exchange(b, {everybody}, {}, -1);
}

} // namespace

Strategy recursive_doubling() {
  return {
      .name = "recursive_doubling",
      .operation = Operation::allreduce,
      .summary =
          "exchanges whole vectors with partners 1, 2, 4, .. away; ranks beyond a power of two fold in first",
      .wins_when = "short vectors",
      .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
      .parameters = {segment_parameter(0)},
      .keeps_rank_order = true,
      .in_place = true,
      .order_matters = true,
      .pieces = segments,
      .append = [](Builder& b) { append_recursive_exchange(b, 2); }};
}

Strategy recursive_exchange() {
  return {.name = "recursive_exchange",
          .operation = Operation::allreduce,
          .summary = "exchanges whole vectors in groups of radix ranks 1, radix, radix^2, .. apart; the rest "
                     "folds in first",
          .wins_when = "short vectors where several messages can be under way at once",
          .source = "Ruefenacht, Bull, Booth 2017 (recursive multiplying); UCC's k-nomial exchange",
          .parameters = {{.name = "radix",
                          .default_value = 4,
                          .min = 2,
                          .max = 64,
                          .description = "ranks that exchange with one another in a round",
                          .proven_at = {3, 2, 4, 8}},
                         segment_parameter(0)},
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& b) {
            append_recursive_exchange(b, static_cast<std::int32_t>(b.parameter("radix")));
          }};
}

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::allreduce,
          .summary = "everybody sends his vector to everybody and combines what comes in the order of ranks",
          .wins_when = "tiny vectors on few ranks: one latency",
          .source = "Nishtala 2009 (flat dissemination)",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append_direct};
}

} // namespace thalweg::strategies::allreduce
