// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements on their way to other ranks. Programs include thalweg/objects.hpp.

#include "thalweg/objects_array_base.hpp"

#include <type_traits>
#include <utility>

namespace thalweg::detail {

/// An element in its array.
template <typename Element>
struct element_slot final : element_record {
  template <typename Make>
  element_slot(std::uint32_t number_of, Make&& make) : element_record(number_of), value(make()) {}
  Element value;
};
template <typename Element>
Element& value_of(element_record& record) {
  return static_cast<element_slot<Element>&>(record).value;
}

/// Those that have a serializer, or say that their bytes may be copied: `static constexpr bool moves = true`.
template <typename Element>
constexpr bool may_move = requires {
  sizeof(serializer<Element>);
};
template <typename Element>
requires requires {
  Element::moves;
}
constexpr bool may_move<Element> = Element::moves;

/// Stands before an element on its way.
struct luggage_tag {
  std::uint32_t number = 0;
  std::uint32_t reductions = 0;
  std::uint32_t moves = 0;
  std::uint32_t anchor = 0;
  std::uint64_t load = 0;
  std::uint64_t brackets = 0;

  explicit luggage_tag(const element_record& of)
      : number(of.number), reductions(of.reductions), moves(of.moves + 1), anchor(of.anchor), load(of.load),
        brackets(of.brackets) {}
  explicit luggage_tag(const char* from) { std::memcpy(this, from, sizeof *this); }
  void attach(element_record& to) const {
    to.reductions = reductions;
    to.moves = moves;
    to.anchor = anchor;
    to.load = load;
    to.brackets = static_cast<std::uint32_t>(brackets);
  }
};

template <typename Element>
struct moving_element {
  static constexpr bool is_copied = !requires { sizeof(serializer<Element>); };
  static_assert(!is_copied || std::is_trivially_copyable_v<Element>,
                "include thalweg/stream_serialized.hpp for an element with serialize(), or specialize "
                "thalweg::serializer for it");

  /// Writes the element, if it needs no more than `room`, and returns the bytes that it needs.
  static std::size_t pack(element_record& record, void* to, std::size_t room) {
    byte_writer writer(static_cast<char*>(to), room);
    const luggage_tag tag(record);
    writer.write(&tag, sizeof tag);
    if constexpr (is_copied)
      writer.write(&value_of<Element>(record), sizeof(Element));
    else
      serializer<Element>::write(value_of<Element>(record), writer);
    return writer.needed();
  }
  static Element unpack(byte_reader& from) {
    if constexpr (is_copied) {
      alignas(Element) char copy[sizeof(Element)];
      from.read(copy, sizeof copy);
      return *reinterpret_cast<Element*>(copy);
    } else {
      return serializer<Element>::read(from);
    }
  }
};

/// An element is told to move; the request queues behind messages that were sent to it before.
struct migrate_kind {
  static std::string name() { return "a move to another rank"; }
  static void run(array_base& array, element_record* element, std::uint32_t, const char* base,
                  std::size_t bytes) {
    array.depart(*element, std::get<0>(arguments<std::uint32_t>::read(base, bytes)));
  }
};
struct arrive_kind {
  static std::string name() { return "an element that arrives"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    array.arrive(base, bytes);
  }
};
/// Another rank wants to know where an element is.
struct where_kind {
  static std::string name() { return "a question for an element"; }
  static void run(array_base& array, element_record*, std::uint32_t source, const char* base,
                  std::size_t bytes) {
    array.answer_where(std::get<0>(arguments<std::uint32_t>::read(base, bytes)), source);
  }
};

inline void array_base::depart(element_record& element, std::uint32_t to) {
  element.wanted = element.tasks != 0 ? to : element_record::nowhere; // tasks stay where they wait
  if (element.tasks != 0 || to == view_->rank)
    return;
  const std::uint32_t number = element.number;
  const element_places::known word{to, element.moves + 1};
  const std::size_t bytes = functions_.pack(functions_.context, number, nullptr, 0);
  if (bytes == SIZE_MAX)
    throw error(thalweg_error_handler, "migrate", rank(), unsettled(), "see why its serializer throws");
  if (bytes >= std::numeric_limits<std::uint32_t>::max())
    throw error(thalweg_error_handler, "migrate", rank(),
                "element " + failures_.text_of(number) + " is too large",
                "elements move that are below 4 GiB");
  if (sizeof(thalweg_message) + bytes > view_->max_bytes) // other messages will be there before it
    report_place(to, number, word);
  put(to, arrival_of(bytes), [&](char* at) { functions_.pack(functions_.context, number, at, bytes); });
  view_->load = nullptr; // it went with the element
  ++view_->departed;
  places_.erase(number);
  places_.hear(number, word);
}

inline void array_base::settle(const char* from, std::size_t bytes) {
  put(places_.home_of(luggage_tag(from).number), arrival_of(bytes),
      [&](char* at) { std::memcpy(at, from, bytes); });
}

inline void array_base::arrive(const char* from, std::size_t bytes) {
  functions_.enter(functions_.context, luggage_tag(from).number, from, bytes);
}

inline void array_base::has_entered(std::unique_ptr<element_record> made) {
  const std::uint32_t number = made->number;
  const element_places::known word{view_->rank, made->moves};
  made->brackets &= bracket_bits_.living();
  const std::uint32_t home = places_.home_of(number);
  places_.insert(std::move(made));
  if (home != view_->rank)
    report_place(home, number, word);
  release(number);
}

inline void array_base::is_on(std::uint32_t number, const element_places::known& word) {
  if (places_.hear(number, word) && word.rank != view_->rank)
    release(number);
}

inline void array_base::release(std::uint32_t number) {
  for (const std::vector<char>& one : early_.take(number)) {
    thalweg_message head;
    std::memcpy(&head, one.data(), sizeof head);
    put(rank_of(number), head, [&](char* at) { std::memcpy(at, one.data() + sizeof head, head.bytes); });
  }
}

} // namespace thalweg::detail
