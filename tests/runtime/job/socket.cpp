// SPDX-License-Identifier: BSD-3-Clause
#include "job/socket.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace thalweg::job {
namespace {

// Two sockets, with cores dealt out as hyperthreads are: 0-3 and 8-11 on the one, 4-7 and 12-15 on the other.
class Socket : public testing::Test {
protected:
  Socket()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("thalweg-sockets-" + std::to_string(::getpid()))) {
    for (int core = 0; core < 16; ++core)
      write(core, core / 4 % 2, core / 4 % 2 == 0 ? "0-3,8-11" : "4-7,12-15");
  }
  ~Socket() override { std::filesystem::remove_all(folder_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void write(int core, int socket, const std::string& fellows) const {
    const auto topology = folder_ / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "physical_package_id") << socket << '\n';
    std::ofstream(topology / "core_siblings_list") << fellows << '\n';
  }
  int found(std::span<const std::size_t> cores) const { return socket_of(cores, folder_.string()); }

private:
  std::filesystem::path folder_;
};

TEST_F(Socket, HasAllCoresOfARank) {
  EXPECT_EQ(found(std::array<std::size_t, 1>{5}), 1);
  EXPECT_EQ(found(std::array<std::size_t, 3>{0, 3, 9}), 0);
  EXPECT_EQ(found(std::array<std::size_t, 8>{4, 5, 6, 7, 12, 13, 14, 15}), 1);
}

TEST_F(Socket, IsNotKnownOfRanksThatMayMove) {
  EXPECT_EQ(found(std::array<std::size_t, 2>{3, 4}), -1);
  EXPECT_EQ(found(std::array<std::size_t, 2>{0, 15}), -1);
}

TEST_F(Socket, IsNotKnownWhereTheKernelSaysNothingOrNonsense) {
  EXPECT_EQ(found({}), -1);
  EXPECT_EQ(found(std::array<std::size_t, 1>{99}), -1);
  for (const char* text :
       {"", "-", ",", "x", "3-", "-3", "1-99999999999999999999", "4294967296-4294967297", "5-1"}) {
    write(0, 0, text);
    EXPECT_EQ(found(std::array<std::size_t, 1>{7}), 1) << text;
    EXPECT_LE(found(std::array<std::size_t, 1>{0}), 0) << text;
  }
}

} // namespace
} // namespace thalweg::job
