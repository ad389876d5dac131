# Turns the files of the page into C++: cmake -DOUT=page.cc -DFILES="a;b" -P EmbedFiles.cmake. The bytes become numbers,
# because a compiler need not take long strings.
set(text "// made by cmake/EmbedFiles.cmake\n#include \"viewer/page.h\"\n\nnamespace alps::viewer {\nnamespace {\n\n")
set(table "")
set(number 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND table "      {\"${name}\", {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "\n}  // namespace\n\nstd::span<const PageFile> page_files() {\n  static const PageFile kFiles[] = {\n${table}  };\n"
                   "  return kFiles;\n}\n\n}  // namespace alps::viewer\n")
file(WRITE ${OUT} "${text}")
