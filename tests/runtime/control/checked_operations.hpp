// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operations of control with random values, held against what one who knows all values finds.

#include "control/control.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

namespace thalweg::control {

/// x -> a x + b modulo 2^64. Compositions do not commute.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

inline Affine composed(const Affine& first, const Affine& second) {
  return {first.a * second.a, first.b * second.a + second.b};
}

template <typename Value>
void must_equal(const Value& found, const Value& expected, const char* operation) {
  if (found != expected)
    throw std::logic_error(std::string(operation) + " gives something else");
}

enum class Kind {
  barrier,
  allreduce,
  exscan,
  prefix,
  broadcast,
  row,
  allgather,
  rows,
  gather,
  sparse,
  transfer,
  count
};

/// What one operation is about, the same on all ranks.
struct Step {
  Kind kind = Kind::barrier;
  std::uint32_t seed = 0;
};

/// The value of a position, from 1 to 9 words of it.
inline Affine value_of(const Step& step, std::int32_t position) {
  std::mt19937_64 random(step.seed * 1000003ULL + static_cast<std::uint64_t>(position));
  return {random() | 1, random()};
}

inline std::vector<Affine> row_of(const Step& step, std::int32_t position) {
  std::mt19937 random(step.seed * 31 + static_cast<unsigned>(position));
  const unsigned length = random() % 4 == 0 ? 0 : random() % 3 == 0 ? random() % 300 : random() % 5;
  std::vector<Affine> row;
  for (unsigned i = 0; i < length; ++i)
    row.push_back(value_of({step.kind, step.seed + i}, position));
  return row;
}

inline Affine folded(const Step& step, std::int32_t end) {
  Affine result;
  for (std::int32_t position = 0; position < end; ++position)
    result = composed(result, value_of(step, position));
  return result;
}

struct Letter {
  std::int32_t from = 0;
  Affine value;
  friend bool operator==(const Letter&, const Letter&) = default;
};

/// The messages of a position, some to itself and some twice to the same.
inline std::vector<std::pair<std::int32_t, Letter>> letters_of(const Step& step, std::int32_t position,
                                                               std::int32_t ranks) {
  std::mt19937 random(step.seed * 77 + static_cast<unsigned>(position));
  std::vector<std::pair<std::int32_t, Letter>> letters;
  for (unsigned i = random() % 4; i > 0; --i)
    letters.emplace_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(ranks)),
                         Letter{position, value_of({step.kind, step.seed + i}, position)});
  return letters;
}

inline Task<void> check_sparse(Control& control, Step step) {
  std::vector<Letter> expected;
  for (std::int32_t from = 0; from < control.ranks(); ++from)
    for (const auto& [to, letter] : letters_of(step, from, control.ranks()))
      if (to == control.position())
        expected.push_back(letter);
  std::vector<Letter> found =
      co_await control.exchange_sparse(letters_of(step, control.position(), control.ranks()));
  const auto in_order = [](const Letter& a, const Letter& b) {
    return std::tuple(a.from, a.value.a, a.value.b) < std::tuple(b.from, b.value.a, b.value.b);
  };
  std::ranges::sort(found, in_order);
  std::ranges::sort(expected, in_order);
  must_equal(found, expected, "exchange_sparse");
}

/// To some positions ahead, of lengths that both ends know.
inline Task<void> check_transfer(Control& control, Step step) {
  const auto to_ahead = [&](std::int32_t position, std::int32_t distance) {
    std::vector<Affine> row = row_of({step.kind, step.seed + static_cast<unsigned>(distance)}, position);
    return row;
  };
  const std::int32_t ranks = control.ranks();
  std::vector<std::vector<Affine>> sent;
  std::vector<std::vector<Affine>> received;
  std::vector<MessagePart> receives;
  std::vector<MessagePart> sends;
  const auto part = [&](std::int32_t position, std::vector<Affine>& row) {
    return MessagePart{control.order()[static_cast<std::size_t>(position)],
                       reinterpret_cast<std::byte*>(row.data()), row.size() * sizeof(Affine)};
  };
  const std::int32_t end = std::min(ranks, 4);
  for (std::int32_t distance = 1; distance < end; ++distance) {
    const std::int32_t behind = (control.position() + ranks - distance) % ranks;
    sends.push_back(part((control.position() + distance) % ranks,
                         sent.emplace_back(to_ahead(control.position(), distance))));
    receives.push_back(
        part(behind, received.emplace_back(std::vector<Affine>(to_ahead(behind, distance).size()))));
  }
  co_await control.transfer(std::move(receives), std::move(sends));
  for (std::int32_t distance = 1; distance < end; ++distance) {
    const std::int32_t behind = (control.position() + ranks - distance) % ranks;
    must_equal(received[static_cast<std::size_t>(distance - 1)], to_ahead(behind, distance), "transfer");
  }
}

inline Task<void> check_gathers(Control& control, Step step) {
  std::vector<Affine> expected;
  if (step.kind == Kind::gather) {
    const std::vector<Affine> found = co_await control.gather(row_of(step, control.position()));
    for (std::int32_t position = 0; control.position() == 0 && position < control.ranks(); ++position)
      for (const Affine& value : row_of(step, position))
        expected.push_back(value);
    must_equal(found, expected, "gather");
    co_return;
  }
  if (step.kind == Kind::allgather) {
    const std::vector<Affine> found = co_await control.allgather(value_of(step, control.position()));
    for (std::int32_t position = 0; position < control.ranks(); ++position)
      expected.push_back(value_of(step, position));
    must_equal(found, expected, "allgather");
    co_return;
  }
  const std::vector<Affine> found = co_await control.allgather(row_of(step, control.position()));
  for (std::int32_t position = 0; position < control.ranks(); ++position)
    for (const Affine& value : row_of(step, position))
      expected.push_back(value);
  must_equal(found, expected, "allgather of rows");
}

inline Task<void> check_reductions(Control& control, Step step) {
  const std::int32_t position = control.position();
  const Affine own = value_of(step, position);
  if (step.kind == Kind::allreduce) {
    const Affine all = co_await control.allreduce(own, composed);
    must_equal(all, folded(step, control.ranks()), "allreduce");
  } else if (step.kind == Kind::exscan) {
    const Affine before = co_await control.exscan(own, Affine{}, composed);
    must_equal(before, folded(step, position), "exscan");
  } else {
    const Prefix<Affine> found = co_await control.prefix(own, Affine{}, composed);
    must_equal(found.before, folded(step, position), "prefix");
    must_equal(found.all, folded(step, control.ranks()), "prefix");
  }
}

inline Task<void> check(Control& control, Step step) {
  const auto root = static_cast<std::int32_t>(step.seed % static_cast<unsigned>(control.ranks()));
  switch (step.kind) {
  case Kind::barrier:
    co_await control.barrier();
    break;
  case Kind::broadcast: {
    const Affine found = co_await control.broadcast(value_of(step, control.position()), root);
    must_equal(found, value_of(step, root), "broadcast");
    break;
  }
  case Kind::row: {
    const std::vector<Affine> found = co_await control.broadcast(row_of(step, control.position()), root);
    must_equal(found, row_of(step, root), "broadcast of a row");
    break;
  }
  case Kind::allgather:
  case Kind::rows:
  case Kind::gather:
    co_await check_gathers(control, step);
    break;
  case Kind::sparse:
    co_await check_sparse(control, step);
    break;
  case Kind::transfer:
    co_await check_transfer(control, step);
    break;
  default:
    co_await check_reductions(control, step);
  }
}

/// Operations one after the other, random ones.
inline Task<void> check_some(Control& control, std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  for (int i = 0; i < count; ++i) {
    const auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::count));
    co_await check(control, {kind, static_cast<std::uint32_t>(random())});
  }
}

inline Task<void> check_each(Control& control, std::uint32_t seed) {
  for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind)
    for (std::uint32_t times = 0; times < 3; ++times)
      co_await check(control, {static_cast<Kind>(kind), seed + times});
}

} // namespace thalweg::control
