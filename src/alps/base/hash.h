// A number for a text, FNV-1a with 64 bits, and a short name from it, 16 hexadecimal digits. The same on every machine,
// unlike std::hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alps {

inline uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

inline std::string hash_name(std::string_view text) {
  std::string name(16, '0');
  uint64_t hash = hash_of(text);
  for (size_t i = 16; i-- > 0; hash >>= 4) name[i] = "0123456789abcdef"[hash & 15];
  return name;
}

}  // namespace alps
