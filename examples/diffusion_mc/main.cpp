/// Diffusion Monte Carlo: walkers that branch and die find the ground state of a particle in a trap; see
/// README.md.

#include <optional>

#include <fmt/format.h>

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"
#include "diffusion_mc/by_hand.hpp"
#include "diffusion_mc/estimate.hpp"
#include "diffusion_mc/population.hpp"
#include "thalweg/balance.hpp"

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::diffusion_mc;

enum class Way { none, gather, thalweg };

struct Run {
  Problem problem;
  std::int64_t steps = 0;
  std::int64_t first_measured = 0;
  Way way = Way::thalweg;
  thalweg::balance_options options;
};

struct Result {
  Estimate energy;
  Estimate r2;
  std::uint64_t hash = 0;
  std::int64_t walkers = 0;
  double imbalance = 0; ///< mean over steps: most walkers of a rank, over the mean of ranks
  double seconds = 0;
  bool is_conserved = true;
};

/// Keeps the number of walkers: the trial energy is what was measured, less where there are too many.
class TrialEnergy {
public:
  explicit TrialEnergy(Problem const& problem) : problem_(problem) {}

  [[nodiscard]] double value() const { return value_; }
  void update(Sums const& all) {
    double const energy = static_cast<double>(all.energy) * Sums::unit / static_cast<double>(all.walkers);
    mean_ += (energy - mean_) / 50;
    value_ = mean_ - std::log(static_cast<double>(all.walkers) / static_cast<double>(problem_.population));
  }

private:
  Problem problem_;
  double mean_ = exact_energy;
  double value_ = exact_energy;
};

void combine(void* in, void* inout, int* count, MPI_Datatype*) {
  auto const* const from = static_cast<Sums const*>(in);
  auto* const to = static_cast<Sums*>(inout);
  for (int i = 0; i < *count; ++i) {
    to[i].before += from[i].before;
    to[i].walkers += from[i].walkers;
    to[i].energy += from[i].energy;
    to[i].r2 += from[i].r2;
    to[i].ids += from[i].ids;
  }
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

void measure(Result& result, Sums const& all, std::int64_t step, Run const& run) {
  if (step < run.first_measured)
    return;
  auto const walkers = static_cast<double>(all.walkers);
  result.energy.add(static_cast<double>(all.energy) * Sums::unit / walkers);
  result.r2.add(static_cast<double>(all.r2) * Sums::unit / walkers);
}

template <std::size_t bytes>
Result simulate(Run const& run, Group const& world) {
  Result result;
  Range const own = part_of({0, run.problem.population}, world.ranks, world.rank);
  Population<bytes> population(run.problem, own.begin, own.end);
  auto& walkers = population.walkers;
  TrialEnergy trial(run.problem);
  Summing const sum;
  thalweg::balancer balancer(world.communicator);
  std::int64_t expected = run.problem.population;
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  std::optional<thalweg::movement<Walker<bytes>>> moving;
  constexpr std::int64_t looks = 8; // in a step, by which walkers that move go on
  for (std::int64_t step = 0; step < run.steps; ++step) {
    std::size_t const here = moving ? moving->kept() : walkers.size();
    for (std::int64_t part = 0; part < looks; ++part) { // while others arrive
      Range const some = part_of({0, static_cast<std::int64_t>(here)}, looks, part);
      population.advance(static_cast<std::size_t>(some.begin), static_cast<std::size_t>(some.end), step,
                         trial.value());
      if (moving)
        moving->test();
    }
    if (moving)
      moving->finish();
    moving.reset();
    population.advance(here, walkers.size(), step, trial.value());
    result.imbalance += static_cast<double>(walkers.size()) * world.ranks / static_cast<double>(expected);
    Sums const all = sum(population.branch(step), world);
    result.is_conserved = result.is_conserved && all.before == expected;
    expected = all.walkers;
    result.hash = mix(result.hash ^ all.ids);
    if (all.walkers == 0)
      break;
    trial.update(all);
    measure(result, all, step, run);
    if (run.way == Way::gather)
      balance_by_hand(walkers, world);
    else if (run.way == Way::thalweg)
      moving.emplace(balancer.start(walkers, run.options));
  }
  if (moving)
    moving->finish();
  result.seconds = MPI_Wtime() - begin_s;
  result.walkers = expected;
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
  run.first_measured = std::max(run.steps / 5, lag);
  run.way = static_cast<Way>(options.choice("balance", {"none", "gather", "thalweg"}));
  run.options.scheme =
      options.choice("scheme", {"sweep", "alias"}) == 0 ? thalweg_balance_sweep : thalweg_balance_alias;
  run.options.threshold = static_cast<double>(options.integer("threshold", 0, 10000)) / 100;
  std::size_t const size = options.choice("walker-bytes", {"672", "2048", "32768"});
  Result result = simulate(size, run, world);
  double most[2] = {result.seconds, result.imbalance};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, world.communicator);
  bool const right =
      result.is_conserved && result.energy.agrees_with(exact_energy) && result.r2.agrees_with(exact_r2);
  if (world.rank == 0) {
    fmt::print("answer: walkers={} steps={} right={} energy={:.6f}+-{:.6f} r2={:.6f}+-{:.6f} hash={:016x}\n",
               result.walkers, run.steps, right ? "yes" : "NO", result.energy.mean(), result.energy.error(),
               result.r2.mean(), result.r2.error(), result.hash);
    fmt::print("time: ranks={} balance={} imbalance={:.3f} seconds={:.6f}\n", world.ranks,
               options.text("balance"), most[1], most[0]);
  }
  return right;
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
