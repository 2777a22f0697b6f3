// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "simulate/goal.hpp"

#include <fmt/format.h>
#include <iterator>
#include <map>
#include <queue>
#include <tuple>

namespace thalweg::simulate {

namespace {

class GoalWriter {
public:
  explicit GoalWriter(const Program& program) : program_(program) {}

  std::string write() {
    collect_messages();
    text_ = fmt::format("num_ranks {}\n", program_.size());
    for (std::uint32_t rank = 0; rank < program_.size(); ++rank)
      write_rank(rank);
    return std::move(text_);
  }

private:
  using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>; // from, to, tag

  void collect_messages() {
    for (std::uint32_t rank = 0; rank < program_.size(); ++rank)
      for (const Operation& one : program_.operations_of(rank))
        if (one.kind == Kind::send)
          messages_[{rank, program_.target_of(rank, one), one.tag}].push(program_.costs[one.cost].bytes);
  }

  void write_rank(std::uint32_t rank) {
    append("rank {} {{\n", rank);
    const std::span<const Operation> operations = program_.operations_of(rank);
    for (std::size_t i = 0; i < operations.size(); ++i)
      write_operation(rank, i, operations[i]);
    for (std::size_t i = 0; i < operations.size(); ++i)
      for (const std::uint32_t dependent : program_.dependents_of(operations[i]))
        append("l{} {} l{}\n", dependent >> 1, (dependent & 1) != 0 ? "irequires" : "requires", i);
    append("}}\n");
  }

  void write_operation(std::uint32_t rank, std::size_t number, const Operation& one) {
    switch (one.kind) {
    case Kind::compute:
      append("l{}: calc {} cpu {}\n", number, program_.durations[one.cost], one.cpu);
      break;
    case Kind::send:
      append("l{}: send {}b to {} tag {} cpu {} nic {}\n", number, program_.costs[one.cost].bytes,
             program_.target_of(rank, one), one.tag, one.cpu, one.nic);
      break;
    case Kind::receive:
      append("l{}: recv {}b from {} tag {} cpu {} nic {}\n", number, received_bytes(rank, one),
             one.peer == any ? -1 : std::int64_t{program_.from_base(rank, one.peer)},
             one.tag == any ? -1 : std::int64_t{one.tag}, one.cpu, one.nic);
      break;
    }
  }

  std::int64_t received_bytes(std::uint32_t rank, const Operation& one) {
    if (one.peer == any || one.tag == any)
      return 1;
    std::queue<std::int64_t>& channel = messages_[{program_.from_base(rank, one.peer), rank, one.tag}];
    if (channel.empty())
      return 1; // it waits for good
    const std::int64_t bytes = channel.front();
    channel.pop();
    return bytes;
  }

  template <typename... Parts>
  void append(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  const Program& program_;
  std::map<Channel, std::queue<std::int64_t>> messages_; // that no receive has met yet
  std::string text_;
};

} // namespace

std::string write_goal(const Program& program) {
  if (program.folded != 0)
    throw Error("one rank stands for all, and GOAL has no word for that",
                "write a program of fewer operations");
  return GoalWriter(program).write();
}

} // namespace thalweg::simulate
