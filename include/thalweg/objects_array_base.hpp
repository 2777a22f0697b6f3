#pragma once

// What an array is without its elements' type: where they are, how messages get to them, and the tasks that
// wait. thalweg/objects.hpp is what programs use.

#include "thalweg/error.hpp"
#include "thalweg/locators.hpp"
#include "thalweg/objects.h"
#include "thalweg/objects_entries.hpp"
#include "thalweg/objects_tasks.hpp"
#include "thalweg/stream_items.hpp"

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace thalweg::detail {

/// What an array knows of an element that is here.
struct element_record {
  explicit element_record(std::uint32_t number_of) : number(number_of) {}
  virtual ~element_record() = default;
  element_record(const element_record&) = delete;
  element_record& operator=(const element_record&) = delete;

  std::uint32_t number;
  std::uint32_t reductions = 0; ///< that it has taken part in
  std::uint32_t tasks = 0;      ///< that wait
  std::uint64_t load = 0;       ///< what its messages took since the last fence
};

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
  std::uint32_t rank_of(std::uint32_t number) const {
    if (find(number) != nullptr)
      return view_->rank;
    if (!elsewhere_.empty()) [[unlikely]]
      if (const auto known = elsewhere_.find(number); known != elsewhere_.end())
        return known->second;
    return static_cast<std::uint32_t>(homes_(number));
  }
  element_record* find(std::uint32_t number) const {
    const std::uint32_t place = number - first_;
    if (place < home_.size()) [[likely]]
      return home_[place].get();
    if (guests_.empty()) [[likely]]
      return nullptr;
    const auto guest = guests_.find(number);
    return guest == guests_.end() ? nullptr : guest->second.get();
  }

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

  void start(task begun, element_record& element, const char* name);
  void resume(task::handle waiting);
  void resume_soon(task::handle waiting) {
    send_to<arguments<task::handle>>(view_->rank, waiting.promise().element->number, *resume_entry_, 0,
                                     waiting);
  }
  /// On the rank that an element has come from, and on those that ask there: where it is.
  void is_now_on(std::uint32_t number, std::uint32_t rank) {
    if (find(number) == nullptr)
      elsewhere_[number] = rank;
  }

protected:
  array_base(MPI_Comm communicator, std::uint64_t elements);
  ~array_base();

  /// Writes a message of a known size where it goes first.
  template <typename Write>
  void put(std::uint32_t rank, const thalweg_message& head, Write&& write);
  void run(const thalweg_message& message) noexcept;
  void forward(const thalweg_message& message);
  virtual std::string text_of(std::uint32_t number) const = 0;
  /// What is thrown fails all ranks' finish().
  template <typename Work>
  void guarded(const char* what, std::uint32_t number, Work&& work) noexcept;
  [[gnu::cold]] void fail(const char* what, std::uint32_t number, const char* why) const;
  /// Those whose home is here.
  template <typename Use>
  void each_home(Use&& use) const {
    for (std::uint32_t place = 0; place < home_.size(); ++place)
      use(first_ + place);
  }
  /// Elements that may move now, with their loads, which begin anew. SIZE_MAX: none, on any rank.
  std::size_t list(std::uint32_t* elements, std::uint64_t* loads) const;
  /// An element that was on another rank. Its home is told.
  void has_entered(std::unique_ptr<element_record> made);
  void find_tree(std::span<const std::uint64_t> counts);
  std::size_t count() const { return count_; }
  void insert(std::unique_ptr<element_record> made);
  void erase(std::uint32_t number);
  template <typename Use>
  void each_record(Use&& use) const {
    for (const auto& one : home_)
      if (one)
        use(*one);
    for (const auto& [number, one] : guests_)
      use(*one);
  }

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
  element_record* current_ = nullptr; ///< whose message runs
  std::map<std::uint32_t, std::unique_ptr<any_reduction>> reductions_;

private:
  const char* running_ = "";
  block_locator homes_;
  std::uint32_t first_ = 0; ///< of the elements whose home is here
  std::vector<std::unique_ptr<element_record>> home_;
  std::unordered_map<std::uint32_t, std::unique_ptr<element_record>> guests_;
  std::unordered_map<std::uint32_t, std::uint32_t> elsewhere_; ///< elements that are not at home
  std::size_t count_ = 0;
  std::vector<std::uint32_t> populated_;
  std::size_t position_ = 0;
  std::vector<task::promise_type*> tasks_;
};

inline array_base::array_base(MPI_Comm communicator, std::uint64_t elements) : homes_(1, 1) {
  check(thalweg_objects_open(communicator, &objects_));
  view_ = thalweg_objects_view_of(objects_);
  if (elements >= THALWEG_OBJECTS_ALL)
    throw error(thalweg_error_invalid_argument, "array", rank(), std::to_string(elements) + " elements",
                "make fewer than 2^32 - 2");
  homes_ = block_locator(elements, ranks());
  first_ = static_cast<std::uint32_t>(homes_.first(rank()));
  home_.resize(homes_.count(rank()));
  std::vector<std::uint64_t> counts;
  for (int other = 0; other < ranks(); ++other)
    counts.push_back(homes_.count(other));
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

inline void array_base::insert(std::unique_ptr<element_record> made) {
  const std::uint32_t number = made->number;
  elsewhere_.erase(number);
  const std::uint32_t place = number - first_;
  (place < home_.size() ? home_[place] : guests_[number]) = std::move(made);
  ++count_;
}

inline void array_base::erase(std::uint32_t number) {
  const std::uint32_t place = number - first_;
  if (place < home_.size())
    home_[place].reset();
  else
    guests_.erase(number);
  --count_;
}

inline std::size_t array_base::list(std::uint32_t* elements, std::uint64_t* loads) const {
  std::size_t count = 0;
  each_record([&](element_record& one) {
    const std::uint64_t load = std::exchange(one.load, 0);
    if (one.tasks != 0) // tasks stay where they wait
      return;
    elements[count] = one.number;
    loads[count++] = load;
  });
  return reductions_.empty() ? count : SIZE_MAX;
}

inline void array_base::has_entered(std::unique_ptr<element_record> made) {
  const std::uint32_t number = made->number;
  const auto home = static_cast<std::uint32_t>(homes_(number));
  insert(std::move(made));
  if (home != view_->rank)
    send_to<arguments<std::uint32_t, std::uint32_t>>(home, THALWEG_OBJECTS_NOBODY, *moved_entry_, 0, number,
                                                     view_->rank);
}

template <typename Write>
void array_base::put(std::uint32_t rank, const thalweg_message& head, Write&& write) {
  const std::size_t bytes = sizeof head + head.bytes;
  char* at = nullptr;
  if (rank == view_->rank) {
    const int queue = (head.entry & THALWEG_OBJECTS_URGENT) != 0 ? 0 : 1;
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
}

// A copy, as the message may be in a queue that grows.
inline void array_base::forward(const thalweg_message& message) {
  const auto* const arguments = reinterpret_cast<const char*>(&message + 1);
  const std::uint32_t rank = rank_of(message.element);
  put(rank, message, [&](char* at) { std::memcpy(at, arguments, message.bytes); });
  // Whoever called knows better the next time.
  if (message.source != view_->rank)
    send_to<detail::arguments<std::uint32_t, std::uint32_t>>(message.source, THALWEG_OBJECTS_NOBODY,
                                                             *moved_entry_, 0, message.element, rank);
}

inline void array_base::run(const thalweg_message& message) noexcept {
  const entry& what = *(*entries_)[message.entry & ~THALWEG_OBJECTS_URGENT];
  const auto* const base = reinterpret_cast<const char*>(&message + 1);
  running_ = what.name.c_str();
  guarded(nullptr, message.element, [&] {
    if (message.element == THALWEG_OBJECTS_NOBODY) {
      current_ = nullptr;
      what.run(*this, nullptr, message.source, base, message.bytes);
    } else if (message.element == THALWEG_OBJECTS_ALL) {
      each_record([&](const element_record& one) {
        thalweg_message head = message;
        head.element = one.number;
        put(view_->rank, head, [&](char* at) { std::memcpy(at, base, message.bytes); });
      });
    } else if (element_record* const element = find(message.element)) {
      current_ = element;
      view_->load = &element->load;
      what.run(*this, element, message.source, base, message.bytes);
      current_ = nullptr;
    } else {
      forward(message);
    }
  });
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

inline void array_base::fail(const char* what, std::uint32_t number, const char* why) const {
  const std::string who = number < THALWEG_OBJECTS_ALL ? " of element " + text_of(number) : "";
  thalweg_objects_fail(objects_, ((what == nullptr ? running_ : what) + who + " threw: " + why).c_str());
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

inline void array_base::resume(task::handle waiting) {
  running_ = waiting.promise().name;
  waiting.resume();
  if (!waiting.done())
    return;
  const task::promise_type& ended = waiting.promise();
  --ended.element->tasks;
  tasks_.back()->place = ended.place;
  tasks_[ended.place] = tasks_.back();
  tasks_.pop_back();
  const std::exception_ptr failure = ended.failure;
  waiting.destroy();
  if (failure)
    std::rethrow_exception(failure);
}

/// Entries of arrays of all types.
struct resume_kind {
  static std::string name() { return "a task that goes on"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    array.resume(std::get<0>(arguments<task::handle>::read(base, bytes)));
  }
};
struct moved_kind {
  static std::string name() { return "where an element is"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto [number, rank] = arguments<std::uint32_t, std::uint32_t>::read(base, bytes);
    array.is_now_on(number, rank);
  }
};

inline void resume_soon(task::handle waiting) {
  waiting.promise().array->resume_soon(waiting);
}

} // namespace thalweg::detail
