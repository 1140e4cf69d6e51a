/* Verifies recordings with the built-in simulations, without processes, options and modules: also
 * for machines on which ./matrix does not build the program `lockstep`.
 * usage: verifier verify FILE...       plays each file and compares every root and signature
 *        verifier notice FILE          flips a bit midway; 0 if the next root tells
 *        verifier cuts FILE STEP       reads the file cut after 0, STEP, 2 STEP... bytes, each a
 *                                      shorter recording or refused in one line
 *        verifier record FILE FOLDER   writes the file's bytes as a server does, under a name with
 * a blank, an umlaut and 220 characters; verifies that one */
#include "core/base/platform_file.h"
#include "replays/file.h"
#include "sims/builtin.h"
#include <lockstep/file_sink.h>
#include <lockstep/recording.h>
#include <lockstep/replay_player.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CHARACTERS = 220 };

static ls_error error;

/* A recording that is being played. */
typedef struct playback {
    ls_program *program;
    ls_replay_player *player;
    ls_recording_signed signatures;
} playback;

/* Opens the file and checks its signatures. */
static bool begin(playback *play, const char *path)
{
    ls_recording *recording;
    if (ls_recording_open(path, &recording, &error) != LS_OK)
        return false;
    const ls_sim *sim = ls_sim_builtin(ls_recording_get_header(recording)->simulation.name);
    ls_replay_player_config config = {0};
    ls_status status =
        sim ? ls_program_create(sim, &play->program, &error)
            : ls_error_set(&error, LS_ERROR_INCOMPATIBLE, "no built-in simulation has its name");
    config.program = play->program;
    if (status == LS_OK)
        status = ls_recording_check_signatures(recording, &play->signatures, &error);
    if (status == LS_OK)
        status = ls_replay_player_create(recording, &config, &play->player, &error);
    if (status != LS_OK)
        ls_recording_close(recording);
    return status == LS_OK;
}

static void end(playback *play)
{
    ls_replay_player_close(play->player);
    if (play->program)
        ls_program_destroy(play->program);
}

/* Plays to the end. Returns how many roots were equal, 0 with a message after a difference. */
static uint64_t compare_roots(ls_replay_player *player)
{
    uint64_t roots = 0;
    for (;;) {
        uint64_t tick = ls_replay_player_tick(player), recorded;
        if (ls_replay_player_root(player, tick, &recorded)) {
            uint64_t computed = ls_world_root(ls_replay_player_world(player));
            if (computed != recorded) {
                (void)ls_error_set(&error, LS_ERROR_DIVERGED,
                                   "tick %" PRIu64 ": root %016" PRIx64 ", recorded %016" PRIx64,
                                   tick, computed, recorded);
                return 0;
            }
            roots++;
        }
        if (tick == ls_replay_player_last(player))
            return roots;
        if (ls_replay_player_step(player, &error) != LS_OK)
            return 0;
    }
}

/* A file passes when it is whole, each of its ticks has a root, and each is signed if any is. */
static bool verify(const char *path)
{
    playback play = {0};
    ls_recording_end found;
    uint64_t roots = 0, ticks = 0;
    bool is_good = begin(&play, path);
    if (is_good) {
        ls_replay_player *player = play.player;
        roots = compare_roots(player);
        ticks = ls_replay_player_last(player) - ls_replay_player_first(player);
        is_good = roots > 0 && ls_replay_player_end(player, &found, &error) == LS_OK;
        if (is_good &&
            (roots < ticks || found.kind != LS_RECORDING_CLEAN ||
             (play.signatures.has_key && play.signatures.tick < ls_replay_player_last(player)))) {
            (void)ls_error_set(&error, LS_ERROR_CORRUPT,
                               "%" PRIu64 " roots, signed to tick %" PRIu64, roots,
                               play.signatures.tick);
            is_good = false;
        }
    }
    printf("%s: %" PRIu64 " ticks, %" PRIu64 " roots%s%s\n", path, ticks, roots,
           is_good ? " equal" : ": ", is_good ? "" : error.text);
    end(&play);
    return is_good;
}

static bool notice(const char *path)
{
    char what[256] = "no cell";
    playback play = {0};
    bool is_noticed = false;
    if (begin(&play, path)) {
        ls_replay_player *player = play.player;
        uint64_t middle = ls_replay_player_last(player) / 2;
        is_noticed = ls_replay_player_seek(player, middle, &error) == LS_OK &&
                     ls_world_flip_bit(ls_replay_player_world(player), 0, what, sizeof what) &&
                     ls_replay_player_step(player, &error) == LS_ERROR_DIVERGED;
    }
    printf("%s: flipped %s: %s: %s\n", path, what, is_noticed ? "noticed" : "NOT noticed",
           error.text);
    end(&play);
    return is_noticed;
}

static bool read_file(const char *path, uint8_t **bytes, size_t *count)
{
    int descriptor;
    *bytes = NULL;
    if (ls_file_open(path, false, &descriptor, &error) != LS_OK)
        return false;
    ls_status status = ls_file_read(path, descriptor, bytes, count, &error);
    (void)ls_descriptor_close(descriptor);
    return status == LS_OK;
}

/* Without its header a file is refused; each further byte keeps the ticks before it. */
static bool is_good_cut(const char *path, const uint8_t *bytes, size_t count, uint64_t *ticks)
{
    ls_recording *recording;
    ls_status status = ls_recording_open_memory(path, bytes, count, &recording, &error);
    if (status != LS_OK)
        return status == LS_ERROR_CORRUPT && *ticks == 0 && !strchr(error.text, '\n');
    uint64_t before = *ticks;
    *ticks = ls_recording_find_end(recording)->tick_count;
    ls_recording_close(recording);
    return *ticks >= before;
}

/* Cuts the file at every `step`-th byte. */
static bool cuts(const char *path, size_t step)
{
    uint8_t *bytes;
    size_t count = 0, length = 0;
    uint64_t ticks = 0;
    bool is_good = true;
    if (!read_file(path, &bytes, &count)) {
        printf("%s\n", error.text);
        return false;
    }
    uint8_t *copy = ls_alloc(count);
    for (; is_good && length < count; length += step) {
        uint8_t *cut = copy + count - length; /* nothing after it can be read */
        memcpy(cut, bytes, length);
        is_good = is_good_cut(path, cut, length, &ticks);
    }
    if (is_good)
        printf("%s: refused or shorter when cut after any of %zu bytes, in steps of %zu\n", path,
               count, step);
    else
        printf("%s: cut after %zu bytes, %" PRIu64 " ticks: %s\n", path, length - step, ticks,
               error.text);
    ls_free(copy);
    ls_free(bytes);
    return is_good && ticks > 0;
}

/* Appends bytes as a server does. */
static bool append(const ls_sink *sink, const uint8_t *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        int64_t step = sink->append(sink->context, bytes + done, count - done);
        if (step <= 0)
            return false;
        done += (size_t)step;
    }
    return sink->sync(sink->context) == 0;
}

/* Writes the file in two parts; in between it has its name, and its lock keeps others out. */
static bool write_parts(const char *path, const uint8_t *bytes, size_t count)
{
    ls_sink sink;
    ls_sink_existing other;
    if (ls_file_sink_create(path, &sink, &error) != LS_OK)
        return false;
    bool is_good = append(&sink, bytes, count / 2) &&
                   ls_file_sink_open(path, &other, &error) == LS_ERROR_REFUSED &&
                   append(&sink, bytes + count / 2, count - count / 2);
    return sink.close(sink.context) == 0 && is_good;
}

/* A file that exists is not replaced, and can be continued after its end is cut off. */
static bool continue_file(const char *path, const uint8_t *bytes, size_t count)
{
    ls_sink sink;
    ls_sink_existing found;
    if (ls_file_sink_create(path, &sink, &error) != LS_OK)
        return false;
    bool is_kept = sink.append(sink.context, "x", 1) == 1 && sink.sync(sink.context) == -EEXIST;
    if (sink.close(sink.context) != 0 || !is_kept ||
        ls_file_sink_open(path, &found, &error) != LS_OK)
        return false;
    bool is_good = found.bytes == count && memcmp(found.data, bytes, count) == 0 &&
                   found.truncate(found.sink.context, count - 7) == 0 &&
                   append(&found.sink, bytes + count - 7, 7);
    return found.sink.close(found.sink.context) == 0 && is_good;
}

static bool record(const char *from, const char *folder)
{
    char name[NAME_CHARACTERS + 1], path[LS_PATH_BYTES_MAX];
    uint8_t *bytes = NULL;
    size_t count = 0;
    memset(name, 'n', NAME_CHARACTERS);
    name[NAME_CHARACTERS] = 0;
    snprintf(path, sizeof path, "%s/%s \xc3\xa4.lsr", folder, name);
    (void)ls_path_remove(path); /* of an earlier run */
    bool is_good = read_file(from, &bytes, &count) && write_parts(path, bytes, count) &&
                   continue_file(path, bytes, count);
    ls_free(bytes);
    if (is_good)
        return verify(path);
    printf("%s: cannot be written: %s\n", path, error.text);
    return false;
}

int main(int count, char **arguments)
{
    const char *action = count > 2 ? arguments[1] : "";
    if (count == 3 && strcmp(action, "notice") == 0)
        return notice(arguments[2]) ? 0 : 1;
    if (count == 4 && strcmp(action, "cuts") == 0 && atoi(arguments[3]) > 0)
        return cuts(arguments[2], (size_t)atoi(arguments[3])) ? 0 : 1;
    if (count == 4 && strcmp(action, "record") == 0)
        return record(arguments[2], arguments[3]) ? 0 : 1;
    if (count > 2 && strcmp(action, "verify") == 0) {
        int failures = 0;
        for (int i = 2; i < count; i++)
            failures += !verify(arguments[i]);
        return failures > 0;
    }
    fprintf(stderr,
            "usage: %s verify FILE... | notice FILE | cuts FILE STEP | record FILE FOLDER\n",
            arguments[0]);
    return 2;
}
