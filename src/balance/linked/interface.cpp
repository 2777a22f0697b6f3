// The C interface (thalweg/balance.h) over Balancer.

#include "balance/linked/balancer.hpp"
#include "boundary/guarded.hpp"
#include "core/error.hpp"
#include "job/linked/mpi_state.hpp"

#include <fmt/format.h>

using thalweg::Error;
using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::job::mpi_must_run;

struct thalweg_balancer {
  thalweg::balance::Balancer balancer;
};

namespace {

Caller caller(std::string_view call, const thalweg_balancer* balancer) {
  if (balancer == nullptr)
    return {.call = call};
  const thalweg::job::Group& group = balancer->balancer.group();
  return {.call = call, .rank = group.rank(), .ranks = group.ranks()};
}

thalweg::balance::Service service_of(thalweg_balance_scheme scheme) {
  switch (scheme) {
  case thalweg_balance_sweep:
    return thalweg::balance::Service::sweep;
  case thalweg_balance_alias:
    return thalweg::balance::Service::alias;
  }
  throw Error(fmt::format("{} is no scheme", static_cast<int>(scheme)),
              "choose thalweg_balance_sweep or thalweg_balance_alias");
}

} // namespace

thalweg_status thalweg_balancer_create(MPI_Comm communicator, thalweg_balancer** balancer) {
  return guarded(caller("create", nullptr), [&] {
    must_be_given(balancer, "balancer");
    *balancer = nullptr;
    *balancer = new thalweg_balancer{thalweg::balance::Balancer(communicator)};
  });
}

thalweg_status thalweg_balancer_free(thalweg_balancer** balancer) {
  return guarded(caller("free", balancer == nullptr ? nullptr : *balancer), [&] {
    must_be_given(balancer, "balancer");
    if (*balancer == nullptr)
      return;
    mpi_must_run();
    delete *balancer;
    *balancer = nullptr;
  });
}

thalweg_status thalweg_balancer_flow(thalweg_balancer* balancer, int64_t tasks, thalweg_balance_scheme scheme,
                                     const thalweg_transfer** transfers, size_t* count) {
  return guarded(caller("flow", balancer), [&] {
    must_be_given(balancer, "balancer");
    must_be_given(transfers, "transfers");
    must_be_given(count, "count");
    mpi_must_run();
    const auto& found = balancer->balancer.flow(service_of(scheme), tasks);
    *transfers = found.data();
    *count = found.size();
  });
}
