// SPDX-License-Identifier: BSD-3-Clause
#include "nic/lowering.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace thalweg::nic {

namespace {

using schedule::Schedule;
using schedule::Step;
using schedule::StepKind;

[[noreturn]] void refuse_shape(const Schedule& schedule, const char* what) {
  throw Error(fmt::format("rank {}'s schedule is no tree that a card can run: {}", schedule.rank, what),
              "choose nic, or another strategy of tokens up and down a tree", thalweg_error_unsupported);
}

// Messages one after the other, with the stages that they are in.
struct Message {
  bool is_sent = false;
  bool is_combined = false;
  bool is_left_operand = false;
  Rank peer = -1;
  std::size_t stage = 0;
};

// Of operations that keep ranks' blocks apart, messages are whatever blocks their trees need.
bool has_blocks(schedule::Operation operation) {
  using schedule::Operation;
  return operation == Operation::gather || operation == Operation::allgather ||
         operation == Operation::scatter;
}

// Tokens in a barrier; else the whole vector or message, as every message has to be.
bool is_whole(const Schedule& schedule, std::span<const schedule::BlockRange> blocks) {
  if (has_blocks(schedule.operation))
    return true;
  return schedule.operation == schedule::Operation::barrier
             ? blocks.empty()
             : blocks.size() == 1 && blocks.front().first == 0 && blocks.front().size() == schedule.pieces;
}

std::vector<Message> messages_of(const Schedule& schedule) {
  std::vector<Message> messages;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (std::uint32_t index = schedule.stages[stage]; index < schedule.stage_end(stage); ++index) {
      const Step& step = schedule.steps[index];
      if (step.predecessors.size != 0)
        refuse_shape(schedule, "its steps wait for one another");
      if (!schedule::is_message(step)) {
        if (!is_whole(schedule, schedule.source(step)) || !messages.empty())
          refuse_shape(schedule, "it changes what it has heard");
        continue;
      }
      const bool is_sent = step.kind == StepKind::send;
      if (!is_whole(schedule, is_sent ? schedule.source(step) : schedule.target(step)))
        refuse_shape(schedule, "its messages are parts");
      const bool is_combined = step.kind == StepKind::receive_combine;
      messages.push_back(
          {is_sent, is_combined, is_combined && step.side == schedule::Side::left, step.peer, stage});
    }
  return messages;
}

std::vector<Rank> sorted(std::vector<Rank> ranks) {
  std::ranges::sort(ranks);
  return ranks;
}

bool has_one(const std::vector<Rank>& ranks, Rank rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

// A broadcast comes from a parent, and goes to the children.
TreePlace place_below(const Schedule& schedule, std::span<const Message> messages) {
  TreePlace place;
  if (!messages.empty() && !messages.front().is_sent)
    place.parent = messages.front().peer;
  for (const Message& message : messages.subspan(place.parent >= 0 ? 1 : 0)) {
    if (!message.is_sent || (place.parent >= 0 && message.stage <= messages.front().stage))
      refuse_shape(schedule, "it sends before it has heard, or hears twice");
    place.children.push_back(message.peer);
  }
  const std::vector<Rank> children = sorted(place.children);
  if (std::ranges::adjacent_find(children) != children.end() || has_one(children, place.parent))
    refuse_shape(schedule, "it sends to one twice, or back");
  return place;
}

} // namespace

TreePlace tree_place(const Schedule& schedule) {
  using schedule::Operation;
  const Operation operation = schedule.operation;
  if (operation == Operation::broadcast || operation == Operation::scatter)
    return place_below(schedule, messages_of(schedule));
  const bool is_combined = operation == Operation::reduce || operation == Operation::allreduce;
  if (!is_combined && operation != Operation::barrier && !has_blocks(operation))
    refuse_shape(schedule, "cards do not run its operation");
  // Else its root alone gets more.
  const bool is_released = operation != Operation::reduce && operation != Operation::gather;
  const std::vector<Message> messages = messages_of(schedule);
  TreePlace place;
  std::size_t at = 0;
  std::size_t stage = 0; // of the last one that must have finished
  const auto is_left = [&] { return at < messages.size(); };
  for (; is_left() && !messages[at].is_sent && messages[at].is_combined == is_combined; ++at) {
    if (is_combined && !place.children.empty() && messages[at].stage <= stage)
      refuse_shape(schedule, "it combines in any order");
    if (messages[at].is_left_operand)
      refuse_shape(schedule, "what it hears is the left operand, and cards take it as the right one");
    place.children.push_back(messages[at].peer);
    stage = messages[at].stage;
  }
  const auto follows = [&] { return place.children.empty() || messages[at].stage > stage; };
  if (is_left() && !has_one(place.children, messages[at].peer)) {
    if (!follows())
      refuse_shape(schedule, "it tells another one before it has heard from all");
    place.parent = messages[at++].peer;
  }
  if (!is_released) {
    if (is_left())
      refuse_shape(schedule, "it goes on after it has told another one");
    return place;
  }
  if (place.parent >= 0) {
    if (!is_left() || messages[at].is_sent || messages[at].is_combined || messages[at].peer != place.parent)
      refuse_shape(schedule, "it is not released by whom it tells");
    stage = messages[at++].stage;
  }
  // A leaf has nobody to release. Others release after all has been heard.
  std::vector<Rank> released;
  for (; is_left(); ++at) {
    if (!messages[at].is_sent || messages[at].stage <= stage)
      refuse_shape(schedule, "it releases one before it is released");
    released.push_back(messages[at].peer);
  }
  const std::vector<Rank> heard = sorted(place.children);
  if (sorted(released) != heard || std::ranges::adjacent_find(heard) != heard.end())
    refuse_shape(schedule, "it does not release each that it heard from once");
  return place;
}

Rank HostView::rank_of(std::int32_t contributor) const {
  THALWEG_ASSERT(normal, contributor >= 0 && contributor < contributors());
  const auto number = static_cast<std::size_t>(contributor);
  return number < locals.size() ? locals[number] : below[number - locals.size()];
}

namespace {

class Lowering {
public:
  Lowering(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes)
      : schedule_of_(schedule_of), nodes_(nodes) {}

  // Without what it has to ask the host above for.
  HostView view_with(Rank rank) const {
    HostView view;
    Rank top = rank;
    TreePlace place = tree_place(schedule_of_(top));
    for (std::size_t steps = 0; place.parent >= 0 && node(place.parent) == node(top); ++steps) {
      if (steps == nodes_.size())
        throw Error("ranks are above each other in a circle", "report this as an error of the strategy",
                    thalweg_error_internal);
      top = place.parent;
      place = tree_place(schedule_of_(top));
    }
    view.parent = place.parent;
    view.locals.push_back(top);
    for (std::size_t next = 0; next < view.locals.size(); ++next) {
      const Rank local = view.locals[next];
      const Schedule schedule = schedule_of_(local);
      for (const Rank child : tree_place(schedule).children) {
        const bool is_local = node(child) == node(local);
        if (schedule::is_reduction(schedule.operation) && (local != top || (is_local && !view.below.empty())))
          refuse_shape(schedule, "it does not combine what its host has before it hears from others");
        (is_local ? view.locals : view.below).push_back(child);
      }
    }
    if (const auto all = std::ranges::count(nodes_, node(rank));
        static_cast<std::size_t>(all) != view.locals.size())
      throw Error(
          fmt::format("{} of the {} ranks on a host hang together in the tree", view.locals.size(), all),
          "choose nic, whose trees are of hosts", thalweg_error_unsupported);
    return view;
  }

  std::int32_t node(Rank rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

private:
  const ScheduleOf& schedule_of_;
  const std::vector<std::int32_t>& nodes_;
};

} // namespace

HostView lower(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes, Rank rank) {
  THALWEG_ASSERT(light, rank >= 0 && static_cast<std::size_t>(rank) < nodes.size());
  const Lowering lowering(schedule_of, nodes);
  HostView view = lowering.view_with(rank);
  view.own_number = static_cast<std::int32_t>(std::ranges::find(view.locals, rank) - view.locals.begin());
  if (view.parent >= 0) {
    const HostView above = lowering.view_with(view.parent);
    const auto found = std::ranges::find(above.below, view.locals.front());
    if (found == above.below.end())
      throw Error(fmt::format("rank {} is below a host that does not know it", view.locals.front()),
                  "report this as an error of the strategy", thalweg_error_internal);
    view.number_above = static_cast<std::int32_t>(above.locals.size()) +
                        static_cast<std::int32_t>(found - above.below.begin());
  }
  THALWEG_ASSERT(light, view.own_number < static_cast<std::int32_t>(view.locals.size()));
  return view;
}

} // namespace thalweg::nic
