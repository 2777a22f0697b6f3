// SPDX-License-Identifier: BSD-3-Clause

// Items of any size, of several types, in one stream: whole, in order from each rank to each, once.

#include "forms.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace {

using checks::require;
using forms::rank_of_world;
using forms::ranks_of_world;

struct Small {
  std::int32_t source;
  std::uint32_t number;
};
struct Odd { // of a size that is no multiple of anything
  std::uint32_t number;
  char text[9];
  std::uint8_t source;
};
struct Path { // what has to be serialized
  std::int32_t source = 0;
  std::uint32_t number = 0;
  std::vector<std::string> names;
  std::shared_ptr<int> shared;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(source, number, names, shared);
  }
};
struct Edge { // with a serializer of its own
  std::uint32_t number = 0;
  std::int32_t source = 0;
  std::unique_ptr<double> weight;
};

} // namespace

template <>
struct thalweg::serializer<Edge> {
  static void write(const Edge& edge, byte_writer& to) {
    to.write(&edge.source, sizeof edge.source);
    to.write(&edge.number, sizeof edge.number);
    to.write(edge.weight.get(), sizeof(double));
  }
  static Edge read(byte_reader& from) {
    Edge edge;
    from.read(&edge.source, sizeof edge.source);
    from.read(&edge.number, sizeof edge.number);
    edge.weight = std::make_unique<double>();
    from.read(edge.weight.get(), sizeof(double));
    return edge;
  }
};

namespace {

/// Bytes that tell whose they are, which number they have, and whether all are there.
std::vector<std::byte> bytes_of(std::int32_t source, std::uint32_t number, std::size_t more) {
  std::vector<std::byte> made(2 * sizeof(std::uint32_t) + more);
  std::memcpy(made.data(), &source, sizeof source);
  std::memcpy(made.data() + sizeof source, &number, sizeof number);
  for (std::size_t at = 2 * sizeof(std::uint32_t); at < made.size(); ++at)
    made[at] = static_cast<std::byte>(number * 31 + at * 7 + at / 251);
  return made;
}

std::size_t random_size(std::mt19937& random) {
  switch (random() % 64) {
  case 0:
    return random() % 40'000;
  case 1:
  case 2:
  case 3:
    return random() % 2000;
  default:
    return random() % 33;
  }
}

/// Which number comes next from each source: a rank, or its handlers, which may send while it does.
class Orders {
public:
  Orders() : next_(2 * static_cast<std::size_t>(ranks_of_world())), sent_(next_.size()) {}
  std::uint32_t number_for(int rank, bool in_handler = false) {
    return sent_[static_cast<std::size_t>(rank + (in_handler ? ranks_of_world() : 0))]++;
  }
  void check(std::int32_t source, std::uint32_t number) {
    require(source >= 0 && source < 2 * ranks_of_world(), "an item of rank %d", source);
    std::uint32_t& next = next_[static_cast<std::size_t>(source)];
    require(number == next, "item %u of rank %d came instead of item %u", number, source, next);
    ++next;
  }
  long open() const {
    long count = 0;
    for (std::size_t rank = 0; rank < next_.size(); ++rank)
      count += static_cast<long>(sent_[rank]) - next_[rank];
    return count;
  }

private:
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> sent_;
};

void check_bytes(Orders& orders, thalweg::bytes item) {
  std::int32_t source = 0;
  std::uint32_t number = 0;
  require(item.size() >= 8, "an item of %zu B", item.size());
  std::memcpy(&source, item.data(), sizeof source);
  std::memcpy(&number, item.data() + sizeof source, sizeof number);
  orders.check(source, number);
  const auto expected = bytes_of(source, number, item.size() - 8);
  require(std::memcmp(expected.data(), item.data(), item.size()) == 0, "item %u of rank %d is damaged",
          number, source);
}

/// Main programs send items, and handlers answer some of them, with large ones too.
void any_bytes(const thalweg::stream_options& options) {
  Orders orders;
  std::mt19937 random(static_cast<unsigned>(rank_of_world()) + 1);
  thalweg::stream<thalweg::bytes>* self = nullptr;
  const auto send = [&](bool in_handler) {
    const int rank = static_cast<int>(random() % static_cast<unsigned>(ranks_of_world()));
    const int source = rank_of_world() + (in_handler ? ranks_of_world() : 0);
    self->send(rank, bytes_of(source, orders.number_for(rank, in_handler), random_size(random)));
  };
  int answers = 50;
  thalweg::stream<thalweg::bytes> items(
      MPI_COMM_WORLD,
      [&](thalweg::bytes item) {
        check_bytes(orders, item);
        if (random() % 8 == 0 && answers-- > 0)
          send(true);
      },
      options);
  self = &items;
  for (int phase = 0; phase < 2; ++phase) {
    for (int i = 0; i < 500; ++i)
      send(false);
    items.finish();
  }
  require(forms::sum_of(orders.open()) == 0, "%ld items are missing", orders.open());
}

void empty_items() {
  long count = 0;
  thalweg::stream<thalweg::bytes> items(MPI_COMM_WORLD, [&](thalweg::bytes item) {
    require(item.empty(), "an empty item has come with %zu B", item.size());
    ++count;
  });
  for (int i = 0; i < 100'000; ++i)
    items.send(i % ranks_of_world(), thalweg::bytes());
  items.finish();
  require(forms::sum_of(count) == 100'000L * ranks_of_world(), "%ld empty items have come", count);
}

using Mixed = thalweg::stream<Small, Path, Odd, thalweg::bytes, Edge>;

void send_any(Mixed& items, Orders& orders, std::mt19937& random) {
  const int rank = static_cast<int>(random() % static_cast<unsigned>(ranks_of_world()));
  const std::uint32_t number = orders.number_for(rank);
  const std::int32_t source = rank_of_world();
  switch (random() % 5) {
  case 0:
    items.send(rank, Small{source, number});
    break;
  case 1: {
    Path path{source, number, {}, std::make_shared<int>(source + 1)};
    for (unsigned name = random() % 4; name > 0; --name)
      path.names.emplace_back(random_size(random), static_cast<char>('a' + number % 26));
    items.send(rank, path);
    break;
  }
  case 2: {
    Odd odd{number, {}, static_cast<std::uint8_t>(source)};
    std::memset(odd.text, 'x', sizeof odd.text);
    items.send(rank, odd);
    break;
  }
  case 3:
    items.send(rank, bytes_of(source, number, random_size(random)));
    break;
  default:
    items.send(rank, Edge{number, source, std::make_unique<double>(number)});
  }
}

void several_types(const thalweg::stream_options& options) {
  Orders orders;
  std::mt19937 random(static_cast<unsigned>(rank_of_world()) + 77);
  std::vector<Path> kept;
  Mixed items(MPI_COMM_WORLD,
              thalweg::handlers{
                  [&](const Small& item) { orders.check(item.source, item.number); },
                  [&](Path&& path) {
                    orders.check(path.source, path.number);
                    require(*path.shared == path.source + 1, "a pointer to %d", *path.shared);
                    for (const std::string& name : path.names)
                      require(name == std::string(name.size(), static_cast<char>('a' + path.number % 26)),
                              "a name of path %u is damaged", path.number);
                    kept.push_back(std::move(path));
                  },
                  [&](const Odd& item) {
                    require(std::string(item.text, 9) == "xxxxxxxxx", "%s", "a text is damaged");
                    orders.check(item.source, item.number);
                  },
                  [&](thalweg::bytes item) { check_bytes(orders, item); },
                  [&](const Edge& edge) {
                    orders.check(edge.source, edge.number);
                    require(*edge.weight == edge.number, "a weight of %f", *edge.weight);
                  }},
              options);
  for (int phase = 0; phase < 2; ++phase) {
    for (int i = 0; i < 500; ++i)
      send_any(items, orders, random);
    items.finish();
  }
  require(forms::sum_of(orders.open()) == 0, "%ld items are missing", orders.open());
}

/// A type of the standard library alone, without any of one's own.
void one_serialized_type() {
  std::size_t entries = 0;
  using Map = std::map<std::string, std::vector<double>>;
  thalweg::stream<Map> maps(MPI_COMM_WORLD, [&](const Map& map) { entries += map.at("b").size(); });
  maps.send(0, {{"a", {1}}, {"b", {2, 3}}});
  maps.finish();
  require(forms::sum_of(static_cast<long>(entries)) == 2L * ranks_of_world(), "%zu entries", entries);
}

/// What a failed phase has lost of an item in parts does not get into the next phase's.
void parts_after_a_failure() {
  Orders orders;
  bool fails = true;
  thalweg::stream_options options;
  options.buffer_bytes = 256;
  thalweg::stream<thalweg::bytes> items(
      MPI_COMM_WORLD,
      [&](thalweg::bytes item) {
        if (fails && rank_of_world() == 0 && item.size() > 1000)
          throw std::runtime_error("too large");
        if (!fails)
          check_bytes(orders, item);
      },
      options);
  for (int i = 0; i < 20; ++i)
    items.send(0, bytes_of(rank_of_world(), 0, 2000));
  bool has_failed = false;
  try {
    items.finish();
  } catch (const std::runtime_error&) {
    has_failed = true;
  }
  require(has_failed, "%s", "a failing handler was not noticed");
  fails = false;
  items.send(0, bytes_of(rank_of_world(), orders.number_for(0), 3000));
  items.finish();
  require(forms::sum_of(orders.open()) == 0, "%ld items are missing", orders.open());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  forms::for_each([](const thalweg::stream_options& options) {
    any_bytes(options);
    several_types(options);
  });
  empty_items();
  one_serialized_type();
  parts_after_a_failure();
  std::printf("all right\n");
  MPI_Finalize();
}
