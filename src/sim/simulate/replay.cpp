// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/replay.hpp"

#include "base/error.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/replay_calls.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace thalweg::simulate {

namespace {

using pattern::TracedCall;
using pattern::TracedKind;
using pattern::TraceItem;

constexpr std::uint64_t calls_max = std::uint64_t{1} << 27; // of all ranks
constexpr std::int64_t rounds_apart = 16; // collectives of a communicator whose messages differ
constexpr std::size_t threads_max = 255;  // beside the processor that serves one-sided calls

/// A call of a thread, its loops written out.
struct ThreadStep {
  const TracedCall* call;
  std::uint64_t computed;
  std::int32_t peer; // of receives, as they were answered
  std::int32_t tag;
};

std::vector<ThreadStep> written_out(const pattern::TracedThread& thread,
                                    const std::vector<TracedCall>& calls) {
  std::vector<ThreadStep> steps;
  pattern::for_each_call(thread.items, [&](const TraceItem& item) {
    const TracedCall& call = calls[item.call];
    steps.push_back({&call, item.computed, call.peer, call.tag});
  });
  return steps;
}

constexpr std::int32_t never_came = -4;

/// Receives for any message become ones for that which came, as the calls that waited for them say.
void answer(std::vector<ThreadStep>& steps) {
  std::unordered_map<std::int32_t, std::vector<std::size_t>> open; // by request
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const TracedCall& call = *steps[at].call;
    if (call.kind == TracedKind::receive && call.request != pattern::no_request)
      open[call.request].push_back(at);
    if (call.kind != TracedKind::wait)
      continue;
    for (const pattern::Completed& one : call.completed) {
      for (const std::size_t receive : open[one.request]) {
        if (one.source == pattern::Completed::canceled)
          steps[receive].peer = never_came;
        else if (one.source != pattern::Completed::as_asked)
          steps[receive] = {steps[receive].call, steps[receive].computed, one.source, one.tag};
      }
      open[one.request].clear();
    }
  }
}

/// Writes the calls of a thread.
class ThreadWriter {
public:
  ThreadWriter(ProgramBuilder& builder, const ReplayOptions& options, CollectivePrograms& collectives,
               ReplayTags& tags, const pattern::TracedRank& rank, std::uint8_t cpu, Where server)
      : builder_(builder), options_(options), collectives_(collectives), tags_(tags),
        rank_(rank), where_{cpu, 0}, server_(server) {}

  void write(const std::vector<ThreadStep>& steps) {
    for (const ThreadStep& step : steps) {
      compute(step.computed);
      switch (step.call->kind) {
      case TracedKind::send:
        send(*step.call);
        break;
      case TracedKind::receive:
        receive(step);
        break;
      case TracedKind::wait:
        wait(*step.call);
        break;
      case TracedKind::collective:
        collective(*step.call);
        break;
      case TracedKind::remote:
        remote(*step.call);
        break;
      }
    }
  }

private:
  /// What has to be over, or begun, before something goes on.
  struct Before {
    std::uint32_t operation;
    bool is_start;
  };

  std::uint32_t behind_all(std::uint32_t operation) {
    for (const Before& one : before_)
      builder_.require(operation, one.operation, one.is_start);
    return operation;
  }
  void go_on_after(std::uint32_t operation, bool is_start = false) { before_ = {{operation, is_start}}; }
  /// One operation for all that has to be over.
  void join() {
    if (before_.size() > 1)
      go_on_after(behind_all(builder_.compute(0, where_)));
  }

  void compute(std::uint64_t nanoseconds) {
    const Ticks ticks = std::llround(static_cast<double>(nanoseconds) * options_.computation_scale);
    if (ticks > 0)
      go_on_after(behind_all(builder_.compute(ticks, where_)));
  }

  const pattern::TracedCommunicator& communicator_of(const TracedCall& call) const {
    return rank_.communicators[call.communicator];
  }
  MessageCost cost(std::uint64_t bytes, std::int32_t to) const {
    return options_.cost(static_cast<std::int64_t>(bytes), builder_.rank(), static_cast<std::uint32_t>(to));
  }

  void send(const TracedCall& call) {
    join();
    MessageCost priced = cost(call.bytes, call.peer);
    priced.is_rendezvous |= call.is_synchronous;
    const std::uint32_t tag = tags_.of(communicator_of(call).id, call.tag);
    const std::uint32_t sent = behind_all(builder_.send(call.peer, tag, priced, where_));
    const bool is_blocking = call.request == pattern::no_request;
    if (!is_blocking)
      requests_[call.request].push_back(sent);
    go_on_after(sent, !is_blocking);
  }

  void receive(const ThreadStep& step) {
    if (step.peer == never_came)
      return;
    join();
    const TracedCall& call = *step.call;
    const std::uint32_t tag =
        step.tag == pattern::any_message ? any : tags_.of(communicator_of(call).id, step.tag);
    const std::int64_t from = step.peer == pattern::any_message ? std::int64_t{any} : step.peer;
    const std::uint32_t received = behind_all(builder_.receive(from, tag, where_));
    if (call.request == pattern::no_request)
      go_on_after(received);
    else
      requests_[call.request].push_back(received);
  }

  /// It is over when its answer has come. A rank's own memory is reached at once.
  void remote(const TracedCall& call) {
    if (static_cast<std::uint32_t>(call.peer) == builder_.rank())
      return;
    join();
    MessageCost priced = cost(call.bytes, call.peer);
    const std::uint32_t begun = behind_all(builder_.compute(std::exchange(priced.send_overhead, 0), where_));
    builder_.require(builder_.send(call.peer, tags_.asking(where_.cpu), priced, server_), begun);
    const std::uint32_t answered = builder_.receive(call.peer, tags_.answering(where_.cpu), server_);
    builder_.require(answered, begun);
    if (call.request == pattern::no_request)
      return go_on_after(answered);
    requests_[call.request].push_back(answered);
    go_on_after(begun);
  }

  void wait(const TracedCall& call) {
    for (const pattern::Completed& one : call.completed)
      finish(requests_[one.request]);
  }
  void finish(std::vector<std::uint32_t>& operations) {
    for (const std::uint32_t operation : operations)
      before_.push_back({operation, false});
    operations.clear();
  }

  void collective(const TracedCall& call) {
    const pattern::TracedCommunicator& communicator = communicator_of(call);
    if (communicator.members.size() < 2)
      return;
    join();
    const std::int64_t round = rounds_[call.communicator]++ % rounds_apart;
    std::vector<std::uint32_t> ends;
    if (const Program* const program = collectives_.program_of(call, communicator))
      write_program(*program, communicator, round, ends);
    else
      write_blocks(call, communicator, round, ends);
    std::vector<std::uint32_t>& open = requests_[call.request];
    open.insert(open.end(), ends.begin(), ends.end());
    if (call.request == pattern::no_request)
      finish(open);
  }

  std::uint32_t tag_of(const pattern::TracedCommunicator& communicator, std::int64_t round,
                       std::uint32_t tag) {
    return tags_.of(communicator.id, -1 - (round << 32 | tag));
  }

  /// This rank's part of a collective's program; `ends` are its operations that nothing requires.
  void write_program(const Program& program, const pattern::TracedCommunicator& communicator,
                     std::int64_t round, std::vector<std::uint32_t>& ends) {
    const std::uint32_t own = place_in(communicator);
    std::optional<std::uint32_t> first;
    for (const Operation& one : program.operations_of(own)) {
      const std::uint32_t number = write_operation(program, one, own, communicator, round);
      first = first.value_or(number);
      if (one.requirements == 0)
        behind_all(number);
      if (program.dependents_of(one).empty())
        ends.push_back(number);
    }
    std::uint32_t number = first.value_or(0);
    for (const Operation& one : program.operations_of(own)) {
      for (const std::uint32_t dependent : program.dependents_of(one))
        builder_.require(*first + (dependent >> 1), number, (dependent & 1) != 0);
      ++number;
    }
  }

  std::uint32_t write_operation(const Program& program, const Operation& one, std::uint32_t own,
                                const pattern::TracedCommunicator& communicator, std::int64_t round) {
    if (one.kind == Kind::compute)
      return builder_.compute(program.durations[one.cost], where_);
    const std::int32_t peer = communicator.members[program.from_base(own, one.peer)];
    const std::uint32_t tag = tag_of(communicator, round, one.tag);
    return one.kind == Kind::send ? builder_.send(peer, tag, program.costs[one.cost], where_)
                                  : builder_.receive(peer, tag, where_);
  }

  /// Blocks of different sizes, straight from rank to rank; empty ones are not sent.
  void write_blocks(const TracedCall& call, const pattern::TracedCommunicator& communicator,
                    std::int64_t round, std::vector<std::uint32_t>& ends) {
    const std::uint32_t own = place_in(communicator);
    const auto ranks = static_cast<std::uint32_t>(communicator.members.size());
    const std::uint32_t tag = tag_of(communicator, round, 0);
    const auto receive_from = [&](std::uint32_t rank) {
      ends.push_back(behind_all(builder_.receive(communicator.members[rank], tag, where_)));
    };
    const auto send_to = [&](std::uint32_t rank, std::uint64_t bytes) {
      const std::int32_t peer = communicator.members[rank];
      ends.push_back(behind_all(builder_.send(peer, tag, cost(bytes, peer), where_)));
    };
    for (std::uint32_t step = 1; step < ranks; ++step)
      if (const std::uint32_t rank = (own + ranks - step) % ranks;
          !call.received.empty() && call.received[rank] > 0)
        receive_from(rank);
    for (std::uint32_t step = 1; step < ranks; ++step)
      if (const std::uint32_t rank = (own + step) % ranks; !call.sent.empty() && call.sent[rank] > 0)
        send_to(rank, call.sent[rank]);
    const auto root = static_cast<std::uint32_t>(call.peer);
    if (own == root || call.bytes == 0)
      return;
    if (call.operation == "gatherv")
      send_to(root, call.bytes);
    else if (call.operation == "scatterv")
      receive_from(root);
  }

  std::uint32_t place_in(const pattern::TracedCommunicator& communicator) const {
    const auto own = std::ranges::find(communicator.members, static_cast<std::int32_t>(builder_.rank()));
    if (own == communicator.members.end())
      throw Error(fmt::format("rank {} calls a collective of others", builder_.rank()),
                  "record it anew: thalweg run --trace");
    return static_cast<std::uint32_t>(own - communicator.members.begin());
  }

  ProgramBuilder& builder_;
  const ReplayOptions& options_;
  CollectivePrograms& collectives_;
  ReplayTags& tags_;
  const pattern::TracedRank& rank_;
  Where where_;
  Where server_; // of one-sided calls
  std::vector<Before> before_;
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> requests_; // what began with each
  std::unordered_map<std::uint32_t, std::int64_t> rounds_;                // collectives of each communicator
};

void check(const pattern::CallTrace& trace, const ReplayOptions& options) {
  if (trace.is_cut())
    throw Error("the trace was cut: the program's calls differ too much to be kept",
                "trace a part of it, between MPI_Pcontrol(1) and MPI_Pcontrol(0), or a shorter run");
  if (!(options.computation_scale >= 0 && options.computation_scale < 1e6))
    throw Error(fmt::format("computation that takes {} times as long", options.computation_scale),
                "choose 0 to 1000000");
  std::uint64_t calls = 0;
  for (const pattern::TracedRank& rank : trace.ranks) {
    if (rank.threads.size() > threads_max)
      throw Error(fmt::format("a rank with {} threads", rank.threads.size()), "trace fewer");
    for (const pattern::TracedThread& thread : rank.threads)
      calls = std::min(calls_max + 1, calls + std::min(calls_max + 1, pattern::calls_of(thread.items)));
  }
  if (calls > calls_max)
    throw Error(fmt::format("the trace has more than {} calls", calls_max), "trace a shorter run");
}

} // namespace

Replay replay(const pattern::CallTrace& trace, const ReplayOptions& options) {
  check(trace, options);
  ProgramBuilder builder(static_cast<std::int64_t>(trace.ranks.size()));
  CollectivePrograms collectives(trace, options);
  ReplayTags tags;
  const RemoteCalls remote(trace);
  for (const pattern::TracedRank& rank : trace.ranks) {
    std::uint8_t cpu = 0;
    for (const pattern::TracedThread& thread : rank.threads) {
      std::vector<ThreadStep> steps = written_out(thread, rank.calls);
      answer(steps);
      ThreadWriter(builder, options, collectives, tags, rank, cpu++, remote.server()).write(steps);
    }
    remote.serve(builder, options, tags);
    builder.end_rank();
  }
  Replay found{builder.finish(), {}};
  for (const std::string& what : trace.lacks)
    found.remarks.push_back("the trace lacks " + what);
  found.remarks.insert(found.remarks.end(), collectives.remarks().begin(), collectives.remarks().end());
  return found;
}

} // namespace thalweg::simulate
