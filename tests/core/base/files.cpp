// SPDX-License-Identifier: BSD-3-Clause
#include "base/files.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace thalweg {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
  Files() : folder_(fs::path(testing::TempDir()) / ("thalweg-files-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string made(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string content(const std::string& path) { return read_text(path, "look"); }
  /// Why a file is refused, or "" where it is read.
  static std::string refusal(const std::string& path) {
    try {
      read_text(path, "look");
    } catch (const Error& error) {
      EXPECT_EQ(error.remedy().empty(), false);
      return error.problem();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(Files, AreReadWithoutTheirByteOrderMark) {
  EXPECT_EQ(content(made("a", "\xef\xbb\xbfone\r\ntwo")), "one\r\ntwo");
  EXPECT_EQ(content(made("a", "")), "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(content(made("a", large)), large);
}

TEST_F(Files, ThatAreNoTextAreRefused) {
  EXPECT_EQ(refusal(path("none")), path("none") + ": cannot be read: No such file or directory");
  EXPECT_EQ(refusal(folder_.string()), folder_.string() + ": cannot be read: Is a directory");
  EXPECT_EQ(refusal(made("a", std::string("a\nb\0c", 5))),
            path("a") + ":2: a byte of value 0, so it is no text");
  EXPECT_EQ(refusal(made("a", std::string("\xff\xfe"
                                          "a\0",
                                          4))),
            path("a") + ": it is UTF-16");
}

TEST_F(Files, AreReplacedWithTheirPermissions) {
  const std::string file = made("a", "old");
  ::chmod(file.c_str(), 0640);
  EXPECT_FALSE(write_file(file, "new"));
  EXPECT_EQ(content(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_FALSE(write_file(path("b"), "fresh"));
  EXPECT_EQ(content(path("b")), "fresh");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(Files, StayAsTheyWereWhereTheyCannotBeReplaced) {
  EXPECT_EQ(write_file(path("none") + "/a", "x").value(), ENOENT);
  EXPECT_EQ(write_file(folder_.string(), "x").value(), EISDIR);
}

TEST_F(Files, AreWrittenToWhereLinksLead) {
  fs::create_directory(path("inner"));
  made("inner/a", "old");
  fs::create_symlink("inner/a", path("near"));
  fs::create_symlink(path("near"), path("far"));
  fs::create_symlink("inner/fresh", path("dangling"));
  EXPECT_FALSE(write_file(path("far"), "new"));
  EXPECT_FALSE(write_file(path("dangling"), "made"));
  EXPECT_TRUE(fs::is_symlink(path("far")) && fs::is_symlink(path("near")) &&
              fs::is_symlink(path("dangling")));
  EXPECT_EQ(content(path("inner/a")), "new");
  EXPECT_EQ(content(path("inner/fresh")), "made");
  fs::create_symlink("round", path("round"));
  EXPECT_EQ(write_file(path("round"), "x").value(), ELOOP);
}

TEST_F(Files, ThatArePipesAreWrittenTo) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::future<std::string> read = std::async(std::launch::async, [&] { return content(pipe); });
  const std::string text(200'000, 'y'); // more than a pipe holds
  EXPECT_FALSE(write_file(pipe, text));
  EXPECT_EQ(read.get(), text);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// Nobody reads on: an error, and no signal that ends the program.
TEST_F(Files, ThatArePipesMayEndEarly) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::future<void> read = std::async(std::launch::async, [&] {
    const int end = ::open(pipe.c_str(), O_RDONLY);
    char first = 0;
    EXPECT_EQ(::read(end, &first, 1), 1);
    ::close(end);
  });
  EXPECT_EQ(write_file(pipe, std::string(1'000'000, 'y')).value(), EPIPE);
  read.get();
}

TEST_F(Files, ThatAreDevicesAreWrittenTo) {
  const std::string device = path("full"); // as /dev/full
  if (::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0 || ::access(device.c_str(), W_OK) != 0)
    GTEST_SKIP() << "not root";
  const int probe = ::open(device.c_str(), O_WRONLY);
  if (probe < 0)
    GTEST_SKIP() << "this file system has no devices";
  ::close(probe);
  EXPECT_EQ(write_file(device, "x").value(), ENOSPC);
  fs::create_symlink("full", path("link"));
  EXPECT_EQ(write_file(path("link"), "x").value(), ENOSPC);
  EXPECT_TRUE(fs::is_character_file(device));
}

TEST_F(Files, OfOpenDescriptorsAreWrittenBehindWhatIsThere) {
  const std::string file = made("out", "before\n");
  const int own = ::open(file.c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(own, 0);
  const ino_t before = [&] {
    struct stat found {};
    ::fstat(own, &found);
    return found.st_ino;
  }();
  fs::create_symlink("/proc/self/fd/" + std::to_string(own), path("stdout"));
  EXPECT_FALSE(write_file("/proc/self/fd/" + std::to_string(own), "one\n"));
  EXPECT_FALSE(write_file(path("stdout"), "two\n"));
  ::close(own);
  EXPECT_EQ(content(file), "before\none\ntwo\n");
  struct stat after {};
  EXPECT_EQ(::stat(file.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before);
}

// Whoever reads meanwhile sees one of the texts, whole.
TEST_F(Files, AreReplacedAtOnceByMany) {
  const std::string file = made("a", std::string(50'000, '0'));
  std::vector<std::future<void>> writers;
  for (char letter = '1'; letter <= '4'; ++letter)
    writers.push_back(std::async(std::launch::async, [&file, letter] {
      for (int round = 0; round < 50; ++round)
        EXPECT_FALSE(write_file(file, std::string(50'000, letter)));
    }));
  for (int round = 0; round < 200; ++round) {
    const std::string text = content(file);
    EXPECT_EQ(text, std::string(50'000, text.at(0)));
  }
  for (std::future<void>& writer : writers)
    writer.get();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

} // namespace
} // namespace thalweg
