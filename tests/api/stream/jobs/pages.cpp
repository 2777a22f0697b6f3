// SPDX-License-Identifier: BSD-3-Clause

// The examples of docs/streams.md, beside that of page.cpp.

#include "forms.hpp"
#include "thalweg/locators.hpp"
#include "thalweg/stream_serialized.hpp"

#include <algorithm>
#include <bit>
#include <cereal/types/string.hpp>
#include <cstdint>
#include <cstdio>
#include <map>
#include <thread>
#include <vector>

namespace {

#include "page/distances.inc"
#include "page/kinds.inc"
#include "page/lookup.inc"
#include "page/threads.inc"
#include "page/words.inc"

using checks::require;

void check_all(int ranks) {
  long words = 0;
  for (const auto& [word, count] : count_words({"to", "be", "or", "not", "to", "be"}, MPI_COMM_WORLD)) {
    require(count == (word == "to" || word == "be" ? 2 : 1) * ranks, "'%s' was counted %d times",
            word.c_str(), count);
    words += count;
  }
  require(forms::sum_of(words) == 6L * ranks, "%ld words", words);
  require(forms::sum_of(static_cast<long>(money_at_closing(1000, MPI_COMM_WORLD))) == 100'000, "%s",
          "money was lost");

  std::vector<double> part(100);
  for (std::size_t place = 0; place < part.size(); ++place)
    part[place] = static_cast<double>(place) + 100 * forms::rank_of_world();
  std::vector<std::uint64_t> places;
  double expected = 0;
  for (std::uint64_t number = 0; number < 5000; ++number) {
    places.push_back(number * 31 % (100 * static_cast<std::uint64_t>(ranks)));
    expected += static_cast<double>(number * places.back());
  }
  require(sum_of_places(places, part, MPI_COMM_WORLD) == expected, "%s", "a wrong sum was looked up");

  const std::vector<std::uint32_t> found = distances(1000, MPI_COMM_WORLD);
  long own = 0;
  for (const std::uint32_t distance : found)
    own += distance < 1000 ? distance : 0;
  long alone = 0; // after d steps, all vertices below 2 to the d have been reached
  for (unsigned vertex = 0; vertex < 1000; ++vertex)
    alone += std::bit_width(vertex);
  require(forms::sum_of(own) == alone, "distances of %ld instead of %ld", own, alone);

  const auto sum = static_cast<long>(sum_from_threads(MPI_COMM_WORLD));
  require(forms::sum_of(sum) == 4L * 999 * 500 * ranks, "a sum of %ld", sum);
}

} // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  check_all(forms::ranks_of_world());
  std::printf("all right\n");
  MPI_Finalize();
}
