// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/balancer.hpp"

#include "balance/line.hpp"
#include "balancer/finder.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"
#include "job/library/group_knowledge.hpp"
#include "job/library/mpi_library.hpp"
#include "thalweg/balance.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace thalweg::balancing {

namespace {

/// FNV-1a, word by word.
class Digest {
public:
  void add(std::uint64_t word) { state_ = (state_ ^ word) * 0x100000001b3U; }
  std::uint64_t result() const { return state_ | 1U; }

private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

bool is_number_from_0(double number) {
  return std::isfinite(number) && number >= 0;
}

Fault fault_of_options(const thalweg_balance_options& options) {
  const bool are_known =
      (options.scheme == thalweg_balance_sweep || options.scheme == thalweg_balance_alias) &&
      (options.spread == thalweg_balance_even || options.spread == thalweg_balance_capped);
  const std::array numbers{options.threshold, options.steps, options.hysteresis, options.min_gain_seconds};
  if (!are_known || !std::ranges::all_of(numbers, is_number_from_0))
    return Fault::option;
  if (!is_number_from_0(options.speed))
    return Fault::speed;
  return is_number_from_0(options.load_seconds) ? Fault::none : Fault::cost;
}

/// Of those that are 0 and have another value then.
double or_else(double given, double usual) {
  return given == 0 ? usual : given;
}

/// Of numbers; never 0.
std::uint64_t digest_of(std::span<const std::int32_t> numbers) {
  Digest digest;
  for (const std::int32_t number : numbers)
    digest.add(static_cast<std::uint64_t>(number));
  return digest.result();
}

/// What a program gives a call. What is wrong with it is told to all ranks.
struct CheckedTasks {
  Report report;
  Settings settings;
};

/// Does not throw. O(tasks) where they are weighted.
CheckedTasks checked_tasks(const thalweg_tasks& tasks, const thalweg_balance_options& options) {
  CheckedTasks given;
  given.settings.service = options.scheme == thalweg_balance_sweep ? Service::sweep : Service::alias;
  given.settings.spread = options.spread == thalweg_balance_capped ? Spread::capped : Spread::even;
  const Terms usual;
  given.settings.terms = {options.threshold, or_else(options.steps, usual.steps),
                          or_else(options.hysteresis, usual.hysteresis), options.min_gain_seconds};
  Report& report = given.report;
  report.tasks = static_cast<Tasks>(std::min<std::size_t>(tasks.count, tasks_max + 1));
  report.speed = or_else(options.speed, 1);
  report.load_seconds = options.load_seconds;
  report.bytes = static_cast<double>(tasks.count) * static_cast<double>(tasks.task_bytes);
  report.is_weighted = tasks.weights != nullptr;
  report.fault = fault_of_options(options);
  if (tasks.pack == nullptr && tasks.task_bytes == 0 && tasks.count > 0)
    report.fault = Fault::option;
  for (std::size_t task = 0; report.is_weighted && task < tasks.count; ++task) {
    report.weight += tasks.weights[task];
    if (!is_number_from_0(tasks.weights[task]))
      report.fault = Fault::weight;
  }
  if (!std::isfinite(report.weight))
    report.fault = Fault::weight;
  Digest alike;
  const auto number = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (const std::uint64_t word :
       {std::uint64_t{tasks.task_bytes}, std::uint64_t{tasks.pack != nullptr},
        std::uint64_t{report.is_weighted}, static_cast<std::uint64_t>(options.scheme),
        static_cast<std::uint64_t>(options.spread), number(options.threshold), number(options.steps),
        number(options.hysteresis), number(options.min_gain_seconds)})
    alike.add(word);
  report.settings = alike.result();
  return given;
}

constexpr std::int32_t gathered_ranks_usually = 512;
// Of what was learned about costs, how much the last move counts, and what is left where none pays: it may
// have been a bad moment.
constexpr double last_counts = 0.25;
constexpr double fades = 0.98;

std::vector<Rank> agreed_order(const job::Group& group, const int* given) {
  const auto ranks = static_cast<std::size_t>(group.ranks());
  std::vector<Rank> order;
  if (given != nullptr)
    order.assign(given, given + ranks);
  else
    order = near_order(*group.nodes(), group.sockets() ? *group.sockets() : std::vector<std::int32_t>());
  const std::uint64_t own = is_order(order) ? digest_of(order) : 0;
  for (const std::uint64_t other : group.agreement(group.channels().policy()).allgather(own))
    if (other == 0 || other != own)
      throw Error("the order is none of all ranks, or not the same on all of them",
                  "give each rank once, and all ranks the same order");
  return order;
}

machine::LevelCosts messages_of(const job::Group& group) {
  const job::Knowledge known = job::agree_on_knowledge(group);
  return known.machine.machine.at(group.node_count() > 1 ? machine::Level::network : machine::Level::node);
}

std::int32_t gathered_ranks(int given) {
  return given == 0 ? gathered_ranks_usually : given;
}

} // namespace

Balancer::Balancer(MPI_Comm communicator, const thalweg_balancer_options& options)
    : group_(job::duplicate(communicator, "balancer"), nullptr, false),
      control_(group_.channels().transport(), group_.channels().make_mailbox(), group_.channels().policy(),
               agreed_order(group_, options.order)),
      finder_(control_, messages_of(group_), gathered_ranks(options.gathered_ranks)), mover_(control_) {}

// Others wait for what this rank has to send.
Balancer::~Balancer() {
  try {
    if (is_open_)
      move_->wait();
  } catch (const std::exception&) { // nobody is there to be told
  }
}

void Balancer::must_be_free() const {
  if (is_open_)
    throw Error("a move of the balancer has not ended", "test or wait for its request until it has");
}

template <typename Work>
void Balancer::timed(const Work& work) {
  const std::uint64_t begin = wait::System::now_ns();
  work();
  if (mover_.knows_kept())
    moving_ns_ += wait::System::now_ns() - std::max(begin, mover_.known_at_ns());
}

template <typename Reached>
void Balancer::go_on(const Reached& is_reached) {
  timed([&] { move_->wait_until(is_reached); });
}

const std::vector<thalweg_transfer>& Balancer::flow(thalweg_balance_scheme scheme, Tasks load) {
  must_be_free();
  thalweg_balance_options options;
  options.scheme = scheme;
  const CheckedTasks given = checked_tasks({}, options);
  Report report = given.report;
  report.tasks = std::max<Tasks>(load, 0);
  if (load < 0)
    report.fault = Fault::tasks;
  found_ = control_.run(finder_.find(report, given.settings));
  return found_.transfers;
}

void Balancer::start(const thalweg_tasks& tasks, const thalweg_balance_options& options) {
  must_be_free();
  CheckedTasks given = checked_tasks(tasks, options);
  given.report.cost_factor = cost_factor_;
  if (tasks.pack != nullptr)
    given.report.bytes = static_cast<double>(tasks.count) * mover_.packed_task_bytes();
  mover_.forget();
  moving_ns_ = 0;
  ++moves_;
  is_open_ = true;
  THALWEG_ASSERT(light, !mover_.knows_kept());
  timed([&] { move_.emplace(control_, run(tasks, given.report, given.settings)); });
}

control::Task<void> Balancer::run(thalweg_tasks tasks, Report report, Settings settings) {
  found_ = co_await finder_.find(report, settings);
  if (!found_.verdict.is_worth)
    mover_.stay(tasks);
  else
    co_await mover_.move(tasks, found_.transfers, found_.unit);
}

bool Balancer::test(std::uint64_t move) {
  if (move != moves_ || !is_open_)
    return true; // its request was forgotten, and others have been made
  timed([&] { move_->look(); });
  if (!move_->has_ended())
    return false;
  is_open_ = false;
  move_->result();
  learn_cost();
  return true;
}

void Balancer::wait(std::uint64_t move) {
  if (move == moves_ && is_open_)
    go_on([] { return false; });
  test(move);
}

std::size_t Balancer::kept() {
  if (moves_ == 0)
    throw Error("no move was begun", "begin one before");
  if (is_open_)
    go_on([&] { return mover_.knows_kept(); });
  if (!mover_.knows_kept()) {
    is_open_ = false;
    move_->result();
  }
  return mover_.kept();
}

thalweg_moved Balancer::moved() {
  wait(moves_);
  if (!mover_.knows_kept())
    throw Error("no move has ended well", "move tasks before");
  THALWEG_ASSERT(light, !is_open_);
  const std::span<const std::byte> arrivals = mover_.arrivals();
  return {.kept = mover_.kept(),
          .arrived = mover_.arrived(),
          .tasks = arrivals.data(),
          .bytes = arrivals.size(),
          .was_worth = found_.verdict.is_worth ? 1 : 0,
          .imbalance = found_.verdict.imbalance,
          .gain_seconds = found_.verdict.gain_seconds,
          .exchange_seconds = found_.verdict.exchange_seconds};
}

void Balancer::learn_cost() {
  const Verdict& verdict = found_.verdict;
  if (!verdict.is_worth)
    cost_factor_ *= fades;
  if (found_.transfers.empty() || verdict.predicted_seconds <= 0)
    return;
  const double found = static_cast<double>(moving_ns_) * 1e-9 / verdict.predicted_seconds;
  cost_factor_ = cost_factor_ > 0 ? cost_factor_ + last_counts * (found - cost_factor_) : found;
}

} // namespace thalweg::balancing
