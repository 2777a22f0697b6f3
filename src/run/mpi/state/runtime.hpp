// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's state in this process, from the first MPI call to the last.

#include <atomic>
#include <string>
#include <vector>

#include "job/placement.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/settings.hpp"
#include "topology/node_places.hpp"

namespace thalweg::mpi {

struct Runtime {
  bool ready = false;     // the rest holds
  bool has_world = false; // MPI_Init was called (and not only sessions)
  bool agreed = false;    // settings and placement are the same on all ranks of MPI_COMM_WORLD
  Settings settings;
  bool yields = false; // blocking calls give the core away while they wait
  // They do so inside of the library's own waits, and stay the calls that they are
  // (wait/library_progress.hpp).
  bool yields_in_progress = false;
  std::string wait_reason;
  // Operations of ours in flight go on there, too; they need no messages of the library's. The same on all
  // ranks.
  bool executes_in_progress = false;
  // Blocking collectives are made as nonblocking ones: to yield, or because operations of ours may be in
  // flight on some rank and must go on while it waits in a collective. The same on all ranks.
  bool polls_collectives = false;
  bool has_threads = false; // several of this process may be in MPI calls at once
  // MPI_COMM_WORLD, or the communicator that stands for it in the program (place/). Ranks, sizes, placement
  // and the report are its.
  MPI_Comm world{};
  int world_rank = 0;
  int world_size = 1;
  MPI_Group world_group{};
  job::Placement placement;
  std::string library_version; // first line
  std::string settings_text;   // as agreed, for the report
  std::string user_settings;   // the MPI library's own settings that the user made, one per line
  std::string shared_memory;   // what ranks of a node do with memory, and why; empty where nothing was tried
  std::string nic;             // whether collectives run on it, and why not; empty where none was chosen to
  std::atomic<bool> has_nic_groups = false; // some communicator's do
  std::string gpu_memory;                   // why calls with data are the library's; empty where they are not
  // Of the nodes of MPI_COMM_WORLD, where they are several and strategies may run. The same on all ranks.
  topology::NodePlaces node_places;
  std::string network;             // what is known of it; on all ranks
  std::string placing;             // what became of numbering the ranks anew, for the summary; on rank 0
  std::string placing_document;    // and for the report, a JSON object
  std::string tuning_reason;       // what became of the tuning file; on rank 0
  bool learns = false;             // while the program runs; the same on all ranks
  bool chooses_strategies = false; // some call may run on a strategy of ours; the same on all ranks
  observe::TickScale tick_scale;
  std::uint64_t start_ns = 0;
};

extern Runtime runtime;

// One line on stderr.
void log_line(const std::string& text);

} // namespace thalweg::mpi
