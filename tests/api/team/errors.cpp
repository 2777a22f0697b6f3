// SPDX-License-Identifier: BSD-3-Clause

// What teams refuse: each with its status, its call, its rank, and a text that names the value and the
// remedy.

#include "checks.hpp"
#include "thalweg/team.hpp"
#include "thalweg/thalweg.h"

#include <array>
#include <vector>

namespace {

using checks::failure_of;
using checks::require;
using thalweg::team;

template <typename Misuse>
void expect(const team& on, const char* call, thalweg_status status, const char* part, Misuse misuse) {
  const thalweg::error failure = failure_of(misuse);
  const std::string text = failure.what();
  require(failure.status() == status, "%s: status \"%s\": %s", call, thalweg_status_name(failure.status()),
          text.c_str());
  require(failure.call() == call, "call \"%s\", not \"%s\": %s", failure.call().c_str(), call, text.c_str());
  require(failure.rank() == on.rank(), "%s: rank %d: %s", call, failure.rank(), text.c_str());
  require(text.find(part) != std::string::npos, "\"%s\" does not say \"%s\"", text.c_str(), part);
  require(text.starts_with(call), "\"%s\" does not begin with \"%s\"", text.c_str(), call);
  require(!failure.remedy().empty() && text.ends_with(failure.remedy()), "\"%s\" has no remedy",
          text.c_str());
}

void check_arguments(team& all) {
  std::vector<double> some(4);
  const std::span<double> span(some);
  expect(all, "broadcast", thalweg_error_invalid_argument, "root", [&] { all.broadcast(span, all.size()); });
  expect(all, "allreduce", thalweg_error_invalid_argument, "no output for 4 elements",
         [&] { all.allreduce(span, std::span<double>(), MPI_SUM); });
  expect(all, "allreduce", thalweg_error_invalid_argument, "no operator",
         [&] { all.allreduce(span, std::span<double>(some), MPI_OP_NULL); });
  expect(all, "scan", thalweg_error_invalid_argument, "the output has 3 elements of the 4",
         [&] { all.scan(span, span.first(3), MPI_SUM); });
  std::vector<double> others(4 * static_cast<std::size_t>(all.size()));
  expect(all, "allgather", thalweg_error_invalid_argument, "elements of the",
         [&] { all.allgather(span, std::span<double>(others).first(others.size() - 1)); });
  if (all.size() > 1)
    expect(all, "alltoall", thalweg_error_invalid_argument, "no whole number of units",
           [&] { all.start().alltoall(others, std::span<double>(others).first(others.size() - 1)); });
  expect(all, "gather", thalweg_error_invalid_argument, "the same memory", [&] {
    const std::span<double> same(others);
    all.gather(same.first(all.size() == 1 ? 4 : 1), same, all.rank());
  });
}

void check_teams(team& all) {
  expect(all, "use", thalweg_error_invalid_argument, "no_such", [&] { all.use("broadcast=no_such"); });
  for (const char* const foreign : {"broadcast=native", "broadcast=library:pipeline", "barrier=nic",
                                    "allreduce=nic", "alltoallv=mesh", "allgatherv=ring"})
    expect(all, "use", thalweg_error_unsupported, foreign, [&] { all.use(foreign); });
  const int twice[] = {0, 0};
  expect(all, "subset", thalweg_error_invalid_argument, "twice", [&] { (void)all.subset(twice); });
  const int beyond[] = {all.size()};
  expect(all, "of_blocks", thalweg_error_invalid_argument, "the team has ranks 0 to",
         [&] { (void)all.of_blocks(beyond); });
  thalweg::symmetric_memory<double> nothing;
  expect(all, "release", thalweg_error_invalid_argument, "symmetric memory", [&] { all.release(nothing); });
  team none;
  require(none.rank() == -1 && none.size() == 0, "no team has rank %d of %d", none.rank(), none.size());
  expect(none, "barrier", thalweg_error_invalid_argument, "there is no team", [&] { none.barrier(); });
  std::array<double, 2> some{};
  expect(none, "alltoall", thalweg_error_invalid_argument, "there is no team",
         [&] { none.alltoall(some, std::span<double>(some)); });
  none.free();
  expect(none, "create", thalweg_error_invalid_argument, "MPI_COMM_NULL", [] { team of(MPI_COMM_NULL); });
}

void check_intercommunicators(const team& all) {
  if (all.size() < 2)
    return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, all.rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - all.rank() % 2, 7, &between);
  expect(team(), "create", thalweg_error_unsupported, "an intercommunicator", [&] { team of(between); });
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

thalweg_team_call small_broadcast(int& number) {
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.output = &number;
  call.count = 1;
  call.type = MPI_INT;
  return call;
}

thalweg_status start(thalweg_team* on, const thalweg_team_call& call) {
  return thalweg_team_start(on, &call, nullptr);
}

/// Calls of an earlier version are shorter, and of a later one longer.
void check_versions(thalweg_team* on, int rank) {
  int number = rank == 0 ? 42 : 0;
  thalweg_team_call call = small_broadcast(number);
  call.size = offsetof(thalweg_team_call, file);
  call.file = reinterpret_cast<const char*>(1); // must not be looked at
  require(start(on, call) == thalweg_success && number == 42, "an earlier call: %s", thalweg_error_message());
  struct {
    thalweg_team_call call;
    std::uint64_t later;
  } longer{small_broadcast(number), 1};
  longer.call.size = sizeof longer;
  require(start(on, longer.call) == thalweg_error_unsupported, "%s", "a later call");
  const std::string text = thalweg_error_message();
  require(text.find("later version") != std::string::npos, "%s", text.c_str());
  for (const std::size_t size : {std::size_t{0}, offsetof(thalweg_team_call, file) - 1}) {
    call.size = size;
    require(start(on, call) == thalweg_error_invalid_argument, "a call of %zu bytes", size);
    const std::string remedy = thalweg_last_error()->remedy;
    require(remedy.find("THALWEG_TEAM_CALL_INIT") != std::string::npos, "%s", remedy.c_str());
  }
}

void check_c_arguments(thalweg_team* on, int rank) {
  int number = 0;
  thalweg_team_call call = small_broadcast(number);
  call.collective = static_cast<thalweg_collective>(99);
  require(start(on, call) == thalweg_error_invalid_argument, "%s", "collective 99");
  call = small_broadcast(number);
  call.before = static_cast<thalweg_sync>(3);
  require(start(on, call) == thalweg_error_invalid_argument, "%s", "synchronization 3");
  const thalweg_error& kept = *thalweg_last_error();
  require(std::string(kept.call) == "broadcast" && kept.rank == rank, "call %s, rank %d", kept.call,
          kept.rank);
  call = small_broadcast(number);
  MPI_Type_vector(2, 1, 3, MPI_INT, &call.type);
  MPI_Type_commit(&call.type);
  require(start(on, call) == thalweg_error_unsupported, "%s", "a type with gaps");
  MPI_Type_free(&call.type);
  require(thalweg_team_start(on, nullptr, nullptr) == thalweg_error_invalid_argument, "%s", "no call");
  require(thalweg_team_create(MPI_COMM_WORLD, nullptr) == thalweg_error_invalid_argument, "%s", "no place");
  require(thalweg_team_allocate(on, 8, nullptr) == thalweg_error_invalid_argument, "%s",
          "no place for memory");
  require(thalweg_team_free(nullptr) == thalweg_error_invalid_argument, "%s", "no team to free");
}

/// A request that outlives its team has finished.
void check_late_requests(thalweg_team* on) {
  static int number = 0;
  const thalweg_team_call call = small_broadcast(number);
  thalweg_request* request = nullptr;
  require(thalweg_team_start(on, &call, &request) == thalweg_success, "%s", thalweg_error_message());
  require(thalweg_team_free(&on) == thalweg_success && on == nullptr, "%s", thalweg_error_message());
  require(thalweg_request_wait(&request) == thalweg_success && request == nullptr, "%s",
          thalweg_error_message());
}

/// A program with several of Thalweg's libraries has one last error.
void check_one_last_error() {
  require(thalweg_prove("nothing", 4, 0) == thalweg_error_invalid_argument, "%s", "a proof of nothing");
  require(std::string(thalweg_last_error()->call) == "prove", "not prove: %s", thalweg_error_message());
  require(thalweg_team_barrier(nullptr, nullptr) == thalweg_error_invalid_argument, "%s", "nobody's barrier");
  require(std::string(thalweg_last_error()->call) == "barrier", "not barrier: %s", thalweg_error_message());
}

/// A communicator that was given no error handler, which in MPICH has that of MPI_COMM_WORLD, whatever it
/// becomes: a team changes nothing about it.
void check_unset_handler() {
#if !defined(OPEN_MPI)
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  {
    team on(plain);
    on.barrier();
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int number = 0;
  require(MPI_Bcast(&number, 1, MPI_INT, -5, plain) != MPI_SUCCESS, "%s", "root -5");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&plain);
#endif
}

} // namespace

int main(int argc, char** argv) {
  thalweg_team* raw = nullptr;
  if (thalweg_team_create(MPI_COMM_WORLD, &raw) != thalweg_error_invalid_argument)
    return 1;
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    check_arguments(all);
    check_teams(all);
    check_intercommunicators(all);
    require(thalweg_team_create(MPI_COMM_WORLD, &raw) == thalweg_success, "%s", thalweg_error_message());
    check_versions(raw, all.rank());
    check_c_arguments(raw, all.rank());
    check_late_requests(raw);
    check_one_last_error();
    check_unset_handler();
    all.free();
    require(!all, "%s", "a freed team");
  }
  MPI_Finalize();
  std::printf("all right\n");
}
