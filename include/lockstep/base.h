/* Types, statuses and assertions that every file uses. Includes nothing of the project. */
#ifndef LS_BASE_H
#define LS_BASE_H
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "Lockstep cannot be built with -ffast-math or -Ofast: results would differ between machines"
#endif

#if defined(__GNUC__)
#ifdef __clang__
#define LS_PRINTF_STYLE_ __printf__
#else
#define LS_PRINTF_STYLE_ __gnu_printf__ /* on Windows __printf__ means a style without %zu */
#endif
#define LS_PRINTF(text, first) __attribute__((__format__(LS_PRINTF_STYLE_, text, first)))
#define LS_MUST_USE            __attribute__((warn_unused_result))
#define LS_NO_RETURN           __attribute__((noreturn))
#define LS_VISIBLE_            __attribute__((visibility("default")))
#define LS_LIKELY(x)           __builtin_expect(!!(x), 1)
#define LS_UNLIKELY(x)         __builtin_expect(!!(x), 0)
#else
#error "Lockstep needs gcc or clang"
#endif

/* Before every function of a public header: the shared library exports it, with C linkage. */
#ifdef __cplusplus
#define LS_API                            extern "C" LS_VISIBLE_
#define LS_STATIC_ASSERT(condition, text) static_assert(condition, text)
extern "C" {
#else
#define LS_API                            LS_VISIBLE_
#define LS_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* The version of everything that a program is compiled against: structs, enums and functions of all
 * public headers. The shared library has it in its soname (docs/client.md). Simulation modules have
 * their own, LS_SIM_ABI. */
#define LS_ABI 12
/* The LS_ABI of the library: a program that loads it at run time compares it first. */
LS_API uint32_t ls_library_abi(void);

/* The fingerprint of a simulation: a hash of its description and its source. */
#define LS_FINGERPRINT_BYTES 16

/* The result of a call that can fail for reasons other than a bug of the caller. After any status
 * but LS_OK, the object of the call is unchanged unless its header says otherwise. */
typedef enum ls_status {
    LS_OK = 0,
    LS_ERROR_USAGE,        /* the caller passed a wrong argument or description */
    LS_ERROR_LIMIT,        /* a named maximum is reached */
    LS_ERROR_NOT_FOUND,    /* nothing has that name */
    LS_ERROR_INCOMPATIBLE, /* well formed, but of another version, schema or simulation */
    LS_ERROR_CORRUPT,      /* bytes violate their format */
    LS_ERROR_REFUSED,      /* an ambiguous schedule, or a peer that may not enter */
    LS_ERROR_DIVERGED,     /* two machines, or two runs, disagree */
    LS_ERROR_IO,           /* the machine failed: file, socket or memory */
    LS_ERROR_FAILED,       /* a simulation or match that cannot continue */
} ls_status;

/* The maximum of threads of an executor, including the calling thread. */
#define LS_THREADS_MAX 64

/* A checked simulation, the state of one match, and the threads that run its ticks:
 * <lockstep/program.h>, <lockstep/world.h>, <lockstep/executor.h>. */
typedef struct ls_program ls_program;
typedef struct ls_world ls_world;
typedef struct ls_executor ls_executor;

/* An error message that names the object at fault and the remedy. It is always zero-terminated;
 * longer text is cut. Every function that takes one accepts NULL. */
#define LS_ERROR_TEXT_BYTES 1024
typedef struct ls_error {
    char text[LS_ERROR_TEXT_BYTES];
} ls_error;

/* Sets the text and returns `status`, so that a caller can `return ls_error_set(...)`. An argument
 * may be error->text, so that a caller can add to an error.
 *   errors  `status`, and no other */
LS_API ls_status ls_error_set(ls_error *error, ls_status status, const char *format, ...)
    LS_PRINTF(3, 4);

/* Stops on a bug of Lockstep itself, also in release builds: prints file, line and condition, then
 * aborts. Never used to check bytes from a socket or a file. */
LS_API LS_NO_RETURN void ls_assert_failed(const char *file, int line, const char *condition);
#define LS_ASSERT(condition)                                                                       \
    (LS_LIKELY(condition) ? (void)0 : ls_assert_failed(__FILE__, __LINE__, #condition))

#define LS_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Returns zeroed memory and never fails. When memory runs out, the process ends at once with a line
 * on stderr and exit code LS_MEMORY_EXIT_CODE (docs/operations.md). */
LS_API void *ls_alloc(size_t bytes);
LS_API void *ls_realloc(void *memory, size_t bytes);
LS_API void ls_free(void *memory);
/* Ends the process in the same way, for memory that does not come from ls_alloc(). Nothing is
 * unwound: recordings keep their valid prefix. */
#define LS_MEMORY_EXIT_CODE 5
LS_API LS_NO_RETURN void ls_memory_failed(size_t bytes);

#ifdef __cplusplus
}
#endif

/* 16 means that only _Float16 is evaluated differently, as on processors with AVX512-FP16. */
LS_STATIC_ASSERT(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
                 "floats must be evaluated in their own type (see "
                 "docs/determinism.md for the flags)");

#endif
