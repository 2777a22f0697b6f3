// SPDX-License-Identifier: BSD-3-Clause

// Recursive halving on the vector, then a gather that plays the exchanges backwards towards the root
// (Rabenseifner 2004). Partners are nearest first, so partial sums are of neighboring ranks and the order of
// operands is kept; place p ends with the piece whose number is p read backwards, and two partners' pieces
// are always neighbors.

#include "base/arithmetic.hpp"
#include "strategies/exchange.hpp"

namespace thalweg::strategies::reduce {

namespace {

using schedule::Side;
using topology::Places;
using topology::Runs;

std::int32_t radix(const Problem& problem) {
  return static_cast<std::int32_t>(problem.parameter("radix"));
}

/// Who speaks for a place: the root for its own, else the first of it.
class Speakers {
public:
  Speakers(const Places& places, Rank root)
      : places_(places), root_(root), root_place_(places.place_of(root)) {}
  std::int32_t root_place() const { return root_place_; }
  Rank of(std::int32_t place) const { return place == root_place_ ? root_ : places_.begin(place); }

private:
  const Places& places_;
  Rank root_;
  std::int32_t root_place_;
};

std::vector<ExchangeStep> halving_steps(const Builder& b, const Places& places, const Speakers& speakers) {
  const std::int32_t place = places.place_of(b.rank());
  const Rank speaker = speakers.of(place);
  const std::vector<Runs> everything{{0, b.pieces()}};
  ExchangeStep fold;
  if (b.rank() != speaker)
    return {{.sends = {{speaker, everything}}}};
  for (Rank member = speaker - 1; member >= places.begin(place); --member)
    fold.receives.push_back({member, everything, Side::left});
  for (Rank member = speaker + 1; member < places.end(place); ++member)
    fold.receives.push_back({member, everything, Side::right});
  const std::int32_t base = radix(b.problem());
  const int digits = floor_log(base, b.ranks());
  std::vector<ExchangeStep> steps{fold};
  for (ExchangeStep& step :
       butterfly(places, place, base, ExchangeOrder::nearest_first, [&](std::int32_t p, int done) {
         const topology::Interval part = topology::reversed_interval(p, base, digits, done);
         return std::vector<Runs>{{part.begin, part.size()}};
       })) {
    for (auto* transfers : {&step.sends, &step.receives})
      for (Transfer& transfer : *transfers)
        transfer.peer = speakers.of(places.place_of(transfer.peer));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Of each group that exchanged, the place that agrees with the root's in that digit collects; the others are
/// done.
void append_gather(Builder& b, const RunningSum& sum, const std::vector<ExchangeStep>& steps,
                   const Places& places, const Speakers& speakers) {
  const std::int32_t place = places.place_of(b.rank());
  std::int64_t weight = places.count();
  for (auto step = steps.rbegin(); step + 1 != steps.rend(); ++step) {
    weight /= radix(b.problem());
    const std::int64_t wanted = speakers.root_place() / weight % radix(b.problem());
    const std::int64_t digit = place / weight % radix(b.problem());
    b.round();
    if (digit != wanted) {
      const auto collector = static_cast<std::int32_t>(place + (wanted - digit) * weight);
      b.send(speakers.of(collector), sum.home(step->receives.front().blocks));
      return;
    }
    for (const Transfer& given : step->sends)
      b.receive(given.peer, sum.home(given.blocks));
  }
}

void append(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  const Places places(b.ranks(), topology::exchange_places(b.ranks(), radix(b.problem())));
  const Speakers speakers(places, b.root());
  const std::vector<ExchangeStep> steps = halving_steps(b, places, speakers);
  const bool is_root = b.rank() == b.root();
  const bool speaks = b.rank() == speakers.of(places.place_of(b.rank()));
  RunningSum sum(b, is_root ? schedule::Buffer::output : schedule::Buffer::scratch,
                 speaks && !is_root ? b.scratch_blocks(b.canonical()) : 0);
  append_reduce_scatter(b, sum, steps);
  if (speaks)
    append_gather(b, sum, steps, places, speakers);
}

} // namespace

Strategy rabenseifner() {
  return {.name = "rabenseifner",
          .operation = Operation::reduce,
          .summary = "recursive halving, then a gather of the parts at the root",
          .wins_when = "long vectors on many ranks",
          .source = "Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005, section 4.4",
          .parameters = {{.name = "radix",
                          .default_value = 2,
                          .min = 2,
                          .max = 64,
                          .description = "parts into which an exchange cuts, among as many ranks",
                          .proven_at = {3, 4, 8}}},
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces =
              [](const Problem& problem) { return topology::exchange_places(problem.ranks, radix(problem)); },
          .append = append};
}

} // namespace thalweg::strategies::reduce
