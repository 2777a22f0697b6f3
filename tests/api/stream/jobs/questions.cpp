// SPDX-License-Identifier: BSD-3-Clause

// Questions: each is answered once, at the rank that was asked, and the answer meets its note.

#include "forms.hpp"
#include "thalweg/stream_serialized.hpp"

#include <cereal/types/string.hpp>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using checks::failure_of;
using checks::require;
using forms::rank_of_world;
using forms::ranks_of_world;

struct Place {
  std::uint32_t index;
};
struct Value {
  std::uint64_t value;
};
struct Note {
  int rank = 0;
  std::uint32_t index = 0;
};

constexpr std::uint32_t places = 100;

std::uint64_t value_of(int rank, std::uint32_t index) {
  return static_cast<std::uint64_t>(rank) * 1000 + index;
}

using Lookup = thalweg::query<Place, Value, Note>;

void every_answer_meets_its_note(const thalweg::stream_options& options) {
  long answers = 0;
  thalweg::stream<Lookup> table(
      MPI_COMM_WORLD,
      thalweg::handlers{[&](const Place& place) { return Value{value_of(rank_of_world(), place.index)}; },
                        [&](const Value& found, const Note& note) {
                          require(found.value == value_of(note.rank, note.index),
                                  "rank %d answered %lu for %u", note.rank, found.value, note.index);
                          ++answers;
                        }},
      options);
  for (int phase = 1; phase <= 2; ++phase) {
    for (std::uint32_t question = 0; question < 2000; ++question) {
      const int rank = static_cast<int>(question * 7) % ranks_of_world();
      const std::uint32_t index = question % places;
      table.ask(rank, {index}, {rank, index});
    }
    table.finish();
    require(answers == 2000 * phase, "%ld questions were answered", answers);
    require(table.unanswered() == 0, "%zu questions are open", table.unanswered());
  }
}

/// An answer leads to the next question: a list whose elements are anywhere is followed to its end.
void answers_that_ask(const thalweg::stream_options& options) {
  struct Step {
    std::uint32_t at;
  };
  constexpr std::uint32_t length = 50;
  thalweg::stream<thalweg::query<Place, Step, std::uint32_t>>* self = nullptr;
  std::vector<std::uint32_t> ended;
  const auto ask = [&](std::uint32_t at, std::uint32_t list) {
    self->ask(static_cast<int>(at % static_cast<std::uint32_t>(ranks_of_world())), Place{at}, list);
  };
  thalweg::stream<thalweg::query<Place, Step, std::uint32_t>> list(
      MPI_COMM_WORLD,
      thalweg::handlers{[](const Place& place) { return Step{place.index + 3}; },
                        [&](const Step& step, std::uint32_t list_number) {
                          if (step.at < length)
                            ask(step.at, list_number);
                          else
                            ended.push_back(list_number);
                        }},
      options);
  self = &list;
  for (std::uint32_t number = 0; number < 300; ++number)
    ask(number % 5, number);
  list.finish();
  require(ended.size() == 300, "%zu lists came to their ends", ended.size());
  std::ranges::sort(ended);
  for (std::uint32_t number = 0; number < 300; ++number)
    require(ended[number] == number, "list %u came to its end twice or never", number);
}

/// Questions and answers of any size, notes that can only be moved, and other items between them.
void of_any_type(const thalweg::stream_options& options) {
  using Ask = thalweg::query<std::string, std::string, std::unique_ptr<std::string>>;
  using Count = thalweg::query<thalweg::bytes, std::size_t>;
  long items = 0;
  std::size_t bytes = 0;
  long answers = 0;
  thalweg::stream<int, Ask, Count> mixed(
      MPI_COMM_WORLD,
      thalweg::handlers{[&](const int& item) { items += item; },
                        [](const std::string& question) { return question + question; },
                        [&](const std::string& answer, std::unique_ptr<std::string> note) {
                          require(answer == *note + *note, "%zu B came for %zu B", answer.size(),
                                  note->size());
                          ++answers;
                        },
                        [](thalweg::bytes question) { return question.size(); },
                        [&](std::size_t answer) { bytes += answer; }},
      options);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const int rank = static_cast<int>(i) % mixed.size();
    const std::string text(i % 50 == 0 ? i * 40 : i % 30, 'q');
    mixed.send(rank, 1);
    mixed.ask(rank, text, std::make_unique<std::string>(text));
    mixed.ask(rank, std::as_bytes(std::span(text)));
    expected += text.size();
  }
  mixed.finish();
  require(answers == 200 && bytes == expected, "%ld answers of %zu B", answers, bytes);
  require(forms::sum_of(items) == 200L * ranks_of_world(), "%ld items", items);
}

/// A handler that fails is reported, and the next phase asks again.
void after_a_failure() {
  bool fails = true;
  int answers = 0;
  thalweg::stream<Lookup> table(MPI_COMM_WORLD,
                                thalweg::handlers{[&](const Place& place) {
                                                    if (fails)
                                                      throw std::runtime_error("nothing is known yet");
                                                    return Value{value_of(rank_of_world(), place.index)};
                                                  },
                                                  [&](const Value& found, const Note& note) {
                                                    require(found.value == value_of(note.rank, note.index),
                                                            "%s", "an answer met another question's note");
                                                    ++answers;
                                                  }});
  table.ask(0, {1}, {0, 1});
  bool has_failed = false;
  try {
    table.finish();
  } catch (const std::runtime_error& failed) {
    has_failed = std::string(failed.what()).find("nothing is known yet") != std::string::npos;
  }
  require(has_failed, "%s", "a failing handler was not reported");
  fails = false;
  for (std::uint32_t index = 0; index < 10; ++index)
    table.ask(0, {index}, {0, index});
  table.finish();
  require(answers == 10, "%d questions were answered", answers);
  const std::string what = failure_of([&] { table.ask(table.size(), {1}, {0, 1}); }).what();
  require(what.find("an item for rank") != std::string::npos, "%s", what.c_str());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  forms::for_each([](const thalweg::stream_options& options) {
    every_answer_meets_its_note(options);
    answers_that_ask(options);
    of_any_type(options);
  });
  after_a_failure();
  std::printf("all right\n");
  MPI_Finalize();
}
