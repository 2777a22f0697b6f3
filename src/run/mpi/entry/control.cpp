// SPDX-License-Identifier: BSD-3-Clause

// What programs (thalweg/control.h, thalweg/nic.h) and libraries with streams (thalweg/interposer.h) call of
// ours.

#include "thalweg/control.h"

#include "base/error.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/choose/effect.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/report/kept_reports.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/background.hpp"
#include "thalweg/status.h"

#include <exception>
#include <string>

extern "C" THALWEG_API thalweg_status thalweg_set_selection(const char* selections) {
  try {
    // The library hears of its algorithms before it starts, or never.
    for (const std::string& line :
         thalweg::mpi::without_effect(thalweg::strategies::parse_selections(selections), false))
      throw thalweg::Error(line, "choose a strategy, or native");
    thalweg::mpi::choices().read(selections);
    thalweg::mpi::invalidate_fast_path();
    if (thalweg::mpi::choices().any_strategy() && !thalweg::mpi::runtime.wait.executes_in_progress)
      thalweg::mpi::runtime.wait.polls_collectives = true;
    return thalweg_success;
  } catch (const std::exception& error) {
    thalweg::mpi::log_line(error.what());
    return thalweg_error_invalid_argument;
  }
}

extern "C" __attribute__((visibility("default"))) const char* thalweg_fingerprint() {
  static const std::string text = thalweg::mpi::fingerprint_text();
  return text.c_str();
}

extern "C" __attribute__((visibility("default"))) int thalweg_leaf_of(int rank) {
  const std::vector<int>& leaves = thalweg::mpi::runtime.world.placement.leaves;
  return rank < 0 || static_cast<std::size_t>(rank) >= leaves.size() ? -1
                                                                     : leaves[static_cast<std::size_t>(rank)];
}

extern "C" __attribute__((visibility("default"))) int thalweg_has_nic_groups() {
  return thalweg::mpi::runtime.has_nic_groups ? 1 : 0;
}

// For the library that stands before us (src/run/mpi/world).
extern "C" __attribute__((visibility("default"))) void* thalweg_library_function(const char* symbol) {
  if (thalweg::mpi::process.interposer.load() == thalweg::mpi::InterposerState::unstarted) {
    thalweg::mpi::begin();
  }
  return thalweg::mpi::library_symbol(symbol);
}

extern "C" __attribute__((visibility("default"))) int thalweg_bypass(int on) {
  using thalweg::mpi::InterposerState;
  using thalweg::mpi::process;
  if (process.interposer.load() == InterposerState::unstarted) {
    thalweg::mpi::begin();
  }
  // What is passed through for good stays so.
  InterposerState from = on != 0 ? InterposerState::active : InterposerState::paused;
  process.interposer.compare_exchange_strong(from,
                                             on != 0 ? InterposerState::paused : InterposerState::active);
  thalweg::mpi::choose_way();
  thalweg::mpi::invalidate_fast_path(); // whose calls were counted
  return process.interposer.load() >= InterposerState::bypass ? 1 : 0;
}

namespace thalweg::mpi {

// Operators of the program's own that network devices know, from when they are named.
int handle_Op_free(const CallSite&, MPI_Op* op) {
  const Inside inside;
  if (op == nullptr || name_of_operator(*op) == nullptr)
    return native.Op_free(op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

} // namespace thalweg::mpi

extern "C" THALWEG_API thalweg_status thalweg_name_nic_operator(MPI_Op op, const char* name) {
  try {
    thalweg::mpi::name_operator(op, name == nullptr ? "" : name);
    return thalweg_success;
  } catch (const std::exception& error) {
    thalweg::mpi::log_line(error.what());
    return thalweg_error_invalid_argument;
  }
}

// Of libraries with streams.
extern "C" __attribute__((visibility("default"))) void
thalweg_attach_streams(const thalweg_stream_hooks* hooks) {
  if (hooks != nullptr) {
    thalweg::mpi::attach_stream_hooks(*hooks);
  }
}

extern "C" __attribute__((visibility("default"))) void
thalweg_detach_streams(const thalweg_stream_hooks* hooks) {
  if (hooks != nullptr) {
    thalweg::mpi::detach_stream_hooks(*hooks);
  }
}

extern "C" __attribute__((visibility("default"))) void thalweg_report_stream(const char* json) {
  try {
    thalweg::mpi::keep_stream_report(json);
  } catch (const std::exception& error) {
    thalweg::mpi::log_line(error.what());
  }
}
