// SPDX-License-Identifier: BSD-3-Clause

// Tasks that move: none is lost, none is there twice, and loads end within what is promised.

#include "checks.hpp"
#include "thalweg/balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// A task that knows what it is.
struct Walker {
  std::uint64_t id = 0;
  double weight = 0;
  std::array<std::uint64_t, 5> rest{};
};

/// One that is not copied byte by byte.
struct Named {
  std::uint64_t id = 0;
  double weight = 0;
  std::string name;
};

bool cannot_be_written = false; // on this rank, on purpose

} // namespace

template <>
struct thalweg::serializer<Named> {
  static void write(const Named& task, byte_writer& to) {
    if (cannot_be_written)
      throw std::length_error("not to be written");
    const std::size_t length = task.name.size();
    to.write(&task.id, sizeof task.id);
    to.write(&task.weight, sizeof task.weight);
    to.write(&length, sizeof length);
    to.write(task.name.data(), length);
  }
  static Named read(byte_reader& from) {
    Named task;
    std::size_t length = 0;
    from.read(&task.id, sizeof task.id);
    from.read(&task.weight, sizeof task.weight);
    from.read(&length, sizeof length);
    task.name.resize(length);
    from.read(task.name.data(), length);
    return task;
  }
};

namespace {

struct Job {
  int rank = 0;
  int ranks = 1;
};

Walker make_task(std::uint64_t id, double weight, const Walker*) {
  Walker task{id, weight, {}};
  task.rest.fill(id * 3);
  return task;
}
Named make_task(std::uint64_t id, double weight, const Named*) {
  return {id, weight, std::string(id % 50, 'x')};
}
bool is_whole(const Walker& task) {
  return std::ranges::all_of(task.rest, [&](std::uint64_t word) { return word == task.id * 3; });
}
bool is_whole(const Named& task) {
  return task.name == std::string(task.id % 50, 'x');
}

/// A rank's, of one of several kinds: close to each other, wild, all on one rank, few, none.
template <typename Task>
std::vector<Task> random_tasks(std::uint32_t seed, int rank, const Job& job) {
  std::mt19937 common(seed);
  const unsigned kind = common() % 5;
  const auto owner = static_cast<int>(common() % static_cast<unsigned>(job.ranks));
  std::mt19937 own(seed * 64 + static_cast<unsigned>(rank));
  const unsigned count = kind == 0   ? 20 + own() % 9
                         : kind == 1 ? own() % 60
                         : kind == 2 ? (rank == owner ? 300 : 0)
                         : kind == 3 ? own() % 2
                                     : 0;
  std::vector<Task> tasks;
  for (unsigned i = 0; i < count; ++i)
    tasks.push_back(make_task((static_cast<std::uint64_t>(rank) << 20U) + i,
                              std::exponential_distribution<double>(0.2)(own), static_cast<Task*>(nullptr)));
  return tasks;
}

/// What tasks are together, wherever they are.
struct Together {
  std::array<std::uint64_t, 3> sums{};
  double weight = 0;
  double heaviest = 0;

  auto count() const { return static_cast<double>(sums[0]); }
  template <typename Task>
  void add(const std::vector<Task>& tasks) {
    for (const Task& task : tasks) {
      sums[0] += 1;
      sums[1] += task.id * 0x9e3779b97f4a7c15U ^ task.id << 7U;
      sums[2] += task.id * task.id * 0xbf58476d1ce4e5b9U;
      weight += task.weight;
      heaviest = std::max(heaviest, task.weight);
      checks::require(is_whole(task), "task %llu is damaged", static_cast<unsigned long long>(task.id));
    }
  }
};

/// All ranks' random tasks.
template <typename Task>
Together all_of(std::uint32_t seed, const Job& job) {
  Together all;
  for (int rank = 0; rank < job.ranks; ++rank)
    all.add(random_tasks<Task>(seed, rank, job));
  return all;
}

/// Collective. Ranks have the tasks that they had before together.
template <typename Task>
void must_be_all(const Together& before, const std::vector<Task>& tasks, std::uint32_t seed) {
  Together after;
  after.add(tasks);
  MPI_Allreduce(MPI_IN_PLACE, after.sums.data(), 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  checks::require(after.sums == before.sums, "seed %u: tasks are lost, or there twice", seed);
}

double weigh(const Walker& task) {
  return task.weight;
}
double weigh_named(const Named& task) {
  return task.weight;
}

/// Moves in a way that the seed says.
template <typename Task, typename... Weight>
void move(thalweg::balancer& balancer, std::vector<Task>& tasks, const thalweg::balance_options& options,
          std::uint32_t seed, Weight... weight) {
  if (seed % 3 == 0) {
    balancer.move(tasks, weight..., options);
    return;
  }
  thalweg::movement<Task> movement = balancer.start(tasks, weight..., options);
  if (seed % 3 == 1) {
    const std::size_t kept = movement.kept();
    for (std::size_t i = 0; i < kept; ++i)
      tasks[i] = make_task(tasks[i].id, tasks[i].weight, static_cast<Task*>(nullptr));
  }
  for (int looks = 0; looks < 100 && !movement.test(); ++looks) {
  }
  movement.finish();
}

template <typename Task>
void check_counts(thalweg::balancer& balancer, std::uint32_t seed, const Job& job) {
  std::vector<Task> tasks = random_tasks<Task>(seed, job.rank, job);
  const Together before = all_of<Task>(seed, job);
  thalweg::balance_options options;
  options.scheme = seed % 2 == 0 ? thalweg_balance_alias : thalweg_balance_sweep;
  options.spread = seed % 5 == 0 ? thalweg_balance_capped : thalweg_balance_even;
  move(balancer, tasks, options, seed);
  must_be_all(before, tasks, seed);
  const double most = std::ceil(before.count() / job.ranks);
  const auto count = static_cast<double>(tasks.size());
  checks::require(count <= most, "seed %u: %g tasks", seed, count);
  checks::require(options.spread == thalweg_balance_capped || count >= most - 1, "seed %u: %g tasks", seed,
                  count);
}

template <typename Task, typename Weight>
void check_weights(thalweg::balancer& balancer, std::uint32_t seed, const Job& job, Weight weight) {
  std::vector<Task> tasks = random_tasks<Task>(seed, job.rank, job);
  const Together before = all_of<Task>(seed, job);
  thalweg::balance_options options;
  options.scheme = seed % 2 == 0 ? thalweg_balance_alias : thalweg_balance_sweep;
  move(balancer, tasks, options, seed, weight);
  must_be_all(before, tasks, seed);
  const double share = before.weight / job.ranks;
  const double messages = seed % 2 == 0 ? 2 : job.ranks; // and one, halved
  Together own;
  own.add(tasks);
  checks::require(std::abs(own.weight - share) <= before.heaviest * (messages + 1) / 2 + 1e-9,
                  "seed %u: a load of %g, where %g is even and %g the heaviest task", seed, own.weight, share,
                  before.heaviest);
}

void check_speeds(thalweg::balancer& balancer, std::uint32_t seed, const Job& job) {
  std::vector<Walker> tasks = random_tasks<Walker>(seed, job.rank, job);
  const Together before = all_of<Walker>(seed, job);
  const auto speed_of = [](int rank) { return 0.5 + rank % 4; };
  double speeds = 0;
  for (int rank = 0; rank < job.ranks; ++rank)
    speeds += speed_of(rank);
  thalweg::balance_options options;
  options.speed = speed_of(job.rank);
  move(balancer, tasks, options, seed);
  must_be_all(before, tasks, seed);
  const double share = before.count() * options.speed / speeds;
  checks::require(std::abs(static_cast<double>(tasks.size()) - share) < 1 + 1e-6, "seed %u: %zu tasks of %g",
                  seed, tasks.size(), share);
}

void check_random_moves(const Job& job, int gathered_ranks) {
  thalweg_balancer_options options{};
  options.gathered_ranks = gathered_ranks;
  thalweg::balancer balancer(MPI_COMM_WORLD, options);
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    check_counts<Walker>(balancer, seed, job);
    check_counts<Named>(balancer, seed, job);
    check_weights<Walker>(balancer, seed, job, weigh);
    check_weights<Named>(balancer, seed, job, weigh_named);
    check_speeds(balancer, seed, job);
  }
}

/// Fails on all ranks, moves nothing, and leaves the balancer as good as before.
template <typename Task, typename Call>
void must_fail(const Job& job, thalweg_status status, const char* what, Call call) {
  std::vector<Task> tasks;
  for (std::uint64_t id = 0; id < (job.rank == 0 ? 50 : 3); ++id)
    tasks.push_back(make_task(id, 1, static_cast<Task*>(nullptr)));
  Together before;
  before.add(tasks);
  const thalweg::error failure = checks::failure_of([&] { call(tasks); });
  checks::require(failure.status() == status, "%s: %s", what, failure.what());
  Together after;
  after.add(tasks);
  checks::require(after.sums == before.sums, "%s has moved tasks", what);
}

void check_errors(const Job& job, int gathered_ranks) {
  thalweg_balancer_options made{};
  made.gathered_ranks = gathered_ranks;
  thalweg::balancer balancer(MPI_COMM_WORLD, made);
  const bool is_bad = job.rank == job.ranks - 1;
  const auto invalid = thalweg_error_invalid_argument;
  must_fail<Walker>(job, invalid, "a weight that is none", [&](auto& tasks) {
    tasks.push_back({});
    try {
      balancer.move(tasks, [&](const Walker&) { return is_bad ? -1.0 : 1.0; });
    } catch (...) {
      tasks.pop_back();
      throw;
    }
  });
  thalweg::balance_options options;
  options.speed = is_bad ? -1 : 1;
  must_fail<Walker>(job, invalid, "a speed below 0", [&](auto& tasks) { balancer.move(tasks, options); });
  options = {};
  options.steps = is_bad ? NAN : 1;
  must_fail<Walker>(job, invalid, "no number of steps", [&](auto& tasks) { balancer.move(tasks, options); });
  options = {};
  options.scheme = is_bad ? static_cast<thalweg_balance_scheme>(5) : thalweg_balance_sweep;
  must_fail<Walker>(job, invalid, "no scheme", [&](auto& tasks) { balancer.move(tasks, options); });
  if (job.ranks > 1) {
    options.scheme = is_bad ? thalweg_balance_alias : thalweg_balance_sweep;
    must_fail<Walker>(job, thalweg_error_mismatch, "two schemes",
                      [&](auto& tasks) { balancer.move(tasks, options); });
    must_fail<Named>(job, thalweg_error_handler, "what cannot be written", [&](auto& tasks) {
      cannot_be_written = true; // by whoever has tasks to send
      try {
        balancer.move(tasks);
      } catch (const std::length_error& failure) {
        cannot_be_written = false;
        throw thalweg::error(thalweg_error_handler, "move", job.rank, failure.what(), "");
      } catch (...) {
        cannot_be_written = false;
        throw;
      }
    });
  }
  check_counts<Walker>(balancer, 1, job);
}

void check_terms(const Job& job) {
  thalweg::balancer balancer(MPI_COMM_WORLD);
  thalweg::balance_options options;
  const std::size_t own = job.rank == 0 ? 120 : 100;
  std::vector<Walker> tasks(own);
  options.threshold = 0.5;
  const bool had_reason = balancer.move(tasks, options).was_worth;
  checks::require(!had_reason && tasks.size() == own, "%s", "loads below the threshold have moved");
  options.threshold = 0;
  options.load_seconds = 1e-12;
  const thalweg::balance_outcome small = balancer.move(tasks, options);
  checks::require(!small.was_worth && tasks.size() == own, "%s", "a gain of nothing was worth an exchange");
  checks::require(small.gain_seconds < small.exchange_seconds || job.ranks == 1, "%g s", small.gain_seconds);
  options.load_seconds = job.rank == 0 ? 1 : 0; // one knows it, and tells
  options.min_gain_seconds = 1e6;
  const bool had_gained_enough = balancer.move(tasks, options).was_worth;
  checks::require(!had_gained_enough && tasks.size() == own, "%s", "less than the least gain was worth it");
  options.min_gain_seconds = 0;
  const thalweg::balance_outcome large = balancer.move(tasks, options);
  checks::require(large.was_worth == (job.ranks > 1), "%g s were not worth it", large.gain_seconds);
}

/// A long message goes to rank 0, which waits in the balancer for rank 1, which sends it before it comes.
void check_waiting(const Job& job) {
  if (job.ranks < 2)
    return;
  thalweg::balancer balancer(MPI_COMM_WORLD);
  std::vector<char> message(8 << 20);
  const int bytes = static_cast<int>(message.size());
  MPI_Request receive = MPI_REQUEST_NULL;
  std::vector<Walker> tasks(job.rank == 0 ? 1000 : 0);
  if (job.rank == 0)
    MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &receive);
  if (job.rank == 1)
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  balancer.move(tasks);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

/// Messages that take MPI's rendezvous, by the function that needs no balancer.
void check_long_tasks(const Job& job) {
  using Long = std::array<std::uint64_t, 1 << 14>;
  std::vector<Long> tasks(job.rank == 0 ? static_cast<std::size_t>(3 * job.ranks) : 0);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    tasks[i].fill(i);
  thalweg::balance(MPI_COMM_WORLD, tasks);
  checks::require(tasks.size() == 3, "%zu long tasks", tasks.size());
  for (const Long& task : tasks)
    checks::require(std::ranges::all_of(task, [&](auto word) { return word == task[0]; }), "%s",
                    "a long task is damaged");
}

void check_misuse(const Job& job) {
  auto balancer = std::make_unique<thalweg::balancer>(MPI_COMM_WORLD);
  std::vector<Walker> tasks(static_cast<std::size_t>(job.rank) * 10);
  {
    thalweg::movement<Walker> movement = balancer->start(tasks);
    checks::failure_of([&] { balancer->flow(1); });
    movement.finish();
    checks::require(movement.test(), "%s", "a movement that has ended goes on");
  }
  tasks.resize(job.rank == 0 ? static_cast<std::size_t>(2 * job.ranks) : 0);
  static_cast<void>(balancer->start(tasks));
  checks::require(tasks.size() == 2, "%zu tasks behind a movement that was forgotten", tasks.size());
  thalweg_balancer* plain = nullptr;
  thalweg_moved moved{};
  checks::require(thalweg_balance_tasks(plain, nullptr, nullptr, &moved) != thalweg_success, "%s",
                  "no balancer");
  thalweg_balancer_create(MPI_COMM_WORLD, nullptr, &plain);
  checks::require(thalweg_balance_moved(plain, &moved) != thalweg_success, "%s", "nothing was moved");
  thalweg_tasks given{};
  const std::array<double, 8> row{};
  given.count = job.rank == 0 ? row.size() : 0;
  given.tasks = row.data();
  given.task_bytes = sizeof(double);
  thalweg_request* request = nullptr;
  checks::require(thalweg_balance_start(plain, &given, nullptr, &request) == thalweg_success, "%s",
                  thalweg_error_message());
  thalweg_balancer_free(&plain); // ends the move
  checks::require(thalweg_request_wait(&request) != thalweg_success, "%s", "a move without a balancer");
  thalweg_request_free(&request);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  for (const int gathered_ranks : {0, -1}) {
    check_random_moves(job, gathered_ranks);
    check_errors(job, gathered_ranks);
  }
  check_terms(job);
  check_waiting(job);
  check_long_tasks(job);
  check_misuse(job);
  if (job.rank == 0)
    std::printf("all right\n");
  MPI_Finalize();
}
