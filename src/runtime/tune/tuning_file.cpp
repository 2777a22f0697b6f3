// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuning_file.hpp"

#include "base/error.hpp"
#include "base/units.hpp"
#include "machine/toml_file.hpp"
#include "strategies/degree.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace thalweg::tune {

namespace {

constexpr std::int64_t format_number = 1;
constexpr std::string_view stream_key = "stream"; // no collective has these names
constexpr std::string_view bracket_key = "bracket";
constexpr std::string_view nonblocking_mark = "i"; // before a call's name, as in MPI's; no name begins so
constexpr std::string_view team_mark = "team_";
constexpr const char* remedy = "correct it, or move it away and tune again: thalweg tune";

class Reader {
public:
  Reader(const toml::table& table, const std::string& name, std::string place)
      : table_(table), name_(name), place_(std::move(place)) {}

  std::string text(std::string_view key) const {
    const toml::node* node = table_.get(key);
    const auto value = node == nullptr ? std::nullopt : node->value_exact<std::string>();
    if (!value)
      refuse(fmt::format("{} is missing or no text", key));
    return *value;
  }
  std::string text_or(std::string_view key, const std::string& other) const {
    return table_.contains(key) ? text(key) : other;
  }
  std::int64_t number(std::string_view key, std::int64_t min) const {
    const toml::node* node = table_.get(key);
    const auto value = node == nullptr ? std::nullopt : node->value_exact<std::int64_t>();
    if (!value || *value < min || *value > INT32_MAX)
      refuse(fmt::format("{} is missing or no whole number of {} and above", key, min));
    return *value;
  }
  std::int64_t number_or(std::string_view key, std::int64_t other) const {
    return table_.contains(key) ? number(key, 1) : other;
  }
  bool flag(std::string_view key) const {
    const toml::node* node = table_.get(key);
    const auto value = node == nullptr ? std::nullopt : node->value_exact<bool>();
    if (!value)
      refuse(fmt::format("{} is missing or neither true nor false", key));
    return *value;
  }
  void check(const std::vector<std::string_view>& known) const {
    machine::check_keys(table_, known, name_, place_);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(fmt::format("{}: {}: {}", machine::place_in(name_, machine::line_of(&table_)), place_, what),
                remedy);
  }

private:
  const toml::table& table_;
  const std::string& name_;
  std::string place_;
};

// Older files say "otherwise".
std::optional<strategies::Implementation> read_fallback(const strategies::Call& call, const Reader& reader) {
  const std::string text = reader.text_or("fallback", reader.text_or("otherwise", ""));
  return text.empty() ? std::nullopt : std::optional(strategies::parse_implementation(text, call));
}

std::string read_objective(const Reader& reader) {
  std::string objective = reader.text_or("objective", "");
  if (!objective.empty() && std::ranges::find(objectives, objective) == objectives.end())
    reader.refuse(fmt::format("objective is none of {}", fmt::join(objectives, ", ")));
  return objective;
}

std::string read_mode(const Reader& reader, bool is_of_team) {
  std::string mode = is_of_team ? reader.text("mode") : "";
  if (is_of_team && std::ranges::find(modes, mode) == modes.end())
    reader.refuse(fmt::format("mode is none of {}", fmt::join(modes, ", ")));
  return mode;
}

// All of them, or none.
std::optional<Overlaps> read_overlaps(const Reader& reader) {
  if (reader.text_or("exposed", "").empty())
    return std::nullopt;
  const auto seconds = [&](const char* key) { return parse_seconds(reader.text(key)); };
  return Overlaps{{seconds("exposed"), seconds("lost"), seconds("completion")},
                  {seconds("native_exposed"), seconds("native_lost"), seconds("native_completion")}};
}

Pick read_pick(std::string_view name, const Reader& reader, bool is_of_team) {
  std::vector<std::string_view> known{
      "ranks",   "nodes",  "bytes",      "degree",         "use",         "time",
      "native",  "trials", "source",     "fallback",       "otherwise",   "objective",
      "exposed", "lost",   "completion", "native_exposed", "native_lost", "native_completion"};
  if (is_of_team)
    known.emplace_back("mode");
  reader.check(known);
  const strategies::Call& call = *strategies::find_call(name);
  Pick pick;
  pick.degree = static_cast<std::int32_t>(reader.number_or("degree", 0));
  if (pick.degree != 0 && !strategies::has_degree(call))
    reader.refuse(fmt::format("{} has no degree: each rank has something for all others", call.name));
  pick.call = call.name;
  pick.ranks = static_cast<std::int32_t>(reader.number("ranks", 1));
  pick.nodes = static_cast<std::int32_t>(reader.number("nodes", 1));
  pick.trials = static_cast<std::int32_t>(reader.number("trials", 0));
  pick.source = reader.text("source");
  pick.objective = read_objective(reader);
  pick.mode = read_mode(reader, is_of_team);
  try {
    pick.bytes = parse_bytes(reader.text("bytes"));
    pick.seconds = parse_seconds(reader.text("time"));
    pick.native_seconds = parse_seconds(reader.text("native"));
    pick.use = strategies::parse_implementation(reader.text("use"), call);
    pick.fallback = read_fallback(call, reader);
    pick.overlaps = read_overlaps(reader);
  } catch (const Error& error) {
    reader.refuse(error.what());
  }
  return pick;
}

StreamPick read_stream(const Reader& reader) {
  reader.check({"ranks", "item", "phase", "shape", "buffer", "time"});
  StreamPick pick{.ranks = static_cast<std::int32_t>(reader.number("ranks", 1)),
                  .shape = reader.text("shape")};
  try {
    pick.item_bytes = parse_bytes(reader.text("item"));
    pick.phase_bytes = parse_bytes(reader.text("phase"));
    pick.buffer_bytes = parse_bytes(reader.text("buffer"));
    pick.seconds = parse_seconds(reader.text("time"));
  } catch (const Error& error) {
    reader.refuse(error.what());
  }
  return pick;
}

BracketPick read_bracket(const Reader& reader) {
  reader.check({"ranks", "messages", "bytes", "multicast", "use", "time"});
  BracketPick pick{.ranks = static_cast<std::int32_t>(reader.number("ranks", 1)),
                   .messages = reader.number("messages", 0),
                   .is_multicast = reader.flag("multicast"),
                   .use = reader.text("use")};
  try {
    pick.message_bytes = parse_bytes(reader.text("bytes"));
    pick.seconds = parse_seconds(reader.text("time"));
  } catch (const Error& error) {
    reader.refuse(error.what());
  }
  return pick;
}

// Of what is no array of picks.
void check_is_known(const toml::key& key, const std::string& name, const std::string& place) {
  const toml::table alone{{key, true}};
  machine::check_keys(
      alone, {"processor", "cores", "quota", "kernel", "mpi", "transport", "nodes", "ranks_per_node"}, name,
      place);
}

// Which of two for the same case is meant, nobody knows.
template <typename Entry>
void add_once(std::vector<Entry>& entries, Entry entry, const Reader& reader) {
  if (std::ranges::any_of(entries, [&](const Entry& other) { return other.is_same_case(entry); }))
    reader.refuse("there is another for the same case before");
  entries.push_back(std::move(entry));
}

std::string_view call_of(std::string_view key) {
  for (const std::string_view mark : {team_mark, nonblocking_mark})
    if (key.starts_with(mark))
      return key.substr(mark.size());
  return key;
}

bool is_known_entry(std::string_view key) {
  return key == stream_key || key == bracket_key || strategies::find_call(call_of(key)) != nullptr;
}

void add_entry(Tuning& tuning, std::string_view key, const Reader& reader) {
  if (key == stream_key)
    add_once(tuning.streams, read_stream(reader), reader);
  else if (key == bracket_key)
    add_once(tuning.brackets, read_bracket(reader), reader);
  else if (key.starts_with(team_mark))
    add_once(tuning.of_teams, read_pick(call_of(key), reader, true), reader);
  else
    add_once(key.starts_with(nonblocking_mark) ? tuning.nonblocking : tuning.picks,
             read_pick(call_of(key), reader, false), reader);
}

Tuning read_machine(const toml::table& table, const std::string& name, const std::string& place) {
  const Reader reader(table, name, place);
  for (const auto& [key, node] : table)
    if (!node.is_array())
      check_is_known(key, name, place);
  Tuning tuning;
  tuning.machine = {.processor = reader.text("processor"),
                    .cores = reader.number("cores", 1),
                    .quota = reader.text("quota"),
                    .kernel = reader.text("kernel"),
                    .mpi = reader.text("mpi"),
                    .transport = reader.text("transport"),
                    .nodes = reader.number("nodes", 1),
                    .ranks_per_node = reader.text("ranks_per_node")};
  for (const auto& [key, node] : table) {
    const toml::array* picks = node.as_array();
    if (picks == nullptr)
      continue;
    if (!is_known_entry(key.str()))
      reader.refuse(fmt::format("{} is no collective", key.str()));
    for (std::size_t i = 0; i < picks->size(); ++i) {
      const std::string where = fmt::format("{}.{}[{}]", place, key.str(), i);
      const toml::table* fields = (*picks)[i].as_table();
      if (fields == nullptr)
        reader.refuse(fmt::format("{} is no table", where));
      add_entry(tuning, key.str(), Reader(*fields, name, where));
    }
  }
  return tuning;
}

std::string quoted(std::string_view text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string text_of(const Overlaps& overlaps) {
  const auto text = [](const Overlap& one, std::string_view prefix) {
    return fmt::format("{0}exposed = \"{1}\"\n{0}lost = \"{2}\"\n{0}completion = \"{3}\"\n", prefix,
                       format_seconds(one.exposed), format_seconds(one.lost), format_seconds(one.completion));
  };
  return text(overlaps.pick, "") + text(overlaps.native, "native_");
}

std::string text_of(const Pick& pick, std::string_view mark) {
  const std::string text = fmt::format(
      "\n[[machine.{}{}]]\nranks = {}\nnodes = {}\nbytes = \"{}\"\n{}use = {}\ntime = \"{}\"\n"
      "native = \"{}\"\ntrials = {}\nsource = {}\n{}",
      mark, pick.call, pick.ranks, pick.nodes, exact_bytes(pick.bytes),
      pick.degree != 0 ? fmt::format("degree = {}\n", pick.degree) : "",
      quoted(strategies::to_text(pick.use)), format_seconds(pick.seconds),
      format_seconds(pick.native_seconds), pick.trials, quoted(pick.source),
      pick.fallback ? fmt::format("fallback = {}\n", quoted(strategies::to_text(*pick.fallback))) : "");
  return text + (pick.mode.empty() ? "" : fmt::format("mode = {}\n", quoted(pick.mode))) +
         (pick.objective.empty() ? "" : fmt::format("objective = {}\n", quoted(pick.objective))) +
         (pick.overlaps ? text_of(*pick.overlaps) : "");
}

std::string text_of(const StreamPick& pick) {
  return fmt::format("\n[[machine.{}]]\nranks = {}\nitem = \"{}\"\nphase = \"{}\"\nshape = {}\nbuffer = "
                     "\"{}\"\ntime = \"{}\"\n",
                     stream_key, pick.ranks, exact_bytes(pick.item_bytes), exact_bytes(pick.phase_bytes),
                     quoted(pick.shape), exact_bytes(pick.buffer_bytes), format_seconds(pick.seconds));
}

std::string text_of(const BracketPick& pick) {
  return fmt::format("\n[[machine.{}]]\nranks = {}\nmessages = {}\nbytes = \"{}\"\nmulticast = {}\nuse = {}\n"
                     "time = \"{}\"\n",
                     bracket_key, pick.ranks, pick.messages, exact_bytes(pick.message_bytes),
                     pick.is_multicast, quoted(pick.use), format_seconds(pick.seconds));
}

// Newer ones replace those of the same case.
template <typename Entry>
void replace_in(std::vector<Entry>& known, const std::vector<Entry>& found) {
  for (const Entry& pick : found) {
    std::erase_if(known, [&](const Entry& other) { return other.is_same_case(pick); });
    known.push_back(pick);
  }
}

void merge_picks(std::vector<Pick>& known, std::vector<Pick> found) {
  for (Pick& pick : found)
    pick.call = strategies::find_call(pick.call)->name; // some have two names
  replace_in(known, found);
  std::ranges::sort(known, [](const Pick& a, const Pick& b) {
    return std::tie(a.call, a.mode, a.ranks, a.nodes, a.bytes, a.degree) <
           std::tie(b.call, b.mode, b.ranks, b.nodes, b.bytes, b.degree);
  });
}

} // namespace

TuningFile parse_tuning(std::string_view text, const std::string& name) {
  TuningFile file;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return file;
  const toml::table table = machine::parse_toml(text, name, remedy);
  const toml::node* format = table.get("format");
  if (format == nullptr || format->value_exact<std::int64_t>() != format_number)
    throw Error(fmt::format("{}: it is no tuning file of this version (format = {})",
                            machine::place_in(name, machine::line_of(format)), format_number),
                remedy);
  machine::check_keys(table, {"format", "machine"}, name, "");
  const toml::node* node = table.get("machine");
  const toml::array* machines = node == nullptr ? nullptr : node->as_array();
  if (node != nullptr && machines == nullptr)
    throw Error(
        fmt::format("{}: machine is no array of tables", machine::place_in(name, machine::line_of(node))),
        remedy);
  for (std::size_t i = 0; machines != nullptr && i < machines->size(); ++i) {
    const std::string place = fmt::format("machine[{}]", i);
    const toml::node& one = (*machines)[i];
    const toml::table* fields = one.as_table();
    if (fields == nullptr)
      throw Error(fmt::format("{}: {} is no table", machine::place_in(name, machine::line_of(&one)), place),
                  remedy);
    file.push_back(read_machine(*fields, name, place));
  }
  return file;
}

std::string to_text(const TuningFile& file) {
  std::string text =
      fmt::format("# Thalweg's tuning file: what was found best, by machine, call and size of a unit.\n"
                  "# `use` may be edited: it is what --use takes, or library:ALGORITHM. thalweg tune adds to "
                  "it.\nformat = {}\n",
                  format_number);
  for (const Tuning& tuning : file) {
    const machine::Fingerprint& m = tuning.machine;
    text += fmt::format(
        "\n[[machine]]\nprocessor = {}\ncores = {}\nquota = {}\nkernel = {}\nmpi = {}\ntransport = {}\n"
        "nodes = {}\nranks_per_node = {}\n",
        quoted(m.processor), m.cores, quoted(m.quota), quoted(m.kernel), quoted(m.mpi), quoted(m.transport),
        m.nodes, quoted(m.ranks_per_node));
    for (const Pick& pick : tuning.picks)
      text += text_of(pick, "");
    for (const Pick& pick : tuning.nonblocking)
      text += text_of(pick, nonblocking_mark);
    for (const Pick& pick : tuning.of_teams)
      text += text_of(pick, team_mark);
    for (const StreamPick& pick : tuning.streams)
      text += text_of(pick);
    for (const BracketPick& pick : tuning.brackets)
      text += text_of(pick);
  }
  return text;
}

const Tuning* find_tuning(const TuningFile& file, const machine::Fingerprint& machine) {
  const auto found = std::ranges::find(file, machine, &Tuning::machine);
  return found == file.end() ? nullptr : &*found;
}

void merge(TuningFile& file, const Tuning& found) {
  auto known = std::ranges::find(file, found.machine, &Tuning::machine);
  if (known == file.end())
    known = file.insert(file.end(), Tuning{found.machine, {}});
  merge_picks(known->picks, found.picks);
  merge_picks(known->nonblocking, found.nonblocking);
  merge_picks(known->of_teams, found.of_teams);
  replace_in(known->streams, found.streams);
  replace_in(known->brackets, found.brackets);
}

} // namespace thalweg::tune
