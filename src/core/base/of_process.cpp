// SPDX-License-Identifier: BSD-3-Clause
#include "base/of_process.hpp"

#include <mutex>
#include <set>
#include <utility>

namespace thalweg {

namespace {

struct KeptTexts {
  std::mutex mutex;
  std::set<std::string> texts;
};

} // namespace

const char* kept_text(std::string text) {
  auto& [mutex, texts] = of_process<KeptTexts>();
  const std::lock_guard lock(mutex);
  return texts.insert(std::move(text)).first->c_str();
}

} // namespace thalweg
