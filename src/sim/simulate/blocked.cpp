// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "simulate/loggp_simulation.hpp"

#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

constexpr std::size_t listed_max = 12;

std::string tag_text(std::uint32_t tag) {
  return tag == any ? "any tag" : fmt::format("tag {}", tag);
}

} // namespace

void LoggpSimulation::check_done() const {
  if (finished_ == program_.operation_count && met_ == messages_)
    return;
  std::string list;
  std::size_t left = 0;
  matching_.for_each_left([&](std::uint32_t rank, std::uint32_t number) {
    if (++left > listed_max)
      return;
    const std::uint32_t owner = program_.owner(number);
    const Operation& one = operation(owner, number);
    const std::uint32_t place = number - program_.ranks[owner].begin;
    if (one.kind == Kind::receive)
      list += fmt::format("\n  rank {}, operation {}: waits for a message from {}, {}", owner, place,
                          one.peer == any ? "any rank"
                                          : fmt::format("rank {}", program_.from_base(owner, one.peer)),
                          tag_text(one.tag));
    else
      list += fmt::format("\n  rank {}, operation {}: its {} bytes wait for a receive of rank {}, {}", owner,
                          place, program_.costs[one.cost].bytes, rank, tag_text(one.tag));
  });
  if (left > listed_max)
    list += fmt::format("\n  and {} more", left - listed_max);
  throw Error(fmt::format("the program cannot go on: {} of its {} operations are not over:{}",
                          program_.operation_count - finished_, program_.operation_count, list),
              "let every message have one receive with its source and tag");
}

} // namespace thalweg::simulate
