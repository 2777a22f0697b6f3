// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/checkpoint.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::objects {

template <typename Work>
void Checkpoint::together(const Work& work) const {
  control::Control& ranks = scheduler_.control();
  std::string failure;
  try {
    work(ranks);
  } catch (const Error& error) {
    failure = fmt::format("on rank {}: {}", scheduler_.group().rank(), error.what());
  }
  const std::vector<char> failed = ranks.run(ranks.allgather(char{!failure.empty()}));
  const auto first = std::ranges::find(failed, char{true});
  if (first == failed.end())
    return;
  const std::vector<char> reported = ranks.run(ranks.broadcast(
      std::vector<char>(failure.begin(), failure.end()), static_cast<std::int32_t>(first - failed.begin())));
  throw Error(std::string(reported.begin(), reported.end()), "", thalweg_error_system);
}

std::vector<SavedArray> Checkpoint::arrays() const {
  std::vector<SavedArray> all;
  for (const auto& array : scheduler_.arrays()) {
    if (!array)
      continue;
    all.push_back({array->type, {array->shape, array->shape + array->dimensions}});
    if (array->pack == nullptr)
      throw Error(fmt::format("the array {} has elements that cannot be written", all.back().text()),
                  "give them serialize(), and include thalweg/stream_serialized.hpp");
  }
  if (all.empty())
    throw Error("there are no arrays", "make them first");
  return all;
}

void Checkpoint::must_be_settled() const {
  for (const auto& array : scheduler_.arrays())
    if (const char* const why = array ? array->unsettled(array->context) : nullptr)
      throw Error(why, "let tasks and reductions come to their end before");
}

SavedPart Checkpoint::write_part(const std::string& name) const {
  PartWriter writer(name);
  std::string packed;
  std::uint16_t saved = 0; // the array's number in the manifest
  for (const auto& array : scheduler_.arrays()) {
    if (!array)
      continue;
    std::vector<std::uint32_t> elements(array->count(array->context));
    array->numbers(array->context, elements.data());
    for (const std::uint32_t element : elements) {
      const std::size_t bytes = array->pack(array->context, element, nullptr, 0);
      if (bytes == SIZE_MAX)
        throw Error(fmt::format("{}: {}", array->type, array->unsettled(array->context)),
                    "see why its serializer throws");
      packed.resize(bytes);
      array->pack(array->context, element, packed.data(), bytes);
      writer.add(saved, element, packed);
    }
    ++saved;
  }
  return writer.close();
}

void Checkpoint::write(const std::string& folder) {
  scheduler_.finish();
  Manifest manifest;
  SavedPart own;
  const job::Group& group = scheduler_.group();
  together([&](control::Control&) {
    manifest.arrays = arrays();
    must_be_settled();
    if (group.rank() == 0)
      manifest.generation = begin_generation(folder);
  });
  together([&](control::Control& ranks) {
    manifest.generation = ranks.run(ranks.broadcast(manifest.generation));
    own = write_part(part_name(folder, manifest.generation, group.rank()));
  });
  together([&](control::Control& ranks) {
    manifest.parts = ranks.run(ranks.gather(std::vector<SavedPart>{own}));
    if (group.rank() == 0)
      replace_manifest(folder, manifest);
  });
}

Checkpoint::Parts Checkpoint::read_parts(const std::string& folder, const Manifest& manifest) const {
  Parts parts;
  const auto ranks = static_cast<std::size_t>(scheduler_.group().ranks());
  for (auto part = static_cast<std::size_t>(scheduler_.group().rank()); part < manifest.parts.size();
       part += ranks) {
    const std::string name = part_name(folder, manifest.generation, static_cast<Rank>(part));
    parts.emplace_back(part, read_part(name, manifest.parts[part]));
    const std::size_t elements = elements_of(parts.back().second, name, manifest).size();
    if (elements != manifest.parts[part].elements)
      throw Error(fmt::format("{}: has {} elements, and {} were written", name, elements,
                              manifest.parts[part].elements),
                  "restore from another checkpoint");
  }
  return parts;
}

void Checkpoint::restore(const std::string& folder) {
  scheduler_.finish();
  Manifest manifest;
  Parts parts;
  together([&](control::Control&) {
    const std::vector<SavedArray> present = arrays();
    must_be_settled();
    manifest = parse_manifest(read_manifest(folder), manifest_name(folder));
    if (present.size() != manifest.arrays.size())
      throw Error(
          fmt::format("{} has {} arrays, and there are {}", folder, manifest.arrays.size(), present.size()),
          "make the same arrays as where it was written");
    for (std::size_t i = 0; i < present.size(); ++i)
      if (present[i] != manifest.arrays[i])
        throw Error(fmt::format("array {} of {} is {}, and here it is {}", i, folder,
                                manifest.arrays[i].text(), present[i].text()),
                    "make the same arrays in the same order as where it was written");
    const auto add = [](std::uint64_t sum, const auto& one) { return sum + one.elements; };
    const auto add_all = [](std::uint64_t sum, const SavedArray& one) { return sum + one.elements(); };
    if (std::accumulate(manifest.parts.begin(), manifest.parts.end(), std::uint64_t{0}, add) !=
        std::accumulate(present.begin(), present.end(), std::uint64_t{0}, add_all))
      throw Error(fmt::format("{} has not each element once", manifest_name(folder)),
                  "restore from another checkpoint");
    parts = read_parts(folder, manifest);
  });
  std::vector<const thalweg_objects_array*> present;
  for (const auto& array : scheduler_.arrays())
    if (array) {
      present.push_back(&*array);
      array->clear(array->context);
    }
  const bool stay = manifest.parts.size() == static_cast<std::size_t>(scheduler_.group().ranks());
  for (const auto& [part, bytes] : parts)
    for (const SavedElement& one :
         elements_of(bytes, part_name(folder, manifest.generation, static_cast<Rank>(part)), manifest)) {
      THALWEG_ASSERT(normal, one.array < present.size());
      const thalweg_objects_array& array = *present[one.array];
      (stay ? array.enter : array.settle)(array.context, one.element, one.bytes.data(), one.bytes.size());
    }
  migration_.settle();
}

} // namespace thalweg::objects
