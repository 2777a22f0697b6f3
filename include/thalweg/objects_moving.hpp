#pragma once

// Elements as bytes, for those that move. thalweg/objects.hpp is what programs use.

#include "thalweg/objects_calls.hpp"

namespace thalweg::detail {

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

template <typename Element>
struct moving_element {
  static constexpr bool is_copied = !requires { sizeof(serializer<Element>); };
  static_assert(!is_copied || std::is_trivially_copyable_v<Element>,
                "include thalweg/stream_serialized.hpp for an element with serialize(), or specialize "
                "thalweg::serializer for it");

  /// Writes it, if it needs no more than `room`, and gives what it needs.
  static std::size_t pack(element_record& record, void* to, std::size_t room) noexcept {
    byte_writer writer(static_cast<char*>(to), room);
    writer.write(&record.reductions, sizeof record.reductions);
    try {
      if constexpr (is_copied)
        writer.write(&value_of<Element>(record), sizeof(Element));
      else
        serializer<Element>::write(value_of<Element>(record), writer);
    } catch (...) {
      return SIZE_MAX;
    }
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

} // namespace thalweg::detail
