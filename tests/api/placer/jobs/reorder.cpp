// SPDX-License-Identifier: BSD-3-Clause

// Communicators in a better order: the same ranks, nearer to those they talk to where that is sure.

#include "checks.hpp"
#include "hosts.hpp"
#include "thalweg/place.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int host_count = 2;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// All old ranks, by new rank.
std::vector<int> old_ranks(MPI_Comm reordered) {
  const int own = rank_in(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(size_of(reordered)));
  MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, reordered);
  return all;
}

/// The same ranks; in the same order where that was said.
void check_communicator(MPI_Comm reordered, const thalweg::reordering& found) {
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(MPI_COMM_WORLD, reordered, &relation);
  checks::require(relation == (found.is_renumbered != 0 ? MPI_SIMILAR : MPI_CONGRUENT), "%s: relation %d",
                  found.reason, relation);
  checks::require(found.hops_per_byte <= found.hops_per_byte_before, "%s: %f hops a byte", found.reason,
                  found.hops_per_byte);
  checks::require(found.link_bytes <= found.link_bytes_before, "%s: %f bytes on a link", found.reason,
                  found.link_bytes);
  checks::require(found.is_renumbered == 0 || found.hops_per_byte < found.hops_per_byte_before, "%s: no gain",
                  found.reason);
  checks::require(std::strlen(found.reason) > 0, "%s", "no reason");
  thalweg::reordering first = found;
  MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
  checks::require(std::memcmp(&first, &found, sizeof first) == 0, "%s: ranks differ", found.reason);
}

void check_random_weights(bool has_hosts) {
  const int ranks = size_of(MPI_COMM_WORLD);
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed * 1000 + static_cast<unsigned>(rank_in(MPI_COMM_WORLD)));
    std::vector<thalweg::weight> weights;
    for (unsigned edge = 0; edge < random() % 4; ++edge)
      weights.emplace_back(static_cast<int>(random() % static_cast<unsigned>(ranks)),
                           std::exp(static_cast<double>(random() % 20)), static_cast<int>(random() % 3));
    thalweg::reorder_options options;
    options.seconds = 0.005;
    options.gain = 0;
    const char* const objectives[] = {nullptr, "hop-bytes", "link", "time"};
    options.objective = objectives[seed % 4];
    thalweg::reordering found;
    MPI_Comm reordered = thalweg::reorder(MPI_COMM_WORLD, weights, options, &found);
    check_communicator(reordered, found);
    checks::require(has_hosts || found.is_renumbered == 0, "%s: renumbered on one host", found.reason);
    MPI_Comm again = thalweg::reorder(reordered, {}); // of what came, too
    MPI_Comm_free(&again);
    MPI_Comm_free(&reordered);
  }
}

/// Pairs (0, 1), (2, 3), … share a host as far as they can, on hosts that were dealt out in turns.
void check_pairs() {
  const int ranks = size_of(MPI_COMM_WORLD);
  const int rank = rank_in(MPI_COMM_WORLD);
  std::map<int, double> weights;
  if (const int other = rank ^ 1; other < ranks)
    weights[other] = 1e6;
  thalweg::reordering found;
  MPI_Comm reordered = thalweg::reorder(MPI_COMM_WORLD, weights, {}, &found);
  check_communicator(reordered, found);
  const std::vector<int> old = old_ranks(reordered);
  int apart = 0;
  for (int pair = 0; 2 * pair + 1 < ranks; ++pair)
    apart += old[static_cast<std::size_t>(2 * pair)] % host_count !=
                     old[static_cast<std::size_t>(2 * pair + 1)] % host_count
                 ? 1
                 : 0;
  const int pairs = ranks / 2;
  const int within = (ranks + 1) / 2 / 2 + ranks / 2 / 2;
  checks::require(apart == pairs - std::min(pairs, within), "%d of %d pairs are apart: %s", apart, pairs,
                  found.reason);
  MPI_Comm_free(&reordered);

  thalweg::reorder_options strict;
  strict.gain = 0.999;
  MPI_Comm same =
      thalweg::reorder(MPI_COMM_WORLD, std::map<int, double>{{(rank + 1) % ranks, 1.0}}, strict, &found);
  checks::require(found.is_renumbered == 0 || found.hops_per_byte == 0, "%s: not sure", found.reason);
  MPI_Comm_free(&same);
}

template <typename Call>
void check_error(const Call& call, std::string_view part, const std::string& rank_named = {}) {
  const thalweg::error failed = checks::failure_of(call);
  const std::string text = failed.what();
  checks::require(text.find(part) != std::string::npos && text.find(rank_named) != std::string::npos &&
                      !failed.remedy().empty() && failed.call() == "reorder" &&
                      failed.rank() == rank_in(MPI_COMM_WORLD),
                  "%s", text.c_str());
}

void check_errors() {
  const int ranks = size_of(MPI_COMM_WORLD);
  const bool is_last = rank_in(MPI_COMM_WORLD) == ranks - 1;
  const std::string last = "rank " + std::to_string(ranks - 1) + " ";
  const auto with = [&](thalweg::weight wrong) {
    return [=] {
      std::vector<thalweg::weight> weights;
      if (is_last)
        weights.push_back(wrong);
      static_cast<void>(thalweg::reorder(MPI_COMM_WORLD, weights));
    };
  };
  check_error(with({ranks, 1.0}), "sends to rank " + std::to_string(ranks), last);
  check_error(with({-1, 1.0}), "sends to rank -1", last);
  check_error(with({0, -2.0}), "sends -2 bytes to rank 0", last);
  check_error(with({0, std::numeric_limits<double>::quiet_NaN()}), "bytes to rank 0", last);
  check_error(with({0, std::numeric_limits<double>::infinity()}), "bytes to rank 0", last);
  check_error(with({0, 1.0, -1}), "in phase -1", last);

  const auto under = [&](auto change, bool everywhere) {
    return [=] {
      thalweg::reorder_options options;
      if (everywhere || is_last)
        change(options);
      static_cast<void>(thalweg::reorder(MPI_COMM_WORLD, {}, options));
    };
  };
  using Options = thalweg::reorder_options;
  check_error(under([](Options& options) { options.objective = "speed"; }, true), "an objective speed");
  check_error(under([](Options& options) { options.seconds = -1; }, true), "-1 seconds");
  check_error(under([](Options& options) { options.gain = 1; }, true), "a gain of 1");
  check_error(under([](Options& options) { options.size = 20; }, true),
              "a size of 20; begin with THALWEG_REORDER_OPTIONS_INIT");
  check_error(under([](Options& options) { options.node_list = "/none"; }, true), "/none: cannot be read");
  check_error(under([](Options& options) { options.network = "moebius"; }, true), "moebius");
  check_error(under([](Options& options) { options.seconds = -1; }, false), is_last ? "-1 seconds" : last);
  if (ranks > 1)
    check_error(under([](Options& options) { options.seconds = 0.01; }, false), "other options");
  checks::require(thalweg_reorder(MPI_COMM_WORLD, nullptr, 0, nullptr, nullptr, nullptr) ==
                      thalweg_error_invalid_argument,
                  "%s", "no place for a communicator");
  checks::failure_of([] { static_cast<void>(thalweg::reorder(MPI_COMM_NULL, {})); });
}

/// Rank 1 comes when a long message has gone to rank 0, which waits for rank 1 while the library holds the
/// receive.
void check_waiting() {
  const int rank = rank_in(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2)
    return;
  std::vector<char> message(rank < 2 ? 64 << 20 : 0);
  const int bytes = static_cast<int>(message.size());
  MPI_Request receive = MPI_REQUEST_NULL;
  if (rank == 0)
    MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
  if (rank == 1)
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  MPI_Comm reordered = thalweg::reorder(MPI_COMM_WORLD, {{(rank + 1) % size_of(MPI_COMM_WORLD), 1e6}});
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reordered);
}

/// Hosts in a line, by a list: neighbors of the line are to be neighbors there.
void check_node_list() {
  const std::string file = "reorder-hosts-" + std::to_string(size_of(MPI_COMM_WORLD));
  if (rank_in(MPI_COMM_WORLD) == 0)
    std::ofstream(file) << "thalweg-host0 0\nthalweg-host1 1\n";
  MPI_Barrier(MPI_COMM_WORLD);
  thalweg::reorder_options options;
  options.node_list = file.c_str();
  options.network = "ring";
  thalweg::reordering found;
  MPI_Comm reordered = thalweg::reorder(
      MPI_COMM_WORLD, {{(rank_in(MPI_COMM_WORLD) + 1) % size_of(MPI_COMM_WORLD), 1e3}}, options, &found);
  check_communicator(reordered, found);
  MPI_Comm_free(&reordered);
  if (rank_in(MPI_COMM_WORLD) == 0)
    std::remove(file.c_str());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check_random_weights(false);
  check_errors();
  check_waiting();
  if (hosts::deal_out(host_count)) {
    check_random_weights(true);
    check_pairs();
    check_errors();
    check_waiting();
    check_node_list();
  }
  if (rank_in(MPI_COMM_WORLD) == 0)
    std::printf("all right\n");
  MPI_Finalize();
}
