// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

/// What tests of the parsers of recordings and traces share.
namespace thalweg::pattern {

/// Changes one to four places of a text: a character is another one, or some are missing.
inline void damage(std::string& text, std::mt19937& random) {
  for (auto changes = random() % 4 + 1; changes > 0 && !text.empty(); --changes) {
    const std::size_t place = random() % text.size();
    if (random() % 3 == 0)
      text.erase(place, random() % 5 + 1);
    else
      text[place] = static_cast<char>(random());
  }
}

/// Parsing is an error that names file and line, and has a remedy.
template <typename Parse>
void expect_refused(const std::string& text, Parse parse) {
  try {
    parse(text, "a file");
    ADD_FAILURE() << text;
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("a file:"), std::string::npos) << error.problem();
    EXPECT_FALSE(error.remedy().empty());
  }
}

} // namespace thalweg::pattern
