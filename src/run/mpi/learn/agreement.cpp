// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/agreement.hpp"

#include "base/assertion.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "tune/candidates.hpp"

#include <array>
#include <fmt/format.h>
#include <sstream>

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

// One a line: predicted seconds, strategy.
std::string candidates_text(Operation operation, const UnitSize& size, tune::Breadth breadth,
                            CommunicatorState& communicator) {
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
  std::string text;
  std::size_t count = 0;
  for (const tune::Candidate& candidate : tune::candidates(wanted, known_machine(), breadth)) {
    if (++count > max_candidates)
      break;
    text += fmt::format("{} {}\n", candidate.prediction.seconds, candidate.text);
  }
  return text;
}

// The others wait for an answer in any case.
std::string candidates_or_none(Operation operation, const UnitSize& size, tune::Breadth breadth,
                               CommunicatorState& communicator) {
  try {
    return candidates_text(operation, size, breadth, communicator);
  } catch (const std::exception& error) {
    log_line(fmt::format("{}: nothing can be learned: {}", call_name(operation), error.what()));
    return {};
  }
}

void broadcast(void* data, std::size_t count, MPI_Datatype type, MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(data, static_cast<int>(count), type, 0, communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
}

} // namespace

Ordering agreed_ordering(Operation operation, const UnitSize& size, tune::Breadth breadth,
                         CommunicatorState& communicator) {
  THALWEG_ASSERT(light, communicator.is_open());
  const double begun = local_seconds();
  std::string text;
  if (communicator.rank == 0)
    text = candidates_or_none(operation, size, breadth, communicator);
  std::array<double, 2> head{static_cast<double>(text.size()), local_seconds() - begun};
  broadcast(head.data(), head.size(), MPI_DOUBLE, communicator.group().communicator());
  text.resize(static_cast<std::size_t>(head[0]));
  if (!text.empty())
    broadcast(text.data(), text.size(), MPI_CHAR, communicator.group().communicator());
  Ordering ordering{.candidates = {}, .seconds = head[1]};
  std::istringstream lines(text);
  tune::PredictedCandidate one;
  while (lines >> one.predicted >> one.text)
    ordering.candidates.push_back(one);
  return ordering;
}

} // namespace thalweg::mpi
