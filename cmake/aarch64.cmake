# Toolchain for 64-bit Arm with Debian's cross compiler (package g++-aarch64-linux-gnu):
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake ...
# `./alps build aarch64` unpacks zlib for arm64 into build/sysroot; zlib1g-dev:arm64 installed beside the own one
# (Debian's multiarch), or -DZLIB_ROOT=FOLDER, will do as well.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
get_filename_component(alps ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
list(APPEND CMAKE_FIND_ROOT_PATH ${alps}/build/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
