// SPDX-License-Identifier: BSD-3-Clause
#include "contagion/people.hpp"

#include <algorithm>
#include <tuple>

namespace thalweg::examples::contagion {
namespace {

constexpr std::int32_t days_exposed = 2;
constexpr std::int32_t days_ill = 7; // those exposed included
constexpr std::uint32_t household = 3;
constexpr std::uint32_t midnight = 24 * 60;

/// Homes, then work places, then shops: 60, 30 and 10 % of the places, and one of each at least.
struct Kinds {
  explicit Kinds(std::uint32_t places)
      : homes(places * std::uint64_t{6} / 10), works(places * std::uint64_t{3} / 10),
        shops(places - homes - works) {}
  std::uint64_t homes;
  std::uint64_t works;
  std::uint64_t shops;
};

/// In which order infections count.
auto order_of(Infection const& one) {
  return std::tuple(one.person, one.minute, one.place, one.by);
}

} // namespace

People::People(Problem const& problem, int rank, int ranks) : problem_(problem) {
  for (std::uint32_t number = 0; number < problem.people; ++number)
    if (rank_of(number, ranks) == rank)
      people_.push_back({.number = number, .infected_on = number < problem.first_cases ? 0 : -1});
}

Health People::health(Person const& person, std::uint32_t day) const {
  if (person.infected_on < 0)
    return Health::susceptible;
  std::int32_t const days = static_cast<std::int32_t>(day) - person.infected_on;
  if (days < days_exposed)
    return Health::exposed;
  return days < days_ill ? Health::infectious : Health::recovered;
}

// Home, work, a shop, home again. Home and work stay the same, the shop is another one each day.
void People::plan(Person const& person, std::uint32_t day, std::span<Visit, visits_a_day> visits) const {
  Kinds const kinds(problem_.places);
  std::uint64_t const own = draw(problem_.seed, person.number);
  std::uint64_t const today = draw(problem_.seed, person.number, day);
  auto const minutes = [&](int part, std::uint32_t below) {
    return static_cast<std::uint32_t>(((today >> (16 * part)) & 0xffffU) * below >> 16U);
  };
  auto const home =
      static_cast<std::uint32_t>(draw(problem_.seed + 1, person.number / household) % kinds.homes);
  auto const work = static_cast<std::uint32_t>(kinds.homes + (own >> 16U) % kinds.works);
  auto const shop = static_cast<std::uint32_t>(kinds.homes + kinds.works + mix(today) % kinds.shops);
  std::uint32_t const leaves = 6 * 60 + minutes(0, 180);
  std::uint32_t const ends_work = 15 * 60 + minutes(1, 180);
  std::uint32_t const ends_shopping = ends_work + 15 + minutes(2, 105);

  Visit visit{.person = person.number, .day = day, .health = health(person, day)};
  visit.infectivity = 64 + static_cast<std::uint32_t>(own & 0x7fU);
  visit.susceptibility = 64 + static_cast<std::uint32_t>((own >> 7U) & 0x7fU);
  auto const stay = [&](std::uint32_t place, std::uint32_t from, std::uint32_t to, std::uint32_t contacts) {
    visit.place = place;
    visit.arrival = from;
    visit.departure = to;
    visit.contacts_percent = contacts;
    return visit;
  };
  visits[0] = stay(home, 0, leaves, 100);
  visits[1] = stay(work, leaves, ends_work, 60);
  visits[2] = stay(shop, ends_work, ends_shopping, 20);
  visits[3] = stay(home, ends_shopping, midnight, 100);
}

void People::infect(std::span<Infection const> infections) {
  infections_.insert(infections_.end(), infections.begin(), infections.end());
}

std::uint64_t People::end_day(std::uint32_t day) {
  std::ranges::sort(infections_, {}, order_of);
  std::uint64_t infected = 0;
  for (Infection const& one : infections_) {
    Person& person = *std::ranges::lower_bound(people_, one.person, {}, &Person::number);
    if (person.infected_on >= 0)
      continue; // by an infection before
    person.infected_on = static_cast<std::int32_t>(day);
    hash_ += draw(day, one.person, one.minute, one.place, one.by);
    ++infected;
  }
  infections_.clear();
  return infected;
}

} // namespace thalweg::examples::contagion
