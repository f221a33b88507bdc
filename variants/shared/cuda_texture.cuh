// SPDX-License-Identifier: Apache-2.0
// How a thread reads a number of global memory: as any other, by the read-only path, as a texel.
#pragma once

#include <memory>
#include <type_traits>

#include "src/memory/cuda_check.hpp"

namespace portcost {

struct Plain {
  __device__ auto operator()(const auto* at) const { return *at; }
};
struct ReadOnly {
  __device__ auto operator()(const auto* at) const { return __ldg(at); }
};
/// Of a texture of one dimension, in place of the numbers from `first` on.
template <class T>
struct Texels {
  using Texel = std::conditional_t<sizeof(T) == 8, int2, T>;  // textures have no f64
  cudaTextureObject_t object;
  const T* first;

  __device__ T operator()(const T* at) const {
    const Texel texel = tex1Dfetch<Texel>(object, static_cast<int>(at - first));
    return reinterpret_cast<const T&>(texel);
  }
};

/// The texture of `count` numbers from `first` on. Throws Failure where the GPU has none of so
/// many.
template <class T>
std::shared_ptr<const Texels<T>> texture_of(const T* first, std::size_t count) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<T*>(first), cudaCreateChannelDesc<typename Texels<T>::Texel>(),
                         count * sizeof(T)};
  const cudaTextureDesc as_they_are{};
  cudaTextureObject_t object = 0;
  cuda_check(cudaCreateTextureObject(&object, &resource, &as_they_are, nullptr));
  return {new Texels<T>{object, first}, [](const Texels<T>* texels) {
            cudaDestroyTextureObject(texels->object);
            delete texels;
          }};
}

}  // namespace portcost
