/* The processor's cycle counter, read without a system call. It measures time and never affects a
 * simulation. It runs at a constant rate, known only roughly, and is synchronised between the CPUs
 * of a machine. On a processor without a counter it is always 0. */
#ifndef LS_PLATFORM_CPU_H
#define LS_PLATFORM_CPU_H

#include <lockstep/base.h>

#if defined(__x86_64__) || defined(__i386__)
#define LS_HAS_CLOCK 1
static inline uint64_t ls_cycles(void)
{
    return __builtin_ia32_rdtsc();
}

/* Roughly the number of cycles in a microsecond. */
static inline uint64_t ls_cycles_us(void)
{
    return 2500;
}
#elif defined(__aarch64__)
#define LS_HAS_CLOCK 1
static inline uint64_t ls_cycles(void)
{
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

static inline uint64_t ls_cycles_us(void)
{
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz / 1000000 + 1;
}
#else
#define LS_HAS_CLOCK 0
static inline uint64_t ls_cycles(void)
{
    return 0;
}

static inline uint64_t ls_cycles_us(void)
{
    return 1;
}
#endif

/* Tells the processor that this is a spin loop. */
static inline void ls_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
