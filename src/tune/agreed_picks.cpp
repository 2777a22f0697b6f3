#include "tune/agreed_picks.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <cstring>
#include <fmt/format.h>

namespace thalweg::tune {

namespace {

// What every pick has, followed by the texts of its call and of what runs it.
struct Header {
  std::int64_t bytes;
  std::int32_t ranks;
  std::int32_t nodes;
  std::uint32_t call_length;
  std::uint32_t use_length;
  std::uint64_t finder;
};

std::string_view use_of(const Pick& pick, bool library_was_told) {
  if (!is_of_library(pick.use))
    return pick.use;
  return library_was_told || pick.otherwise.empty() ? "native" : std::string_view(pick.otherwise);
}

Finder finder_of(const Pick& pick) {
  if (pick.source == tune_source)
    return Finder::tuner;
  return pick.source == online_source ? Finder::learner : Finder::interrupted;
}

// The first bytes of what is left, or all where there are fewer.
std::string_view take(std::string_view& packed, std::size_t bytes) {
  const std::string_view taken = packed.substr(0, bytes);
  packed.remove_prefix(taken.size());
  return taken;
}

} // namespace

std::string pack_picks(std::span<const Pick> picks, bool library_was_told) {
  std::string packed;
  for (const Pick& pick : picks) {
    const std::string_view use = use_of(pick, library_was_told);
    const Header header{pick.bytes,
                        pick.ranks,
                        pick.nodes,
                        static_cast<std::uint32_t>(pick.call.size()),
                        static_cast<std::uint32_t>(use.size()),
                        static_cast<std::uint64_t>(finder_of(pick))};
    packed.append(reinterpret_cast<const char*>(&header), sizeof header);
    packed += pick.call;
    packed += use;
  }
  return packed;
}

AgreedPicks unpack_picks(std::string_view packed) {
  AgreedPicks result;
  while (!packed.empty()) {
    Header header{};
    const std::string_view front = take(packed, sizeof header);
    std::memcpy(&header, front.data(), front.size());
    const std::string_view call = take(packed, header.call_length);
    const std::string_view use = take(packed, header.use_length);
    if (front.size() + call.size() + use.size() != sizeof header + header.call_length + header.use_length) {
      result.complaints.emplace_back(
          "tuning file: its picks end too early on the way from rank 0; run the same "
          "version of Thalweg on all ranks");
      break;
    }
    try {
      result.picks.push_back({strategies::parse_selection(fmt::format("{}={}", call, use)), header.ranks,
                              header.nodes, header.bytes, static_cast<Finder>(header.finder)});
    } catch (const Error& error) {
      result.complaints.push_back(
          fmt::format("tuning file: the pick '{}' for {} of {} on {} ranks and {} nodes is not used: {}", use,
                      call, exact_bytes(header.bytes), header.ranks, header.nodes, error.what()));
    }
  }
  return result;
}

} // namespace thalweg::tune
