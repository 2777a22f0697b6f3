// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements that are called together. Programs include thalweg/objects.hpp.

#include "thalweg/objects_calls.hpp"

#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace thalweg {

/// How a section's call gets to its ranks (Kumar 2005, table 6.1): from the caller to each; from each to the
/// next; or along a binary tree of them. A rank's own elements are called where the message comes.
enum class section_route { direct, ring, tree };

namespace detail {

/// A call of a section whose arguments ranks have in common: before them stand each one's elements.
template <typename Element, auto method, typename Traveling = typename method_of<decltype(method)>::traveling>
struct multicast_entry;
template <typename Element, auto method, typename... Types>
struct multicast_entry<Element, method, arguments<Types...>> {
  using numbers = arguments<std::span<const std::uint32_t>>;
  using traveling = arguments<Types...>;
  static const entry& record() { return registered<Element, multicast_entry>::record; }
  static std::string name() { return method_name<method>(); }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto [elements] = numbers::read(base, bytes);
    const std::size_t begin = align_up(numbers::bytes(elements), sizeof(thalweg_message));
    const auto values = traveling::read(base + begin, bytes - begin);
    std::apply(
        [&](const Types&... given) {
          for (const std::uint32_t number : elements)
            array.send<traveling>(number, call_entry<Element, method>::record(), 0, given...);
        },
        values);
  }
};

/// A call of a section that ranks hand on.
template <typename Element, auto method, typename Traveling = typename method_of<decltype(method)>::traveling>
struct relayed_entry;
template <typename Element, auto method, typename... Types>
struct relayed_entry<Element, method, arguments<Types...>> {
  using numbers = std::span<const std::uint32_t>;
  /// In how many parts the ranks behind one are split, the ranks, how many elements each has, and which.
  using traveling = arguments<std::uint32_t, numbers, numbers, numbers, Types...>;
  static const entry& record() { return registered<Element, relayed_entry>::record; }
  static std::string name() { return method_name<method>(); }

  static void send(array_base& array, std::uint32_t parts, numbers ranks, numbers counts, numbers elements,
                   const Types&... rest) {
    std::size_t at = 0;
    for (std::size_t part = 0, first = 0; part < parts; ++part) {
      const std::size_t width = ranks.size() * (part + 1) / parts - first;
      if (width == 0)
        continue;
      const numbers theirs = counts.subspan(first, width);
      const auto count = std::accumulate(theirs.begin(), theirs.end(), std::size_t{0});
      array.send_to<traveling>(ranks[first], THALWEG_OBJECTS_NOBODY, record(), 0, parts,
                               ranks.subspan(first, width), theirs, elements.subspan(at, count), rest...);
      first += width;
      at += count;
    }
  }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto values = traveling::read(base, bytes);
    std::apply(
        [&](std::uint32_t parts, numbers ranks, numbers counts, numbers elements, const Types&... rest) {
          send(array, parts, ranks.subspan(1), counts.subspan(1), elements.subspan(counts[0]), rest...);
          for (const std::uint32_t number : elements.first(counts[0]))
            array.send<arguments<Types...>>(number, call_entry<Element, method>::record(), 0, rest...);
        },
        values);
  }
};

} // namespace detail

/// Elements of an array that are called together, with one message to each rank that has some.
template <typename Element>
class section {
public:
  /// Made by arrays, of elements' numbers.
  section(detail::array_base& array, std::vector<std::uint32_t> numbers)
      : array_(array), numbers_(std::move(numbers)) {}

  /// Calls go this way from now on.
  section& along(section_route route) {
    route_ = route;
    return *this;
  }

  /// Calls a member function of each element, with the same arguments.
  template <auto method, typename... Arguments>
  void call(Arguments&&... given) {
    const auto by_rank = this->by_rank();
    detail::converted<typename detail::method_of<decltype(method)>::traveling>::call(
        [&](const auto&... values) {
          if (route_ == section_route::direct)
            send_direct<method>(by_rank, values...);
          else
            relay<method>(by_rank, values...);
        },
        std::forward<Arguments>(given)...);
  }
  /// The number of its elements.
  std::size_t size() const { return numbers_.size(); }
  /// The array that they are in.
  detail::array_base& array() const { return array_; }
  /// Its elements' numbers, by the ranks where they are, as far as is known here.
  detail::elements_by_rank by_rank() const {
    detail::elements_by_rank found;
    for (const std::uint32_t number : numbers_)
      found[array_.rank_of(number)].push_back(number);
    return found;
  }

private:
  template <auto method, typename... Values>
  void send_direct(const detail::elements_by_rank& by_rank, const Values&... values) {
    using kind = detail::section_entry<Element, method>;
    for (const auto& [rank, numbers] : by_rank)
      array_.template send_to<typename kind::traveling>(rank, THALWEG_OBJECTS_NOBODY, kind::record(), 0,
                                                        numbers, values...);
  }
  /// Beginning with this rank, or the next one.
  template <auto method, typename... Values>
  void relay(const detail::elements_by_rank& by_rank, const Values&... values) {
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> counts;
    std::vector<std::uint32_t> elements;
    const auto add = [&](auto from, auto to) {
      for (; from != to; ++from) {
        ranks.push_back(from->first);
        counts.push_back(static_cast<std::uint32_t>(from->second.size()));
        elements.insert(elements.end(), from->second.begin(), from->second.end());
      }
    };
    const auto first = by_rank.lower_bound(static_cast<std::uint32_t>(array_.rank()));
    add(first, by_rank.end());
    add(by_rank.begin(), first);
    const std::uint32_t parts = route_ == section_route::ring ? 1 : 2;
    detail::relayed_entry<Element, method>::send(array_, parts, ranks, counts, elements, values...);
  }

  detail::array_base& array_;
  std::vector<std::uint32_t> numbers_;
  section_route route_ = section_route::direct;
};

} // namespace thalweg
