#pragma once

#include "engine/execution.hpp"
#include "job/storage.hpp"
#include "mpi/run/call_binding.hpp"

namespace thalweg::mpi {

// Memory that a run needs besides the program's buffers.
struct RunStorage {
  job::Storage scratch;
  job::Storage staging;
  job::Storage input;
  job::Storage output;
};

// Makes the buffers of a run, with what must be packed packed. Returns MPI's error code.
int stage_in(const CallBinding& bound, const engine::Plan& plan, Rank rank, RunStorage& storage,
             engine::Buffers& buffers);
// Unpacks what the program is to get.
int stage_out(const CallBinding& bound, Rank rank, const engine::Buffers& buffers);

} // namespace thalweg::mpi
