// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Positions of an array's elements. Programs include thalweg/objects.hpp.
//
// Each element has a home, the rank where it was made, which hears of each move. Other ranks remember the
// rank to which they have last sent it, or of which they have heard. Of two such records the one with more
// moves is newer, so a call that follows them reaches the element, and never travels in a circle.
//
// Each also has an anchor, the rank where it was at the last fence. Broadcasts and reductions count it there,
// wherever it is by now: a rank's anchored elements stay the same between two fences.

#include "thalweg/locators.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace thalweg::detail {

/// The record of an element that is here.
struct element_record {
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  explicit element_record(std::uint32_t number_of) : number(number_of) {}
  virtual ~element_record() = default;
  element_record(const element_record&) = delete;
  element_record& operator=(const element_record&) = delete;

  std::uint32_t number;
  std::uint32_t reductions = 0;   ///< that it has taken part in
  std::uint32_t tasks = 0;        ///< that wait
  std::uint32_t moves = 0;        ///< that it has made
  std::uint32_t anchor = 0;       ///< a rank
  std::uint32_t wanted = nowhere; ///< the rank to move to when no task waits any more
  std::uint32_t brackets = 0;     ///< that are open: a bit for each association of the array
  std::uint64_t load = 0;         ///< the time of its messages since the last fence
};

/// Numbers of elements, by the ranks where they are.
using elements_by_rank = std::map<std::uint32_t, std::vector<std::uint32_t>>;

/// Which bits of element_record::brackets are whose. One of an association that has ended may be set in an
/// element that is on its way, as long as messages are left.
class bracket_bits {
public:
  /// `quiet`: how often no message was left.
  std::uint32_t unused(std::uint64_t quiet) const {
    std::uint32_t bits = ~living_;
    for (std::size_t bit = 0; bit < ended_.size(); ++bit)
      if (ended_[bit] > quiet)
        bits &= ~(std::uint32_t{1} << bit);
    return bits;
  }
  void take(std::uint32_t bit) { living_ |= bit; }
  void end(std::uint32_t bit, std::uint64_t quiet) {
    living_ &= ~bit;
    ended_[static_cast<std::size_t>(std::countr_zero(bit))] = quiet + 1;
  }
  std::uint32_t living() const { return living_; }

private:
  std::uint32_t living_ = 0;
  std::array<std::uint64_t, 32> ended_{}; ///< by bit: it is used again when messages have been run so often
};

class element_places {
public:
  element_places(std::uint64_t elements, std::uint32_t rank, int ranks)
      : homes_(elements, ranks), rank_(rank),
        first_(static_cast<std::uint32_t>(homes_.first(static_cast<int>(rank)))),
        home_(homes_.count(static_cast<int>(rank))) {}

  const block_locator& homes() const { return homes_; }
  std::uint32_t home_of(std::uint32_t number) const { return static_cast<std::uint32_t>(homes_(number)); }
  element_record* find(std::uint32_t number) const {
    const std::uint32_t place = number - first_;
    if (place < home_.size()) [[likely]]
      return home_[place].get();
    if (guests_.empty()) [[likely]]
      return nullptr;
    const auto guest = guests_.find(number);
    return guest == guests_.end() ? nullptr : guest->second.get();
  }
  /// The rank that a message for this element goes to first: where it is, or where somebody knows it.
  std::uint32_t rank_of(std::uint32_t number) const {
    if (find(number) != nullptr)
      return rank_;
    const known* const last = heard_of(number);
    return last == nullptr ? home_of(number) : last->rank;
  }

  /// The last news that this rank has of an element elsewhere.
  struct known {
    std::uint32_t rank;
    std::uint32_t moves; ///< that it had made when it came there
  };
  const known* heard_of(std::uint32_t number) const {
    if (elsewhere_.empty()) [[likely]]
      return nullptr;
    const auto at = elsewhere_.find(number);
    return at == elsewhere_.end() ? nullptr : &at->second;
  }
  /// Is it new, for an element that is not here?
  bool hear(std::uint32_t number, const known& word) {
    if (find(number) != nullptr)
      return false;
    const auto [at, is_first] = elsewhere_.try_emplace(number, word);
    if (!is_first && at->second.moves >= word.moves)
      return false;
    at->second = word;
    return true;
  }

  void insert(std::unique_ptr<element_record> made) {
    const std::uint32_t number = made->number;
    elsewhere_.erase(number);
    if (made->anchor == rank_)
      strays_.erase(number);
    const std::uint32_t place = number - first_;
    (place < home_.size() ? home_[place] : guests_[number]) = std::move(made);
    ++count_;
  }
  /// The element is on another rank from now on.
  void erase(std::uint32_t number) {
    if (find(number)->anchor == rank_)
      strays_.insert(number);
    const std::uint32_t place = number - first_;
    if (place < home_.size())
      home_[place].reset();
    else
      guests_.erase(number);
    --count_;
  }
  /// Nothing is known of any element, as before they were made.
  void clear() {
    std::ranges::for_each(home_, [](auto& one) { one.reset(); });
    guests_.clear();
    elsewhere_.clear();
    strays_.clear();
    count_ = anchored_ = 0;
  }

  /// Of the elements here.
  std::size_t count() const { return count_; }
  std::size_t anchored() const { return anchored_; }
  /// All are anchored where they are.
  void anchor() {
    each_record([&](element_record& one) { one.anchor = rank_; });
    strays_.clear();
    anchored_ = count_;
  }

  template <typename Use>
  void each_home(Use&& use) const {
    for (std::uint32_t place = 0; place < home_.size(); ++place)
      use(first_ + place);
  }
  template <typename Use>
  void each_record(Use&& use) const {
    for (const auto& one : home_)
      if (one)
        use(*one);
    for (const auto& [number, one] : guests_)
      use(*one);
  }
  /// Numbers, wherever they are.
  template <typename Use>
  void each_anchored(Use&& use) const {
    each_record([&](const element_record& one) {
      if (one.anchor == rank_)
        use(one.number);
    });
    std::ranges::for_each(strays_, use);
  }
  /// use(number) for those of which another rank knows better where they are.
  template <typename Use>
  void each_hearsay(Use&& use) const {
    for (const auto& [number, word] : elsewhere_)
      if (home_of(number) != rank_)
        use(number);
  }

private:
  block_locator homes_;
  std::uint32_t rank_;
  std::uint32_t first_; ///< of the elements whose home is here
  std::vector<std::unique_ptr<element_record>> home_;
  std::unordered_map<std::uint32_t, std::unique_ptr<element_record>> guests_;
  std::unordered_map<std::uint32_t, known> elsewhere_;
  std::unordered_set<std::uint32_t> strays_; ///< anchored here, and gone since
  std::size_t count_ = 0;
  std::size_t anchored_ = 0;
};

} // namespace thalweg::detail
