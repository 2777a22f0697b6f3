// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/call_trace.hpp"

#include "base/line_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace thalweg::pattern {

namespace {

constexpr std::uint64_t calls_max = std::uint64_t{1} << 62;

using Out = std::back_insert_iterator<std::string>;

void write_row(Out out, std::string_view word, const std::vector<std::uint64_t>& row) {
  const char* before = " ";
  if (!row.empty())
    fmt::format_to(out, " {}", word);
  for (auto at = row.begin(); at != row.end();) {
    const auto other = std::find_if(at, row.end(), [&](std::uint64_t value) { return value != *at; });
    if (other - at > 1)
      fmt::format_to(out, "{}{}*{}", before, other - at, *at);
    else
      fmt::format_to(out, "{}{}", before, *at);
    before = ",";
    at = other;
  }
}

std::string message_number(std::int32_t number) {
  return number == any_message ? "any" : std::to_string(number);
}

void write_wait(Out out, const TracedCall& call) {
  fmt::format_to(out, "wait");
  for (const Completed& one : call.completed) {
    fmt::format_to(out, " {}", one.request);
    if (one.source == Completed::canceled)
      fmt::format_to(out, ":canceled");
    else if (one.source != Completed::as_asked)
      fmt::format_to(out, ":{}:{}", one.source, one.tag);
  }
}

void write_call(Out out, const TracedCall& call) {
  if (call.kind == TracedKind::wait)
    return write_wait(out, call);
  const bool is_blocking = call.request == no_request;
  const std::string_view prefix = is_blocking ? "" : "i";
  const std::string request = is_blocking ? "" : fmt::format(" {}", call.request);
  switch (call.kind) {
  case TracedKind::send:
    fmt::format_to(out, "{}{}send{} {} {} {} {}", prefix, call.is_synchronous ? "s" : "", request,
                   call.communicator, call.peer, call.tag, call.bytes);
    break;
  case TracedKind::receive:
    fmt::format_to(out, "{}receive{} {} {} {}", prefix, request, call.communicator, message_number(call.peer),
                   message_number(call.tag));
    break;
  case TracedKind::collective:
    fmt::format_to(out, "{}collective{} {} {} {} {} {}", prefix, request, call.communicator, call.operation,
                   call.bytes, call.peer, call.implementation);
    write_row(out, "to", call.sent);
    write_row(out, "from", call.received);
    break;
  case TracedKind::remote:
    fmt::format_to(out, "{}remote{} {} {} {} {}", prefix, request, call.communicator, call.peer, call.bytes,
                   call.read);
    break;
  case TracedKind::wait:
    break;
  }
}

void write_items(Out out, const TracedRank& rank, const std::vector<TraceItem>& items) {
  for (const TraceItem& item : items) {
    if (item.repeats == 0) {
      fmt::format_to(out, "{} ", item.computed);
      write_call(out, rank.calls[item.call]);
      *out++ = '\n';
    } else {
      fmt::format_to(out, "loop {}\n", item.repeats);
      write_items(out, rank, item.body);
      fmt::format_to(out, "end\n");
    }
  }
}

} // namespace

bool CallTrace::is_cut() const {
  return std::ranges::any_of(ranks, [](const TracedRank& rank) {
    return std::ranges::any_of(rank.threads, [](const TracedThread& thread) { return thread.is_cut; });
  });
}

std::uint64_t calls_of(const std::vector<TraceItem>& items) {
  std::uint64_t calls = 0;
  for (const TraceItem& item : items) {
    const std::uint64_t body = item.repeats == 0 ? 1 : calls_of(item.body);
    const std::uint64_t times = std::max<std::uint64_t>(item.repeats, 1);
    calls = body > (calls_max - calls) / times ? calls_max : calls + body * times;
  }
  return calls;
}

double computed_in(const std::vector<TraceItem>& items) {
  double sum = 0;
  for (const TraceItem& item : items)
    sum += item.repeats == 0 ? static_cast<double>(item.computed) : item.repeats * computed_in(item.body);
  return sum;
}

std::string text_of_rank(std::size_t rank, const TracedRank& traced) {
  std::string text = fmt::format("rank {}\n", rank);
  const Out out = std::back_inserter(text);
  for (std::size_t number = 0; number < traced.communicators.size(); ++number) {
    const TracedCommunicator& one = traced.communicators[number];
    fmt::format_to(out, "communicator {} {:x} {}\n", number, one.id, fmt::join(one.members, " "));
  }
  for (const TracedThread& thread : traced.threads) {
    fmt::format_to(out, "thread\n");
    write_items(out, traced, thread.items);
    if (thread.is_cut)
      fmt::format_to(out, "cut\n");
  }
  return text;
}

std::string head_of(const CallTrace& trace, std::size_t ranks) {
  std::string text =
      fmt::format("{}\nranks {}\nseconds {}\ncommand {}\ncomputation {}\n", trace_first_line, ranks,
                  trace.seconds, on_one_line(trace.command), trace.is_cpu_time ? "cpu" : "wall");
  for (const std::string& what : trace.lacks)
    text += fmt::format("lacks {}\n", on_one_line(what));
  return text;
}

std::string to_text(const CallTrace& trace) {
  std::string text = head_of(trace, trace.ranks.size());
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    text += text_of_rank(rank, trace.ranks[rank]);
  return text + std::string(trace_last_line) + "\n";
}

} // namespace thalweg::pattern
