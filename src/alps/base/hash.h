// A short name for a text: FNV-1a with 64 bits, as 16 hexadecimal digits. The same on every machine, unlike std::hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alps {

inline std::string hash_name(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string name(16, '0');
  for (size_t i = 16; i-- > 0; hash >>= 4) name[i] = "0123456789abcdef"[hash & 15];
  return name;
}

}  // namespace alps
