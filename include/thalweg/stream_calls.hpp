// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The calls that a stream has for each of its types, inlined into the program: send() and ask().

#include "thalweg/stream_state.hpp"

#include <concepts>
#include <cstdint>
#include <span>

namespace thalweg::detail {

/// Anything that gives the rank which holds an element, as those of thalweg/locators.hpp do.
template <typename Locator>
concept locates = requires(const Locator& locator, std::uint64_t index) {
  { locator(index) } -> std::convertible_to<int>;
};

/// `Entry` is an item, or thalweg::combined. Calls that it does not support exist for the stream's
/// declarations.
template <typename Stream, typename Entry>
class stream_calls {
  using item = typename item_kind<Entry>::item;

public:
  void send(int rank, const item& one) {
    auto& self = static_cast<Stream&>(*this);
    self.check_rank(rank);
    if (item_kind<Entry>::send(self.state_, static_cast<std::uint32_t>(rank), one)) [[unlikely]]
      self.progress();
  }
  void send(std::span<const int> ranks, std::span<const item> items) {
    for (std::size_t i = 0; i < items.size(); ++i)
      send(ranks[i], items[i]);
  }
  template <locates Locator>
  void send(const Locator& locator, std::uint64_t index, const item& one) {
    send(static_cast<int>(locator(index)), one);
  }
  void ask(Entry*) = delete;
};

template <typename Stream, typename Query, typename Answer, typename Note>
class stream_calls<Stream, query<Query, Answer, Note>> {
  using self_type = query<Query, Answer, Note>;

public:
  void send(self_type*) = delete;
  void ask(int rank, const Query& asked, Note note = {}) {
    auto& self = static_cast<Stream&>(*this);
    self.check_rank(rank);
    auto& state = self.state_;
    const std::uint32_t handle = state.template of<self_type>().keep(std::move(note));
    const question<Query> one{asked, state.view().rank, handle};
    state.template put<question_format<self_type>>(static_cast<std::uint32_t>(rank), one);
  }
  template <locates Locator>
  void ask(const Locator& locator, std::uint64_t index, const Query& asked, Note note = {}) {
    ask(static_cast<int>(locator(index)), asked, std::move(note));
  }
};

} // namespace thalweg::detail
