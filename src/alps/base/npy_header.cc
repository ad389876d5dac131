// The header of .npy: its dictionary parsed without Python, its types matched with ours, and the same written.
#include <bit>
#include <charconv>
#include <limits>
#include <optional>

#include "alps/base/npy.h"

namespace alps {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers; this code copies them");

namespace {

constexpr size_t kMagicSize = 8;            // "\x93NUMPY", major, minor
constexpr size_t kMaxDictionary = 1 << 16;  // NumPy itself trusts no more than 10,000 characters
constexpr size_t kMaxDimensions = 64;       // NumPy's limit

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"b1", DType::kBool},  {"u1", DType::kUInt8},   {"i4", DType::kInt32},
    {"i8", DType::kInt64}, {"f4", DType::kFloat32}, {"f8", DType::kFloat64},
};
constexpr std::string_view kHalf = "f2";  // read as float32

std::optional<DType> find_type(std::string_view code) {
  for (const auto& [name, dtype] : kTypes)
    if (name == code) return dtype;
  return std::nullopt;
}

std::string_view type_code(DType dtype) {
  for (const auto& [name, type] : kTypes)
    if (type == dtype) return name;
  ALPS_CHECK(false);
  return "";
}

// what to tell the owner of an array of a type we do not read
std::string refusal(std::string_view descr, std::string_view code) {
  const char kind = code.empty() ? '\0' : code[0];
  const auto save = [](std::string_view type) { return str("; save it with arr.astype(\"<", type, "\")"); };
  if (kind == 'O') return "is an array of Python objects, which only pickle can read" + save("f4");
  if (kind == 'U' || kind == 'S' || kind == 'a') return "is an array of strings; save numbers in its place";
  if (kind == 'V') return "is a structured array; save each of its fields as an array of its own";
  if (kind == 'c') return "is complex; save arr.real and arr.imag as two arrays";
  if (descr.starts_with('>') && find_type(code)) return str("is big-endian (\"", descr, "\")", save(code));

  // a type of ours that holds every value of theirs, or nearly
  std::string_view nearest = "f4";
  if (code == "i1" || code == "i2" || code == "u2") nearest = "i4";
  if (code == "u4" || code == "u8" || kind == 'm' || kind == 'M') nearest = "i8";
  if (code == "f16") nearest = "f8";
  return str("has the type \"", descr, "\", not bool, uint8, int32, int64, float32 or float64", save(nearest));
}

DType parse_type(std::string_view descr, const std::string& where) {
  std::string_view code = descr;
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) code.remove_prefix(1);
  const auto dtype = code == kHalf ? DType::kFloat32 : find_type(code);
  const bool swapped = descr.starts_with('>') && dtype && item_size(*dtype) > 1;
  if (!dtype || swapped) throw Error(where, " ", refusal(descr, code));
  return *dtype;
}

// the small part of Python's grammar that headers are written in
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  bool half() const { return half_; }

  ArrayInfo parse() {
    std::optional<DType> dtype;
    std::optional<bool> fortran_order;
    std::optional<Shape> shape;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !dtype)
        dtype = type();
      else if (key == "fortran_order" && !fortran_order)
        fortran_order = boolean();
      else if (key == "shape" && !shape)
        shape = tuple();
      else
        fail();
      if (!accept(',') && peek() != '}') fail();
    }
    if (peek() != '\0' || !dtype || !fortran_order || !shape) fail();
    return {*dtype, std::move(*shape), *fortran_order, false};
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(where_, " has a header that is not NumPy's; the file is damaged, save it again with NumPy");
  }

  // the next character that is not white space; '\0' at the end (a real NUL is no part of the grammar either)
  char peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  bool accept(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  // a list or a tuple in place of a name describes fields
  DType type() {
    const char c = peek();
    if (c == '[' || c == '(' || c == '{') throw Error(where_, " ", refusal("V", "V"));
    const std::string_view descr = quoted();
    half_ = descr.ends_with(kHalf);
    return parse_type(descr, where_);
  }

  bool boolean() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    fail();
  }

  // (), (3,), (3, 4), (3, 4,)
  Shape tuple() {
    Shape shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma || shape.size() == kMaxDimensions) fail();
      shape.push_back(number());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) fail();
    return shape;
  }

  size_t number() {
    size_t value = 0;
    peek();
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) fail();
    rest_.remove_prefix(end - rest_.data());
    if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // Python 2 wrote 3L
    return value;
  }

  std::string_view rest_;
  const std::string& where_;
  bool half_ = false;
};

// bytes of the array, or nothing if they are too many to count
std::optional<size_t> checked_byte_size(const ArrayInfo& info, bool half) {
  size_t bytes = half ? sizeof(uint16_t) : item_size(info.dtype);
  bool empty = false;
  for (const size_t n : info.shape) {
    empty = empty || n == 0;
    if (n != 0 && bytes > std::numeric_limits<size_t>::max() / n) return std::nullopt;
    bytes *= n == 0 ? 1 : n;
  }
  return empty ? 0 : bytes;
}

}  // namespace

ArrayInfo parse_npy_dictionary(std::string_view text, const std::string& where) {
  return DictionaryParser(text, where).parse();
}

NpyHeader read_npy_header(const ReadFn& next, uint64_t total, const std::string& where) {
  const auto require = [&](bool holds, std::string_view what) {
    if (!holds) throw Error(where, " ", what);
  };
  require(total >= kMagicSize + 4, "is too short for a NumPy array; the file is damaged or is no .npy file");

  std::string magic(kMagicSize, '\0');
  next(std::as_writable_bytes(std::span(magic)));
  require(magic.starts_with("\x93NUMPY"), "is not a NumPy array; write it with numpy.save or numpy.savez");
  const auto major = static_cast<uint8_t>(magic[6]), minor = static_cast<uint8_t>(magic[7]);
  require(major >= 1 && major <= 3 && minor == 0, "has an unknown .npy version; save it again with NumPy");

  // version 1 counts the dictionary in two bytes, the later ones in four
  const size_t count_size = major == 1 ? 2 : 4;
  uint32_t length = 0;
  next(std::as_writable_bytes(std::span(&length, 1)).first(count_size));
  const size_t header_size = kMagicSize + count_size + length;
  require(length <= kMaxDictionary && header_size <= total, "has a header longer than itself; the file is damaged");

  std::string text(length, '\0');
  next(std::as_writable_bytes(std::span(text)));
  DictionaryParser parser(text, where);
  const ArrayInfo info = parser.parse();

  // the claim of the shape against what is there
  if (checked_byte_size(info, parser.half()) != total - header_size)
    throw Error(where, " claims the shape ", shape_text(info.shape), " of ",
                parser.half() ? "float16" : dtype_name(info.dtype), " but holds ", total - header_size,
                " bytes; the file is damaged or cut short, save or fetch it again");
  return {info, header_size, parser.half()};
}

std::string npy_header(DType dtype, const Shape& shape) {
  const char order = item_size(dtype) == 1 ? '|' : '<';
  std::string text =
      str("{'descr': '", order, type_code(dtype), "', 'fortran_order': False, 'shape': ", shape_text(shape), ", }");

  // NumPy leaves room for the first axis to grow to 21 digits, then pads to a multiple of 64
  constexpr size_t kGrowth = 21, kAlign = 64, kPrefix = kMagicSize + 2;
  if (!shape.empty()) text.append(kGrowth - str(shape[0]).size(), ' ');
  text.append(kAlign - (kPrefix + text.size() + 1) % kAlign, ' ');
  text += '\n';
  ALPS_CHECK(text.size() < (1 << 16));
  const char length[] = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return str(std::string_view("\x93NUMPY\x01\x00", 8), std::string_view(length, 2), text);
}

}  // namespace alps
