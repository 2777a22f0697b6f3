// SPDX-License-Identifier: BSD-3-Clause

// Breadth-first search of an R-MAT graph, level by level: an item visits a vertex and names who sent it.
// Compared with what one rank finds alone.

#include "aggregator.hpp"
#include "bulk.hpp"
#include "cases.hpp"
#include "graph.hpp"
#include "thalweg/stream.hpp"

#include <utility>
#include <vector>

namespace thalweg::bench {

namespace {

struct Visit {
  std::uint32_t row, parent;
};

constexpr std::uint32_t nobody = UINT32_MAX;

/// The vertices of the ranks `rank`, `rank + ranks`, …, and who found them.
class Search {
public:
  Search(const Options& options, int rank, int ranks)
      : graph_(options.scale, options.edge_factor, rank, ranks), parents_(graph_.rows(), nobody),
        root_(root_of_graph(options.scale)), rank_(static_cast<std::uint32_t>(rank)),
        ranks_(static_cast<std::uint32_t>(ranks)) {}

  void visit(const Visit& visit) {
    if (parents_[visit.row] != nobody)
      return;
    parents_[visit.row] = visit.parent;
    found_.push_back(visit.row);
  }

  /// `count_all` adds up a number over all ranks that search. `send_all(count, make)` sends a level's visits.
  template <typename Count, typename Send>
  void run(Count count_all, Send send_all) {
    if (root_ % ranks_ == rank_)
      visit({root_ / ranks_, root_});
    for (Word level = 1; count_all(found_.size()) != 0; ++level) {
      frontier_ = std::exchange(found_, {});
      std::size_t count = 0;
      for (const std::uint32_t row : frontier_) {
        sum_ += mixed(vertex(row)) * level;
        count += graph_.neighbors(row).size();
      }
      visits_ += count;
      send_all(count, [this, row = std::size_t{0}, neighbor = std::size_t{0}]() mutable {
        while (neighbor == graph_.neighbors(frontier_[row]).size())
          ++row, neighbor = 0;
        const std::uint32_t to = graph_.neighbors(frontier_[row])[neighbor++];
        return std::pair(static_cast<int>(to % ranks_), Visit{to / ranks_, vertex(frontier_[row])});
      });
    }
  }

  Word visits() const { return visits_; }
  /// It depends on the level of each vertex, not on which of several parents it has.
  Word take_sum() {
    parents_.assign(parents_.size(), nobody);
    return std::exchange(sum_, 0);
  }

private:
  std::uint32_t vertex(std::uint32_t row) const { return row * ranks_ + rank_; }

  Graph graph_;
  std::vector<std::uint32_t> parents_, found_, frontier_;
  std::uint32_t root_, rank_, ranks_;
  Word sum_ = 0, visits_ = 0;
};

struct Answer {
  Word sum, visits;
};

Answer serial_answer(const Options& options) {
  Answer answer{};
  if (own_rank == 0) {
    Search search(options, 0, 1);
    search.run([](std::size_t found) { return found; },
               [&](std::size_t count, auto make) {
                 for (std::size_t number = 0; number < count; ++number)
                   search.visit(make().second);
               });
    answer = {search.take_sum(), search.visits()};
  }
  MPI_Bcast(&answer, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return answer;
}

} // namespace

void visits(const Options& options) {
  const auto [expected, all_visits] = serial_answer(options);
  Search search(options, own_rank, all_ranks);
  const auto visit = [&](const Visit& item) { search.visit(item); };
  thalweg::stream<Visit> stream(MPI_COMM_WORLD, visit);
  by_hand::Aggregator<Visit> aggregator(MPI_COMM_WORLD, [&](std::span<const Visit> items) {
    for (const Visit& item : items)
      visit(item);
  });
  Bulk<Visit> bulk;
  const auto send_through = [](auto& through) {
    return [&through](std::size_t count, auto make) {
      for (std::size_t number = 0; number < count; ++number) {
        const auto [rank, item] = make();
        through.send(rank, item);
      }
      through.finish();
    };
  };
  const auto send_in_bulk = [&](std::size_t count, auto make) { bulk.run(count, make, visit); };
  measure(
      "visits/8", options.rounds, static_cast<double>(all_visits) / all_ranks,
      {{"stream", [&] { search.run(sum_of_ranks, send_through(stream)); }},
       {"aggregator", [&] { search.run(sum_of_ranks, send_through(aggregator)); }},
       {"bulk", [&] { search.run(sum_of_ranks, send_in_bulk); }}},
      [&] { return search.take_sum(); }, &expected);
}

} // namespace thalweg::bench
