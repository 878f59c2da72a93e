/* Loaded before the C library: writes to files in FAULT_DIR fail from the FAULT_AFTER-th on, in the way of FAULT_KIND. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long count = 0;

/* Whether this write fails: every one from the given number on. */
static int fails(int file) {
  const char *folder = getenv("FAULT_DIR"), *after = getenv("FAULT_AFTER");
  char link[64], path[4096];
  if (!folder || !after) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder))) return 0;
  return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) >= atol(after);
}

static int is_kind(const char *kind) {
  const char *given = getenv("FAULT_KIND");
  return given && !strcmp(given, kind);
}

static ssize_t fault(void) {
  errno = is_kind("full") ? ENOSPC : EIO;
  return -1;
}

#define WRITE(name, offset_type)                                                     \
  ssize_t name(int file, const void *bytes, size_t size, offset_type at) {           \
    ssize_t (*next)(int, const void *, size_t, offset_type) = dlsym(RTLD_NEXT, #name); \
    if (!fails(file)) return next(file, bytes, size, at);                            \
    if (is_kind("short") && count % 5) return next(file, bytes, size > 1 ? size / 2 : size, at); \
    if (is_kind("torn")) next(file, bytes, size / 2, at);                            \
    return is_kind("short") ? next(file, bytes, size, at) : fault();                 \
  }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

int fsync(int file) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  return is_kind("sync") && fails(file) ? (int)fault() : next(file);
}

int fdatasync(int file) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
  return is_kind("sync") && fails(file) ? (int)fault() : next(file);
}
