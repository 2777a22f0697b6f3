// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "simulate/goal.hpp"
#include "simulate/program_builder.hpp"

#include <cstring>
#include <fmt/format.h>

namespace thalweg::simulate {

// A file is, all numbers little-endian and without gaps: the sign (8 bytes), the number of ranks (4), the
// highest processor and interface (1 and 1), and for each rank the beginning and the end of its part (8 and
// 8), counted from behind the sign. A rank's part is: the numbers of its operations and of those that require
// nothing (4 and 4), the latter's numbers (4 each), the operations (39 each), and lists of numbers (4 each).
// An operation is: how many it requires (4), its kind (1), peer (4), bytes or nanoseconds (8), tag (4),
// processor and interface (1 and 1), and twice the length of a list and where it begins (4 and 4): of those
// that require its end, and of those that require its start.

namespace {

constexpr std::uint64_t sign = 4223;
constexpr std::uint64_t sign_of_spent = 2342; // LogGOPSim has used it up in place
constexpr std::size_t header_bytes = 8 + 4 + 1 + 1;
constexpr std::size_t record_bytes = 39;

std::string_view sign_text(const std::uint64_t& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A rank's part, whose ends are known.
class RankPart {
public:
  RankPart(std::string_view data, std::string place, ProgramBuilder& builder)
      : data_(data), place_(std::move(place)), builder_(builder) {}

  void read(const CostBetween& cost) {
    const std::uint64_t operations = at<std::uint32_t>(0);
    const std::uint64_t records = 8 + 4 * std::uint64_t{at<std::uint32_t>(4)};
    lists_ = records + record_bytes * operations;
    if (lists_ > data_.size())
      fail(fmt::format("{} operations", operations));
    for (std::uint64_t i = 0; i < operations; ++i)
      read_operation(records + record_bytes * i, cost);
    for (std::uint64_t i = 0; i < operations; ++i)
      for (const bool is_start : {false, true})
        read_list(static_cast<std::uint32_t>(i), records + record_bytes * i + (is_start ? 31 : 23), is_start,
                  operations);
    for (std::uint64_t i = 0; i < operations; ++i)
      if (at<std::uint32_t>(records + record_bytes * i) != required_[i])
        fail(fmt::format("operation {} requires as many as it does not", i));
    builder_.end_rank();
  }

private:
  void read_operation(std::size_t begin, const CostBetween& cost) {
    const auto kind = at<std::uint8_t>(begin + 4);
    const auto peer = at<std::uint32_t>(begin + 5);
    const auto amount = at<std::uint64_t>(begin + 9);
    const auto tag = at<std::uint32_t>(begin + 17);
    const Where where{at<std::uint8_t>(begin + 21), at<std::uint8_t>(begin + 22)};
    if (amount >> 50 != 0)
      fail(fmt::format("{} bytes or nanoseconds", amount));
    required_.push_back(0);
    const auto size = static_cast<std::int64_t>(amount);
    if (kind == 1 && peer < builder_.ranks() && tag != any)
      builder_.send(peer, tag, cost(size, builder_.rank(), peer), where);
    else if (kind == 2 && (peer < builder_.ranks() || peer == any))
      builder_.receive(peer, tag, where);
    else if (kind == 3)
      builder_.compute(size, where);
    else
      fail(fmt::format("an operation of kind {} with peer {} and tag {}", kind, peer, tag));
  }

  void read_list(std::uint32_t earlier, std::size_t place, bool is_start, std::uint64_t operations) {
    const std::uint64_t size = at<std::uint32_t>(place);
    const std::uint64_t first = at<std::uint32_t>(place + 4);
    if (size == 0)
      return;
    if (lists_ + 4 * (first + size) > data_.size())
      fail(fmt::format("a list of {} numbers", size));
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto later = at<std::uint32_t>(lists_ + 4 * (first + i));
      if (later >= operations)
        fail(fmt::format("operation {} of {}", later, operations));
      ++required_[later];
      builder_.require(later, earlier, is_start);
    }
  }

  template <typename Number>
  Number at(std::size_t place) const {
    if (place + sizeof(Number) > data_.size())
      fail("it ends early");
    Number number;
    std::memcpy(&number, data_.data() + place, sizeof number);
    return number;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(fmt::format("{}: {}", place_, problem), "the file is damaged: write it again with txt2bin");
  }

  std::string_view data_;
  std::string place_;
  ProgramBuilder& builder_;
  std::size_t lists_ = 0;
  std::vector<std::uint32_t> required_;
};

} // namespace

Program read_goal(std::string_view data, const std::string& name, const CostBetween& cost) {
  if (data.starts_with(sign_text(sign_of_spent)))
    throw Error(fmt::format("{} was used up by LogGOPSim's --save-mem", name), "write it again with txt2bin");
  return data.starts_with(sign_text(sign)) ? read_goal_binary(data, name, cost)
                                           : read_goal_text(data, name, cost);
}

Program read_goal_binary(std::string_view data, const std::string& name, const CostBetween& cost) {
  const auto check = [&](bool holds, const std::string& problem) {
    if (!holds)
      throw Error(fmt::format("{}: {}", name, problem), "the file is damaged: write it again with txt2bin");
  };
  check(data.size() >= header_bytes && data.starts_with(sign_text(sign)), "it does not begin as GOAL");
  std::uint32_t ranks = 0;
  std::memcpy(&ranks, data.data() + 8, sizeof ranks);
  check(ranks > 0 && (data.size() - header_bytes) / 16 >= ranks, fmt::format("{} ranks", ranks));
  const std::string_view behind_sign = data.substr(8);
  ProgramBuilder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::uint64_t ends[2];
    std::memcpy(ends, data.data() + header_bytes + std::size_t{16} * rank, sizeof ends);
    check(ends[0] <= ends[1] && ends[1] <= behind_sign.size(), fmt::format("rank {} is not in it", rank));
    RankPart(behind_sign.substr(ends[0], ends[1] - ends[0]), fmt::format("{}, rank {}", name, rank), builder)
        .read(cost);
  }
  return builder.finish();
}

} // namespace thalweg::simulate
