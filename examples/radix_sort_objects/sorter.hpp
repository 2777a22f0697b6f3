#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "radix_sort/keys.hpp"
#include "thalweg/objects.hpp"

namespace thalweg::examples::radix_sort_objects {

using radix_sort::Key;

/// Keys by their digits, of one sorter or of all.
using Counts = std::vector<std::int64_t>;

/// What the counts of two become: those of both.
struct Together {
  Counts operator()(Counts one, Counts const& other) const;
};

/// Which sorter has a digit's keys after a pass: digits in order, with as many keys for each sorter as can
/// be. A digit's keys stay together.
std::vector<std::int32_t> map_of(Counts const& of_all, std::int64_t sorters);

/// A part of the keys, an object. In each pass all sorters' counts are added up, from which all have the same
/// map. They send each other the keys of their digits, and arrange what came in the order of those who sent
/// it.
class Sorter : public thalweg::element<Sorter> {
public:
  explicit Sorter(thalweg::coordinates<1> const&) {}
  void begin_with(std::vector<Key> keys) { keys_ = std::move(keys); }
  thalweg::task sort(int passes);
  /// From another sorter, in a pass.
  void take(int pass, std::int64_t from, std::span<Key const> keys);
  [[nodiscard]] std::vector<Key> const& keys() const { return keys_; }

private:
  struct Part {
    std::int64_t from = 0;
    std::vector<Key> keys;
  };
  void send(int pass, std::vector<std::int32_t> const& map);

  std::vector<Key> keys_;
  thalweg::inbox<Part> parts_; ///< by pass: others may be one ahead
};

} // namespace thalweg::examples::radix_sort_objects
