// SPDX-License-Identifier: BSD-3-Clause

// Reads traces of calls (call_trace.hpp has the grammar).

#include "base/files.hpp"
#include "base/line_reader.hpp"
#include "pattern/call_trace.hpp"

#include <limits>
#include <optional>

namespace thalweg::pattern {

namespace {

constexpr std::uint64_t number_max = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 50;
constexpr std::uint64_t nanoseconds_max = std::uint64_t{1} << 50; // thirteen days
constexpr std::size_t depth_max = 64;                             // of loops inside of loops
constexpr std::uint64_t world_max = std::uint64_t{1} << 24;

class CallTraceReader : LineReader {
public:
  using LineReader::LineReader;

  CallTrace read() {
    next_line();
    if (line() != trace_first_line)
      fail("is no trace of this version", "record it anew: thalweg run --trace");
    bool is_whole = false;
    while (!is_whole && next_line())
      is_whole = read_line();
    if (!is_whole)
      fail("the trace ends before its last line",
           "record it anew: a job that is killed keeps no whole trace");
    if (next_line())
      fail("something follows the last line", "end the file there");
    check_ended();
    if (trace_.ranks.size() != ranks_)
      fail(fmt::format("{} of {} ranks", trace_.ranks.size(), ranks_), "record it anew: thalweg run --trace");
    return std::move(trace_);
  }

private:
  /// True for the last line.
  bool read_line() {
    if (line() == trace_last_line)
      return true;
    const std::string_view kind = word();
    if (kind.empty() || kind.front() == '#')
      return false;
    if (kind.front() >= '0' && kind.front() <= '9')
      read_call(number(kind, nanoseconds_max));
    else if (!trace_.ranks.empty())
      read_structure(kind);
    else
      read_head(kind);
    return false;
  }

  void read_head(std::string_view kind) {
    if (kind == "ranks")
      ranks_ = number(word(), world_max);
    else if (kind == "seconds")
      trace_.seconds = seconds(word());
    else if (kind == "command")
      trace_.command = rest();
    else if (kind == "lacks")
      trace_.lacks.push_back(rest());
    else if (kind == "computation")
      trace_.is_cpu_time = one_of(word(), "cpu", "wall");
    else if (kind == "rank")
      read_rank();
    else
      fail(fmt::format("'{}' says nothing of a trace", kind),
           "begin the line with ranks, seconds, command, computation, lacks, # or rank");
  }

  void read_structure(std::string_view kind) {
    if (kind == "rank")
      read_rank();
    else if (kind == "communicator")
      read_communicator();
    else if (kind == "thread")
      read_thread();
    else if (kind == "loop")
      begin_loop();
    else if (kind == "end")
      end_loop();
    else if (kind == "cut")
      thread().is_cut = true;
    else
      fail(fmt::format("'{}' says nothing of a rank", kind),
           "begin the line with communicator, thread, loop, end, cut, # or a number of nanoseconds");
  }

  void read_rank() {
    check_ended();
    if (number(word(), world_max) != trace_.ranks.size() || trace_.ranks.size() >= ranks_)
      fail(fmt::format("ranks come from 0 to {} in their order", static_cast<std::int64_t>(ranks_) - 1),
           "say how many there are in a line 'ranks N' before");
    trace_.ranks.emplace_back();
  }

  void read_communicator() {
    std::vector<TracedCommunicator>& all = trace_.ranks.back().communicators;
    if (number(word(), number_max) != all.size())
      fail("communicators are numbered from 0 in their order", "number this one by those before it");
    TracedCommunicator one{number(word(), std::numeric_limits<std::uint64_t>::max(), 16), {}};
    for (std::string_view member = word(); !member.empty(); member = word())
      one.members.push_back(rank_of(member));
    all.push_back(std::move(one));
  }

  void read_thread() {
    check_ended();
    trace_.ranks.back().threads.emplace_back();
  }
  TracedThread& thread() {
    if (trace_.ranks.back().threads.empty())
      fail("calls come before their thread", "put a line 'thread' before them");
    return trace_.ranks.back().threads.back();
  }

  void begin_loop() {
    thread();
    if (open_.size() >= depth_max)
      fail(fmt::format("more than {} loops inside of each other", depth_max), "write their calls out");
    open_.emplace_back();
    open_.back().repeats = static_cast<std::uint32_t>(number(word(), number_max));
    if (open_.back().repeats == 0)
      fail("a loop that is never run", "leave it out");
  }
  void end_loop() {
    if (open_.empty())
      fail("the end of no loop", "begin it with a line 'loop N'");
    TraceItem item = std::move(open_.back());
    open_.pop_back();
    append(std::move(item));
  }
  void append(TraceItem item) {
    (open_.empty() ? thread().items : open_.back().body).push_back(std::move(item));
  }
  void check_ended() const {
    if (!open_.empty())
      fail("a loop has no end", "put a line 'end' behind its calls");
  }

  void read_call(std::uint64_t computed) {
    if (trace_.ranks.empty())
      fail("calls come before their rank", "put a line 'rank 0' before them");
    TracedCall call;
    std::string_view kind = word();
    if (kind == "wait") {
      read_wait(call);
    } else {
      if (kind.starts_with('i')) {
        kind.remove_prefix(1);
        call.request = static_cast<std::int32_t>(number(word(), number_max));
      }
      call.communicator = static_cast<std::uint32_t>(number(word(), number_max));
      if (call.communicator >= trace_.ranks.back().communicators.size())
        fail(fmt::format("there is no communicator {} before this line", call.communicator),
             "put its line before the rank's first thread");
      read_details(kind, call);
    }
    if (!word().empty())
      fail("the line has more words than its call", "leave them out");
    TraceItem item;
    item.call = static_cast<std::uint32_t>(trace_.ranks.back().calls.size());
    item.computed = computed;
    trace_.ranks.back().calls.push_back(std::move(call));
    append(std::move(item));
  }

  void read_details(std::string_view kind, TracedCall& call) {
    if (kind == "send" || kind == "ssend") {
      call.kind = TracedKind::send;
      call.is_synchronous = kind == "ssend";
      call.peer = rank_of(word());
      call.tag = static_cast<std::int32_t>(number(word(), number_max));
      call.bytes = number(word(), bytes_max);
    } else if (kind == "receive") {
      call.kind = TracedKind::receive;
      const std::string_view from = word();
      call.peer = from == "any" ? any_message : rank_of(from);
      const std::string_view tag = word();
      call.tag = tag == "any" ? any_message : static_cast<std::int32_t>(number(tag, number_max));
    } else if (kind == "remote") {
      call.kind = TracedKind::remote;
      call.peer = rank_of(word());
      call.bytes = number(word(), bytes_max);
      call.read = number(word(), bytes_max);
    } else if (kind == "collective") {
      read_collective(call);
    } else {
      fail(
          fmt::format("'{}' is no call", kind),
          "write send, ssend, receive, remote, collective, with an i before where it has a request, or wait");
    }
  }

  void read_collective(TracedCall& call) {
    call.kind = TracedKind::collective;
    const std::size_t members = trace_.ranks.back().communicators[call.communicator].members.size();
    call.operation = word();
    call.bytes = number(word(), bytes_max);
    call.peer = static_cast<std::int32_t>(number(word(), members == 0 ? 0 : members - 1));
    call.implementation = word();
    if (call.implementation.empty())
      fail("nothing ran the collective", "write native, or a strategy");
    for (std::string_view side = word(); !side.empty(); side = word())
      (one_of(side, "to", "from") ? call.sent : call.received) = row(word(), members);
  }

  /// Bytes by rank: "0,3*64".
  std::vector<std::uint64_t> row(std::string_view text, std::size_t members) {
    std::vector<std::uint64_t> values;
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(','));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      const std::size_t star = part.find('*');
      const bool is_run = star != std::string_view::npos;
      const std::uint64_t count = is_run ? number(part.substr(0, star), members - values.size()) : 1;
      values.insert(values.end(), count, number(is_run ? part.substr(star + 1) : part, bytes_max));
      if (values.size() > members)
        break;
    }
    if (values.size() != members)
      fail(fmt::format("bytes for {} ranks of {}", values.size(), members), "give a number for each rank");
    return values;
  }

  void read_wait(TracedCall& call) {
    for (std::string_view text = word(); !text.empty(); text = word()) {
      const std::string_view request = text.substr(0, text.find(':'));
      Completed one{static_cast<std::int32_t>(number(request, number_max))};
      text.remove_prefix(std::min(request.size() + 1, text.size()));
      if (text == "canceled") {
        one.source = Completed::canceled;
      } else if (!text.empty()) {
        const std::string_view source = text.substr(0, text.find(':'));
        text.remove_prefix(std::min(source.size() + 1, text.size()));
        one.source = rank_of(source);
        one.tag = static_cast<std::int32_t>(number(text, number_max));
      }
      call.completed.push_back(one);
    }
  }

  std::int32_t rank_of(std::string_view text) const {
    const std::uint64_t value = number(text, world_max);
    if (value >= ranks_)
      fail(fmt::format("rank {} of {}", value, ranks_), "name ranks of the world, from 0");
    return static_cast<std::int32_t>(value);
  }
  bool one_of(std::string_view text, std::string_view first, std::string_view second) const {
    if (text != first && text != second)
      fail(fmt::format("'{}' is neither {} nor {}", text, first, second), "choose one of them");
    return text == first;
  }

  CallTrace trace_;
  std::uint64_t ranks_ = 0;
  std::vector<TraceItem> open_; // loops that have not ended
};

} // namespace

CallTrace parse_call_trace(std::string_view text, const std::string& name) {
  return CallTraceReader(text, name).read();
}

CallTrace load_call_trace(const std::string& file) {
  return parse_call_trace(read_text(file, "record one: thalweg run --trace"), file);
}

} // namespace thalweg::pattern
