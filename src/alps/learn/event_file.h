// A TensorBoard event file, written without TensorBoard: TFRecord frames (length, masked CRC-32C of it, data, masked
// CRC-32C of the data) around Event messages in protobuf's wire format, one scalar each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace alps {

class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& folder);  // folder/events.out.tfevents.TIME.alps.PID
  void write(const std::string& tag, int64_t step, double value);
  void flush();

 private:
  void record(const std::string& data);
  std::filesystem::path path_;
  std::ofstream out_;
};

uint32_t crc32c(const std::string& bytes);

}  // namespace alps
