// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What streams (docs/streams.md) have done, as their library tells it (thalweg/interposer.h).

#include "mpi/observe/locations.hpp"
#include "mpi/observe/profile.hpp"

#include <string>
#include <vector>

namespace thalweg::mpi::observe {

/// One rank's part, with the place of the call that made the stream as it is in its file; empty where the
/// text is no report on a stream.
std::string located_stream(const char* json);

/// All ranks' parts together: a JSON array, for the report. `source_of` names places of programs.
std::string merged_streams(const std::vector<RankProfile>& ranks,
                           std::string (*source_of)(const Location&) = describe_source);

/// A line for each stream, of those in the array.
std::string stream_report_lines(const std::string& streams);

} // namespace thalweg::mpi::observe
