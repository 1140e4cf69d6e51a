/* lockstep replay repair: writes the undamaged parts of a file as new files: the part before the
 * first damage, and each run of records that begins with a keyframe after a damage. The old file is
 * unchanged, because a later version may be able to read what this one takes for damage. */
#include "cli/common/arguments.h"
#include "cli/common/match_playback.h"
#include "cli/common/output.h"
#include "cli/common/progress_bar.h"
#include "cli/common/replay_file.h"
#include "cli/module/sim_load.h"
#include "cli/replay/replay_actions.h"
#include "core/base/bounds.h"
#include "core/base/platform_file.h"
#include "replays/salvage.h"
#include <lockstep/entropy.h>
#include <lockstep/file_sink.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct repair_options {
    ls_match_options match; /* only --sim */
    const char *path, *output;
    ls_loaded_sim loaded; /* zeroed if the simulation is not available */
} repair_options;

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT(
        "output", "FILE", repair_options, output,
        "Write the new recording to FILE, which must not exist (default NAME.repaired.lsr)",
        .letter = 'o'),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_sim_arguments, offsetof(repair_options, match)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    LS_ARGUMENTS_RECORDING(repair_options, path),
    .doc = "Write what is intact in a recording with a torn, zeroed or damaged part to new files, "
           "and print what is lost: the start up to the damage, byte for byte, as "
           "NAME.repaired.lsr; each intact part after it, from the next keyframe on, as "
           "NAME.repaired-TICK.lsr, which begins with the state before that tick and is not "
           "signed. Most keyframes hold only changes since a full one; a part that begins with "
           "such a keyframe needs the simulation, by --sim if it is not built in. The old file "
           "stays as it is. For an intact file nothing is written.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use, no such file, or the new file exists already\n"
           "  3  another version of the format\n"
           "  4  nothing can be saved: the header is damaged, or the file begins within "
           "its match and no state in it is intact\n"
           "  5  a file cannot be read or written"};

/* A sink with a progress bar: bytes written, of `total` bytes of the damaged file. */
typedef struct shown_sink {
    ls_sink under;
    ls_tick_progress progress;
    uint64_t done, total;
} shown_sink;

static int64_t append_shown(void *context, const void *data, size_t bytes)
{
    shown_sink *self = context;
    int64_t count = self->under.append(self->under.context, data, bytes);
    self->done += count > 0 ? (uint64_t)count : 0;
    ls_tick_progress_show(&self->progress, ls_min(self->done, self->total), self->total);
    return count;
}

static int sync_shown(void *context)
{
    shown_sink *self = context;
    return self->under.sync(self->under.context);
}

static int close_shown(void *context)
{
    shown_sink *self = context;
    ls_tick_progress_end(&self->progress);
    return self->under.close(self->under.context);
}

/* Creates a file. `shown` has to live until the sink is closed. */
static ls_status create_shown(shown_sink *shown, const char *name, ls_sink *sink, ls_error *error)
{
    ls_status status = ls_file_sink_create(name, &shown->under, error);
    *sink = (ls_sink){
        .context = shown, .append = append_shown, .sync = sync_shown, .close = close_shown};
    ls_byte_progress_begin(&shown->progress);
    return status;
}

static void choose_name(const repair_options *options, char name[LS_PATH_BYTES_MAX])
{
    if (options->output)
        snprintf(name, LS_PATH_BYTES_MAX, "%s", options->output);
    else
        snprintf(name, LS_PATH_BYTES_MAX, "%.*s.repaired.lsr", ls_series_stem(options->path),
                 options->path);
}

static ls_status name_taken(const char *name, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE, "%s exists already; give another name with --output",
                        name);
}

static int copy(FILE *from, uint64_t bytes, const ls_sink *sink)
{
    uint8_t block[1 << 16];
    while (bytes > 0) {
        size_t wanted = bytes < sizeof block ? (size_t)bytes : sizeof block;
        if (fread(block, 1, wanted, from) != wanted)
            return errno ? -errno : -EIO; /* the file has become shorter */
        for (size_t done = 0; done < wanted;) {
            int64_t count = sink->append(sink->context, block + done, wanted - done);
            if (count < 0 && count != -EINTR)
                return (int)count;
            done += count > 0 ? (size_t)count : 0;
        }
        bytes -= wanted;
    }
    return sink->sync(sink->context);
}

static ls_status write_prefix(const repair_options *options, const char *name, uint64_t bytes,
                              ls_error *error)
{
    ls_sink sink;
    shown_sink shown = {.total = bytes};
    FILE *from = fopen(options->path, "re");
    if (!from)
        return ls_error_set(error, LS_ERROR_IO, "cannot read %s: %s", options->path,
                            strerror(errno));
    ls_status status = create_shown(&shown, name, &sink, error);
    if (!status) {
        errno = 0;
        int result = copy(from, bytes, &sink);
        int closed = sink.close(sink.context);
        result = result ? result : closed;
        if (result == -EEXIST)
            status = name_taken(name, error);
        else if (result)
            status =
                ls_error_set(error, LS_ERROR_IO, "cannot write %s: %s", name, strerror(-result));
    }
    fclose(from);
    return status;
}

/* Writes the present part after a damage as a file of its own, of `rest` bytes at most. */
static ls_status write_part(const ls_salvage *salvage, const char *name, uint64_t rest,
                            ls_error *error)
{
    uint64_t salt;
    ls_sink sink;
    shown_sink shown = {.total = rest};
    if (access(name, F_OK) == 0)
        return name_taken(name, error);
    ls_entropy_fill(NULL, &salt, sizeof salt);
    ls_status status = create_shown(&shown, name, &sink, error);
    return status ? status : ls_salvage_write(salvage, sink, name, salt, error);
}

static void print_saved(const char *name, const ls_salvage_part *part)
{
    printf("saved %s ticks=%" PRIu64 " first_tick=%" PRIu64 " last_tick=%" PRIu64 " roots=%" PRIu64
           "\n",
           name, part->end_tick - part->first_tick, part->first_tick, part->end_tick, part->roots);
}

static void print_lost(uint64_t from, uint64_t to)
{
    if (from < to)
        printf("lost ticks=%" PRIu64 " from=%" PRIu64 " to=%" PRIu64 "\n", to - from, from, to - 1);
}

/* Loads the simulation if it is available. Without it, fewer parts can be saved. */
static ls_status load(repair_options *options, const ls_replay_file *file, ls_error *error)
{
    const char *name = file->header->simulation.name;
    if (options->match.sim)
        return ls_sim_load(options->match.sim, &options->loaded, error);
    if (file->end->kind == LS_RECORDING_DAMAGED &&
        ls_sim_load(name, &options->loaded, NULL) != LS_OK)
        fprintf(stderr,
                "lockstep: warning: the simulation '%s' is not built in, so after the damage only "
                "parts that begin with a full keyframe are saved; --sim PATH.so may save more\n",
                name);
    return LS_OK;
}

static ls_status save_parts(const ls_replay_file *file, ls_salvage *salvage, const char *start,
                            uint32_t *parts, ls_error *error)
{
    char name[LS_PATH_BYTES_MAX];
    ls_salvage_part part;
    ls_status status = LS_OK;
    uint64_t saved = file->end_tick;
    for (*parts = 0; !status && ls_salvage_next(salvage, &part); (*parts)++) {
        print_lost(saved, part.first_tick);
        snprintf(name, sizeof name, "%.*s-%" PRIu64 ".lsr", ls_series_stem(start), start,
                 part.first_tick);
        status = write_part(salvage, name, file->end->ignored_bytes, error);
        if (!status)
            print_saved(name, &part);
        saved = part.end_tick;
    }
    if (!status)
        print_lost(saved, ls_salvage_seen_tick(salvage));
    return status;
}

static ls_status save_rest(const repair_options *options, const ls_replay_file *file,
                           const char *start, uint32_t *parts, ls_error *error)
{
    ls_salvage *salvage = ls_salvage_create(file->recording, options->loaded.program);
    ls_status status = save_parts(file, salvage, start, parts, error);
    ls_salvage_destroy(salvage);
    return status;
}

/* Whether the first part can be played: a file that begins in the middle of a match needs its first
 * keyframe. */
static bool has_start(const ls_replay_file *file)
{
    const ls_recording_keyframe *list;
    uint64_t first = file->header->first_tick;
    return first == 0 || (ls_recording_keyframes(file->recording, &list) && list[0].tick == first);
}

static ls_status save_without_start(const repair_options *options, const ls_replay_file *file,
                                    const char *name, ls_error *error)
{
    uint32_t parts;
    printf("no start: the state before tick %" PRIu64
           ", with which the file begins, is damaged; only what follows the damage can be "
           "saved\n",
           file->header->first_tick);
    ls_status status = save_rest(options, file, name, &parts, error);
    if (status || parts)
        return status;
    return ls_error_set(
        error, LS_ERROR_CORRUPT,
        "%s: nothing can be saved: the first state is damaged, and after the damage no "
        "full keyframe is intact; restore the file from a copy",
        options->path);
}

static ls_status save(const repair_options *options, const ls_replay_file *file, ls_error *error)
{
    char name[LS_PATH_BYTES_MAX];
    const ls_recording_end *end = file->end;
    if (file->end_status == LS_ERROR_INCOMPATIBLE) /* undamaged, but written by a newer version */
        return ls_replay_file_answer(file, LS_OK, error);
    choose_name(options, name);
    printf("%s\n", file->end_text.text);
    if (!has_start(file))
        return save_without_start(options, file, name, error);
    if (end->ignored_bytes == 0) {
        printf("nothing to repair ticks=%" PRIu64 "\n", end->tick_count);
        return LS_OK;
    }
    ls_status status = write_prefix(options, name, end->valid_bytes, error);
    if (!status)
        printf("repaired %s ticks=%" PRIu64 " last_tick=%" PRIu64 " bytes=%" PRIu64
               " ignored_bytes=%" PRIu64 "\n",
               name, end->tick_count, file->end_tick, end->valid_bytes, end->ignored_bytes);
    uint32_t parts;
    return status ? status : save_rest(options, file, name, &parts, error);
}

ls_exit ls_replay_repair(int count, char **arguments)
{
    repair_options options = {0};
    ls_replay_file file;
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_status status = ls_replay_file_open(options.path, &file, &error);
    if (!status)
        status = load(&options, &file, &error);
    if (!status)
        status = save(&options, &file, &error);
    ls_sim_unload(&options.loaded);
    ls_replay_file_close(&file);
    return status ? ls_command_fail("replay repair", status, &error) : LS_EXIT_GOOD;
}
