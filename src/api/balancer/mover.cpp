// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/mover.hpp"

#include "balance/task_cuts.hpp"
#include "balancer/requests.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::balancing {

namespace {

constexpr int notices_tag = 4;
constexpr int tasks_tag = 5;
constexpr std::size_t message_bytes_max = std::size_t{1} << 30; // MPI counts in int

/// Calls `use(at, bytes)` for each message that so many bytes take.
template <typename Use>
void in_messages(std::size_t bytes, Use&& use) {
  for (std::size_t at = 0; at < bytes; at += message_bytes_max)
    use(at, static_cast<int>(std::min(bytes - at, message_bytes_max)));
}

} // namespace

Routine<Nothing> Mover::move(const thalweg_tasks& tasks, std::span<const thalweg_transfer> transfers,
                             double unit) {
  cut(tasks, transfers, unit);
  if (tasks.pack != nullptr) {
    const Rank none = static_cast<Rank>(exchange_.order().size());
    const Rank own = exchange_.order()[static_cast<std::size_t>(exchange_.position())];
    const Prefix<Rank> failed = co_await exchange_.prefix(pack(tasks) ? none : own, none,
                                                          [](Rank a, Rank b) { return std::min(a, b); });
    if (failed.all != none)
      throw Error(fmt::format("rank {} could not pack its tasks", failed.all), "see what it reports",
                  thalweg_error_handler);
  }
  known_at_ns_ = wait::System::now_ns();
  if (tasks.pack != nullptr || tasks.weights != nullptr)
    co_await notify();
  co_await exchange(tasks);
  co_return Nothing{};
}

void Mover::stay(const thalweg_tasks& tasks) {
  known_at_ns_ = wait::System::now_ns();
  kept_ = tasks.count;
  arrived_ = arrived_bytes_ = 0;
}

void Mover::cut(const thalweg_tasks& tasks, std::span<const thalweg_transfer> transfers, double unit) {
  leaving_.clear();
  coming_.clear();
  std::vector<double> amounts;
  std::size_t left = tasks.count;
  for (const thalweg_transfer& transfer : transfers) {
    const auto count = static_cast<std::size_t>(std::abs(transfer.tasks));
    if (transfer.tasks < 0) {
      coming_.push_back({.rank = transfer.rank, .tasks = count, .bytes = count * tasks.task_bytes});
      continue;
    }
    amounts.push_back(static_cast<double>(transfer.tasks) * unit);
    left -= tasks.weights == nullptr ? count : 0;
    leaving_.push_back(
        {.rank = transfer.rank, .tasks = count, .bytes = count * tasks.task_bytes, .first = left});
  }
  if (tasks.weights != nullptr) {
    const std::vector<std::int64_t> cuts = task_cuts_from_end({tasks.weights, tasks.count}, amounts);
    for (std::size_t m = 0; m < leaving_.size(); ++m) {
      leaving_[m].first = left = static_cast<std::size_t>(cuts[m + 1]);
      leaving_[m].tasks = static_cast<std::size_t>(cuts[m]) - left;
      leaving_[m].bytes = leaving_[m].tasks * tasks.task_bytes;
    }
  }
  kept_ = left;
}

bool Mover::pack(const thalweg_tasks& tasks) {
  std::size_t at = 0;
  std::size_t packed = 0;
  for (Message& message : leaving_) {
    const std::size_t end = message.first + message.tasks;
    std::byte* to = packed_.room(at);
    std::size_t needed = tasks.pack(tasks.context, message.first, end, to + at, packed_.size() - at);
    if (needed != SIZE_MAX && needed > packed_.size() - at) {
      to = packed_.room(at + needed);
      needed = tasks.pack(tasks.context, message.first, end, to + at, packed_.size() - at);
    }
    if (needed == SIZE_MAX || needed > packed_.size() - at)
      return false;
    message.at = at;
    message.bytes = needed;
    at += needed;
    packed += message.tasks;
  }
  if (packed > 0)
    packed_task_bytes_ = static_cast<double>(at) / static_cast<double>(packed);
  return true;
}

Routine<Nothing> Mover::notify() {
  std::vector<Notice> notices(leaving_.size() + coming_.size());
  std::vector<MPI_Request> requests(notices.size(), MPI_REQUEST_NULL);
  for (std::size_t m = 0; m < notices.size(); ++m) {
    if (m < coming_.size()) {
      job::must(PMPI_Irecv(&notices[m], sizeof(Notice), MPI_BYTE, coming_[m].rank, notices_tag, communicator_,
                           &requests[m]),
                "MPI_Irecv");
      continue;
    }
    const Message& message = leaving_[m - coming_.size()];
    notices[m] = {message.tasks, message.bytes};
    job::must(PMPI_Isend(&notices[m], sizeof(Notice), MPI_BYTE, message.rank, notices_tag, communicator_,
                         &requests[m]),
              "MPI_Isend");
  }
  co_await complete(requests);
  for (std::size_t m = 0; m < coming_.size(); ++m) {
    coming_[m].tasks = notices[m].tasks;
    coming_[m].bytes = notices[m].bytes;
  }
  co_return Nothing{};
}

Routine<Nothing> Mover::exchange(const thalweg_tasks& tasks) {
  std::size_t arrived = 0;
  std::size_t bytes_of_all = 0;
  for (Message& message : coming_) {
    message.at = bytes_of_all;
    bytes_of_all += message.bytes;
    arrived += message.tasks;
  }
  std::byte* const to = arrivals_.room(bytes_of_all);
  std::vector<MPI_Request> requests;
  for (const Message& message : coming_)
    in_messages(message.bytes, [&](std::size_t at, int bytes) {
      job::must(PMPI_Irecv(to + message.at + at, bytes, MPI_BYTE, message.rank, tasks_tag, communicator_,
                           &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
    });
  const auto* const row = static_cast<const std::byte*>(tasks.tasks);
  for (const Message& message : leaving_)
    in_messages(message.bytes, [&](std::size_t at, int bytes) {
      const std::byte* const from =
          tasks.pack != nullptr ? packed_.begin() + message.at : row + message.first * tasks.task_bytes;
      job::must(PMPI_Isend(from + at, bytes, MPI_BYTE, message.rank, tasks_tag, communicator_,
                           &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    });
  co_await complete(requests);
  arrived_ = arrived;
  arrived_bytes_ = bytes_of_all;
  co_return Nothing{};
}

Routine<Nothing> Mover::complete(std::vector<MPI_Request>& requests) const {
  const auto look = [&] { return are_done(requests) ? wait::Look::reached : wait::Look::nothing; };
  Until until(parking_, look);
  co_await until;
  co_return Nothing{};
}

} // namespace thalweg::balancing
