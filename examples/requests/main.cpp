/// Particles walk through a tree whose nodes other ranks hold: requests, replies, more requests; see
/// README.md.

#include <thread>

#include <fmt/format.h>

#include "common/mpi_session.hpp"
#include "common/ways.hpp"
#include "requests/walks.hpp"

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::requests;

/// Takes in what has come. Where nothing has, the others wait for what is in buffers here.
template <typename Requests, typename Replies>
void wait_for_replies(Walks const& walks, Requests& requests, Replies& replies) {
  std::uint64_t const before = walks.handled();
  requests.progress();
  replies.progress();
  if (walks.handled() != before)
    return;
  requests.flush();
  replies.flush();
  std::this_thread::yield(); // ranks may be more than cores
}

/// All walks of this rank, while it answers others. Gives its seconds.
template <typename Requests, typename Replies>
double walk(Walks& walks, Requests& requests, Replies& replies, std::uint64_t at_once, Group const& world) {
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  for (std::uint32_t particle = 0; particle < walks.size(); ++particle) {
    while (walks.outstanding() > at_once)
      wait_for_replies(walks, requests, replies);
    walks.start(particle, [&](int rank, Request const& one) { requests.send(rank, one); });
  }
  while (walks.outstanding() > 0)
    wait_for_replies(walks, requests, replies);
  // Nobody waits for this rank's requests any more, but others may wait for its replies.
  for (auto ending = requests.start_finish(); !ending.test(); std::this_thread::yield())
    replies.flush();
  replies.finish();
  return MPI_Wtime() - begin_s;
}

double walk(Walks& walks, std::uint64_t at_once, Way const& way, Group const& world) {
  if (way.is_stream) {
    thalweg::stream<Reply>* to_askers = nullptr;
    thalweg::stream<Request> requests(
        world.communicator, [&](Request const& one) { to_askers->send(one.from, walks.answer(one)); },
        way.stream);
    auto const ask = [&](int rank, Request const& one) { requests.send(rank, one); };
    thalweg::stream<Reply> replies(
        world.communicator, [&](Reply const& one) { walks.take(one, ask); }, way.stream);
    to_askers = &replies;
    return walk(walks, requests, replies, at_once, world);
  }
  Aggregator<Reply>* to_askers = nullptr;
  Aggregator<Request> requests(
      world.communicator,
      [&](std::span<Request const> some) {
        for (Request const& one : some)
          to_askers->send(one.from, walks.answer(one));
      },
      way.by_hand);
  auto const ask = [&](int rank, Request const& one) { requests.send(rank, one); };
  Aggregator<Reply> replies(
      world.communicator,
      [&](std::span<Reply const> some) {
        for (Reply const& one : some)
          walks.take(one, ask);
      },
      way.by_hand);
  to_askers = &replies;
  return walk(walks, requests, replies, at_once, world);
}

/// The same by one rank that holds the whole tree.
std::uint64_t hash_alone(std::uint64_t seed, std::uint32_t particles, int depth, int theta_percent) {
  Tree const tree(seed, particles, depth, 1, 0);
  Walks walks(tree, 0, theta_percent);
  for (std::uint32_t particle = 0; particle < walks.size(); ++particle)
    walks.start(particle, [](int, Request const&) {});
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
