// SPDX-License-Identifier: BSD-3-Clause

/// Particles walk through a tree whose nodes other ranks hold: requests, replies, more requests; see
/// README.md.

#include "common/mpi_session.hpp"
#include "common/ways.hpp"
#include "requests/walks.hpp"

#include <fmt/format.h>
#include <thread>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::requests;

/// On a stream.
void walk(Walks& walks, std::uint64_t at_once, thalweg::stream_options const& options,
          MPI_Comm communicator) {
  using Lookup = thalweg::query<Node, Moment, Visit>;
  thalweg::stream<Lookup>* self = nullptr;
  auto const ask = [&](int rank, Visit const& visit) { self->ask(rank, visit.node, visit); };
  thalweg::stream<Lookup> nodes(
      communicator,
      thalweg::handlers{[&](Node node) { return walks.answer(node); },
                        [&](Moment const& moment, Visit const& visit) { walks.take(visit, moment, ask); }},
      options);
  self = &nodes;
  for (std::uint32_t particle = 0; particle < walks.size(); ++particle) {
    nodes.wait_for_answers(at_once);
    walks.start(particle, ask);
  }
  nodes.finish();
}

/// By hand, what travels says whose it is.
struct Request {
  Node node = 0;
  std::uint32_t particle = 0;
  std::int32_t from = 0;
};
static_assert(sizeof(Request) == 16);
struct Reply {
  Node node = 0;
  std::uint32_t particle = 0;
  Moment moment;
};
static_assert(sizeof(Reply) == 32);

/// Takes in what has come. Where nothing has, the others wait for what is in buffers here.
void wait_for_replies(Walks const& walks, Aggregator<Request>& requests, Aggregator<Reply>& replies) {
  std::uint64_t const before = walks.handled();
  requests.progress();
  replies.progress();
  if (walks.handled() != before)
    return;
  requests.flush();
  replies.flush();
  std::this_thread::yield(); // ranks may be more than cores
}

void walk(Walks& walks, std::uint64_t at_once, AggregatorOptions const& options, Group const& world) {
  Aggregator<Reply>* to_askers = nullptr;
  auto const answer = [&](std::span<Request const> some) {
    for (Request const& one : some)
      to_askers->send(one.from, {one.node, one.particle, walks.answer(one.node)});
  };
  Aggregator<Request> requests(world.communicator, answer, options);
  auto const ask = [&](int rank, Visit const& visit) {
    requests.send(rank, {visit.node, visit.particle, world.rank});
  };
  auto const take = [&](std::span<Reply const> some) {
    for (Reply const& one : some)
      walks.take({one.node, one.particle}, one.moment, ask);
  };
  Aggregator<Reply> replies(world.communicator, take, options);
  to_askers = &replies;
  for (std::uint32_t particle = 0; particle < walks.size(); ++particle) {
    while (walks.outstanding() > at_once)
      wait_for_replies(walks, requests, replies);
    walks.start(particle, ask);
  }
  while (walks.outstanding() > 0)
    wait_for_replies(walks, requests, replies);
  // Nobody waits for this rank's requests any more, but others may wait for its replies.
  for (auto ending = requests.start_finish(); !ending.test(); std::this_thread::yield())
    replies.flush();
  replies.finish();
}

/// All walks of this rank, while it answers others. Gives its seconds.
double walk(Walks& walks, std::uint64_t at_once, Way const& way, Group const& world) {
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  if (way.is_stream)
    walk(walks, at_once, way.stream, world.communicator);
  else
    walk(walks, at_once, way.by_hand, world);
  return MPI_Wtime() - begin_s;
}

/// The same by one rank that holds the whole tree.
std::uint64_t hash_alone(std::uint64_t seed, std::uint32_t particles, int depth, int theta_percent) {
  Tree const tree(seed, particles, depth, 1, 0);
  Walks walks(tree, 0, theta_percent);
  for (std::uint32_t particle = 0; particle < walks.size(); ++particle)
    walks.start(particle, [](int, Visit const&) {});
  return walks.hash();
}

template <typename Number>
Number reduce(Number mine, MPI_Datatype type, MPI_Op operation, Group const& world) {
  Number all{};
  MPI_Allreduce(&mine, &all, 1, type, operation, world.communicator);
  return all;
}

bool run(Group const& world, Options const& options) {
  auto const particles = static_cast<std::uint32_t>(options.integer("particles", 1, 1 << 27));
  int const depth = static_cast<int>(options.integer("depth", 1, 9));
  int const theta_percent = static_cast<int>(options.integer("theta-percent", 1, 1000));
  auto const at_once = static_cast<std::uint64_t>(options.integer("outstanding", 0, INT64_MAX));
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;

  Tree const tree(seed, particles, depth, world.ranks, world.rank);
  Walks walks(tree, world.rank, theta_percent);
  double const mine_s = walk(walks, at_once, way_of(options), world);
  double const seconds = reduce(mine_s, MPI_DOUBLE, MPI_MAX, world);
  std::uint64_t const hash = reduce(walks.hash(), MPI_UINT64_T, MPI_SUM, world);
  std::uint64_t const handled = reduce(walks.handled(), MPI_UINT64_T, MPI_SUM, world);
  int right = 1;
  if (verifies && world.rank == 0)
    right = hash_alone(seed, particles, depth, theta_percent) == hash ? 1 : 0;
  MPI_Bcast(&right, 1, MPI_INT, 0, world.communicator);
  if (world.rank == 0) {
    fmt::print("answer: particles={} depth={} right={} hash={:016x}\n", particles, depth,
               !verifies    ? "?"
               : right != 0 ? "yes"
                            : "NO",
               hash);
    fmt::print("time: ranks={} way={} seconds={:.6f} requests={}\n", world.ranks, options.text("way"),
               seconds, handled / 2);
  }
  return right != 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("particles", "20000", "particles")
      .add("depth", "5", "of the tree: it has 8 to this power leaves")
      .add("theta-percent", "70", "a node counts as a point beyond its side / theta")
      .add("outstanding", "4096", "replies that a rank waits for before it begins no further walk")
      .add("seed", "1", "seed of the particles")
      .add("verify", "yes", "rank 0 does the same alone and compares, or no");
  add_way_options(options);
  return run_example(argc, argv, options, run);
}
