// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one rank saw, as it is sent to rank 0, and what all saw together.

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/histograms.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/slices.hpp"
#include "mpi/observe/traffic_matrix.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi::observe {

/// Why and on what calls ran: (strategy, reason it was passed on to the library or ""), and how many.
using Endings = std::map<std::pair<std::string, std::string>, std::uint64_t>;

struct CallProfile {
  std::string function;
  Location location; ///< stable under address randomization
  int phase = 0;
  int ranks = 0; ///< of the communicator, 0 where there is none
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double ns = 0;
  double max_call_ns = 0;
  double cpu_ns = 0;
  Endings endings;
  std::uint64_t blocks = 0;   ///< of an alltoallv's: to other ranks and not empty
  double in_progress_ns = 0;  ///< of a call that had not ended with the job
  DurationCounts durations{}; ///< in ticks of the rank's clock; of a site, of the first rank's
  SizeCounts sizes{};
  double in_flight_ns = 0; ///< of nonblocking operations, from their start to the end of their wait
  double exposed_ns = 0;   ///< the part of that inside of MPI
  bool is_own = false;     ///< made by a library of Thalweg's: part of what the program called that for
};

struct SampledCall {
  std::uint64_t call; ///< index on the communicator
  double enter_ns;    ///< in the clock of rank 0's node
  double exit_ns;
  std::uint32_t row; ///< of RankProfile::calls
};

struct SampledCommunicator {
  std::uint64_t id = 0;
  int size = 0;
  std::vector<SampledCall> calls;
};

/// What a rank's calls come to.
struct RankTimes {
  double mpi_ns = 0;
  double waiting_ns = 0;  ///< of collectives: what the sampled calls say of all
  double transfer_ns = 0; ///< the rest of these
  double own_ns = 0;      ///< in Thalweg's own calls; no part of the others
  double sent_bytes = 0;  ///< as the traffic counts them
};

struct RankProfile {
  int rank = 0;
  int node = 0;
  std::string host;
  int pid = 0;
  double wall_ns = 0;
  std::vector<CallProfile> calls;
  std::vector<SampledCommunicator> samples;
  std::vector<std::string> streams{}; ///< what each has done: see stream_reports.hpp
  double ns_per_tick = 1;
  RunSlices slices{};
  std::vector<SentTo> sent{};
  RankTimes times{}; ///< once they are known
};

std::vector<std::uint8_t> pack(const RankProfile& profile);
RankProfile unpack(const std::uint8_t* data, std::size_t size);

/// Time of the sampled calls of a call site, over all ranks: until the last rank came, and after.
struct Waiting {
  double sampled_ns = 0;
  double waiting_ns = 0;
  std::map<int, double> caused_ns; ///< rank in MPI_COMM_WORLD that came last -> others' waiting for it

  double share() const { return sampled_ns > 0 ? waiting_ns / sampled_ns : 0; }
};

struct SiteProfile {
  CallProfile total;      ///< sums over ranks; max_call_ns is the largest
  std::string source;     ///< "file.c:12 in function", or the symbol, or module and address
  int callers = 0;        ///< ranks that made such calls
  double min_rank_ns = 0; ///< of one rank's time
  double max_rank_ns = 0;
  Waiting waiting;
  std::map<int, double> in_progress_ns{}; ///< by rank: of calls that had not ended with the job
  std::string file{};                     ///< see Source
  int line = 0;
  std::string within{};
};

/// The run over time. A row has one rank, or of many ranks several that follow each other: their mean.
struct SliceRow {
  int first = 0;
  int last = 0;
  std::vector<double> mpi_ns;
  std::vector<double> waiting_ns;
};

struct SliceRows {
  double width_ns = 0; ///< 0: there are none
  std::vector<SliceRow> rows;
};

/// What an exchange would take, each as a share of what it takes with a message for each other rank.
struct ExchangeShares {
  double mesh = 1;   ///< alltoallv=mesh2d
  double sparse = 1; ///< alltoallv=sparse
};
/// By the model of the job's machine: of so many ranks, with so many blocks of a rank that are not empty.
using SharesOfExchange = std::function<ExchangeShares(int ranks, double blocks, double block_bytes)>;

struct Profile {
  std::vector<SiteProfile> sites;           ///< by time, longest first
  std::vector<RankProfile> ranks;           ///< without calls, samples and the like
  double wall_ns = 0;                       ///< longest of any rank
  SharesOfExchange shares_of_exchange = {}; ///< none where no machine is known
  double ns_per_tick = 1;                   ///< of the sites' durations
  SliceRows slices{};
  TrafficMatrix traffic{};
  std::vector<SiteProfile> own_sites{}; ///< where libraries of Thalweg's call
};

// A row of a call table as it is reported.

/// The figures; endings are left to the caller, as their texts are elsewhere in a journal.
CallProfile row_profile(const CallRow& row, std::string function, const Location& location,
                        double ns_per_tick);

} // namespace thalweg::mpi::observe
