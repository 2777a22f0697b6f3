// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/tracing.hpp"

#include "mpi/comm/gathering.hpp"
#include "mpi/observe/texts.hpp"
#include "mpi/record/pattern_store.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/packed_trace.hpp"
#include "mpi/trace/traced_calls.hpp"
#include "mpi/trace/traced_windows.hpp"
#include "pattern/call_trace.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <map>

namespace thalweg::mpi {

namespace {

// Calls on communicators that nobody knows are none of the world's.
struct Tracer {
  CommunicatorState* communicator;

  void operator()(const MessageCall& message) const {
    if (communicator != nullptr)
      trace_message(*communicator, message);
  }
  void operator()(const ProbedMessage& found) const {
    if (communicator != nullptr)
      trace_found(*communicator, found.message);
  }
  void operator()(const Meeting&) const {
    if (communicator != nullptr)
      trace_meeting(*communicator);
  }
  void operator()(const RemoteAccess& access) const { trace_remote(access); }
  void operator()(const WindowCall& call) const {
    if (call.kind != WindowCall::Kind::created)
      trace_window_call(call);
    else if (communicator != nullptr)
      trace_window(call.window, *communicator);
  }
  void operator()(const CollectiveRun& run) const {
    trace_collective(*run.call, *communicator, run.implementation);
  }
  void operator()(const std::monostate&) const {}
};

} // namespace

void trace_ended(const CallEvent& event) {
  std::visit(Tracer{event.communicator}, event.content);
}

namespace {

std::vector<std::uint8_t> pack_own() {
  CallLog& log = call_log();
  log.enter();
  log.append({}); // what was computed at last, before nothing
  const pattern::TracedRank rank = log.take(runtime.tick_scale.ns_so_far(1'000'000) / 1e6);
  std::uint64_t calls = 0;
  bool is_cut = false;
  for (const pattern::TracedThread& thread : rank.threads) {
    calls += pattern::calls_of(thread.items);
    is_cut |= thread.is_cut;
  }
  const auto number = static_cast<std::size_t>(runtime.world.rank);
  return pack({pattern::text_of_rank(number, rank), log.lacks(), calls - 1, is_cut});
}

std::string keep_joined(const std::vector<std::vector<std::uint8_t>>& ranks) {
  std::map<std::string, std::uint64_t> lacks;
  std::string lines;
  std::uint64_t calls = 0;
  std::uint64_t cut = 0;
  for (const std::vector<std::uint8_t>& packed : ranks) {
    const PackedTrace one = unpack_trace(packed);
    lines += one.lines;
    for (const auto& [what, count] : one.lacks)
      lacks[what] += count;
    calls += one.calls;
    cut += one.is_cut ? 1 : 0;
  }
  pattern::CallTrace head;
  head.seconds = 1e-9 * static_cast<double>(observe::monotonic_ns() - runtime.start_ns);
  head.command = program_text();
  head.is_cpu_time = call_log().is_cpu_time();
  for (const auto& [what, count] : lacks)
    head.lacks.push_back(fmt::format("{} {}", count, what));
  const std::string text =
      pattern::head_of(head, ranks.size()) + lines + std::string(pattern::trace_last_line) + "\n";
  const std::string file = trace_file(runtime.settings.patterns, runtime.world.size);
  keep_file("trace", file, text);
  const std::string without =
      head.lacks.empty() ? "" : fmt::format("; without {}", fmt::join(head.lacks, ", "));
  const std::string limit =
      cut == 0
          ? ""
          : fmt::format("; CUT on {} ranks, whose calls differ too much: trace a part (MPI_Pcontrol)", cut);
  return fmt::format("traced {} calls in {}{}{}; kept in {}", calls,
                     observe::bytes_text(static_cast<double>(text.size())), without, limit, file);
}

} // namespace

void begin_trace() {
  call_log().begin(runtime.world.placement.oversubscribed);
}

std::string keep_trace() {
  if (!runtime.world.agreed || !process.observation.keeps_trace)
    return {};
  process.observation.keeps_trace = false;
  process.observation.traces = process.observation.keeps_timeline;
  const std::vector<std::vector<std::uint8_t>> ranks = gather_bytes(pack_own());
  if (runtime.world.rank != 0)
    return {};
  try {
    return keep_joined(ranks);
  } catch (const std::exception& error) {
    log_line(error.what()); // the others go on to the report
    return {};
  }
}

} // namespace thalweg::mpi
