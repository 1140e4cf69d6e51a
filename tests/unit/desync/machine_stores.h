/* Stores that only this processor has: an instruction that writes its address back, that reads what
 * it writes, or that fails after an interruption. */
#ifndef LS_MACHINE_STORES_H
#define LS_MACHINE_STORES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

/* Copies `bytes` bytes one by one; changes its arguments. */
#define COPY_BYTES(to, from, bytes)                                                                \
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory")

static inline void store_wide(uint64_t *to, uint64_t value)
{
    __asm__ volatile("movq %1, %0" : "=m"(*to) : "r"(value));
}

static inline void add_wide(uint64_t *to)
{
    __asm__ volatile("addq $3, %0" : "+m"(*to));
}

static inline void add_narrow(uint32_t *to)
{
    __asm__ volatile("addl $3, %0" : "+m"(*to));
}

#elif defined(__aarch64__)

#define COPY_BYTES(to, from, bytes)                                                                \
    __asm__ volatile("1: ldrb w9, [%1], #1\n"                                                      \
                     "strb w9, [%0], #1\n"                                                         \
                     "subs %2, %2, #1\n"                                                           \
                     "b.ne 1b"                                                                     \
                     : "+r"(to), "+r"(from), "+r"(bytes)                                           \
                     :                                                                             \
                     : "w9", "cc", "memory")

static inline void store_wide(uint64_t *to, uint64_t value)
{
    __asm__ volatile("str %1, %0" : "=m"(*to) : "r"(value));
}

static inline void add_wide(uint64_t *to)
{
    uint64_t value;
    uint32_t failed;
    __asm__ volatile("1: ldxr %0, %2\nadd %0, %0, #3\nstxr %w1, %0, %2\ncbnz %w1, 1b"
                     : "=&r"(value), "=&r"(failed), "+Q"(*to));
}

/* One instruction that reads and writes; an exclusive store on a processor that has none. */
static inline void add_narrow(uint32_t *to)
{
    __atomic_fetch_add(to, 3, __ATOMIC_RELAXED);
}

static inline void add_pair(uint64_t *to)
{
    uint64_t low, high;
    uint32_t failed;
    __asm__ volatile("1: ldxp %0, %1, %3\nadd %0, %0, #1\nadd %1, %1, #2\n"
                     "stlxp %w2, %0, %1, %3\ncbnz %w2, 1b"
                     : "=&r"(low), "=&r"(high), "=&r"(failed), "+Q"(*(uint64_t(*)[2])to));
}

/* Returns the number of bytes that zero_block() zeroes; 0 when the system forbids it. */
static inline size_t block_bytes(void)
{
    uint64_t shape;
    __asm__("mrs %0, dczid_el0" : "=r"(shape));
    return shape & 16 ? 0 : (size_t)4 << (shape & 15);
}

/* The isb is for qemu 7.2: it runs instructions in groups, and takes a fault of `dc zva` for one of
 * the group's first instruction. */
static inline void zero_block(uint8_t *to)
{
    __asm__ volatile("isb; dc zva, %0" : : "r"(to) : "memory");
}

#endif

#endif
