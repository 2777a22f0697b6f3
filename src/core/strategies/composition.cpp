// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::strategies {

using schedule::BlockList;
using schedule::Subproblem;

Parameter Stage::parameter() const {
  Parameter result{.name = name,
                   .kind = ParameterKind::choice,
                   .default_value = 0,
                   .min = 0,
                   .max = static_cast<std::int64_t>(choices.size()) - 1,
                   .description = description,
                   .choices = {choices.begin(), choices.end()}};
  result.proven_at.resize(choices.size());
  std::iota(result.proven_at.rbegin(), result.proven_at.rend(), 0);
  return result;
}

namespace {

/// How a pipeline is cut is one choice for all stages.
schedule::Parameters shared_parameters(const Strategy& stage, const Problem& whole) {
  schedule::Parameters shared;
  for (const auto& value : whole.parameters)
    if ((value.first == "segment" || value.first == "window") &&
        std::ranges::find(stage.parameters, value.first, &Parameter::name) != stage.parameters.end())
      shared.push_back(value);
  return shared;
}

} // namespace

Problem Stage::problem(const Problem& whole, std::int32_t ranks, std::int64_t unit_bytes) const {
  const Strategy& strategy = find(operation, chosen(whole));
  return {.operation = operation,
          .ranks = ranks,
          .commutative = whole.commutative,
          .unit_bytes = unit_bytes,
          .parameters = resolve(strategy, shared_parameters(strategy, whole))};
}

std::optional<std::string> Stage::unsupported_reason(const Problem& whole, std::int32_t ranks,
                                                     std::int64_t unit_bytes) const {
  auto why =
      strategies::unsupported_reason(find(operation, chosen(whole)), problem(whole, ranks, unit_bytes));
  if (why)
    why->insert(0, std::string(name) + "=" + std::string(chosen(whole)) + ": ");
  return why;
}

std::int32_t Stage::pieces(const Problem& whole, std::int32_t ranks, std::int64_t unit_bytes) const {
  return strategies::pieces(find(operation, chosen(whole)), problem(whole, ranks, unit_bytes));
}

void Stage::append(Builder& builder, Subproblem sub, std::int64_t unit_bytes) const {
  const Rank root = sub.problem.root;
  const bool in_place = sub.problem.in_place;
  sub.problem = problem(builder.problem(), static_cast<std::int32_t>(sub.members.size()), unit_bytes);
  sub.problem.root = root;
  sub.problem.in_place = in_place;
  append_stage(builder, chosen(builder.problem()), std::move(sub));
}

std::int32_t common_pieces(std::initializer_list<std::int32_t> wanted) {
  THALWEG_ASSERT(light, std::min(wanted) >= 1);
  constexpr std::int64_t limit = 1 << 17;
  std::int64_t common = 1;
  for (const std::int32_t pieces : wanted)
    common = std::min(std::lcm(common, std::int64_t{pieces}), limit + 1);
  return common <= limit ? static_cast<std::int32_t>(common) : std::max(wanted);
}

std::vector<Rank> everybody(std::int32_t count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

BlockList output_part(const Builder& builder, std::int32_t parts, std::int32_t part) {
  THALWEG_ASSERT(light, 0 <= part && part < parts && builder.pieces() % parts == 0);
  const std::int32_t share = builder.pieces() / parts;
  return schedule::output(part * share, share);
}

void append_vector_reduce_scatter(Builder& builder, const Stage& stage, const std::vector<Rank>& members) {
  const auto parts = static_cast<std::int32_t>(members.size());
  const auto own = static_cast<std::int32_t>(std::ranges::find(members, builder.rank()) - members.begin());
  const std::int32_t share = builder.pieces() / parts;
  Subproblem sub{.problem = {},
                 .members = members,
                 .input_units = {},
                 .output_units = {output_part(builder, parts, own)}};
  for (std::int32_t part = 0; part < parts; ++part)
    sub.input_units.push_back(schedule::input(part * share, share));
  const std::int64_t unit_bytes = builder.problem().unit_bytes / parts;
  if (!builder.problem().in_place)
    return stage.append(builder, std::move(sub), unit_bytes);
  // The output is the input: the sum may not come to lie there before the input has been read.
  const std::int32_t beside = builder.scratch_blocks(builder.canonical());
  sub.output_units = {schedule::scratch(beside + own * share, share)};
  stage.append(builder, sub, unit_bytes);
  builder.round();
  builder.copy(sub.output_units.front(), output_part(builder, parts, own));
}

void append_vector_allgather(Builder& builder, const Stage& stage, const std::vector<Rank>& members) {
  const auto parts = static_cast<std::int32_t>(members.size());
  const auto own = static_cast<std::int32_t>(std::ranges::find(members, builder.rank()) - members.begin());
  Subproblem sub{.problem = {.in_place = true},
                 .members = members,
                 .input_units = {output_part(builder, parts, own)},
                 .output_units = {}};
  for (std::int32_t part = 0; part < parts; ++part)
    sub.output_units.push_back(output_part(builder, parts, part));
  stage.append(builder, std::move(sub), builder.problem().unit_bytes / parts);
}

namespace {

bool is_by_socket(const Problem& problem) {
  return problem.parameter("level") != 0;
}

} // namespace

Parameter level_parameter() {
  return {.name = "level",
          .kind = ParameterKind::choice,
          .max = 1,
          .description = "what has a leader of its own",
          .choices = {"node", "socket"},
          .proven_at = {1, 0}};
}

std::shared_ptr<const topology::NodeGroups> leader_groups(const Problem& problem, Rank root) {
  struct Found {
    std::shared_ptr<const std::vector<std::int32_t>> of;
    std::int32_t ranks = -1;
    Rank root = -1;
    std::shared_ptr<const topology::NodeGroups> groups;
  };
  thread_local Found last;
  const auto& of = is_by_socket(problem) ? problem.sockets : problem.nodes;
  if (last.of != of || last.ranks != problem.ranks || last.root != root)
    last = {
        of, problem.ranks, root,
        std::make_shared<const topology::NodeGroups>(topology::node_groups(problem.ranks, of.get(), root))};
  return last.groups;
}

std::optional<std::string> unsupported_level_reason(const Problem& problem) {
  if (is_by_socket(problem) && !problem.sockets)
    return "level=socket: no node has ranks that stay on several sockets";
  return std::nullopt;
}

} // namespace thalweg::strategies
