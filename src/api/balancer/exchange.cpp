// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/exchange.hpp"

#include "balancer/requests.hpp"
#include "job/library/mpi_calls.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace thalweg::balancing {

namespace {

constexpr int shift_tag = 3;

} // namespace

Exchange::Exchange(const job::Group& group, std::vector<Rank> order, Parking& parking)
    : group_(group), order_(std::move(order)), positions_(order_.size()), parking_(parking) {
  for (std::size_t position = 0; position < order_.size(); ++position)
    positions_[static_cast<std::size_t>(order_[position])] = static_cast<std::int32_t>(position);
  position_ = position_of(group.rank());
}

Routine<Nothing> Exchange::shift(const void* sent, std::int32_t to, void* received, std::int32_t from,
                                 std::size_t bytes_sent, std::size_t bytes_received) const {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const MPI_Comm communicator = group_.communicator();
  if (from >= 0)
    job::must(PMPI_Irecv(received, static_cast<int>(bytes_received), MPI_BYTE,
                         order_[static_cast<std::size_t>(from)], shift_tag, communicator, &requests[0]),
              "MPI_Irecv");
  if (to >= 0)
    job::must(PMPI_Isend(sent, static_cast<int>(bytes_sent), MPI_BYTE, order_[static_cast<std::size_t>(to)],
                         shift_tag, communicator, &requests[1]),
              "MPI_Isend");
  const auto look = [&] { return are_done(requests) ? wait::Look::reached : wait::Look::nothing; };
  Until until(parking_, look);
  co_await until;
  co_return Nothing{};
}

// A binomial tree, in which positions count from the last one.
Routine<Nothing> Exchange::from_last(void* value, std::size_t bytes) const {
  const std::int32_t ranks = group_.ranks();
  const std::int32_t own = ranks - 1 - position_;
  for (auto distance = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(ranks)) / 2);
       distance > 0; distance /= 2) {
    const std::int32_t part = own % (2 * distance);
    if (part == 0 && own + distance < ranks)
      co_await shift(value, position_ - distance, nullptr, -1, bytes, 0);
    else if (part == distance)
      co_await shift(nullptr, -1, value, position_ + distance, 0, bytes);
  }
  co_return Nothing{};
}

Routine<Nothing> Exchange::gather(std::byte* values, std::size_t bytes) const {
  const std::int32_t ranks = group_.ranks();
  for (std::int32_t known = 1; known < ranks; known *= 2) {
    const std::size_t length = static_cast<std::size_t>(std::min(known, ranks - known)) * bytes;
    co_await shift(values, (position_ + ranks - known) % ranks,
                   values + static_cast<std::size_t>(known) * bytes, (position_ + known) % ranks, length,
                   length);
  }
  co_return Nothing{};
}

// Whoever has seen all its messages received comes to a barrier. Once all have come, nothing is on its way.
Routine<std::vector<std::byte>> Exchange::deliver(const std::vector<std::int32_t>& to,
                                                  const std::byte* values, std::size_t bytes, int tag) const {
  const MPI_Comm communicator = group_.communicator();
  const int size = static_cast<int>(bytes);
  std::vector<std::byte> received;
  std::vector<MPI_Request> sends(to.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < to.size(); ++i)
    job::must(PMPI_Issend(values + i * bytes, size, MPI_BYTE, order_[static_cast<std::size_t>(to[i])], tag,
                          communicator, &sends[i]),
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
  Until until(parking_, look);
  co_await until;
  co_return received;
}

} // namespace thalweg::balancing
