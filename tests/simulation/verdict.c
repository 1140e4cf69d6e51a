#include "verdict.h"

#include <lockstep/hash.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *invariant_name(enum invariant which)
{
    static const char *const names[INVARIANTS_END] = {
        "holds",      "equal-roots", "named-desync", "no-false-desync",
        "input-once", "tick-stays",  "replay-equal", "durable",
        "sound",      "converges",   "contained",    "repeatable"};
    return which < INVARIANTS_END ? names[which] : "unknown";
}

void verdict_fail(struct verdict *self, enum invariant broken, const char *format, ...)
{
    if (self->broken != HOLDS)
        return;
    self->broken = broken;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(self->text, sizeof self->text, format, arguments);
    va_end(arguments);
    verdict_note(self, "BROKEN %s: %s", invariant_name(broken), self->text);
}

void verdict_note(struct verdict *self, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int used = snprintf(line, sizeof line, "%012.6f ", (double)self->now_ns / 1e9);
    vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
    va_end(arguments);
    self->lines++;
    struct {
        uint64_t before, now;
    } chain = {self->trace, ls_hash_bytes(line, strlen(line))};
    self->trace = ls_hash_bytes(&chain, sizeof chain);
    if (self->is_printing)
        fprintf(stderr, "%s\n", line);
}
