// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Checked teams (THALWEG_CHECK=1): every call is held against those of the other ranks before it begins.

#include "team/call.hpp"
#include "team/symmetric_memory.hpp"

namespace thalweg::teams {

/// Throws Error on all ranks where they have not come to the same call, naming both and where they stand.
/// Collective, and waits for all ranks.
void check_same_call(const job::Agreement& everybody, const std::string& what, const std::string& site);

/// Throws Error where a buffer begins in symmetric memory and reaches beyond its end.
void check_memory(const job::Group& group, const SymmetricMemory& memory, const TeamCall& call,
                  const std::string& site);

/// The call in words, without what ranks may differ in.
std::string describe(const thalweg_team_call& given, const TeamCall& call);

} // namespace thalweg::teams
