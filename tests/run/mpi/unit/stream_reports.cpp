// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/stream_reports.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {
namespace {

std::string source_of(const Location& location) {
  return location.module + "+" + std::to_string(location.address);
}

std::string part(const std::string& members) {
  return R"({"id":"a",)" + members + "}";
}

nlohmann::json merged(const std::vector<std::vector<std::string>>& streams_of_ranks) {
  std::vector<RankProfile> ranks;
  for (const auto& streams : streams_of_ranks) {
    ranks.emplace_back();
    ranks.back().streams = streams;
  }
  // As they come from other ranks.
  for (RankProfile& rank : ranks) {
    const std::vector<std::uint8_t> packed = pack(rank);
    rank = unpack(packed.data(), packed.size());
  }
  return nlohmann::json::parse(merged_streams(ranks, source_of));
}

TEST(StreamReports, AddUpRanks) {
  const auto own = [](int waited_ns) {
    return part(
        R"("module":"app","address":64,"same":{"ranks":2,"item_bytes":8,"shape":"direct"},)"
        R"("sum":{"near_bytes":100,"far_bytes":20,"buffer_bytes":240,"hops":30,"delivered_items":20},)"
        R"("max":{"waited_ns":)" +
        std::to_string(waited_ns) + R"(},"phases":[{"number":0,"sum":{"near_bytes":7},"max":{}}])");
  };
  const nlohmann::json all = merged({{own(5)}, {own(3)}});
  ASSERT_EQ(all.size(), 1U);
  const nlohmann::json& stream = all[0];
  EXPECT_EQ(stream["source"], "app+64");
  EXPECT_EQ(stream["shape"], "direct");
  EXPECT_EQ(stream["reporting_ranks"], 2);
  EXPECT_EQ(stream["total"]["near_bytes"], 200);
  EXPECT_EQ(stream["max_of_a_rank"]["waited_ns"], 5);
  EXPECT_DOUBLE_EQ(stream["fill"], 0.5);
  EXPECT_DOUBLE_EQ(stream["hops_per_item"], 1.5);
  EXPECT_EQ(stream["phases"][0]["total"]["near_bytes"], 14);
  EXPECT_FALSE(stream.contains("choice"));
}

TEST(StreamReports, KeepStreamsApartAndPhasesInOrder) {
  const std::string one = part(R"("name":"one","phases":[{"number":4},{"number":0,"sum":{"waits":1}}])");
  const std::string other = R"({"id":"b","name":"two"})";
  const nlohmann::json all = merged({{one, other}, {other}, {}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["source"], "one");
  EXPECT_EQ(all[0]["reporting_ranks"], 1);
  EXPECT_EQ(all[1]["reporting_ranks"], 2);
  EXPECT_EQ(all[0]["phases"][0]["number"], 0);
}

TEST(StreamReports, HaveTheLoadsOfRanksWhereTheyAreFew) {
  const auto own = [](int load_ns) {
    return part(fmt::format(
        R"("name":"x","loads":[{{"number":3,"sum":{{"load_ns":{0},"left":1}},"max":{{"load_ns":{0}}}}}])",
        load_ns));
  };
  const nlohmann::json few = merged({{own(30)}, {own(10)}})[0]["loads"];
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0]["number"], 3);
  EXPECT_EQ(few[0]["total"]["load_ns"], 40);
  EXPECT_EQ(few[0]["total"]["left"], 2);
  EXPECT_EQ(few[0]["max_of_a_rank"]["load_ns"], 30);
  EXPECT_EQ(few[0]["load_ns_of_ranks"], (nlohmann::json{30, 10}));
  const nlohmann::json many = merged(std::vector<std::vector<std::string>>(300, {own(7)}))[0]["loads"];
  EXPECT_EQ(many[0]["total"]["load_ns"], 2100);
  EXPECT_FALSE(many[0].contains("load_ns_of_ranks"));
  EXPECT_FALSE(merged({{part(R"("name":"x")")}})[0].contains("loads"));
}

TEST(StreamReports, TakeTheFirstChoice) {
  const nlohmann::json all =
      merged({{part(R"("name":"x")")}, {part(R"("choice":{"candidates":[{"candidate":"4x8"}]})")}});
  EXPECT_EQ(all[0]["choice"]["candidates"][0]["candidate"], "4x8");
}

TEST(StreamReports, OfOtherVersionsAreTakenAsTheyAre) {
  // What is unknown is passed on, and what is not as expected is left out.
  const nlohmann::json all = merged(
      {{part(
           R"("new":1,"same":{"new":true},"sum":{"new":3,"text":"x","less":-1},"max":[1],"phases":{"number":0})")},
       {part(R"("sum":{"new":4})")}});
  EXPECT_EQ(all[0]["new"], true);
  EXPECT_EQ(all[0]["total"]["new"], 7);
  EXPECT_FALSE(all[0]["total"].contains("text"));
  EXPECT_EQ(all[0]["phases"].size(), 0U);
  EXPECT_NE(stream_report_lines(all.dump()).find("stream at : 0 ranks, ?"), std::string::npos);
}

TEST(StreamReports, AreLocatedOrRefused) {
  EXPECT_EQ(located_stream("no JSON"), "");
  EXPECT_EQ(located_stream("[1]"), "");
  EXPECT_EQ(located_stream(R"({"id":7})"), "");
  const auto address = reinterpret_cast<std::uintptr_t>(&located_stream);
  const std::string text = part(R"("created_at":)" + std::to_string(address));
  const nlohmann::json own = nlohmann::json::parse(located_stream(text.c_str()));
  EXPECT_NE(own["module"].get<std::string>().find("test_mpi_unit"), std::string::npos);
  EXPECT_GT(own["address"], 0);
}

TEST(StreamReports, HaveALineEachUpToSome) {
  EXPECT_EQ(stream_report_lines(""), "");
  nlohmann::json all = nlohmann::json::array();
  for (int stream = 0; stream < 12; ++stream)
    all.push_back({{"source", "a.cpp:1"},
                   {"ranks", 2},
                   {"item_bytes", 8},
                   {"shape", "direct"},
                   {"buffer_bytes", 65536},
                   {"fill", 0.5},
                   {"hops_per_item", 1.25},
                   {"total", {{"delivered_items", 1000}}},
                   {"max_of_a_rank", {{"phases", 1}, {"waited_ns", 5000}}}});
  const std::string text = stream_report_lines(all.dump());
  EXPECT_NE(text.find("stream at a.cpp:1: 2 ranks, direct, 1 phase; 1000 items of 8 B, 1.25 hops each, 0 B "
                      "between nodes; buffers of 64 KiB 50% full; up to 5.00 us waited for buffers"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("... and 2 more streams\n"), std::string::npos);
}

} // namespace
} // namespace thalweg::mpi::observe
