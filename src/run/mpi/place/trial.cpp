// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/trial.hpp"

#include "evidence/evidence.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/wait/polling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace thalweg::mpi {

namespace {

constexpr std::size_t phases_max = 8;
constexpr std::size_t edges_max = 100000;    // of a phase: what all ranks are told
constexpr double rank_bytes_max = 256 << 10; // that one rank sends in a replay
constexpr double round_max_s = 0.1;          // what a round of a phase is to take, at most
constexpr int tag = 1;
// What messages take at most, roughly, where nothing better is known: of slow Ethernet.
constexpr double byte_max_s = 1e-6;
constexpr double message_max_s = 1e-3;

// What one task sends another, each time a phase is replayed.
struct ReplayedEdge {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t bytes = 0;
  std::int32_t messages = 0;
};

struct ReplayedPhase {
  double weight = 1; // replays that make all of the phase's traffic
  std::vector<ReplayedEdge> edges;
};

double max_sent(const std::vector<ReplayedEdge>& edges) {
  std::unordered_map<std::int32_t, double> sent;
  double sent_max = 0;
  for (const ReplayedEdge& edge : edges)
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
  for (ReplayedEdge& edge : result.edges) {
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
  Replay() = default;
  Replay(const ReplayedPhase& phase, const place::Slots& slot_of, std::int32_t rank) {
    const auto slot = [&](std::int32_t task) { return slot_of[static_cast<std::size_t>(task)]; };
    for (const ReplayedEdge& edge : phase.edges) {
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

  void run() { send_all(true); }
  // Messages without contents: connections are made.
  void connect() { send_all(false); }

private:
  struct Message {
    std::int32_t peer;
    std::int32_t bytes;
  };

  void send_all(bool has_contents) {
    requests_.clear();
    std::byte* place = in_.data();
    for (const Message& message : receives_) {
      requests_.emplace_back();
      native.Irecv(place, message.bytes, MPI_BYTE, message.peer, tag, MPI_COMM_WORLD, &requests_.back());
      place += message.bytes;
    }
    for (const Message& message : sends_) {
      requests_.emplace_back();
      native.Isend(out_.data(), has_contents ? message.bytes : 0, MPI_BYTE, message.peer, tag, MPI_COMM_WORLD,
                   &requests_.back());
    }
    for (MPI_Request& request : requests_)
      poll_request(&request, MPI_STATUS_IGNORE);
  }

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

// What a replay of a phase takes at most: not longer than the run in which it was recorded.
double replay_max_s(const ReplayedPhase& phase, double recorded_s) {
  const auto messages = static_cast<double>(phase.edges.size());
  const double by_size = byte_max_s * max_sent(phase.edges) + message_max_s * messages;
  return phase.weight > 0 ? std::min(by_size, recorded_s / phase.weight) : 0;
}

// A phase under both numberings.
struct Comparison {
  Comparison(const ReplayedPhase& phase, const place::Slots& before, const place::Slots& placed,
             std::int32_t rank)
      : weight(phase.weight), as_is(phase, before, rank), as_placed(phase, placed, rank) {}

  double weight;
  Replay as_is;
  Replay as_placed;
  int times = 1;
};

// Of the first rank's phases and slots.
std::vector<Comparison> comparisons_of(const job::Agreement& everybody, std::vector<ReplayedPhase> phases,
                                       const place::Slots& slot_of, place::Slots before) {
  auto count = static_cast<std::uint64_t>(phases.size());
  everybody.broadcast(count);
  phases.resize(count);
  place::Slots placed = slot_of;
  broadcast(everybody, placed);
  broadcast(everybody, before);
  if (before.empty()) {
    before.resize(placed.size());
    std::iota(before.begin(), before.end(), 0);
  }
  std::vector<Comparison> comparisons;
  for (ReplayedPhase& phase : phases) {
    everybody.broadcast(phase.weight);
    broadcast(everybody, phase.edges);
    comparisons.emplace_back(phase, before, placed, everybody.own());
  }
  return comparisons;
}

// Pairs of rounds, until what they found decides or the time is over.
class Trial {
public:
  Trial(const job::Agreement& everybody, std::vector<Comparison> comparisons, TrialResult before)
      : everybody_(everybody), comparisons_(std::move(comparisons)), result_(std::move(before)),
        start_ns_(observe::monotonic_ns()) {}

  TrialResult run() {
    const double seconds = result_.saved_s;
    prepare(seconds);
    // The next round takes as long as those before.
    const double before_s = spent();
    int rounds = 0;
    for (double spent_s = before_s; evidence::decide_rounds(result_.ratios) == evidence::Decision::open &&
                                    (rounds == 0 || spent_s + (spent_s - before_s) / rounds <= seconds);
         spent_s = spent(), ++rounds)
      compare();
    result_.saved_s = seconds - spent();
    result_.before_s = evidence::median(as_is_);
    result_.placed_s = evidence::median(as_placed_);
    return std::move(result_);
  }

private:
  void prepare(double seconds) {
    const double share = seconds / (2.0 * evidence::rounds_max() * static_cast<double>(comparisons_.size()));
    const double round_s = std::min(round_max_s, share);
    for (Comparison& comparison : comparisons_) {
      comparison.as_is.connect();
      comparison.as_placed.connect();
      const double once = time_of(everybody_, comparison.as_is, 1);
      comparison.times = static_cast<int>(std::clamp(round_s / std::max(once, 1e-6), 1.0, 1000.0));
    }
  }

  void compare() {
    const bool is_first = result_.ratios.size() % 2 == 0; // they take turns in being so
    double before_s = 0;
    double placed_s = 0;
    for (Comparison& comparison : comparisons_) {
      const double per_replay = comparison.weight / comparison.times;
      if (is_first)
        before_s += per_replay * time_of(everybody_, comparison.as_is, comparison.times);
      placed_s += per_replay * time_of(everybody_, comparison.as_placed, comparison.times);
      if (!is_first)
        before_s += per_replay * time_of(everybody_, comparison.as_is, comparison.times);
    }
    as_is_.push_back(before_s);
    as_placed_.push_back(placed_s);
    result_.ratios.push_back(placed_s > 0 ? before_s / placed_s : 0);
  }

  // Of the slowest rank, so that all stop together.
  double spent() const {
    return slowest(everybody_, 1e-9 * static_cast<double>(observe::monotonic_ns() - start_ns_));
  }

  const job::Agreement& everybody_;
  std::vector<Comparison> comparisons_;
  TrialResult result_;
  std::uint64_t start_ns_;
  std::vector<double> as_is_;
  std::vector<double> as_placed_;
};

} // namespace

TrialResult try_numbering(const job::Agreement& everybody, const TrialTerms& terms) {
  std::vector<ReplayedPhase> phases;
  double time_min_s = 0; // what comes before the first pair of rounds, and that
  if (everybody.own() == 0) {
    phases = replayed(terms.pattern);
    for (const ReplayedPhase& one : phases)
      time_min_s += 3 * replay_max_s(one, terms.recorded_s);
  }
  TrialResult before{.ratios = terms.ratios, .saved_s = terms.seconds};
  bool has_time = !phases.empty() && terms.seconds > 0 && terms.seconds >= time_min_s;
  everybody.broadcast(has_time);
  if (!has_time)
    return before;
  everybody.broadcast(before.saved_s);
  broadcast(everybody, before.ratios);
  return Trial(everybody, comparisons_of(everybody, std::move(phases), terms.slot_of, terms.against),
               std::move(before))
      .run();
}

} // namespace thalweg::mpi
