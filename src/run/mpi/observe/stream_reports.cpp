// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/stream_reports.hpp"

#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

// Texts come from libraries of other versions: what is not as expected is left out.
ordered_json parsed(const std::string& text) {
  return ordered_json::parse(text, nullptr, false);
}

const ordered_json& member(const ordered_json& object, const char* name) {
  static const ordered_json nothing;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nothing : *found;
}

template <typename Combine>
void combine(ordered_json& all, const ordered_json& own, Combine with) {
  for (const auto& [name, value] : own.items())
    if (value.is_number_unsigned()) {
      ordered_json& sum = all[name];
      const std::uint64_t before = sum.is_number_unsigned() ? std::uint64_t(sum) : 0;
      sum = with(before, std::uint64_t(value));
    }
}

// The members sum and max of a rank's part, or of one of its phases.
void add_figures(ordered_json& all, const ordered_json& own) {
  if (const ordered_json& sum = member(own, "sum"); sum.is_object())
    combine(all["total"], sum, std::plus<std::uint64_t>());
  if (const ordered_json& max = member(own, "max"); max.is_object())
    combine(all["max_of_a_rank"], max,
            [](std::uint64_t one, std::uint64_t other) { return std::max(one, other); });
}

std::string text_of(const ordered_json& object, const char* name) {
  const ordered_json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "?";
}

double number(const ordered_json& object, const char* name) {
  const ordered_json& value = member(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

// What people ask for.
void add_shares(ordered_json& all) {
  const ordered_json total = member(all, "total");
  if (const double room = number(total, "buffer_bytes"); room > 0)
    all["fill"] = (number(total, "near_bytes") + number(total, "far_bytes")) / room;
  if (const double items = number(total, "delivered_items"); items > 0)
    all["hops_per_item"] = number(total, "hops") / items;
}

class MergedStream {
public:
  void add(const ordered_json& own, std::string (*source_of)(const Location&)) {
    if (ranks_++ == 0)
      describe(own, source_of);
    if (choice_.is_null())
      choice_ = member(own, "choice");
    if (remarks_.is_null())
      remarks_ = member(own, "remarks");
    add_figures(figures_, own);
    add_each(phases_, member(own, "phases"));
    add_each(loads_, member(own, "loads"));
    if (const ordered_json& loads = member(own, "loads"); loads.is_array() && ranks_ <= max_listed)
      for (const ordered_json& load : loads)
        if (const ordered_json& place = member(load, "number"); place.is_number_unsigned())
          loads_[place.get<std::uint64_t>()]["load_ns_of_ranks"].push_back(
              member(member(load, "max"), "load_ns"));
  }

  ordered_json document() {
    ordered_json all = head_;
    all["reporting_ranks"] = ranks_;
    add_shares(figures_);
    all.update(figures_);
    ordered_json phases = ordered_json::array();
    for (auto& [place, figures] : phases_) {
      add_shares(figures);
      ordered_json phase{{"number", place}};
      phase.update(figures);
      phases.push_back(phase);
    }
    all["phases"] = phases;
    for (auto& [place, figures] : loads_) {
      if (ranks_ > max_listed)
        figures.erase("load_ns_of_ranks");
      ordered_json load{{"number", place}};
      load.update(figures);
      all["loads"].push_back(load);
    }
    if (!choice_.is_null())
      all["choice"] = choice_;
    if (remarks_.is_array())
      all["remarks"] = remarks_;
    return all;
  }

private:
  using Numbered = std::map<std::uint64_t, ordered_json>;
  static constexpr int max_listed = 256; ///< ranks whose loads are there one by one

  static void add_each(Numbered& all, const ordered_json& own) {
    if (own.is_array())
      for (const ordered_json& one : own)
        if (const ordered_json& place = member(one, "number"); place.is_number_unsigned())
          add_figures(all.try_emplace(place.get<std::uint64_t>(), ordered_json::object()).first->second, one);
  }

  void describe(const ordered_json& own, std::string (*source_of)(const Location&)) {
    if (const ordered_json& name = member(own, "name"); name.is_string())
      head_["source"] = name;
    else if (const ordered_json& module = member(own, "module"); module.is_string())
      head_["source"] = source_of({module.get<std::string>(), member(own, "address").get<std::uint64_t>()});
    else
      head_["source"] = "";
    if (const ordered_json& same = member(own, "same"); same.is_object())
      head_.update(same);
  }

  int ranks_ = 0;
  ordered_json head_;
  ordered_json figures_ = ordered_json::object();
  Numbered phases_;
  Numbered loads_;
  ordered_json choice_;
  ordered_json remarks_;
};

std::string line_of(const ordered_json& stream) {
  const ordered_json& total = member(stream, "total");
  const ordered_json& max = member(stream, "max_of_a_rank");
  const double phases = number(max, "phases");
  const double item_bytes = number(stream, "item_bytes");
  std::string text =
      fmt::format("stream at {}: {:.0f} ranks, {}, {:.0f} phase{}; ", text_of(stream, "source"),
                  number(stream, "ranks"), text_of(stream, "shape"), phases, phases == 1 ? "" : "s");
  if (item_bytes > 0)
    text += fmt::format("{:.0f} items of {:.0f} B, {:.2f} hops each, ", number(total, "delivered_items"),
                        item_bytes, number(stream, "hops_per_item"));
  else
    text += fmt::format("{} delivered, ", bytes_text(number(total, "delivered_bytes")));
  text += fmt::format("{} between nodes; buffers of {} {} full; ", bytes_text(number(total, "far_bytes")),
                      bytes_text(number(stream, "buffer_bytes")), percent_text(number(stream, "fill")));
  text += fmt::format("up to {} waited for buffers, {} for ends of phases, {} of memory\n",
                      duration_text(number(max, "waited_ns")), duration_text(number(max, "finish_ns")),
                      bytes_text(number(max, "max_memory_bytes")));
  if (const ordered_json& remarks = member(stream, "remarks"); remarks.is_array())
    for (const ordered_json& remark : remarks)
      if (remark.is_string())
        text += "  " + remark.get<std::string>() + "\n";
  return text;
}

} // namespace

std::string located_stream(const char* json) {
  ordered_json own = parsed(json);
  if (!member(own, "id").is_string())
    return "";
  if (const ordered_json address = member(own, "created_at"); address.is_number_unsigned()) {
    const Location location = locate(reinterpret_cast<const void*>(address.get<std::uintptr_t>()));
    own["module"] = location.module;
    own["address"] = location.address;
  }
  return own.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string merged_streams(const std::vector<RankProfile>& ranks, std::string (*source_of)(const Location&)) {
  std::vector<std::pair<std::string, MergedStream>> streams; // by id, in the order of the first rank's
  for (const RankProfile& rank : ranks)
    for (const std::string& text : rank.streams) {
      const ordered_json own = parsed(text);
      const std::string id = member(own, "id").get<std::string>();
      auto found = std::ranges::find(streams, id, &std::pair<std::string, MergedStream>::first);
      if (found == streams.end())
        found = streams.insert(found, {id, {}});
      found->second.add(own, source_of);
    }
  ordered_json all = ordered_json::array();
  for (auto& [id, stream] : streams)
    all.push_back(stream.document());
  return all.dump();
}

std::string stream_report_lines(const std::string& streams) {
  constexpr std::size_t max_lines = 10;
  if (streams.empty())
    return "";
  const ordered_json all = parsed(streams);
  std::string text;
  for (std::size_t index = 0; index < std::min(all.size(), max_lines); ++index)
    text += line_of(all[index]);
  if (all.size() > max_lines)
    text += fmt::format("... and {} more streams\n", all.size() - max_lines);
  return text;
}

} // namespace thalweg::mpi::observe
