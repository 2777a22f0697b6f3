// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/mover.hpp"

#include "balance/flow.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::balancing {

namespace {

using control::MessagePart;
using control::Task;

/// Where a value is, as the other end of a message has it.
template <typename Value>
std::byte* bytes_of(Value& value) {
  return reinterpret_cast<std::byte*>(&value);
}

} // namespace

std::byte* TaskMemory::room(std::size_t bytes) {
  if (bytes > size_ || !memory_) {
    const std::size_t more = std::max({bytes, size_ + size_ / 2, std::size_t{64}});
    std::unique_ptr<std::byte, Free> larger(static_cast<std::byte*>(::operator new(more, alignment)));
    if (size_ > 0)
      std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
    size_ = more;
  }
  return memory_.get();
}

Task<void> Mover::move(const thalweg_tasks& tasks, std::span<const thalweg_transfer> transfers, double unit) {
  cut(tasks, transfers, unit);
  if (tasks.pack != nullptr) {
    const Rank none = control_.ranks();
    const Rank own = control_.order()[static_cast<std::size_t>(control_.position())];
    const Rank failed =
        co_await control_.allreduce(pack(tasks) ? none : own, [](Rank a, Rank b) { return std::min(a, b); });
    if (failed != none)
      throw Error(fmt::format("rank {} could not pack its tasks", failed), "see what it reports",
                  thalweg_error_handler);
  }
  known_at_ns_ = wait::System::now_ns();
  if (tasks.pack != nullptr || tasks.weights != nullptr)
    co_await notify();
  co_await exchange(tasks);
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
  THALWEG_ASSERT(light, left <= tasks.count);
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
    THALWEG_ASSERT(normal, at + needed <= packed_.size());
    message.at = at;
    message.bytes = needed;
    at += needed;
    packed += message.tasks;
  }
  if (packed > 0)
    packed_task_bytes_ = static_cast<double>(at) / static_cast<double>(packed);
  return true;
}

Task<void> Mover::notify() {
  std::vector<Notice> notices(leaving_.size() + coming_.size());
  std::vector<MessagePart> receives;
  std::vector<MessagePart> sends;
  auto notice = notices.begin();
  for (const Message& message : coming_)
    receives.push_back({message.rank, bytes_of(*notice++), sizeof(Notice)});
  for (const Message& message : leaving_) {
    *notice = {message.tasks, message.bytes};
    sends.push_back({message.rank, bytes_of(*notice++), sizeof(Notice)});
  }
  co_await control_.transfer(std::move(receives), std::move(sends));
  for (std::size_t m = 0; m < coming_.size(); ++m) {
    coming_[m].tasks = notices[m].tasks;
    coming_[m].bytes = notices[m].bytes;
  }
}

Task<void> Mover::exchange(const thalweg_tasks& tasks) {
  std::size_t arrived = 0;
  std::size_t bytes_of_all = 0;
  for (Message& message : coming_) {
    message.at = bytes_of_all;
    bytes_of_all += message.bytes;
    arrived += message.tasks;
  }
  std::byte* const to = arrivals_.room(bytes_of_all);
  THALWEG_ASSERT(light, arrivals_.size() >= bytes_of_all);
  std::vector<MessagePart> receives;
  for (const Message& message : coming_)
    receives.push_back({message.rank, to + message.at, message.bytes});
  const auto* const row = static_cast<const std::byte*>(tasks.tasks);
  std::vector<MessagePart> sends;
  for (const Message& message : leaving_) {
    const std::byte* const from =
        tasks.pack != nullptr ? packed_.begin() + message.at : row + message.first * tasks.task_bytes;
    sends.push_back({message.rank, const_cast<std::byte*>(from), message.bytes}); // never written
  }
  co_await control_.transfer(std::move(receives), std::move(sends));
  arrived_ = arrived;
  arrived_bytes_ = bytes_of_all;
}

} // namespace thalweg::balancing
