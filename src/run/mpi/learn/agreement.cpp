// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/agreement.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/run/neighbor_graph.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "mpi/wait/progress_thread.hpp"
#include "tune/candidates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

namespace thalweg::mpi {

namespace {

void begin_one(const std::vector<double>& own, std::vector<double>& result, MPI_Op op, MPI_Comm communicator,
               MPI_Request& request) {
  result.resize(own.size());
  request = MPI_REQUEST_NULL;
  if (!own.empty())
    native.Iallreduce(own.data(), result.data(), static_cast<int>(own.size()), MPI_DOUBLE, op, communicator,
                      &request);
}

void complete_one(MPI_Request& request) {
  if (request != MPI_REQUEST_NULL)
    poll_request(&request, MPI_STATUS_IGNORE); // operations of ours that are in flight go on meanwhile
}

} // namespace

void RoundAgreement::begin(std::vector<double> to_maximize, std::vector<double> to_sum,
                           MPI_Comm communicator) {
  THALWEG_ASSERT(light, !pending_ && !to_maximize.empty() && communicator != MPI_COMM_NULL);
  const double begun = local_seconds();
  own_maxima_ = std::move(to_maximize);
  own_sums_ = std::move(to_sum);
  begin_one(own_maxima_, maxima_, MPI_MAX, communicator, maximizing_);
  begin_one(own_sums_, sums_, MPI_SUM, communicator, summing_);
  pending_ = true;
  seconds_ = local_seconds() - begun;
}

double RoundAgreement::complete() {
  THALWEG_ASSERT(light, pending_ && maxima_.size() == own_maxima_.size() && sums_.size() == own_sums_.size());
  const double begun = local_seconds();
  complete_one(maximizing_);
  complete_one(summing_);
  pending_ = false;
  return seconds_ + local_seconds() - begun;
}

namespace {

constexpr std::size_t max_candidates = 64;
// So many of the first candidates for nonblocking calls are tried with the progress thread too.
constexpr std::size_t max_threaded = 2;
constexpr std::string_view by_thread = "+thread";

tune::Case case_of(Operation operation, const UnitSize& size, CommunicatorState& communicator) {
  tune::Case wanted;
  wanted.call = strategies::find_call(call_name(operation));
  wanted.bytes = size.bytes;
  wanted.degree = size.degree;
  wanted.ranks = communicator.size;
  job::RankGroup& group = communicator.group();
  const job::GroupPlaces& places = group.places();
  wanted.nodes = *places.nodes;
  wanted.sockets = places.sockets ? *places.sockets : std::vector<int>{};
  wanted.leaves = places.leaves ? *places.leaves : std::vector<int>{};
  wanted.node_places = places.in_network;
  wanted.orders = group.orders();
  return wanted;
}

// Where a rank knows its own neighbors alone, nobody can predict them all.
std::vector<tune::PredictedCandidate> in_index_order(const strategies::Call& call) {
  std::vector<tune::PredictedCandidate> found;
  for (const strategies::Strategy& strategy : strategies::of(call.operation))
    if (strategies::supports(strategy, call))
      found.push_back({.text = strategies::to_text(strategies::Scheduled(strategy))});
  return found;
}

std::vector<tune::PredictedCandidate> in_order(const CallKind& kind, const UnitSize& size,
                                               tune::Breadth breadth, CommunicatorState& communicator,
                                               const KnownGraph& graph) {
  if (is_among_neighbors(kind.operation) && !graph)
    return in_index_order(*strategies::find_call(call_name(kind.operation)));
  std::vector<tune::PredictedCandidate> found;
  tune::Case wanted = case_of(kind.operation, size, communicator);
  wanted.neighborhoods = graph;
  for (const tune::Candidate& candidate : tune::candidates(wanted, known_machine(), breadth))
    found.push_back({candidate.text, candidate.prediction.seconds});
  return found;
}

bool reads(const std::string& text, const strategies::Call& call) {
  try {
    strategies::parse_implementation(text, call);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The thread's part is not in the model.
void add_threaded(std::vector<tune::PredictedCandidate>& found, const strategies::Call& call) {
  for (std::size_t first = 0, added = 0; added < max_threaded && first < found.size(); first += 2, ++added) {
    const std::string text = found[first].text + std::string(by_thread);
    if (!reads(text, call))
      return;
    found.insert(found.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                 tune::PredictedCandidate{.text = text});
  }
}

// One a line: predicted seconds, strategy.
std::string candidates_text(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                            CommunicatorState& communicator, std::size_t max_bytes, const KnownGraph& graph) {
  std::vector<tune::PredictedCandidate> found = in_order(kind, size, breadth, communicator, graph);
  // Between hosts the thread needs a level that the library has given or not.
  if (!kind.blocks && (communicator.group().node_count() == 1 || thread_may_call_library()))
    add_threaded(found, *strategies::find_call(call_name(kind.operation)));
  found.resize(std::min(found.size(), max_candidates));
  std::string text;
  for (const tune::PredictedCandidate& one : found) {
    const std::string line = fmt::format("{} {}\n", one.predicted, one.text);
    if (text.size() + line.size() > max_bytes)
      break;
    text += line;
  }
  return text;
}

// The others wait for an answer in any case.
std::string candidates_or_none(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                               CommunicatorState& communicator, std::size_t max_bytes,
                               const KnownGraph& graph) {
  try {
    return candidates_text(kind, size, breadth, communicator, max_bytes, graph);
  } catch (const std::exception& error) {
    log_line(fmt::format("{}: nothing can be learned: {}", call_name(kind.operation), error.what()));
    return {};
  }
}

void broadcast(void* data, std::size_t count, MPI_Datatype type, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(data, static_cast<int>(count), type, 0, communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
}

} // namespace

// What it took is the first line.
std::string ordering_text(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                          CommunicatorState& communicator, std::size_t max_bytes, const KnownGraph& graph) {
  constexpr std::size_t first_line = 32;
  THALWEG_ASSERT(light, communicator.is_open() && max_bytes > first_line);
  const double begun = local_seconds();
  const std::string text =
      candidates_or_none(kind, size, breadth, communicator, max_bytes - first_line, graph);
  return fmt::format("{}\n{}", local_seconds() - begun, text);
}

Ordering ordering_of(const std::string& text) {
  Ordering ordering;
  std::istringstream lines(text);
  lines >> ordering.seconds;
  tune::PredictedCandidate one;
  while (lines >> one.predicted >> one.text)
    ordering.candidates.push_back(one);
  return ordering;
}

namespace {

// All schedules of so many ranks are quickly made.
constexpr int max_ranks_of_graph = 64;

// All ranks are in the same call, which may wait for others.
KnownGraph graph_of(const CallKind& kind, CommunicatorState& communicator) {
  if (!is_among_neighbors(kind.operation) || communicator.size > max_ranks_of_graph ||
      neighborhood_objection(communicator) != nullptr)
    return nullptr;
  schedule::Problem problem;
  problem.neighborhoods = neighborhoods(communicator);
  NeighborGraph graph;
  return graph.put_into(problem, communicator, true) == nullptr ? problem.neighborhoods : nullptr;
}

} // namespace

Ordering agreed_ordering(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                         CommunicatorState& communicator) {
  constexpr std::size_t max_bytes = std::size_t{1} << 16U;
  const KnownGraph graph = graph_of(kind, communicator);
  std::string text;
  if (communicator.rank == 0)
    text = ordering_text(kind, size, breadth, communicator, max_bytes, graph);
  auto bytes = static_cast<double>(text.size());
  broadcast(&bytes, 1, MPI_DOUBLE, communicator.group().communicator());
  text.resize(static_cast<std::size_t>(bytes));
  broadcast(text.data(), text.size(), MPI_CHAR, communicator.group().communicator());
  return ordering_of(text);
}

} // namespace thalweg::mpi
