/* lockstep replay repair: what is good of a damaged file, as a new one. The old one stays as it is:
 * what one reader takes for damage, a later one may be able to read. */
#include "cli/output.h"
#include "cli/playback.h"
#include "cli/replay.h"
#include "cli/replay_text.h"
#include "replays/file_sink.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct repair_options {
    const char *path, *output;
} repair_options;

static error_t parse(int key, char *text, struct argp_state *state)
{
    repair_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "one recording at a time");
        options->path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which recording?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0, "Output:", 2},
    {"output", 'o', "FILE", 0, "The new recording (NAME.repaired.lsr); none is replaced", 2},
    {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Writes what is good of a recording with a torn, zeroed or damaged end as a new one, "
           "byte for byte, and says what was lost. The old file is not changed. Of a file that "
           "needs no repair nothing is written."
           "\vExit codes: 0 good; 2 wrong use, no such file, or the new file is there already; 3 "
           "another version of the format; 4 not even the header can be read; 5 a file cannot be "
           "read or written."};

static void choose_name(const repair_options *options, char name[PATH_MAX])
{
    size_t length = strlen(options->path);
    bool is_lsr = length > 4 && strcmp(options->path + length - 4, ".lsr") == 0;
    if (options->output)
        snprintf(name, PATH_MAX, "%s", options->output);
    else
        snprintf(name, PATH_MAX, "%.*s.repaired.lsr", (int)(is_lsr ? length - 4 : length),
                 options->path);
}

static int copy(FILE *from, uint64_t bytes, const ls_sink *sink)
{
    uint8_t block[1 << 16];
    while (bytes > 0) {
        size_t wanted = bytes < sizeof block ? (size_t)bytes : sizeof block;
        if (fread(block, 1, wanted, from) != wanted)
            return errno ? -errno : -EIO; /* it shrank meanwhile */
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
    FILE *from = fopen(options->path, "re");
    if (!from)
        return ls_error_set(error, LS_ERROR_IO, "cannot read %s: %s", options->path,
                            strerror(errno));
    ls_status status = ls_file_sink_create(name, &sink, error);
    if (!status) {
        errno = 0;
        int result = copy(from, bytes, &sink);
        int closed = sink.close(sink.context);
        result = result ? result : closed;
        if (result == -EEXIST)
            status = ls_error_set(error, LS_ERROR_USAGE,
                                  "%s is there already; give another name with --output", name);
        else if (result)
            status =
                ls_error_set(error, LS_ERROR_IO, "cannot write %s: %s", name, strerror(-result));
    }
    fclose(from);
    return status;
}

static ls_status save(const repair_options *options, const ls_replay_file *file, ls_error *error)
{
    char name[PATH_MAX];
    const ls_recording_end *end = file->end;
    if (file->end_status == LS_ERROR_INCOMPATIBLE) /* good bytes of a newer program */
        return ls_replay_file_answer(file, LS_OK, error);
    choose_name(options, name);
    printf("%s\n", file->end_text.text);
    if (end->ignored_bytes == 0) {
        printf("nothing to repair ticks=%" PRIu64 "\n", end->tick_count);
        return LS_OK;
    }
    ls_status status = write_prefix(options, name, end->valid_bytes, error);
    if (!status)
        printf("repaired %s ticks=%" PRIu64 " last_tick=%" PRIu64 " bytes=%" PRIu64
               " lost_bytes=%" PRIu64 " lost_keyframes=%" PRIu32 "\n",
               name, end->tick_count, file->end_tick, end->valid_bytes, end->ignored_bytes,
               end->later_keyframes);
    return status;
}

ls_exit ls_replay_repair(int count, char **arguments)
{
    repair_options options = {0};
    ls_replay_file file;
    ls_error error;
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    ls_status status = ls_replay_file_open(options.path, &file, &error);
    if (!status)
        status = save(&options, &file, &error);
    ls_replay_file_close(&file);
    return status ? ls_command_fail("replay repair", status, &error) : LS_EXIT_GOOD;
}
