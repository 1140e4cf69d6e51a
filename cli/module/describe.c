#include "cli/module/describe.h"

#include "desync/crash.h"
#include <lockstep/program.h>

#include <string.h>

/* Bytes after the buffer that show whether describe() writes past its end, filled with a byte that
 * text does not contain. */
#define GUARD_BYTES 256
#define GUARD       0xa5

ls_status ls_describe(const ls_world *world, char text[LS_DESCRIBE_BYTES], ls_error *error)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    char written[LS_DESCRIBE_BYTES + GUARD_BYTES];
    text[0] = 0;
    if (!sim->describe)
        return LS_OK;
    memset(written, GUARD, sizeof written);
    written[0] = 0;
    ls_crash_at("describe()", (uintptr_t)sim->describe);
    sim->describe(world, written, LS_DESCRIBE_BYTES);
    ls_crash_at(NULL, 0);
    bool has_end = memchr(written, 0, LS_DESCRIBE_BYTES) != NULL;
    bool is_inside = true;
    for (size_t i = LS_DESCRIBE_BYTES; i < sizeof written; i++)
        is_inside &= (uint8_t)written[i] == GUARD;
    written[LS_DESCRIBE_BYTES - 1] = 0;
    memcpy(text, written, LS_DESCRIBE_BYTES);
    if (has_end && is_inside)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_USAGE,
                        is_inside ? "describe() left its text without an end; snprintf() with its "
                                    "`bytes` ends it"
                                  : "describe() wrote past the %d bytes that it was given; use "
                                    "snprintf() with its `bytes`",
                        LS_DESCRIBE_BYTES);
}
