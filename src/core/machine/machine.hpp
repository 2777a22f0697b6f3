// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the machine is, in the figures that predictions need: LogGP parameters by message size for each level
// of the machine, rates of copying and combining, and how ranks share cores and links.
//
// LogGP: Culler et al. 1993, Alexandrov et al. 1995 (L, o, g, G). Here overheads have a part per byte too, as
// processors copy what they send (Kumar 2005, chapter 2), and all parameters hold for a range of message
// sizes, as protocols change.

#include "machine/core_distances.hpp"
#include "machine/figure.hpp"
#include "machine/fingerprint.hpp"
#include "machine/node_list.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::machine {

/// How far apart two ranks are, nearest first.
/// (core complex: cores with a last-level cache of their own.)
enum class Level : std::uint8_t { core_complex, socket, node, network };

inline constexpr std::size_t level_count = 4;
std::string_view name(Level level);

/// What a message costs; seconds, seconds per byte, or times as much. A message of m bytes keeps its sender
/// busy for send + send_per_byte * m, its receiver likewise, holds the link for gap_per_byte * m, and needs
/// `latency` on top; a rank sends and receives at most one in `gap`.
struct MessageCost {
  std::int64_t bytes_max = 0; ///< the largest message it holds for; the last range holds beyond
  Figure latency;
  Figure send;
  Figure send_per_byte;
  Figure receive;
  Figure receive_per_byte;
  Figure gap;
  Figure gap_per_byte;
  /// What one more costs that comes before it is asked for: kept apart and copied, or let wait at its sender.
  Figure unexpected;
  Figure unexpected_per_byte;
  /// Of one sent and one received: what a computation loses that goes on meanwhile (Kumar 2005, chapter 2). A
  /// check of send and receive, which only count the time in calls.
  Figure overlapped;
  Figure overlapped_per_byte;
  /// How many times as long a row of messages takes that meets another one between the same two ranks.
  Figure two_way = once;
  /// How many times as long it takes when LevelCosts::pairs of ranks send at once.
  Figure shared = once;
  /// How many times as long as half a round trip: an exchange in which both send at once, a trip while
  /// LevelCosts::pairs of ranks make trips, and such exchanges while they do (Kumar 2005, sections 2.1
  /// to 2.3).
  Figure trip_two_way = once;
  Figure trip_shared = once;
  Figure trip_shared_two_way = once;
  /// As `overlapped`, while LevelCosts::pairs of ranks send and receive.
  Figure overlapped_shared = {};
  Figure overlapped_shared_per_byte = {};
};

/// Seconds per byte that a core needs at a working set of up to `bytes_max`.
struct Rate {
  std::int64_t bytes_max = 0;
  Figure per_byte;
};

struct LevelCosts {
  Level level = Level::node;
  std::vector<MessageCost> ranges; ///< by bytes_max
  /// Bytes that may leave at once after a pause, free of gap_per_byte (token buckets, deep buffers).
  double burst_bytes = 0;
  /// Pairs of ranks that were measured at once for MessageCost::shared, of a network between the same two
  /// nodes; 1 where the job had no more.
  std::int32_t pairs = 1;
  /// Measurements, those among them that took over three times the median of their row, and the worst, as
  /// times the median.
  std::int64_t samples = 0;
  std::int64_t outliers = 0;
  double worst = 1;
  /// Of a cache line between the cores of the pair that was measured; 0: not known.
  Figure round_trip = {};
  /// What each further receive that a rank has posted adds to a message's time (Kumar 2005, section 2.1.1).
  Figure per_posted = {};
  /// Of the pair that was measured, in a network whose shape is known; 0: not known.
  std::int32_t hops = 0;
  /// What each further hop adds to a message's latency, and to gap_per_byte (Kumar 2005, section 2.1.2).
  Figure hop = {};
  Figure hop_per_byte = {};

  const MessageCost& at(std::int64_t bytes) const;
};

/// What it costs that network devices run a tree of their own (strategies that offload); seconds. Without a
/// measurement all are 0.
struct DeviceCosts {
  Figure start; ///< a rank's part: to hand the call to its node's device
  Figure hop;   ///< from a node's device to another one's, with what either has to do for it
  Figure wake;  ///< until a rank knows that its device has the end

  bool is_known() const { return start.value + hop.value + wake.value > 0; }
};

struct Machine {
  std::string title;     ///< a line for people
  std::string parts;     ///< what a node is made of, likewise
  std::string mpi;       ///< the library the figures were taken with
  std::string transport; ///< and the settings that decide how it transports
  std::string date;
  std::int32_t cores = 1; ///< of a node, that ranks may use
  /// Nodes that share one machine's cores: 1, but for containers and the lab.
  std::int32_t nodes_per_machine = 1;
  std::vector<LevelCosts> levels;
  std::vector<Rate> copy;    ///< memory to memory, by bytes copied
  std::vector<Rate> combine; ///< a double added to a double, per byte of one operand
  Figure switch_core;        ///< handing a core to another rank that waits for it
  Figure step;               ///< what running one step of a schedule costs by itself
  DeviceCosts device;
  CoreDistances distances; ///< of a node's cores
  /// The network where its routes are known, as topology::parse_interconnect reads it, e.g. "fat-tree:4x2".
  std::string network;
  NodeList nodes; ///< where hosts are in it, as far as that is known

  /// The costs of that level, or of the nearest one that was measured: inside of a node if the level is.
  const LevelCosts& at(Level level) const;
  /// What a message costs between two cores of a node, by their numbers in the system: more than its level
  /// says where they are farther apart than the cores that it was measured between, or less.
  MessageCost between(const LevelCosts& level, const MessageCost& cost, std::int32_t one,
                      std::int32_t other) const;
  double copy_seconds(std::int64_t bytes) const;
  double combine_seconds(std::int64_t bytes) const;
};

/// Reads a machine file. Throws Error naming the file, the place and the remedy.
Machine load_machine(const std::string& file);
/// Reads the text of one; `name` is for errors.
Machine parse_machine(std::string_view text, const std::string& name);
/// The machine file's text: TOML, to be read and edited by people.
std::string to_text(const Machine& machine);

/// A machine to start with where none was probed: a plain node and a plain Ethernet. Its order of candidates
/// is a guess and says so in its title.
Machine default_machine();

/// The tuning file that commands write to and programs read: thalweg/tuning.toml in the user's data folder.
std::string default_tuning_path(Environment environment);

/// What was probed, newest first: machine files lie beside the tuning file, in machines/. Those that do not
/// read are passed over, as nobody asked for them. None for an empty path.
std::vector<Machine> probed_machines(const std::string& tuning_path);

} // namespace thalweg::machine
