// Preloaded, it lets calls about files below $FAULT_FOLDER fail as a disk does: LD_PRELOAD=faults.so, and
//   FAULT_KIND   ENOSPC, EDQUOT or EIO: writes, and what makes them last, fail with it; READ: reads fail with EIO;
//                SHORT: a write takes half of its bytes, and the next one has no space
//   FAULT_AFTER  so many calls succeed, then all fail; without it none does
//   FAULT_TOLD   a file that gets the number of calls when the process ends
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int is_read(void) {
  const char* kind = getenv("FAULT_KIND");
  return kind && strcmp(kind, "READ") == 0;
}

static int below(const char* path) {
  const char* folder = getenv("FAULT_FOLDER");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int descriptor_below(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

// 0, or the error that this call shall have; `half` where half of a write is to succeed
static int fault(int reading, int* half) {
  const char* after = getenv("FAULT_AFTER");
  const char* kind = getenv("FAULT_KIND");
  if (reading != is_read()) return 0;
  long number = atomic_fetch_add(&calls, 1);
  if (!after || number < atol(after) || !kind) return 0;
  if (strcmp(kind, "SHORT") == 0) {
    if (half && number == atol(after)) *half = 1;
    return half && *half ? 0 : ENOSPC;
  }
  return strcmp(kind, "ENOSPC") == 0 ? ENOSPC : strcmp(kind, "EDQUOT") == 0 ? EDQUOT : EIO;
}

#define FAIL_IF(condition, reading)       \
  if (condition) {                        \
    int code = fault(reading, NULL);      \
    if (code) return errno = code, -1;    \
  }

ssize_t write(int d, const void* bytes, size_t size) {
  if (descriptor_below(d)) {
    int half = 0, code = fault(0, &half);
    if (code) return errno = code, -1;
    if (half && size > 1) size /= 2;
  }
  return REAL(write)(d, bytes, size);
}
ssize_t writev(int d, const struct iovec* parts, int count) {
  FAIL_IF(descriptor_below(d), 0)
  return REAL(writev)(d, parts, count);
}
ssize_t pwrite(int d, const void* bytes, size_t size, off_t at) {
  FAIL_IF(descriptor_below(d), 0)
  return REAL(pwrite)(d, bytes, size, at);
}
ssize_t pwrite64(int d, const void* bytes, size_t size, off64_t at) {
  FAIL_IF(descriptor_below(d), 0)
  return REAL(pwrite64)(d, bytes, size, at);
}
int fsync(int d) {
  FAIL_IF(descriptor_below(d), 0)
  return REAL(fsync)(d);
}
int rename(const char* from, const char* to) {
  FAIL_IF(below(to), 0)
  return REAL(rename)(from, to);
}
int mkdir(const char* path, mode_t mode) {
  FAIL_IF(below(path), 0)
  return REAL(mkdir)(path, mode);
}
ssize_t read(int d, void* bytes, size_t size) {
  FAIL_IF(descriptor_below(d), 1)
  return REAL(read)(d, bytes, size);
}
ssize_t pread(int d, void* bytes, size_t size, off_t at) {
  FAIL_IF(descriptor_below(d), 1)
  return REAL(pread)(d, bytes, size, at);
}
ssize_t pread64(int d, void* bytes, size_t size, off64_t at) {
  FAIL_IF(descriptor_below(d), 1)
  return REAL(pread64)(d, bytes, size, at);
}

static int open_at(const char* name, const char* path, int flags, mode_t mode) {
  FAIL_IF(below(path) && (flags & O_CREAT), 0)
  int (*real)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, name);
  return real(path, flags, mode);
}
#define OPEN(name)                                                  \
  int name(const char* path, int flags, ...) {                      \
    va_list list;                                                   \
    va_start(list, flags);                                          \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                   \
    return open_at(#name, path, flags, mode);                       \
  }
OPEN(open)
OPEN(open64)

__attribute__((destructor)) static void tell(void) {
  const char* told = getenv("FAULT_TOLD");
  if (!told) return;
  int d = REAL(open)(told, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char text[32];
  int length = snprintf(text, sizeof text, "%ld", atomic_load(&calls));
  if (REAL(write)(d, text, (size_t)length) != length) return;
  close(d);
}
