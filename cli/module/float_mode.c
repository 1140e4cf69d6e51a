#include "cli/module/float_mode.h"

#include <stdio.h>
#include <string.h>

/* The control bits of the floating-point register, without its status flags. */
#if defined(__x86_64__)
enum { FLUSH = 1u << 15, DENORMALS = 1u << 6, ROUNDING = 3u << 13, CONTROL = 0xffc0 };
#elif defined(__aarch64__)
enum { FLUSH = 1u << 24, DENORMALS = 1u << 0, ROUNDING = 3u << 22, CONTROL = 0x07c09f01 };
#else
enum { FLUSH = 1, DENORMALS = 2, ROUNDING = 4 };
#endif

uint64_t ls_float_mode(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & CONTROL;
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control & CONTROL;
#else
    return 0; /* unknown on this machine */
#endif
}

void ls_float_mode_compare(uint64_t before, uint64_t now, char text[LS_FLOAT_CHANGE_BYTES])
{
    const struct {
        uint64_t bits;
        const char *name;
    } parts[] = {{FLUSH, "flush to zero"},
                 {DENORMALS, "denormals are zero"},
                 {ROUNDING, "another rounding"}};
    uint64_t changed = before ^ now;
    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(text);
        if (changed & parts[i].bits)
            snprintf(text + used, LS_FLOAT_CHANGE_BYTES - used, "%s%s%s", used ? ", " : "",
                     parts[i].name,
                     now & parts[i].bits || parts[i].bits == ROUNDING ? "" : " no more");
    }
    if (changed && !text[0])
        snprintf(text, LS_FLOAT_CHANGE_BYTES, "other exceptions");
}
