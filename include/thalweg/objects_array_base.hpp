// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The part of an array that does not depend on its elements' type: where they are, how messages reach them,
// and the tasks that wait. Programs include thalweg/objects.hpp.

#include "thalweg/objects.h"
#include "thalweg/objects_failures.hpp"
#include "thalweg/objects_messages.hpp"
#include "thalweg/objects_places.hpp"
#include "thalweg/objects_tasks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::detail {

struct any_reduction {
  explicit any_reduction(const std::type_info& type) : kind(type) {}
  virtual ~any_reduction() = default;
  any_reduction(const any_reduction&) = delete;
  any_reduction& operator=(const any_reduction&) = delete;
  const std::type_info& kind; ///< operation and value
};

/// Reductions under way, by their numbers, and the tree along which they are combined: of the ranks that have
/// elements, in the order of their numbers.
class array_reductions {
public:
  /// Elements have moved, or were made: so many has each rank. `rank`: this one.
  void use_tree(std::span<const std::uint64_t> counts, std::uint32_t rank) {
    populated_.clear();
    for (std::uint32_t other = 0; other < counts.size(); ++other) {
      if (other == rank)
        position_ = populated_.size();
      if (counts[other] != 0)
        populated_.push_back(other);
    }
  }
  std::size_t children() const {
    const std::size_t first = arity * position_ + 1;
    return first >= populated_.size() ? 0 : std::min(arity, populated_.size() - first);
  }
  std::uint32_t child(std::size_t number) const { return populated_[arity * position_ + 1 + number]; }
  std::uint32_t parent() const { return populated_[(position_ - 1) / arity]; }
  bool is_root() const { return position_ == 0; }

  /// Null where it has not begun.
  std::unique_ptr<any_reduction>& operator[](std::uint32_t number) { return under_way_[number]; }
  void erase(std::uint32_t number) { under_way_.erase(number); }
  bool are_any() const { return !under_way_.empty(); }
  void clear() { under_way_.clear(); }

private:
  static constexpr std::size_t arity = 4;
  std::map<std::uint32_t, std::unique_ptr<any_reduction>> under_way_;
  std::vector<std::uint32_t> populated_;
  std::size_t position_ = 0;
};

/// Messages for elements that are on their way to this rank.
class early_messages {
public:
  void keep(const thalweg_message& message) {
    const auto* const begin = reinterpret_cast<const char*>(&message);
    kept_[message.element].emplace_back(begin, begin + sizeof message + message.bytes);
  }
  /// Those of an element, in order, which are not kept any more.
  std::vector<std::vector<char>> take(std::uint32_t number) {
    if (kept_.empty()) [[likely]]
      return {};
    auto kept = kept_.extract(number);
    return kept.empty() ? std::vector<std::vector<char>>() : std::move(kept.mapped());
  }

private:
  std::unordered_map<std::uint32_t, std::vector<std::vector<char>>> kept_;
};

/// The entries that an array's messages may name. `where` and `arrive`: null where elements do not move.
struct array_entries {
  const std::vector<entry*>* all = nullptr;
  const entry* resume = nullptr;
  const entry* moved = nullptr;
  const entry* where = nullptr;
  const entry* arrive = nullptr;

  const entry& of(const thalweg_message& message) const {
    return *(*all)[message.entry & ~THALWEG_OBJECTS_URGENT];
  }
  /// Messages that tell positions of elements, or bring elements.
  bool moves_elements(const entry& one) const { return &one == arrive || &one == moved || &one == where; }
};

class array_base : public array_messages {
public:
  /// The rank that a message for this element goes to first: where it is, or where somebody knows it.
  std::uint32_t rank_of(std::uint32_t number) const { return places_.rank_of(number); }
  element_record* find(std::uint32_t number) const { return places_.find(number); }

  /// Calls an entry for an element. `Traveling`: its arguments.
  template <typename Traveling, typename... Values>
  void send(std::uint32_t number, const entry& what, std::uint16_t flags, const Values&... values) {
    send_to<Traveling>(rank_of(number), number, what, flags, values...);
  }
  /// Whose entry method runs, or null.
  element_record* current() const { return current_; }
  std::uint32_t unused_bracket_bits() const { return bracket_bits_.unused(view_->quiet); }
  void begin_association(std::uint32_t bit) { bracket_bits_.take(bit); }
  void end_association(std::uint32_t bit) {
    bracket_bits_.end(bit, view_->quiet);
    places_.each_record([bit](element_record& one) { one.brackets &= ~bit; });
  }

  /// Something of an element waits, so that it stays here; as often as it is released.
  void hold(element_record& element) { ++element.tasks; }
  void release_hold(element_record& element) {
    if (--element.tasks == 0 && element.wanted != element_record::nowhere) [[unlikely]]
      depart(element, element.wanted);
  }
  /// Elements that wait do not want to move any more when they have waited.
  void forget_moves() {
    places_.each_record([](element_record& one) { one.wanted = element_record::nowhere; });
  }
  /// A message has failed, and none is left: tasks end whose messages are lost, reductions and brackets begin
  /// anew. Messages that wait in an inbox stay.
  void begin_anew();
  void start(task begun, element_record& element, const char* name);
  void resume(task::handle waiting);
  void resume_soon(task::handle waiting) {
    send_to<arguments<task::handle>>(view_->rank, waiting.promise().element->number, *entries_.resume, 0,
                                     waiting);
  }
  /// An element goes to another rank: at once, or when none of its tasks waits any more.
  void depart(element_record& element, std::uint32_t to);
  void arrive(const char* from, std::size_t bytes);
  /// Where an element is, or will be in a moment.
  void is_on(std::uint32_t number, const element_places::known& word);
  /// Says so to who asks.
  void report_place(std::uint32_t rank, std::uint32_t number, const element_places::known& word) {
    send_to<arguments<std::uint32_t, element_places::known>>(rank, THALWEG_OBJECTS_NOBODY, *entries_.moved, 0,
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

  void run(const thalweg_message& message) noexcept;
  /// Runs only messages that tell positions of elements.
  void save(const thalweg_message& message) noexcept;
  void forward(const thalweg_message& message);
  /// Elements that may move now, with loads, which begin anew. SIZE_MAX: none, anywhere. No room: only that.
  std::size_t list(std::size_t room, std::uint32_t* elements, std::uint64_t* loads) const;
  /// Why elements cannot be written now, or null.
  const char* unsettled();
  /// Sends an element to its home.
  void settle(const char* from, std::size_t bytes);
  /// An element that was on another rank. Its home is told.
  void has_entered(std::unique_ptr<element_record> made);
  /// Elements have moved at a fence, or before it: so many has each rank now.
  void fenced(std::span<const std::uint64_t> counts);

  thalweg_objects_array functions_{};
  array_entries entries_;
  array_failures failures_{objects_, functions_};
  element_record* current_ = nullptr; ///< whose message runs
  element_places places_;
  array_reductions reductions_;
  bracket_bits bracket_bits_;

private:
  void release(std::uint32_t number);
  thalweg_message arrival_of(std::size_t bytes) const {
    return {static_cast<std::uint32_t>(bytes), number_, entries_.arrive->number, THALWEG_OBJECTS_NOBODY,
            view_->rank};
  }

  early_messages early_;
  task_list tasks_;
};

inline array_base::array_base(MPI_Comm communicator, std::uint64_t elements)
    : array_messages(communicator, elements), places_(elements, view_->rank, ranks()) {
  std::vector<std::uint64_t> counts;
  for (int other = 0; other < ranks(); ++other)
    counts.push_back(places_.homes().count(other));
  reductions_.use_tree(counts, view_->rank);
}

inline array_base::~array_base() {
  if (number_ != std::numeric_limits<std::uint16_t>::max())
    thalweg_objects_remove(objects_, number_);
}

inline void array_base::fenced(std::span<const std::uint64_t> counts) {
  reductions_.use_tree(counts, view_->rank);
  places_.anchor();
  places_.each_hearsay([&](std::uint32_t number) {
    send_to<arguments<std::uint32_t>>(places_.home_of(number), THALWEG_OBJECTS_NOBODY, *entries_.where, 0,
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
  return reductions_.are_any() ? SIZE_MAX : count;
}

/// A copy, as the message may be in a queue that grows.
inline void array_base::forward(const thalweg_message& message) {
  const auto* const arguments = reinterpret_cast<const char*>(&message + 1);
  const element_places::known* const word = places_.heard_of(message.element);
  const std::uint32_t rank = rank_of(message.element);
  if (rank == view_->rank) {
    early_.keep(message);
    return;
  }
  put(rank, message, [&](char* at) { std::memcpy(at, arguments, message.bytes); });
  if (word != nullptr && message.source != view_->rank) // whoever called knows better the next time
    report_place(message.source, message.element, *word);
}

inline void array_base::run(const thalweg_message& message) noexcept {
  const entry& what = entries_.of(message);
  const auto* const base = reinterpret_cast<const char*>(&message + 1);
  failures_.runs(what.name.c_str());
  failures_.guarded(nullptr, message.element, [&] {
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

inline void array_base::save(const thalweg_message& message) noexcept {
  if (entries_.moves_elements(entries_.of(message)))
    run(message);
}

inline void array_base::begin_anew() {
  forget_moves();
  tasks_.each_lost([this](task::handle lost) { release_hold(tasks_.remove(lost)); });
  reductions_.clear();
  places_.each_record([](element_record& one) { one.reductions = one.brackets = 0; });
}

inline const char* array_base::unsettled() {
  std::string why = reductions_.are_any() ? "elements have not all taken part in a reduction" : "";
  places_.each_record([&](const element_record& one) {
    if (one.tasks != 0)
      why = "a task of element " + failures_.text_of(one.number) + " waits";
  });
  if (const task::promise_type* const waiting = tasks_.first())
    why = "element " + failures_.text_of(waiting->element->number) + " waits in " + waiting->name;
  return failures_.unsettled(std::move(why));
}

inline void array_base::start(task begun, element_record& element, const char* name) {
  const task::handle made = begun.release();
  task::promise_type& promise = made.promise();
  promise.array = this;
  promise.element = &element;
  promise.name = name;
  tasks_.add(promise);
  hold(element);
  resume(made);
}

inline void array_base::resume(task::handle waiting) {
  failures_.runs(waiting.promise().name);
  waiting.resume();
  if (!waiting.done())
    return;
  const std::exception_ptr failure = waiting.promise().failure;
  release_hold(tasks_.remove(waiting));
  if (failure)
    std::rethrow_exception(failure);
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
