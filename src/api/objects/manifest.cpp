// SPDX-License-Identifier: BSD-3-Clause

// A checkpoint's manifest as text.

#include "base/error.hpp"
#include "objects/checkpoint_files.hpp"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <toml++/toml.h>

namespace thalweg::objects {

namespace {

constexpr std::int64_t format = 2; // elements carry their open brackets since

/// A table of the manifest, which is to have certain entries.
class Reader {
public:
  Reader(const toml::node* node, const std::string& name, std::string place)
      : table_(node == nullptr ? nullptr : node->as_table()), name_(name), place_(std::move(place)) {
    if (table_ == nullptr)
      refuse("is no table");
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{}: {} {}", name_, place_, why), "restore from another checkpoint");
  }
  std::uint64_t number(const char* key) const {
    const auto value = node(key).value_exact<std::int64_t>();
    if (!value || *value < 0)
      refuse(fmt::format("has a {} that is no number from 0", key));
    return static_cast<std::uint64_t>(*value);
  }
  std::string text(const char* key) const {
    const auto value = node(key).value_exact<std::string>();
    if (!value)
      refuse(fmt::format("has a {} that is no text", key));
    return *value;
  }
  const toml::array& list(const char* key) const {
    const toml::array* const values = node(key).as_array();
    if (values == nullptr)
      refuse(fmt::format("has a {} that is no list", key));
    return *values;
  }

private:
  const toml::node& node(const char* key) const {
    const toml::node* const node = table_->get(key);
    if (node == nullptr)
      refuse(fmt::format("has no {}", key));
    return *node;
  }

  const toml::table* table_;
  const std::string& name_;
  std::string place_;
};

SavedArray read_array(const Reader& from) {
  SavedArray array{from.text("type"), {}};
  for (const toml::node& side : from.list("shape")) {
    const auto value = side.value_exact<std::int64_t>();
    if (!value || *value < 1)
      from.refuse("has a side that is no number from 1");
    array.shape.push_back(*value);
  }
  return array;
}

SavedPart read_saved_part(const Reader& from) {
  SavedPart part{from.number("bytes"), from.number("elements"), 0};
  const std::string digits = from.text("checksum");
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), part.checksum, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    from.refuse("has a checksum that is no hexadecimal number");
  return part;
}

} // namespace

std::uint64_t SavedArray::elements() const {
  std::uint64_t count = 1;
  for (const std::int64_t side : shape)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(side), &count))
      return std::numeric_limits<std::uint64_t>::max();
  return count;
}

std::string SavedArray::text() const {
  return fmt::format("{} [{}]", type, fmt::join(shape, ", "));
}

std::string to_text(const Manifest& manifest) {
  std::ostringstream out;
  out << "format = " << format << "\ngeneration = " << manifest.generation << "\n";
  for (const SavedArray& array : manifest.arrays)
    out << "\n[[array]]\ntype = " << toml::value<std::string>(array.type)
        << fmt::format("\nshape = [{}]\n", fmt::join(array.shape, ", "));
  for (const SavedPart& part : manifest.parts)
    out << fmt::format("\n[[part]]\nbytes = {}\nelements = {}\nchecksum = \"{:016x}\"\n", part.bytes,
                       part.elements, part.checksum);
  return out.str();
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}: line {}: {}", name, error.source().begin.line, error.description()),
                "restore from another checkpoint");
  }
  const Reader whole(&table, name, "the file");
  if (const std::uint64_t version = whole.number("format"); version != format)
    whole.refuse(fmt::format("has format {}, and this Thalweg reads {}", version, format));
  Manifest manifest;
  manifest.generation = whole.number("generation");
  for (const toml::node& node : whole.list("array"))
    manifest.arrays.push_back(
        read_array(Reader(&node, name, fmt::format("array {}", manifest.arrays.size()))));
  for (const toml::node& node : whole.list("part"))
    manifest.parts.push_back(
        read_saved_part(Reader(&node, name, fmt::format("part {}", manifest.parts.size()))));
  return manifest;
}

} // namespace thalweg::objects
