// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/clocks.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cstdint>

namespace thalweg::mpi {

namespace {

double ask(MPI_Comm communicator, int rank, int tag, int trials) {
  double min_ns = 0;
  double offset_ns = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::uint64_t theirs_ns = 0;
    const std::uint64_t sent_ns = observe::monotonic_ns();
    native.Send(&sent_ns, 1, MPI_UINT64_T, rank, tag, communicator);
    native.Recv(&theirs_ns, 1, MPI_UINT64_T, rank, tag, communicator, MPI_STATUS_IGNORE);
    const auto way_ns = static_cast<double>(observe::monotonic_ns() - sent_ns);
    if (trial == 0 || way_ns < min_ns) {
      min_ns = way_ns;
      offset_ns = static_cast<double>(sent_ns) + way_ns / 2 - static_cast<double>(theirs_ns);
    }
  }
  return offset_ns;
}

void answer(MPI_Comm communicator, int tag, int trials) {
  for (int trial = 0; trial < trials; ++trial) {
    std::uint64_t time_ns = 0;
    native.Recv(&time_ns, 1, MPI_UINT64_T, 0, tag, communicator, MPI_STATUS_IGNORE);
    time_ns = observe::monotonic_ns();
    native.Send(&time_ns, 1, MPI_UINT64_T, 0, tag, communicator);
  }
}

} // namespace

std::vector<double> clock_offsets_ns(MPI_Comm communicator, int rank, const std::vector<int>& nodes, int tag,
                                     int trials) {
  THALWEG_ASSERT(light, rank >= 0 && static_cast<std::size_t>(rank) < nodes.size() && trials > 0);
  std::vector<double> offsets(static_cast<std::size_t>(*std::ranges::max_element(nodes)) + 1, 0.0);
  std::vector<bool> asked(offsets.size(), false);
  asked[static_cast<std::size_t>(nodes.front())] = true;
  for (int other = 1; other < static_cast<int>(nodes.size()); ++other) {
    const auto node = static_cast<std::size_t>(nodes[static_cast<std::size_t>(other)]);
    if (asked[node])
      continue;
    asked[node] = true;
    if (rank == 0)
      offsets[node] = ask(communicator, other, tag, trials);
    else if (rank == other)
      answer(communicator, tag, trials);
  }
  return offsets;
}

} // namespace thalweg::mpi
