#include "cli/module/float_mode.h"

#include "core/base/platform_cpu.h"

#include <stdio.h>
#include <string.h>

void ls_float_mode_compare(uint64_t before, uint64_t now, char text[LS_FLOAT_CHANGE_BYTES])
{
    const struct {
        uint64_t bits;
        const char *name;
    } parts[] = {{LS_FLOAT_FLUSH, "flush to zero"},
                 {LS_FLOAT_DENORMALS, "denormals are zero"},
                 {LS_FLOAT_ROUNDING, "another rounding"}};
    uint64_t changed = before ^ now;
    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(text);
        if (changed & parts[i].bits)
            snprintf(text + used, LS_FLOAT_CHANGE_BYTES - used, "%s%s%s", used ? ", " : "",
                     parts[i].name,
                     now & parts[i].bits || parts[i].bits == LS_FLOAT_ROUNDING ? "" : " no more");
    }
    if (changed && !text[0])
        snprintf(text, LS_FLOAT_CHANGE_BYTES, "other exceptions");
}
