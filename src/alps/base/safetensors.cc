#include "alps/base/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "alps/base/file.h"

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace alps {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

constexpr uint64_t kMaxHeader = 100'000'000;  // the reference implementation's limit

struct TypeName {
  const char* name;
  DType dtype;
};
constexpr TypeName kTypes[] = {{"BOOL", DType::kBool}, {"U8", DType::kUInt8},    {"I32", DType::kInt32},
                               {"I64", DType::kInt64}, {"F32", DType::kFloat32}, {"F64", DType::kFloat64}};

const char* type_name(DType dtype) {
  for (const TypeName& type : kTypes)
    if (type.dtype == dtype) return type.name;
  ALPS_CHECK(false);
  return "";
}

[[noreturn]] void bad(const fs::path& path, const std::string& what) {
  throw Error(path.string(), ": ", what, "; the file is damaged or is not a safetensors file");
}

struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  uint64_t begin, end;  // bytes within the data section
};

// an unsigned integer that JSON holds exactly, or nothing
std::optional<uint64_t> whole(const json& value) {
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0)) return {};
  return value.get<uint64_t>();
}

Entry parse_entry(const fs::path& path, const std::string& name, const json& value, uint64_t data_size) {
  const std::string where = "tensor '" + name + "'";
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets"))
    bad(path, where + " lacks dtype, shape or data_offsets");
  Entry entry{name, DType::kFloat32, {}, 0, 0};

  const json& dtype = value["dtype"];
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return dtype == t.name; });
  if (type == std::end(kTypes))
    throw Error(path.string(), ": ", where, " has type ", dtype.dump().substr(0, 40),
                "; alps reads BOOL, U8, I32, I64, F32, F64");
  entry.dtype = type->dtype;

  // the product of the shape may not exceed the file, whatever the single sizes are
  const json& shape = value["shape"];
  if (!shape.is_array() || shape.size() > 32) bad(path, where + " has no valid shape");
  uint64_t count = 1;
  for (const json& size : shape) {
    const auto n = whole(size);
    if (!n || *n > (uint64_t{1} << 48)) bad(path, where + " has no valid shape");
    entry.shape.push_back(*n);
    if (*n != 0 && count > (uint64_t{1} << 62) / *n) bad(path, where + " is larger than the file");
    count *= *n;
  }

  const json& offsets = value["data_offsets"];
  const bool pair = offsets.is_array() && offsets.size() == 2 && whole(offsets[0]) && whole(offsets[1]);
  if (!pair) bad(path, where + " has no valid data_offsets");
  entry.begin = *whole(offsets[0]);
  entry.end = *whole(offsets[1]);
  if (entry.begin > entry.end || entry.end > data_size) bad(path, where + " lies outside the file (truncated?)");
  if (count > data_size || count * item_size(entry.dtype) != entry.end - entry.begin)
    bad(path, where + " has " + std::to_string(entry.end - entry.begin) + " bytes, not what its shape " +
                  shape_text(entry.shape) + " needs");
  return entry;
}

// tensors must cover the data section without gaps or overlap, so that no byte has two meanings
void check_cover(const fs::path& path, std::vector<Entry> entries, uint64_t data_size) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) bad(path, "tensor '" + entry.name + "' overlaps another or leaves a gap");
    position = entry.end;
  }
  if (position != data_size)
    bad(path, "has " + std::to_string(data_size - position) + " bytes that belong to no tensor");
}

std::string crc_text(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

uint32_t add_crc(uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// wider types first, so that every tensor is aligned
std::vector<const std::pair<const std::string, Array>*> file_order(const Tensors& tensors) {
  std::vector<const std::pair<const std::string, Array>*> order;
  for (const auto& item : tensors.arrays) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return item_size(a->second.dtype()) > item_size(b->second.dtype()); });
  return order;
}

}  // namespace

const Array& Tensors::at(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw Error(path.string(), ": lacks tensor '", name, "'");
  return found->second;
}

const Array& Tensors::at(const std::string& name, DType dtype, const Shape& shape) const {
  const Array& array = at(name);
  if (array.dtype() != dtype || array.shape() != shape)
    throw Error(path.string(), ": tensor '", name, "' is ", dtype_name(array.dtype()), " ", shape_text(array.shape()),
                ", expected ", dtype_name(dtype), " ", shape_text(shape));
  return array;
}

std::string Tensors::text(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw Error(path.string(), ": lacks metadata key '", key, "'");
  return found->second;
}

Tensors read_safetensors(const fs::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw Error("cannot read ", path.string(), ": ", std::strerror(errno));
  const std::streamoff end = in.tellg();
  if (end < 8) bad(path, "is only " + std::to_string(std::max<std::streamoff>(end, 0)) + " bytes long");
  const uint64_t file_size = end;
  in.seekg(0);

  // the header: its size, then JSON
  uint64_t header_size = 0;
  in.read(reinterpret_cast<char*>(&header_size), 8);
  if (header_size > file_size - 8 || header_size > kMaxHeader) bad(path, "header size does not fit the file");
  std::string header(header_size, '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(header_size))) bad(path, "cannot be read to its end");
  const json root = json::parse(header, nullptr, false);
  if (!root.is_object()) bad(path, "header is not a JSON object");

  Tensors tensors;
  tensors.path = path;
  const uint64_t data_size = file_size - 8 - header_size;
  std::vector<Entry> entries;
  for (const auto& [name, value] : root.items()) {
    if (name != "__metadata__") {
      entries.push_back(parse_entry(path, name, value, data_size));
      continue;
    }
    if (!value.is_object()) bad(path, "metadata is not an object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) bad(path, "metadata '" + key + "' is not a string");
      tensors.metadata[key] = text.get<std::string>();
    }
  }
  check_cover(path, entries, data_size);

  // the bytes, in file order, with the checksum on the way
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  uint32_t crc = 0;
  for (const Entry& entry : entries) {
    Array array(entry.dtype, entry.shape);
    const auto bytes = array.bytes();
    if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      bad(path, "cannot be read to its end");
    crc = add_crc(crc, bytes);
    tensors.arrays.emplace(entry.name, std::move(array));
  }
  const auto sum = tensors.metadata.find("crc32");
  if (sum != tensors.metadata.end() && sum->second != crc_text(crc))
    throw Error(path.string(), ": checksum of the tensors is ", crc_text(crc), ", not ", sum->second.substr(0, 16),
                " as written; the file was damaged or edited");
  tensors.metadata["crc32"] = crc_text(crc);  // files of others have none
  return tensors;
}

void write_safetensors(const fs::path& path, const Tensors& tensors) {
  const auto order = file_order(tensors);
  json root = json::object();
  uint64_t offset = 0;
  uint32_t crc = 0;
  for (const auto* item : order) {
    const Array& array = item->second;
    root[item->first] = {{"dtype", type_name(array.dtype())},
                         {"shape", array.shape()},
                         {"data_offsets", {offset, offset + array.byte_size()}}};
    offset += array.byte_size();
    crc = add_crc(crc, array.bytes());
  }
  auto metadata = tensors.metadata;
  metadata["crc32"] = crc_text(crc);
  root["__metadata__"] = metadata;

  // padded with spaces so that the data section is aligned
  std::string header = root.dump(-1, ' ', false, json::error_handler_t::replace);
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const uint64_t header_size = header.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&header_size, 1)));
  file.write(header);
  for (const auto* item : order) file.write(item->second.bytes());
  file.commit();
}

}  // namespace alps
