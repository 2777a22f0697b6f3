// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/mpi/agreement.hpp"
#include "tune/tuning_file.hpp"

namespace thalweg::job {

/// What the first member knows, on all members.
tune::Tuning agree_on_tuning(const Agreement& everybody, tune::Tuning known);

} // namespace thalweg::job
