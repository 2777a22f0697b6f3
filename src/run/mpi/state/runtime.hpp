// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's state in this process, from the first MPI call to the last.

#include "job/placement.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/settings.hpp"
#include "topology/network.hpp"
#include "tune/tuning_file.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// MPI_COMM_WORLD, or the communicator that stands for it in the program (place/). Ranks, sizes, placement
/// and the report are its.
struct World {
  bool is_begun = false; ///< MPI_Init was called (and not only sessions)
  bool agreed = false;   ///< settings and placement are the same on all its ranks
  MPI_Comm communicator{};
  int rank = 0;
  int size = 1;
  MPI_Group group{};
  job::Placement placement;
  /// Of its nodes, where they are several and strategies may run. The same on all ranks.
  topology::NodePlaces node_places;
};

/// What the library does when it waits, as far as its settings tell.
enum class LibraryWait { spins, spins_unless_set, yields_when_idle, throttles, sleeps };

/// Why ranks wait as they do.
enum class WaitReason { unseen_start, asked_to_yield, asked_to_spin, enough_cores, too_few_cores };

/// How blocking calls wait: the same on all ranks.
struct WaitPlan {
  bool yields = false; ///< they give the core away
  /// They do so inside of the library's own waits, and stay the calls that they are
  /// (wait/library_progress.hpp).
  bool yields_in_progress = false;
  /// Operations of ours in flight go on there, too.
  bool executes_in_progress = false;
  /// Blocking collectives are made as nonblocking ones: to yield, or because operations of ours may be in
  /// flight on some rank and must go on while it waits in a collective.
  bool polls_collectives = false;
  bool has_threads = false; ///< several of this process may be in MPI calls at once; each rank's own
  WaitReason reason = WaitReason::unseen_start;
  LibraryWait library = LibraryWait::spins; ///< of rank 0
};

/// Whether calls with data are the library's, as buffers may be in a GPU's memory (call/gpu_memory.hpp). The
/// same on all ranks.
struct GpuPlan {
  bool leaves_data = false;
  std::int64_t rank = -1;   ///< the first that has a GPU's runtime loaded; -1: a setting says so
  std::int64_t runtime = 0; ///< that one (job::RankPlace::gpu_runtime)
};

/// What ranks of a node do with memory, as the first communicator with channels showed.
struct SharedMemory {
  bool was_tried = false;
  bool is_used = false;
  std::string why_not;
};

/// For the report alone: nothing is decided by them. On rank 0, but for the settings.
struct ReportNotes {
  std::string settings;         ///< as agreed
  std::string tuning;           ///< what became of the tuning file
  std::string network;          ///< what is known of it
  std::string placing;          ///< what became of numbering the ranks anew, for the summary
  std::string placing_document; ///< and for the report, a JSON object
  SharedMemory shared_memory;
  std::vector<std::string> nic; ///< whether collectives run on it, and why not; none where none was chosen to
  std::string thread_level;     ///< that the library provides
  std::vector<tune::Pick> tuned_picks; ///< of the tuning file
};

struct Runtime {
  bool ready = false; ///< the rest holds
  Settings settings;
  std::string library_version; ///< first line
  World world;
  WaitPlan wait;
  GpuPlan gpu;
  bool learns = false;             ///< while the program runs; the same on all ranks
  bool learns_nonblocking = false; ///< of nonblocking calls too: ours may be in flight while others block
  bool chooses_strategies = false; ///< some call may run on a strategy of ours; the same on all ranks
  /// Ranks and nodes of the communicators whose nonblocking calls have strategies by the tuning file.
  std::vector<std::pair<std::int32_t, std::int32_t>> nonblocking_shapes;
  std::atomic<bool> has_nic_groups = false; ///< some communicator's collectives run on the network card
  observe::TickScale tick_scale;
  std::uint64_t start_ns = 0;
  std::uint64_t job_began_ns = 0; ///< in rank 0's clock of the day: the same on all ranks
  ReportNotes notes;
};

extern Runtime runtime;

/// One line on stderr.
void log_line(const std::string& text);

} // namespace thalweg::mpi
