// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/gpu_memory.hpp"

#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <mutex>
#include <string_view>

namespace thalweg::mpi {

namespace {

// cuPointerGetAttribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE): an error for memory that CUDA does not know.
bool is_of_cuda(void* function, const void* address) {
  constexpr int memory_type = 2;
  constexpr unsigned host = 1;
  unsigned type = host;
  const auto ask = reinterpret_cast<int (*)(void*, int, std::uintptr_t)>(function);
  return ask(&type, memory_type, reinterpret_cast<std::uintptr_t>(address)) == 0 && type != host;
}

// hipPointerGetAttribute(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE). Versions differ in what 1 means, memory of the
// host that was pinned or of a GPU; 0 is the host's in all.
bool is_of_hip(void* function, const void* address) {
  constexpr int memory_type = 2;
  unsigned type = 0;
  const auto ask = reinterpret_cast<int (*)(void*, int, const void*)>(function);
  return ask(&type, memory_type, address) == 0 && type != 0;
}

// Level Zero answers only to who has the program's context.
bool is_unknown(void*, const void*) {
  return true;
}

// CUDA's runtime loads libcuda before it gives memory out.
bool is_none(void*, const void*) {
  return false;
}

struct GpuRuntime {
  std::string_view library; // how its file's name begins
  const char* function;     // that tells about an address
  bool (*is_device)(void* function, const void* address);
};

constexpr std::array runtimes{
    GpuRuntime{"libcuda.so", "cuPointerGetAttribute", is_of_cuda},
    GpuRuntime{"libamdhip64.so", "hipPointerGetAttribute", is_of_hip},
    GpuRuntime{"libze_loader.so", "zeInit", is_unknown},
    GpuRuntime{"libcudart.so", "cudaMalloc", is_none},
};

// The functions of those that are loaded, by `runtimes`. Looked for again when the process has loaded more.
struct LoadedRuntimes {
  std::mutex mutex;
  std::atomic<unsigned long long> loads{0}; // that the process had made at the last look
  std::array<std::atomic<void*>, runtimes.size()> functions{};
};
LoadedRuntimes loaded;

int read_loads(dl_phdr_info* info, std::size_t, void* loads) {
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1; // every entry has the same number
}

int note_runtime(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (std::size_t i = 0; i < runtimes.size(); ++i)
    if (file.starts_with(runtimes[i].library))
      (*static_cast<std::array<std::string, runtimes.size()>*>(paths))[i] = path;
  return 0;
}

void look_for_runtimes() {
  unsigned long long loads = 0;
  dl_iterate_phdr(read_loads, &loads);
  if (loads == loaded.loads.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock(loaded.mutex);
  std::array<std::string, runtimes.size()> paths;
  dl_iterate_phdr(note_runtime, &paths);
  for (std::size_t i = 0; i < runtimes.size(); ++i) {
    if (paths[i].empty() || loaded.functions[i].load() != nullptr)
      continue;
    // Python's modules keep it out of the global search order. It stays loaded: we hold it from now on.
    if (void* handle = dlopen(paths[i].c_str(), RTLD_NOLOAD | RTLD_LAZY))
      loaded.functions[i].store(dlsym(handle, runtimes[i].function));
  }
  loaded.loads.store(loads, std::memory_order_release);
}

} // namespace

std::int64_t loaded_gpu_runtime() {
  look_for_runtimes();
  for (std::size_t i = 0; i < runtimes.size(); ++i)
    if (loaded.functions[i].load() != nullptr)
      return static_cast<std::int64_t>(i) + 1;
  return 0;
}

GpuPlan gpu_plan(GpuBuffers setting, std::span<const job::RankPlace> ranks) {
  if (setting == GpuBuffers::no)
    return {};
  if (setting == GpuBuffers::yes)
    return {.leaves_data = true};
  const auto has_runtime = [](const job::RankPlace& rank) { return rank.gpu_runtime > 0; };
  const auto first = std::ranges::find_if(ranks, has_runtime);
  if (first == ranks.end())
    return {};
  return {.leaves_data = true, .rank = first - ranks.begin(), .runtime = first->gpu_runtime};
}

std::string gpu_text(const GpuPlan& plan) {
  if (!plan.leaves_data)
    return "";
  if (plan.rank < 0)
    return "calls with data are the library's: THALWEG_GPU_BUFFERS=yes";
  return fmt::format("calls with data are the library's: rank {} has {} loaded, so buffers may be in a GPU's "
                     "memory; if none is, --gpu-buffers no",
                     plan.rank, runtimes[static_cast<std::size_t>(plan.runtime) - 1].library);
}

bool may_be_on_gpu(const void* sendbuf, const void* recvbuf) {
  if (runtime.settings.gpu_buffers == GpuBuffers::no)
    return false;
  look_for_runtimes();
  for (std::size_t i = 0; i < runtimes.size(); ++i)
    if (void* function = loaded.functions[i].load(std::memory_order_relaxed))
      for (const void* address : {sendbuf, recvbuf})
        if (address != nullptr && runtimes[i].is_device(function, address))
          return true;
  return false;
}

bool may_be_on_gpu(const void* address) {
  return address != nullptr && may_be_on_gpu(address, nullptr);
}

bool HostBuffers::look(const void* sendbuf, const void* recvbuf) {
  if (recvbuf == MPI_IN_PLACE || !needs_.are_met(sendbuf, recvbuf) || may_be_on_gpu(sendbuf, recvbuf))
    return false;
  sendbuf_ = sendbuf;
  recvbuf_ = recvbuf;
  return true;
}

} // namespace thalweg::mpi
