/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY = 64, IV = 16, MOST = 12288, FEW = 1024, NEW_KEY = 25, LIMIT = 240, WAIT = 20, MOST_PIECES = 17, TIMES = 8 };

enum result { RIGHT, WRONG, REVOKED, ERRORS, RESULTS };

static void fill(void *place, size_t size)
{
  for (size_t n = 0; n < size; n++)
    ((unsigned char *)place)[n] = random() >> 8;
}

/* A socket of a cipher, without a key. */
static int cipher(const char *name)
{
  struct sockaddr_alg address = {.salg_family = AF_ALG, .salg_type = "skcipher"};
  int made = socket(AF_ALG, SOCK_SEQPACKET, 0);

  strcpy((char *)address.salg_name, name);
  if (made < 0 || bind(made, (void *)&address, sizeof address))
    fail(name);
  return made;
}

static void set_key(int cipher, const void *key)
{
  if (setsockopt(cipher, SOL_ALG, ALG_SET_KEY, key, KEY))
    fail("setting a key");
}

/* The result is read into pieces of equal size. Returns 0 or an error. */
static int crypt_by(int cipher, int operation, const void *iv, void *in, void *out, size_t size, size_t pieces)
{
  char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(int) + IV)] = "";
  struct iovec data = {in, size};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  struct iovec parts[MOST_PIECES];
  int request = accept(cipher, NULL, NULL), length = IV, error = 0;

  head->cmsg_level = SOL_ALG;
  head->cmsg_type = ALG_SET_OP;
  head->cmsg_len = CMSG_LEN(sizeof operation);
  memcpy(CMSG_DATA(head), &operation, sizeof operation);
  head = CMSG_NXTHDR(&message, head);
  head->cmsg_level = SOL_ALG;
  head->cmsg_type = ALG_SET_IV;
  head->cmsg_len = CMSG_LEN(sizeof length + IV);
  memcpy(CMSG_DATA(head), &length, sizeof length);
  memcpy(CMSG_DATA(head) + sizeof length, iv, IV);
  for (size_t n = 0; n < pieces; n++)
    parts[n] = (struct iovec){(char *)out + n * (size / pieces), size / pieces};
  if (sendmsg(request, &message, 0) != (ssize_t)size || readv(request, parts, pieces) != (ssize_t)size)
    error = errno ? errno : EIO;
  close(request);
  return error;
}

/* A process: requests of random lengths under keys of its own. */
static void work(unsigned int seed, long rounds, int ready, int report)
{
  static _Alignas(16) unsigned char in[MOST], got[MOST], expected[MOST], key[KEY], iv[IV];
  int device = cipher(DRIVER), generic = cipher(GENERIC);
  long results[RESULTS] = {0};

  srandom(seed);
  if (write(ready, "", 1) != 1)
    fail("a report");
  for (long n = 0; n < rounds; n++) {
    size_t size = IV + random() % ((n % 4 ? FEW : MOST) - IV + 1);
    int operation = random() % 2 ? ALG_OP_ENCRYPT : ALG_OP_DECRYPT, error;

    if (n % NEW_KEY == 0) {
      fill(key, sizeof key);
      set_key(device, key);
      set_key(generic, key);
    }
    fill(in, size);
    fill(iv, sizeof iv);
    errno = 0;
    error = crypt_by(device, operation, iv, in, got, size, 1);
    if (crypt_by(generic, operation, iv, in, expected, size, 1))
      fail("the generic cipher");
    if (!error)
      results[memcmp(got, expected, size) ? WRONG : RIGHT]++;
    else
      results[error == ENOKEY ? REVOKED : ERRORS]++;
    if (error == ENOKEY)
      set_key(device, key);
    else if (error)
      printf("error %s\n", strerror(error));
  }
  if (write(report, results, sizeof results) != sizeof results)
    fail("a report");
  _exit(0);
}

/* Binds the device to its driver, and takes it away, in turn. */
static void rebind(long turn)
{
  static char name[64];
  int error;

  if (turn % 2 == 0)
    strcpy(name, device_name());
  error = put(turn % 2 ? "/sys/bus/pci/drivers/wideblock/bind" : "/sys/bus/pci/drivers/wideblock/unbind", name);
  if (error)
    printf("error %s of %s\n", strerror(error), turn % 2 ? "bind" : "unbind");
}

static void zeroize(void)
{
  int error = put(device_file("zeroize"), "1");

  if (error)
    printf("error %s of zeroize\n", strerror(error));
}

/* WORKERS processes of ROUNDS requests; each REBIND or ZEROIZE milliseconds the device is taken away or cleared. */
void run_stress(void)
{
  long workers = number("WORKERS"), rebinds = number("REBIND"), zeroizes = number("ZEROIZE"), turns = 0, ended = 0;
  long sums[RESULTS] = {0}, results[RESULTS];
  double began = now(), last = began;
  int ready[2], report[2];
  char one;

  if (pipe(ready) || pipe(report))
    fail("a pipe");
  for (long n = 0; n < workers; n++)
    if (!fork())
      work(20261127 + n, number("ROUNDS"), ready[1], report[1]);
  for (long n = 0; n < workers; n++) /* each holds the driver from now on */
    if (read(ready[0], &one, 1) != 1)
      fail("a process");
  fcntl(report[0], F_SETFL, O_NONBLOCK);
  printf("unload under load %d\n", remove_module());
  while (ended < workers && now() - began < LIMIT) {
    if (read(report[0], results, sizeof results) == sizeof results) {
      ended++;
      for (int n = 0; n < RESULTS; n++)
        sums[n] += results[n];
      continue;
    }
    usleep(10000);
    if (!(rebinds + zeroizes) || (now() - last) * 1000 < rebinds + zeroizes)
      continue;
    last = now();
    if (rebinds)
      rebind(turns);
    else
      zeroize();
    turns++;
  }
  if (rebinds && turns % 2)
    rebind(turns++);
  printf("stress ended=%ld right=%ld wrong=%ld revoked=%ld errors=%ld turns=%ld seconds=%.2f\n", ended, sums[RIGHT],
         sums[WRONG], sums[REVOKED], sums[ERRORS], turns, now() - began);
  while (waitpid(-1, NULL, ended < workers ? WNOHANG : 0) > 0) /* until then a process that ends holds the driver */
    ;
}

void run_pieces(void)
{
  static const struct {
    const char *name;
    size_t pieces, size;
  } cases[] = {{"whole", 1, 1024}, {"most", 16, 64}, {"more", 17, 64}, {"unaligned", 16, 40}};
  static _Alignas(4096) unsigned char in[MOST], got[MOST], expected[MOST], key[KEY], iv[IV];
  int device = cipher(DRIVER), generic = cipher(GENERIC);

  fill(key, sizeof key);
  set_key(device, key);
  set_key(generic, key);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    size_t size = cases[n].pieces * cases[n].size;
    long right = 0;

    for (int time = 0; time < TIMES; time++) {
      fill(in, size);
      if (crypt_by(device, ALG_OP_ENCRYPT, iv, in, got, size, cases[n].pieces) ||
          crypt_by(generic, ALG_OP_ENCRYPT, iv, in, expected, size, 1))
        fail(cases[n].name);
      right += !memcmp(got, expected, size);
    }
    printf("%s right=%ld\n", cases[n].name, right);
    counters(cases[n].name);
  }
  close(device);
  close(generic);
}

void run_cleared(void)
{
  static unsigned char in[FEW], got[FEW], expected[FEW], key[KEY], iv[IV];
  int device = cipher(DRIVER), generic = cipher(GENERIC), before, after;
  double began;

  fill(key, sizeof key);
  set_key(device, key);
  set_key(generic, key);
  before = crypt_by(device, ALG_OP_ENCRYPT, iv, in, got, FEW, 1);
  counters("before");
  zeroize();
  for (began = now(); !counter("wiped") && now() - began < WAIT;)
    usleep(10000);
  counters("cleared");
  after = crypt_by(device, ALG_OP_ENCRYPT, iv, in, got, FEW, 1);
  set_key(device, key);
  if (crypt_by(device, ALG_OP_ENCRYPT, iv, in, got, FEW, 1) ||
      crypt_by(generic, ALG_OP_ENCRYPT, iv, in, expected, FEW, 1))
    fail("a key after the clear");
  printf("cleared before=%d revoked=%d right=%d\n", before, after == ENOKEY, !memcmp(got, expected, FEW));
  close(device);
  close(generic);
}

void run_left(void)
{
  static unsigned char data[FEW], key[KEY], iv[IV];
  int device = cipher(DRIVER), errors;
  double began;
  long ended;

  fill(key, sizeof key);
  set_key(device, key);
  errors = crypt_by(device, ALG_OP_ENCRYPT, iv, data, data, FEW, 1);
  fill(key, sizeof key);
  set_key(device, key);
  for (began = now(); counter("commands") < 2 && now() - began < WAIT;)
    usleep(10000);
  ended = counter("commands") - counter("loads");
  errors |= crypt_by(device, ALG_OP_ENCRYPT, iv, data, data, FEW, 1);
  printf("left errors=%d ended=%ld loads=%ld\n", errors, ended, counter("loads"));
}
