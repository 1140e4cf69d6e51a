/* The parts that differ between processors: name, cycle counter and float mode. */
#ifndef LS_PLATFORM_CPU_H
#define LS_PLATFORM_CPU_H

#include <lockstep/base.h>

#if defined(__x86_64__)
#define LS_CPU_NAME "x86_64"
#elif defined(__aarch64__)
#define LS_CPU_NAME "aarch64"
#elif defined(__s390x__)
#define LS_CPU_NAME "s390x"
#elif defined(__riscv)
#define LS_CPU_NAME "riscv"
#elif defined(__arm__)
#define LS_CPU_NAME "arm"
#elif defined(__powerpc64__)
#define LS_CPU_NAME "ppc64"
#elif defined(__i386__)
#define LS_CPU_NAME "i386"
#else
#define LS_CPU_NAME "unknown CPU"
#endif

/* The cycle counter, read without a system call. It measures time and never affects a simulation.
 * It runs at a constant rate, known only roughly, and is synchronised between the CPUs of a
 * machine. On processors for which no counter is read here, ls_cycles() is always 0. */
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

/* The control bits of this thread's floating-point register, without its status flags. 0 on a
 * processor for which they are not known; the masks are then of no use. */
#if defined(__x86_64__)
enum { LS_FLOAT_FLUSH = 1u << 15, LS_FLOAT_DENORMALS = 1u << 6, LS_FLOAT_ROUNDING = 3u << 13 };
static inline uint64_t ls_float_control(void)
{
    return __builtin_ia32_stmxcsr() & 0xffc0;
}

/* Sets the control bits of this thread, and leaves its status flags as they are. */
static inline void ls_float_control_set(uint64_t control)
{
    uint32_t now = __builtin_ia32_stmxcsr();
    if ((now & 0xffc0) != control)
        __builtin_ia32_ldmxcsr((now & ~0xffc0u) | (uint32_t)control);
}
#elif defined(__aarch64__)
enum { LS_FLOAT_FLUSH = 1u << 24, LS_FLOAT_DENORMALS = 1u << 0, LS_FLOAT_ROUNDING = 3u << 22 };
static inline uint64_t ls_float_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control & 0x07c09f01;
}

static inline void ls_float_control_set(uint64_t control)
{
    uint64_t now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    if ((now & 0x07c09f01) != control)
        __asm__ volatile("msr fpcr, %0" : : "r"((now & ~(uint64_t)0x07c09f01) | control));
}
#else
enum { LS_FLOAT_FLUSH = 1, LS_FLOAT_DENORMALS = 2, LS_FLOAT_ROUNDING = 4 };
static inline uint64_t ls_float_control(void)
{
    return 0;
}

static inline void ls_float_control_set(uint64_t control)
{
    (void)control;
}
#endif

/* A thread that waits pauses this many times before it lets other threads run. */
enum { LS_SPINS_BEFORE_YIELD = 400 };

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
