// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks agree on while they learn.

#include "mpi/abi/native.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/learn/tuning_context.hpp"
#include "tune/candidates.hpp"
#include "tune/learner.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// What they saw: the largest of each of a row of numbers, and sums of some, begun at the end of one call and
/// completed before a later one, so that no call waits for it that need not.
class RoundAgreement {
public:
  bool is_pending() const { return pending_; }

  /// Begins on the shadow communicator; every rank of it does so at the same call.
  void begin(std::vector<double> to_maximize, std::vector<double> to_sum, MPI_Comm communicator);
  /// Completes it. Seconds that this rank was at it, beginning included.
  double complete();

  const std::vector<double>& maxima() const { return maxima_; }
  const std::vector<double>& sums() const { return sums_; }

private:
  bool pending_ = false;
  double seconds_ = 0;
  MPI_Request maximizing_{};
  MPI_Request summing_{};
  std::vector<double> own_maxima_;
  std::vector<double> own_sums_;
  std::vector<double> maxima_;
  std::vector<double> sums_;
};

/// The candidates for a call in the model's order, the same on all ranks of a communicator.
struct Ordering {
  std::vector<tune::PredictedCandidate> candidates;
  double seconds = 0; ///< that it took
};

/// All ranks' neighbors, for calls among neighbors; null where they are not known.
using KnownGraph = std::shared_ptr<const std::vector<schedule::Neighborhood>>;

/// What rank 0 knows of it as a text of so many bytes at most, and such a text read again. Among neighbors
/// that are not known, or of many ranks, the order is the index's.
std::string ordering_text(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                          CommunicatorState& communicator, std::size_t max_bytes,
                          const KnownGraph& graph = nullptr);
Ordering ordering_of(const std::string& text);
inline constexpr const char* no_ordering_text = "0\n";

/// Rank 0 asks the model, of the machine that was probed or else of a default one, and tells the others.
/// Ranks tell each other their neighbors before, where the call is among these.
Ordering agreed_ordering(const CallKind& kind, const UnitSize& size, tune::Breadth breadth,
                         CommunicatorState& communicator);

} // namespace thalweg::mpi
