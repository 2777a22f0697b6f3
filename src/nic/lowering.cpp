#include "nic/lowering.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::nic {

namespace {

using schedule::Schedule;
using schedule::Step;
using schedule::StepKind;

[[noreturn]] void refuse_shape(const Schedule& schedule, const char* what) {
  throw Error(fmt::format("rank {}'s schedule is no tree that a card can run: {}", schedule.rank, what),
              "choose barrier=nic, or another strategy of tokens up and down a tree",
              thalweg_error_unsupported);
}

// Tokens one after the other, with the stages that they are in.
struct Token {
  bool is_sent = false;
  Rank peer = -1;
  std::size_t stage = 0;
};

std::vector<Token> tokens_of(const Schedule& schedule) {
  std::vector<Token> tokens;
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (std::uint32_t index = schedule.stages[stage]; index < schedule.stage_end(stage); ++index) {
      const Step& step = schedule.steps[index];
      const bool is_token = (step.kind == StepKind::send || step.kind == StepKind::receive) &&
                            step.source.size == 0 && step.target.size == 0 && step.predecessors.size == 0;
      if (!is_token)
        refuse_shape(schedule, "it moves more than tokens");
      tokens.push_back({step.kind == StepKind::send, step.peer, stage});
    }
  return tokens;
}

std::vector<Rank> sorted(std::vector<Rank> ranks) {
  std::ranges::sort(ranks);
  return ranks;
}

bool has_one(const std::vector<Rank>& ranks, Rank rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

} // namespace

TreePlace tree_place(const Schedule& schedule) {
  const std::vector<Token> tokens = tokens_of(schedule);
  TreePlace place;
  std::size_t at = 0;
  std::size_t stage = 0; // of the last one that must have finished
  const auto is_left = [&] { return at < tokens.size(); };
  for (; is_left() && !tokens[at].is_sent; ++at) {
    place.children.push_back(tokens[at].peer);
    stage = tokens[at].stage;
  }
  const auto follows = [&] { return place.children.empty() || tokens[at].stage > stage; };
  if (is_left() && !has_one(place.children, tokens[at].peer)) {
    if (!follows())
      refuse_shape(schedule, "it tells another one before it has heard from all");
    place.parent = tokens[at++].peer;
    if (!is_left() || tokens[at].is_sent || tokens[at].peer != place.parent)
      refuse_shape(schedule, "it is not released by whom it tells");
    stage = tokens[at++].stage;
  }
  // A leaf has nobody to release. Others release after all has been heard.
  std::vector<Rank> released;
  for (; is_left(); ++at) {
    if (!tokens[at].is_sent || tokens[at].stage <= stage)
      refuse_shape(schedule, "it releases one before it is released");
    released.push_back(tokens[at].peer);
  }
  const std::vector<Rank> heard = sorted(place.children);
  if (sorted(released) != heard || std::ranges::adjacent_find(heard) != heard.end())
    refuse_shape(schedule, "it does not release each that it heard from once");
  return place;
}

Rank HostView::rank_of(std::int32_t contributor) const {
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
      for (const Rank child : tree_place(schedule_of_(local)).children)
        (node(child) == node(local) ? view.locals : view.below).push_back(child);
    }
    if (const auto all = std::ranges::count(nodes_, node(rank));
        static_cast<std::size_t>(all) != view.locals.size())
      throw Error(
          fmt::format("{} of the {} ranks on a host hang together in the tree", view.locals.size(), all),
          "choose barrier=nic, whose trees are of hosts", thalweg_error_unsupported);
    return view;
  }

  std::int32_t node(Rank rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

private:
  const ScheduleOf& schedule_of_;
  const std::vector<std::int32_t>& nodes_;
};

} // namespace

HostView lower(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes, Rank rank) {
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
  return view;
}

} // namespace thalweg::nic
