#pragma once

// Elements that are called together. thalweg/objects.hpp is what programs use.

#include "thalweg/objects_calls.hpp"

#include <map>
#include <utility>
#include <vector>

namespace thalweg {

/// Elements of an array that are called together, with one message to each rank that has some.
template <typename Element>
class section {
public:
  section(detail::array_base& array, std::vector<std::uint32_t> numbers)
      : array_(array), numbers_(std::move(numbers)) {}

  template <auto method, typename... Arguments>
  void call(Arguments&&... given) {
    const auto by_rank = this->by_rank();
    using kind = detail::section_entry<Element, method>;
    detail::converted<typename detail::method_of<decltype(method)>::traveling>::call(
        [&](const auto&... values) {
          for (const auto& [rank, numbers] : by_rank)
            array_.template send_to<typename kind::traveling>(rank, THALWEG_OBJECTS_NOBODY, kind::record(), 0,
                                                              numbers, values...);
        },
        std::forward<Arguments>(given)...);
  }
  std::size_t size() const { return numbers_.size(); }
  detail::array_base& array() const { return array_; }
  /// Its elements' numbers, by the ranks where they are, as far as is known here.
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_rank() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> found;
    for (const std::uint32_t number : numbers_)
      found[array_.rank_of(number)].push_back(number);
    return found;
  }

private:
  detail::array_base& array_;
  std::vector<std::uint32_t> numbers_;
};

} // namespace thalweg
