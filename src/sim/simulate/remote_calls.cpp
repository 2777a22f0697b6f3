// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/remote_calls.hpp"

#include <algorithm>

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

void RemoteCalls::serve(ProgramBuilder& builder, const ReplayOptions& options, ReplayedTags& tags) const {
  for (const Call& call : reaching_[builder.rank()]) {
    const std::uint32_t asked = builder.receive(call.origin, tags.asking(call.thread), server());
    const MessageCost cost = options.cost(static_cast<std::int64_t>(call.read), builder.rank(),
                                          static_cast<std::uint32_t>(call.origin));
    builder.require(builder.send(call.origin, tags.answering(call.thread), cost, server()), asked);
  }
}

} // namespace thalweg::simulate
