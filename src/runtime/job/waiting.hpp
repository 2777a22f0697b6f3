// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks of a job wait for one another, wherever they wait in a call of ours.

#include "wait/policy.hpp"

namespace thalweg::job {

/// The policy of a group whose ranks are, or are not, more than the cores that they run on.
wait::Policy wait_policy(const wait::Settings& settings, bool oversubscribed);

} // namespace thalweg::job
