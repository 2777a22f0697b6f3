// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The part of an array that does not depend on its elements' type: where they are, how messages reach them,
// and the tasks that wait. Programs include thalweg/objects.hpp.

#include "thalweg/error.hpp"
#include "thalweg/objects.h"
#include "thalweg/objects_entries.hpp"
#include "thalweg/objects_places.hpp"
#include "thalweg/objects_tasks.hpp"
#include "thalweg/stream_items.hpp"

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace thalweg::detail {

struct any_reduction {
  explicit any_reduction(const std::type_info& type) : kind(type) {}
  virtual ~any_reduction() = default;
  any_reduction(const any_reduction&) = delete;
  any_reduction& operator=(const any_reduction&) = delete;
  const std::type_info& kind; ///< operation and value
};

class array_base {
public:
  array_base(const array_base&) = delete;
  array_base& operator=(const array_base&) = delete;

  int rank() const { return static_cast<int>(view_->rank); }
  int ranks() const { return static_cast<int>(view_->ranks); }

  /// The rank that a message for this element goes to first: where it is, or where somebody knows it.
  std::uint32_t rank_of(std::uint32_t number) const { return places_.rank_of(number); }
  element_record* find(std::uint32_t number) const { return places_.find(number); }

  /// Calls an entry for an element. `Traveling`: its arguments.
  template <typename Traveling, typename... Values>
  void send(std::uint32_t number, const entry& what, std::uint16_t flags, const Values&... values) {
    send_to<Traveling>(rank_of(number), number, what, flags, values...);
  }
  /// The same for a rank: THALWEG_OBJECTS_NOBODY, or _ALL.
  template <typename Traveling, typename... Values>
  void send_to(std::uint32_t rank, std::uint32_t number, const entry& what, std::uint16_t flags,
               const Values&... values) {
    const std::size_t bytes = Traveling::bytes(values...);
    const thalweg_message head{static_cast<std::uint32_t>(bytes), number_,
                               static_cast<std::uint16_t>(what.number | flags), number, view_->rank};
    put(rank, head, [&](char* at) { Traveling::write(at, values...); });
  }

  /// The same in an open bracket of an element of this rank, for another rank: it may wait there for others.
  template <typename Traveling, typename... Values>
  void deposit(std::uint16_t association, std::uint32_t from, std::uint32_t rank, std::uint32_t number,
               const entry& what, const Values&... values);

  /// The same for several other ranks. False: each has to get its own.
  template <typename Traveling, typename... Values>
  bool deposit_multicast(std::uint16_t association, std::uint32_t from, const elements_by_rank& by_rank,
                         const entry& what, const Values&... values);

  thalweg_objects* objects() const { return objects_; }
  std::uint16_t number() const { return number_; }
  /// Whose entry method runs, or null.
  element_record* current() const { return current_; }
  std::uint32_t unused_bracket_bits() const { return bracket_bits_.unused(view_->quiet); }
  void begin_association(std::uint32_t bit) { bracket_bits_.take(bit); }
  void end_association(std::uint32_t bit) {
    bracket_bits_.end(bit, view_->quiet);
    places_.each_record([bit](element_record& one) { one.brackets &= ~bit; });
  }
  /// Sends all calls made so far, also during an entry method.
  void flush() { check(thalweg_objects_flush(objects_)); }

  /// Something of an element waits, so that it stays here; as often as it is released.
  void hold(std::uint32_t number) { ++find(number)->tasks; }
  void release_hold(std::uint32_t number) { ended(*find(number)); }
  /// Elements that wait do not want to move any more when they have waited.
  void forget_moves() {
    places_.each_record([](element_record& one) { one.wanted = element_record::nowhere; });
  }
  /// A message has failed, and none is left: tasks end whose messages are lost, reductions and brackets begin
  /// anew. Tasks that wait in an inbox stay.
  void begin_anew();
  void start(task begun, element_record& element, const char* name);
  void resume(task::handle waiting);
  void resume_soon(task::handle waiting) {
    send_to<arguments<task::handle>>(view_->rank, waiting.promise().element->number, *resume_entry_, 0,
                                     waiting);
  }
  /// An element goes to another rank: at once, or when none of its tasks waits any more.
  void depart(element_record& element, std::uint32_t to);
  void arrive(const char* from, std::size_t bytes);
  /// The rank where an element is, or will be in a moment.
  void is_on(std::uint32_t number, const element_places::known& word);
  /// Says so to who asks.
  void report_place(std::uint32_t rank, std::uint32_t number, const element_places::known& word) {
    send_to<arguments<std::uint32_t, element_places::known>>(rank, THALWEG_OBJECTS_NOBODY, *moved_entry_, 0,
                                                             number, word);
  }
  void answer_where(std::uint32_t number, std::uint32_t asker) {
    const element_places::known* const word = places_.heard_of(number);
    if (word != nullptr)
      report_place(asker, number, *word);
    else if (const element_record* const here = find(number))
      report_place(asker, number, {view_->rank, here->moves});
  }

protected:
  array_base(MPI_Comm communicator, std::uint64_t elements);
  ~array_base();

  /// Writes a message of a known size where it goes first.
  template <typename Write>
  void put(std::uint32_t rank, const thalweg_message& head, Write&& write);
  void run(const thalweg_message& message) noexcept;
  /// Runs only messages that tell positions of elements.
  void save(const thalweg_message& message) noexcept;
  void forward(const thalweg_message& message);
  std::string text_of(std::uint32_t number) const;
  /// An exception fails all ranks' finish().
  template <typename Work>
  void guarded(const char* what, std::uint32_t number, Work&& work) noexcept;
  [[gnu::cold]] void fail(const char* what, std::uint32_t number, const char* why) const;
  /// Elements that may move now, with loads, which begin anew. SIZE_MAX: none, anywhere. No room: only that.
  std::size_t list(std::size_t room, std::uint32_t* elements, std::uint64_t* loads) const;
  /// Why elements cannot be written now, or null.
  const char* unsettled();
  /// The result of `write`, or SIZE_MAX if it throws, and unsettled() gives the reason once.
  template <typename Write>
  std::size_t written(std::uint32_t number, Write&& write) noexcept;
  /// Sends an element to its home.
  void settle(const char* from, std::size_t bytes);
  /// An element that was on another rank. Its home is told.
  void has_entered(std::unique_ptr<element_record> made);
  /// Elements have moved at a fence, or before it: so many has each rank now.
  void fenced(std::span<const std::uint64_t> counts);

  /// The ranks that have elements are a tree, for reductions.
  static constexpr std::size_t arity = 4;
  std::size_t tree_children() const {
    const std::size_t first = arity * position_ + 1;
    return first >= populated_.size() ? 0 : std::min(arity, populated_.size() - first);
  }
  std::uint32_t tree_child(std::size_t child) const { return populated_[arity * position_ + 1 + child]; }
  std::uint32_t tree_parent() const { return populated_[(position_ - 1) / arity]; }
  bool is_tree_root() const { return position_ == 0; }

  thalweg_objects* objects_ = nullptr;
  thalweg_objects_view* view_ = nullptr;
  std::uint16_t number_ = std::numeric_limits<std::uint16_t>::max();
  const std::vector<entry*>* entries_ = nullptr;
  const entry* resume_entry_ = nullptr;
  const entry* moved_entry_ = nullptr;
  const entry* where_entry_ = nullptr;
  const entry* arrive_entry_ = nullptr;
  thalweg_objects_array functions_{};
  element_record* current_ = nullptr; ///< whose message runs
  element_places places_;
  std::map<std::uint32_t, std::unique_ptr<any_reduction>> reductions_;
  bracket_bits bracket_bits_;

private:
  void find_tree(std::span<const std::uint64_t> counts);
  void ended(element_record& element);
  /// Destroys a task.
  element_record& remove(task::handle of);
  void keep(const thalweg_message& message);
  void sample(const thalweg_message& head);
  void release(std::uint32_t number);
  thalweg_message arrival_of(std::size_t bytes) const {
    return {static_cast<std::uint32_t>(bytes), number_, arrive_entry_->number, THALWEG_OBJECTS_NOBODY,
            view_->rank};
  }

  const char* running_ = "";
  std::string unsettled_;
  std::string unwritten_; ///< why an element was not written
  /// Messages for elements that are on their way to this rank.
  std::unordered_map<std::uint32_t, std::vector<std::vector<char>>> kept_;
  std::vector<std::uint32_t> populated_;
  std::size_t position_ = 0;
  std::vector<task::promise_type*> tasks_;
};

inline thalweg_objects* opened(MPI_Comm communicator, std::uint64_t elements) {
  if (elements >= THALWEG_OBJECTS_ALL)
    throw error(thalweg_error_invalid_argument, "array", -1, std::to_string(elements) + " elements",
                "make fewer than 2^32 - 2");
  thalweg_objects* objects = nullptr;
  check(thalweg_objects_open(communicator, &objects));
  return objects;
}

inline array_base::array_base(MPI_Comm communicator, std::uint64_t elements)
    : objects_(opened(communicator, elements)), view_(thalweg_objects_view_of(objects_)),
      places_(elements, view_->rank, ranks()) {
  std::vector<std::uint64_t> counts;
  for (int other = 0; other < ranks(); ++other)
    counts.push_back(places_.homes().count(other));
  find_tree(counts);
}

inline array_base::~array_base() {
  if (number_ != std::numeric_limits<std::uint16_t>::max())
    thalweg_objects_remove(objects_, number_);
  for (const task::promise_type* waiting : tasks_)
    task::handle::from_promise(const_cast<task::promise_type&>(*waiting)).destroy();
  thalweg_objects_close(&objects_);
}

inline void array_base::find_tree(std::span<const std::uint64_t> counts) {
  populated_.clear();
  for (std::uint32_t other = 0; other < counts.size(); ++other) {
    if (other == view_->rank)
      position_ = populated_.size();
    if (counts[other] != 0)
      populated_.push_back(other);
  }
}

inline void array_base::fenced(std::span<const std::uint64_t> counts) {
  find_tree(counts);
  places_.anchor();
  places_.each_hearsay([&](std::uint32_t number) {
    send_to<arguments<std::uint32_t>>(places_.home_of(number), THALWEG_OBJECTS_NOBODY, *where_entry_, 0,
                                      number);
  });
}

inline std::size_t array_base::list(std::size_t room, std::uint32_t* elements, std::uint64_t* loads) const {
  std::size_t count = 0;
  if (room != 0)
    places_.each_record([&](element_record& one) {
      const std::uint64_t load = std::exchange(one.load, 0);
      if (one.tasks != 0) // tasks stay where they wait
        return;
      elements[count] = one.number;
      loads[count++] = load;
    });
  return reductions_.empty() ? count : SIZE_MAX;
}

template <typename Work>
void array_base::guarded(const char* what, std::uint32_t number, Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception& thrown) {
    fail(what, number, thrown.what());
  } catch (...) {
    fail(what, number, "what is no std::exception");
  }
}

template <typename Write>
void array_base::put(std::uint32_t rank, const thalweg_message& head, Write&& write) {
  const std::size_t bytes = sizeof head + head.bytes;
  char* at = nullptr;
  if (view_->sampled != 0) [[unlikely]]
    sample(head);
  const bool is_urgent = (head.entry & THALWEG_OBJECTS_URGENT) != 0;
  if (rank == view_->rank) {
    const int queue = is_urgent ? 0 : 1;
    thalweg_objects_room& room = view_->queue[queue];
    const std::size_t whole = align_up(bytes, sizeof head);
    if (static_cast<std::size_t>(room.end - room.next) < whole) [[unlikely]]
      check(thalweg_objects_refill(objects_, queue, whole));
    at = room.next;
    room.next += whole;
  } else if (bytes > view_->max_bytes) [[unlikely]] {
    check(thalweg_objects_begin_large(objects_, bytes, &at));
    std::memcpy(at, &head, sizeof head);
    write(at + sizeof head);
    check(thalweg_objects_send_large(objects_, rank));
    return;
  } else {
    ++view_->sent;
    view_->stream->has_sent = 1;
    if (view_->stream->dimensions == 1) [[likely]]
      at = place_in(*view_->stream, rank, bytes);
    else
      check(thalweg_objects_place(objects_, rank, bytes, &at));
  }
  std::memcpy(at, &head, sizeof head);
  write(at + sizeof head);
  // Whoever calls may compute for long.
  if (rank != view_->rank)
    let_go(*view_->stream, first_link(*view_->stream, rank), is_urgent);
}

// Calls of elements by elements. (Forwarded messages, and those to oneself, do not count.)
inline void array_base::sample(const thalweg_message& head) {
  if (view_->load == nullptr || head.element >= THALWEG_OBJECTS_ALL || ++view_->unsampled < view_->sampled)
    return;
  view_->unsampled = 0;
  thalweg_objects_sample(objects_, number_, head.element, sizeof head + head.bytes);
}

// A copy, as the message may be in a queue that grows.
inline void array_base::forward(const thalweg_message& message) {
  const auto* const arguments = reinterpret_cast<const char*>(&message + 1);
  const element_places::known* const word = places_.heard_of(message.element);
  const std::uint32_t rank = rank_of(message.element);
  if (rank == view_->rank) {
    keep(message);
    return;
  }
  put(rank, message, [&](char* at) { std::memcpy(at, arguments, message.bytes); });
  if (word != nullptr && message.source != view_->rank) // whoever called knows better the next time
    report_place(message.source, message.element, *word);
}

inline void array_base::run(const thalweg_message& message) noexcept {
  const entry& what = *(*entries_)[message.entry & ~THALWEG_OBJECTS_URGENT];
  const auto* const base = reinterpret_cast<const char*>(&message + 1);
  running_ = what.name.c_str();
  guarded(nullptr, message.element, [&] {
    if (message.element == THALWEG_OBJECTS_NOBODY) {
      what.run(*this, nullptr, message.source, base, message.bytes);
    } else if (message.element == THALWEG_OBJECTS_ALL) {
      places_.each_anchored([&](std::uint32_t number) {
        thalweg_message head = message;
        head.element = number;
        put(rank_of(number), head, [&](char* at) { std::memcpy(at, base, message.bytes); });
      });
    } else if (element_record* const element = find(message.element)) {
      current_ = element;
      view_->load = &element->load;
      view_->running = message.element;
      view_->running_array = number_;
      what.run(*this, element, message.source, base, message.bytes);
    } else {
      forward(message);
    }
  });
  current_ = nullptr;
}

inline void array_base::start(task begun, element_record& element, const char* name) {
  const task::handle made = begun.release();
  task::promise_type& promise = made.promise();
  promise.array = this;
  promise.element = &element;
  promise.name = name;
  promise.place = tasks_.size();
  tasks_.push_back(&promise);
  ++element.tasks;
  resume(made);
}

inline void array_base::ended(element_record& element) {
  if (--element.tasks == 0 && element.wanted != element_record::nowhere) [[unlikely]]
    depart(element, element.wanted);
}

inline void array_base::resume(task::handle waiting) {
  running_ = waiting.promise().name;
  waiting.resume();
  if (!waiting.done())
    return;
  const std::exception_ptr failure = waiting.promise().failure;
  ended(remove(waiting));
  if (failure)
    std::rethrow_exception(failure);
}

inline element_record& array_base::remove(task::handle of) {
  const task::promise_type& gone = of.promise();
  element_record& element = *gone.element;
  tasks_.back()->place = gone.place;
  tasks_[gone.place] = tasks_.back();
  tasks_.pop_back();
  of.destroy();
  return element;
}

struct resume_kind {
  static std::string name() { return "a task that goes on"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    array.resume(std::get<0>(arguments<task::handle>::read(base, bytes)));
  }
};
struct moved_kind {
  static std::string name() { return "where an element is"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto [number, word] = arguments<std::uint32_t, element_places::known>::read(base, bytes);
    array.is_on(number, word);
  }
};

inline void resume_soon(task::handle waiting) {
  waiting.promise().array->resume_soon(waiting);
}

} // namespace thalweg::detail
