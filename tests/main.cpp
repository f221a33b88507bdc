// SPDX-License-Identifier: Apache-2.0
// The test program. Kokkos starts with the first test tagged [kokkos]: to list tests needs no
// device. It ends after the run, in no listener, which Catch2 calls in the handler of a signal,
// too, where a device's driver may wait for the thread that was stopped.
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include "tests/support.hpp"

namespace portcost::test {

namespace {

std::optional<KokkosGuard> kokkos_in_use;

class KokkosListener final : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    const bool wanted = std::any_of(test.tags.begin(), test.tags.end(),
                                    [](const Catch::Tag& tag) { return tag.original == "kokkos"; });
    const bool possible = kokkos_place() == Place::host || device_present();
    if (wanted && possible && !kokkos_in_use) kokkos_in_use.emplace();
  }
};

CATCH_REGISTER_LISTENER(KokkosListener)

}  // namespace

static int run_all(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  kokkos_in_use.reset();
  end_shared_streams();
  return status;
}

}  // namespace portcost::test

#if defined(__SANITIZE_ADDRESS__)
// Tests ask for more memory than there is, and look at how that is refused.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

int main(int argc, char** argv) { return portcost::test::run_all(argc, argv); }
