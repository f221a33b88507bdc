// SPDX-License-Identifier: Apache-2.0
// Loaded by CUDA's driver into a program (CUDA_INJECTION64_PATH): writes the calls of CUDA's
// runtime between cudaProfilerStart and cudaProfilerStop, a line each with its nanoseconds, and a
// line "run" before those of each range, to the file that PORTCOST_CALLS_OUT names. perf/portcost
// calls builds and reads it.
#include <cupti.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Clock = std::chrono::steady_clock;

std::FILE* out = nullptr;
bool within = false;
// Of the thread that calls. One call may be made within another: only the outer one counts.
thread_local int depth = 0;
thread_local Clock::time_point begun;

void called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  const auto now = Clock::now();
  const auto* const call = static_cast<const CUpti_CallbackData*>(data);
  if (call->callbackSite == CUPTI_API_ENTER) {
    if (depth++ == 0) begun = Clock::now();
    return;
  }
  if (--depth > 0) return;
  const char* const name = call->functionName;
  if (std::strncmp(name, "cudaProfilerStart", 17) == 0) {
    within = true;
    std::fputs("run\n", out);
  } else if (std::strncmp(name, "cudaProfilerStop", 16) == 0) {
    within = false;
  } else if (within) {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begun).count();
    std::fprintf(out, "%s %lld\n", name, static_cast<long long>(ns));
  }
}

}  // namespace

extern "C" int InitializeInjection() {
  const char* const path = std::getenv("PORTCOST_CALLS_OUT");
  out = path == nullptr ? nullptr : std::fopen(path, "w");
  CUpti_SubscriberHandle subscriber;
  if (out == nullptr || cuptiSubscribe(&subscriber, called, nullptr) != CUPTI_SUCCESS ||
      cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) != CUPTI_SUCCESS) {
    std::fputs("perf/portcost calls: CUPTI refuses to report calls\n", stderr);
    return 0;
  }
  std::setvbuf(out, nullptr, _IOFBF, 1 << 20);
  return 1;
}
