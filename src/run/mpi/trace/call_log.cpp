// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/call_log.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "base/random.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/observe/ticks.hpp"

#include <algorithm>

namespace thalweg::mpi {

namespace {

using pattern::TracedCall;

std::uint64_t hash_of(const TracedCall& call) {
  std::uint64_t hash =
      mixed_hash(0, static_cast<std::uint64_t>(call.kind) << 1 | (call.is_synchronous ? 1 : 0));
  hash = mixed_hash(hash, static_cast<std::uint32_t>(call.request) | std::uint64_t{call.communicator} << 32);
  hash = mixed_hash(hash, static_cast<std::uint32_t>(call.peer) |
                              static_cast<std::uint64_t>(static_cast<std::uint32_t>(call.tag)) << 32);
  hash = mixed_hash(mixed_hash(hash, call.bytes), call.read);
  for (const char letter : call.operation)
    hash = mixed_hash(hash, static_cast<unsigned char>(letter));
  for (const pattern::Completed& one : call.completed)
    hash = mixed_hash(hash, static_cast<std::uint32_t>(one.request) |
                                static_cast<std::uint64_t>(static_cast<std::uint32_t>(one.source)) << 32);
  for (const std::vector<std::uint64_t>* row : {&call.sent, &call.received})
    for (const std::uint64_t bytes : *row)
      hash = mixed_hash(hash, bytes);
  return hash;
}

std::size_t kept_bytes(const TracedCall& call) {
  return sizeof(call) + call.completed.size() * sizeof(pattern::Completed) +
         (call.sent.size() + call.received.size()) * sizeof(std::uint64_t);
}

} // namespace

CallLog& call_log() {
  return of_process<CallLog>();
}

std::uint64_t CallLog::now() const {
  return is_cpu_time_ ? observe::thread_cpu_ns() : observe::ticks();
}

void CallLog::begin(bool by_cpu_time) {
  is_cpu_time_ = by_cpu_time;
  clock_cost_ = ~std::uint64_t{0};
  for (int reading = 0; reading < 100; ++reading) {
    const std::uint64_t before = now();
    clock_cost_ = std::min(clock_cost_, now() - before);
  }
  thread_log().left = now();
}

ThreadLog& CallLog::thread_log() {
  static thread_local ThreadLog* own = nullptr;
  if (own == nullptr) [[unlikely]] {
    const std::lock_guard lock(mutex_);
    own = threads_.emplace_back(std::make_unique<ThreadLog>()).get();
  }
  return *own;
}

void CallLog::enter() {
  ThreadLog& thread = thread_log();
  const std::uint64_t entered = now();
  if (thread.left != 0)
    thread.computed += entered - std::min(entered, thread.left + clock_cost_);
}

void CallLog::leave() {
  thread_log().left = now();
}

void CallLog::forget_computation() {
  ThreadLog& thread = thread_log();
  thread.left = now();
  thread.computed = 0;
}

void CallLog::append(const TracedCall& call) {
  ThreadLog& thread = thread_log();
  if (thread.is_cut)
    return;
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    thread.is_cut = call_bytes_ > call_bytes_max;
    number = thread.is_cut ? 0 : number_of_call(call);
  }
  if (!thread.is_cut)
    thread.is_cut = !thread.folder.append(number, thread.computed);
  thread.computed = 0;
}

std::uint32_t CallLog::number_of_call(const TracedCall& call) {
  const std::uint64_t hash = hash_of(call);
  const auto [begin, end] = calls_.equal_range(hash);
  const auto known =
      std::find_if(begin, end, [&](const auto& one) { return rank_.calls[one.second] == call; });
  if (known != end)
    return known->second;
  const auto number = static_cast<std::uint32_t>(rank_.calls.size());
  rank_.calls.push_back(call);
  calls_.emplace(hash, number);
  call_bytes_ += kept_bytes(call);
  return number;
}

std::int32_t CallLog::take_request() {
  ThreadLog& thread = thread_log();
  const std::lock_guard lock(mutex_);
  const auto free = std::find(thread.requests.begin() + thread.taken_below, thread.requests.end(), false);
  const auto number = static_cast<std::int32_t>(free - thread.requests.begin());
  if (free == thread.requests.end())
    thread.requests.push_back(true);
  else
    *free = true;
  thread.taken_below = number + 1;
  return number;
}

void CallLog::give_request_back(ThreadLog& thread, std::int32_t request) {
  THALWEG_ASSERT(light, request >= 0 && static_cast<std::size_t>(request) < thread.requests.size());
  const std::lock_guard lock(mutex_);
  thread.requests[static_cast<std::size_t>(request)] = false;
  thread.taken_below = std::min(thread.taken_below, request);
}

std::uint32_t CallLog::number_of(CommunicatorState& communicator) {
  const std::lock_guard lock(mutex_);
  if (communicator.trace_number < 0) {
    communicator.trace_number = static_cast<std::int32_t>(rank_.communicators.size());
    rank_.communicators.push_back({communicator.id, communicator.world_ranks()});
  }
  return static_cast<std::uint32_t>(communicator.trace_number);
}

std::int32_t CallLog::world_rank_of(std::uint32_t number, int rank) const {
  const std::lock_guard lock(mutex_);
  THALWEG_ASSERT(light, number < rank_.communicators.size());
  const std::vector<std::int32_t>& members = rank_.communicators[number].members;
  return rank >= 0 && static_cast<std::size_t>(rank) < members.size()
             ? members[static_cast<std::size_t>(rank)]
             : -1;
}

void CallLog::count_lack(const char* what) {
  const std::lock_guard lock(mutex_);
  ++lacks_[what];
}

std::vector<std::pair<std::string, std::uint64_t>> CallLog::lacks() const {
  const std::lock_guard lock(mutex_);
  return {lacks_.begin(), lacks_.end()};
}

pattern::TracedRank CallLog::take(double ns_per_tick) {
  const std::lock_guard lock(mutex_);
  for (const auto& thread : threads_)
    rank_.threads.push_back({thread->folder.take(is_cpu_time_ ? 1 : ns_per_tick), thread->is_cut});
  return std::move(rank_);
}

} // namespace thalweg::mpi
