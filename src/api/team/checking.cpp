// SPDX-License-Identifier: BSD-3-Clause
#include "team/checking.hpp"

#include "base/error.hpp"
#include "schedule/buffers.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::teams {

namespace {

// What ranks tell each other; longer texts are cut at their begin, as paths' ends say more.
struct Word {
  std::array<char, 96> what{};
  std::array<char, 160> site{};
};

template <std::size_t size>
void put(std::array<char, size>& place, const std::string& text) {
  const std::string kept = text.size() < size ? text : text.substr(text.size() - size + 1);
  std::memcpy(place.data(), kept.c_str(), kept.size() + 1);
}

void check_buffer(const SymmetricMemory& memory, const std::byte* buffer, std::size_t bytes,
                  const std::string& site) {
  const Allocation* const allocation = memory.find(buffer);
  if (allocation == nullptr)
    return;
  const auto left = static_cast<std::size_t>(allocation->begin() + allocation->bytes() - buffer);
  if (bytes > left)
    throw Error(
        fmt::format("at {}, {} bytes from a place in symmetric memory that has {} left", site, bytes, left),
        "allocate more, or move less");
}

} // namespace

void check_same_call(const job::Agreement& everybody, const std::string& what, const std::string& site) {
  Word mine;
  put(mine.what, what);
  put(mine.site, site);
  const std::vector<Word> all = everybody.allgather(mine);
  for (Rank rank = 1; rank < everybody.count(); ++rank) {
    const Word& other = all[static_cast<std::size_t>(rank)];
    if (other.what != all.front().what)
      throw Error(fmt::format("rank 0 has come to {} at {}, rank {} to {} at {}", all.front().what.data(),
                              all.front().site.data(), rank, other.what.data(), other.site.data()),
                  "all ranks of a team make the same calls in the same order", thalweg_error_mismatch);
  }
}

void check_memory(const job::Group& group, const SymmetricMemory& memory, const TeamCall& call,
                  const std::string& site) {
  const schedule::Problem problem{.operation = call.operation, .ranks = group.ranks(), .root = call.root};
  const auto bytes_of = [&](std::int32_t units) {
    return static_cast<std::size_t>(units) * call.unit_bytes();
  };
  check_buffer(memory, call.input, bytes_of(schedule::input_units(problem, group.rank())), site);
  check_buffer(memory, call.output, bytes_of(schedule::output_units(problem, group.rank())), site);
}

std::string describe(const thalweg_team_call& given, const TeamCall& call) {
  return fmt::format("{} of {} x {} bytes, root {}, synchronization {} and {}", name_of(given), call.count,
                     call.element_bytes, call.root, static_cast<int>(call.before),
                     static_cast<int>(call.after));
}

} // namespace thalweg::teams
