// SPDX-License-Identifier: BSD-3-Clause

// Ranks that know their own load alone find the flow that one who knows all finds.

#include "balance/scheme.hpp"
#include "checks.hpp"
#include "thalweg/balance.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace {

using thalweg::balancing::Problem;
using thalweg::balancing::Scheme;
using thalweg::balancing::Tasks;

/// Loads of one of several kinds, the same on all ranks.
std::vector<Tasks> random_loads(std::uint32_t seed, int ranks) {
  std::mt19937 random(seed);
  const auto pick = [&](Tasks low, Tasks high) {
    return std::uniform_int_distribution<Tasks>(low, high)(random);
  };
  std::vector<Tasks> loads(static_cast<std::size_t>(ranks));
  const Tasks kind = pick(0, 4);
  for (Tasks& load : loads)
    load = kind == 0   ? pick(20, 28)
           : kind == 1 ? pick(0, 50)
           : kind == 2 ? pick(0, 3) / 3 * pick(0, 9)
           : kind == 3 ? pick(0, thalweg::balancing::tasks_max / ranks)
                       : 7;
  return loads;
}

std::vector<thalweg_transfer> expected_flow(const std::vector<Tasks>& loads, const std::vector<int>& order,
                                            Scheme scheme, int rank) {
  std::vector<thalweg_transfer> sent;
  std::vector<thalweg_transfer> received;
  for (const auto& [from, to, tasks] : flow_of(scheme, thalweg::balancing::checked(Problem{loads, order}))) {
    if (from == rank)
      sent.push_back({to, tasks});
    if (to == rank)
      received.push_back({from, -tasks});
  }
  std::ranges::sort(sent, {}, &thalweg_transfer::rank);
  std::ranges::sort(received, {}, &thalweg_transfer::rank);
  sent.insert(sent.end(), received.begin(), received.end());
  return sent;
}

/// `gathered_ranks`: whether ranks gather their loads, or find each other by prefix sums.
void check_random_loads(int rank, int ranks, int gathered_ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  thalweg_balancer_options options{};
  options.order = order.data();
  options.gathered_ranks = gathered_ranks;
  thalweg::balancer balancer(MPI_COMM_WORLD, options);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::vector<Tasks> loads = random_loads(seed, ranks);
    const bool is_sweep = seed % 2 == 0;
    const auto found = balancer.flow(loads[static_cast<std::size_t>(rank)],
                                     is_sweep ? thalweg_balance_sweep : thalweg_balance_alias);
    const auto expected = expected_flow(loads, order, is_sweep ? Scheme::sweep : Scheme::alias, rank);
    const bool same =
        std::ranges::equal(found, expected, [](const thalweg_transfer& a, const thalweg_transfer& b) {
          return a.rank == b.rank && a.tasks == b.tasks;
        });
    checks::require(same, "seed %u: %zu messages, and not the %zu expected", seed, found.size(),
                    expected.size());
  }
}

void check_errors(int rank, int ranks) {
  thalweg::balancer balancer(MPI_COMM_WORLD);
  const auto negative = checks::failure_of([&] { balancer.flow(rank == ranks - 1 ? -1 : 5); });
  checks::require(negative.status() == thalweg_error_invalid_argument && negative.rank() == rank, "%s",
                  negative.what());
  const auto many = checks::failure_of([&] { balancer.flow(thalweg::balancing::tasks_max / ranks + 1); });
  checks::require(many.status() == thalweg_error_invalid_argument, "%s", many.what());
  checks::require(balancer.flow(3).empty(), "%s", "a balancer that has failed once fails again");
  checks::failure_of([&] { balancer.flow(1, static_cast<thalweg_balance_scheme>(7)); });
  checks::failure_of([&] { balancer.flow(1, static_cast<thalweg_balance_scheme>(rank == 0 ? 7 : 0)); });
  checks::failure_of([] { thalweg::balancer none(MPI_COMM_NULL); });
  const std::vector<int> no_order(static_cast<std::size_t>(ranks), ranks);
  checks::failure_of([&] { thalweg::balancer none(MPI_COMM_WORLD, no_order); });
  checks::require(thalweg_balancer_free(nullptr) != thalweg_success, "%s", "freed nothing");
}

/// Rank 1 comes when a long message has gone to rank 0, which waits for rank 1 while the library holds the
/// receive.
void check_waiting(int rank, int ranks) {
  if (ranks < 2)
    return;
  thalweg::balancer balancer(MPI_COMM_WORLD);
  std::vector<char> message(8 << 20);
  const int bytes = static_cast<int>(message.size());
  MPI_Request receive = MPI_REQUEST_NULL;
  if (rank == 0)
    MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
  if (rank == 1)
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  balancer.flow(rank);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const int gathered_ranks : {0, -1})
    check_random_loads(rank, ranks, gathered_ranks);
  check_errors(rank, ranks);
  check_waiting(rank, ranks);
  if (rank == 0)
    std::printf("all right\n");
  MPI_Finalize();
}
