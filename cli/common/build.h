/* The identity of this binary. It is sent to the other side and written into recordings, but never
 * compared. */
#ifndef LS_BUILD_H
#define LS_BUILD_H

#define LS_BUILD_VERSION LOCKSTEP_VERSION /* set by project() in CMakeLists.txt */

#if defined(__clang__)
#define LS_BUILD_COMPILER "clang " __clang_version__
#else
#define LS_BUILD_COMPILER "gcc " __VERSION__
#endif

#if defined(__x86_64__)
#define LS_BUILD_CPU "x86_64"
#elif defined(__aarch64__)
#define LS_BUILD_CPU "aarch64"
#elif defined(__s390x__)
#define LS_BUILD_CPU "s390x"
#elif defined(__riscv)
#define LS_BUILD_CPU "riscv"
#elif defined(__arm__)
#define LS_BUILD_CPU "arm"
#elif defined(__powerpc64__)
#define LS_BUILD_CPU "ppc64"
#elif defined(__i386__)
#define LS_BUILD_CPU "i386"
#else
#define LS_BUILD_CPU "unknown CPU"
#endif

#define LS_BUILD_TEXT "lockstep " LS_BUILD_VERSION ", " LS_BUILD_COMPILER ", " LS_BUILD_CPU

#endif
