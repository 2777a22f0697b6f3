#include "mpi/passed_calls.hpp"

#include "mpi/runner/recent_calls.hpp"

namespace thalweg::mpi {

void pass_on_calls_like(const CollectiveCall& call) {
  if (call.form->place < 0 || !is_told_by_handles(call))
    return;
  const CallWords words{.comm = call.comm,
                        .sendcount = call.sendcount,
                        .recvcount = call.recvcount,
                        .sendtype = call.sendtype,
                        .recvtype = call.recvtype,
                        .op = call.op,
                        .root = call.root};
  passed_calls[static_cast<std::size_t>(call.form->place)] = {words,
                                                              passing_epoch.load(std::memory_order_relaxed)};
}

} // namespace thalweg::mpi
