// SPDX-License-Identifier: BSD-3-Clause

// one_sided [FAULT]: random programs of puts, gets, signals, atomic operations and collectives, on a team and
// on parts of it, against an oracle that all ranks compute. A program has rounds. In a round every rank does
// some steps to others' memory, and no place of it is used by two of them, but for sums. Data that comes with
// a signal, or before a flag behind a fence, is looked at within the round, all else at its end.
//
// With a fault, programs leave out what orders them, and the oracle must notice:
//   signal: nobody waits for it; fence: left out; quiet: left out before the end of a round; request: data of
//   gets is used before they have finished; atomic: a get and a put instead; strict: a broadcast that others
//   may still be in when it returns, and then puts

#include "checks.hpp"
#include "thalweg/team.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace {

using checks::mixed;
using checks::require;
using thalweg::team;
using Word = std::uint64_t;

constexpr std::size_t chunks = 16;          // of a rank's memory
constexpr std::size_t largest_chunk = 8192; // words of it; some puts of them are no longer eager
constexpr int steps = 12;                   // of a rank in a round
constexpr int most_ranks = 8;

struct Fault {
  std::string name;
  int found = 0;
  bool is(const char* other) const { return name == other; }
};

class Dice {
public:
  explicit Dice(Word seed) : state_(mixed(seed + 1)) {}
  Word below(Word n) { return mixed(state_ += 0x9e3779b97f4a7c15U) / 7 % n; }

private:
  Word state_;
};

enum class Kind { put, signaled, fenced, get, add, count, swap, compare, pause };

struct Step {
  Kind kind = Kind::pause;
  int from = 0;
  int to = 0;
  std::size_t begin = 0;           // of the chunk
  std::vector<std::size_t> places; // in it, in the order of the data
  int shape = 0;                   // 0: whole, 1: strided, 2: by places
  bool is_started = false;
  Word value = 0;
};

// What a rank's memory is to be.
struct Image {
  std::vector<Word> words = std::vector<Word>(chunks * largest_chunk);
  std::vector<Word> counters = std::vector<Word>(4 + 2 * most_ranks);
  std::vector<std::uint32_t> halves = std::vector<std::uint32_t>(2);
  std::vector<Word> signals = std::vector<Word>(most_ranks);
  std::vector<Word> flags = std::vector<Word>(most_ranks);
};

std::vector<std::size_t> places_of(int shape, std::size_t chunk) {
  std::vector<std::size_t> places;
  const std::size_t step = shape == 0 ? 1 : 2;
  for (std::size_t place = 0; place < chunk; place += step)
    places.push_back(place);
  if (shape == 2) // backwards
    std::ranges::reverse(places);
  return places;
}

class Program {
public:
  Program(team& on, Word seed, Fault& fault)
      : t_(on), dice_(seed), fault_(fault), images_(static_cast<std::size_t>(on.size())),
        words_(on.allocate<Word>(images_[0].words.size())),
        counters_(on.allocate<Word>(images_[0].counters.size())),
        halves_(on.allocate<std::uint32_t>(images_[0].halves.size())),
        signals_(on.allocate<Word>(most_ranks)), flags_(on.allocate<Word>(most_ranks)),
        shared_(on.allocate<Word>(most_ranks + 1)) {
    require(on.size() <= most_ranks, "%d ranks are too many", on.size());
  }

  void run(int rounds) {
    for (number_ = 1; number_ <= rounds; ++number_) {
      plan();
      before_ = 0;
      for (const Step& step : steps_)
        if (step.from == t_.rank())
          make(step);
      for (thalweg::request& one : started_)
        one.wait();
      look_at_signals();
      end_round();
      check();
      strict_broadcast();
    }
    t_.release(shared_);
    t_.release(flags_);
    t_.release(signals_);
    t_.release(halves_);
    t_.release(counters_);
    t_.release(words_);
  }

private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  Image& image(int rank) { return images_[index(rank)]; }
  Word data(const Step& step, std::size_t i) const { return mixed(step.value + i * 31) | 1; }

  /// The same on all ranks, and what it makes of their memory.
  void plan() {
    steps_.clear();
    started_.clear();
    counted_ = 0;
    const std::size_t chunk = std::size_t{16} << (3 * dice_.below(4)); // up to largest_chunk
    std::vector<std::size_t> used(images_.size());
    for (int turn = 0; turn < steps; ++turn)
      for (int from = 0; from < t_.size(); ++from) {
        Step step;
        step.kind = static_cast<Kind>(dice_.below(9));
        step.from = from;
        step.to = static_cast<int>(dice_.below(images_.size()));
        step.shape = static_cast<int>(dice_.below(3));
        step.is_started = dice_.below(2) == 1;
        step.value = dice_.below(1U << 30);
        const bool moves = step.kind <= Kind::get;
        if (moves && used[index(step.to)] == chunks)
          step.kind = Kind::pause;
        else if (moves)
          step.begin = chunk * used[index(step.to)]++;
        step.places = places_of(step.shape, chunk);
        foresee(step);
        steps_.push_back(step);
      }
  }

  void foresee(const Step& step) {
    Image& there = image(step.to);
    if (step.kind <= Kind::fenced)
      for (std::size_t i = 0; i < step.places.size(); ++i)
        there.words[step.begin + step.places[i]] = data(step, i);
    if (step.kind == Kind::signaled)
      ++there.signals[index(step.from)];
    if (step.kind == Kind::fenced)
      ++there.flags[index(step.from)];
    if (step.kind == Kind::add) {
      there.counters[step.value % 2] += step.value;
      there.halves[0] += static_cast<std::uint32_t>(step.value);
    }
    if (step.kind == Kind::count)
      counted_ += there.counters[2]++ + there.halves[1]++;
    if (step.kind == Kind::swap)
      there.counters[4 + index(step.from)] = step.value;
    if (step.kind == Kind::compare && there.counters[4 + most_ranks + index(step.from)] % 2 == step.value % 2)
      ++there.counters[4 + most_ranks + index(step.from)];
  }

  void make(const Step& step) {
    switch (step.kind) {
    case Kind::put:
    case Kind::signaled:
    case Kind::fenced:
      make_put(step);
      break;
    case Kind::get:
      make_get(step);
      break;
    case Kind::add:
      t_.add(counters_, step.to, step.value % 2, step.value);
      t_.start().add(halves_, step.to, 0, static_cast<std::uint32_t>(step.value));
      break;
    case Kind::count:
      make_count(step);
      break;
    case Kind::swap: {
      Word& known = swapped_[index(step.to)];
      Word before = 0;
      t_.swap(counters_, step.to, 4 + index(t_.rank()), step.value, before);
      expect(before == known, "a swap gives another word");
      known = step.value;
      break;
    }
    case Kind::compare:
      make_compare(step);
      break;
    case Kind::pause:
      std::this_thread::sleep_for(std::chrono::microseconds(step.value % 100));
    }
  }

  template <typename On>
  auto put(On& on, const Step& step, const std::vector<Word>& from, const thalweg::signal& then) {
    if (step.shape == 0)
      return on.put(words_, step.to, step.begin, std::span<const Word>(from), then);
    if (step.shape == 1)
      return on.put(words_, step.to, thalweg::strided{step.begin, 1, from.size(), 2},
                    std::span<const Word>(from), then);
    return on.put(words_, step.to, std::span<const std::size_t>(in_memory(step)), std::span<const Word>(from),
                  then);
  }
  static std::vector<std::size_t> in_memory(const Step& step) {
    std::vector<std::size_t> places = step.places;
    for (std::size_t& place : places)
      place += step.begin;
    return places;
  }

  void make_put(const Step& step) {
    std::vector<Word>& from = kept_.emplace_back(step.places.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = data(step, i);
    const std::size_t own = index(t_.rank());
    const thalweg::signal then =
        step.kind == Kind::signaled ? thalweg::add_signal(signals_, own, 1) : thalweg::signal{};
    if (step.is_started) {
      thalweg::team_starter starter = t_.start();
      started_.push_back(put(starter, step, from, then));
    } else {
      put(t_, step, from, then);
      std::ranges::fill(from, 0); // it is this rank's again
    }
    if (step.kind != Kind::fenced)
      return;
    if (!fault_.is("fence"))
      t_.fence();
    const Word flag = ++raised_[index(step.to)];
    t_.put(flags_, step.to, own, std::span(&flag, 1));
  }

  void make_get(const Step& step) {
    std::vector<Word>& to = kept_.emplace_back(step.places.size());
    thalweg::request one =
        step.shape == 0 ? t_.start().get(words_, step.to, step.begin, to)
        : step.shape == 1
            ? t_.start().get(words_, step.to, thalweg::strided{step.begin, 1, to.size(), 2}, to)
            : t_.start().get(words_, step.to, std::span<const std::size_t>(in_memory(step)), to);
    if (!fault_.is("request"))
      one.wait();
    bool is_right = true;
    for (std::size_t i = 0; i < to.size(); ++i)
      is_right = is_right && to[i] == image(step.to).words[step.begin + step.places[i]];
    one.wait();
    expect(is_right, "a get gives something else");
  }

  void make_count(const Step& step) {
    Word before = 0;
    std::uint32_t half = 0;
    if (fault_.is("atomic")) {
      t_.get(counters_, step.to, 2, std::span(&before, 1));
      std::this_thread::yield();
      const Word after = before + 1;
      t_.put(counters_, step.to, 2, std::span(&after, 1));
    } else {
      t_.fetch_add(counters_, step.to, 2, 1, before);
    }
    t_.start().fetch_add(halves_, step.to, 1, 1, half).wait();
    before_ += before + half;
  }

  // Odd and even numbers meet by chance.
  void make_compare(const Step& step) {
    Word& known = compared_[index(step.to)];
    const Word expected = known % 2 == step.value % 2 ? known : known + 1;
    Word before = 0;
    t_.compare_swap(counters_, step.to, 4 + most_ranks + index(t_.rank()), expected, known + 1, before);
    expect(before == known, "a compare-and-swap gives another word");
    known += expected == known ? 1 : 0;
  }

  void look_at_signals() {
    Image& own = image(t_.rank());
    for (int from = 0; from < t_.size() && !fault_.is("signal"); ++from) {
      t_.wait(signals_, index(from), thalweg::condition::greater_equal, own.signals[index(from)]);
      t_.wait(flags_, index(from), thalweg::condition::equal, own.flags[index(from)]);
    }
    for (const Step& step : steps_)
      if (step.to == t_.rank() && (step.kind == Kind::signaled || step.kind == Kind::fenced))
        for (const std::size_t place : step.places)
          if (words_[step.begin + place] != own.words[step.begin + place])
            return expect(false, step.kind == Kind::signaled ? "data comes after its signal"
                                                             : "data comes after a flag behind a fence");
  }

  void end_round() {
    const Word way = dice_.below(4);
    if (fault_.is("quiet")) {
      t_.allreduce(1, MPI_SUM);
    } else if (way == 0) {
      t_.barrier();
    } else if (way == 1) {
      t_.quiet();
      t_.allreduce(1, MPI_SUM);
    } else if (way == 2) {
      t_.start().barrier().wait();
    } else {
      std::vector<int> any(3);
      t_.broadcast(std::span(any), 0, thalweg::strict);
    }
    kept_.clear();
  }

  void check() {
    Image& own = image(t_.rank());
    expect(std::ranges::equal(words_, own.words), "words are others at the end of a round");
    expect(std::ranges::equal(counters_, own.counters), "counters are others at the end of a round");
    expect(std::ranges::equal(halves_, own.halves), "halves are others at the end of a round");
    expect(t_.allreduce(before_, MPI_SUM) == counted_, "two ranks have counted the same");
    if (fault_.name.empty())
      return;
    t_.barrier();
    std::ranges::copy(own.words, words_.begin()); // so that each round is judged alone
    std::ranges::copy(own.counters, counters_.begin());
    std::ranges::copy(own.halves, halves_.begin());
    t_.barrier();
  }

  /// A broadcast, and then puts into what others have got: none may be lost.
  void strict_broadcast() {
    constexpr std::size_t root = 0;
    std::ranges::fill(shared_, 0);
    if (t_.rank() == static_cast<int>(root))
      std::ranges::fill(shared_, index(number_));
    const Word own = 1000 + index(t_.rank());
    const auto after = fault_.is("strict") ? thalweg::synchronization::mine : thalweg::synchronization::all;
    t_.barrier();
    std::this_thread::sleep_for(std::chrono::microseconds(dice_.below(4) * 100 * index(t_.rank())));
    t_.broadcast(shared_.span(), static_cast<int>(root), {thalweg::synchronization::all, after});
    for (int to = 0; to < t_.size(); ++to)
      t_.put(shared_, to, index(t_.rank()), std::span(&own, 1));
    t_.barrier();
    bool is_right = shared_[most_ranks] == index(number_);
    for (int from = 0; from < t_.size(); ++from)
      is_right = is_right && shared_[index(from)] == 1000 + index(from);
    expect(is_right, "a broadcast overwrites what was put after it");
    t_.barrier();
  }

  void expect(bool is_right, const char* otherwise) {
    if (is_right)
      return;
    require(!fault_.name.empty(), "round %d on %d ranks: %s", number_, t_.size(), otherwise);
    ++fault_.found;
  }

  team& t_;
  Dice dice_;
  Fault& fault_;
  std::vector<Image> images_;
  thalweg::symmetric_memory<Word> words_;
  thalweg::symmetric_memory<Word> counters_;
  thalweg::symmetric_memory<std::uint32_t> halves_;
  thalweg::symmetric_memory<Word> signals_;
  thalweg::symmetric_memory<Word> flags_;
  thalweg::symmetric_memory<Word> shared_;
  std::vector<Step> steps_;
  std::deque<std::vector<Word>> kept_; ///< data of operations under way
  std::vector<thalweg::request> started_;
  std::array<Word, most_ranks> raised_{};   ///< by whom: the flags
  std::array<Word, most_ranks> swapped_{};  ///< what this rank's words there are
  std::array<Word, most_ranks> compared_{}; ///< the same
  Word before_ = 0;                         ///< what counts have given
  Word counted_ = 0;                        ///< what all are to give
  int number_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    team part = all.split(all.rank() % 2);
    Fault fault{argc > 1 ? argv[1] : "", 0};
    const Word programs = fault.name.empty() ? checks::random_programs(12, 10) : 400;
    int found = 0;
    for (Word seed = 0; seed < programs && found == 0; ++seed) {
      team& on = seed % 4 == 3 && fault.name.empty() ? part : all;
      Program(on, seed, fault).run(6);
      found = fault.name.empty() ? 0 : all.allreduce(fault.found, MPI_SUM);
    }
    require(fault.name.empty() || found > 0, "nobody notices the fault %s", fault.name.c_str());
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}
