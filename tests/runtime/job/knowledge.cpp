// SPDX-License-Identifier: BSD-3-Clause
#include "job/knowledge.hpp"

#include "base/error.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace thalweg::job {
namespace {

namespace fs = std::filesystem;

const char* nothing(const char*) {
  return nullptr;
}

Placement placement(int ranks, int nodes, int cores, std::uint32_t quota_centicores = UINT32_MAX) {
  Placement made;
  for (int rank = 0; rank < ranks; ++rank)
    made.nodes.push_back(rank * nodes / ranks);
  made.node_count = nodes;
  made.min_on_node = ranks / nodes;
  made.max_on_node = (ranks + nodes - 1) / nodes;
  made.cores = cores;
  made.quota_centicores = quota_centicores;
  return made;
}

TEST(Fingerprint, SaysHowRanksAndCoresAreSpread) {
  const machine::Fingerprint even = fingerprint(placement(8, 2, 4), "MPICH 4.0.2", nothing);
  EXPECT_EQ(even.mpi, "MPICH 4.0.2");
  EXPECT_EQ(even.cores, 4);
  EXPECT_EQ(even.quota, "none");
  EXPECT_EQ(even.nodes, 2);
  EXPECT_EQ(even.ranks_per_node, "4");
  const machine::Fingerprint uneven = fingerprint(placement(7, 2, 4, 150), "MPICH 4.0.2", nothing);
  EXPECT_EQ(uneven.quota, "1.5");
  EXPECT_EQ(uneven.ranks_per_node, "3..4");
}

class Files : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("thalweg-job-" + std::to_string(getpid()));
    fs::create_directories(folder / "machines");
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string tuning() const { return folder / "tuning.toml"; }
  void write_machine(const std::string& name, const machine::Machine& machine) const {
    std::ofstream(folder / "machines" / name) << to_text(machine);
  }

  fs::path folder;
  machine::Fingerprint here = fingerprint(placement(2, 1, 2), "MPICH 4.0.2", nothing);
};

tune::Pick pick(const std::string& call, const std::string& use) {
  tune::Pick made;
  made.call = call;
  made.ranks = 2;
  made.bytes = 8;
  made.use = strategies::parse_implementation(use, *strategies::find_call(call));
  made.source = tune::tune_source;
  return made;
}

TEST_F(Files, PicksAreThoseOfJustThisFingerprint) {
  EXPECT_TRUE(find_picks("", here).reason.empty());
  EXPECT_NE(find_picks(tuning(), here).reason.find("no tuning file"), std::string::npos);
  machine::Fingerprint limited = here;
  limited.quota = "1.5";
  tune::save_tuning(tuning(), {limited, {pick("broadcast", "flat")}});
  const FoundPicks other = find_picks(tuning(), here);
  EXPECT_TRUE(other.picks.empty());
  EXPECT_NE(other.reason.find("limit 1.5, not none"), std::string::npos) << other.reason;
  tune::save_tuning(tuning(), {here, {pick("broadcast", "knomial:radix=4"), pick("barrier", "native")}});
  const FoundPicks own = find_picks(tuning(), here);
  EXPECT_EQ(own.picks.size(), 2U);
  EXPECT_NE(own.reason.find("2 picks"), std::string::npos) << own.reason;
  std::ofstream(tuning()) << "damaged";
  EXPECT_THROW(find_picks(tuning(), here), Error);
}

TEST_F(Files, MachineIsTheNamedOneElseThisOnesElseOneAlikeElseTheDefault) {
  EXPECT_FALSE(find_machine(here, tuning(), nullptr).is_probed);
  EXPECT_EQ(find_machine(here, tuning(), nullptr).machine.cores, 2);
  EXPECT_THROW(find_machine(here, tuning(), (folder / "absent.toml").c_str()), Error);

  machine::Machine probed = machine::default_machine();
  std::erase_if(probed.levels, [](const auto& costs) { return costs.level == machine::Level::network; });
  probed.transport = here.transport;
  probed.title = here.processor + ", another shape";
  probed.mpi = "another library";
  write_machine("other.toml", probed);
  EXPECT_FALSE(find_machine(here, tuning(), nullptr).is_probed) << "of another library";
  probed.mpi = here.mpi;
  write_machine("alike.toml", probed);
  EXPECT_EQ(find_machine(here, tuning(), nullptr).machine.title, probed.title);
  probed.title = machine::describe(here);
  write_machine("own.toml", probed);
  fs::last_write_time(folder / "machines" / "own.toml",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(find_machine(here, tuning(), nullptr).machine.title, probed.title) << "although it is older";

  machine::Fingerprint two_nodes = here;
  two_nodes.nodes = 2;
  EXPECT_FALSE(find_machine(two_nodes, tuning(), nullptr).is_probed) << "no network was probed";
}

} // namespace
} // namespace thalweg::job
