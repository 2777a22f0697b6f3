#pragma once

// The tuning file's picks on their way from the rank that read the file to all others.

#include "strategies/selection.hpp"
#include "tune/tuning_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::tune {

/// Who found a pick: `thalweg tune`, or a program that learned, to its search's end or not.
enum class Finder : std::uint8_t { tuner, learner, interrupted };

/// A pick as every rank knows it: what runs the calls of a case.
struct AgreedPick {
  strategies::Selection selection;
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::int64_t bytes = 0; ///< of a unit
  Finder finder = Finder::tuner;
};

struct AgreedPicks {
  std::vector<AgreedPick> picks;
  std::vector<std::string> complaints; ///< a line for each pick that does not read and is left out
};

/// The picks as bytes, for ranks with the same byte order. An algorithm of the library's own is packed as
/// native where the library was told of it at the start, else as what runs otherwise.
std::string pack_picks(std::span<const Pick> picks, bool library_was_told);

/// Reads what pack_picks made: the same from the same bytes. Where they end too early, the rest is a
/// complaint.
AgreedPicks unpack_picks(std::string_view packed);

} // namespace thalweg::tune
