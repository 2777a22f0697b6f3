#include "mpi/place/trial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/wait/polling.hpp"

namespace thalweg::mpi {

namespace {

constexpr std::size_t phases_max = 8;
constexpr std::size_t edges_max = 100000;    // of a phase: what all ranks are told
constexpr double rank_bytes_max = 256 << 10; // that one rank sends in a replay
constexpr double round_max_s = 0.1;          // what a round of a phase is to take, at most
constexpr int losses_max = 3;
constexpr double gain_min = 1.03;
constexpr int tag = 1;

// What one task sends another, each time a phase is replayed.
struct Replayed {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t bytes = 0;
  std::int32_t messages = 0;
};

struct ReplayedPhase {
  double weight = 1; // replays that make all of the phase's traffic
  std::vector<Replayed> edges;
};

double max_sent(const std::vector<Replayed>& edges) {
  std::unordered_map<std::int32_t, double> sent;
  double sent_max = 0;
  for (const Replayed& edge : edges)
    sent_max = std::max(sent_max, sent[edge.from] += static_cast<double>(edge.bytes) * edge.messages);
  return sent_max;
}

// One message for each that the pair with the fewest sends, at most 16; of their mean size, or all smaller in
// the same proportion where a rank would send too much.
ReplayedPhase replayed(const pattern::Phase& phase) {
  std::vector<pattern::Edge> edges(phase.matrix.edges().begin(), phase.matrix.edges().end());
  std::erase_if(edges, [](const pattern::Edge& edge) { return edge.bytes <= 0; });
  if (edges.size() > edges_max) {
    std::ranges::nth_element(edges, edges.begin() + edges_max, std::greater{}, &pattern::Edge::bytes);
    edges.resize(edges_max);
  }
  double messages_min = HUGE_VAL;
  for (const pattern::Edge& edge : edges)
    messages_min = std::min(messages_min, std::max(1.0, edge.messages));
  ReplayedPhase result;
  for (const pattern::Edge& edge : edges) {
    const double messages = std::max(1.0, edge.messages);
    const auto count = static_cast<std::int32_t>(std::clamp(std::round(messages / messages_min), 1.0, 16.0));
    const double bytes = std::min(rank_bytes_max * 1024, std::ceil(edge.bytes / messages));
    result.edges.push_back({edge.from, edge.to, static_cast<std::int32_t>(bytes), count});
  }
  const double scale = std::min(1.0, rank_bytes_max / std::max(1.0, max_sent(result.edges)));
  double sent = 0;
  for (Replayed& edge : result.edges) {
    edge.bytes = static_cast<std::int32_t>(std::ceil(edge.bytes * scale));
    sent += static_cast<double>(edge.bytes) * edge.messages;
  }
  const double all = std::accumulate(edges.begin(), edges.end(), 0.0,
                                     [](double sum, const pattern::Edge& edge) { return sum + edge.bytes; });
  result.weight = sent > 0 ? phase.repeats * all / sent : 0;
  return result;
}

// The phases with most bytes.
std::vector<ReplayedPhase> replayed(const pattern::Pattern& pattern) {
  std::vector<const pattern::Phase*> phases;
  for (const pattern::Phase& phase : pattern.phases)
    phases.push_back(&phase);
  std::ranges::stable_sort(phases, std::greater{}, [](const pattern::Phase* phase) {
    return phase->repeats * phase->matrix.bytes();
  });
  phases.resize(std::min(phases.size(), phases_max));
  std::vector<ReplayedPhase> result;
  for (const pattern::Phase* phase : phases)
    result.push_back(replayed(*phase));
  return result;
}

template <typename Item>
void broadcast(const job::Agreement& everybody, std::vector<Item>& items) {
  auto count = static_cast<std::uint64_t>(items.size());
  everybody.broadcast(count);
  items.resize(count);
  if (count > 0)
    everybody.broadcast(items.data(), count * sizeof(Item));
}

// A phase's messages of this rank under one numbering.
class Replay {
public:
  Replay(const ReplayedPhase& phase, const place::Slots& slot_of, std::int32_t rank) {
    const auto slot = [&](std::int32_t task) { return slot_of[static_cast<std::size_t>(task)]; };
    for (const Replayed& edge : phase.edges) {
      const std::int32_t from = slot(edge.from);
      const std::int32_t to = slot(edge.to);
      if (from == to)
        continue;
      for (std::int32_t count = 0; count < edge.messages; ++count) {
        if (from == rank)
          sends_.push_back({to, edge.bytes});
        if (to == rank)
          receives_.push_back({from, edge.bytes});
      }
    }
    std::int64_t received = 0;
    for (const Message& message : receives_)
      received += message.bytes;
    in_.resize(static_cast<std::size_t>(received));
    for (const Message& message : sends_)
      out_.resize(std::max(out_.size(), static_cast<std::size_t>(message.bytes)));
    requests_.reserve(sends_.size() + receives_.size());
  }

  void run() {
    requests_.clear();
    std::byte* place = in_.data();
    for (const Message& message : receives_) {
      requests_.emplace_back();
      native.Irecv(place, message.bytes, MPI_BYTE, message.peer, tag, MPI_COMM_WORLD, &requests_.back());
      place += message.bytes;
    }
    for (const Message& message : sends_) {
      requests_.emplace_back();
      native.Isend(out_.data(), message.bytes, MPI_BYTE, message.peer, tag, MPI_COMM_WORLD,
                   &requests_.back());
    }
    for (MPI_Request& request : requests_)
      poll_request(&request, MPI_STATUS_IGNORE);
  }

private:
  struct Message {
    std::int32_t peer;
    std::int32_t bytes;
  };
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  std::vector<std::byte> in_;
  std::vector<std::byte> out_;
  std::vector<MPI_Request> requests_;
};

double slowest(const job::Agreement& everybody, double own) {
  return std::ranges::max(everybody.allgather(own));
}

// Seconds that the slowest rank takes for so many replays; all begin together.
double time_of(const job::Agreement& everybody, Replay& replay, int times) {
  slowest(everybody, 0); // all are here
  const std::uint64_t begin = observe::monotonic_ns();
  for (int count = 0; count < times; ++count)
    replay.run();
  return slowest(everybody, 1e-9 * static_cast<double>(observe::monotonic_ns() - begin));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Rounds that must be won before so many losses are outweighed: chance alone does so at most once in fifty
// times (sign test).
int rounds_needed(int losses) {
  return 6 + 3 * losses;
}

bool is_won(const TrialResult& result) {
  const int losses = result.rounds - result.wins;
  return losses <= losses_max && result.rounds >= rounds_needed(losses);
}

// A phase under both numberings.
struct Comparison {
  Comparison(const ReplayedPhase& phase, const place::Slots& identity, const place::Slots& placed,
             std::int32_t rank)
      : weight(phase.weight), as_is(phase, identity, rank), as_placed(phase, placed, rank) {}

  double weight;
  Replay as_is;
  Replay as_placed;
  int times = 1;
};

// Of the first rank's pattern and slots.
std::vector<Comparison> comparisons_of(const job::Agreement& everybody, const pattern::Pattern& pattern,
                                       const place::Slots& slot_of) {
  std::vector<ReplayedPhase> phases = everybody.own() == 0 ? replayed(pattern) : std::vector<ReplayedPhase>{};
  auto count = static_cast<std::uint64_t>(phases.size());
  everybody.broadcast(count);
  phases.resize(count);
  place::Slots placed = slot_of;
  broadcast(everybody, placed);
  place::Slots identity(placed.size());
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<Comparison> comparisons;
  for (ReplayedPhase& phase : phases) {
    everybody.broadcast(phase.weight);
    broadcast(everybody, phase.edges);
    comparisons.emplace_back(phase, identity, placed, everybody.own());
  }
  return comparisons;
}

} // namespace

TrialResult try_numbering(const job::Agreement& everybody, const pattern::Pattern& pattern,
                          const place::Slots& slot_of, double seconds, TrialResult before) {
  std::vector<Comparison> comparisons = comparisons_of(everybody, pattern, slot_of);
  everybody.broadcast(seconds);
  const double shares =
      2.0 * rounds_needed(losses_max) * static_cast<double>(std::max<std::size_t>(1, comparisons.size()));
  const double round_s = std::min(round_max_s, seconds / shares);
  for (Comparison& comparison : comparisons) { // connections are made; how long a replay takes
    time_of(everybody, comparison.as_placed, 1);
    const double once = time_of(everybody, comparison.as_is, 1);
    comparison.times = static_cast<int>(std::clamp(round_s / std::max(once, 1e-6), 1.0, 1000.0));
  }
  TrialResult result = before;
  everybody.broadcast(result.rounds);
  everybody.broadcast(result.wins);
  if (comparisons.empty())
    return result;
  std::vector<double> as_is;
  std::vector<double> as_placed;
  std::vector<double> ratios;
  double spent = 0;
  const auto is_decided = [&] { return is_won(result) || result.rounds - result.wins > losses_max; };
  while (!is_decided() && spent < seconds) {
    const std::uint64_t begin = observe::monotonic_ns();
    double identity_s = 0;
    double placed_s = 0;
    for (Comparison& comparison : comparisons) {
      const double per_replay = comparison.weight / comparison.times;
      if (result.rounds % 2 == 0)
        identity_s += per_replay * time_of(everybody, comparison.as_is, comparison.times);
      placed_s += per_replay * time_of(everybody, comparison.as_placed, comparison.times);
      if (result.rounds % 2 != 0)
        identity_s += per_replay * time_of(everybody, comparison.as_is, comparison.times);
    }
    spent += slowest(everybody, 1e-9 * static_cast<double>(observe::monotonic_ns() - begin));
    as_is.push_back(identity_s);
    as_placed.push_back(placed_s);
    ratios.push_back(placed_s > 0 ? identity_s / placed_s : 0);
    ++result.rounds;
    result.wins += placed_s < identity_s ? 1 : 0;
  }
  if (ratios.empty())
    return result;
  result.decided = is_decided();
  result.identity_s = median(as_is);
  result.placed_s = median(as_placed);
  result.adopted = is_won(result) && median(ratios) >= gain_min;
  return result;
}

} // namespace thalweg::mpi
