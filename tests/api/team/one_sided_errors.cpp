// SPDX-License-Identifier: BSD-3-Clause

// Puts, gets, atomic operations and waits that cannot be: each is refused, names the value and says what to
// do, and changes nothing. Symmetric memory that is released is known no more.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <array>
#include <string>

namespace {

using checks::failure_of;
using checks::require;
using thalweg::team;
using Word = std::uint64_t;

constexpr std::size_t words = 10;

void expect(const char* part, const char* remedy, const thalweg::error& failure) {
  const bool is_right = std::string(failure.what()).find(part) != std::string::npos &&
                        failure.remedy().find(remedy) != std::string::npos;
  require(is_right, "\"%s\" does not say \"%s\" and \"%s\"", failure.what(), part, remedy);
}

struct Bench {
  explicit Bench(team& on) : t(on), memory(on.allocate<Word>(words)) {}
  team& t;
  thalweg::symmetric_memory<Word> memory;
  std::array<Word, 2 * words> own{};
  std::span<Word> some(std::size_t n) { return std::span(own).first(n); }
};

void check_places(Bench& b) {
  const std::string ranks = "the team has ranks 0 to " + std::to_string(b.t.size() - 1);
  for (const int wrong : {-1, b.t.size()}) {
    const std::string named = "rank " + std::to_string(wrong);
    expect(named.c_str(), ranks.c_str(), failure_of([&] { b.t.put(b.memory, wrong, 0, b.some(1)); }));
    expect(named.c_str(), ranks.c_str(), failure_of([&] { b.t.get(b.memory, wrong, 0, b.some(1)); }));
    expect(named.c_str(), ranks.c_str(), failure_of([&] { b.t.add(b.memory, wrong, 0, 1); }));
  }
  for (int rank = 0; rank < b.t.size(); ++rank) { // whether it is reached or not
    expect("bytes 8 to 88 of symmetric memory of 80", "stay inside",
           failure_of([&] { b.t.put(b.memory, rank, 1, b.some(words)); }));
    expect("bytes 80 to 88 of symmetric memory of 80", "stay inside",
           failure_of([&] { b.t.get(b.memory, rank, words, b.some(1)); }));
    expect("bytes 0 to 104 of", "stay inside", failure_of([&] {
             b.t.put(b.memory, rank, thalweg::strided{.offset = 0, .block = 1, .count = 3, .stride = 6},
                     b.some(3));
           }));
    expect("bytes -8 to 16 of", "stay inside", failure_of([&] {
             b.t.get(b.memory, rank, thalweg::strided{.offset = 1, .block = 1, .count = 3, .stride = -1},
                     b.some(3));
           }));
    const std::array<std::size_t, 2> places{2, words};
    expect("bytes 16 to 88 of", "stay inside",
           failure_of([&] { b.t.put(b.memory, rank, places, b.some(2)); }));
    expect("bytes 80 to 88 of", "stay inside", failure_of([&] { b.t.add(b.memory, rank, words, 1); }));
  }
}

void check_values(Bench& b) {
  expect("3 elements for 2 blocks of 1", "as many elements", failure_of([&] {
           b.t.put(b.memory, 0, thalweg::strided{.offset = 0, .block = 1, .count = 2, .stride = 1},
                   b.some(3));
         }));
  thalweg_team_transfer transfer = THALWEG_TEAM_TRANSFER_INIT;
  transfer.memory = b.memory.data();
  transfer.bytes = 8;
  const auto put = [&] { thalweg::detail::check(thalweg_team_put(nullptr, &transfer, nullptr)); };
  expect("there is no team", "thalweg_team_create", failure_of(put));
  require(thalweg_team_put(nullptr, nullptr, nullptr) == thalweg_error_invalid_argument, "%s",
          "a put of nothing");
  thalweg_team_atomic atomic = THALWEG_TEAM_ATOMIC_INIT;
  require(atomic.bytes == 8 && transfer.blocks == 1, "%s", "other defaults");
  std::array<std::uint32_t, 4> halves{};
  const thalweg::symmetric_memory<Word> crooked(nullptr, reinterpret_cast<Word*>(halves.data() + 1), 1);
  expect("a word at", "aligned", failure_of([&] { b.t.wait(crooked, 0, thalweg::condition::equal, 0); }));
  expect("condition number 9", "thalweg_condition_",
         failure_of([&] { b.t.wait(b.memory, 0, static_cast<thalweg::condition>(9), 0); }));
  const thalweg::symmetric_memory<std::uint32_t> shifted(
      nullptr, reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(b.memory.data()) + 2), 2);
  expect("an atomic operation on 4 bytes at 2", "align", failure_of([&] { b.t.add(shifted, 0, 0, 1); }));
}

void check_memory(Bench& b) {
  const thalweg::symmetric_memory<Word> strange(nullptr, b.own.data(), words);
  expect("no symmetric memory at", "allocate()", failure_of([&] { b.t.put(strange, 0, 0, b.some(1)); }));
  expect("no symmetric memory at", "allocate()", failure_of([&] { b.t.add(strange, 0, 0, 1); }));
  expect("no symmetric memory at", "allocate()",
         failure_of([&] { b.t.put(b.memory, 0, 0, b.some(1), thalweg::set_signal(strange, 0, 1)); }));
  const thalweg::symmetric_memory<Word> released = b.memory;
  for (const Word word : b.memory)
    require(word == 0, "a refused call has written %lu", static_cast<unsigned long>(word));
  b.t.release(b.memory);
  expect("or no longer", "has not been released", failure_of([&] { b.t.put(released, 0, 0, b.some(1)); }));
  expect("or no longer", "has not been released", failure_of([&] { b.t.get(released, 0, 0, b.some(1)); }));
  team other = b.t.split(0);
  auto others = other.allocate<Word>(1);
  expect("no symmetric memory at", "with this team", failure_of([&] { b.t.get(others, 0, 0, b.some(1)); }));
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    Bench bench(all);
    check_places(bench);
    check_values(bench);
    check_memory(bench);
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
