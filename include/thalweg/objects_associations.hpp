// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Associations: calls of the program in brackets, which travel combined. Programs include
// thalweg/objects.hpp.
//
//   thalweg::association halo(blocks, "mesh");              // all ranks make it, in the main program
//
// and in an entry method of an element of `blocks`:
//
//   halo.begin();
//   halo[{x + 1, y}].template call<&Block::ghost>(left, row); // an element of this array
//   halo(other[{x, y}]).template call<&Other::take>(row);     // or of another one
//   halo.end();
//
// Calls for other ranks wait until all elements that were on the rank at the last fence have ended as many
// brackets. Then all for one rank travel as one message. An element that has moved since counts where it was;
// its own calls do not wait.

#include "thalweg/objects_sections.hpp"

namespace thalweg {

namespace detail {

class association_base {
public:
  association_base(const association_base&) = delete;
  association_base& operator=(const association_base&) = delete;

  /// Of the element whose entry method runs. Tasks may wait between the two.
  void begin();
  void end();

  /// A call of an element of `to` (or THALWEG_OBJECTS_NOBODY), in the open bracket.
  template <typename Traveling, typename... Values>
  void send(array_base& to, std::uint32_t rank, std::uint32_t number, const entry& what,
            const Values&... values) {
    const element_record* const from = caller();
    const auto here = static_cast<std::uint32_t>(array_.rank());
    if (rank == here || from->anchor != here)
      to.send_to<Traveling>(rank, number, what, 0, values...);
    else
      to.deposit<Traveling>(number_, from->number, rank, number, what, values...);
  }

  /// A call of some elements, by the ranks where they are. The common part for those on other ranks travels
  /// once over each edge that they share.
  template <typename Multicast, typename Section, typename... Values>
  void send_some(array_base& to, const elements_by_rank& by_rank, const Values&... values) {
    const element_record* const from = caller();
    const auto here = static_cast<std::uint32_t>(array_.rank());
    const std::size_t others = by_rank.size() - by_rank.count(here);
    const bool is_one = from->anchor == here && others > 1 &&
                        to.deposit_multicast<typename Multicast::traveling>(number_, from->number, by_rank,
                                                                            Multicast::record(), values...);
    for (const auto& [rank, numbers] : by_rank)
      if (!is_one || rank == here)
        send<typename Section::traveling>(to, rank, THALWEG_OBJECTS_NOBODY, Section::record(), numbers,
                                          values...);
  }

protected:
  association_base(array_base& array, const std::string& strategy, const entry& end_entry)
      : array_(array), end_entry_(end_entry) {
    check(thalweg_objects_associate(array.objects(), array.number(), strategy.c_str(),
                                    array.unused_bracket_bits(), &bit_, &number_));
    array.begin_association(bit_);
  }
  ~association_base() {
    array_.end_association(bit_);
    thalweg_objects_dissociate(array_.objects(), number_);
  }

private:
  /// Whose bracket is open.
  const element_record* caller() const {
    const element_record* const from = array_.current();
    if (from == nullptr || (from->brackets & bit_) == 0)
      throw misused("call", "no bracket of the element is open", "call begin() before");
    return from;
  }
  error misused(const char* call, const char* what, const char* remedy) const {
    return {thalweg_error_invalid_argument, call, array_.rank(), what, remedy};
  }

  array_base& array_;
  std::uint32_t bit_ = 0;
  std::uint16_t number_ = 0;
  const entry& end_entry_; ///< where elements are counted that have moved
};

inline void association_base::begin() {
  element_record* const one = array_.current();
  if (one == nullptr)
    throw misused("begin", "no element's entry method runs",
                  "begin brackets in entry methods of the association's array");
  if ((one->brackets & bit_) != 0)
    throw misused("begin", "the element's last bracket is still open", "call end() before");
  one->brackets |= bit_;
}

inline void association_base::end() {
  element_record* const one = array_.current();
  if (one == nullptr || (one->brackets & bit_) == 0)
    throw misused("end", "no bracket of the element is open", "call begin() before");
  one->brackets &= ~bit_;
  if (one->anchor == static_cast<std::uint32_t>(array_.rank()))
    check(thalweg_objects_end_bracket(array_.objects(), number_, one->number));
  else
    array_.send_to<arguments<std::uint16_t, std::uint32_t>>(one->anchor, THALWEG_OBJECTS_NOBODY, end_entry_,
                                                            0, number_, one->number);
}

/// An element that has moved has ended a bracket.
struct bracket_end_kind {
  static std::string name() { return "the end of a bracket of an element that has moved"; }
  static void run(array_base& array, element_record*, std::uint32_t, const char* base, std::size_t bytes) {
    const auto [association, element] = arguments<std::uint16_t, std::uint32_t>::read(base, bytes);
    check(thalweg_objects_end_bracket(array.objects(), association, element));
  }
};

} // namespace detail

/// Calls of an element in a bracket.
template <typename Element>
class bracketed_proxy {
public:
  /// Made by association.
  bracketed_proxy(detail::association_base& association, const proxy<Element>& of)
      : association_(association), of_(of) {}
  /// As proxy::call().
  template <auto method, typename... Arguments>
  void call(Arguments&&... given) const {
    using traveling = typename detail::method_of<decltype(method)>::traveling;
    detail::converted<traveling>::call(
        [this](const auto&... values) {
          association_.template send<traveling>(of_.array(), static_cast<std::uint32_t>(of_.rank()),
                                                of_.number(), detail::call_entry<Element, method>::record(),
                                                values...);
        },
        std::forward<Arguments>(given)...);
  }

private:
  detail::association_base& association_;
  proxy<Element> of_;
};

/// Calls of a section in a bracket: they travel with others for the same ranks, and in a mesh each once on
/// every way.
template <typename Element>
class bracketed_section {
public:
  /// Made by association.
  bracketed_section(detail::association_base& association, section<Element>& of)
      : association_(association), of_(of) {}
  /// Calls a member function of all elements of the section.
  template <auto method, typename... Arguments>
  void call(Arguments&&... given) const {
    using multicast = detail::multicast_entry<Element, method>;
    using each = detail::section_entry<Element, method>;
    const auto by_rank = of_.by_rank();
    detail::converted<typename detail::method_of<decltype(method)>::traveling>::call(
        [&](const auto&... values) {
          association_.template send_some<multicast, each>(of_.array(), by_rank, values...);
        },
        std::forward<Arguments>(given)...);
  }

private:
  detail::association_base& association_;
  section<Element>& of_;
};

/// A call of the program, which has its own strategy: "direct", "mesh", "grid" or "hypercube" combine the
/// calls of a bracket for each rank, and route them along a virtual mesh of ranks with 1, 2, 3 or all
/// dimensions. With "stream" each call travels on its own. With "auto" fences choose, by the messages sent
/// and by the time of steps; array::explain() gives the choice and the reason.
template <typename Element, int dimensions = detail::dimensions_of<Element>>
class association final : public detail::association_base {
public:
  /// Collective, as arrays are; it ends before its array does.
  explicit association(basic_array<Element, dimensions>& array, const std::string& strategy = "auto")
      : association_base(array, strategy, detail::registered<Element, detail::bracket_end_kind>::record),
        array_(array) {}

  /// The element at an index, for calls in a bracket.
  bracketed_proxy<Element> operator[](const coordinates<dimensions>& at) { return {*this, array_[at]}; }
  /// An element of another array, for calls in a bracket.
  template <typename Other>
  bracketed_proxy<Other> operator()(const proxy<Other>& of) {
    return {*this, of};
  }
  /// A section of any array, for calls in a bracket.
  template <typename Other>
  bracketed_section<Other> operator()(section<Other>& of) {
    return {*this, of};
  }

private:
  basic_array<Element, dimensions>& array_;
};

} // namespace thalweg
