// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Questions that are answered: thalweg::query in a stream's list of items.

#include "thalweg/stream_frames.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace thalweg {

/// In a stream's list of items: ask(rank, question, note) calls the handler for `Query` there, which returns
/// an `Answer`. Then the handler for (Answer, Note) is called here. The note stays here meanwhile: of it, a
/// number travels. Without one the handler is given the answer alone.
template <typename Query, typename Answer, typename Note = std::monostate>
struct query {};

namespace detail {

/// Notes that askers keep until answers come. Freed entries are used last, so that notes lie in about the
/// order of the questions, which is that of the answers: memory is then traversed from one end to the other.
template <typename Note>
class notes {
public:
  std::uint32_t keep(Note note) {
    if (count_ == places_) [[unlikely]]
      grow();
    const std::uint32_t handle = free_[next_ & (places_ - 1)];
    ++next_;
    ++count_;
    notes_[handle] = std::move(note);
    return handle;
  }
  Note take(std::uint32_t handle) {
    free_[(next_ - count_) & (places_ - 1)] = handle;
    --count_;
    return std::move(notes_[handle]);
  }
  /// Questions that have no answer yet; those that a failed phase has lost count as well.
  std::size_t count() const { return count_; }

private:
  [[gnu::noinline]] void grow() {
    places_ = std::max<std::size_t>(2 * count_, 64);
    notes_.resize(places_);
    free_.resize(places_);
    next_ = 0;
    std::iota(free_.begin(), free_.end() - static_cast<std::ptrdiff_t>(count_),
              static_cast<std::uint32_t>(count_));
  }

  std::vector<Note> notes_;         ///< by handle
  std::vector<std::uint32_t> free_; ///< a ring: the first is at next_, and count_ are missing behind the last
  std::size_t places_ = 0;          ///< of both, a power of two
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

template <typename Query>
struct question {
  passed<Query> asked;
  std::uint32_t asker;
  std::uint32_t handle;
};
template <typename Answer>
struct reply {
  passed<Answer> answer;
  std::uint32_t handle;
};

/// An item behind a few words.
template <typename Item, typename... Words>
struct prefixed_format {
  static constexpr std::size_t before = (sizeof(Words) + ...);
  static constexpr std::size_t bytes = item_format<Item>::bytes == 0 ? 0 : before + item_format<Item>::bytes;

  static std::size_t write_behind(const Item& item, char* at, std::size_t room, const Words&... words) {
    const std::size_t ahead = std::min(before, room);
    const std::size_t needed = before + item_format<Item>::write(item, at + ahead, room - ahead);
    if (needed <= room) [[likely]]
      ((std::memcpy(at, &words, sizeof words), at += sizeof words), ...);
    return needed;
  }
  static const char* read_before(const char* at, Words&... words) {
    ((std::memcpy(&words, at, sizeof words), at += sizeof words), ...);
    return at;
  }
};

template <typename Kind>
struct question_format;
template <typename Kind>
struct answer_format;

template <typename Query, typename Answer, typename Note>
struct question_format<query<Query, Answer, Note>> : prefixed_format<Query, std::uint32_t, std::uint32_t> {
  using query_type = query<Query, Answer, Note>;
  using base = prefixed_format<Query, std::uint32_t, std::uint32_t>;

  static std::size_t write(const question<Query>& one, char* at, std::size_t room) {
    return base::write_behind(one.asked, at, room, one.asker, one.handle);
  }
  template <typename State, typename Handler>
  static void handle(State& state, Handler& handler, const char* at, std::size_t bytes) {
    std::uint32_t asker;
    std::uint32_t handle;
    at = base::read_before(at, asker, handle);
    item_format<Query>::read(at, bytes - base::before, [&](auto&& asked) {
      const Answer answer = handler(std::forward<decltype(asked)>(asked));
      state.template put<answer_format<query_type>>(asker, reply<Answer>{answer, handle});
    });
  }
};

template <typename Query, typename Answer, typename Note>
struct answer_format<query<Query, Answer, Note>> : prefixed_format<Answer, std::uint32_t> {
  using query_type = query<Query, Answer, Note>;
  using base = prefixed_format<Answer, std::uint32_t>;

  static std::size_t write(const reply<Answer>& one, char* at, std::size_t room) {
    return base::write_behind(one.answer, at, room, one.handle);
  }
  template <typename State, typename Handler>
  static void handle(State& state, Handler& handler, const char* at, std::size_t bytes) {
    std::uint32_t handle;
    at = base::read_before(at, handle);
    item_format<Answer>::read(at, bytes - base::before, [&](auto&& answer) {
      Note note = state.template of<query_type>().take(handle);
      if constexpr (std::is_same_v<Note, std::monostate>)
        handler(std::forward<decltype(answer)>(answer));
      else
        handler(std::forward<decltype(answer)>(answer), std::move(note));
    });
  }
};

} // namespace detail

} // namespace thalweg
