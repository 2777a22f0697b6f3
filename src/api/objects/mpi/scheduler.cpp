// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/scheduler.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "job/library/mpi_library.hpp"
#include "objects/mpi/rank_messages.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace thalweg::objects {

namespace {

Room room_of(thalweg_objects_room& room) {
  return {room.next, room.end};
}

constexpr int array_bits = 32;

std::uint64_t key_of(std::uint16_t array, std::uint32_t element) {
  return std::uint64_t{array} << array_bits | element;
}

} // namespace

std::uint16_t Arrays::add(const thalweg_objects_array& array, std::uint64_t signature,
                          control::Control& ranks) {
  const auto all = ranks.run(ranks.allgather(signature));
  const auto other = std::ranges::find_if(all, [&](std::uint64_t one) { return one != all.front(); });
  if (other != all.end())
    throw Error(fmt::format("ranks 0 and {} make different arrays", other - all.begin()),
                "make the same arrays in the same order, of the same shape and of one program's types",
                thalweg_error_mismatch);
  const auto number = static_cast<std::uint16_t>(all_.size());
  if (number == combined_array)
    throw Error("too many arrays were made", "keep arrays instead of making them anew");
  THALWEG_ASSERT(light, array.run != nullptr && array.count != nullptr);
  all_.emplace_back(array);
  return number;
}

void Arrays::begin_anew() const {
  for (const auto& array : all_)
    if (array)
      array->begin_anew(array->context);
}

void CallSample::begin() {
  constexpr std::uint32_t one_of = 17; // no period of programs
  view_.sampled = one_of;
}

void CallSample::add(std::uint16_t array, std::uint32_t element, std::size_t bytes) {
  THALWEG_ASSERT(normal, view_.sampled != 0);
  bytes_[{key_of(static_cast<std::uint16_t>(view_.running_array), view_.running), key_of(array, element)}] +=
      static_cast<double>(view_.sampled * bytes);
}

std::vector<ElementTraffic> CallSample::take() {
  std::vector<ElementTraffic> all;
  all.reserve(bytes_.size());
  for (const auto& [pair, bytes] : bytes_)
    all.push_back({static_cast<std::uint16_t>(pair.first >> array_bits),
                   static_cast<std::uint16_t>(pair.second >> array_bits),
                   static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second), bytes});
  bytes_.clear();
  return all;
}

Scheduler::Scheduler(MPI_Comm communicator)
    : group_(job::duplicate(communicator, "array"), nullptr, true, false),
      control_(group_.channels().transport(), group_.channels().make_mailbox(), group_.channels().policy()),
      queues_(room_of(view_.queue[0]), room_of(view_.queue[1])), sample_(view_),
      messages_(group_, view_, queues_,
                [this](Rank from, std::string why) { has_failed(from, std::move(why)); }) {}

std::uint16_t Scheduler::add(const thalweg_objects_array& array, std::uint64_t signature) {
  must_not_run("a message makes an array");
  return arrays_.add(array, signature, control_);
}

void Scheduler::must_not_run(const char* what) const {
  if (is_running())
    throw Error(what, "do so where no message runs: in the main program");
}

// All tell all, and what the first rank says counts.
void Scheduler::has_failed(Rank rank, std::string why) {
  if (failure_ && failure_->rank <= rank)
    return;
  failure_ = {rank, std::move(why)};
}

void Scheduler::fail(const char* why) {
  if (failure_ && failure_->rank == group_.rank())
    return;
  THALWEG_ASSERT(normal, why != nullptr);
  constexpr std::size_t max_text = 2000;
  const std::span said(why, std::min(std::strlen(why), max_text));
  has_failed(group_.rank(), std::string(said.data(), said.size()));
  for (Rank rank = 0; rank < group_.ranks(); ++rank)
    if (rank != group_.rank())
      messages_.send_notice(rank, Notice::failed, said);
}

// After a failure nothing of the program's runs any more, but elements that are on their way come.
std::size_t Scheduler::run(const thalweg_message& message) {
  if (const thalweg_objects_array* const array = arrays_.of(message)) {
    (failure_ ? array->save : array->run)(array->context, &message);
  } else if (message.array == combined_array && holder_ != nullptr && !failure_) {
    try {
      return holder_->take(message.entry, reinterpret_cast<const char*>(&message + 1), message.bytes);
    } catch (const std::exception& thrown) {
      fail(thrown.what());
    }
  }
  return 0;
}

void Scheduler::run_one() {
  MessageQueue& queue = queues_.next();
  const auto* const message = reinterpret_cast<const thalweg_message*>(queue.front());
  const std::size_t bytes = sizeof *message + aligned(message->bytes);
  view_.load = nullptr;
  view_.stream->in_handler = 1; // a link without a free buffer is no reason to wait
  running_queue_ = &queue;
  const std::size_t left = run(*message);
  running_queue_ = nullptr;
  view_.stream->in_handler = 0;
  THALWEG_ASSERT(normal, left < bytes);
  if (left != 0)
    queue.share_front();
  queue.pop(bytes - left);
  const std::uint64_t took = load_clock_.lap();
  if (view_.load != nullptr)
    *view_.load += took;
}

// What waits in links may be what another rank waits for.
void Scheduler::look_after_others() {
  messages_.flush();
  messages_.look();
  messages_.progress_large();
  load_clock_.restart();
  pace_.look(load_clock_.last());
}

void Scheduler::run_all(bool takes_in) {
  load_clock_.restart();
  pace_.look(load_clock_.last());
  while (!queues_.are_empty()) {
    run_one();
    pace_.run(load_clock_.last());
    if (takes_in && pace_.is_look_due(load_clock_.last()))
      look_after_others();
  }
}

void Scheduler::flush() {
  messages_.flush();
  messages_.progress_large();
}

void Scheduler::progress() {
  must_not_run("a message asks for progress");
  const std::uint64_t begin_ns = wait::System::now_ns();
  look_after_others();
  run_all(false);
  messages_.flush();
  running_ns_ += wait::System::now_ns() - begin_ns;
}

void Scheduler::finish() {
  must_not_run("a message waits for the end of all");
  const std::uint64_t begin_ns = wait::System::now_ns();
  run_until_quiet();
  running_ns_ += wait::System::now_ns() - begin_ns;
  if (const auto failure = std::exchange(failure_, std::nullopt)) {
    arrays_.begin_anew();
    throw Error(fmt::format("on rank {}, {}", failure->rank, failure->why),
                "messages that were left are lost: end, or begin anew", thalweg_error_handler);
  }
}

control::Verdict Scheduler::run_until_verdict() {
  pace_.begin(load_clock_.ticks());
  const auto counts = [this] {
    return control::Counts{view_.sent, messages_.taken(), holder_ == nullptr ? 0 : holder_->held()};
  };
  control::TaskRun<control::Verdict> rounds(
      control_,
      control_.quiet([this] { return is_idle() && pace_.has_rested(load_clock_.ticks()); }, counts));
  const std::function<bool()> has_work = [&] {
    messages_.progress_large();
    return !queues_.are_empty() || rounds.look() != wait::Look::nothing;
  };
  for (;;) {
    run_all(true);
    messages_.flush(); // first of all: others wait for them
    if (rounds.look() == wait::Look::reached)
      return rounds.result();
    messages_.wait_for(has_work);
  }
}

void Scheduler::run_until_quiet() {
  control::Verdict verdict = control::Verdict::again;
  while (verdict != control::Verdict::quiet) {
    verdict = run_until_verdict();
    if (holder_ != nullptr)
      holder_->begin_epoch(!failure_);
  }
  THALWEG_ASSERT(normal, is_idle() && (holder_ == nullptr || holder_->held() == 0));
  messages_.finish();
}

} // namespace thalweg::objects
