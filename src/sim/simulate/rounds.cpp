// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/rounds.hpp"

#include "base/assertion.hpp"
#include "simulate/program_builder.hpp"

#include <algorithm>
#include <optional>

namespace thalweg::simulate {

namespace {

constexpr std::size_t period_max = 64;
constexpr std::size_t rounds_min = 100;

struct Row {
  std::size_t begin;
  std::size_t period;
  std::size_t rounds;
};

/// Do two operations the same, to operations that are as far behind them?
bool is_alike(const Program& program, std::size_t one, std::size_t other) {
  const simulate::Operation& a = program.operations[one];
  const simulate::Operation& b = program.operations[other];
  if (a.kind != b.kind || a.cpu != b.cpu || a.nic != b.nic || a.peer != b.peer || a.cost != b.cost ||
      a.requirements != b.requirements)
    return false;
  const std::size_t further = other - one;
  return std::ranges::equal(
      program.dependents_of(a), program.dependents_of(b),
      [&](std::uint32_t x, std::uint32_t y) { return (x & 1) == (y & 1) && (x >> 1) + further == y >> 1; });
}

std::vector<Row> rows_of(const Program& program) {
  const std::size_t size = program.patterns[0].size;
  std::vector<Row> rows;
  std::size_t at = 0;
  while (at < size) {
    Row row{at, 1, 0};
    for (; row.period <= period_max && row.rounds < rounds_min; ++row.period) {
      std::size_t end = at + row.period;
      while (end < size && is_alike(program, end - row.period, end))
        ++end;
      row.rounds = (end - at) / row.period;
      if (row.rounds >= rounds_min)
        break;
    }
    if (row.rounds >= rounds_min) {
      rows.push_back(row);
      at += row.rounds * row.period;
    } else {
      ++at;
    }
  }
  return rows;
}

/// The numbers of the operations that stay, in order.
std::vector<std::uint32_t> kept(const Program& program, std::uint32_t removed) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t at = 0;
  const auto keep_up_to = [&](std::size_t end) {
    for (; at < end; ++at)
      numbers.push_back(at);
  };
  for (const Row& row : rows_of(program)) {
    THALWEG_ASSERT(normal, removed < row.rounds);
    keep_up_to(row.begin + (row.rounds - removed) / 2 * row.period);
    at += static_cast<std::uint32_t>(removed * row.period);
  }
  keep_up_to(program.patterns[0].size);
  return numbers;
}

} // namespace

std::uint32_t like_rounds(const Program& folded) {
  THALWEG_ASSERT(normal, folded.folded > 0);
  const std::vector<Row> rows = rows_of(folded);
  const auto shortest = std::ranges::min_element(rows, {}, &Row::rounds);
  return shortest == rows.end() ? 0 : static_cast<std::uint32_t>(shortest->rounds);
}

Program with_fewer_rounds(const Program& folded, std::uint32_t removed) {
  ProgramBuilder builder(folded.folded);
  builder.share_only(folded.ranks[0].likeness);
  builder.skip_to(folded.patterns[0].base);
  const std::vector<std::uint32_t> numbers = kept(folded, removed);
  for (const std::uint32_t number : numbers) {
    const simulate::Operation& one = folded.operations[number];
    const Where where{one.cpu, one.nic};
    if (one.kind == Kind::compute)
      builder.compute(folded.durations[one.cost], where);
    else if (one.kind == Kind::send)
      builder.send(one.peer, one.tag, folded.costs[one.cost], where);
    else
      builder.receive(one.peer, one.tag, where);
  }
  std::vector<std::optional<std::uint32_t>> places(folded.patterns[0].size);
  for (std::uint32_t place = 0; place < numbers.size(); ++place)
    places[numbers[place]] = place;
  // Where one that depends has been taken out, its like has come to where it was.
  for (std::uint32_t place = 0; place < numbers.size(); ++place)
    for (const std::uint32_t dependent : folded.dependents_of(folded.operations[numbers[place]]))
      builder.require(places[dependent >> 1].value_or(place + (dependent >> 1) - numbers[place]), place,
                      (dependent & 1) != 0);
  builder.end_rank();
  Program program = builder.finish();
  program.operation_count *= folded.folded;
  program.channel_count *= folded.folded;
  const Pattern& pattern = program.patterns[0];
  RankProgram entry = program.ranks[0];
  entry.likeness = folded.ranks[0].likeness;
  program.ranks.clear();
  for (std::uint32_t rank = 0; rank < folded.folded; ++rank) {
    entry.begin = rank * pattern.size;
    entry.channels = rank * pattern.channels;
    program.ranks.push_back(entry);
  }
  return program;
}

} // namespace thalweg::simulate
