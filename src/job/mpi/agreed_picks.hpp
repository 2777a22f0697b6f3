#pragma once

#include "job/mpi/agreement.hpp"
#include "machine/fingerprint.hpp"
#include "tune/tuning_file.hpp"

#include <vector>

namespace thalweg::job {

/// What the first member knows, on all members.
tune::Tuning agree_on_tuning(const Agreement& everybody, tune::Tuning known);

/// The first member's picks for the group of that fingerprint, on all members.
std::vector<tune::Pick> agree_on_picks(const Agreement& everybody, const machine::Fingerprint& group,
                                       std::vector<tune::Pick> picks);

} // namespace thalweg::job
