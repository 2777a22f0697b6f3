// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/busy_links.hpp"

#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/wait/polling.hpp"
#include "place/link_bursts.hpp"

#include <algorithm>
#include <set>

namespace thalweg::mpi {

namespace {

using place::Burst;
using place::BurstRound;
using place::BurstTimes;
using topology::Link;

constexpr std::size_t nodes_max = 128;
// A burst is made of messages that libraries send without an answer: for one, a busy processor would keep
// the link waiting.
constexpr int piece_bytes = 32 << 10;
constexpr int bytes_first = 64 << 10;
constexpr int bytes_max = 8 << 20;
constexpr double burst_min_s = 0.03; // shorter bursts say more of processors than of links
constexpr double growth_part = 0.06; // of the time, that one pass through all links may take
constexpr int growths_max = 3;
// Processors that are busy make bursts slow by chance, or seem fast to who begins late. Other flows pause by
// chance too. So the middle one of several passes counts.
constexpr std::size_t passes_min = 5;
constexpr std::size_t passes_max = 9;
// But for the last word: a busy processor makes half of the passes slow by chance, and another job's flow
// nearly all of them. So the second fastest pass has to be slow too.
constexpr std::size_t faster_passes = 1;
// A flow beside a burst takes up to half of a link.
constexpr double slow_at_first = 1.2;
constexpr double surely_slow = 1.3;
// What is left of a link beside others, at least: messages share it with them, whatever waits in front of it.
constexpr double free_part_min = 0.25;
constexpr int burst_tag = 2;

// Sends bursts, and knows what time that took.
class Bursts {
public:
  explicit Bursts(const job::Agreement& everybody) : everybody_(everybody) {}

  // One pass through all rounds.
  BurstTimes run(const std::vector<BurstRound>& rounds, int bytes) {
    out_.resize(static_cast<std::size_t>(bytes));
    in_.resize(out_.size());
    BurstTimes seconds;
    for (const BurstRound& round : rounds)
      seconds.push_back(run(round));
    return seconds;
  }

  // That the slowest bursts of all rounds took.
  double spent_s() const { return spent_s_; }

private:
  std::vector<double> run(const BurstRound& round) {
    everybody_.allgather(0.0); // all are here
    const std::uint64_t begin = observe::monotonic_ns();
    std::vector<MPI_Request> sends;
    std::vector<MPI_Request> receives;
    for (const Burst& burst : round) {
      if (burst.to == everybody_.own())
        for_pieces([&](std::size_t at, int bytes) {
          native.Irecv(&in_[at], bytes, MPI_BYTE, burst.from, burst_tag, MPI_COMM_WORLD,
                       &receives.emplace_back());
        });
      if (burst.from == everybody_.own())
        for_pieces([&](std::size_t at, int bytes) {
          native.Isend(&out_[at], bytes, MPI_BYTE, burst.to, burst_tag, MPI_COMM_WORLD,
                       &sends.emplace_back());
        });
    }
    wait(receives);
    const double own = receives.empty() ? 0 : 1e-9 * static_cast<double>(observe::monotonic_ns() - begin);
    wait(sends);
    const std::vector<double> all = everybody_.allgather(own);
    spent_s_ += std::ranges::max(all);
    std::vector<double> seconds;
    for (const Burst& burst : round)
      seconds.push_back(all[static_cast<std::size_t>(burst.to)]);
    return seconds;
  }
  template <typename Piece>
  void for_pieces(Piece piece) const {
    for (std::size_t at = 0; at < out_.size(); at += piece_bytes)
      piece(at, static_cast<int>(std::min<std::size_t>(piece_bytes, out_.size() - at)));
  }
  static void wait(std::vector<MPI_Request>& requests) {
    for (MPI_Request& request : requests)
      poll_request(&request, MPI_STATUS_IGNORE);
  }

  const job::Agreement& everybody_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  double spent_s_ = 0;
};

std::vector<Link> below_one(const std::vector<double>& parts) {
  std::vector<Link> links;
  for (std::size_t link = 0; link < parts.size(); ++link)
    if (parts[link] < 1)
      links.push_back(static_cast<Link>(link));
  return links;
}

} // namespace

std::vector<double> free_parts_of_links(const job::Agreement& everybody,
                                        const machine::Allocation& allocation, double seconds) {
  const std::size_t nodes = std::set(allocation.slots.begin(), allocation.slots.end()).size();
  if (nodes < 3 || nodes > nodes_max)
    return {};
  const topology::Interconnect& machine = *allocation.interconnect;
  const std::vector<Link> links = place::burst_links(allocation);
  std::vector<BurstRound> rounds = place::link_bursts(allocation, links, false);
  if (rounds.empty())
    return {};
  Bursts bursts(everybody);
  bursts.run(rounds, 1); // connections are made
  int bytes = bytes_first;
  std::vector<BurstTimes> passes{bursts.run(rounds, bytes)};
  for (int growth = 0; growth < growths_max && bytes < bytes_max; ++growth) {
    const double usual_s = place::quiet_seconds(rounds, passes.front());
    if (usual_s > burst_min_s || 4 * usual_s * static_cast<double>(rounds.size()) > growth_part * seconds)
      break;
    bytes *= 4;
    passes.front() = bursts.run(rounds, bytes);
  }
  while (passes.size() < passes_min)
    passes.push_back(bursts.run(rounds, bytes));
  BurstTimes times = place::middle_times(passes);
  const double quiet = place::quiet_seconds(rounds, times);
  const std::vector<Link> suspects =
      below_one(free_parts(machine, links, rounds, times, quiet, slow_at_first));
  if (suspects.empty())
    return {};
  // Again, and over the same links by other nodes too. Where bursts cross other links as well, those that
  // were fast stay free.
  rounds = place::link_bursts(allocation, suspects, true);
  passes.clear();
  while (passes.size() < passes_min || (passes.size() < passes_max && bursts.spent_s() < seconds))
    passes.push_back(bursts.run(rounds, bytes));
  times = place::times_at(passes, faster_passes);
  std::vector<double> parts = free_parts(machine, suspects, rounds, times, quiet, surely_slow);
  for (double& part : parts)
    part = std::max(part, free_part_min);
  return below_one(parts).empty() ? std::vector<double>{} : parts;
}

} // namespace thalweg::mpi
