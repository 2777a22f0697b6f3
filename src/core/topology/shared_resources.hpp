// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The inside of a node as what its cores share: each resource is used by some messages, of which it carries
// `capacity` at full rate (`thalweg machine probe --find-resources` finds them). Files have a line a thing,
// words with blanks between, '#' begins a comment:
//
//     cores 8
//     resource link 1.5 0-3>4-7          what cores 0 to 3 send to cores 4 to 7
//     resource ring:1>3 1 0>3,5 1>3      several rows of messages
//     resource channel 2.5 all>all

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// Reads the text of a file of resources; `file` is its name, also for errors. Links are the resources,
/// behind one for what each core sends and one for what it receives, of capacity 1. All cores are a hop
/// apart. Throws Error naming the line.
std::shared_ptr<const Interconnect> parse_resources(std::string_view text, const std::string& file);
/// Reads the file.
std::shared_ptr<const Interconnect> load_resources(const std::string& file);

} // namespace thalweg::topology
