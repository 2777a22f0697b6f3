// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/whole_exchange.hpp"

#include "strategies/exchange.hpp"
#include "topology/recursive_exchange.hpp"

#include <algorithm>

namespace thalweg::strategies {

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
  if (speaker >= 0)
    follow(builder, speaker);
  else
    WholeExchange(builder, rounds).run(members);
}

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

} // namespace thalweg::strategies
