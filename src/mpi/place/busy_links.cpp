#include "mpi/place/busy_links.hpp"

#include <algorithm>
#include <set>

#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/wait/polling.hpp"
#include "place/link_bursts.hpp"

namespace thalweg::mpi {

namespace {

using place::Burst;
using place::BurstRound;
using topology::Link;

constexpr std::size_t nodes_max = 128;
constexpr int bytes_first = 64 << 10;
constexpr int bytes_max = 8 << 20;
constexpr double burst_min_s = 0.005; // shorter bursts say more of processors than of links
constexpr double growth_part = 0.1;   // of the time, that one pass through all links may take
constexpr int growths_max = 3;
constexpr int repeats_max = 4;
// A flow beside a burst takes up to half of a link, and may have filled its queues: then bursts take far
// longer. Processors that are busy make bursts slow by chance, so of many the briefest counts.
constexpr double slow_at_first = 1.4;
constexpr double surely_slow = 1.3;
// What is left of a link beside others, at least: messages share it with them, whatever waits in front of it.
constexpr double free_part_min = 0.25;
constexpr int burst_tag = 2;

// Sends bursts, and knows what time that took.
class Bursts {
public:
  explicit Bursts(const job::Agreement& everybody) : everybody_(everybody) {}

  // The seconds of each burst of each round.
  std::vector<std::vector<double>> run(const std::vector<BurstRound>& rounds, int bytes) {
    out_.resize(static_cast<std::size_t>(bytes));
    in_.resize(out_.size());
    std::vector<std::vector<double>> seconds;
    for (const BurstRound& round : rounds)
      seconds.push_back(run(round, bytes));
    return seconds;
  }

  // That the slowest bursts of all rounds took.
  double spent_s() const { return spent_s_; }

private:
  std::vector<double> run(const BurstRound& round, int bytes) {
    everybody_.allgather(0.0); // all are here
    const std::uint64_t begin = observe::monotonic_ns();
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Request receive = MPI_REQUEST_NULL;
    for (const Burst& burst : round) {
      if (burst.to == everybody_.own())
        native.Irecv(in_.data(), bytes, MPI_BYTE, burst.from, burst_tag, MPI_COMM_WORLD, &receive);
      if (burst.from == everybody_.own())
        native.Isend(out_.data(), bytes, MPI_BYTE, burst.to, burst_tag, MPI_COMM_WORLD, &send);
    }
    double own = 0;
    if (receive != MPI_REQUEST_NULL) {
      poll_request(&receive, MPI_STATUS_IGNORE);
      own = 1e-9 * static_cast<double>(observe::monotonic_ns() - begin);
    }
    if (send != MPI_REQUEST_NULL)
      poll_request(&send, MPI_STATUS_IGNORE);
    const std::vector<double> all = everybody_.allgather(own);
    spent_s_ += std::ranges::max(all);
    std::vector<double> seconds;
    for (const Burst& burst : round)
      seconds.push_back(all[static_cast<std::size_t>(burst.to)]);
    return seconds;
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

// The least that each burst took: other flows slow it always, processors now and then.
void keep_min(std::vector<std::vector<double>>& times_min, const std::vector<std::vector<double>>& seconds) {
  for (std::size_t round = 0; round < times_min.size(); ++round)
    for (std::size_t burst = 0; burst < times_min[round].size(); ++burst)
      times_min[round][burst] = std::min(times_min[round][burst], seconds[round][burst]);
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
  std::vector<std::vector<double>> times = bursts.run(rounds, bytes);
  for (int growth = 0; growth < growths_max && bytes < bytes_max; ++growth) {
    const double pass_s = place::usual_seconds(times) * static_cast<double>(rounds.size());
    if (place::usual_seconds(times) > burst_min_s || 4 * pass_s > growth_part * seconds)
      break;
    bytes *= 4;
    times = bursts.run(rounds, bytes);
  }
  keep_min(times, bursts.run(rounds, bytes));
  const double usual = place::usual_seconds(times);
  const std::vector<Link> suspects =
      below_one(free_parts(machine, links, rounds, times, usual, slow_at_first));
  if (suspects.empty())
    return {};
  // Again, and over the same links by other nodes too. Where bursts cross other links as well, those that
  // were fast stay free.
  rounds = place::link_bursts(allocation, suspects, true);
  times = bursts.run(rounds, bytes);
  for (int repeats = 1; repeats < repeats_max && bursts.spent_s() < seconds; ++repeats)
    keep_min(times, bursts.run(rounds, bytes));
  std::vector<double> parts = free_parts(machine, suspects, rounds, times, usual, surely_slow);
  for (double& part : parts)
    part = std::max(part, free_part_min);
  return below_one(parts).empty() ? std::vector<double>{} : parts;
}

} // namespace thalweg::mpi
