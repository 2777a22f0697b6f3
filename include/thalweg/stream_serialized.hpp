// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Items of all types that cereal can serialize (https://uscilab.github.io/cereal, Debian: libcereal-dev):
// those with a member serialize(), and of the standard library those whose header of cereal is included too.
//
//   #include "thalweg/stream_serialized.hpp"
//   #include <cereal/types/vector.hpp>
//   thalweg::stream<std::vector<double>> rows(MPI_COMM_WORLD, [&](std::vector<double>& row) { .. });
//
// Both ends are the same program: numbers travel in the machine's order.

#include "thalweg/stream_formats.hpp"

#include <cereal/cereal.hpp>

namespace thalweg {

namespace detail {

/// cereal's archives of bytes work on std::ostream, which costs more than small items do.
class writing_archive : public cereal::OutputArchive<writing_archive, cereal::AllowEmptyClassElision> {
public:
  explicit writing_archive(byte_writer& to) : OutputArchive(this), to_(to) {}
  void save(const void* from, std::size_t count) { to_.write(from, count); }

private:
  byte_writer& to_;
};

class reading_archive : public cereal::InputArchive<reading_archive, cereal::AllowEmptyClassElision> {
public:
  explicit reading_archive(byte_reader& from) : InputArchive(this), from_(from) {}
  void load(void* to, std::size_t count) { from_.read(to, count); }

private:
  byte_reader& from_;
};

template <typename Number>
requires std::is_arithmetic_v<Number>
void CEREAL_SAVE_FUNCTION_NAME(writing_archive& to, const Number& number) {
  to.save(&number, sizeof number);
}
template <typename Number>
requires std::is_arithmetic_v<Number>
void CEREAL_LOAD_FUNCTION_NAME(reading_archive& from, Number& number) {
  from.load(&number, sizeof number);
}

template <typename T>
void CEREAL_SAVE_FUNCTION_NAME(writing_archive& to, const cereal::BinaryData<T>& data) {
  to.save(data.data, static_cast<std::size_t>(data.size));
}
template <typename T>
void CEREAL_LOAD_FUNCTION_NAME(reading_archive& from, cereal::BinaryData<T>& data) {
  from.load(data.data, static_cast<std::size_t>(data.size));
}

template <typename Archive>
concept archive_of_streams =
    std::is_same_v<Archive, writing_archive> || std::is_same_v<Archive, reading_archive>;

template <archive_of_streams Archive, typename T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& named) {
  archive(named.value);
}
template <archive_of_streams Archive, typename T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
}

/// The bytes of items are copied where they may be. Elements with serialize() say by it that they move.
template <typename T>
concept serializable =
    (!std::is_trivially_copyable_v<T> || requires { typename T::element_type; }) &&
    cereal::traits::is_output_serializable<T, writing_archive>::value&& cereal::traits::is_input_serializable<
        T, reading_archive>::value;

} // namespace detail

/// Types with a function of cereal's form: it writes and reads their items.
template <detail::serializable T>
struct serializer<T> {
  /// Writes an item.
  static void write(const T& item, byte_writer& to) {
    detail::writing_archive archive(to);
    archive(item);
  }
  /// Reads an item, which is made without arguments first.
  static T read(byte_reader& from) {
    detail::reading_archive archive(from);
    T item;
    archive(item);
    return item;
  }
};

} // namespace thalweg

CEREAL_REGISTER_ARCHIVE(thalweg::detail::writing_archive)
CEREAL_REGISTER_ARCHIVE(thalweg::detail::reading_archive)
CEREAL_SETUP_ARCHIVE_TRAITS(thalweg::detail::reading_archive, thalweg::detail::writing_archive)
