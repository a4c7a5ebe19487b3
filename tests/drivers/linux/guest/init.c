/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNTERS "/sys/kernel/debug/wideblock"
#define PCI_DRIVER "/sys/bus/pci/drivers/wideblock"

void fail(const char *what)
{
  printf("failed %s: %s\n", what, strerror(errno));
  fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
  _exit(1);
}

const char *setting(const char *name)
{
  const char *value = getenv(name);

  return value ? value : "";
}

long number(const char *name)
{
  return atol(setting(name));
}

const char *cipher_name(void)
{
  return setting("CIPHER");
}

double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* The text of a file; "" if it cannot be read. */
static const char *text_of(const char *path)
{
  static char text[1 << 16];
  int file = open(path, O_RDONLY);
  ssize_t got, size = 0;

  while (file >= 0 && (got = read(file, text + size, sizeof text - 1 - size)) > 0)
    size += got;
  close(file);
  text[size] = 0;
  return text;
}

int put(const char *path, const char *word)
{
  int file = open(path, O_WRONLY);
  ssize_t size = strlen(word);
  int error = file >= 0 && write(file, word, size) == size ? 0 : errno;

  close(file);
  return error;
}

long counter(const char *name)
{
  char path[512];

  snprintf(path, sizeof path, COUNTERS "/%s", name);
  return atol(text_of(path));
}

void counters(const char *when)
{
  DIR *folder = opendir(COUNTERS);
  struct dirent *each;

  printf("counters %s", when);
  while (folder && (each = readdir(folder)))
    if (each->d_name[0] != '.')
      printf(" %s=%ld", each->d_name, counter(each->d_name));
  puts("");
  closedir(folder);
}

int load_module(void)
{
  int file = open("/wideblock.ko", O_RDONLY), error;
  char parameters[32];

  snprintf(parameters, sizeof parameters, "copy=%ld", number("COPY"));
  error = syscall(SYS_finit_module, file, parameters, 0) ? errno : 0;
  close(file);
  return error;
}

int remove_module(void)
{
  return syscall(SYS_delete_module, "wideblock", O_NONBLOCK) ? errno : 0;
}

const char *device_name(void)
{
  static char name[256];
  DIR *folder = opendir(PCI_DRIVER);
  struct dirent *each;

  while (folder && (each = readdir(folder)))
    if (!strncmp(each->d_name, "0000:", 5))
      snprintf(name, sizeof name, "%s", each->d_name);
  closedir(folder);
  return name; /* also of a device that the driver has left */
}

const char *device_file(const char *name)
{
  static char path[256];

  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device_name(), name);
  return path;
}

/*
 * The state of the driver's self-test. While it runs there is a second entry of its name, of type larval, which says
 * "passed"; one that has failed stays "unknown".
 */
static const char *self_test(void)
{
  const char *result = "absent";
  char *entry, *rest = (char *)text_of("/proc/crypto"), name[64];

  snprintf(name, sizeof name, ": %s-aes-wideblock\n", cipher_name());
  while ((entry = strstr(rest, name))) {
    char *end = strstr(entry, "\n\n"), *test;

    if (end)
      *end = 0;
    if (strstr(entry, ": larval"))
      return "running";
    test = strstr(entry, "selftest");
    result = test && strstr(test, ": passed") ? "passed" : "failed";
    if (!end)
      break;
    rest = end + 1;
  }
  return result;
}

static void load(void)
{
  double began = now();
  const char *result;

  errno = load_module();
  if (errno)
    fail("loading the module");
  while (!strcmp(result = self_test(), "running"))
    usleep(20000);
  printf("selftest %s %.2f\n", result, now() - began);
}

static void mounted(const char *type, const char *place)
{
  if (mount(type, place, type, 0, NULL))
    fail(place);
}

int main(void)
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  mounted("proc", "/proc");
  mounted("sysfs", "/sys");
  mounted("devtmpfs", "/dev");
  mounted("debugfs", "/sys/kernel/debug");
  puts("started");
  load();
  counters("loaded");
  if (!strcmp(setting("RUN"), "volume"))
    run_volume();
  if (!strcmp(setting("RUN"), "stress"))
    run_stress();
  if (!strcmp(setting("RUN"), "pieces"))
    run_pieces();
  if (!strcmp(setting("RUN"), "cleared"))
    run_cleared();
  if (!strcmp(setting("RUN"), "left"))
    run_left();
  counters("ended");
  printf("unload %d\n", remove_module());
  if (!strcmp(setting("RUN"), "stress")) {
    load();
    printf("unload %d\n", remove_module());
  }
  puts("finished");
  sync();
  reboot(RB_POWER_OFF);
  return 1;
}
