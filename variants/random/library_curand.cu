// SPDX-License-Identifier: Apache-2.0
// cuRAND called from the host. Compiled where cuRAND was found.
#include <curand.h>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/error.hpp"
#include "variants/random/problem.hpp"

namespace portcost::random {

namespace {

void check(curandStatus_t status) {
  require(status == CURAND_STATUS_SUCCESS, "cuRAND failed with status " + std::to_string(status));
}

void generate(curandGenerator_t by, Kind kind, float* to, std::size_t n) {
  check(kind == Kind::uniform ? curandGenerateUniform(by, to, n)
                              : curandGenerateNormal(by, to, n, 0, 1));
}
void generate(curandGenerator_t by, Kind kind, double* to, std::size_t n) {
  check(kind == Kind::uniform ? curandGenerateUniformDouble(by, to, n)
                              : curandGenerateNormalDouble(by, to, n, 0, 1));
}

template <class Rule>
class Generator final : public Execution {
 public:
  Generator(curandRngType_t type, const Filling<Rule>& s, const Stream& stream)
      : s_(s), stream_(stream), last_(2, Place::device) {
    check(curandCreateGenerator(&generator_, type));
    check(curandSetStream(generator_, stream.native()));
    check(curandSetPseudoRandomGeneratorSeed(generator_, s.seed));
    check(curandGenerateSeeds(generator_));
  }
  ~Generator() override { curandDestroyGenerator(generator_); }
  // cuRAND makes normal numbers in pairs alone.
  void run(int) override {
    *s_.own = true;
    const std::uint64_t odd = Rule::kind == Kind::normal ? s_.n % 2 : 0;
    if (s_.n > odd) generate(generator_, Rule::kind, s_.out, s_.n - odd);
    if (odd == 0) return;
    generate(generator_, Rule::kind, last_.data(), 2);
    cuda_check(cudaMemcpyAsync(s_.out + s_.n - 1, last_.data(), sizeof *s_.out,
                               cudaMemcpyDeviceToDevice, stream_.native()));
  }

 private:
  Filling<Rule> s_;
  const Stream& stream_;
  Buffer<typename Rule::T> last_;
  curandGenerator_t generator_ = nullptr;
};

template <curandRngType_t type>
constexpr auto peer =
    []<class Rule>(const Filling<Rule>& s, const Stream& on) -> std::unique_ptr<Execution> {
  return std::make_unique<Generator<Rule>>(type, s, on);
};

}  // namespace

Rungs library_curand_rungs() {
  return {rung(works, "curand_xorwow", peer<CURAND_RNG_PSEUDO_XORWOW>),
          rung(works, "curand_philox", peer<CURAND_RNG_PSEUDO_PHILOX4_32_10>),
          rung(works, "curand_mrg32k3a", peer<CURAND_RNG_PSEUDO_MRG32K3A>)};
}

}  // namespace portcost::random
