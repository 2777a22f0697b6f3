// SPDX-License-Identifier: BSD-3-Clause

// The C interface (thalweg/balance.h) over Balancer.

#include "balancer/balancer.hpp"
#include "balancer/structures.hpp"
#include "base/error.hpp"
#include "boundary/guarded.hpp"
#include "boundary/request.hpp"
#include "boundary/sized.hpp"
#include "job/library/mpi_library.hpp"

#include <memory>

using thalweg::Error;
using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::boundary::must_take_result;
using thalweg::boundary::sized;
using thalweg::job::mpi_must_run;

struct thalweg_balancer {
  thalweg_balancer(MPI_Comm communicator, const thalweg_balancer_options& options)
      : balancer(communicator, options) {}

  thalweg::balancing::Balancer balancer;
  std::shared_ptr<thalweg_balancer*> alive = std::make_shared<thalweg_balancer*>(this); ///< for requests
};

namespace {

Caller caller(std::string_view call, const thalweg_balancer* balancer) {
  if (balancer == nullptr)
    return {.call = call};
  const thalweg::job::Group& group = balancer->balancer.group();
  return {.call = call, .rank = group.rank(), .ranks = group.ranks()};
}

/// What every call of a balancer begins with.
template <typename Work>
thalweg_status with(std::string_view call, thalweg_balancer* balancer, Work&& work) {
  return guarded(caller(call, balancer), [&] {
    must_be_given(balancer, "balancer");
    mpi_must_run();
    work(balancer->balancer);
  });
}

/// A move. It refers to its balancer as long as that lives.
class MoveRequest final : public thalweg_request {
public:
  MoveRequest(const thalweg_balancer& of, const thalweg::balancing::Balancer& balancer)
      : thalweg_request(balancer.group().rank(), balancer.group().ranks()), balancer_(of.alive),
        move_(balancer.moves()) {}

  bool test() override { return open().test(move_); }
  void wait() override { open().wait(move_); }

private:
  thalweg::balancing::Balancer& open() const {
    const std::shared_ptr<thalweg_balancer*> balancer = balancer_.lock();
    if (!balancer)
      throw Error("the balancer of the move was freed", "wait for the move before");
    return (*balancer)->balancer;
  }

  std::weak_ptr<thalweg_balancer*> balancer_;
  std::uint64_t move_;
};

void start(thalweg::balancing::Balancer& balancer, const thalweg_tasks* tasks,
           const thalweg_balance_options* options) {
  must_be_given(tasks, "tasks");
  const thalweg_tasks given = sized(*tasks);
  if (given.pack == nullptr && given.count > 0)
    must_be_given(given.tasks, "tasks->tasks");
  balancer.start(given, sized(options));
}

} // namespace

extern "C" THALWEG_API thalweg_status(thalweg_balancer_create)();
// What programs call that were compiled when headers did not tell their version.
thalweg_status(thalweg_balancer_create)() {
  return guarded({.call = "create"}, thalweg::boundary::refuse_first_version);
}

thalweg_status thalweg_balancer_create_for(int header_version, MPI_Comm communicator,
                                           const thalweg_balancer_options* options,
                                           thalweg_balancer** balancer) {
  return guarded(caller("create", nullptr), [&] {
    thalweg::boundary::must_fit(header_version);
    must_be_given(balancer, "balancer");
    *balancer = nullptr;
    *balancer = new thalweg_balancer(communicator, sized(options));
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
  return with("flow", balancer, [&](thalweg::balancing::Balancer& self) {
    must_be_given(transfers, "transfers");
    must_be_given(count, "count");
    const auto& found = self.flow(scheme, tasks);
    *transfers = found.data();
    *count = found.size();
  });
}

thalweg_status thalweg_balance_tasks(thalweg_balancer* balancer, const thalweg_tasks* tasks,
                                     const thalweg_balance_options* options, thalweg_moved* moved) {
  return with("balance_tasks", balancer, [&](thalweg::balancing::Balancer& self) {
    must_be_given(moved, "moved");
    must_take_result(moved);
    start(self, tasks, options);
    self.wait(self.moves());
    thalweg::boundary::give_result(self.moved(), moved);
  });
}

thalweg_status thalweg_balance_start(thalweg_balancer* balancer, const thalweg_tasks* tasks,
                                     const thalweg_balance_options* options, thalweg_request** request) {
  return with("balance_start", balancer, [&](thalweg::balancing::Balancer& self) {
    must_be_given(request, "request");
    *request = nullptr;
    start(self, tasks, options);
    *request = new MoveRequest(*balancer, self);
  });
}

thalweg_status thalweg_balance_kept(thalweg_balancer* balancer, size_t* kept) {
  return with("balance_kept", balancer, [&](thalweg::balancing::Balancer& self) {
    must_be_given(kept, "kept");
    *kept = self.kept();
  });
}

thalweg_status thalweg_balance_moved(thalweg_balancer* balancer, thalweg_moved* moved) {
  return with("balance_moved", balancer, [&](thalweg::balancing::Balancer& self) {
    must_be_given(moved, "moved");
    must_take_result(moved);
    thalweg::boundary::give_result(self.moved(), moved);
  });
}
