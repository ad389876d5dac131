// The C++ side of test_npz_numpy.py: reads arrays with our reader and writes them with our writer, for NumPy to judge.
//   npz_tool copy IN.npz OUT.npz [LEVEL]     npz_tool copy_npy IN.npy OUT.npy
//   npz_tool copy_rows IN.npz KEY OUT.npy    row by row through RowFile, backwards
//   npz_tool stream IN.npz KEY               in pieces; prints dtype, shape and the CRC-32 of the bytes
//   npz_tool stream_copy IN.npz OUT.npz      in pieces from stream to begin/append
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "alps/base/npz.h"

namespace {

using Arguments = std::vector<std::string>;

void copy(const Arguments& arguments) {
  const alps::NpzReader reader(arguments.at(1));
  const auto keys = reader.keys();
  const auto arrays = reader.read(keys);
  alps::NpzOptions options;
  if (arguments.size() > 3) options.level = std::stoi(arguments[3]);
  alps::NpzWriter writer(arguments.at(2), options);
  for (size_t i = 0; i < keys.size(); ++i) writer.add(keys[i], arrays[i]);
  writer.finish();
}

void copy_npy(const Arguments& arguments) { alps::write_npy(arguments.at(2), alps::read_npy(arguments.at(1))); }

void copy_rows(const Arguments& arguments) {
  const std::string unpacked = arguments.at(3) + ".unpacked";
  const auto rows = alps::RowFile::open_npz(arguments.at(1), arguments.at(2), unpacked);
  alps::Array array(rows.info().dtype, rows.info().shape);
  const size_t row_bytes = array.row_size() * item_size(array.dtype());
  for (size_t i = array.rows(); i-- > 0;) rows.read_rows(i, 1, array.bytes().subspan(i * row_bytes, row_bytes));
  alps::write_npy(arguments.at(3), array);
}

void stream(const Arguments& arguments) {
  const alps::NpzReader reader(arguments.at(1));
  const auto stream = reader.stream(arguments.at(2));
  std::vector<std::byte> piece(10007);  // a prime: pieces end inside rows and elements
  uLong crc = 0;
  for (size_t got = piece.size(); got == piece.size();) {
    got = stream->read(piece);
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), got);
  }
  std::cout << alps::dtype_name(stream->info().dtype) << " " << alps::shape_text(stream->info().shape) << " " << crc
            << "\n";
}

void stream_copy(const Arguments& arguments) {
  const alps::NpzReader reader(arguments.at(1));
  alps::NpzWriter writer(arguments.at(2));
  std::vector<std::byte> piece(10007);
  for (const auto& key : reader.keys()) {
    const auto stream = reader.stream(key);
    writer.begin(key, stream->info().dtype, stream->info().shape);
    for (size_t got = piece.size(); got == piece.size();) {
      got = stream->read(piece);
      writer.append(std::span(piece).first(got));
    }
  }
  writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argv + 1, argv + argc);
  const std::string verb = arguments.empty() ? "" : arguments[0];
  try {
    if (verb == "copy")
      copy(arguments);
    else if (verb == "copy_npy")
      copy_npy(arguments);
    else if (verb == "copy_rows")
      copy_rows(arguments);
    else if (verb == "stream")
      stream(arguments);
    else if (verb == "stream_copy")
      stream_copy(arguments);
    else
      throw alps::UsageError("unknown verb '", verb, "'");
  } catch (const alps::Error& error) {
    std::cerr << "error: " << error.what() << "\n";
    return error.exit_code();
  }
  return 0;
}
