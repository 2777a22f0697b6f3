#include "radix_sort_objects/sorter.hpp"

#include <algorithm>
#include <numeric>

#include "radix_sort/digits.hpp"

namespace thalweg::examples::radix_sort_objects {

Counts Together::operator()(Counts one, Counts const& other) const {
  std::ranges::transform(one, other, one.begin(), std::plus());
  return one;
}

std::vector<std::int32_t> map_of(Counts const& of_all, std::int64_t sorters) {
  std::int64_t const keys = std::max<std::int64_t>(std::reduce(of_all.begin(), of_all.end()), 1);
  std::vector<std::int32_t> map;
  map.reserve(of_all.size());
  std::int64_t before = 0;
  for (std::int64_t const count : of_all) {
    std::int64_t const middle = before + count / 2; // decides, as a digit's keys are not shared out
    map.push_back(static_cast<std::int32_t>(std::min(middle * sorters / keys, sorters - 1)));
    before += count;
  }
  return map;
}

void Sorter::send(int pass, std::vector<std::int32_t> const& map) {
  std::vector<std::vector<Key>> parts(array().size());
  for (Key const key : keys_)
    parts[static_cast<std::size_t>(map[radix_sort::digit_of(key, pass)])].push_back(key);
  auto const sorters = static_cast<std::int64_t>(parts.size());
  for (std::int64_t step = 0; step < sorters; ++step) {
    std::int64_t const to = (at()[0] + step) % sorters;
    array()[{to}].call<&Sorter::take>(pass, at()[0], parts[static_cast<std::size_t>(to)]);
  }
}

void Sorter::take(int pass, std::int64_t from, std::span<Key const> keys) {
  parts_.put(static_cast<std::uint64_t>(pass), {from, {keys.begin(), keys.end()}});
}

thalweg::task Sorter::sort(int passes) {
  Counts own(static_cast<std::size_t>(radix_sort::digit_values));
  for (int pass = 0; pass < passes; ++pass) {
    radix_sort::count_digits(keys_, pass, own);
    Counts const all = co_await array().reduce(Together(), own);
    send(pass, map_of(all, static_cast<std::int64_t>(array().size())));
    std::vector<Part> parts(array().size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part part = co_await parts_.take(static_cast<std::uint64_t>(pass));
      auto const from = static_cast<std::size_t>(part.from);
      parts[from] = std::move(part);
    }
    std::vector<Key> came;
    for (Part const& part : parts)
      came.insert(came.end(), part.keys.begin(), part.keys.end());
    radix_sort::count_digits(came, pass, own);
    keys_.resize(came.size());
    radix_sort::arrange_by_digit(came, pass, own, keys_);
  }
}

} // namespace thalweg::examples::radix_sort_objects
