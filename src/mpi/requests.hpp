#pragma once

// Collectives of ours that the program waits for through an MPI_Request.
//
// A nonblocking one is handed out as a generalized request that our progress completes, so that every call of the library
// understands it. A persistent one is handed out as a persistent receive from MPI_PROC_NULL, which the library believes
// finished as soon as it is started; the calls that wait for requests or look at them (completion.cpp) hold it back until
// the execution has finished.

#include <atomic>
#include <memory>

#include "mpi/native.hpp"

namespace thalweg::mpi {

class Execution {
public:
  virtual ~Execution() = default;
  // Begins a run; for nonblocking ones done by whoever makes them. Returns MPI's error code.
  virtual int start() = 0;
  // Does what can be done without waiting; true when finished. Never throws.
  virtual bool progress() noexcept = 0;
  // MPI's error code of the finished run.
  virtual int code() const = 0;
};

// Hands a started execution out. Return MPI's error code; the execution is dropped if that is not MPI_SUCCESS.
int hand_out(std::unique_ptr<Execution> execution, MPI_Request* request);
// Hands out one that MPI_Start will start.
int hand_out_persistent(std::unique_ptr<Execution> execution, MPI_Request* request);

// Persistent executions that exist; while there are none, requests need not be looked up.
inline constinit std::atomic<int> persistent_executions{0};

// Is it a persistent one of ours, started and not finished?
bool is_held_back(MPI_Request request);
// The library started the request: starts the execution if it is one of ours. Returns MPI's error code.
int request_started(MPI_Request request);
// The program frees the request: forgets the execution if it is one of ours (first finishing it).
void request_freed(MPI_Request request);

} // namespace thalweg::mpi
