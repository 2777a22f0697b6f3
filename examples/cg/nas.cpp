// SPDX-License-Identifier: BSD-3-Clause
#include "cg/nas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace thalweg::examples::cg {

namespace {

constexpr double condition = 0.1;

// NPB's generator: x' = 5^13 x mod 2^46.
class Random {
public:
  double next() {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
    state_ = state_ * 1220703125 & mask;
    return std::ldexp(static_cast<double>(state_), -46);
  }

private:
  std::uint64_t state_ = 314159265;
};

struct Entry {
  int place;
  double value;
};

/// A sparse random vector; the entry at `diagonal` is one half.
std::vector<Entry> random_vector(Problem const& problem, Random& random, int diagonal) {
  int power = 1;
  while (power < problem.n)
    power *= 2;
  std::vector<Entry> entries;
  while (static_cast<int>(entries.size()) < problem.nonzero) {
    double const value = random.next();
    int const place = static_cast<int>(power * random.next());
    if (place < problem.n && std::ranges::find(entries, place, &Entry::place) == entries.end())
      entries.push_back({place, value});
  }
  auto const own = std::ranges::find(entries, diagonal, &Entry::place);
  if (own != entries.end())
    own->value = 0.5;
  else
    entries.push_back({diagonal, 0.5});
  return entries;
}

} // namespace

std::span<Problem const> problems() {
  static Problem const all[] = {{"S", 1400, 7, 15, 10, 8.5971775078648},
                                {"W", 7000, 8, 15, 12, 10.362595087124},
                                {"A", 14000, 11, 15, 20, 17.130235054029}};
  return all;
}

bool is_right(Problem const& problem, double zeta) {
  return std::abs(zeta - problem.zeta) / problem.zeta < 1e-10;
}

void Rows::multiply(std::span<double const> whole, std::span<double> out) const {
  for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
    double sum = 0;
    for (std::size_t at = begins[row]; at < begins[row + 1]; ++at)
      sum += values[at] * whole[static_cast<std::size_t>(columns[at])];
    out[row] = sum;
  }
}

// The matrix is the sum of the vectors' outer products with themselves, weighted from 1 down to the
// condition.
Rows make_rows(Problem const& problem, int first, int last) {
  Random random;
  random.next(); // NPB draws one number before
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(last - first));
  double const ratio = std::pow(condition, 1.0 / problem.n);
  double weight = 1;
  for (int i = 0; i < problem.n; ++i, weight *= ratio)
    for (std::vector<Entry> const entries = random_vector(problem, random, i); Entry const& left : entries) {
      if (left.place < first || left.place >= last)
        continue;
      auto& row = rows[static_cast<std::size_t>(left.place - first)];
      for (Entry const& right : entries) {
        double value = right.value * (weight * left.value);
        if (left.place == i && right.place == i)
          value += condition - problem.shift;
        row[right.place] += value;
      }
    }
  Rows made{.first = first, .last = last, .begins = {0}, .columns = {}, .values = {}};
  for (auto const& row : rows) {
    for (auto const& [column, value] : row) {
      made.columns.push_back(column);
      made.values.push_back(value);
    }
    made.begins.push_back(made.values.size());
  }
  return made;
}

} // namespace thalweg::examples::cg
