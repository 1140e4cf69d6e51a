#include "cli/bundle.h"

#include "cli/build.h"
#include "cli/clock.h"
#include "cli/user_file.h"
#include "core/world.h"
#include "replays/history.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static ls_status write_file(const char *folder, const char *name, const void *bytes, size_t count,
                            ls_error *error)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return ls_error_set(error, LS_ERROR_IO, "%s: the name is too long", folder);
    FILE *file = fopen(path, "wbx");
    if (!file)
        return ls_error_set(error, LS_ERROR_IO, "%s: %s", path, strerror(errno));
    bool is_written = fwrite(bytes, 1, count, file) == count;
    is_written &= fclose(file) == 0;
    return is_written ? LS_OK : ls_error_set(error, LS_ERROR_IO, "%s: %s", path, strerror(errno));
}

static ls_status write_reason(const ls_room *room, const char *folder, const char *recording,
                              ls_error *error)
{
    char text[4 * LS_ERROR_TEXT_BYTES], time[LS_CLOCK_TEXT_BYTES];
    ls_room_stats stats = ls_room_get_stats(room);
    ls_clock_format_file(time);
    char world[128] = "The world is not here: the simulation never came back with it";
    if (!stats.is_lost)
        snprintf(world, sizeof world, "world.snapshot is the world before tick %" PRIu64,
                 stats.simulated);
    int count = snprintf(text, sizeof text,
                         "The match could not go on: %s\n\n"
                         "room       %s\ntick       %" PRIu64 " closed, %" PRIu64 " simulated\n"
                         "time       %s UTC\nbuild      %s\nrecording  %s\n\n"
                         "%s. The recording goes on\nto the last tick that was closed: "
                         "`lockstep verify` runs it again.\n",
                         ls_room_end_reason(room), ls_room_name(room), stats.tick, stats.simulated,
                         time, LS_BUILD_TEXT, recording[0] ? recording : "none", world);
    return write_file(folder, "reason.txt", text, (size_t)count, error);
}

static ls_status write_world(ls_room *room, const char *folder, ls_error *error)
{
    uint8_t *bytes = NULL;
    size_t count = 0;
    ls_world *world = ls_room_idle_world(room);
    if (!world)
        return LS_OK;
    ls_world_encode(world, &bytes, &count);
    ls_status status = write_file(folder, "world.snapshot", bytes, count, error);
    ls_free(bytes);
    return status;
}

/* On the network's thread, where other rooms wait for it: the world is the room's, which goes right
 * behind this call, and a match ends so once, if ever. */
void ls_bundle_write(ls_room *room, const char *recording, ls_log *log)
{
    char folder[PATH_MAX], line[PATH_MAX + LS_ERROR_TEXT_BYTES];
    ls_error error;
    const char *name = recording[0] ? recording : "failed";
    snprintf(folder, sizeof folder, "%.*s.bundle", ls_history_stem(name), name);
    ls_status status = ls_make_folders(folder, 0777, &error);
    if (!status)
        status = write_reason(room, folder, recording, &error);
    if (!status)
        status = write_world(room, folder, &error);
    if (status)
        snprintf(line, sizeof line, "bundle_failed reason=\"%s\"", error.text);
    else
        snprintf(line, sizeof line, "bundle folder=\"%s\"", folder);
    ls_log_line(log, line);
}
