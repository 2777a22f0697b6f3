// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The entry methods of a program, by numbers that are the same on all ranks. Programs include
// thalweg/objects.hpp.
//
// Each method that some call names is registered before main() begins. When an array is made, those of its
// type are numbered in the order of their names, and the ranks compare them.

#include "thalweg/objects_arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

namespace thalweg::detail {

struct element_record;
class array_base;

/// The function that runs a message. `element`: null for messages to the rank.
struct entry {
  using function = void (*)(array_base& array, element_record* element, std::uint32_t source,
                            const char* base, std::size_t bytes);

  entry(std::vector<entry*>& of, std::string called, const std::string& type, function does)
      : name(std::move(called)), key(name + " " + type), run(does) {
    of.push_back(this);
  }
  entry(const entry&) = delete;
  entry& operator=(const entry&) = delete;

  std::string name; ///< for people
  std::string key;
  function run;
  std::uint16_t number = 0;
};

/// The entries of arrays of `Element`.
template <typename Element>
std::vector<entry*>& entries_of() {
  static std::vector<entry*> all;
  return all;
}

/// The same in every process, unlike std::hash's promise: FNV-1a.
inline std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

/// Numbers them, and gives a hash of their names.
inline std::uint64_t number_entries(std::vector<entry*>& all) {
  std::ranges::sort(all, {}, &entry::key);
  std::uint64_t hash = all.size();
  for (std::size_t number = 0; number < all.size(); ++number) {
    all[number]->number = static_cast<std::uint16_t>(number);
    hash = hash * 0x9E3779B97F4A7C15U + text_hash(all[number]->key);
  }
  return hash;
}

/// The compiler's text for a template's argument, cut from its text for the function.
inline std::string argument_in(const std::string& text, const std::string& key) {
  const std::size_t begin = std::min(text.find(key), text.size() - key.size()) + key.size();
  std::string name = text.substr(begin, text.find_first_of(";]", begin) - begin);
  if (const std::size_t type = name.rfind(")&"); type != std::string::npos)
    name.erase(0, type + 1);
  if (name.starts_with('&'))
    name.erase(0, 1);
  constexpr std::string_view nobodys = "{anonymous}::";
  if (const std::size_t at = name.find(nobodys); at != std::string::npos)
    name.erase(at, nobodys.size());
  return name;
}
/// "Block::ghost"
template <auto method>
std::string method_name() {
  return argument_in(__PRETTY_FUNCTION__, "method = ");
}
/// "Block"
template <typename Element>
std::string type_name() {
  return argument_in(__PRETTY_FUNCTION__, "Element = ");
}

/// An entry of `Element` that `Kind` does: Kind::name() and Kind::run().
template <typename Element, typename Kind>
struct registered {
  static inline entry record{entries_of<Element>(), Kind::name(), typeid(Kind).name(), Kind::run};
};

} // namespace thalweg::detail
