// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.hpp"
#include "mpi/observe/gains.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_lines = 10;

double measured(const ordered_json& entry, const std::string& candidate) {
  for (const ordered_json& trial : entry.at("trials"))
    if (trial.at("candidate") == candidate)
      return trial.value("measured_s", 0.0);
  return 0;
}

std::size_t tried(const ordered_json& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entry.at("trials"), [](const ordered_json& trial) { return trial.contains("measured_s"); }));
}

std::string line(const ordered_json& entry) {
  const auto use = entry.at("use").get<std::string>();
  const double native = measured(entry, "native");
  const double pick = measured(entry, use);
  const std::string gain = use == "native" || pick <= 0 || native <= 0
                               ? ""
                               : fmt::format(", {:.2f} times as fast as native", native / pick);
  const double time = std::max(entry.at("time_s").get<double>(), 1e-12);
  return fmt::format(
      "learned: {} of {}, {} ranks: {}{}; {}; {} of {} candidates tried, for {:.1f}% of its time\n",
      entry.at("call").get<std::string>(), format_bytes(entry.at("bytes").get<std::int64_t>()),
      entry.at("ranks").get<int>(), use, gain, entry.at("state").get<std::string>(), tried(entry),
      entry.at("trials").size(), 100 * entry.at("spent_s").get<double>() / time);
}

// What was learned (the JSON array of learn/learned_entry.hpp), a line for each kind of call that took
// longest.
std::string learned_lines(const std::string& learned) {
  if (learned.empty())
    return "";
  std::vector<ordered_json> entries = ordered_json::parse(learned);
  std::ranges::stable_sort(entries, std::greater(),
                           [](const ordered_json& entry) { return entry.at("time_s").get<double>(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), max_lines); ++i)
    text += line(entries[i]);
  if (entries.size() > max_lines)
    text += fmt::format("... and {} more kinds of calls learned about\n", entries.size() - max_lines);
  return text;
}

std::string last_part(const std::string& name) {
  return name.substr(name.rfind(':') + 1);
}

// "file.cpp:42 (name)" or, of what has no line, "name+0x42 (module)": with the name's last part alone, then
// without what stands in parentheses.
std::string clipped(const std::string& site, std::size_t width) {
  const std::size_t parenthesis = site.find(" (");
  if (site.size() <= width) {
    return site;
  }
  std::string shorter = site;
  if (parenthesis != std::string::npos) {
    const std::string place = site.substr(0, parenthesis);
    const std::string inside = site.substr(parenthesis + 1);
    const bool has_line = place.find("+0x") == std::string::npos;
    const std::string alone = has_line ? place : last_part(place);
    shorter = alone + (has_line ? " (" + last_part(inside.substr(1)) : " " + inside);
    if (shorter.size() > width) {
      shorter = alone;
    }
  }
  return shorter.size() <= width ? shorter : ".." + shorter.substr(shorter.size() - width + 2);
}

std::string straggler(const Waiting& waiting) {
  const auto worst = std::max_element(waiting.caused_ns.begin(), waiting.caused_ns.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (worst == waiting.caused_ns.end() || waiting.waiting_ns <= 0) {
    return "";
  }
  return fmt::format("{} ({})", worst->first, percent_text(worst->second / waiting.waiting_ns));
}

std::string strategies(const Endings& endings) {
  std::string text;
  for (const auto& [ending, calls] : endings) {
    if (text.find(ending.first) == std::string::npos) {
      text += text.empty() ? ending.first : "," + ending.first;
    }
  }
  return text;
}

std::string passed_on(const Profile& profile) {
  std::map<std::string, std::uint64_t> reasons;
  for (const SiteProfile& site : profile.sites) {
    for (const auto& [ending, calls] : site.total.endings) {
      if (!ending.second.empty()) {
        reasons[ending.second] += calls;
      }
    }
  }
  std::string text;
  for (const auto& [reason, calls] : reasons) {
    text += fmt::format("{}{} ({} calls)", text.empty() ? "" : "; ", reason, calls);
  }
  return text;
}

struct Column {
  const char* title;
  bool is_text;                   // and so on the left
  std::vector<std::string> cells; // by row
  std::size_t width = 0;

  void measure() {
    width = std::strlen(title);
    for (const std::string& cell : cells) {
      width = std::max(width, cell.size());
    }
  }
};

struct Table {
  Column transfer{"transfer", false, {}};
  Column ranks{"ranks", false, {}};
  Column cpu{"CPU", false, {}};
  Column bytes{"bytes", false, {}};
  Column last{"last rank", false, {}};
  Column mean{"mean", false, {}};
  Column function{"function", true, {}};
  Column site{"call site", true, {}};
  Column calls{"calls", false, {}};
  Column time{"time", false, {}};
  Column waiting{"waiting", false, {}};
  Column ran_on{"ran on", true, {}};

  std::vector<Column*> in_order() {
    return {&function, &site,    &ranks,    &calls, &bytes, &time,
            &mean,     &waiting, &transfer, &last,  &cpu,   &ran_on};
  }
  // What a narrow screen does without, the most telling first.
  std::vector<Column*> optional() { return {&mean, &last, &bytes, &cpu, &ranks, &transfer}; }
};

constexpr std::size_t gap = 2; // between columns

std::size_t width_of(const std::vector<Column*>& columns) {
  std::size_t width = gap * (columns.size() - 1);
  for (const Column* column : columns) {
    width += column->width;
  }
  return width;
}

constexpr std::size_t widest_site = 40;
constexpr std::size_t narrowest_site = 18;
constexpr std::size_t narrowest_end = 6;
constexpr std::size_t short_end = 16; // what other columns make it

// Leaves out columns, then cuts the call sites and what is last, until the table fits.
void fit(Table& table, std::vector<Column*>& columns, std::size_t screen) {
  const auto shrink = [&](Column& column, std::size_t min_width) {
    const std::size_t width = width_of(columns);
    if (width > screen && column.width > min_width) {
      column.width = std::max(min_width, column.width - std::min(column.width, width - screen));
    }
  };
  const std::vector<Column*> all = columns;
  for (const Column* const column : table.optional()) {
    std::erase(columns, column);
  }
  for (Column* const column : table.optional()) {
    const std::size_t cut = table.site.width - std::min(table.site.width, narrowest_site) +
                            table.ran_on.width - std::min(table.ran_on.width, short_end);
    if (width_of(columns) + gap + column->width <= screen + cut) {
      columns.push_back(column);
    }
  }
  std::vector<Column*> kept;
  std::ranges::copy_if(all, std::back_inserter(kept), [&](const Column* column) {
    return std::ranges::find(columns, column) != columns.end();
  });
  columns = std::move(kept);
  shrink(table.site, narrowest_site);
  shrink(table.ran_on, narrowest_end);
}

std::string lines(Table& table, std::size_t screen) {
  std::vector<Column*> columns = table.in_order();
  for (Column* const column : columns) {
    column->measure();
  }
  table.site.width = std::min(table.site.width, widest_site);
  if (screen > 0) {
    fit(table, columns, screen);
  }
  std::string text;
  for (std::size_t row = 0; row <= table.function.cells.size(); ++row) {
    std::string line;
    for (const Column* const column : columns) {
      std::string cell = row == 0 ? column->title : column->cells[row - 1];
      cell = column == &table.site ? clipped(cell, column->width) : cell.substr(0, column->width);
      line += column->is_text ? fmt::format("{:<{}}  ", cell, column->width)
                              : fmt::format("{:>{}}  ", cell, column->width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string table_of(const Profile& profile, SummarySize size, double all_wall_ns) {
  Table table;
  for (const SiteProfile& site : profile.sites) {
    if (table.function.cells.size() == size.sites) {
      break;
    }
    const CallProfile& total = site.total;
    const auto calls = static_cast<double>(std::max<std::uint64_t>(total.calls, 1));
    const bool matched = site.waiting.sampled_ns > 0;
    table.function.cells.push_back(total.function);
    table.site.cells.push_back(site.source);
    table.ranks.cells.push_back(total.ranks == 0 ? "" : std::to_string(total.ranks));
    table.calls.cells.push_back(std::to_string(total.calls));
    table.bytes.cells.push_back(bytes_text(static_cast<double>(total.bytes) / calls));
    table.time.cells.push_back(percent_text(std::min(1.0, total.ns / all_wall_ns)));
    table.mean.cells.push_back(duration_text(total.ns / calls));
    table.waiting.cells.push_back(matched ? percent_text(site.waiting.share()) : "");
    table.transfer.cells.push_back(matched ? percent_text(1 - site.waiting.share()) : "");
    table.last.cells.push_back(straggler(site.waiting));
    table.cpu.cells.push_back(percent_text(total.ns > 0 ? total.cpu_ns / total.ns : 0));
    table.ran_on.cells.push_back(strategies(total.endings));
  }
  std::string text = lines(table, size.columns);
  if (const std::size_t more = profile.sites.size() - table.function.cells.size(); more > 0) {
    text += fmt::format("... and {} more call site{}\n", more, more == 1 ? "" : "s");
  }
  return text;
}

// "4 of 8 ranks on 2 nodes, MPICH 4.0.2; 3.20 s until SIGTERM, 96% in MPI (14% of it on a core)".
std::string headline(const RunDescription& run, const Profile& profile, double all_wall_ns) {
  double mpi_ns = 0;
  double mpi_cpu_ns = 0;
  for (const SiteProfile& site : profile.sites) {
    mpi_ns += site.total.ns;
    mpi_cpu_ns += site.total.cpu_ns;
  }
  const std::size_t ranks = profile.ranks.size();
  const bool lacks_some = !run.cause.empty() && ranks < static_cast<std::size_t>(run.rank_count);
  const std::size_t all = lacks_some ? static_cast<std::size_t>(run.rank_count) : ranks;
  return fmt::format("{}{} rank{} on {} node{}, {}; {} {}, {} in MPI ({} of it on a core)",
                     lacks_some ? fmt::format("{} of ", ranks) : "", all, all == 1 ? "" : "s", run.node_count,
                     run.node_count == 1 ? "" : "s", run.library, duration_text(profile.wall_ns),
                     run.cause.empty() ? "from init to finalize" : "from init until " + run.cause,
                     percent_text(std::min(1.0, mpi_ns / all_wall_ns)),
                     percent_text(mpi_ns > 0 ? mpi_cpu_ns / mpi_ns : 0));
}

// Where ranks were when the job ended without MPI_Finalize, the longest calls first.
std::string calls_in_progress(const Profile& profile, std::size_t limit) {
  struct Call {
    const SiteProfile* site;
    std::string ranks;
    std::size_t count = 0;
    double longest_ns = 0;
  };
  std::vector<Call> calls;
  for (const SiteProfile& site : profile.sites) {
    Call call{&site, {}};
    for (const auto& [rank, ns] : site.in_progress_ns) {
      constexpr std::size_t max_named = 8;
      if (++call.count <= max_named) {
        call.ranks += fmt::format("{}{}", call.ranks.empty() ? "" : ", ", rank);
      } else if (call.count == max_named + 1) {
        call.ranks += ", ...";
      }
      call.longest_ns = std::max(call.longest_ns, ns);
    }
    if (call.count > 0) {
      calls.push_back(std::move(call));
    }
  }
  std::ranges::sort(calls, std::greater(), &Call::longest_ns);
  std::string text;
  for (const Call& call : calls) {
    if (limit-- == 0) {
      break;
    }
    text += fmt::format("in {} at {} when the job ended, for {}: rank{} {}\n", call.site->total.function,
                        call.site->source, duration_text(call.longest_ns), call.count == 1 ? "" : "s",
                        call.ranks);
  }
  return text;
}

} // namespace

std::string summary(const RunDescription& run, const Profile& profile, SummarySize size) {
  double all_wall_ns = 0;
  for (const RankProfile& rank : profile.ranks) {
    all_wall_ns += rank.wall_ns;
  }
  all_wall_ns = std::max(all_wall_ns, 1.0);
  std::string text;
  for (const std::string& note :
       {headline(run, profile, all_wall_ns), run.wait_reason, run.tuning, run.network, run.shared_memory,
        run.nic, run.last_on_nics_line, run.gpu_memory, run.placing_line, run.pattern_line, run.trace_line}) {
    text += note.empty() ? "" : fmt::format("thalweg: {}\n", note);
  }
  text += table_of(profile, size, all_wall_ns);
  text += calls_in_progress(profile, size.sites);
  if (const std::string reasons = passed_on(profile); !reasons.empty()) {
    text += fmt::format("passed on to the library: {}\n", reasons);
  }
  text += learned_lines(run.learned);
  text += stream_report_lines(run.streams);
  text += stream_lines(profile);
  text += exchange_lines(profile);
  return wrapped(text, size.columns);
}

} // namespace thalweg::mpi::observe
