#include "core/error.hpp"
#include "machine/fingerprint.hpp"
#include "machine/machine.hpp"

#include <gtest/gtest.h>

namespace thalweg::machine {
namespace {

const std::string valid = R"toml(
format = 1
title = "a machine"
cores = 4
switch_core = "3 us (1 us .. 5 us)"
[network]
burst = "32KiB"
[[network.message]]
bytes = "any"
latency = "20 us"
gap_per_byte = "40 ns"
[[network.message]]
bytes = "8KiB"
latency = "5 us"
send = "1.5 us"
)toml";

TEST(MachineFile, ReadsWhatPeopleWrite) {
  const Machine machine = parse_machine(valid, "test");
  EXPECT_EQ(machine.cores, 4);
  EXPECT_DOUBLE_EQ(machine.switch_core.value, 3e-6);
  EXPECT_DOUBLE_EQ(machine.switch_core.high, 5e-6);
  const LevelCosts& network = machine.at(Level::network);
  EXPECT_EQ(network.burst_bytes, 32768);
  ASSERT_EQ(network.ranges.size(), 2U);
  EXPECT_DOUBLE_EQ(network.at(8192).send.value, 1.5e-6);
  EXPECT_DOUBLE_EQ(network.at(8193).latency.value, 20e-6);
}

TEST(MachineFile, TakesTheNearestLevel) {
  const Machine machine = parse_machine(valid, "test");
  EXPECT_EQ(machine.at(Level::core_complex).level, Level::network);
}

TEST(MachineFile, ReadsWhatItWrites) {
  for (const Machine& machine : {parse_machine(valid, "test"), standard_machine()}) {
    const std::string text = to_text(machine);
    EXPECT_EQ(to_text(parse_machine(text, "again")), text);
  }
}

TEST(MachineFile, LastRangeHoldsForAnySize) {
  std::string text = valid;
  text.replace(text.find("\"any\""), 5, "\"64KiB\"");
  const LevelCosts network = parse_machine(text, "test").at(Level::network);
  EXPECT_DOUBLE_EQ(network.at(std::int64_t{1} << 40).latency.value, 20e-6);
}

struct Broken {
  const char* from;
  const char* to;
};

class BrokenMachineFile : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMachineFile, IsRefusedWithItsName) {
  std::string text = valid;
  text.replace(text.find(GetParam().from), std::string(GetParam().from).size(), GetParam().to);
  try {
    parse_machine(text, "box.toml");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("box.toml"), std::string::npos) << error.problem();
    EXPECT_FALSE(error.remedy().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Every, BrokenMachineFile,
                         testing::Values(Broken{"format = 1", "format = 9"},
                                         Broken{"format = 1", "format = "}, Broken{"cores = 4", "cores = 0"},
                                         Broken{"cores = 4", "cores = \"4\""},
                                         Broken{"\"20 us\"", "\"20 parsecs\""}, Broken{"\"20 us\"", "20"},
                                         Broken{"\"8KiB\"", "\"much\""},
                                         Broken{"[network]\nburst", "network = 3\nburst"},
                                         Broken{"(1 us .. 5 us)", "(1 us .. 5 us"}));

TEST(MachineFile, EveryTruncationReadsOrIsRefused) {
  const std::string text = to_text(parse_machine(valid, "test"));
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse_machine(text.substr(0, length), "cut");
    } catch (const Error&) {
    }
  }
}

TEST(MachineFile, SaysWhichFileIsMissing) {
  EXPECT_THROW(load_machine("/nowhere/machine.toml"), Error);
}

TEST(Fingerprint, TellsWhatDiffers) {
  Fingerprint here = local_fingerprint([](const char* name) -> const char* {
    return std::string_view(name) == "UCX_TLS" ? "tcp,self" : nullptr;
  });
  EXPECT_EQ(here.transport, "UCX_TLS=tcp,self");
  EXPECT_FALSE(here.processor.empty());
  EXPECT_FALSE(here.kernel.empty());
  Fingerprint there = here;
  EXPECT_EQ(differences(here, there), "");
  there.nodes = here.nodes + 1;
  there.mpi = "Open MPI v9";
  const std::string text = differences(here, there);
  EXPECT_NE(text.find("MPI Open MPI v9, not "), std::string::npos) << text;
  EXPECT_NE(text.find("nodes 2, not 1"), std::string::npos) << text;
}

} // namespace
} // namespace thalweg::machine
