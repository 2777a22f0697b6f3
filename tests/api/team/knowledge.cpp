// SPDX-License-Identifier: BSD-3-Clause

// What teams know of the machine: the tuning file's picks, the probed machine's figures, and without both a
// default machine; and that files which do not read harm nobody, unless they were named.

#include "job/knowledge.hpp"

#include "checks.hpp"
#include "thalweg/team.hpp"
#include "tune/tuning_file.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using thalweg::machine::Fingerprint;

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return thalweg::machine::library_name(text.data());
}

// Of all ranks, as `thalweg tune` would write it.
Fingerprint fingerprint() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const thalweg::job::RankPlace mine = thalweg::job::this_place();
  std::vector<thalweg::job::RankPlace> places(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return thalweg::job::fingerprint(thalweg::job::place_ranks(places), library(),
                                   [](const char* name) -> const char* { return std::getenv(name); });
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string strategy(std::size_t bytes, thalweg::collective of = thalweg::collective::broadcast) {
  return thalweg::team(MPI_COMM_WORLD).strategy(of, bytes);
}

void expect_end(const std::string& end, const char* when) {
  const std::string found = strategy(8);
  checks::require(found.ends_with(end), "%s: %s", when, found.c_str());
}

// Picks of strategies, of the library's own, and of devices, which teams can do without only.
void write_picks(const fs::path& file, const Fingerprint& here, int ranks) {
  const auto of = [](std::string_view call, std::string_view text) {
    return thalweg::strategies::parse_implementation(text, *thalweg::strategies::find_call(call));
  };
  thalweg::tune::Pick pick;
  pick.call = "broadcast";
  pick.ranks = ranks;
  pick.bytes = 64;
  pick.use = of("broadcast", "knomial:radix=4");
  pick.trials = 1;
  pick.source = "tune";
  thalweg::tune::Pick large = pick;
  large.bytes = 1 << 20;
  large.use = of("broadcast", "library:pipeline");
  thalweg::tune::Pick on_devices = pick;
  on_devices.call = "allreduce";
  on_devices.use = of("allreduce", "nic:radix=2");
  thalweg::tune::Pick with_fallback = on_devices;
  with_fallback.call = "barrier";
  with_fallback.bytes = 0;
  with_fallback.use = of("barrier", "nic:radix=2");
  with_fallback.fallback = of("barrier", "dissemination:radix=3");
  thalweg::tune::Pick of_mpi = pick;
  of_mpi.call = "scatter";
  of_mpi.use = of("scatter", "flat");
  thalweg::tune::Tuning found{here, {pick, large, on_devices, with_fallback, of_mpi}};
  const auto add = [&](const char* call, const char* use, const char* mode) {
    thalweg::tune::Pick one = pick;
    one.call = call;
    one.use = of(call, use);
    one.mode = mode;
    found.of_teams.push_back(one);
  };
  add("allgather", "ring", "mine-mine");
  add("allgather", "bruck", "none-none");
  add("alltoall", "cyclic", "all-all");
  add("scatter", "native", "mine-mine");
  thalweg::tune::save_tuning(file.string(), found);
}

// Each mode has picks of its own, before those of MPI's calls. Native is what a team chooses by itself.
void check_picks_of_teams() {
  using thalweg::collective;
  checks::require(strategy(8, collective::allgather) == "allgather=ring (loose: bruck), by the tuning file",
                  "picks by mode: %s", strategy(8, collective::allgather).c_str());
  checks::require(strategy(8, collective::alltoall).starts_with("alltoall=cyclic"), "of a like mode: %s",
                  strategy(8, collective::alltoall).c_str());
  checks::require(strategy(8, collective::scatter).ends_with("by the model of the probed machine"),
                  "native: %s", strategy(8, collective::scatter).c_str());
}

void check_picks() {
  checks::require(strategy(8) == "broadcast=knomial:radix=4, by the tuning file", "a pick: %s",
                  strategy(8).c_str());
  checks::require(strategy(1 << 20).ends_with("by the model of the probed machine"), "%s",
                  "the library's own algorithm");
  const std::string reduction = strategy(64, thalweg::collective::allreduce);
  checks::require(reduction.ends_with("by the model of the probed machine") &&
                      !(reduction.find("nic") != std::string::npos),
                  "a pick for devices: %s", reduction.c_str());
  const std::string barrier = strategy(0, thalweg::collective::barrier);
  checks::require(barrier == "barrier=dissemination:radix=3, by the tuning file",
                  "a pick with a fallback: %s", barrier.c_str());
}

// What a job is started with for its MPI calls is passed over where it is not of teams.
void check_selections(int ranks) {
  for (const char* const foreign : {"broadcast=native", "broadcast=library:pipeline", "broadcast=nic"}) {
    setenv("THALWEG_USE", foreign, 1);
    checks::require(strategy(8) ==
                        fmt::format("broadcast=knomial:radix=4, by the tuning file, as no team runs {} "
                                    "of THALWEG_USE here",
                                    foreign),
                    "what is not of teams: %s", strategy(8).c_str());
    thalweg::team all(MPI_COMM_WORLD);
    checks::require(all.allreduce(1, MPI_SUM) == ranks, "a sum beside %s", foreign);
  }
  setenv("THALWEG_USE", "broadcast=flat", 1);
  checks::require(strategy(8) == "broadcast=flat, chosen by THALWEG_USE", "%s", strategy(8).c_str());
  unsetenv("THALWEG_USE");
}

// Parts keep what the model has picked for any of them. Each gets what a team of the same ranks gets that was
// made for itself, whoever has asked before.
void check_parts() {
  thalweg::team all(MPI_COMM_WORLD);
  thalweg::team alone_by_itself(MPI_COMM_SELF);
  for (int turn = 0; turn < 2; ++turn) {
    thalweg::team same = all.split(0);
    thalweg::team alone = all.split(all.rank());
    for (const std::size_t bytes : {8UL, 4096UL, 1UL << 20})
      for (const auto of : {thalweg::collective::broadcast, thalweg::collective::allreduce}) {
        checks::require(same.strategy(of, bytes) == strategy(bytes, of), "a part of all: %s",
                        same.strategy(of, bytes).c_str());
        checks::require(alone.strategy(of, bytes) == alone_by_itself.strategy(of, bytes), "a part of one: %s",
                        alone.strategy(of, bytes).c_str());
      }
    checks::require(same.allreduce(1, MPI_SUM) == all.size(), "a sum of %s", "all");
    checks::require(alone.allreduce(1, MPI_SUM) == 1, "a sum of %s", "one");
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Only the first rank reads; the others' files are of nothing.
  const fs::path folder = fs::temp_directory_path() / fmt::format("thalweg-knowledge-{}", getpid());
  const fs::path tuning = folder / "tuning.toml";
  setenv("THALWEG_TUNING", tuning.c_str(), 1);
  expect_end("by the model of a default machine", "nothing is known");
  check_parts();

  thalweg::machine::Machine machine = thalweg::machine::default_machine();
  std::erase_if(machine.levels,
                [](const auto& costs) { return costs.level == thalweg::machine::Level::network; });
  const Fingerprint here = fingerprint();
  machine.title = here.processor;
  machine.transport = here.transport;
  machine.mpi = "another library";
  write(folder / "machines" / "other.toml", to_text(machine));
  write(folder / "machines" / "broken.toml", "no machine");
  expect_end("by the model of a default machine", "a machine of another library");
  machine.mpi = here.mpi;
  write(folder / "machines" / "own.toml", to_text(machine));
  expect_end("by the model of the probed machine", "a probed machine");

  if (rank == 0)
    write_picks(tuning, here, ranks);
  check_picks();
  check_picks_of_teams();
  check_selections(ranks);
  setenv("THALWEG_TUNING", "off", 1);
  expect_end("by the model of a default machine", "off");
  setenv("THALWEG_TUNING", tuning.c_str(), 1);
  write(tuning, "damaged");
  expect_end("by the model of the probed machine", "a damaged tuning file");
  setenv("THALWEG_MACHINE", (folder / "absent.toml").c_str(), 1);
  const std::string message = checks::failure_of([] { strategy(8); }).what();
  checks::require(message.find("absent.toml") != std::string::npos, "%s", message.c_str());
  fs::remove_all(folder);
  if (rank == 0)
    std::printf("all right\n");
  MPI_Finalize();
}
