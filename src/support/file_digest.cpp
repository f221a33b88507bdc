// SPDX-License-Identifier: Apache-2.0
#include "src/support/file_digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>
#include <vector>

#include "src/support/error.hpp"

#if PORTCOST_HAS_OPENSSL
#include <openssl/evp.h>
#endif

namespace portcost {

namespace {

// Takes bytes, and says at the end what they are.
#if PORTCOST_HAS_OPENSSL
class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, refused);
  }
  void take(const char* data, std::size_t size) {
    require(EVP_DigestUpdate(context_.get(), data, size) == 1, refused);
  }
  void finish(FileDigest& result) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1, refused);
    result.sha256 = fmt::format("{:02x}", fmt::join(bytes.data(), bytes.data() + size, ""));
  }

 private:
  static constexpr const char* refused = "OpenSSL computes no SHA-256";
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};
#else
struct Sha256 {
  void take(const char*, std::size_t) {}
  void finish(FileDigest& result) { result.why_not = "this was built without OpenSSL"; }
};
#endif

}  // namespace

FileDigest digest_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "'" + path + "' cannot be opened");
  FileDigest result;
  Sha256 sum;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto size = static_cast<std::size_t>(file.gcount());
    sum.take(buffer.data(), size);
    result.bytes += size;
  }
  require(file.eof(), "'" + path + "' cannot be read to its end");
  sum.finish(result);
  return result;
}

}  // namespace portcost
