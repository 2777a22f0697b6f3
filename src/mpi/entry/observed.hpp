#pragma once

// Records one call of the program, from its entry to its exit, and keeps our depth raised in between.

#include <cstdint>

#include "mpi/call/datatypes.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/observe/bindings.hpp"
#include "mpi/observe/call_site.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/recording.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

inline observe::CallRow& call_row(Function function, const CallSite& site, int ranks) {
  return observe::call_table().row(
      {observe::program_site(site), static_cast<std::uint16_t>(function), phase, ranks});
}

class Observed {
public:
  // `bytes` is called for the payload's size, if it is wanted.
  template <class Bytes>
  Observed(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes) {
    ++depth;
    if (!runtime.ready) [[unlikely]] {
      start_late();
    }
    if (recording) [[likely]] {
      const CommunicatorState* communicator = find_communicator(comm);
      row_ = &call_row(function, site, communicator == nullptr ? 0 : communicator->size);
      row_->bytes += bytes();
      watch_.start(*row_, false);
    }
  }
  ~Observed() {
    if (row_ != nullptr) {
      watch_.stop(*row_);
    }
    --depth;
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

private:
  observe::CallRow* row_ = nullptr;
  observe::Stopwatch watch_;
};

} // namespace thalweg::mpi
