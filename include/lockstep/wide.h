/* Loops that use the wide vectors of newer processors, in one module for all. */
#ifndef LS_WIDE_H
#define LS_WIDE_H
#include <lockstep/base.h>

/* Before a function whose loops over cells take much of a tick: it is compiled twice, for every
 * x86-64 processor and for those with AVX2. The system's loader chooses when it loads the module.
 * LS_EACH_FUNCTION() has it for spans without gaps.
 *
 *     static LS_WIDE void warm(ls_context *context, const ls_span *span)
 *
 * Both versions give the same bits: AVX2 has no fused multiply-add. Such a function is not inlined.
 *
 * LS_WIDE means nothing with clang (version 14 gives static functions of one name in two files the
 * same symbol), without optimisation, with another C library than glibc, with the address or thread
 * sanitizer (what the latter adds cannot run while the loader chooses), and where options such as
 * -march=native allow AVX2 everywhere. `-DLS_WIDE=` switches it off, and is part of the fingerprint
 * like every definition. */
#ifndef LS_WIDE
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&   \
    !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LS_WIDE __attribute__((target_clones("default", "avx2")))
#else
#define LS_WIDE
#endif
#endif

#endif
