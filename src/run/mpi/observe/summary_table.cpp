// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/summary_table.hpp"

#include "mpi/observe/gains.hpp"
#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace thalweg::mpi::observe {

namespace {

constexpr std::size_t gap = 2; // between columns
constexpr std::size_t bar_width = 8;
constexpr std::size_t widest_site = 40;
constexpr std::size_t narrowest_site = 18;
constexpr std::size_t short_site = 34; // what further columns make it
constexpr std::size_t narrowest_end = 6;
constexpr std::size_t short_end = 16;
constexpr std::size_t rows_on_screens = 10;
constexpr std::size_t rows_in_files = 20;
constexpr double min_share_on_screens = 0.005; // what rounds to 0% stands in the last row

constexpr std::size_t indentation = 2;

std::string last_part(const std::string& name) {
  return name.substr(name.rfind(':') + 1);
}

// "file.cpp:42 (name)" or, of what has no line, "name+0x42 (module)": with the name's last part alone, then
// without what stands in parentheses.
std::string clipped(const std::string& site, std::size_t width) {
  const std::size_t parenthesis = site.find(" (");
  if (displayed_width(site) <= width) {
    return site;
  }
  std::string shorter = site;
  if (parenthesis != std::string::npos) {
    const std::string place = site.substr(0, parenthesis);
    const std::string inside = site.substr(parenthesis + 1);
    const bool has_line = place.find("+0x") == std::string::npos;
    const std::string alone = has_line ? place : last_part(place);
    shorter = alone + (has_line ? " (" + last_part(inside.substr(1)) : " " + inside);
    if (displayed_width(shorter) > width) {
      shorter = alone;
    }
  }
  if (displayed_width(shorter) <= width) {
    return shorter;
  }
  while (displayed_width(shorter) > width - 2) {
    shorter.erase(0, first_character(shorter));
  }
  return ".." + shorter;
}

std::string latest_rank(const Waiting& waiting) {
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
    const std::string name = ending.first == "native" ? "library" : ending.first;
    if (text.find(name) == std::string::npos) {
      text += text.empty() ? name : "," + name;
    }
  }
  return text;
}

// A part of the longest bar, in eighths of a character.
std::string bar(double part) {
  const auto eighths = static_cast<std::size_t>(part * 8 * bar_width + 0.5);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    text += "\u2588";
  }
  constexpr const char* parts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
  return text + parts[eighths % 8];
}

struct Column {
  const char* title;
  bool is_text;                   // and so on the left
  std::vector<std::string> cells; // by row
  std::size_t width = 0;

  void measure() {
    width = std::strlen(title);
    for (const std::string& cell : cells) {
      width = std::max(width, displayed_width(cell));
    }
  }
  std::string padded(const std::string& cell) const {
    const std::string space(width - std::min(width, displayed_width(cell)), ' ');
    return is_text ? cell + space : space + cell;
  }
};

struct Table {
  Column site{"where", true, {}};
  Column function{"call", true, {}};
  Column ranks{"ranks", false, {}};
  Column calls{"calls", false, {}};
  Column bytes{"bytes", false, {}};
  Column mean{"mean", false, {}};
  Column time{"time", false, {}};
  Column bars{"", true, {}};
  Column waiting{"wait", false, {}};
  Column transfer{"transfer", false, {}};
  Column last{"last rank", false, {}};
  Column cpu{"CPU", false, {}};
  Column ran_on{"ran on", true, {}};

  std::vector<Column*> in_order() {
    return {&site, &function, &ranks,    &calls, &bytes, &mean,  &time,
            &bars, &waiting,  &transfer, &last,  &cpu,   &ran_on};
  }
  // What a narrow screen does without, the most telling first; call sites are cut short for the first of
  // them.
  std::vector<Column*> worth_a_cut() { return {&function, &waiting, &ran_on}; }
  std::vector<Column*> further() { return {&bars, &calls, &mean, &last, &bytes, &cpu, &ranks, &transfer}; }
};

std::size_t width_of(const std::vector<Column*>& columns) {
  std::size_t width = columns.empty() ? 0 : gap * (columns.size() - 1);
  for (const Column* column : columns) {
    width += column->width;
  }
  return width;
}

std::size_t cut_of(const Column& column, std::size_t min_width) {
  return column.width - std::min(column.width, min_width);
}

// Leaves out columns, then cuts the call sites and what is last, until the table fits.
std::vector<Column*> fitting(Table& table, std::size_t screen) {
  std::vector<Column*> chosen{&table.site, &table.time};
  const auto take = [&](Column* column, std::size_t min_site) {
    const std::size_t cut = cut_of(table.site, min_site) + cut_of(table.ran_on, short_end);
    if (width_of(chosen) + gap + column->width <= screen + cut) {
      chosen.push_back(column);
    }
  };
  for (Column* const column : table.worth_a_cut()) {
    take(column, narrowest_site);
  }
  for (Column* const column : table.further()) {
    take(column, short_site);
  }
  std::vector<Column*> kept;
  for (Column* const column : table.in_order()) {
    if (std::ranges::find(chosen, column) != chosen.end()) {
      kept.push_back(column);
    }
  }
  for (const auto& [column, min_width] :
       {std::pair{&table.site, narrowest_site}, {&table.ran_on, narrowest_end}}) {
    if (const std::size_t width = width_of(kept); width > screen) {
      column->width = std::max(std::min(column->width, min_width),
                               column->width - std::min(column->width, width - screen));
    }
  }
  return kept;
}

std::string lines(Table& table, const SummaryForm& form) {
  for (Column* const column : table.in_order()) {
    column->measure();
  }
  std::vector<Column*> columns = form.columns > 0
                                     ? fitting(table, form.columns - std::min(form.columns, indentation))
                                     : table.in_order();
  if (!form.has_bars) {
    std::erase(columns, &table.bars);
  }
  std::string text;
  for (std::size_t row = 0; row <= table.site.cells.size(); ++row) {
    std::string line(indentation, ' ');
    for (const Column* const column : columns) {
      const std::string& cell = row == 0 ? column->title : column->cells[row - 1];
      line += column->padded(column == &table.site     ? clipped(cell, column->width)
                             : column == &table.ran_on ? cell.substr(0, column->width)
                                                       : cell);
      line += std::string(gap, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

void add_row(Table& table, const SiteProfile& site, double all_ns, double longest_ns) {
  const CallProfile& total = site.total;
  const auto calls = static_cast<double>(std::max<std::uint64_t>(total.calls, 1));
  const bool matched = site.waiting.sampled_ns > 0;
  const bool is_mpi = total.function.starts_with("MPI_");
  table.function.cells.push_back(is_mpi ? total.function.substr(std::strlen("MPI_")) : total.function);
  table.site.cells.push_back(clipped(site.source, widest_site));
  table.ranks.cells.push_back(total.ranks == 0 ? "" : std::to_string(total.ranks));
  table.calls.cells.push_back(std::to_string(total.calls));
  table.bytes.cells.push_back(bytes_text(static_cast<double>(total.bytes) / calls));
  table.time.cells.push_back(percent_text(std::min(1.0, total.ns / all_ns)));
  table.bars.cells.push_back(bar(longest_ns > 0 ? std::min(1.0, total.ns / longest_ns) : 0));
  table.mean.cells.push_back(duration_text(total.ns / calls));
  table.waiting.cells.push_back(matched ? percent_text(site.waiting.share()) : "");
  table.transfer.cells.push_back(matched ? percent_text(1 - site.waiting.share()) : "");
  table.last.cells.push_back(latest_rank(site.waiting));
  table.cpu.cells.push_back(percent_text(total.ns > 0 ? std::min(1.0, total.cpu_ns / total.ns) : 0));
  table.ran_on.cells.push_back(strategies(total.endings));
}

std::size_t row_count(const Profile& profile, const SummaryForm& form, double all_ns) {
  const std::size_t max_rows = form.columns > 0 ? rows_on_screens : rows_in_files;
  std::size_t count = std::min(profile.sites.size(), max_rows);
  if (form.columns > 0) {
    while (count > 1 && profile.sites[count - 1].total.ns < min_share_on_screens * all_ns) {
      --count;
    }
  }
  // A row for one alone has as much room as that one.
  return count + 1 == profile.sites.size() ? count + 1 : count;
}

} // namespace

std::string call_site_table(const Profile& profile, const SummaryForm& form) {
  if (profile.sites.empty()) {
    return "";
  }
  Table table;
  const double all_ns = std::max(all_wall_ns(profile), 1.0);
  const std::size_t count = row_count(profile, form, all_ns);
  for (std::size_t i = 0; i < count; ++i) {
    add_row(table, profile.sites[i], all_ns, profile.sites[0].total.ns);
  }
  if (count < profile.sites.size()) {
    double rest_ns = 0;
    for (std::size_t i = count; i < profile.sites.size(); ++i) {
      rest_ns += profile.sites[i].total.ns;
    }
    for (Column* const column : table.in_order()) {
      column->cells.emplace_back();
    }
    table.site.cells.back() =
        fmt::format("{} {} more", form.has_bars ? "\u2026" : "...", profile.sites.size() - count);
    table.time.cells.back() = percent_text(std::min(1.0, rest_ns / all_ns));
  }
  return lines(table, form);
}

} // namespace thalweg::mpi::observe
