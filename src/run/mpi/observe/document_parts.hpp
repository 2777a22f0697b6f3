// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The parts of a report that grow with the job, as JSON. However many ranks there are, each has a bound.

#include "mpi/observe/picks.hpp"
#include "mpi/observe/profile.hpp"

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace thalweg::mpi::observe {

/// Jobs of more ranks show those by node, and the extremes alone singly.
inline constexpr std::size_t max_single_ranks = 1024;

nlohmann::ordered_json ranks_document(const Profile& profile);
/// Empty where all ranks are shown singly.
nlohmann::ordered_json rank_groups_document(const Profile& profile);
nlohmann::ordered_json slices_document(const SliceRows& slices);
nlohmann::ordered_json traffic_document(const TrafficMatrix& traffic);
nlohmann::ordered_json picks_document(const std::vector<PickProfile>& picks, const Profile& profile);
/// The program's call sites, then Thalweg's own.
nlohmann::ordered_json calls_document(const Profile& profile);

} // namespace thalweg::mpi::observe
