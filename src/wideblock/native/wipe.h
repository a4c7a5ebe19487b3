// SPDX-License-Identifier: Apache-2.0
// Memory, stack and registers that had secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#define VECTORS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
    "xmm12", "xmm13", "xmm14", "xmm15"
#elif defined(__aarch64__)
#define VECTORS "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", \
    "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#endif

namespace {

// Overwrites bytes that were secret; the optimiser cannot drop it.
void wipe(void *p, size_t size) {
    memset(p, 0, size);
    __asm__ volatile("" : : "r"(p) : "memory");
}

constexpr size_t GAP = 128;  // more than the registers that a function saves at the top of its frame

// Overwrites `size` bytes of the stack below the caller, but for fewer than GAP at their top.
__attribute__((noinline)) void wipe_stack(size_t size) { wipe(__builtin_alloca(size), size); }

// Calls `work` with a stack GAP below the caller's.
template <class Work> __attribute__((noinline)) void call_below(const Work &work) {
    uint8_t gap[GAP];
    __asm__ volatile("" : : "r"(gap) : "memory");
    work();
    __asm__ volatile("" : : "r"(gap) : "memory");
}

// Clears the registers that a call may change, on x86-64 and aarch64: they would show a key wherever they are saved next.
// memcpy of the C library uses vectors from 16 on, whatever the flags of a unit are.
void clear_registers() {
#if defined(__x86_64__)
    static const bool avx512 = __builtin_cpu_supports("avx512f"), avx = __builtin_cpu_supports("avx");
    if (avx512)
        __asm__ volatile(".irp k,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
                         "vpxord %%zmm\\k, %%zmm\\k, %%zmm\\k\n\t.endr" : :);
    if (avx)
        __asm__ volatile("vzeroall" : : : VECTORS);
    else
        __asm__ volatile(".irp k,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
                         "pxor %%xmm\\k, %%xmm\\k\n\t.endr" : : : VECTORS);
    __asm__ volatile(".irp k,eax,ecx,edx,esi,edi,r8d,r9d,r10d,r11d\n\txor %%\\k, %%\\k\n\t.endr"
                     : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#elif defined(__aarch64__)
    __asm__ volatile(".irp k,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
                     "movi v\\k\\().2d, #0\n\t.endr" : : : VECTORS);
    __asm__ volatile(".irp k,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmov x\\k, #0\n\t.endr"
                     : : : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                     "x14", "x15");
#endif
}

// Calls `work`, which uses less than `size` bytes of stack, and overwrites these and the registers.
template <class Work> void call_and_wipe(size_t size, const Work &work) {
    call_below(work);
    clear_registers();
    wipe_stack(GAP + size);
}

}  // namespace
