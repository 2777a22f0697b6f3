// SPDX-License-Identifier: BSD-3-Clause

// What an entry method sends is there while the method still computes: no call of Thalweg's follows. Messages
// cannot show that. So the called element leaves a file, for which the caller waits. No time is asserted: the
// caller gives up after many seconds.
//
// With `far`, ranks share no memory. Then MPI brings what is long, and what is more than its buffers hold,
// when its sender calls it again (docs/objects.md): single calls alone are looked at.

#include "checks.hpp"
#include "thalweg/objects.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace {

using checks::require;
namespace fs = std::filesystem;

constexpr std::size_t large_bytes = 100'000;
constexpr int burst = 5000;
fs::path folder;

/// Computes until the file is there.
void compute_until(const std::string& name) {
  const auto begin = std::chrono::steady_clock::now();
  while (!fs::exists(folder / name)) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) {
      require(false, "%s", ("nothing came while the caller computed: " + name).c_str());
      return;
    }
  }
}

struct Cell;
thalweg::association<Cell, 1>* halo = nullptr;

struct Cell : thalweg::element<Cell> {
  int seen = 0;
  std::string name(const char* what, int target) const { return what + std::to_string(target); }
  static void leave(const std::string& name) { std::ofstream(folder / name) << "here\n"; }

  void take(int number, int target, std::string what) {
    require(what == "urgent" || number == seen, "%s", "calls are out of order");
    ++seen;
    leave(what + std::to_string(target) + "." + std::to_string(number));
  }
  void take_large(std::span<const char> bytes) {
    require(bytes.size() == large_bytes && bytes.back() == 'x', "%s", "a long call is damaged");
    leave("large" + std::to_string(at()[0]));
  }
  void count(int number) {
    require(number == seen++, "%s", "calls of a burst are out of order");
    if (seen == burst)
      leave("burst" + std::to_string(at()[0]));
  }

  std::string file(const char* what, int target, int number) const {
    return name(what, target) + "." + std::to_string(number);
  }

  void one_by_one(int target) { // the second one goes into a buffer that is open already
    for (int number = 0; number < 3; ++number) {
      array()[{target}].call<&Cell::take>(number, target, std::string("short"));
      compute_until(file("short", target, number));
    }
  }
  void urgent(int target) {
    array()[{target}].urgent().call<&Cell::take>(0, target, std::string("urgent"));
    compute_until(file("urgent", target, 0));
  }
  void large(int target) {
    array()[{target}].call<&Cell::take_large>(std::vector<char>(large_bytes, 'x'));
    compute_until(name("large", target));
  }
  void many(int target) {
    for (int number = 0; number < burst; ++number)
      array()[{target}].call<&Cell::count>(number);
    compute_until(name("burst", target));
  }
  void all(int) { // to several ranks, then one wait for each
    for (int target = 1; target < array().ranks(); ++target)
      array()[{target}].call<&Cell::take>(0, target, std::string("all"));
    for (int target = 1; target < array().ranks(); ++target)
      compute_until(file("all", target, 0));
  }
  void bracket(int target) {
    halo->begin();
    (*halo)[{target}].call<&Cell::take>(0, target, std::string("bracket"));
    halo->end();
    compute_until(file("bracket", target, 0));
  }
  thalweg::task asked(int target) {
    const int twice = co_await array()[{target}].ask<&Cell::twice>(target);
    require(twice == 2 * target, "%s", "an answer is wrong");
    array()[{target}].call<&Cell::take>(0, target, std::string("task"));
    compute_until(file("task", target, 0));
  }
  int twice(int number) { return 2 * number; }
};

template <auto method>
void run(thalweg::array<Cell>& cells, int target) {
  cells.each([](Cell& one, const auto&) { one.seen = 0; });
  if (cells.rank() == 0)
    cells[{0}].call<method>(target);
  cells.finish();
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_far = argc > 1 && std::string(argv[1]) == "far";
  char name[4096] = "";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::snprintf(name, sizeof name, "%s/late.XXXXXX", fs::temp_directory_path().c_str());
    require(::mkdtemp(name) != nullptr, "%s", "no folder can be made");
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  folder = name;
  {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    thalweg::array<Cell> cells(MPI_COMM_WORLD, {ranks});
    thalweg::association<Cell, 1> brackets(cells, "direct");
    halo = &brackets;
    for (int target = 1; target < ranks; ++target) {
      run<&Cell::one_by_one>(cells, target);
      run<&Cell::urgent>(cells, target);
      if (!is_far) {
        run<&Cell::large>(cells, target);
        run<&Cell::many>(cells, target);
      }
      run<&Cell::bracket>(cells, target);
      run<&Cell::asked>(cells, target);
    }
    run<&Cell::all>(cells, 0);
  }
  if (rank == 0)
    fs::remove_all(folder), std::puts("all right");
  MPI_Finalize();
}
