// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::examples::diffusion_mc {

/// What a rank sends (to rank `other`, above 0), or receives (below).
struct Message {
  int other = 0;
  std::int64_t walkers = 0;
};

/// The scheme of QWalk (Wagner, Bajdich and Mitas 2009): everybody knows all counts, and finds the same flow.
/// Whoever has too much serves the first who lack. Walkers for one rank go together.
inline std::vector<Message> messages_of(std::vector<std::int64_t> counts, int own) {
  std::int64_t total = 0;
  for (std::int64_t const count : counts)
    total += count;
  auto const ranks = static_cast<std::int64_t>(counts.size());
  auto const share = [&](std::size_t rank) {
    return part_of({0, total}, ranks, static_cast<std::int64_t>(rank)).size();
  };
  std::vector<Message> messages;
  std::size_t to = 0;
  for (std::size_t from = 0; from < counts.size(); ++from) {
    while (counts[from] > share(from)) {
      while (counts[to] >= share(to))
        ++to;
      std::int64_t const walkers = std::min(counts[from] - share(from), share(to) - counts[to]);
      counts[from] -= walkers;
      counts[to] += walkers;
      if (static_cast<int>(from) == own)
        messages.push_back({static_cast<int>(to), walkers});
      else if (static_cast<int>(to) == own)
        messages.push_back({static_cast<int>(from), -walkers});
    }
  }
  return messages;
}

/// Collective. Moves walkers as good as we can by hand: from where they are to where they will be.
template <typename Walker>
void balance_by_hand(std::vector<Walker>& walkers, Group const& world) {
  auto own = static_cast<std::int64_t>(walkers.size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(world.ranks));
  MPI_Allgather(&own, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, world.communicator);
  std::vector<Message> const messages = messages_of(counts, world.rank);
  std::int64_t arriving = 0; // or leaving, below 0
  for (Message const& message : messages)
    arriving -= message.walkers;
  std::size_t at = walkers.size();
  if (arriving > 0)
    walkers.resize(walkers.size() + static_cast<std::size_t>(arriving));
  else
    at -= static_cast<std::size_t>(-arriving);
  std::vector<MPI_Request> requests;
  for (Message const& message : messages) {
    auto const count = static_cast<std::size_t>(std::abs(message.walkers));
    int const bytes = static_cast<int>(count * sizeof(Walker));
    MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
    if (message.walkers > 0)
      MPI_Isend(&walkers[at], bytes, MPI_BYTE, message.other, 0, world.communicator, &request);
    else
      MPI_Irecv(&walkers[at], bytes, MPI_BYTE, message.other, 0, world.communicator, &request);
    at += count;
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  if (arriving < 0)
    walkers.resize(walkers.size() - static_cast<std::size_t>(-arriving));
}

} // namespace thalweg::examples::diffusion_mc
