/* Arbitrary bytes as the stream of the Agones sidecar, in parts of any size: what is read as an
 * allocation is of valid texts, and the same whatever the parts are. */
#include "cli/serve/agones_gameserver.h"
#include "cli/serve/room_allocation.h"
#include "proto/text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_allocation(const ls_agones_gameserver *gameserver)
{
    static const ls_match_options defaults;
    ls_room_allocation allocation;
    ls_error error = {""};
    if (ls_room_allocation_read(&gameserver->allocation, &defaults, true, &allocation, &error) !=
        LS_OK) {
        LS_ASSERT(error.text[0]);
        return;
    }
    LS_ASSERT(allocation.name[0] && strlen(allocation.name) < LS_ROOM_BYTES);
    LS_ASSERT(ls_text_is_valid(allocation.name) && !gameserver->allocation.wrong);
    LS_ASSERT(allocation.match.set_count <= LS_OPTIONS_MAX);
}

static bool take(void *context, const char *line, size_t bytes)
{
    uint32_t *lines = context;
    ls_agones_gameserver gameserver;
    ls_error error;
    ++*lines;
    if (ls_agones_gameserver_read(line, bytes, &gameserver, &error) != LS_OK)
        return true;
    LS_ASSERT(memchr(gameserver.state, 0, sizeof gameserver.state));
    LS_ASSERT(memchr(gameserver.address, 0, sizeof gameserver.address));
    (void)ls_agones_gameserver_is_allocated(&gameserver);
    check_allocation(&gameserver);
    return true;
}

static uint32_t split(const uint8_t *data, size_t bytes, size_t step)
{
    ls_builder rest = {0};
    uint32_t lines = 0;
    for (size_t at = 0; at < bytes; at += step) {
        size_t part = bytes - at < step ? bytes - at : step;
        LS_ASSERT(ls_agones_gameserver_split(&rest, (const char *)data + at, part, take, &lines));
    }
    ls_free(rest.data);
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes > LS_AGONES_LINE_BYTES_MAX)
        return 0;
    uint32_t lines = split(data, bytes, bytes + 1);
    LS_ASSERT(lines == split(data, bytes, 1 + bytes / 5));
    return 0;
}
