#include "balance/linked/exchange.hpp"

#include "job/linked/linked_library.hpp"
#include "job/linked/mpi_calls.hpp"

#include <algorithm>
#include <array>

namespace thalweg::balance {

namespace {

constexpr int shift_tag = 3;

wait::Policy patient(wait::Policy policy) {
  policy.polls = 1; // each is a look of the library's
  return policy;
}

job::Agreement reversed(const job::Group& group, const wait::Policy& policy) {
  std::vector<Rank> members = job::all_ranks(group.ranks());
  std::ranges::reverse(members);
  const transport::MpiApi& api = job::linked_api();
  const Rank own = group.ranks() - 1 - group.rank();
  return {api, group.communicator(), members, own, job::agreement_tag(api, group.communicator()), policy};
}

/// Have all of these ended?
bool are_done(std::span<MPI_Request> requests) {
  int done = 0;
  job::must(PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  return done != 0;
}

} // namespace

Exchange::Exchange(const job::Group& group)
    : group_(group), policy_(patient(group.channels().policy())), from_last_(reversed(group, policy_)) {}

void Exchange::shift(const void* sent, Rank to, void* received, Rank from, std::size_t bytes) const {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const int size = static_cast<int>(bytes);
  if (from >= 0)
    job::must(PMPI_Irecv(received, size, MPI_BYTE, from, shift_tag, group_.communicator(), &requests[0]),
              "MPI_Irecv");
  if (to >= 0)
    job::must(PMPI_Isend(sent, size, MPI_BYTE, to, shift_tag, group_.communicator(), &requests[1]),
              "MPI_Isend");
  const auto look = [&] { return are_done(requests) ? wait::Look::reached : wait::Look::nothing; };
  wait::until(policy_, look);
}

// Whoever has seen all its messages received comes to a barrier. Once all have come, nothing is on its way.
void Exchange::deliver(std::span<const Rank> to, const std::byte* values, std::size_t bytes, int tag,
                       std::vector<std::byte>& received) const {
  const MPI_Comm communicator = group_.communicator();
  const int size = static_cast<int>(bytes);
  std::vector<MPI_Request> sends(to.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < to.size(); ++i)
    job::must(PMPI_Issend(values + i * bytes, size, MPI_BYTE, to[i], tag, communicator, &sends[i]),
              "MPI_Issend");
  std::array<MPI_Request, 1> barrier{MPI_REQUEST_NULL};
  bool has_come = false;
  const auto look = [&] {
    int found = 0;
    MPI_Status status;
    job::must(PMPI_Iprobe(MPI_ANY_SOURCE, tag, communicator, &found, &status), "MPI_Iprobe");
    if (found != 0) {
      received.resize(received.size() + bytes);
      job::must(PMPI_Recv(received.data() + received.size() - bytes, size, MPI_BYTE, status.MPI_SOURCE, tag,
                          communicator, MPI_STATUS_IGNORE),
                "MPI_Recv");
      return wait::Look::moved;
    }
    if (has_come)
      return are_done(barrier) ? wait::Look::reached : wait::Look::nothing;
    if (!are_done(sends))
      return wait::Look::nothing;
    job::must(PMPI_Ibarrier(communicator, barrier.data()), "MPI_Ibarrier");
    has_come = true;
    return wait::Look::moved;
  };
  wait::until(policy_, look);
}

} // namespace thalweg::balance
