// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "machine/fingerprint.hpp"
#include "machine/machine.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

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

// Everything that a probe writes.
const std::string full = R"toml(
format = 1
title = "a machine"
network_shape = "torus:4x2"
parts = "2 sockets, 16 cores"
cores = 16
[device]
start = "4 us (3 us .. 7 us)"
hop = "10 us (8 us .. 12 us)"
wake = "0 s"
[core_complex]
pairs = 4
samples = 1000
outliers = 12
worst = "41.5 times"
round_trip = "55 ns (52 ns .. 70 ns)"
per_posted = "2 ns (1 ns .. 3 ns)"
[[core_complex.message]]
bytes = "any"
latency = "100 ns (90 ns .. 120 ns)"
gap = "300 ns"
unexpected = "50 ns"
unexpected_per_byte = "80 ps"
overlapped = "400 ns"
overlapped_per_byte = "1 ns"
two_way = "1.25 times (1.2 times .. 1.5 times)"
shared = "3 times"
trip_two_way = "1.1 times"
trip_shared = "1.5 times (1.4 times .. 1.75 times)"
trip_shared_two_way = "2 times"
overlapped_shared = "600 ns (500 ns .. 800 ns)"
overlapped_shared_per_byte = "3 ns"
[network]
burst = "32KiB"
hops = 2
hop = "700 ns (600 ns .. 900 ns)"
hop_per_byte = "60 ps"
[[network.message]]
bytes = "any"
latency = "20 us"
[[copy]]
bytes = "32KiB"
per_byte = "8 ps (7 ps .. 9 ps)"
[[combine]]
bytes = "any"
per_byte = "20 ps"
[distances]
looks = 3
changes = 2
[[distances.class]]
round_trip = "55 ns (52 ns .. 70 ns)"
write_per_byte = "120 ps"
read_per_byte = "40 ps"
cores = ["0-3,8", "4-7"]
[[distances.class]]
round_trip = "280 ns (240 ns .. 300 ns)"
write_per_byte = "400 ps"
read_per_byte = "60 ps"
cores = ["0-15"]
[nodes]
n0 = 3
"n 1" = 0
)toml";

TEST(MachineFile, ReadsWhatProbesWrite) {
  const Machine machine = parse_machine(full, "test");
  EXPECT_EQ(machine.parts, "2 sockets, 16 cores");
  const LevelCosts& level = machine.at(Level::core_complex);
  EXPECT_EQ(level.pairs, 4);
  EXPECT_EQ(level.samples, 1000);
  EXPECT_EQ(level.outliers, 12);
  EXPECT_DOUBLE_EQ(level.worst, 41.5);
  const MessageCost& cost = level.at(0);
  EXPECT_DOUBLE_EQ(cost.gap.value, 3e-7);
  EXPECT_DOUBLE_EQ(cost.unexpected.value, 5e-8);
  EXPECT_DOUBLE_EQ(cost.unexpected_per_byte.value, 8e-11);
  EXPECT_DOUBLE_EQ(cost.overlapped.value, 4e-7);
  EXPECT_DOUBLE_EQ(cost.overlapped_per_byte.value, 1e-9);
  EXPECT_DOUBLE_EQ(cost.two_way.value, 1.25);
  EXPECT_DOUBLE_EQ(cost.two_way.high, 1.5);
  EXPECT_DOUBLE_EQ(cost.shared.value, 3);
  EXPECT_DOUBLE_EQ(cost.trip_two_way.value, 1.1);
  EXPECT_DOUBLE_EQ(cost.trip_shared.high, 1.75);
  EXPECT_DOUBLE_EQ(cost.trip_shared_two_way.value, 2);
  EXPECT_DOUBLE_EQ(cost.overlapped_shared.low, 5e-7);
  EXPECT_DOUBLE_EQ(cost.overlapped_shared_per_byte.value, 3e-9);
  EXPECT_DOUBLE_EQ(level.per_posted.high, 3e-9);
  const LevelCosts& network = machine.at(Level::network);
  EXPECT_EQ(network.hops, 2);
  EXPECT_DOUBLE_EQ(network.hop.low, 6e-7);
  EXPECT_DOUBLE_EQ(network.hop_per_byte.value, 6e-11);
  EXPECT_DOUBLE_EQ(machine.device.start.low, 3e-6);
  EXPECT_DOUBLE_EQ(machine.device.hop.value, 1e-5);
  EXPECT_EQ(machine.device.wake.value, 0);
}

TEST(MachineFile, OlderOnesSayThatNothingElseMatters) {
  const LevelCosts network = parse_machine(valid, "test").at(Level::network);
  EXPECT_EQ(network.pairs, 1);
  EXPECT_EQ(network.samples, 0);
  EXPECT_EQ(network.at(0).unexpected.value, 0);
  EXPECT_EQ(network.at(0).two_way.value, 1);
  EXPECT_EQ(network.at(0).shared.value, 1);
  EXPECT_EQ(network.at(0).trip_shared.value, 1);
  EXPECT_EQ(network.at(0).overlapped_shared.value, 0);
  EXPECT_EQ(network.per_posted.value, 0);
  EXPECT_EQ(network.hops, 0);
  EXPECT_EQ(to_text(parse_machine(valid, "test")).find("hop"), std::string::npos);
  EXPECT_FALSE(parse_machine(valid, "test").device.is_known());
}

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
  // A node's level comes before the network, however near the network is.
  EXPECT_EQ(parse_machine(full, "test").at(Level::node).level, Level::core_complex);
}

TEST(MachineFile, ReadsWhatItWrites) {
  for (const Machine& machine :
       {parse_machine(valid, "test"), parse_machine(full, "test"), default_machine()}) {
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

class BrokenProbe : public testing::TestWithParam<Broken> {};

void expect_refused(std::string text, const Broken& broken) {
  text.replace(text.find(broken.from), std::string(broken.from).size(), broken.to);
  try {
    parse_machine(text, "box.toml");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("box.toml"), std::string::npos) << error.problem();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_P(BrokenMachineFile, IsRefusedWithItsName) {
  expect_refused(valid, GetParam());
}

TEST_P(BrokenProbe, IsRefusedWithItsName) {
  expect_refused(full, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Every, BrokenProbe,
    testing::Values(Broken{"pairs = 4", "pairs = 0"}, Broken{"pairs = 4", "pairs = \"4\""},
                    Broken{"samples = 1000", "samples = -1"}, Broken{"outliers = 12", "outliers = 1.5"},
                    Broken{"\"41.5 times\"", "41.5"}, Broken{"\"3 times\"", "\"3\""},
                    Broken{"\"3 times\"", "\"3 us\""}, Broken{"\"3 times\"", "\"-3 times\""},
                    Broken{"\"3 times\"", "\"inf times\""}, Broken{"\"3 times\"", "\"nan times\""},
                    Broken{"\"3 times\"", "\" times\""}, Broken{"1.5 times)", "1.5)"},
                    Broken{"[device]\nstart", "device = 3\nstart"},
                    Broken{"\"10 us (8 us", "\"10 times (8 us"}, Broken{"hop = ", "hop = 2 #"},
                    Broken{"parts = ", "parts = 2 #"}, Broken{"\"32KiB\"", "\"any\""},
                    Broken{"hops = 2", "hops = -1"}, Broken{"hops = 2", "hops = \"2\""},
                    Broken{"per_posted = ", "per_posted = 2 #"}, Broken{"\"700 ns (", "\"700 times ("},
                    Broken{"\"60 ps\"", "\"60\""}, Broken{"\"600 ns (", "\"600 times ("},
                    Broken{"\"32KiB\"", "\"9000000000GiB\""}, Broken{"\"80 ps\"", "\"80 times\""}));

INSTANTIATE_TEST_SUITE_P(Every, BrokenMachineFile,
                         testing::Values(Broken{"format = 1", "format = 9"},
                                         Broken{"format = 1", "format = "}, Broken{"cores = 4", "cores = 0"},
                                         Broken{"cores = 4", "cores = \"4\""},
                                         Broken{"\"20 us\"", "\"20 parsecs\""}, Broken{"\"20 us\"", "20"},
                                         Broken{"\"8KiB\"", "\"much\""},
                                         Broken{"[network]\nburst", "network = 3\nburst"},
                                         Broken{"(1 us .. 5 us)", "(1 us .. 5 us"}));

std::string problem_of_machine(const std::string& text) {
  try {
    parse_machine(text, "box.toml");
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return {};
}

// A key with a letter too many is no setting that is left out in silence, whichever it is.
TEST(MachineFile, RefusesUnknownKeysWithTheirLine) {
  for (const std::string& text : {valid, full}) {
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size() && !text.substr(at).starts_with("[nodes]"); ++line) {
      const std::size_t end = text.find('\n', at);
      const std::size_t equals = text.find(" = ", at);
      if (equals < end && !text.substr(at).starts_with("format")) {
        std::string changed = text;
        changed.insert(equals, "x");
        const std::string key = text.substr(at, equals - at);
        const std::string problem = problem_of_machine(changed);
        EXPECT_TRUE(problem.starts_with(fmt::format("box.toml:{}: ", line))) << key << ": " << problem;
        EXPECT_NE(problem.find(key + "x"), std::string::npos) << problem;
      }
      at = end + 1;
    }
    EXPECT_GT(line, 10U);
  }
}

TEST(MachineFile, RefusesWhatIsSaidTwice) {
  const auto replaced = [](std::string_view from, std::string_view to) {
    std::string text = full;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string same_place = problem_of_machine(replaced("\"n 1\" = 0", "\"n 1\" = 3"));
  EXPECT_TRUE(same_place.ends_with("hosts n 1 and n0 are both at place 3")) << same_place;
  EXPECT_TRUE(same_place.starts_with("box.toml:")) << same_place;
  const std::string same_host = problem_of_machine(replaced("\"n 1\" = 0", "n0.cluster = 0"));
  EXPECT_TRUE(same_host.starts_with("box.toml:")) << same_host;
  const std::string copies = "[[copy]]\nbytes = \"32KiB\"\nper_byte = \"9 ps\"\n";
  const std::string same_size = problem_of_machine(replaced("[[combine]]", copies + "[[combine]]"));
  EXPECT_TRUE(same_size.ends_with(": copy has two ranges up to 32KiB")) << same_size;
  EXPECT_TRUE(same_size.starts_with("box.toml:")) << same_size;
}

// Whatever is read can be written and read again; everything else is refused.
void expect_read_or_refused(const std::string& text, const std::string& what) {
  std::string written;
  try {
    written = to_text(parse_machine(text, "box.toml"));
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("box.toml"), std::string::npos) << what << ": " << error.problem();
    return;
  }
  EXPECT_EQ(to_text(parse_machine(written, "again")), written) << what;
}

TEST(MachineFile, EveryTruncationReadsOrIsRefused) {
  for (const std::string& text : {valid, full, to_text(parse_machine(full, "test"))})
    for (std::size_t length = 0; length < text.size(); ++length)
      expect_read_or_refused(text.substr(0, length), fmt::format("the first {} bytes", length));
}

// Bytes changed, taken out, put in, and lines swapped.
TEST(MachineFile, DamagedOnesReadOrAreRefused) {
  constexpr int rounds = 3000;
  const std::string letters = "0123456789.-+eE\"[]()= \n#tinysupmr\xff\x01";
  for (int seed = 0; seed < rounds; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::string text = seed % 2 == 0 ? full : to_text(parse_machine(full, "test"));
    const auto below = [&](std::size_t limit) { return random() % limit; };
    for (std::size_t faults = 1 + below(4); faults > 0; --faults) {
      const std::size_t at = below(text.size());
      const char letter = letters[below(letters.size())];
      switch (below(4)) {
      case 0:
        text[at] = letter;
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, 1 + below(3), letter);
        break;
      default:
        text += text.substr(at, below(200));
      }
    }
    expect_read_or_refused(text, fmt::format("seed {}", seed));
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

TEST(Fingerprint, LeavesOutWhatThalwegHasSet) {
  const Fingerprint found = local_fingerprint([](const char* name) -> const char* {
    const std::string_view asked = name;
    return asked == "OMPI_MCA_mtl"            ? "^ofi,psm2,psm"
           : asked == "OMPI_MCA_btl"          ? "tcp,self"
           : asked == "THALWEG_OWN_SETTINGS"  ? "OMPI_MCA_coll_tuned_use_dynamic_rules,OMPI_MCA_mtl"
           : asked == "THALWEG_SHARED_MEMORY" ? "1"
                                              : nullptr;
  });
  EXPECT_EQ(found.transport, "OMPI_MCA_btl=tcp,self");
}

TEST(MachineFile, SaysWhereHostsAre) {
  const Machine machine = parse_machine(full, "box.toml");
  EXPECT_EQ(machine.nodes.place_of("n0"), 3);
  EXPECT_EQ(machine.nodes.place_of("n 1"), 0);
}

TEST(MachineFile, ListsOfHostsAreBesideIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "thalweg-machine-file";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hosts.txt") << "a 1 1\nb 3 0\n";
  const std::string file = (folder / "box.toml").string();
  const std::string start = "network_shape = \"mesh:4x2\"\nnodes = ";
  EXPECT_EQ(parse_machine(start + "\"hosts.txt\"" + valid, file).nodes.place_of("a"), 5);
  for (const char* nodes : {"\"none.txt\"", "3", "{ a = -1 }", "{ a = \"b\" }", "{ a = 1, \"a.b\" = 2 }"})
    EXPECT_THROW(parse_machine(start + nodes + valid, file), Error) << nodes;
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace thalweg::machine
