// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements of another language (thalweg/objects_foreign.h) as elements of an array.

#include "thalweg/objects.hpp"
#include "thalweg/objects_foreign.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace thalweg::objects {

/// What calls carry: bytes, aligned.
struct alignas(16) Block {
  std::byte bytes[16];
};

class ForeignElement : public element<ForeignElement> {
public:
  ForeignElement();
  explicit ForeignElement(byte_reader& from);
  ~ForeignElement();
  ForeignElement(const ForeignElement&) = delete;
  ForeignElement& operator=(const ForeignElement&) = delete;

  void run(std::span<const Block> arguments);
  void has_reduced(const std::vector<std::byte>& value);
  void pack(byte_writer& to) const;
  /// An array is described as its owner knows it.
  static void describe(const detail::array_base& array, thalweg_objects_array& functions,
                       std::uint64_t& signature);

private:
  std::uint32_t number() const { return static_cast<std::uint32_t>(at()[0]); }
  thalweg_foreign_array* owner_;
};

/// Two values of a reduction made one.
class ForeignCombination {
public:
  explicit ForeignCombination(const detail::array_base& array) : array_(array) {}
  std::vector<std::byte> operator()(const std::vector<std::byte>& one,
                                    const std::vector<std::byte>& other) const;

private:
  const detail::array_base& array_;
};

/// A message to a rank.
struct ForeignMessage {
  static std::string name() { return "a message to a rank"; }
  static void run(detail::array_base& array, detail::element_record*, std::uint32_t source, const char* base,
                  std::size_t bytes);
};

/// Pieces as what travels in place of std::span<const Block>, copied once.
struct Pieces {
  std::span<const thalweg_piece> all;
  std::size_t blocks() const;
  void write(char* at) const;
};
struct TravelingPieces {
  static std::size_t bytes(const Pieces& pieces) { return sizeof(Block) * (1 + pieces.blocks()); }
  static void write(char* base, const Pieces& pieces) {
    const std::uint64_t blocks = pieces.blocks();
    std::memcpy(base, &blocks, sizeof blocks);
    pieces.write(base + sizeof(Block));
  }
};
/// The same behind the elements of a section.
struct TravelingSection {
  using Numbers = std::span<const std::uint32_t>;
  static std::size_t begin(const Numbers& numbers) {
    return detail::align_up(detail::argument<Numbers>::end(0, numbers) + sizeof(std::uint64_t),
                            sizeof(Block));
  }
  static std::size_t bytes(const Numbers& numbers, const Pieces& pieces) {
    return begin(numbers) + sizeof(Block) * pieces.blocks();
  }
  static void write(char* base, const Numbers& numbers, const Pieces& pieces) {
    const std::size_t at = detail::argument<Numbers>::write(base, 0, numbers);
    const std::uint64_t blocks = pieces.blocks();
    std::memcpy(base + at, &blocks, sizeof blocks);
    pieces.write(base + begin(numbers));
  }
};

/// What the caller's function that runs in this thread has given, or failed with.
struct ForeignResult {
  std::vector<std::byte> given;
  std::string failure;
  /// Throws the failure.
  void must(int failed) const;
};
ForeignResult& foreign_result();

using ForeignArray = basic_array<ForeignElement, 1>;
using ForeignAssociation = association<ForeignElement, 1>;

} // namespace thalweg::objects

template <>
struct thalweg::serializer<thalweg::objects::ForeignElement> {
  static void write(const objects::ForeignElement& element, byte_writer& to) { element.pack(to); }
  static objects::ForeignElement read(byte_reader& from) { return objects::ForeignElement(from); }
};

/// Knows itself before its array is made, whose elements ask for it.
struct thalweg_foreign_array {
  thalweg_foreign_array(MPI_Comm communicator, std::vector<std::int64_t> sides, std::string type_name,
                        std::uint64_t signature, const thalweg_foreign_functions& given);
  ~thalweg_foreign_array();
  thalweg_foreign_array(const thalweg_foreign_array&) = delete;
  thalweg_foreign_array& operator=(const thalweg_foreign_array&) = delete;

  static thalweg_foreign_array& of(const thalweg::detail::array_base& array);

  thalweg_foreign_functions functions;
  std::vector<std::int64_t> shape;
  std::string type;
  std::uint64_t signature;
  struct Registration {
    explicit Registration(thalweg_foreign_array& owner);
    ~Registration();
    const thalweg::detail::array_base* key;
  } registration;
  thalweg::objects::ForeignArray array;
  std::vector<std::unique_ptr<thalweg::objects::ForeignAssociation>> associations;
};
