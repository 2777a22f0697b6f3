// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/pattern_store.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace thalweg::mpi {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  return words;
}

fs::path program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0)
    return cache;
  const char* const home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/" : home) / ".cache";
}

// The program as the system knows it, and its arguments.
std::vector<std::string> identifying_words() {
  std::vector<std::string> words = words_of_process();
  if (words.empty())
    words.emplace_back();
  words.front() = program().string();
  return words;
}

std::string file_of_program(const std::string& folder, int ranks, const char* kind) {
  const fs::path where = folder.empty() ? cache_folder() / "thalweg" / "patterns" : fs::path(folder);
  const std::vector<std::string> words = identifying_words();
  const auto named = [&](std::uint64_t hash) {
    return where / fmt::format("{}-{:016x}-{}.{}", program().filename().string(), hash, ranks, kind);
  };
  const fs::path file = named(hash_of_words(words));
  std::error_code none;
  if (const fs::path earlier = named(hash_of_words(words, earlier_hash_begin));
      !fs::exists(file, none) && fs::exists(earlier, none))
    fs::rename(earlier, file, none); // another rank may be faster
  return file;
}

} // namespace

std::uint64_t hash_of_words(const std::vector<std::string>& words, std::uint64_t begin) {
  std::uint64_t hash = begin;
  for (const std::string& word : words)
    hash = ended_text_hash(word, hash);
  return hash;
}

std::string program_text() {
  return fmt::format("{}", fmt::join(words_of_process(), " "));
}

std::uint64_t program_hash() {
  return hash_of_words(identifying_words());
}

std::string pattern_file(const std::string& folder, int ranks) {
  return file_of_program(folder, ranks, "pattern");
}

std::string trace_file(const std::string& folder, int ranks) {
  return file_of_program(folder, ranks, "trace");
}

void keep_file(std::string_view what, const std::string& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error); // whose error tells more than that of the file
  if (!error)
    error = write_file(file, text);
  if (error)
    throw Error(fmt::format("the {} {} cannot be written: {}", what, file, error.message()),
                "name a folder that can be written to: --patterns FOLDER or THALWEG_PATTERNS",
                thalweg_error_system);
}

} // namespace thalweg::mpi
