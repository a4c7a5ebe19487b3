// SPDX-License-Identifier: Apache-2.0
// nbdkit plugin: the block device of device.h.
#define NBDKIT_API_VERSION 2
#define _FILE_OFFSET_BITS 64

#include <nbdkit-plugin.h>

#include <cstdarg>

#include <sys/prctl.h>

#include "device.h"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

namespace {

void complain(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    nbdkit_verror(format, arguments);
    va_end(arguments);
}

// Does `call`, as nbdkit wants to hear of it.
template <typename Call>
int answered(Call call) {
    const int error = error_of(call);
    if (error) nbdkit_set_error(error);
    return error ? -1 : 0;
}

// Paths, sizes and truths are those of nbdkit.
int config(const char* name, const char* value) {
    const std::string key = name;
    std::string given = value;
    if (key == "file" || key == "key-file" || key == "icv") {
        char* const path = nbdkit_absolute_path(value);
        if (!path) return -1;
        given = path;
        free(path);
    } else if (key == "sector" || key == "tweak-bytes") {
        const int64_t bytes = nbdkit_parse_size(value);
        if (bytes < 0) return -1;
        given = std::to_string(bytes);
    } else if (key == "read-only") {
        const int truth = nbdkit_parse_bool(value);
        if (truth < 0) return -1;
        given = truth ? "true" : "false";
    }
    return configure(key, given) ? 0 : -1;
}

int config_complete() { return complete() ? 0 : -1; }
int get_ready() { return open_device() ? 0 : -1; }
// A change of user and a fork are behind the server now: no key in a core file.
int after_fork() { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
void unload() { close_device(); }

void* open_connection(int) { return NBDKIT_HANDLE_NOT_NEEDED; }
int64_t get_size(void*) { return static_cast<int64_t>(size); }
int can_write(void*) { return writable; }
int can_flush(void*) { return 1; }
int can_fua(void*) { return NBDKIT_FUA_NATIVE; }
int can_multi_conn(void*) { return 1; }

int block_size(void*, uint32_t* minimum, uint32_t* preferred, uint32_t* maximum) {
    if (unit & (unit - 1) || unit < 512 || unit > 32U << 20) {
        *minimum = *preferred = *maximum = 0;  // not to be said in powers of two
    } else {
        *minimum = 1;
        *preferred = static_cast<uint32_t>(unit);
        *maximum = 0xffffffff;
    }
    return 0;
}

int pread_request(void*, void* buffer, uint32_t count, uint64_t at, uint32_t) {
    return answered([&] { in_pieces(static_cast<uint8_t*>(buffer), at, count, read_piece); });
}

int pwrite_request(void*, const void* buffer, uint32_t count, uint64_t at, uint32_t flags) {
    return answered([&] {
        in_pieces(static_cast<const uint8_t*>(buffer), at, count, write_piece);
        if (flags & NBDKIT_FLAG_FUA) synchronise();
    });
}

int flush_request(void*, uint32_t) { return answered(synchronise); }

nbdkit_plugin described() {
    nbdkit_plugin p{};
    p.name = "wideblock";
    p.longname = "wideblock: a file or device of enciphered sectors";
    p.description = "Enciphers each sector of a file or block device under a tweak made of its number.";
    p.magic_config_key = "file";
    p.config_help =
        "file=FILE       regular file or block device below, of whole sectors (required)\n"
        "scheme=NAME     scheme of wideblock.h (required)\n"
        "icv=FILE        integrity check values, 16 bytes a sector; forged sectors are errors\n"
        "key-file=FILE   key, binary; /dev/fd/N for a descriptor (required)\n"
        "sector=BYTES    bytes of a sector, 4096 by default\n"
        "tweak=NAME      convention of the tweak, le128 by default\n"
        "tweak-bytes=N   bytes of the tweak, 16 by default\n"
        "first=N         number of the first sector\n"
        "tweak-offset=N  added to the number that becomes the tweak\n"
        "read-only=BOOL  the file is not written, and may have other servers that read";
    p.config = config;
    p.config_complete = config_complete;
    p.get_ready = get_ready;
    p.after_fork = after_fork;
    p.unload = unload;
    p.open = open_connection;
    p.get_size = get_size;
    p.can_write = can_write;
    p.can_flush = can_flush;
    p.can_fua = can_fua;
    p.can_multi_conn = can_multi_conn;
    p.block_size = block_size;
    p.pread = pread_request;
    p.pwrite = pwrite_request;
    p.flush = flush_request;
    return p;
}

nbdkit_plugin plugin = described();

}  // namespace

NBDKIT_REGISTER_PLUGIN(plugin)
