// SPDX-License-Identifier: BSD-3-Clause

/// Diffusion Monte Carlo: walkers that branch and die find the ground state of a particle in a trap; see
/// README.md.

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"
#include "diffusion_mc/by_hand.hpp"
#include "diffusion_mc/course.hpp"
#include "diffusion_mc/population.hpp"
#include "thalweg/balance.hpp"

#include <fmt/format.h>
#include <optional>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::diffusion_mc;

enum class Way { none, gather, thalweg };

struct Run {
  Problem problem;
  std::int64_t steps = 0;
  Way way = Way::thalweg;
  thalweg::balance_options options;
};

struct Result {
  Course course;
  double imbalance = 0; ///< mean over steps: most walkers of a rank, over the mean of ranks
  double seconds = 0;
};

void combine(void* in, void* inout, int* count, MPI_Datatype*) {
  auto const* const from = static_cast<Sums const*>(in);
  auto* const to = static_cast<Sums*>(inout);
  for (int i = 0; i < *count; ++i)
    to[i] = Together()(to[i], from[i]);
}

/// Collective. The sums of all ranks.
class Summing {
public:
  Summing() {
    MPI_Type_contiguous(sizeof(Sums), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(combine, 1, &operator_);
  }
  ~Summing() {
    MPI_Op_free(&operator_);
    MPI_Type_free(&type_);
  }
  Summing(Summing const&) = delete;
  Summing& operator=(Summing const&) = delete;

  Sums operator()(Sums sums, Group const& world) const {
    MPI_Allreduce(MPI_IN_PLACE, &sums, 1, type_, operator_, world.communicator);
    return sums;
  }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operator_ = MPI_OP_NULL;
};

template <std::size_t bytes>
Result simulate(Run const& run, Group const& world) {
  Result result{Course(run.problem, run.steps)};
  Course& course = result.course;
  Range const own = part_of({0, run.problem.population}, world.ranks, world.rank);
  Population<bytes> population(run.problem, own.begin, own.end);
  auto& walkers = population.walkers;
  Summing const sum;
  thalweg::balancer balancer(world.communicator);
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  std::optional<thalweg::movement<Walker<bytes>>> moving;
  constexpr std::int64_t looks = 8; // in a step, by which walkers that move go on
  for (std::int64_t step = 0; step < run.steps; ++step) {
    std::size_t const here = moving ? moving->kept() : walkers.size();
    for (std::int64_t part = 0; part < looks; ++part) { // while others arrive
      Range const some = part_of({0, static_cast<std::int64_t>(here)}, looks, part);
      population.advance(static_cast<std::size_t>(some.begin), static_cast<std::size_t>(some.end), step,
                         course.trial_energy());
      if (moving)
        moving->test();
    }
    if (moving)
      moving->finish();
    moving.reset();
    population.advance(here, walkers.size(), step, course.trial_energy());
    result.imbalance +=
        static_cast<double>(walkers.size()) * world.ranks / static_cast<double>(course.walkers());
    course.add(step, sum(population.branch(step), world));
    if (course.walkers() == 0)
      break;
    if (run.way == Way::gather)
      balance_by_hand(walkers, world);
    else if (run.way == Way::thalweg)
      moving.emplace(balancer.start(walkers, run.options));
  }
  if (moving)
    moving->finish();
  result.seconds = MPI_Wtime() - begin_s;
  result.imbalance /= static_cast<double>(run.steps);
  return result;
}

Result simulate(std::size_t size, Run const& run, Group const& world) {
  switch (size) {
  case 0:
    return simulate<672>(run, world);
  case 1:
    return simulate<2048>(run, world);
  default:
    return simulate<32768>(run, world);
  }
}

bool simulate_and_check(Group const& world, Options const& options) {
  Run run;
  run.problem.population = options.integer("walkers", 1, 1 << 30);
  run.problem.moves = static_cast<int>(options.integer("moves", 1, 1 << 20));
  run.problem.seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  run.steps = options.integer("steps", lag + 1, 1 << 30);
  run.way = static_cast<Way>(options.choice("balance", {"none", "gather", "thalweg"}));
  run.options.scheme =
      options.choice("scheme", {"sweep", "alias"}) == 0 ? thalweg_balance_sweep : thalweg_balance_alias;
  run.options.threshold = static_cast<double>(options.integer("threshold", 0, 10000)) / 100;
  std::size_t const size = options.choice("walker-bytes", {"672", "2048", "32768"});
  Result result = simulate(size, run, world);
  double most[2] = {result.seconds, result.imbalance};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, world.communicator);
  if (world.rank == 0) {
    fmt::print("{}\n", result.course.answer());
    fmt::print("time: ranks={} balance={} imbalance={:.3f} seconds={:.6f}\n", world.ranks,
               options.text("balance"), most[1], most[0]);
  }
  return result.course.is_right();
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("walkers", "2000", "of all ranks, more or less")
      .add("steps", "400", "branchings")
      .add("moves", "5", "of each walker between two branchings")
      .add("walker-bytes", "672", "what a walker is: 672, 2048 or 32768")
      .add("balance", "thalweg", "none; gather: all counts, and messages by hand; thalweg: thalweg::balancer")
      .add("scheme", "sweep", "of thalweg: sweep or alias")
      .add("threshold", "0", "of thalweg: percent by which a rank may have more than the mean")
      .add("seed", "1", "seed of all random numbers");
  return run_example(argc, argv, options, simulate_and_check);
}
