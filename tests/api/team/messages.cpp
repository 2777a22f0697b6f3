// SPDX-License-Identifier: BSD-3-Clause

// messages [SEED]: messages of a team's ranks, with receives that leave open who sends and with which tag.
// Rank 0 says who matched them.

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace {

using checks::failure_of;
using checks::mixed;
using checks::require;
using thalweg::team;

constexpr int deep = 16; // messages of a pair that an inbox has room for at least
constexpr std::size_t longest = 5000;

/// What a rank's `number`-th message to another one holds: some of no words, some too long for a packet.
std::vector<int> words_of(int seed, int from, int to, int number) {
  const std::uint64_t mix = mixed(static_cast<std::uint64_t>(((seed * 64 + from) * 64 + to) * 4096 + number));
  const std::size_t kinds[] = {0, 1, 1 + mix % 300, 352, 353, longest};
  std::vector<int> words(kinds[mix / 1024 % (number < deep ? 4 : 6)]);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<int>((mix + i) % 1000003);
  return words;
}

int tag_of(int seed, int from, int to, int number) {
  return static_cast<int>(mixed(static_cast<std::uint64_t>(((seed * 64 + from) * 64 + to) * 4096 + number)) %
                          5);
}

void send(team& all, int seed, int to, int number) {
  const std::vector<int> words = words_of(seed, all.rank(), to, number);
  all.send(std::span<const int>(words), to, tag_of(seed, all.rank(), to, number));
}

/// Receives one message, which has to be the earliest of its sender's that are left and fit.
void receive(team& all, int seed, std::map<int, std::vector<int>>& left, int from, int tag) {
  std::vector<int> words(longest);
  const thalweg_received got = all.receive(std::span<int>(words), from, tag);
  require((from == thalweg_any || got.from == from) && (tag == thalweg_any || got.tag == tag),
          "a message of rank %d with tag %d where %d and %d were asked for", got.from, got.tag, from, tag);
  std::vector<int>& numbers = left[got.from];
  for (auto one = numbers.begin(); one != numbers.end(); ++one) {
    if (tag != thalweg_any && tag_of(seed, got.from, all.rank(), *one) != tag)
      continue;
    const std::vector<int> expected = words_of(seed, got.from, all.rank(), *one);
    words.resize(got.bytes / sizeof(int));
    require(words == expected && got.tag == tag_of(seed, got.from, all.rank(), *one),
            "message %d of rank %d is another one: %zu bytes with tag %d", *one, got.from, got.bytes,
            got.tag);
    numbers.erase(one);
    return;
  }
  checks::fail("a message of rank %d that it has not sent", got.from);
}

/// All ranks have sent all of theirs before anybody receives, in some order that leaves things open.
void check_open_receives(team& all, int seed) {
  std::map<int, std::vector<int>> left;
  std::vector<std::array<int, 2>> wanted; // messages: by whom, which
  for (int other = 0; other < all.size(); ++other)
    for (int number = 0; number < deep; ++number) {
      left[other].push_back(number);
      wanted.push_back({other, number});
      send(all, seed, other, number);
    }
  all.barrier();
  while (!wanted.empty()) {
    const auto mix = mixed(wanted.size() * 977 + static_cast<std::size_t>(seed));
    const auto which = static_cast<std::ptrdiff_t>(mix % wanted.size());
    const auto [from, number] = wanted[static_cast<std::size_t>(which)];
    const int tag = tag_of(seed, from, all.rank(), number);
    receive(all, seed, left, mix / 64 % 2 == 0 ? thalweg_any : from, mix / 128 % 2 == 0 ? thalweg_any : tag);
    std::erase_if(wanted, [&](const auto& one) {
      return std::ranges::find(left[one[0]], one[1]) == left[one[0]].end();
    });
  }
}

/// More than there is room for, some long, to a receiver that waits for anybody.
void check_task_farm(team& all, int seed) {
  constexpr int messages = 150;
  if (all.rank() != 0) {
    for (int number = deep; number < deep + messages; ++number)
      send(all, seed, 0, number);
    return;
  }
  std::map<int, std::vector<int>> left;
  for (int other = 1; other < all.size(); ++other)
    for (int number = deep; number < deep + messages; ++number)
      left[other].push_back(number);
  for (int count = 0; count < messages * (all.size() - 1); ++count)
    receive(all, seed, left, thalweg_any, thalweg_any);
}

void expect(const char* part, const thalweg::error& failure) {
  require(std::string(failure.what()).find(part) != std::string::npos && !failure.remedy().empty(),
          "\"%s\" does not say \"%s\"", failure.what(), part);
}

void check_refusals(team& all) {
  std::vector<int> words(4);
  const std::span<int> some(words);
  expect("the team has ranks 0 to", failure_of([&] { all.send<int>(some, all.size(), 0); }));
  expect("tag -1 of a message", failure_of([&] { all.send<int>(some, 0, thalweg_any); }));
  expect("thalweg_any", failure_of([&] { (void)all.receive(some, -2, 0); }));
  all.send<int>(some, all.rank(), 3);
  expect("a message of 16 bytes with tag 3", failure_of([&] { (void)all.receive(some.first(3)); }));
  team part = all.split(0);
  expect("thalweg_team_open_inboxes()", failure_of([&] { part.send<int>(some, 0, 0); }));
}

/// Messages that nobody asks for take the room of a few, and hold up none that come later.
void check_unexpected_messages(team& all) {
  constexpr int unexpected = 8;
  constexpr int expected = 200;
  const int next = (all.rank() + 1) % all.size();
  for (int number = 0; number < unexpected; ++number)
    all.send<int>(std::span(&number, 1), next, number);
  std::vector<int> word(1);
  for (int number = 0; number < expected; ++number) {
    all.send<int>(std::span(&number, 1), next, 100);
    (void)all.receive(std::span<int>(word), thalweg_any, 100);
    require(word[0] == number, "message %d where %d is the next", word[0], number);
  }
  for (int number = unexpected - 1; number >= 0; --number)
    require(all.receive(std::span<int>(word), thalweg_any, number).bytes == sizeof(int) && word[0] == number,
            "message %d where %d is asked for", word[0], number);
}

/// A message of one team does not come to another.
void check_teams_are_apart(team& all) {
  team part = all.split(all.rank() % 2, 0);
  part.open_inboxes();
  const int next = (part.rank() + 1) % part.size();
  const int own[] = {all.rank(), 1};
  std::vector<int> room(2);
  const std::span<int> got(room);
  all.send<int>(std::span(own), (all.rank() + 1) % all.size(), 1);
  part.send<int>(std::span(own).first(1), next, 1);
  require(part.receive(got).bytes == sizeof(int), "a message of %s", "another team");
  require(all.receive(got).bytes == 2 * sizeof(int), "a message of %s", "another team");
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    all.open_inboxes();
    for (int seed = argc > 1 ? std::atoi(argv[1]) : 1, last = seed + 2; seed < last; ++seed) {
      check_open_receives(all, seed);
      all.barrier(); // who receives from anybody would get what comes next
      check_task_farm(all, seed);
      all.barrier();
    }
    check_unexpected_messages(all);
    check_refusals(all);
    all.barrier();
    check_teams_are_apart(all);
    if (all.rank() == 0)
      std::printf("all right: %s\n", all.inboxes().c_str());
  }
  MPI_Finalize();
  return 0;
}
