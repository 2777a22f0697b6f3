// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// State of a stream for the kinds of items that it carries, and the way of arriving ones to their handlers.
// Programs include thalweg/stream.hpp.

#include "thalweg/stream_combining.hpp"
#include "thalweg/stream_frames.hpp"
#include "thalweg/stream_questions.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace thalweg::detail {

template <typename... Formats>
struct format_list {
  static constexpr std::size_t count = sizeof...(Formats);
};
template <typename... Left, typename... Right>
format_list<Left..., Right...> operator+(format_list<Left...>, format_list<Right...>);

template <typename Format, typename... Formats>
consteval std::size_t index_of(format_list<Formats...>) {
  constexpr bool same[] = {std::is_same_v<Format, Formats>...};
  return static_cast<std::size_t>(std::ranges::find(same, true) - same);
}

/// Properties of one of a stream's types: the travel of its items, and the state kept for it.
template <typename Item>
struct item_kind {
  using item = Item;
  using formats = format_list<item_format<Item>>;
  struct kept {};

  /// Gives whether it is time for progress().
  template <typename State>
  static bool send(State& state, std::uint32_t rank, const Item& item) {
    state.template put<item_format<Item>>(rank, item);
    return false;
  }
};

template <typename Item, typename Rule, std::size_t places>
struct item_kind<combined<Item, Rule, places>> {
  using item = Item;
  using formats = format_list<item_format<Item>>;
  using kept = combining_cache<Item, Rule, places>;

  template <typename State>
  static bool send(State& state, std::uint32_t rank, const Item& item) {
    const bool is_time = state.template of<combined<Item, Rule, places>>().add(
        rank, item,
        [&state](std::uint32_t to, Item evicted) { state.template put<item_format<Item>>(to, evicted); });
    state.has_held();
    return is_time && state.view().in_handler == 0;
  }
};

template <typename Query, typename Answer, typename Note>
struct item_kind<query<Query, Answer, Note>> {
  using item = Query;
  using self = query<Query, Answer, Note>;
  using formats = format_list<question_format<self>, answer_format<self>>;
  using kept = notes<Note>;
};

template <typename Entry>
constexpr bool is_combined = false;
template <typename Item, typename Rule, std::size_t places>
constexpr bool is_combined<combined<Item, Rule, places>> = true;

template <typename Entry>
constexpr bool is_query = false;
template <typename Query, typename Answer, typename Note>
constexpr bool is_query<query<Query, Answer, Note>> = true;

template <typename... Entries>
class stream_state {
public:
  using formats = decltype((format_list<>() + ... + typename item_kind<Entries>::formats()));
  using first_item = typename item_kind<std::tuple_element_t<0, std::tuple<Entries...>>>::item;
  /// Of items that are all alike, and travel without heads; 0: they do not.
  static constexpr std::size_t bare_bytes = formats::count == 1 ? item_format<first_item>::bytes : 0;
  static constexpr bool is_bare = bare_bytes != 0;
  static constexpr bool may_hold = (is_combined<Entries> || ...);

  void attach(thalweg_stream_view* view) {
    view_ = view;
    frames_.attach(view);
  }
  thalweg_stream_view& view() { return *view_; }
  const thalweg_stream_view& view() const { return *view_; }
  frames<formats::count>& framed() { return frames_; }
  template <typename Entry>
  auto& of() {
    return std::get<slot<Entry>>(kept_).kept;
  }

  template <typename Format, typename Item>
  void put(std::uint32_t rank, const Item& item) {
    if constexpr (is_bare)
      detail::put(*view_, rank, item);
    else
      frames_.template put<Format>(rank, index_of<Format>(formats()), item);
  }

  std::size_t unanswered() const { return (unanswered_of<Entries>() + ...); }

  /// Puts all that is held back into links.
  void release() { (release_of<Entries>(), ...); }
  /// The same where handlers may have sent: nobody comes by again when a phase ends.
  void release_handlers() {
    if (!has_held_in_handler_)
      return;
    const std::uint32_t was_in_handler = std::exchange(view_->in_handler, 1U);
    release();
    has_held_in_handler_ = false;
    view_->in_handler = was_in_handler;
  }
  void discard() {
    (discard_of<Entries>(), ...);
    has_held_in_handler_ = false;
  }
  void has_held() { has_held_in_handler_ |= view_->in_handler != 0; }

private:
  template <typename Entry>
  struct slot {
    typename item_kind<Entry>::kept kept;
  };

  template <typename Entry>
  std::size_t unanswered_of() const {
    if constexpr (is_query<Entry>)
      return std::get<slot<Entry>>(kept_).kept.count();
    else
      return 0;
  }

  template <typename Entry>
  void release_of() {
    if constexpr (is_combined<Entry>) {
      using item = typename item_kind<Entry>::item;
      of<Entry>().release([this](std::uint32_t to, item evicted) { put<item_format<item>>(to, evicted); });
    }
  }

  template <typename Entry>
  void discard_of() {
    if constexpr (is_combined<Entry>)
      of<Entry>().discard();
  }

  thalweg_stream_view* view_ = nullptr;
  frames<formats::count> frames_;
  std::tuple<slot<Entries>...> kept_;
  bool has_held_in_handler_ = false;
};

/// Frames: each goes to the handler for its kind.
template <typename State, typename Handler>
class frame_sink final : public any_sink {
public:
  frame_sink(Handler handler, State* state) : handler_(std::move(handler)), state_(*state) {}
  thalweg_stream_handler functions() override {
    return {.context = this,
            .deliver = deliver,
            .forward = forward,
            .release = State::may_hold ? release : nullptr,
            .resend = resend};
  }

private:
  using formats = typename State::formats;
  using frames_of_state = frames<formats::count>;

  const char* handle(const char* at) {
    const auto head = frames_of_state::head_at(at);
    return take_kind(formats(), head, at + sizeof head);
  }

  /// The next item begins at a place that depends on this one's head. But while items of a known size keep
  /// coming, processors predict it, and need not wait for that. (Two ranks and 8 B items: 4.2 ns an item, or
  /// 2.8.)
  template <typename Format, typename... Formats, typename Head>
  const char* take_kind(format_list<Format, Formats...>, Head head, const char* at) {
    using heads = frames_of_state::head;
    constexpr std::size_t kind = formats::count - sizeof...(Formats) - 1;
    constexpr std::size_t known_bytes = Format::bytes <= heads::max_bytes ? Format::bytes : 0;
    if (known_bytes != 0 ? head == heads::make(kind, known_bytes)
                         : heads::kind(head) == kind && head != heads::part) {
      const std::size_t bytes = known_bytes != 0 ? known_bytes : heads::bytes(head);
      take<Format>(at, bytes);
      return at + bytes;
    }
    return take_kind(format_list<Formats...>(), head, at);
  }
  template <typename Head>
  [[gnu::noinline]] const char* take_kind(format_list<>, Head, const char* at) {
    return state_.framed().take_part(at, [this](std::size_t kind, const char* item, std::size_t bytes) {
      take_whole(formats(), kind, item, bytes);
    });
  }
  template <typename... Formats>
  void take_whole(format_list<Formats...>, std::size_t kind, const char* at, std::size_t bytes) {
    std::size_t number = 0;
    (void)((kind == number++ && (take<Formats>(at, bytes), true)) || ...);
  }

  template <typename Format>
  void take(const char* at, std::size_t bytes) {
    if constexpr (requires { typename Format::query_type; })
      Format::handle(state_, handler_, at, bytes);
    else
      Format::read(at, bytes, [this](auto&& item) { handler_(std::forward<decltype(item)>(item)); });
  }

  void discard() override { state_.discard(); }

  static int deliver(void* context, const char* items, std::size_t bytes) {
    auto& sink = *static_cast<frame_sink*>(context);
    return sink.guarded([&] {
      for (const char *at = items, *end = items + bytes; at < end;)
        at = sink.handle(at);
      sink.state_.release_handlers();
    });
  }

  static int forward(void* context, const char* items, std::size_t bytes, std::uint32_t dimension) {
    auto& sink = *static_cast<frame_sink*>(context);
    return sink.guarded([&] {
      for (const char *at = items, *end = items + bytes; at < end;)
        at = sink.route(at, dimension + 1);
      sink.state_.release_handlers();
    });
  }

  static int release(void* context) {
    auto& sink = *static_cast<frame_sink*>(context);
    return sink.guarded([&] { sink.state_.release(); });
  }

  static int resend(void* context, const char* items, std::size_t bytes, std::uint32_t odd) {
    auto& sink = *static_cast<frame_sink*>(context);
    return sink.guarded([&] {
      thalweg_stream_view& view = *sink.view_;
      for (const char *at = items, *end = items + bytes; at < end;) {
        const char* const frame = at + sizeof(std::uint32_t);
        view.has_sent = 1;
        at = put_frame(view, first_place(view, deferred_rank(at, odd)), frame,
                       frames_of_state::bytes_at(frame));
      }
    });
  }

  const char* route(const char* at, std::uint32_t dimension) {
    thalweg_stream_view& view = *view_;
    const hop next = next_hop(view, read_tag(view, at), dimension);
    at += view.tag_bytes;
    const thalweg_stream_dimension& last = view.dimension[view.dimensions - 1];
    if (next.is_last && next.link == last.first_link + last.own) {
      view.delivered_bytes += frames_of_state::bytes_at(at);
      view.in_handler = 1;
      at = handle(at);
      view.in_handler = 0;
      return at;
    }
    const frame_place place{next, next.is_last ? 0U : view.tag_bytes};
    return put_frame(view, place, at, frames_of_state::bytes_at(at));
  }

  Handler handler_;
  State& state_;
};

} // namespace thalweg::detail
