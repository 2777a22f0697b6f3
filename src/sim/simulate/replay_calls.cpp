// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/replay_calls.hpp"

#include "base/error.hpp"
#include "simulate/schedules.hpp"
#include "strategies/likely.hpp"
#include "strategies/sample.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::simulate {

using pattern::TracedCall;
using pattern::TracedKind;

RemoteCalls::RemoteCalls(const pattern::CallTrace& trace) : reaching_(trace.ranks.size()) {
  std::int32_t origin = -1;
  for (const pattern::TracedRank& rank : trace.ranks) {
    ++origin;
    server_ = std::max(server_, static_cast<std::uint8_t>(rank.threads.size()));
    if (std::ranges::none_of(rank.calls,
                             [](const TracedCall& call) { return call.kind == TracedKind::remote; }))
      continue;
    std::uint32_t number = 0;
    for (const pattern::TracedThread& thread : rank.threads) {
      pattern::for_each_call(thread.items, [&](const pattern::TraceItem& item) {
        const TracedCall& call = rank.calls[item.call];
        if (call.kind == TracedKind::remote && call.peer != origin)
          reaching_[static_cast<std::size_t>(call.peer)].push_back({origin, number, call.read});
      });
      ++number;
    }
  }
}

void RemoteCalls::serve(ProgramBuilder& builder, const ReplayOptions& options, ReplayTags& tags) const {
  for (const Call& call : reaching_[builder.rank()]) {
    const std::uint32_t asked = builder.receive(call.origin, tags.asking(call.thread), server());
    const MessageCost cost = options.cost(static_cast<std::int64_t>(call.read), builder.rank(),
                                          static_cast<std::uint32_t>(call.origin));
    builder.require(builder.send(call.origin, tags.answering(call.thread), cost, server()), asked);
  }
}

namespace {

using pattern::TracedCall;
using pattern::TracedCommunicator;
using strategies::Call;

const Call& call_of(const TracedCall& traced) {
  const Call* const known = strategies::find_call(traced.operation);
  if (known == nullptr)
    throw Error(fmt::format("the trace has a collective {:?}", traced.operation),
                "record it anew: thalweg run --trace");
  return *known;
}

/// Do only senders and receivers know how large a block is?
bool has_blocks_of_its_own(const TracedCall& call) {
  return call.operation == "alltoallv" || call.operation == "alltoallw" || call.operation == "gatherv" ||
         call.operation == "scatterv";
}

std::string likely(const Call& call, std::int64_t unit_bytes, std::size_t ranks) {
  const auto unit = static_cast<std::uint64_t>(unit_bytes);
  const std::uint64_t bytes = call.operation == strategies::Operation::reduce_scatter ? unit * ranks : unit;
  return strategies::likely_strategy(call.operation, bytes, static_cast<int>(ranks));
}

/// The nodes of these ranks, numbered anew in order of first appearance.
std::vector<std::int32_t> nodes_of(const std::vector<std::int32_t>& nodes,
                                   const TracedCommunicator& communicator) {
  std::map<std::int32_t, std::int32_t> names;
  std::vector<std::int32_t> found;
  for (const std::int32_t member : communicator.members) {
    const std::int32_t node = nodes.empty() ? 0 : nodes[static_cast<std::size_t>(member)];
    found.push_back(names.try_emplace(node, static_cast<std::int32_t>(names.size())).first->second);
  }
  return found;
}

} // namespace

CollectivePrograms::CollectivePrograms(const pattern::CallTrace& trace, const ReplayOptions& options)
    : options_(options) {
  for (const pattern::TracedRank& rank : trace.ranks)
    add_to_means(rank);
}

void CollectivePrograms::add_to_means(const pattern::TracedRank& rank) {
  for (const TracedCall& call : rank.calls) {
    if (call.kind != pattern::TracedKind::collective || !has_blocks_of_its_own(call))
      continue;
    Mean& mean = means_[{rank.communicators[call.communicator].id, call.operation}];
    const bool is_row = !call.sent.empty();
    mean.bytes += is_row ? static_cast<double>(std::reduce(call.sent.begin(), call.sent.end()))
                         : static_cast<double>(call.bytes);
    mean.blocks += is_row ? static_cast<double>(call.sent.size()) : call.received.empty() ? 1 : 0;
  }
}

std::int64_t CollectivePrograms::unit_bytes(const TracedCall& call,
                                            const TracedCommunicator& communicator) const {
  const auto mean = means_.find({communicator.id, call.operation});
  if (mean == means_.end())
    return static_cast<std::int64_t>(call.bytes);
  return std::llround(mean->second.bytes / std::max(mean->second.blocks, 1.0));
}

/// What was selected for the call, or ran it; nothing where the library is to run it.
std::optional<std::string> CollectivePrograms::chosen(const TracedCall& call, const Call& known) const {
  if (const strategies::Selection* const selection = strategies::selected(options_.selections, known)) {
    const auto* const scheduled = std::get_if<strategies::Scheduled>(&selection->implementation);
    return scheduled == nullptr ? std::nullopt : std::optional(strategies::to_text(*scheduled));
  }
  return call.implementation == "native" ? std::nullopt : std::optional(call.implementation);
}

strategies::Sample CollectivePrograms::sample_of(const TracedCall& call, const Call& known,
                                                 const std::optional<std::string>& implementation,
                                                 const strategies::SampleSize& size) {
  const auto make = [&](std::string_view name) {
    return strategies::make_sample(fmt::format("{}={}", call.operation, name), size);
  };
  try {
    return make(implementation ? *implementation
                               : likely(known, size.unit_bytes, static_cast<std::size_t>(size.ranks)));
  } catch (const Error& error) {
    if (implementation)
      remarks_.insert(
          fmt::format("{} on {} ranks is the library's: {}", call.operation, size.ranks, error.problem()));
  }
  for (const strategies::Strategy& strategy : strategies::of(known.operation)) {
    try {
      return make(strategy.name);
    } catch (const Error&) {
      continue; // the next one
    }
  }
  throw Error(fmt::format("no strategy does {} on {} ranks", call.operation, size.ranks),
              fmt::format("select one: --use {}=NAME", call.operation));
}

Program CollectivePrograms::written(const strategies::Sample& sample, std::int64_t unit_bytes) const {
  constexpr std::uint64_t never = ~std::uint64_t{0}; // one rank may not stand for others
  return options_.machine != nullptr
             ? simulate::program_of(sample, unit_bytes, *options_.machine, never).program
             : simulate::program_of(sample, schedule::GoalSizes{.unit_bytes = unit_bytes}, options_.loggops,
                                    never)
                   .program;
}

const Program* CollectivePrograms::program_of(const TracedCall& call,
                                              const TracedCommunicator& communicator) {
  const Call& known = call_of(call);
  const std::optional<std::string> implementation = chosen(call, known);
  if (!implementation && has_blocks_of_its_own(call))
    return nullptr;
  strategies::SampleSize size;
  size.ranks = static_cast<std::int32_t>(communicator.members.size());
  size.root = call.peer;
  size.unit_bytes = unit_bytes(call, communicator);
  size.nodes = nodes_of(options_.nodes, communicator);
  const auto [entry, is_new] = programs_.try_emplace(
      {call.operation, implementation.value_or(""), size.unit_bytes, call.peer, size.nodes});
  if (is_new)
    entry->second = written(sample_of(call, known, implementation, size), size.unit_bytes);
  return &entry->second;
}

} // namespace thalweg::simulate
