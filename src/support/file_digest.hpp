// SPDX-License-Identifier: Apache-2.0
// What identifies the contents of a file, wherever it lies and whatever it is called.
#pragma once

#include <cstdint>
#include <string>

namespace portcost {

struct FileDigest {
  std::uint64_t bytes = 0;
  std::string sha256;   // 64 hexadecimal digits; empty: not known
  std::string why_not;  // why it is not known, in a few words
};

/// Reads the whole file. Without OpenSSL in this build only its size is known. Throws Failure when
/// it cannot be read.
FileDigest digest_of(const std::string& path);

}  // namespace portcost
