// SPDX-License-Identifier: BSD-3-Clause
#include "model/closed_forms.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>

namespace thalweg::model {

namespace {

using schedule::Operation;
using schedule::Problem;

int stages_of(const Problem& problem, std::int64_t radix = 2) {
  return ceil_log(radix, problem.ranks);
}

/// P - 1 rounds of one message.
double one_by_one(const MessageTerms& terms, const Problem& problem, std::int64_t bytes, Handling handling) {
  return static_cast<double>(problem.ranks - 1) * terms.round(1, bytes, handling);
}

/// Rounds of radix - 1 messages, of `bytes`, radix times `bytes`, .. until every rank has every block.
double growing(const MessageTerms& terms, const Problem& problem, std::int64_t radix, std::int64_t bytes) {
  double time = 0;
  for (std::int64_t unit = 1; unit < problem.ranks; unit *= radix)
    time += terms.round(std::min(radix - 1, ceil_divide(problem.ranks - unit, unit)), unit * bytes);
  return time;
}

/// Rounds of one message each, of half of all bytes, a quarter, .. down to a rank's part, summed up.
double halving(const MessageTerms& terms, const Problem& problem, std::int64_t all_bytes, Handling handling) {
  double time = 0;
  for (int stage = 1; stage <= stages_of(problem); ++stage)
    time += terms.round(1, all_bytes >> stage, handling);
  return time;
}

/// A virtual mesh of so many dimensions with sides as long as those of the next full one.
struct Mesh {
  std::int64_t ranks;
  int dimensions;
  std::int64_t side = ceil_root(ranks, dimensions);

  bool has_holes() const { return power(side, dimensions) != ranks; }
  /// Units that a rank has received in the end of the last but one dimension, by all-gather.
  std::int64_t units_before_last() const { return power(side, dimensions - 1) - 1; }
};

/// Units that a rank sends in a phase. With holes some ranks stand in for others: they get one or two
/// messages more in two dimensions, and two more in each of the first two phases in three.
double units_sent(const Mesh& mesh) {
  const auto ranks = static_cast<double>(mesh.ranks);
  const auto plane = static_cast<double>(power(mesh.side, mesh.dimensions - 1));
  if (!mesh.has_holes())
    return ranks - plane;
  return mesh.dimensions == 2 ? ranks : ranks + plane / 3;
}

/// Units that a rank receives in all phases together.
std::int64_t units_gathered(const Mesh& mesh) {
  if (!mesh.has_holes())
    return mesh.ranks - 1;
  return mesh.dimensions == 2 ? mesh.ranks + 1 : mesh.ranks + 2 * mesh.side;
}

std::int64_t bytes_of(double units, const Problem& problem) {
  return static_cast<std::int64_t>(units * static_cast<double>(problem.unit_bytes));
}

/// A phase for each dimension of a mesh, in each a message to every other rank of the row.
double mesh_alltoall(const MessageTerms& terms, const Problem& problem, int dimensions) {
  const Mesh mesh{problem.ranks, dimensions};
  const std::int64_t messages = mesh.side - 1;
  return terms.copy(problem.unit_bytes) +
         dimensions * terms.round(messages,
                                  bytes_of(units_sent(mesh) / static_cast<double>(messages), problem),
                                  Handling::packed);
}

double mesh_allgather(const MessageTerms& terms, const Problem& problem, int dimensions) {
  const Mesh mesh{problem.ranks, dimensions};
  const std::int64_t messages = mesh.side - 1;
  double time = terms.copy(problem.unit_bytes);
  for (int phase = 0; phase + 1 < dimensions; ++phase)
    time += terms.round(messages, power(mesh.side, phase) * problem.unit_bytes);
  const auto rest = static_cast<double>(units_gathered(mesh) - mesh.units_before_last());
  return time + terms.round(messages, bytes_of(rest / static_cast<double>(messages), problem));
}

double direct(const MessageTerms& terms, const Problem& problem) {
  return terms.copy(problem.unit_bytes) + terms.round(problem.ranks - 1, problem.unit_bytes);
}

double paced(const MessageTerms& terms, const Problem& problem) {
  return terms.copy(problem.unit_bytes) + one_by_one(terms, problem, problem.unit_bytes, Handling::plain);
}

double alltoall_bruck(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t radix = problem.parameter("radix");
  double time = terms.copy(problem.unit_bytes);
  for (std::int64_t unit = 1; unit < problem.ranks; unit *= radix) {
    const std::int64_t blocks = ceil_divide(problem.ranks, radix);
    const std::int64_t messages = std::min(radix - 1, ceil_divide(problem.ranks - unit, unit));
    const Handling handling = blocks > 1 ? Handling::packed : Handling::plain;
    time += terms.round(messages, std::min(blocks, problem.ranks - unit) * problem.unit_bytes, handling);
  }
  return time;
}

/// 1 where ranks are beyond the largest cube, which they fold into, else 0.
int folds(const Problem& problem) {
  return is_power_of_two(problem.ranks) ? 0 : 1;
}

/// A rank that stands for another has twice the messages and the bytes.
double alltoall_hypercube(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t bytes = bytes_of(problem.ranks / 2.0, problem);
  return terms.copy(problem.unit_bytes) +
         (1 + folds(problem)) * floor_log(2, problem.ranks) * terms.round(1, bytes, Handling::packed);
}

/// What a rank holds may lie round the end of the buffer, in two pieces.
double allgather_bruck(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t radix = problem.parameter("radix");
  double time = terms.copy(problem.unit_bytes);
  for (std::int64_t unit = 1; unit < problem.ranks; unit *= radix)
    time += terms.round(std::min(radix - 1, ceil_divide(problem.ranks - unit, unit)),
                        std::min(unit, problem.ranks - unit) * problem.unit_bytes,
                        unit > 1 ? Handling::packed : Handling::plain);
  return time;
}

double allgather_growing(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t radix = problem.parameter_or("radix", 2);
  return terms.copy(problem.unit_bytes) + growing(terms, problem, radix, problem.unit_bytes);
}

/// Messages double on the cube. To a folded rank goes all in one message, besides.
double allgather_hypercube(const MessageTerms& terms, const Problem& problem) {
  Problem cube = problem;
  cube.ranks = static_cast<std::int32_t>(power(2, floor_log(2, problem.ranks)));
  const std::int64_t beyond = problem.ranks - cube.ranks; // units that are received during the stages as well
  return terms.copy(problem.unit_bytes) + growing(terms, cube, 2, problem.unit_bytes) +
         folds(problem) * terms.round(1, (problem.ranks - 1 + beyond) * problem.unit_bytes);
}

/// Stages of a hypercube, then directly within what is left of it.
double hybrid_hypercube(const MessageTerms& terms, const Problem& problem) {
  const int direct_dimensions = std::min(static_cast<int>(problem.parameter("z")), stages_of(problem));
  Problem stages = problem;
  stages.ranks = problem.ranks >> direct_dimensions;
  return terms.copy(problem.unit_bytes) + growing(terms, stages, 2, problem.unit_bytes) +
         terms.round((1 << direct_dimensions) - 1, stages.ranks * problem.unit_bytes);
}

/// What a rank has in hand goes to k - 1 ranks around and to the next one, P / k times.
double k_prefix(const MessageTerms& terms, const Problem& problem) {
  std::int64_t k = 1;
  while (problem.ranks % (2 * k) == 0 && 2 * k <= problem.parameter("k"))
    k *= 2;
  return terms.copy(problem.unit_bytes) +
         static_cast<double>(problem.ranks / k - 1) * terms.round(k, problem.unit_bytes) +
         terms.round(k - 1, problem.unit_bytes);
}

double k_shift(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t k = std::min<std::int64_t>(problem.parameter("k"), problem.ranks);
  return terms.copy(problem.unit_bytes) +
         static_cast<double>(problem.ranks / k - 1) * terms.round(k, problem.unit_bytes) +
         terms.round(k - 1, problem.unit_bytes);
}

double neighbor_exchange(const MessageTerms& terms, const Problem& problem) {
  return terms.copy(problem.unit_bytes) + terms.round(1, problem.unit_bytes) +
         (static_cast<double>(problem.ranks) / 2 - 1) * terms.round(1, 2 * problem.unit_bytes);
}

double reduce_scatter_rounds(const MessageTerms& terms, const Problem& problem) {
  return one_by_one(terms, problem, problem.unit_bytes, Handling::combined);
}

double reduce_scatter_halving(const MessageTerms& terms, const Problem& problem) {
  return halving(terms, problem, problem.ranks * problem.unit_bytes, Handling::combined);
}

double recursive_doubling(const MessageTerms& terms, const Problem& problem) {
  return stages_of(problem) * terms.round(1, problem.unit_bytes, Handling::combined);
}

double rabenseifner(const MessageTerms& terms, const Problem& problem) {
  return halving(terms, problem, problem.unit_bytes, Handling::combined) +
         halving(terms, problem, problem.unit_bytes, Handling::plain);
}

double allreduce_ring(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t part = problem.unit_bytes / problem.ranks;
  return one_by_one(terms, problem, part, Handling::combined) +
         one_by_one(terms, problem, part, Handling::plain);
}

double dissemination(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t radix = problem.parameter_or("radix", 2);
  return growing(terms, problem, radix, 0);
}

// Ranks beyond a power fold in and out, for which these strategies have no equation here.
bool is_a_cube(const Problem& problem) {
  return is_power_of_two(problem.ranks);
}
bool is_a_power_of_the_radix(const Problem& problem) {
  const std::int64_t radix = problem.parameter("radix");
  return power(radix, ceil_log(radix, problem.ranks)) == problem.ranks;
}
bool sends_single_steps(const Problem& problem) {
  return problem.parameter("window") == 1 && problem.parameter("barrier") == 0;
}
bool has_no_barrier(const Problem& problem) {
  return problem.parameter("barrier") == 0;
}
bool has_no_barrier_and_no_rest(const Problem& problem) {
  return has_no_barrier(problem) &&
         problem.ranks % std::min<std::int64_t>(problem.parameter("k"), problem.ranks) == 0;
}
bool sends_single_steps_on_a_cube(const Problem& problem) {
  return sends_single_steps(problem) && is_a_cube(problem);
}
bool is_whole_on_a_cube(const Problem& problem) {
  return has_whole_messages(problem) && is_a_cube(problem);
}
bool is_binary_on_a_cube(const Problem& problem) {
  return problem.parameter("radix") == 2 && is_a_cube(problem);
}

constexpr std::string_view kumar_direct = "Kumar 2005, equation 3.1";
constexpr std::string_view thakur_halving = "Thakur, Rabenseifner, Gropp 2005, section 4.4";

} // namespace

std::span<const TableLine> exchange_forms() {
  static const std::vector<TableLine> lines{
      {Operation::alltoall, "direct", kumar_direct, direct},
      {Operation::alltoall, "cyclic", kumar_direct, paced, sends_single_steps},
      {Operation::alltoall, "prefix", kumar_direct, paced, sends_single_steps_on_a_cube},
      {Operation::alltoall, "bruck", "Bruck et al. 1997, section 3.2", alltoall_bruck},
      {Operation::alltoall, "hypercube", "Kumar 2005, equations 3.10, 3.12", alltoall_hypercube},
      {Operation::alltoall, "mesh2d", "Kumar 2005, equations 3.2, 3.4",
       [](const auto& terms, const auto& problem) { return mesh_alltoall(terms, problem, 2); }},
      {Operation::alltoall, "mesh3d", "Kumar 2005, equations 3.6, 3.8",
       [](const auto& terms, const auto& problem) { return mesh_alltoall(terms, problem, 3); }},
      {Operation::allgather, "direct", kumar_direct, direct},
      {Operation::allgather, "cyclic", kumar_direct, paced, sends_single_steps},
      {Operation::allgather, "prefix", "Kumar 2005, equation 4.4", paced, sends_single_steps_on_a_cube},
      {Operation::allgather, "ring", "Kumar 2005, equation 4.3; Thakur et al. 2005, section 4.1", paced,
       has_whole_messages},
      {Operation::allgather, "neighbor_exchange", "Chen, Zhang, Zhang, Yuan 2005", neighbor_exchange},
      {Operation::allgather, "bruck", "Bruck et al. 1997, section 4", allgather_bruck},
      {Operation::allgather, "hypercube", "Kumar 2005, equations 3.11, 3.13", allgather_hypercube},
      {Operation::allgather, "hybrid_hypercube", "Kumar 2005, equation 3.16", hybrid_hypercube, is_a_cube},
      {Operation::allgather, "k_prefix", "Kumar 2005, equation 4.5", k_prefix, has_no_barrier},
      {Operation::allgather, "k_shift", "Kumar 2005, equation 4.6", k_shift, has_no_barrier_and_no_rest},
      {Operation::allgather, "knomial", "Kumar 2005, equation 3.11, with a radix", allgather_growing,
       is_a_power_of_the_radix},
      {Operation::allgather, "mesh2d", "Kumar 2005, equations 3.3, 3.5, 3.14",
       [](const auto& terms, const auto& problem) { return mesh_allgather(terms, problem, 2); }},
      {Operation::allgather, "mesh3d", "Kumar 2005, equations 3.7, 3.9, 3.15",
       [](const auto& terms, const auto& problem) { return mesh_allgather(terms, problem, 3); }},
      {Operation::reduce_scatter, "pairwise", thakur_halving, reduce_scatter_rounds},
      {Operation::reduce_scatter, "ring", "Patarasuk, Yuan 2009", reduce_scatter_rounds, has_whole_messages},
      {Operation::reduce_scatter, "recursive_halving", thakur_halving, reduce_scatter_halving,
       is_binary_on_a_cube},
      {Operation::allreduce, "recursive_doubling", "Thakur, Rabenseifner, Gropp 2005, section 4.5",
       recursive_doubling, is_whole_on_a_cube},
      {Operation::allreduce, "rabenseifner", "Rabenseifner 2004; Thakur et al. 2005, section 4.5",
       rabenseifner, is_binary_on_a_cube},
      {Operation::allreduce, "ring", "Patarasuk, Yuan 2009", allreduce_ring},
      {Operation::barrier, "dissemination", "Hensgen, Finkel, Manber 1988; Nishtala 2009 (radix k)",
       dissemination},
      {Operation::barrier, "recursive_doubling", "Thakur, Rabenseifner, Gropp 2005, section 4.1",
       dissemination, is_a_cube},
  };
  return lines;
}

std::optional<ClosedForm> closed_form(std::string_view strategy, const schedule::Problem& problem,
                                      const machine::Machine& machine, machine::Level level) {
  for (const auto lines : {exchange_forms(), tree_forms()})
    for (const TableLine& line : lines) {
      if (line.operation != problem.operation || line.strategy != strategy)
        continue;
      if (problem.ranks < 2 || (line.holds != nullptr && !line.holds(problem)))
        return std::nullopt;
      return ClosedForm{line.seconds(MessageTerms(machine, level), problem), line.source};
    }
  return std::nullopt;
}

} // namespace thalweg::model
