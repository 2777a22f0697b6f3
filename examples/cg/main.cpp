// SPDX-License-Identifier: BSD-3-Clause

/// NAS CG on a team: the smallest eigenvalue of a random sparse matrix by inverse iteration; see README.md.

#include "cg/nas.hpp"
#include "common/mpi_session.hpp"
#include "thalweg/team.hpp"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace {

using namespace thalweg;
using namespace thalweg::examples;
using namespace thalweg::examples::cg;

/// The two collectives that the method needs, by the team or by MPI.
struct Calls {
  team& on;
  MPI_Comm instead;

  double sum(double mine) const {
    if (instead == MPI_COMM_NULL)
      return on.allreduce(mine, MPI_SUM);
    double total = 0;
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, instead);
    return total;
  }
  void gather(std::span<double const> mine, std::span<double> whole) const {
    if (instead == MPI_COMM_NULL)
      on.allgather(mine, whole);
    else
      MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, whole.data(),
                    static_cast<int>(mine.size()), MPI_DOUBLE, instead);
  }
};

/// The vectors of a rank: its own elements, and all of the direction's.
class Solver {
public:
  Solver(Rows const& rows, Calls const& calls)
      : rows_(rows), calls_(calls), size_(static_cast<std::size_t>(rows.last - rows.first)),
        ranks_(static_cast<std::size_t>(calls.on.size())), whole_(calls.on.allocate<double>(size_ * ranks_)),
        direction_(calls.on.allocate<double>(size_)), solution_(size_), product_(size_), residual_(size_) {}
  ~Solver() {
    calls_.on.release(whole_);
    calls_.on.release(direction_);
  }
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  /// 25 steps of conjugate gradients from zero, for matrix * solution = x.
  void solve(std::span<double const> x) {
    std::ranges::fill(solution_, 0);
    residual_.assign(x.begin(), x.end());
    std::ranges::copy(x, direction_.begin());
    double rho = dot(residual_, residual_);
    for (int step = 0; step < 25; ++step) {
      multiply(direction_.span());
      double const alpha = rho / dot(direction_.span(), product_);
      for (std::size_t i = 0; i < size_; ++i) {
        solution_[i] += alpha * direction_[i];
        residual_[i] -= alpha * product_[i];
      }
      double const before = rho;
      rho = dot(residual_, residual_);
      double const beta = rho / before;
      for (std::size_t i = 0; i < size_; ++i)
        direction_[i] = residual_[i] + beta * direction_[i];
    }
  }

  std::span<double const> solution() const { return solution_; }
  double dot(std::span<double const> a, std::span<double const> b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    return calls_.sum(sum);
  }

private:
  void multiply(std::span<double const> vector) {
    calls_.gather(vector, whole_.span());
    rows_.multiply(whole_.span(), product_);
  }

  Rows const& rows_;
  Calls const& calls_;
  std::size_t size_;
  std::size_t ranks_;
  symmetric_memory<double> whole_;
  symmetric_memory<double> direction_;
  std::vector<double> solution_;
  std::vector<double> product_;
  std::vector<double> residual_;
};

/// One estimate of the eigenvalue; `x` becomes the next start.
double estimate(Problem const& problem, Solver& solver, std::vector<double>& x) {
  solver.solve(x);
  double const along = solver.dot(x, solver.solution());
  double const norm = std::sqrt(solver.dot(solver.solution(), solver.solution()));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = solver.solution()[i] / norm;
  return problem.shift + 1 / along;
}

bool run(Group const& world, Options const& options) {
  std::vector<std::string> classes;
  for (Problem const& problem : problems())
    classes.push_back(problem.name);
  Problem const& problem = problems()[options.choice("class", classes)];
  bool const on_mpi = options.choice("on", {"team", "mpi"}) == 1;
  if (problem.n % world.ranks != 0)
    throw std::runtime_error(
        fmt::format("{} rows cannot be dealt out evenly to {} ranks", problem.n, world.ranks));
  int const own = problem.n / world.ranks;
  Rows const rows = make_rows(problem, world.rank * own, (world.rank + 1) * own);
  team all(world.communicator);
  Calls const calls{all, on_mpi ? world.communicator : MPI_COMM_NULL};
  Solver solver(rows, calls);
  std::vector<double> x(static_cast<std::size_t>(own), 1);
  estimate(problem, solver, x); // once, so that what is only done once is not timed
  std::ranges::fill(x, 1);
  all.barrier();
  double const begin_s = MPI_Wtime();
  double zeta = 0;
  for (int iteration = 0; iteration < problem.iterations; ++iteration)
    zeta = estimate(problem, solver, x);
  double const seconds = all.allreduce(MPI_Wtime() - begin_s, MPI_MAX);
  bool const right = is_right(problem, zeta);
  if (world.rank == 0) {
    fmt::print("answer: class={} right={} zeta={:.9f}\n", problem.name, right ? "yes" : "NO", zeta);
    fmt::print("time: ranks={} on={} seconds={:.6f}\n", world.ranks, options.text("on"), seconds);
  }
  return right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("class", "S", "S (1400 rows), W (7000) or A (14000)")
      .add("on", "team", "team, or mpi: the same program on MPI_Allgather and MPI_Allreduce");
  return run_example(argc, argv, options, run);
}
