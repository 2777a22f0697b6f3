// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's settings: THALWEG_… variables of the environment. Rank 0's are everybody's.

#include "wait/waiter.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi {

// The MPI library's own settings: those that the user made come before everything that Thalweg would choose.

/// Variables that steer the library's own collectives or waiting, as NAME=value.
std::vector<std::string> user_settings();

/// Those of them that choose the library's algorithms for collectives.
std::vector<std::string> user_algorithms();

/// Whether `thalweg run` told the library of picks and selections among its own algorithms.
bool library_has_rules();

enum class WaitMode { automatic, yield, spin };
enum class GpuBuffers { automatic, yes, no }; ///< may the program pass a GPU's memory to collectives?
enum class LearnMode { off, exact, all };     ///< exact: where results cannot change by it

struct Settings {
  bool disabled = false;
  std::string use; ///< "alltoall=mesh2d;allreduce=ring:segment=64KiB"; see the collective runner
  WaitMode wait_mode = WaitMode::automatic;
  wait::Settings waiting;
  LearnMode learn = LearnMode::off;
  std::uint32_t learn_budget_percent = 2;
  std::string tuning;    ///< file with strategies found best, empty for none
  std::string node_list; ///< file with the places of hosts in the network, empty for none
  std::string report;    ///< file to write, empty for none
  std::string logs;      ///< folder for a small file of each job, with %Y and the like; empty for none
  bool summary = false;
  bool record = false;             ///< who sends how much to whom
  bool trace = false;              ///< the calls in their order
  std::string timeline;            ///< file to write it to, empty for none
  std::uint32_t timeline_size = 8; ///< mebibytes of events that a rank keeps
  std::string patterns;            ///< folder that recorded patterns are kept in; empty: in the user's cache
  std::string place;               ///< empty: ranks stay; "auto", or a file that says where ranks go
  bool reorder = true; ///< communicators that programs make with reorder=1 are numbered for the machine
  bool progress_thread = false;
  bool shared_memory = true;   ///< ranks of a node send each other messages through memory
  bool stream_progress = true; ///< streams of the program progress in its MPI calls
  GpuBuffers gpu_buffers = GpuBuffers::automatic;
  bool verbose = false;
  std::vector<std::string> warnings; ///< about values that were not understood, and what was taken instead
};

/// Are the program's messages counted by whom they go to? What collectives send is where it is recorded.
inline bool counts_messages(const Settings& settings) {
  return settings.record || !settings.report.empty();
}

/// Whether calls must be recorded at all.
inline bool wants_report(const Settings& settings) {
  return settings.summary || !settings.report.empty() || !settings.logs.empty();
}

/// The value of an environment variable, or nullptr.
using Environment = const char* (*)(const char* name);

/// "NAME=value\n" of every THALWEG_ variable that is set; what ranks send each other.
std::string settings_text(Environment environment);

/// Unknown names are ignored, so that newer commands can start older interposers.
Settings parse_settings(std::string_view text);

} // namespace thalweg::mpi
