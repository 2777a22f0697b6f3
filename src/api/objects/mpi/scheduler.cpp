// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/scheduler.hpp"

#include "base/error.hpp"
#include "job/library/communicator.hpp"
#include "thalweg/error.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::objects {

namespace {

// Others' messages are taken in, and one's own are sent, after so much work: some 20 us.
constexpr std::uint64_t ticks_between_looks = 50'000;
// What travels along the stream. Larger ones are copied once less by MPI.
constexpr std::uint32_t max_stream_message = 16U << 10;
// What MPI counts.
constexpr std::size_t max_combined_bytes = std::size_t{INT_MAX} - sizeof(thalweg_message);

Room room_of(thalweg_objects_room& room) {
  return {room.next, room.end};
}

} // namespace

Scheduler::Scheduler(MPI_Comm communicator)
    : group_(job::duplicate(communicator, "array"), nullptr, false),
      control_(group_.channels().transport(), group_.channels().make_mailbox(), group_.channels().policy()),
      queues_{MessageQueue(room_of(view_.queue[0])), MessageQueue(room_of(view_.queue[1]))},
      frames_([this](const thalweg_message& head, const char* arguments) { take(head, arguments); }),
      large_(group_.communicator(), [this](MessageMemory memory, std::size_t bytes) {
        thalweg_message head;
        std::memcpy(&head, memory.get(), sizeof head);
        const bool is_urgent = (head.entry & THALWEG_OBJECTS_URGENT) != 0;
        queues_[is_urgent ? 0 : 1].adopt(std::move(memory), aligned(bytes));
        ++taken_;
      }) {
  const thalweg_stream_options options{};
  const thalweg_stream_handler handler = frames_.handler();
  detail::check(thalweg_stream_create(group_.communicator(), &options, &handler, &stream_));
  detail::check(thalweg_stream_set_name(stream_, "objects"));
  view_.stream = thalweg_stream_view_of(stream_);
  frames_.attach(view_.stream);
  constexpr std::uint32_t max_tag = 4;
  view_.max_bytes = std::min(max_stream_message, view_.stream->max_item_bytes - max_tag);
  view_.rank = static_cast<std::uint32_t>(group_.rank());
  view_.ranks = static_cast<std::uint32_t>(group_.ranks());
}

Scheduler::~Scheduler() {
  thalweg_stream_free(&stream_);
}

std::uint16_t Scheduler::add(const thalweg_objects_array& array, std::uint64_t signature) {
  must_not_run("a message makes an array");
  const auto all = control_.run(control_.allgather(signature));
  const auto other = std::ranges::find_if(all, [&](std::uint64_t one) { return one != all.front(); });
  if (other != all.end())
    throw Error(fmt::format("ranks 0 and {} make different arrays", other - all.begin()),
                "make the same arrays in the same order, of the same shape and of one program's types",
                thalweg_error_mismatch);
  const auto number = static_cast<std::uint16_t>(arrays_.size());
  if (number == combined_array)
    throw Error("too many arrays were made", "keep arrays instead of making them anew");
  arrays_.emplace_back(array);
  return number;
}

void Scheduler::must_not_run(const char* what) const {
  if (is_running_)
    throw Error(what, "do so where no message runs: in the main program");
}

void Scheduler::set_remarks(const std::string& lines) {
  detail::check(thalweg_stream_set_remarks(stream_, lines.c_str()));
}

char* Scheduler::begin_large(std::size_t bytes) {
  open_large_ = message_memory(aligned(bytes));
  open_large_bytes_ = bytes;
  return open_large_.get();
}

void Scheduler::send_large(std::uint32_t rank) {
  const bool is_near = view_.stream->shares_memory != 0 && group_.near_rank(static_cast<Rank>(rank)) >= 0;
  const LargeAnnouncement message = large_.send(rank, std::move(open_large_), open_large_bytes_, is_near);
  send_control(static_cast<Rank>(rank), announcement, &message, sizeof message);
  ++view_.sent;
}

void Scheduler::send_control(Rank rank, Notice what, const void* from, std::size_t bytes) {
  const thalweg_message head{.bytes = static_cast<std::uint32_t>(bytes),
                             .array = control_array,
                             .entry = what,
                             .element = THALWEG_OBJECTS_NOBODY,
                             .source = view_.rank};
  char* const at = frames_.place(static_cast<std::uint32_t>(rank), sizeof head + head.bytes);
  std::memcpy(at, &head, sizeof head);
  if (bytes != 0)
    std::memcpy(at + sizeof head, from, bytes);
  frames_.let_go(static_cast<std::uint32_t>(rank), true);
}

void Scheduler::take(const thalweg_message& head, const char* arguments) {
  if (head.array == control_array) {
    take_control(head, arguments);
    return;
  }
  ++taken_;
  const bool is_urgent = (head.entry & THALWEG_OBJECTS_URGENT) != 0;
  char* const at = queues_[is_urgent ? 0 : 1].place(sizeof head + aligned(head.bytes));
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at + sizeof head, arguments, head.bytes);
}

// A message like others: so it is counted, and may be large.
void Scheduler::send_combined(Rank rank, std::uint16_t holder_entry,
                              std::span<const std::span<const char>> pieces) {
  std::size_t bytes = 0;
  for (const auto& piece : pieces)
    bytes += piece.size();
  if (bytes > max_combined_bytes)
    throw Error(fmt::format("a bracket has {} B for rank {}", bytes, rank), "end it more often");
  const thalweg_message head{.bytes = static_cast<std::uint32_t>(bytes),
                             .array = combined_array,
                             .entry = holder_entry,
                             .element = THALWEG_OBJECTS_NOBODY,
                             .source = view_.rank};
  const auto to = static_cast<std::uint32_t>(rank);
  const bool is_large = sizeof head + bytes > view_.max_bytes;
  char* at = is_large ? begin_large(sizeof head + bytes) : frames_.place(to, sizeof head + bytes);
  std::memcpy(at, &head, sizeof head);
  at += sizeof head;
  for (const auto& piece : pieces) {
    std::memcpy(at, piece.data(), piece.size());
    at += piece.size();
  }
  if (is_large) {
    send_large(to);
    return;
  }
  ++view_.sent;
  frames_.let_go(to, false);
}

void Scheduler::take_announcement(std::uint32_t source, const char* arguments) {
  LargeAnnouncement message;
  std::memcpy(&message, arguments, sizeof message);
  const bool is_copied = large_.announced(source, message);
  if (message.address != 0)
    send_control(static_cast<Rank>(source), is_copied ? copied : uncopied, nullptr, 0);
}

void Scheduler::take_control(const thalweg_message& head, const char* arguments) {
  switch (head.entry) {
  case announcement:
    take_announcement(head.source, arguments);
    break;
  case copied:
  case uncopied:
    large_.answered(head.source, head.entry == copied);
    break;
  default:
    has_failed(static_cast<Rank>(head.source), std::string(arguments, head.bytes));
  }
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
  constexpr std::size_t max_text = 2000;
  const std::size_t bytes = std::min(std::strlen(why), max_text);
  has_failed(group_.rank(), std::string(why, bytes));
  for (Rank rank = 0; rank < group_.ranks(); ++rank)
    if (rank != group_.rank())
      send_control(rank, failed, why, bytes);
}

void Scheduler::record_exchanged() {
  constexpr std::uint32_t one_of = 17; // no period of programs
  view_.sampled = one_of;
}

void Scheduler::sample(std::uint16_t array, std::uint32_t element, std::size_t bytes) {
  constexpr int array_bits = 32;
  exchanged_[{std::uint64_t{view_.running_array} << array_bits | view_.running,
              std::uint64_t{array} << array_bits | element}] += static_cast<double>(view_.sampled * bytes);
}

std::vector<Exchanged> Scheduler::take_exchanged() {
  constexpr int array_bits = 32;
  std::vector<Exchanged> all;
  all.reserve(exchanged_.size());
  for (const auto& [pair, bytes] : exchanged_)
    all.push_back({static_cast<std::uint16_t>(pair.first >> array_bits),
                   static_cast<std::uint16_t>(pair.second >> array_bits),
                   static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second), bytes});
  exchanged_.clear();
  return all;
}

// Nothing of the program's runs any more, but elements that are on their way come.
std::size_t Scheduler::save(const thalweg_message& message) {
  if (message.array < arrays_.size() && arrays_[message.array])
    arrays_[message.array]->save(arrays_[message.array]->context, &message);
  return 0;
}

std::size_t Scheduler::run(const thalweg_message& message) {
  if (message.array < arrays_.size() && arrays_[message.array]) {
    const thalweg_objects_array& array = *arrays_[message.array];
    array.run(array.context, &message);
  } else if (message.array == combined_array && holder_ != nullptr) {
    try {
      return holder_->take(message.entry, reinterpret_cast<const char*>(&message + 1), message.bytes);
    } catch (const std::exception& thrown) {
      fail(thrown.what());
    }
  }
  return 0;
}

void Scheduler::run_one() {
  MessageQueue& queue = queues_[queues_[0].is_empty() ? 1 : 0];
  const auto* const message = reinterpret_cast<const thalweg_message*>(queue.front());
  const std::size_t bytes = sizeof *message + aligned(message->bytes);
  std::size_t left = 0;
  view_.load = nullptr;
  view_.stream->in_handler = 1; // a link without a free buffer is no reason to wait
  is_running_ = true;
  running_queue_ = &queue;
  left = failure_ ? save(*message) : run(*message);
  is_running_ = false;
  view_.stream->in_handler = 0;
  if (left != 0)
    queue.share_front();
  queue.pop(bytes - left);
  const std::uint64_t took = load_clock_.lap();
  if (view_.load != nullptr)
    *view_.load += took;
}

// What waits in links may be what another rank waits for.
void Scheduler::look_after_others() {
  detail::check(thalweg_stream_flush(stream_));
  const auto at_once = [](void*) { return 1; };
  detail::check(
      thalweg_stream_wait(stream_, at_once, nullptr)); // unlike progress() it never gives the core away
  large_.progress();
  load_clock_.restart();
  looked_ticks_ = load_clock_.last();
}

void Scheduler::run_all(bool takes_in) {
  load_clock_.restart();
  looked_ticks_ = load_clock_.last();
  while (has_messages()) {
    run_one();
    if (takes_in && load_clock_.last() - looked_ticks_ > ticks_between_looks)
      look_after_others();
  }
}

void Scheduler::flush() {
  detail::check(thalweg_stream_flush(stream_));
  large_.progress();
}

void Scheduler::progress() {
  must_not_run("a message asks for progress");
  const std::uint64_t begin_ns = wait::System::now_ns();
  look_after_others();
  run_all(false);
  detail::check(thalweg_stream_flush(stream_));
  running_ns_ += wait::System::now_ns() - begin_ns;
}

void Scheduler::finish() {
  must_not_run("a message waits for the end of all");
  const std::uint64_t begin_ns = wait::System::now_ns();
  run_until_quiet();
  running_ns_ += wait::System::now_ns() - begin_ns;
  if (const auto failure = std::exchange(failure_, std::nullopt)) {
    for (const auto& array : arrays_)
      if (array)
        array->begin_anew(array->context);
    throw Error(fmt::format("on rank {}, {}", failure->rank, failure->why),
                "messages that were left are lost: end, or begin anew", thalweg_error_handler);
  }
}

control::Verdict Scheduler::run_until_verdict() {
  const auto counts = [this] {
    return control::Counts{view_.sent, taken_, holder_ == nullptr ? 0 : holder_->held()};
  };
  control::TaskRun<control::Verdict> rounds(control_, control_.quiet([this] { return is_idle(); }, counts));
  std::pair<Scheduler*, control::TaskRun<control::Verdict>*> both{this, &rounds};
  const auto reached = [](void* context) {
    const auto& [self, running] = *static_cast<decltype(both)*>(context);
    self->large_.progress();
    return int{self->has_messages() || running->look() != wait::Look::nothing};
  };
  for (;;) {
    run_all(true);
    if (rounds.look() == wait::Look::reached)
      return rounds.result();
    detail::check(thalweg_stream_flush(stream_));
    detail::check(thalweg_stream_wait(stream_, reached, &both));
  }
}

void Scheduler::run_until_quiet() {
  control::Verdict verdict = control::Verdict::again;
  while (verdict != control::Verdict::quiet) {
    verdict = run_until_verdict();
    if (holder_ != nullptr)
      holder_->begin_epoch(!failure_);
  }
  detail::check(thalweg_stream_finish(stream_));
  ++view_.quiet;
}

} // namespace thalweg::objects
