// SPDX-License-Identifier: BSD-3-Clause

// What the modes of synchronization promise, held against stores and loads in others' memory. One rank comes
// late, when the others are in the call or have left it. Before it comes, it stores into the input of
// another: a call with `all` before it has to take that along. Those that leave look at everybody's output
// and store into that of the late one: after a call with `all` at its end all is there, and the store stays.
//
// synchronization [FAULT]: with a fault, calls get less than they promise, and every collective must be
// found to break the promise.
//   before: mine for all; after: mine for all; own: none for mine; loose: mine for none

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using checks::element;
using checks::require;
using thalweg::call_synchronization;
using thalweg::team;
using Ends = thalweg::synchronization;
using Clock = std::chrono::steady_clock;

/// What is held back from the library, and how often that was noticed, by collective.
struct Fault {
  std::string name;
  std::map<std::string, int> found;

  call_synchronization weakened(call_synchronization when) const {
    if (name == "before" && when.before == Ends::all)
      when.before = Ends::mine;
    if (name == "after" && when.after == Ends::all)
      when.after = Ends::mine;
    if (name == "own" && when.after == Ends::mine)
      when.after = Ends::none;
    if (name == "loose" && when.after == Ends::none)
      when.after = Ends::mine;
    return when;
  }
};

/// A place for what ranks tell each other: how many rounds each has come to, and left.
struct Progress {
  int come;
  int gone;
};

struct Round {
  int number;
  int root;
  int late;
  int stores; ///< the rank whose input the late one stores into
};

/// A collective with its results: what rank `to` has at place i once `input(rank, i)` is what ranks have.
struct Collective {
  using Input = std::function<double(int from, int to, std::size_t i)>;
  std::string name;
  bool is_rooted = false;
  bool root_gives = false;
  std::function<void(call_synchronization)> call;
  std::function<double(const Input&, int rank, std::size_t place)> result;
  bool has_result(int rank, int root) const { return !is_rooted || root_gives || rank == root; }
  bool has_input(int rank, int root) const { return !root_gives || rank == root; }
  std::size_t units = 1; ///< of the output
};

class Checker {
public:
  Checker(team& of, Fault& fault, std::size_t n)
      : team_(of), fault_(fault), n_(n), input_(of.allocate<double>(n * ranks())),
        output_(of.allocate<double>(n * ranks())), progress_(of.allocate<Progress>(1)) {
    make_collectives();
  }
  void end() {
    team_.release(progress_);
    team_.release(output_);
    team_.release(input_);
  }

  void run_all() {
    for (const Collective& one : collectives_)
      for (const Ends before : {Ends::none, Ends::mine, Ends::all})
        for (const Ends after : {Ends::none, Ends::mine, Ends::all})
          for (int late = 0; late < team_.size(); ++late)
            run(one, {before, after}, late);
  }
  const std::vector<Collective>& collectives() const { return collectives_; }

private:
  std::size_t ranks() const { return static_cast<std::size_t>(team_.size()); }
  std::span<double> unit() const { return output_.span().first(n_); }
  std::span<double> own() const { return input_.span().first(n_); }

  void make_collectives() {
    const auto sum = [this](const Collective::Input& in, int end, std::size_t i) {
      double total = 0;
      for (int rank = 0; rank < end; ++rank)
        total += in(rank, 0, i);
      return total;
    };
    const auto of_root = [this](const Collective::Input& in, int, std::size_t i) {
      return in(round_.root, 0, i);
    };
    const auto of_each = [this](const Collective::Input& in, int, std::size_t i) {
      return in(static_cast<int>(i / n_), 0, i % n_);
    };
    const auto of_all = [this, sum](const Collective::Input& in, int, std::size_t i) {
      return sum(in, team_.size(), i);
    };
    team& t = team_;
    collectives_ = {
        {"broadcast", true, true, [&](auto when) { t.broadcast(unit(), round_.root, when); }, of_root},
        {"scatter", true, true, [&](auto when) { t.scatter(input_.span(), unit(), round_.root, when); },
         [this](const Collective::Input& in, int rank, std::size_t i) { return in(round_.root, rank, i); }},
        {"gather", true, false, [&](auto when) { t.gather(own(), output_.span(), round_.root, when); },
         of_each, ranks()},
        {"reduce", true, false, [&](auto when) { t.reduce(own(), unit(), round_.root, MPI_SUM, when); },
         of_all},
        {"allgather", false, false, [&](auto when) { t.allgather(own(), output_.span(), when); }, of_each,
         ranks()},
        {"alltoall", false, false, [&](auto when) { t.alltoall(input_.span(), output_.span(), when); },
         [this](const Collective::Input& in, int rank, std::size_t i) {
           return in(static_cast<int>(i / n_), rank, i % n_);
         },
         ranks()},
        {"allreduce", false, false, [&](auto when) { t.allreduce(own(), unit(), MPI_SUM, when); }, of_all},
        {"scan", false, false, [&](auto when) { t.scan(own(), unit(), MPI_SUM, when); },
         [sum](const Collective::Input& in, int rank, std::size_t i) { return sum(in, rank + 1, i); }},
    };
  }

  void run(const Collective& one, call_synchronization when, int late) {
    const int number = round_.number + 1;
    const int root = number % team_.size();
    int stores = one.root_gives ? root : (late + 1 + number / 3 % (team_.size() - 1)) % team_.size();
    if (one.root_gives && root == late)
      stores = late; // its own, which says nothing: another round has another root
    round_ = {number, root, late, stores};
    one_ = &one;
    when_ = when;
    fill();
    team_.barrier();
    if (team_.rank() == late)
      come_late();
    else
      come();
    team_.barrier();
    look_at_the_end();
    team_.barrier();
  }

  double given(int from, int to, std::size_t i) const { return element(round_.number, from, to, i); }
  /// Inputs with what the late rank has stored.
  Collective::Input input() const {
    return [this](int from, int to, std::size_t i) {
      return from == round_.stores && i == 0 ? stored(to) : given(from, to, i);
    };
  }
  double stored(int to) const { return 5000 + round_.number + to; }
  static constexpr double unset = -1;

  void fill() {
    std::ranges::fill(output_.span(), unset);
    for (std::size_t i = 0; i < input_.size(); ++i)
      input_[i] = given(team_.rank(), one_->units == 1 && !one_->root_gives ? 0 : to_of(i), i % n_);
    if (one_->name == "broadcast" && team_.rank() == round_.root)
      for (std::size_t i = 0; i < n_; ++i)
        output_[i] = given(round_.root, 0, i);
  }
  /// Whom an element of the input is for, where there is one for each rank.
  int to_of(std::size_t i) const {
    const bool is_for_each = one_->name == "scatter" || one_->name == "alltoall";
    return is_for_each ? static_cast<int>(i / n_) : 0;
  }

  static std::atomic_ref<int> flag(int& value) { return std::atomic_ref<int>(value); }
  void wait_for(int Progress::*member, std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    for (int rank = 0; rank < team_.size(); ++rank)
      while (rank != round_.late && flag(progress_.at(rank)->*member).load() < round_.number) {
        if (Clock::now() > end) {
          broken("waits for others, and nobody is to wait");
          return;
        }
        std::this_thread::yield();
      }
  }

  void come_late() {
    constexpr std::chrono::milliseconds long_enough{2};
    constexpr std::chrono::seconds patience{60};
    wait_for(&Progress::come, patience);
    if (when_.after == Ends::none)
      wait_for(&Progress::gone, fault_.name == "loose" ? std::chrono::milliseconds(100) : patience);
    else
      std::this_thread::sleep_for(long_enough);
    look_at_untouched();
    if (when_.before == Ends::all && round_.stores != round_.late)
      store();
    one_->call(fault_.weakened(when_));
    if (when_.after != Ends::none)
      look_at(team_.rank());
  }

  /// Nobody touches what is this rank's own until it comes.
  void look_at_untouched() {
    const bool is_given = one_->name == "broadcast" && team_.rank() == round_.root;
    const auto is_unset = [](double one) { return one == unset; };
    if (when_.before != Ends::none && !is_given && !std::ranges::all_of(output_.span(), is_unset))
      broken("writes into the memory of a rank that has not come");
  }

  void store() {
    double* const memory = one_->name == "broadcast" ? output_.at(round_.stores) : input_.at(round_.stores);
    const bool is_for_each = one_->name == "scatter" || one_->name == "alltoall";
    for (int to = 0; to < (is_for_each ? team_.size() : 1); ++to)
      memory[static_cast<std::size_t>(to) * n_] = stored(to);
  }

  void come() {
    flag(progress_[0].come).store(round_.number);
    one_->call(fault_.weakened(when_));
    flag(progress_[0].gone).store(round_.number);
    if (when_.after == Ends::mine)
      look_at(team_.rank());
    if (when_.after != Ends::all)
      return;
    for (int rank = 0; rank < team_.size(); ++rank)
      look_at(rank);
    if (writes_into_the_late())
      output_.at(round_.late)[last()] = stored(team_.rank());
  }

  // One rank does; not where the late one gives what others may still look at.
  bool writes_into_the_late() const {
    return team_.rank() == (round_.late + 1) % team_.size() && one_->has_result(round_.late, round_.root) &&
           n_ > 1;
  }
  std::size_t last() const { return n_ * one_->units - 2; }

  void look_at_the_end() {
    if (when_.after == Ends::all && team_.rank() == round_.late &&
        one_->has_result(round_.late, round_.root) && n_ > 1) {
      const int writer = (round_.late + 1) % team_.size();
      if (output_[last()] != stored(writer))
        broken("overwrites what was stored after it");
    }
    if (when_.after == Ends::none)
      look_at(team_.rank());
  }

  /// Everything but the place that is stored into.
  void look_at(int rank) {
    if (!one_->has_result(rank, round_.root))
      return;
    const Collective::Input in = when_.before == Ends::all && round_.stores != round_.late
                                     ? input()
                                     : [this](int from, int to, std::size_t i) { return given(from, to, i); };
    const double* const output = output_.at(rank);
    for (std::size_t i = 0; i < n_ * one_->units; ++i) {
      if (n_ > 1 && i == last())
        continue;
      const double expected = one_->result(in, rank, i);
      if (output[i] != expected)
        return broken(i % n_ == 0 && when_.before == Ends::all ? "leaves out what was stored before it"
                                                               : "has not brought what it promises");
    }
  }

  void broken(const char* how) {
    static constexpr const char* names[] = {"none", "mine", "all"};
    require(!fault_.name.empty(), "%s of %zu from %d, %d late, before %s, after %s: %s", one_->name.c_str(),
            n_, round_.root, round_.late, names[static_cast<int>(when_.before)],
            names[static_cast<int>(when_.after)], how);
    ++fault_.found[one_->name];
  }

  team& team_;
  Fault& fault_;
  std::size_t n_;
  thalweg::symmetric_memory<double> input_;
  thalweg::symmetric_memory<double> output_;
  thalweg::symmetric_memory<Progress> progress_;
  std::vector<Collective> collectives_;
  Round round_{};
  const Collective* one_ = nullptr;
  call_synchronization when_;
};

// Has the fault been noticed of each collective, on any rank?
bool is_found(team& all, const Fault& fault, const std::vector<Collective>& collectives, bool tells) {
  bool is_complete = true;
  if (fault.name.empty())
    return true;
  for (const Collective& one : collectives) {
    const auto place = fault.found.find(one.name);
    const int found = all.allreduce(place == fault.found.end() ? 0 : place->second, MPI_SUM);
    is_complete = is_complete && found > 0;
    if (tells && all.rank() == 0)
      std::printf("without %s, %s breaks its promise %d times\n", fault.name.c_str(), one.name.c_str(),
                  found);
  }
  return is_complete;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    Fault fault{argc > 1 ? argv[1] : "", {}};
    require(all.size() > 1, "%s", "several ranks are wanted");
    constexpr std::size_t largest = 30000;
    for (const std::size_t n : {std::size_t{1}, std::size_t{700}, largest}) {
      if (!fault.name.empty() && n != largest)
        continue;
      Checker checker(all, fault, n);
      checker.run_all();
      // Where the last to leave is late by a moment only, that is to be caught.
      for (int more = 0; more < 20 && !is_found(all, fault, checker.collectives(), false); ++more)
        checker.run_all();
      require(is_found(all, fault, checker.collectives(), true), "%s", "a fault that is not noticed");
      checker.end();
    }
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
