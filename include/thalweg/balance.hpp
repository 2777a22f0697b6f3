#pragma once

// Balancing for C++: thalweg/balance.h with an owner, and exceptions (thalweg/error.hpp).
//
//     thalweg::balancer balancer(communicator);
//     for (const auto& [rank, tasks] : balancer.flow(own.size()))
//       tasks > 0 ? send(rank, tasks) : receive(rank, -tasks);

#include "thalweg/balance.h"
#include "thalweg/error.hpp"

#include <memory>
#include <span>

namespace thalweg {

class balancer {
public:
  /// Collective.
  explicit balancer(MPI_Comm communicator) {
    thalweg_balancer* made = nullptr;
    detail::check(thalweg_balancer_create(communicator, &made));
    handle_.reset(made);
  }

  /// Collective. This rank's messages, valid until the next call.
  std::span<const thalweg_transfer> flow(std::int64_t tasks,
                                         thalweg_balance_scheme scheme = thalweg_balance_alias) {
    const thalweg_transfer* transfers = nullptr;
    std::size_t count = 0;
    detail::check(thalweg_balancer_flow(handle_.get(), tasks, scheme, &transfers, &count));
    return {transfers, count};
  }

private:
  struct free {
    void operator()(thalweg_balancer* balancer) const { thalweg_balancer_free(&balancer); }
  };
  std::unique_ptr<thalweg_balancer, free> handle_;
};

} // namespace thalweg
