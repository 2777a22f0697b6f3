// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/job_facts.hpp"

#include "mpi/observe/ticks.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

// Sets a variable for a test.
class Variable {
public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
};

TEST(JobFacts, HaveTheManagersJob) {
  const Variable id("PBS_JOBID", "12.head");
  const Variable name("PBS_JOBNAME", "solve");
  const JobFacts facts = job_facts(monotonic_ns(), "multiple");
  EXPECT_EQ(facts.manager, "pbs");
  EXPECT_EQ(facts.id, "12.head");
  EXPECT_EQ(facts.name, "solve");
  EXPECT_EQ(facts.thread_level, "multiple");
  EXPECT_EQ(facts.folder, std::filesystem::current_path());
  EXPECT_FALSE(facts.user.empty());
  EXPECT_FALSE(facts.version.empty());
}

TEST(JobFacts, HaveTimesInUtc) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1'795'989'012), "2026-11-29T21:50:12Z");
}

} // namespace
} // namespace thalweg::mpi::observe
