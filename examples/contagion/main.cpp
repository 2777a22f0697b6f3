// SPDX-License-Identifier: BSD-3-Clause

/// A disease spreads among people who meet at places, day by day; see README.md.

#include "common/mpi_session.hpp"
#include "common/ways.hpp"
#include "contagion/people.hpp"
#include "contagion/places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::contagion;

/// How many were infected each day, and a hash of all infections.
struct Course {
  std::vector<std::uint64_t> infected;
  std::uint64_t hash = 0;
  double seconds = 0;
  bool operator==(Course const& other) const { return infected == other.infected && hash == other.hash; }
};

/// The days of this rank. What is sent on `visits` reaches the places, on `infections` the people.
template <typename Visits, typename Infections>
Course simulate(Problem const& problem, int ranks, People& people, Places& places, Visits& visits,
                Infections& infections) {
  Course course;
  double const begin_s = MPI_Wtime();
  for (std::uint32_t day = 0; day < static_cast<std::uint32_t>(problem.days); ++day) {
    people.visit(day, [&](Visit const& one) { visits.send(rank_of(one.place, ranks), one); });
    visits.finish();
    places.spread([&](Infection const& one) { infections.send(rank_of(one.person, ranks), one); });
    infections.finish();
    course.infected.push_back(people.end_day(day));
  }
  course.seconds = MPI_Wtime() - begin_s;
  course.hash = people.hash();
  return course;
}

Course simulate(Problem const& problem, Way const& way, Group const& world) {
  People people(problem, world.rank, world.ranks);
  Places places(problem);
  auto const arrive = [&](std::span<Visit const> some) { places.visit(some); };
  auto const infect = [&](std::span<Infection const> some) { people.infect(some); };
  if (way.is_stream) {
    thalweg::stream<Visit> visits(world.communicator, arrive, way.stream);
    thalweg::stream<Infection> infections(world.communicator, infect, way.stream);
    return simulate(problem, world.ranks, people, places, visits, infections);
  }
  Aggregator<Visit> visits(world.communicator, arrive, way.by_hand);
  Aggregator<Infection> infections(world.communicator, infect, way.by_hand);
  return simulate(problem, world.ranks, people, places, visits, infections);
}

/// The same by one rank, without communication.
Course simulate_alone(Problem const& problem) {
  People people(problem, 0, 1);
  Places places(problem);
  struct {
    Places& to;
    void send(int, Visit const& visit) { to.visit({&visit, 1}); }
    void finish() {}
  } visits{places};
  struct {
    People& to;
    void send(int, Infection const& infection) { to.infect({&infection, 1}); }
    void finish() {}
  } infections{people};
  return simulate(problem, 1, people, places, visits, infections);
}

/// Collective. Of all ranks, on rank 0.
Course sum(Course const& mine, Group const& world) {
  Course all{.infected = std::vector<std::uint64_t>(mine.infected.size())};
  MPI_Reduce(mine.infected.data(), all.infected.data(), static_cast<int>(mine.infected.size()), MPI_UINT64_T,
             MPI_SUM, 0, world.communicator);
  MPI_Reduce(&mine.hash, &all.hash, 1, MPI_UINT64_T, MPI_SUM, 0, world.communicator);
  MPI_Reduce(&mine.seconds, &all.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, world.communicator);
  return all;
}

bool run(Group const& world, Options const& options) {
  Problem const problem{
      .people = static_cast<std::uint32_t>(options.integer("people", 1, 1 << 30)),
      .places = static_cast<std::uint32_t>(options.integer("places", 10, 1 << 30)),
      .first_cases = static_cast<std::uint32_t>(options.integer("first-cases", 0, 1 << 30)),
      .transmissibility = static_cast<std::uint32_t>(options.integer("transmissibility", 0, 1 << 20)),
      .days = static_cast<int>(options.integer("days", 1, 10'000)),
      .seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX)),
  };
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;
  Course const course = sum(simulate(problem, way_of(options), world), world);
  int right = 1;
  if (world.rank == 0) {
    right = !verifies || simulate_alone(problem) == course ? 1 : 0;
    fmt::print("answer: people={} places={} right={} infected={} hash={:016x}\n", problem.people,
               problem.places,
               !verifies    ? "?"
               : right != 0 ? "yes"
                            : "NO",
               fmt::join(course.infected, ","), course.hash);
    fmt::print("time: ranks={} way={} days={} seconds={:.6f}\n", world.ranks, options.text("way"),
               problem.days, course.seconds);
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, world.communicator);
  return right != 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("people", "20000", "people")
      .add("places", "10000", "homes, work places and shops")
      .add("days", "20", "days")
      .add("first-cases", "20", "people who are infected in the beginning")
      .add("transmissibility", "100", "how likely an infection is; 0: there are none")
      .add("seed", "1", "seed of who goes where and who infects whom")
      .add("verify", "yes", "rank 0 does the same alone and compares, or no");
  add_way_options(options);
  return run_example(argc, argv, options, run);
}
