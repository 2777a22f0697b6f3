// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/recording.hpp"

#include "base/assertion.hpp"
#include "base/files.hpp"
#include "base/line_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace thalweg::pattern {

namespace {

constexpr std::string_view first_line = "thalweg-pattern 1";
constexpr std::uint64_t ranks_max = std::numeric_limits<std::int32_t>::max();

class RecordingReader : LineReader {
public:
  using LineReader::LineReader;

  Recording read() {
    next_line();
    if (line() != first_line)
      fail("is no pattern of this version", "record it anew: thalweg run --record");
    while (next_line()) {
      const std::string_view kind = word();
      if (kind.empty() || kind.front() == '#')
        continue;
      if (kind.front() >= '0' && kind.front() <= '9')
        read_sent(kind);
      else if (kind == "phase")
        read_phase();
      else if (kind == "site")
        read_site();
      else if (kind == "ranks")
        recording_.ranks = static_cast<std::int32_t>(number(word(), ranks_max));
      else if (kind == "seconds")
        recording_.seconds = seconds(word());
      else if (kind == "command")
        recording_.command = rest();
      else
        fail(fmt::format("'{}' says nothing of a pattern", kind),
             "begin the line with ranks, seconds, command, site, phase, # or a rank");
    }
    return std::move(recording_);
  }

private:
  static constexpr std::uint64_t number_max = std::uint64_t{1} << 62;

  void read_phase() {
    RecordedPhase phase;
    phase.repeats = number(word(), number_max);
    phase.name = rest();
    recording_.phases.push_back(std::move(phase));
  }
  void read_site() {
    if (number(word(), number_max) != recording_.sites.size())
      fail("sites are numbered from 0 in their order", "number this one by the sites before it");
    Site site;
    site.by = word();
    site.function = word();
    site.source = rest();
    recording_.sites.push_back(std::move(site));
  }
  void read_sent(std::string_view from) {
    if (recording_.phases.empty())
      fail("messages come before their phase", "put a line 'phase 1 1' before them");
    const auto rank_below = static_cast<std::uint64_t>(std::max(recording_.ranks, 0));
    Sent sent;
    sent.from = rank(from, rank_below);
    sent.to = rank(word(), rank_below);
    sent.bytes = number(word(), number_max);
    sent.messages = number(word(), number_max);
    sent.site = static_cast<std::uint32_t>(number(word(), number_max));
    if (sent.site >= recording_.sites.size())
      fail(fmt::format("there is no site {} before this line", sent.site), "put its line before");
    recording_.phases.back().sent.push_back(sent);
  }
  std::int32_t rank(std::string_view text, std::uint64_t below) {
    const std::uint64_t value = number(text, ranks_max);
    if (value >= below)
      fail(fmt::format("rank {} of {}", value, below),
           "say how many ranks there are in a line 'ranks N' before");
    return static_cast<std::int32_t>(value);
  }

  Recording recording_;
};

} // namespace

std::string to_text(const Recording& recording) {
  std::string text = fmt::format("{}\nranks {}\nseconds {}\ncommand {}\n", first_line, recording.ranks,
                                 recording.seconds, on_one_line(recording.command));
  const auto out = std::back_inserter(text);
  for (std::size_t site = 0; site < recording.sites.size(); ++site) {
    const auto& [by, function, source] = recording.sites[site];
    fmt::format_to(out, "site {} {} {} {}\n", site, by, function, on_one_line(source));
  }
  for (const RecordedPhase& phase : recording.phases) {
    fmt::format_to(out, "phase {} {}\n", phase.repeats, on_one_line(phase.name));
    for (const Sent& sent : phase.sent)
      fmt::format_to(out, "{} {} {} {} {}\n", sent.from, sent.to, sent.bytes, sent.messages, sent.site);
  }
  return text;
}

Recording parse_recording(std::string_view text, const std::string& name) {
  return RecordingReader(text, name).read();
}

Recording load_recording(const std::string& file) {
  const std::string text = read_text(file, "record one: thalweg run --record");
  return parse_recording(text, file);
}

Pattern pattern_of(const Recording& recording) {
  Pattern pattern{recording.ranks, {}};
  for (const RecordedPhase& phase : recording.phases) {
    const auto repeats = static_cast<double>(std::max<std::uint64_t>(1, phase.repeats));
    THALWEG_ASSERT(heavy, std::ranges::all_of(phase.sent, [&](const Sent& sent) {
                     return sent.site < recording.sites.size();
                   }));
    std::vector<Edge> edges;
    edges.reserve(phase.sent.size());
    for (const Sent& sent : phase.sent)
      edges.push_back({sent.from, sent.to, static_cast<double>(sent.bytes) / repeats,
                       static_cast<double>(sent.messages) / repeats});
    pattern.phases.push_back({phase.name, repeats, Matrix(recording.ranks, std::move(edges))});
  }
  return pattern;
}

} // namespace thalweg::pattern
