// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/output.hpp"

#include "mpi/observe/gains.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/merging.hpp"
#include "mpi/observe/texts.hpp"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {
namespace {

Profile profile() {
  std::vector<RankProfile> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    RankProfile& own = ranks[static_cast<std::size_t>(rank)];
    own = {rank, 0, "host", 100 + rank, 1e9, {}, {}};
    own.calls.push_back({"MPI_Allreduce",
                         {"/bin/app", 0x40},
                         0,
                         2,
                         1000,
                         8000,
                         5e8,
                         1e6,
                         4e8,
                         {{{"ring", ""}, 900}, {{"native", "user operation"}, 100}}});
    own.samples.push_back({1, 2, {{0, 0.0 + 75 * rank, 100, 0}}});
  }
  Profile result = merge(std::move(ranks), find_source);
  result.sites[0].source = "solve.c:42 (solve)";
  return result;
}

RunDescription run() {
  return {{"./app", "-n"},
          "MPICH 4",
          "libmpich.so",
          "MPICH",
          true,
          "4 ranks share 2 cores: waiting yields, the library spins",
          {"THALWEG_SUMMARY=1"},
          {"MPIR_CVAR_X=1"},
          1,
          "",
          "no shared memory: THALWEG_SHARED_MEMORY=0",
          "network ring of 8 hosts, places by the list of hosts",
          "calls with data are the library's: THALWEG_GPU_BUFFERS=yes",
          {},
          R"([{"call": "alltoall", "ranks": 8, "bytes": 64, "use": "ring", "state": "settled", "time_s": 2.0,
               "spent_s": 0.02, "trials": [{"candidate": "native", "measured_s": 3e-4},
               {"candidate": "bruck"}, {"candidate": "ring", "measured_s": 2e-4}]}])"};
}

TEST(Summary, ShowsWhatAPersonNeeds) {
  const std::string text = summary(run(), profile());
  EXPECT_NE(text.find("thalweg: no shared memory: THALWEG_SHARED_MEMORY=0\n"), std::string::npos);
  EXPECT_NE(text.find("thalweg: network ring of 8 hosts, places by the list of hosts\n"), std::string::npos);
  EXPECT_NE(text.find("thalweg: calls with data are the library's: THALWEG_GPU_BUFFERS=yes\n"),
            std::string::npos);
  for (const char* part :
       {"thalweg: 1.00 s, 50% in MPI. 4 ranks share 2 cores: waiting yields\n",
        "2 ranks on 1 node, MPICH 4, from init to finalize", "solve.c:42 (solve)  Allreduce", "2000", "60%",
        "40%", "1 (100%)", "80%", "library,ring", "user operation (200 calls)",
        "rank 1 was last where ranks waited longest: look at its work\n",
        "learned: alltoall of 64 B, 8 ranks: ring, 1.50 times as fast as the library's; settled; 2 of 3 "
        "candidates tried, for 1.0% of its time"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing from\n" << text;
  }
}

TEST(Summary, KeepsTheLineOfACallWhoseFunctionHasALongName) {
  Profile long_names = profile();
  for (const auto& [source, shown] :
       {std::pair{"solve.cpp:42 (example::solvers::with_a_long_name::solve)", " solve.cpp:42 (solve)  "},
        {"solve.cpp:42 (example::solve_everything_that_there_is_at_once)", " solve.cpp:42  "},
        {"long_name_space::Computation::scalar+0x42 (libm.so)", " scalar+0x42 (libm.so)  "},
        {"a_name_of_half_the_line+0x42 (MPI.cpython-311-x86_64-linux-gnu.so)",
         " a_name_of_half_the_line+0x42  "},
        {"a_folder_of_a_module_without_any_symbols.so+0x42", "..f_a_module_without_any_symbols.so+0x42 "}}) {
    long_names.sites[0].source = source;
    EXPECT_NE(summary(run(), long_names).find(shown), std::string::npos) << summary(run(), long_names);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

TEST(Summary, SaysHowManySitesItLeavesOutAndTheirTime) {
  Profile many = profile();
  many.sites.resize(25, many.sites[0]);
  for (SiteProfile& site : many.sites)
    site.total.ns = 4e7; // each 2% of two ranks' seconds
  EXPECT_NE(summary(run(), many).find("  ... 5 more"), std::string::npos);
  const std::string shown = summary(run(), many, {.columns = 80, .has_bars = true});
  EXPECT_NE(shown.find("  \u2026 15 more"), std::string::npos) << shown;
  EXPECT_NE(shown.find("30%\n"), std::string::npos) << shown;
}

TEST(Summary, FitsEveryScreen) {
  Profile wide = profile();
  wide.sites.resize(12, wide.sites[0]);
  wide.sites[1].total.function = "MPI_Neighbor_alltoallv";
  wide.sites[1].total.calls = 123'456'789;
  wide.sites[1].source = "a_file_with_a_long_name.cpp:1234 (example::function)";
  wide.sites[2].source = "d\u00e9riv\u00e9es_partielles_du_champ_de_temp\u00e9rature_en_espace.f90:7 (d)";
  for (std::size_t columns = 40; columns <= 200; ++columns)
    for (const bool has_bars : {false, true})
      for (const std::string& line :
           lines_of(summary(run(), wide, {.columns = columns, .has_bars = has_bars, .keeping = "again"})))
        EXPECT_LE(displayed_width(line), columns) << line;
  for (const char* part : {"Neighbor_alltoallv", "time", "wait", "ran on", "2 more"})
    EXPECT_NE(summary(run(), wide, {.columns = 80}).find(part), std::string::npos) << part;
  for (const char* part : {"calls", "123456789"})
    EXPECT_NE(summary(run(), wide, {.columns = 120}).find(part), std::string::npos) << part;
}

TEST(Summary, EndsWithTheCommandThatHelpsNext) {
  const auto last = [](const Profile& profile, const SummaryForm& form) {
    return lines_of(summary(run(), profile, form)).back();
  };
  Profile calls = profile();
  EXPECT_EQ(last(calls, {}), "next: thalweg run --html run.html ...");
  const std::string again =
      "thalweg run --html run.html -n 8 -- ./a_program_with_a_long_name " + std::string(99, 'x');
  EXPECT_EQ(last(calls, {.columns = 40, .keeping = again}), "next: " + again) << "it is to be pasted";
  EXPECT_EQ(last(calls, {.report = "/a/run.json"}), "next: thalweg report /a/run.json") << "nothing to tune";
  calls.sites[0].total.endings = {{{"native", "no strategy chosen"}, 1000}};
  const std::string promise = "  # about 1 min, may save up to 20 % of the run";
  EXPECT_EQ(last(calls, {.report = "/a/run.json"}), "next: thalweg tune --for /a/run.json" + promise);
  EXPECT_EQ(last(calls, {.report = "/it's/a b"}), "next: thalweg tune --for '/it'\\''s/a b'" + promise);
  EXPECT_EQ(summary(run(), calls).find("passed on"), std::string::npos);
  for (const char* function : {"MPI_Ialltoallv", "MPI_Iallgather_c", "MPI_Ineighbor_alltoall", "MPI_Bcast"}) {
    calls.sites[0].total.function = function;
    EXPECT_EQ(last(calls, {.report = "run.json"}), "next: thalweg tune --for run.json" + promise) << function;
  }
  for (const char* function : {"MPI_Alltoallv", "MPI_Neighbor_alltoall", "MPI_Isend", "MPI_I", "MPI_"}) {
    calls.sites[0].total.function = function;
    EXPECT_EQ(last(calls, {.report = "run.json"}), "next: thalweg report run.json") << function;
  }
  calls.sites[0].total.function = "MPI_Iallreduce";
  calls.sites[0].total.ranks = 1;
  EXPECT_EQ(last(calls, {.report = "run.json"}), "next: thalweg report run.json") << "nobody to wait for";
  calls.sites[0].total.ranks = 2;
  calls.sites[0].total.ns = 1e7;
  EXPECT_EQ(summary(run(), calls).find("next:"), std::string::npos) << "MPI takes a two-hundredth";
}

TEST(Summary, SaysWhatIsHiddenAndHeldRanksUpNonetheless) {
  Profile calls = profile();
  CallProfile& total = calls.sites[0].total;
  EXPECT_EQ(summary(run(), calls).find("hidden:"), std::string::npos);
  total.function = "MPI_Ialltoallv";
  total.endings = {{{"native", "no strategy chosen"}, 1000}};
  total.ns = 1e6; // the start alone, of two ranks' seconds
  total.in_flight_ns = 1e9;
  total.exposed_ns = 4e8;
  const std::string text = summary(run(), calls, {.report = "run.json"});
  EXPECT_NE(text.find("hidden: 60% of the 1.00 s that MPI_Ialltoallv at solve.c:42 (solve) was in flight; "
                      "400 ms held ranks up\n"),
            std::string::npos)
      << text;
  const SiteProfile started = calls.sites[0];
  calls.sites.push_back(started); // so that MPI takes its share: the wait of the same calls
  calls.sites[1].total.function = "MPI_Wait";
  calls.sites[1].total.ns = 4e8;
  calls.sites[1].total.in_flight_ns = 0;
  const std::vector<std::string> lines = lines_of(summary(run(), calls, {.report = "run.json"}));
  EXPECT_EQ(lines.back(), "next: thalweg tune --for run.json  # about 1 min, may save up to 20 % of the run");
  calls.sites[0].total.exposed_ns = 1e6;
  EXPECT_EQ(summary(run(), calls).find("hidden:"), std::string::npos)
      << "a two-thousandth is not worth a line";
}

TEST(Summary, NamesTheRankThatIsLastInMostOfTheLongestCalls) {
  Profile calls = profile();
  calls.sites.resize(4, calls.sites[0]);
  calls.sites[3].waiting.caused_ns = {{0, 60}};
  EXPECT_NE(summary(run(), calls).find("rank 1 was last in 3 of the 4 calls where"), std::string::npos);
  calls.sites[2].waiting.caused_ns = {{0, 60}};
  EXPECT_EQ(summary(run(), calls).find("was last"), std::string::npos) << "as many as another";
}

TEST(Summary, SaysWhereRanksWereWhenTheJobWasInterrupted) {
  Profile hung = profile();
  hung.sites[0].in_progress_ns = {{1, 2.5e9}};
  RunDescription interrupted = run();
  interrupted.cause = "SIGTERM";
  interrupted.rank_count = 3;
  const std::string text = summary(interrupted, hung);
  for (const char* part : {"2 of 3 ranks on 1 node", "1.00 s from init until SIGTERM",
                           "in MPI_Allreduce at solve.c:42 (solve) when the job ended, for 2.50 s: rank 1\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing from\n" << text;
  const nlohmann::json all = nlohmann::json::parse(document(interrupted, hung));
  EXPECT_EQ(all["ended_by"], "SIGTERM");
  EXPECT_EQ(all["ranks_without_report"], 1);
  EXPECT_EQ(all["calls"][0]["in_progress"][0]["rank"], 1);
  EXPECT_TRUE(all["missing"].empty()) << "nobody knows where it was";
}

TEST(Summary, NamesWhoWasOutsideOfMpiAndWhoIsMissing) {
  Profile hung = profile();
  RunDescription interrupted = run();
  interrupted.cause = "SIGTERM";
  interrupted.rank_count = 4;
  interrupted.missing = {{"n2", "/parts/n2-7.journal", {2, 3}}};
  EXPECT_EQ(summary(interrupted, hung).find("outside of MPI"), std::string::npos) << "all were";
  hung.sites[0].in_progress_ns = {{1, 2.5e9}};
  const std::string text = summary(interrupted, hung);
  for (const std::string& part :
       {fmt::format("outside of MPI when the job ended: rank 0 on {}\n", hung.ranks[0].host),
        std::string("thalweg: missing: ranks 2-3 of n2, counted in /parts/n2-7.journal there\n")})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing from\n" << text;
  const nlohmann::json all = nlohmann::json::parse(document(interrupted, hung));
  EXPECT_EQ(
      all["missing"][0],
      (nlohmann::json{{"host", "n2"}, {"ranks", "2-3"}, {"count", 2}, {"part", "/parts/n2-7.journal"}}));
  hung.sites[0].in_progress_ns = {{0, 1.0}, {1, 2.5e9}};
  EXPECT_EQ(summary(interrupted, hung).find("outside of MPI"), std::string::npos) << "none was";
}

TEST(Merge, JoinsTheRowsOfALine) {
  RankProfile rank;
  rank.wall_ns = 1e9;
  for (const std::uint64_t address : {0x10U, 0x20U})
    rank.calls.push_back(
        {"MPI_Barrier", {"/bin/app", address}, 0, 2, 10, 0, 1e6, 1e5, 5e5, {{{"native", ""}, 10}}});
  const Profile one = merge({rank}, [](const Location&) -> Source {
    return {"a.c:3 (main)", "/a.c", 3, "main"};
  });
  ASSERT_EQ(one.sites.size(), 1U);
  EXPECT_EQ(one.sites[0].total.calls, 20U);
  EXPECT_EQ(one.sites[0].callers, 1);
  EXPECT_DOUBLE_EQ(one.sites[0].max_rank_ns, 2e6);
  const Profile two = merge({rank}, [](const Location& place) -> Source {
    return {fmt::format("main+{:#x} (app)", place.address)};
  });
  EXPECT_EQ(two.sites.size(), 2U);
}

TEST(Document, IsReadableJson) {
  const nlohmann::json all = nlohmann::json::parse(document(run(), profile()));
  EXPECT_EQ(all["format"], "thalweg-report");
  EXPECT_EQ(all["command"][0], "./app");
  EXPECT_EQ(all["ranks"].size(), 2U);
  EXPECT_EQ(all["precedence"]["user_settings"][0], "MPIR_CVAR_X=1");
  const nlohmann::json& call = all["calls"][0];
  EXPECT_EQ(call["calls"], 2000);
  EXPECT_EQ(call["address"], "0x40");
  EXPECT_DOUBLE_EQ(call["waiting_share"], 0.6);
  EXPECT_EQ(call["last_ranks"][0]["rank"], 1);
  EXPECT_EQ(call["ran_on"][0]["passed_on_because"], "user operation");
}

/// A thousand and more messages of so many bytes, which took so long each.
Profile sending(const char* function, std::uint64_t bytes, double ns) {
  constexpr std::uint64_t messages = 100'000;
  std::vector<RankProfile> ranks(2);
  for (RankProfile& rank : ranks) {
    rank.wall_ns = 1e9;
    rank.calls.push_back({function,
                          {"/bin/app", 0x80},
                          0,
                          2,
                          messages,
                          messages * bytes,
                          messages * ns * 2,
                          0,
                          messages * ns,
                          {}});
  }
  Profile result = merge(std::move(ranks), find_source);
  result.sites[0].source = "graph.c:7 (visit)";
  return result;
}

TEST(StreamGain, IsTheSendersTimeLessThatOfItems) {
  const Profile visits = sending("MPI_Isend", 16, 500);
  const auto gain = stream_gain(visits.sites[0]);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->message_ns, 500);
  EXPECT_GT(gain->item_ns, 0);
  EXPECT_DOUBLE_EQ(gain->saved_ns, 200'000 * (500 - gain->item_ns));
  EXPECT_NE(
      summary(run(), visits)
          .find(
              "a stream would pay: MPI_Isend at graph.c:7 (visit): 200000 messages of 16 B took 500 ns each"),
      std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(document(run(), visits))["calls"][0]["stream"]["message_ns"], 500);
}

TEST(StreamGain, IsNoneWhereAStreamWouldNotPay) {
  EXPECT_FALSE(stream_gain(sending("MPI_Isend", 16, 1).sites[0])) << "faster than items";
  EXPECT_FALSE(stream_gain(sending("MPI_Isend", 4096, 5000).sites[0])) << "long messages";
  EXPECT_FALSE(stream_gain(sending("MPI_Ssend", 16, 500).sites[0])) << "waits for its receiver";
  EXPECT_FALSE(stream_gain(sending("MPI_Recv", 16, 500).sites[0])) << "receives";
  Profile few = sending("MPI_Isend", 16, 500);
  few.sites[0].total.calls = 100;
  EXPECT_FALSE(stream_gain(few.sites[0])) << "few messages";
  EXPECT_EQ(summary(run(), sending("MPI_Isend", 16, 50)).find("a stream would pay"), std::string::npos)
      << "a small share of all time";
}

TEST(Locate, NamesTheFileThatHoldsTheCode) {
  const Location here = locate(reinterpret_cast<const void*>(&summary));
  EXPECT_NE(here.module.find("test_mpi_unit"), std::string::npos);
  EXPECT_GT(here.address, 0U);
}

} // namespace
} // namespace thalweg::mpi::observe
