// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/arrays.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "objects/mpi/rank_messages.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::objects {

std::uint16_t Arrays::add(const thalweg_objects_array& array, std::uint64_t signature,
                          control::Control& ranks) {
  const auto all = ranks.run(ranks.allgather(signature));
  const auto other = std::ranges::find_if(all, [&](std::uint64_t one) { return one != all.front(); });
  if (other != all.end())
    throw Error(fmt::format("ranks 0 and {} make different arrays", other - all.begin()),
                "make the same arrays in the same order, of the same shape and of one program's types",
                thalweg_error_mismatch);
  const auto number = static_cast<std::uint16_t>(all_.size());
  if (number == combined_array)
    throw Error("too many arrays were made", "keep arrays instead of making them anew");
  all_.emplace_back(array);
  return number;
}

void Arrays::begin_anew() const {
  for (const auto& array : all_)
    if (array)
      array->begin_anew(array->context);
}

namespace {

constexpr int array_bits = 32;

std::uint64_t key_of(std::uint16_t array, std::uint32_t element) {
  return std::uint64_t{array} << array_bits | element;
}

} // namespace

void CallSample::begin() {
  constexpr std::uint32_t one_of = 17; // no period of programs
  view_.sampled = one_of;
}

void CallSample::add(std::uint16_t array, std::uint32_t element, std::size_t bytes) {
  THALWEG_ASSERT(normal, view_.sampled != 0);
  bytes_[{key_of(static_cast<std::uint16_t>(view_.running_array), view_.running), key_of(array, element)}] +=
      static_cast<double>(view_.sampled * bytes);
}

std::vector<Exchanged> CallSample::take() {
  std::vector<Exchanged> all;
  all.reserve(bytes_.size());
  for (const auto& [pair, bytes] : bytes_)
    all.push_back({static_cast<std::uint16_t>(pair.first >> array_bits),
                   static_cast<std::uint16_t>(pair.second >> array_bits),
                   static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(pair.second), bytes});
  bytes_.clear();
  return all;
}

} // namespace thalweg::objects
