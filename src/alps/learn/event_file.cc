#include "alps/learn/event_file.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

#include "alps/base/error.h"

namespace alps {
namespace {

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// protobuf's wire types: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes
std::string key(int field, int type) { return varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type)); }
std::string text_field(int field, const std::string& text) { return key(field, 2) + varint(text.size()) + text; }

uint32_t masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace

uint32_t crc32c(const std::string& bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = (t[i] >> 1) ^ (t[i] & 1 ? 0x82f63b78u : 0u);
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

EventFile::EventFile(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  path_ = folder / str("events.out.tfevents.", static_cast<int64_t>(wall_time()), ".alps.", getpid());
  out_.open(path_, std::ios::binary | std::ios::app);
  if (!out_) throw Error("cannot write ", path_.string(), ": ", std::strerror(errno));
  record(key(1, 1) + raw(wall_time()) + text_field(3, "brain.Event:2"));
}

void EventFile::write(const std::string& tag, int64_t step, double value) {
  const std::string scalar = text_field(1, tag) + key(2, 5) + raw(static_cast<float>(value));
  record(key(1, 1) + raw(wall_time()) + key(2, 0) + varint(static_cast<uint64_t>(step)) +
         text_field(5, text_field(1, scalar)));
}

void EventFile::record(const std::string& data) {
  const std::string length = raw(static_cast<uint64_t>(data.size()));
  out_ << length << raw(masked(crc32c(length))) << data << raw(masked(crc32c(data)));
}

void EventFile::flush() {
  out_.flush();
  if (!out_) throw Error("cannot write ", path_.string(), ": ", std::strerror(errno));
}

}  // namespace alps
