#pragma once

// A call's numbers as words that network devices combine (nic/protocol.h).

#include <cstddef>
#include <optional>

#include "engine/reductions.hpp"
#include "mpi/call/collective_call.hpp"
#include "nic/protocol.h"

namespace thalweg::mpi {

class DeviceWords {
public:
  // Of a barrier: none. Of an allreduce: up to 56 integers with a predefined operator, or one double's sum.
  // Nothing for any other call, the same on all ranks.
  static std::optional<DeviceWords> of(const CollectiveCall& call);

  // What this rank contributes.
  thalweg_nic_content contribution(const CollectiveCall& call) const;
  // Writes the result to where the call wants it.
  void deliver(const thalweg_nic_content& result, const CollectiveCall& call) const;

private:
  engine::Arithmetic arithmetic_ = engine::Arithmetic::sum;
  engine::Number number_ = engine::Number::uint64;
  std::size_t numbers_ = 0;
};

} // namespace thalweg::mpi
