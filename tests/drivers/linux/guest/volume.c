/* SPDX-License-Identifier: Apache-2.0 */
/* dm-crypt over a loop device, by ioctl: /image has the ciphertext, /plain the data, /key the key of the table as hex. */
#include "guest.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, ARGUMENTS = 16384 };

static int opened(const char *path)
{
  int file = open(path, O_RDWR);

  if (file < 0)
    fail(path);
  return file;
}

static int loop_over(int image, char *name, size_t size)
{
  int control = opened("/dev/loop-control"), device;
  struct loop_config config;

  snprintf(name, size, "/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
  close(control);
  device = opened(name);
  memset(&config, 0, sizeof config);
  config.fd = image;
  if (ioctl(device, LOOP_CONFIGURE, &config))
    fail("the loop device");
  return device;
}

static void mapper(int control, unsigned long command, const char *table, long sectors)
{
  static char arguments[ARGUMENTS];
  struct dm_ioctl *head = (void *)arguments;
  struct dm_target_spec *target = (void *)(arguments + sizeof *head);

  memset(arguments, 0, sizeof arguments);
  head->version[0] = DM_VERSION_MAJOR;
  head->data_size = sizeof arguments;
  head->data_start = sizeof *head;
  strcpy(head->name, "volume");
  if (table) {
    head->target_count = 1;
    target->length = sectors;
    strcpy(target->target_type, "crypt");
    strcpy((char *)(target + 1), table);
  }
  if (ioctl(control, command, head))
    fail("the device mapper");
}

static void open_volume(int control, const char *loop, long sector, long size)
{
  char key[256] = "", table[512];
  int file = opened("/key");

  if (read(file, key, sizeof key - 1) <= 0)
    fail("/key");
  close(file);
  snprintf(table, sizeof table, "aes-%s-plain64 %s 0 %s 0 1 sector_size:%ld", cipher_name(), key, loop, sector);
  mapper(control, DM_DEV_CREATE, NULL, 0);
  mapper(control, DM_TABLE_LOAD, table, size / 512);
  mapper(control, DM_DEV_SUSPEND, NULL, 0); /* resumes */
}

/* Prints how many bytes of two files differ. */
static void compare(const char *when, int volume, int plain, long size)
{
  static char got[CHUNK], expected[CHUNK];
  double began = now();
  long wrong = 0;

  for (long at = 0; at < size; at += CHUNK) {
    long part = size - at < CHUNK ? size - at : CHUNK;

    if (pread(volume, got, part, at) != part || pread(plain, expected, part, at) != part)
      fail("reading");
    for (long n = 0; n < part; n++)
      wrong += got[n] != expected[n];
  }
  printf("volume %s %ld wrong of %ld in %.2f s\n", when, wrong, size, now() - began);
}

static void write_both(int volume, int plain, const char *data, long size, long at)
{
  if (pwrite(volume, data, size, at) != size || pwrite(plain, data, size, at) != size)
    fail("writing");
}

void run_volume(void)
{
  static char data[CHUNK];
  int image = opened("/image"), plain = opened("/plain"), control = opened("/dev/mapper/control"), loop, volume;
  long sector = number("SECTOR");
  struct stat about;
  char name[32];

  fstat(image, &about);
  loop = loop_over(image, name, sizeof name);
  open_volume(control, name, sector, about.st_size);
  volume = opened("/dev/dm-0");
  compare("read", volume, plain, about.st_size);
  counters("read");
  for (int n = 0; n < CHUNK; n++)
    data[n] = (char)(n * 7 + (n >> 8));
  write_both(volume, plain, data, sector, 5 * sector);
  write_both(volume, plain, data, CHUNK, about.st_size - CHUNK);
  if (fsync(volume) || ioctl(volume, BLKFLSBUF))
    fail("fsync");
  compare("written", volume, plain, about.st_size);
  close(volume);
  mapper(control, DM_DEV_REMOVE, NULL, 0);
  fsync(image);
  fsync(plain);
  ioctl(loop, LOOP_CLR_FD);
}
