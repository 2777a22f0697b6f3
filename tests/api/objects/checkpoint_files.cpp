// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints on disk: what is written is read again; what is cut off or damaged anywhere is refused.

#include "objects/checkpoint_files.hpp"

#include "base/error.hpp"
#include "base/random.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace thalweg::objects;
using thalweg::Error;
using thalweg::Random;

class CheckpointFiles : public testing::Test {
protected:
  CheckpointFiles()
      : folder_(fs::temp_directory_path() / ("thalweg-checkpoint-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~CheckpointFiles() override { fs::remove_all(folder_); }

  Manifest write(int parts, std::string_view first_bytes = "state") {
    Manifest manifest;
    manifest.generation = begin_generation(folder_);
    manifest.arrays = {{"Block", {4, 5}}, {"ns::\"Odd\\name\"", {30}}};
    for (int part = 0; part < parts; ++part) {
      PartWriter writer(part_name(folder_, manifest.generation, part));
      for (std::uint32_t element = 0; element < 10; ++element)
        writer.add(static_cast<std::uint16_t>(part % 2), element,
                   std::string(first_bytes) + std::string(element * 7, 'x'));
      manifest.parts.push_back(writer.close());
    }
    replace_manifest(folder_, manifest);
    return manifest;
  }
  static std::string bytes_of(const std::string& name) {
    std::ifstream stream(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void put(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string folder_;
};

TEST_F(CheckpointFiles, WhatIsWrittenIsReadAgain) {
  const Manifest manifest = write(3);
  EXPECT_EQ(parse_manifest(read_manifest(folder_), "it"), manifest);
  const std::string name = part_name(folder_, manifest.generation, 1);
  const std::string bytes = read_part(name, manifest.parts[1]);
  const auto elements = elements_of(bytes, name, manifest);
  ASSERT_EQ(elements.size(), 10U);
  EXPECT_EQ(elements[2].array, 1);
  EXPECT_EQ(elements[2].element, 2U);
  EXPECT_EQ(elements[2].bytes, "state" + std::string(14, 'x'));
}

TEST_F(CheckpointFiles, TheOneBeforeIsWholeUntilTheNextIs) {
  const Manifest first = write(2);
  const std::uint64_t next = begin_generation(folder_); // and here the job was killed
  put(part_name(folder_, next, 0), "half of");
  EXPECT_EQ(parse_manifest(read_manifest(folder_), "it"), first);
  (void)read_part(part_name(folder_, first.generation, 1), first.parts[1]);
  const Manifest second = write(1, "later");
  EXPECT_EQ(second.generation, next);
  EXPECT_EQ(parse_manifest(read_manifest(folder_), "it"), second);
  EXPECT_FALSE(fs::exists(generation_folder(folder_, first.generation)));
}

TEST_F(CheckpointFiles, DamagedPartsAreRefused) {
  const Manifest manifest = write(1);
  const std::string name = part_name(folder_, manifest.generation, 0);
  const std::string whole = bytes_of(name);
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0)
      bytes.resize(random.below(bytes.size()));
    else
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    put(name, bytes);
    EXPECT_THROW((void)read_part(name, manifest.parts[0]), Error);
    try { // without a checksum: refused, or elements that lie in the bytes
      for (const SavedElement& one : elements_of(bytes, name, manifest))
        ASSERT_LE(one.bytes.data() + one.bytes.size(), bytes.data() + bytes.size());
    } catch (const Error& refused) {
      EXPECT_NE(std::string(refused.what()).find(name), std::string::npos);
    }
  }
  fs::remove(name);
  EXPECT_THROW((void)read_part(name, manifest.parts[0]), Error);
}

TEST_F(CheckpointFiles, DamagedManifestsAreRefusedOrSaySomethingElse) {
  const std::string whole = to_text(write(2));
  Random random(2);
  for (int round = 0; round < 1000; ++round) {
    std::string text = whole;
    for (int times = 1 + random.below(3); times > 0; --times)
      switch (random.below(3)) {
      case 0:
        text.resize(random.below(text.size() + 1));
        break;
      case 1:
        text.insert(random.below(text.size() + 1), 1, static_cast<char>(random.below(256)));
        break;
      default:
        text.erase(random.below(text.size() + 1), 1 + random.below(std::size_t{20}));
      }
    try {
      (void)parse_manifest(text, "damaged.toml");
    } catch (const Error& refused) {
      EXPECT_TRUE(std::string(refused.what()).starts_with("damaged.toml")) << refused.what();
    }
  }
  constexpr std::string_view current = "format = 2\n";
  ASSERT_TRUE(whole.starts_with(current));
  for (const char* other : {"format = 1\n", "format = 3\n"})
    EXPECT_THROW((void)parse_manifest(other + whole.substr(current.size()), "it"), Error);
}

} // namespace
