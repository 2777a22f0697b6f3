// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the interposer knows of each communicator, found by its handle.
//
// A state is made inside the call that makes the communicator, or at the communicator's first use when it
// came from a call that is not ours (spawning, a library's inside). It is removed by the delete callback of
// an attribute, when the program frees the communicator, and lasts as long as persistent requests that look
// at it.

#include "base/of_process.hpp"
#include "job/mpi/rank_group.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/samples.hpp"
#include "mpi/state/process_state.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace thalweg::mpi {

/// What the collective runner keeps per communicator; destroyed with it, before its channels are closed.
struct RunnerState {
  virtual ~RunnerState() = default;
};

/// How many neighbors a rank has in a communicator's topology.
struct Degrees {
  int in = 0;
  int out = 0;
};

struct CommunicatorState : std::enable_shared_from_this<CommunicatorState> {
  MPI_Comm handle{};
  int rank = 0;
  int size = 0;
  int remote_size = 0; ///< of an intercommunicator, else 0
  bool inter = false;
  bool agreed =
      false; ///< made in a call that all its ranks shared with us; else nothing may be chosen for it
  std::uint64_t id = 0; ///< equal on all its ranks, when agreed

  const char* why_no_channels = nullptr;
  /// Blocking calls with a strategy chosen for them while channels are postponed: equal on all ranks.
  std::uint32_t calls_postponed = 0;

  std::uint64_t blocking_calls = 0; ///< blocking collectives so far: equal on all ranks at the same call
  std::unordered_map<std::uint64_t, std::uint32_t>
      made;                     ///< how many of each kind of them, so that ids differ
  observe::SampleStore samples; ///< when this rank entered and left some of them
  std::unique_ptr<RunnerState> runner;
  std::unique_ptr<RunnerState> learning; ///< ends before the runner
  std::int32_t trace_number = -1;        ///< in the trace of calls (mpi/trace); -1: none yet
  std::uint32_t timeline_number = 0;     ///< in the timeline (mpi/timeline); 0: none yet
  std::uint32_t timeline_calls = 0;      ///< collectives that the timeline has counted: equal on all ranks
  bool is_measured = false;              ///< the collective under way is, for learning

  /// The rank in the world of a rank that messages go to: of the remote group, where there is one. -1 for
  /// what is none, beyond the world, or where no traffic is recorded.
  std::int32_t world_rank_of(int destination) const {
    return destination >= 0 && static_cast<std::size_t>(destination) < world_ranks_.size()
               ? world_ranks_[static_cast<std::size_t>(destination)]
               : -1;
  }
  /// By ranks that messages go to; empty where no traffic is recorded.
  const std::vector<int>& world_ranks() const { return world_ranks_; }
  void find_world_ranks();

  /// Its ranks as a group: made when it is asked for, since programs make communicators by the thousand. Only
  /// of communicators that are agreed, and within one group.
  job::RankGroup& group();
  /// For the engine's own traffic, on a duplicate of the communicator; null where there are none.
  job::Channels* channels() const { return is_open() ? &group_->channels() : nullptr; }
  bool is_open() const { return group_ != nullptr && group_->is_open(); }

  /// Lengths of count arrays of neighborhood collectives.
  const Degrees& degrees();

private:
  std::vector<int> world_ranks_;
  std::unique_ptr<job::RankGroup> group_;
  std::optional<Degrees> degrees_;
};

/// The ranks of a group in the world, in the group's order; MPI_UNDEFINED for those that are not of the
/// world.
std::vector<int> world_ranks_of(MPI_Group group);

/// What a thread knows of the communicators that it has used lately.
struct RememberedCommunicator {
  MPI_Comm handle{};
  std::uint32_t removals = 0;
  CommunicatorState* state = nullptr;
};
using RememberedCommunicators = std::array<RememberedCommunicator, 8>;

inline std::size_t memory_place(MPI_Comm comm) {
  const auto bits = static_cast<std::uint64_t>((std::uintptr_t)(comm)) * 0x9E3779B97F4A7C15U;
  return bits >> 61;
}

CommunicatorState* look_up_communicator(MPI_Comm comm);

/// The state of a communicator, made if there is none; nullptr for what is no communicator.
inline CommunicatorState* find_communicator(MPI_Comm comm) {
  const RememberedCommunicator& memory = PerThread<RememberedCommunicators>::here()[memory_place(comm)];
  const bool is_known =
      memory.handle == comm && memory.state != nullptr &&
      memory.removals == process.counts.communicator_removals.load(std::memory_order_relaxed);
  return is_known ? memory.state : look_up_communicator(comm);
}

/// A call made `comm` (which may be MPI_COMM_NULL); all its ranks are in that same call. `parent` is shared
/// by all of them, or MPI_COMM_NULL. `tag` is equal on all of them.
void communicator_made(MPI_Comm comm, MPI_Comm parent, std::uint64_t tag);

/// Opens the channels of a communicator that has none; called by all its ranks in the same blocking
/// collective. False, the same on all of them, where there can be none.
bool open_channels_now(CommunicatorState& state);

/// A strategy was chosen for a blocking collective: where channels were postponed when the communicator was
/// made, they are opened with the eighth of such calls, which all ranks count alike.
void open_postponed_channels(CommunicatorState& state);

/// Waits until all ranks of an intracommunicator are here, while our operations go on: done before calls that
/// block inside of the library and have no nonblocking form.
void barrier_before_creation(MPI_Comm comm);

std::vector<CommunicatorState*> living_communicators();

/// Sets up the registry after MPI_Init; `collective` when all ranks of MPI_COMM_WORLD are in the same call.
void register_predefined_communicators(bool collective);

/// Calls `visit` for the sample stores of all communicators, living and freed.
struct CommunicatorSamples {
  std::uint64_t id;
  int size;
  int rank;
  const observe::SampleStore* samples;
};
std::vector<CommunicatorSamples> all_samples();

} // namespace thalweg::mpi
