// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/pattern_store.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace thalweg::mpi {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  words.front() = fs::read_symlink("/proc/self/exe").string();
  return words;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class KeptPatterns : public ::testing::Test {
protected:
  KeptPatterns() : folder_(fs::path(::testing::TempDir()) / fmt::format("kept-patterns-{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~KeptPatterns() override { fs::remove_all(folder_); }

  std::string earlier_file(int ranks) const {
    return folder_ / fmt::format("{}-{:016x}-{}.pattern", fs::path(own_words().front()).filename().string(),
                                 hash_of_words(own_words(), earlier_hash_begin), ranks);
  }

  fs::path folder_;
};

TEST_F(KeptPatterns, OfEarlierVersionsAreFound) {
  std::ofstream(earlier_file(4)) << "kept";
  const std::string found = pattern_file(folder_, 4);
  EXPECT_EQ(text_of(found), "kept");
  EXPECT_FALSE(fs::exists(earlier_file(4)));
  EXPECT_EQ(pattern_file(folder_, 4), found);
}

TEST_F(KeptPatterns, ThePresentOneComesFirst) {
  keep_file("pattern", pattern_file(folder_, 2), "present");
  std::ofstream(earlier_file(2)) << "earlier";
  EXPECT_EQ(text_of(pattern_file(folder_, 2)), "present");
}

TEST_F(KeptPatterns, ProgramsAreNamedByFnv) {
  EXPECT_EQ(hash_of_words({}), fnv_begin);
  EXPECT_EQ(program_hash(), hash_of_words(own_words()));
}

} // namespace
} // namespace thalweg::mpi
