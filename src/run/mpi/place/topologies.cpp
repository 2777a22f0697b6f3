// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/topologies.hpp"

#include "mpi/abi/library_api.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/place/numbering.hpp"
#include "mpi/wait/polling.hpp"
#include "transport/mpi/communicator_group.hpp"

#include <algorithm>
#include <array>

// MPICH's are data. Processes without MPI are to start with the interposer too, as nobody asks for weights
// there.
#ifndef MPI_UNWEIGHTED
#pragma weak MPI_UNWEIGHTED
#pragma weak MPI_WEIGHTS_EMPTY
#endif

namespace thalweg::mpi {

namespace {

using Edges = std::vector<pattern::Edge>;

// A communicator of one call's making: freed with the call.
class OrderedCommunicator {
public:
  OrderedCommunicator(MPI_Comm comm, const std::optional<Edges>& edges) : order_(agreed_order(comm, edges)) {
    if (!order_.empty())
      comm_ = in_order(comm, order_);
  }
  ~OrderedCommunicator() {
    if (comm_ != MPI_COMM_NULL)
      native.Comm_free(&comm_);
  }
  OrderedCommunicator(const OrderedCommunicator&) = delete;
  OrderedCommunicator& operator=(const OrderedCommunicator&) = delete;

  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm get() const { return comm_; }
  // Of a new rank.
  int old_rank_of(int rank) const { return order_[static_cast<std::size_t>(rank)]; }
  int new_rank_of(int old) const { return static_cast<int>(std::ranges::find(order_, old) - order_.begin()); }

private:
  place::Slots order_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int size_of(MPI_Comm comm) {
  return find_communicator(comm)->size;
}

// Each to its neighbors in all dimensions; the last dimension varies fastest, as in MPI. Nothing where the
// library will complain.
std::optional<Edges> grid_edges(MPI_Comm comm, int ndims, const int dims[], const int periods[]) {
  if (ndims < 1 || dims == nullptr || periods == nullptr)
    return std::nullopt;
  std::int64_t places = 1;
  for (int dimension = 0; dimension < ndims; ++dimension) {
    if (dims[dimension] < 1 || (places *= dims[dimension]) > size_of(comm))
      return std::nullopt;
  }
  Edges edges;
  std::int64_t stride = 1;
  for (int dimension = ndims - 1; dimension >= 0; --dimension) {
    const int extent = dims[dimension];
    for (std::int64_t place = 0; place < places; ++place) {
      const std::int64_t at = place / stride % extent;
      if (at + 1 == extent && (periods[dimension] == 0 || extent < 2))
        continue;
      const std::int64_t next = place + ((at + 1) % extent - at) * stride;
      edges.push_back({static_cast<std::int32_t>(place), static_cast<std::int32_t>(next), 1, 1});
      edges.push_back({static_cast<std::int32_t>(next), static_cast<std::int32_t>(place), 1, 1});
    }
    stride *= extent;
  }
  return edges;
}

std::optional<Edges> graph_edges(MPI_Comm comm, int nnodes, const int index[], const int edges[]) {
  if (nnodes < 1 || nnodes > size_of(comm) || index == nullptr || edges == nullptr)
    return std::nullopt;
  Edges found;
  for (int node = 0, edge = 0; node < nnodes; ++node) {
    for (; edge < index[node]; ++edge) {
      if (edges[edge] < 0 || edges[edge] >= nnodes)
        return std::nullopt;
      found.push_back({node, edges[edge], 1, 1});
    }
  }
  return found;
}

// From rows of (from, to, weight); an edge out of bounds means that the library will complain.
std::optional<Edges> edges_of(const std::vector<int>& rows, int ranks) {
  Edges edges;
  for (std::size_t row = 0; row + 2 < rows.size(); row += 3) {
    const auto inside = [&](int rank) { return rank >= 0 && rank < ranks; };
    if (!inside(rows[row]) || !inside(rows[row + 1]) || rows[row + 2] < 0)
      return std::nullopt;
    edges.push_back({rows[row], rows[row + 1], static_cast<double>(rows[row + 2]), 1});
  }
  return edges;
}

bool has_weights(const int weights[]) {
  return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY && weights != nullptr;
}

// What a process says of its rank, and has to say for another one.
struct Adjacency {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool is_weighted = false;

  std::array<int, 3> lengths() const {
    return {static_cast<int>(sources.size()), static_cast<int>(destinations.size()), is_weighted ? 1 : 0};
  }
  std::vector<int> packed() const {
    std::vector<int> all;
    for (const std::vector<int>* part : {&sources, &source_weights, &destinations, &destination_weights})
      all.insert(all.end(), part->begin(), part->end());
    return all;
  }
  void unpack(const std::vector<int>& all, const std::array<int, 3>& lengths_of) {
    is_weighted = lengths_of[2] != 0;
    auto from = all.begin();
    const auto take = [&](std::vector<int>& part, int length) {
      part.assign(from, from + length);
      from += length;
    };
    take(sources, lengths_of[0]);
    take(source_weights, is_weighted ? lengths_of[0] : 0);
    take(destinations, lengths_of[1]);
    take(destination_weights, is_weighted ? lengths_of[1] : 0);
  }
};

void swap_numbers(MPI_Comm comm, const int* out, int out_length, int to, int* in, int in_length, int from) {
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  native.Irecv(in, in_length, MPI_INT, from, 0, comm, &receive);
  native.Isend(out, out_length, MPI_INT, to, 0, comm, &send);
  poll_request(&receive, MPI_STATUS_IGNORE);
  poll_request(&send, MPI_STATUS_IGNORE);
}

// What the process whose rank was the one that this process has now said of it.
Adjacency of_new_rank(const OrderedCommunicator& ordered, const Adjacency& own, int old_rank) {
  const int new_rank = ordered.new_rank_of(old_rank);
  const int from = ordered.new_rank_of(new_rank); // where the one that had it is now
  std::array<int, 3> lengths{};
  const std::array<int, 3> own_lengths = own.lengths();
  swap_numbers(ordered.get(), own_lengths.data(), 3, old_rank, lengths.data(), 3, from);
  const int times = lengths[2] != 0 ? 2 : 1;
  std::vector<int> all(static_cast<std::size_t>((lengths[0] + lengths[1]) * times));
  const std::vector<int> packed = own.packed();
  swap_numbers(ordered.get(), packed.data(), static_cast<int>(packed.size()), old_rank, all.data(),
               static_cast<int>(all.size()), from);
  Adjacency result;
  result.unpack(all, lengths);
  return result;
}

#ifdef THALWEG_FAMILY_OPENMPI
// The same processes on a communicator that has run no collectives, or the program's own where there can be
// none. Open MPI 4.1 sends a graph's edges with tags -50 and -51. Its nonblocking collectives count down from
// -27 on each communicator, so after 23 of them ranks take one's messages for the other's, and wait for ever.
// Programs get there sooner with us, as our waits make nonblocking calls of blocking ones.
class QuietCommunicator {
public:
  explicit QuietCommunicator(MPI_Comm comm) {
    const CommunicatorState* const communicator = find_communicator(comm);
    if (communicator == nullptr || !communicator->agreed || communicator->inter)
      return;
    const transport::CommunicatorGroup group(library_api(), comm);
    if (!group.is_known() || native.Comm_create(comm, group.get(), &comm_) != MPI_SUCCESS)
      comm_ = MPI_COMM_NULL;
  }
  ~QuietCommunicator() {
    if (comm_ != MPI_COMM_NULL)
      native.Comm_free(&comm_);
  }
  QuietCommunicator(const QuietCommunicator&) = delete;
  QuietCommunicator& operator=(const QuietCommunicator&) = delete;

  MPI_Comm or_else(MPI_Comm comm) const { return comm_ != MPI_COMM_NULL ? comm_ : comm; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};
#else
struct QuietCommunicator {
  explicit QuietCommunicator(MPI_Comm /*comm*/) {}
  static MPI_Comm or_else(MPI_Comm comm) { return comm; }
};
#endif

} // namespace

int make_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                     MPI_Comm* newcomm) {
  if (may_reorder(comm, reorder)) {
    if (const OrderedCommunicator ordered(comm, grid_edges(comm, ndims, dims, periods)); ordered)
      return native.Cart_create(ordered.get(), ndims, dims, periods, 0, newcomm);
    reorder = 0;
  }
  return native.Cart_create(comm, ndims, dims, periods, reorder, newcomm);
}

int make_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                      MPI_Comm* newcomm) {
  if (may_reorder(comm, reorder)) {
    if (const OrderedCommunicator ordered(comm, graph_edges(comm, nnodes, index, edges)); ordered)
      return native.Graph_create(ordered.get(), nnodes, index, edges, 0, newcomm);
    reorder = 0;
  }
  return native.Graph_create(comm, nnodes, index, edges, reorder, newcomm);
}

int make_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info info, int reorder,
                           MPI_Comm* newcomm) {
  if (may_reorder(comm, reorder)) {
    std::vector<int> rows;
    for (int source = 0, edge = 0; source < n; ++source) {
      for (int degree = 0; degree < degrees[source]; ++degree, ++edge)
        rows.insert(rows.end(),
                    {sources[source], destinations[edge], has_weights(weights) ? weights[edge] : 1});
    }
    if (const OrderedCommunicator ordered(comm, edges_of(gathered(comm, rows), size_of(comm))); ordered)
      return native.Dist_graph_create(ordered.get(), n, sources, degrees, destinations, weights, info, 0,
                                      newcomm);
    reorder = 0;
  }
  const QuietCommunicator unused(comm);
  return native.Dist_graph_create(unused.or_else(comm), n, sources, degrees, destinations, weights, info,
                                  reorder, newcomm);
}

int make_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree, const int destinations[],
                                    const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm) {
  if (may_reorder(comm, reorder)) {
    const int rank = find_communicator(comm)->rank;
    Adjacency own;
    own.is_weighted = (indegree > 0 && has_weights(sourceweights)) ||
                      (outdegree > 0 && has_weights(destweights)) || sourceweights == MPI_WEIGHTS_EMPTY ||
                      destweights == MPI_WEIGHTS_EMPTY;
    std::vector<int> rows;
    for (int edge = 0; edge < indegree; ++edge) {
      own.sources.push_back(sources[edge]);
      if (own.is_weighted)
        own.source_weights.push_back(sourceweights[edge]);
    }
    for (int edge = 0; edge < outdegree; ++edge) {
      const int weight = own.is_weighted ? destweights[edge] : 1;
      own.destinations.push_back(destinations[edge]);
      if (own.is_weighted)
        own.destination_weights.push_back(weight);
      rows.insert(rows.end(), {rank, destinations[edge], weight});
    }
    if (const OrderedCommunicator ordered(comm, edges_of(gathered(comm, rows), size_of(comm))); ordered) {
      const Adjacency mine = of_new_rank(ordered, own, rank);
      const auto weights_of = [&](const std::vector<int>& weights) -> const int* {
        return !mine.is_weighted ? MPI_UNWEIGHTED : weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
      };
      return native.Dist_graph_create_adjacent(
          ordered.get(), static_cast<int>(mine.sources.size()), mine.sources.data(),
          weights_of(mine.source_weights), static_cast<int>(mine.destinations.size()),
          mine.destinations.data(), weights_of(mine.destination_weights), info, 0, newcomm);
    }
    reorder = 0;
  }
  return native.Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree, destinations,
                                           destweights, info, reorder, newcomm);
}

} // namespace thalweg::mpi
