/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's only program: what it finds it prints, a line a fact, for the machine outside. */
#ifndef GUEST_H
#define GUEST_H

#include <stddef.h>

#define DRIVER "xts-aes-wideblock" /* of the stress; other runs have the setting CIPHER */
#define GENERIC "xts(ecb(aes-generic))"

/* Ends the guest with the error of what was tried. */
void fail(const char *what);

/* A setting of the kernel's command line, "" if it is not there. */
const char *setting(const char *name);
long number(const char *name);

/* The cipher of a run, as in names of the kernel: the setting CIPHER. */
const char *cipher_name(void);

double now(void);

/* A counter of the driver; all of them, printed. */
long counter(const char *name);
void counters(const char *when);

/* Writes a word to a file, as of sysfs. Returns 0 or an error. */
int put(const char *path, const char *word);

/* Loads the driver's module, which copies all data with the setting COPY of 1, and removes the module. Return 0 or an error. */
int load_module(void);
int remove_module(void);

/* A file of the device in sysfs; of the driver, as `bind`. */
const char *device_name(void);
const char *device_file(const char *name);

/* Reads and writes a volume of dm-crypt, compared with its plain data. */
void run_volume(void);

/* Processes with keys of their own, compared with the kernel's generic cipher, while the device is disturbed. */
void run_stress(void);

/* Requests whose targets are in pieces, compared with the generic cipher. */
void run_pieces(void);

/* A key that nobody uses as the engine clears itself. */
void run_cleared(void);

/* Another key while the one before is in a slot; the key stays as the machine shuts down. */
void run_left(void);

#endif
