// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Files of graphs: a line a thing, words with blanks between, '#' begins a comment.
//
//     node n0 n1 n2           nodes, numbered in this order
//     switch s0 s1
//     link n0 s0              a cable, both ways; again for a second one beside it
//     link s0 s1 4/2          four times the usual capacity there, twice back
//     arc s0 n2 0.5           one way only
//     route s0 s1 n1 n2       forwarding table: at s0, what is for n1 and n2 goes to s1
//     route s0 s1#2 n0        by the second link from s0 to s1
//     routing spread          over all shortest routes alike; not together with tables

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// Reads the text of a graph's file; `file` is its name, also for errors. Throws Error naming the line.
std::shared_ptr<const Interconnect> parse_graph(std::string_view text, const std::string& file);
/// Reads the file.
std::shared_ptr<const Interconnect> load_graph(const std::string& file);

} // namespace thalweg::topology
