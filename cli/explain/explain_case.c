#include "cli/explain/explain_case.h"

#include "cli/common/match_playback.h"
#include "core/base/bounds.h"
#include "core/base/builder.h"
#include "core/base/platform_file.h"
#include "desync/start_state.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_TICKS 64 /* reading this many ticks takes at most as long as running one */

/* Whether the file is a recording of the bundle's match that begins earlier; its name alone proves
 * nothing. */
static bool is_same_match(const ls_explain_case *subject, const char *path, uint64_t *first_tick)
{
    ls_recording *other;
    if (ls_recording_open(path, &other, NULL) != LS_OK)
        return false;
    const ls_recording_header *a = ls_recording_get_header(subject->recording);
    const ls_recording_header *b = ls_recording_get_header(other);
    *first_tick = b->first_tick;
    bool is_same = a->match.seed == b->match.seed && b->first_tick < a->first_tick &&
                   memcmp(a->simulation.fingerprint, b->simulation.fingerprint,
                          sizeof a->simulation.fingerprint) == 0 &&
                   memcmp(a->server_key, b->server_key, sizeof a->server_key) == 0;
    ls_recording_close(other);
    return is_same;
}

/* Looks beside the bundle for the recording that the bundle was cut from. */
static void find_match(ls_explain_case *subject)
{
    const char *path = subject->config.path;
    const char *name = ls_path_name(subject->evidence->recording);
    ls_builder text = {0};
    ls_builder_add(&text, "%.*s%s", (int)(ls_path_name(path) - path), path, name);
    if (!name[0])
        ls_error_set(&subject->no_match, LS_ERROR_NOT_FOUND, "the bundle names no recording");
    else if (access(text.data, F_OK) != 0)
        ls_error_set(&subject->no_match, LS_ERROR_NOT_FOUND, "%s is not beside it", name);
    else if (!is_same_match(subject, text.data, &subject->match_tick))
        ls_error_set(&subject->no_match, LS_ERROR_NOT_FOUND, "%s beside it is not of its match",
                     name);
    else
        subject->match_path = ls_text_duplicate(text.data);
    ls_free(text.data);
}

/* Takes the recording that the user named, which must be of this match, or looks for it. */
static ls_status take_match(ls_explain_case *subject, ls_error *error)
{
    const char *path = subject->config.match;
    if (!path) {
        find_match(subject);
        return LS_OK;
    }
    if (access(path, R_OK) != 0)
        return ls_error_set(error, LS_ERROR_USAGE, "--match %s: %s", path, strerror(errno));
    if (!is_same_match(subject, path, &subject->match_tick))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "--match %s is not a recording of the match that %s was cut from", path,
                            subject->config.path);
    subject->match_path = ls_text_duplicate(path);
    return LS_OK;
}

static ls_status take_evidence(ls_explain_case *subject, ls_error *error)
{
    size_t count;
    ls_status status = LS_OK;
    if (subject->config.bundle)
        status = ls_recording_open(subject->config.bundle, &subject->bundle, error);
    if (status)
        return status;
    const uint8_t *bytes =
        ls_recording_evidence(subject->bundle ? subject->bundle : subject->recording, &count);
    if (!bytes && subject->config.match)
        return ls_error_set(error, LS_ERROR_USAGE, "--match is for a bundle, which %s is not",
                            subject->config.path);
    if (!bytes)
        return LS_OK;
    subject->evidence = ls_alloc(sizeof *subject->evidence);
    status = ls_evidence_decode(bytes, count, subject->evidence, error);
    if (status)
        return status;
    subject->tick = subject->evidence->tick;
    if (subject->tick <= subject->first_tick || subject->tick > subject->end_tick)
        return ls_error_set(error, LS_ERROR_CORRUPT,
                            "%s: its evidence is of tick %" PRIu64 ", its frames are not",
                            subject->config.path, subject->tick);
    return subject->bundle ? LS_OK : take_match(subject, error);
}

/* Announces `count` further steps of progress. */
static void add_expected(const ls_explain_config *config, uint64_t count)
{
    if (config->progress_total)
        __atomic_fetch_add(config->progress_total, count, __ATOMIC_RELAXED);
}

/* Reads the recording once to its end: finds the last tick, and whether the file is good. */
static ls_status measure(ls_explain_case *subject, ls_error *error)
{
    const ls_recording_tick *tick;
    ls_status status;
    uint64_t count = 0;
    do {
        status = ls_recording_next(subject->recording, &tick, error);
        if (count++ % READ_TICKS == 0)
            ls_explain_add_progress(&subject->config);
    } while (!status && tick);
    const ls_recording_end *end = ls_recording_get_end(subject->recording);
    subject->end_tick = subject->first_tick + end->tick_count;
    if (!end->is_closed || end->kind != LS_RECORDING_CLEAN)
        ls_recording_describe_end(subject->recording, &subject->torn);
    ls_recording_rewind(subject->recording);
    add_expected(&subject->config, count / READ_TICKS);
    return status;
}

ls_status ls_explain_case_open(const ls_explain_config *config, ls_explain_case *subject,
                               ls_error *error)
{
    *subject = (ls_explain_case){.config = *config, .tick = LS_EXPLAIN_TICK_UNKNOWN};
    ls_status status =
        ls_match_playback_open_match(config->path, &subject->recording, &subject->rest, error);
    if (status)
        return status;
    subject->first_tick = ls_recording_get_header(subject->recording)->first_tick;
    status = ls_match_playback_load_sim(config->path, subject->recording, config->sim,
                                        &subject->loaded, error);
    if (!status)
        status = ls_match_playback_check_build(subject->recording, &subject->loaded,
                                               config->any_build, &subject->warning, error);
    if (!status)
        status = measure(subject, error);
    if (!status)
        status = take_evidence(subject, error);
    if (!status)
        ls_sim_imports_find(&subject->loaded, &subject->imports);
    return status;
}

void ls_explain_case_close(ls_explain_case *subject)
{
    ls_free(subject->evidence);
    ls_free(subject->match_path);
    ls_sim_unload(&subject->loaded);
    ls_recording_close(subject->recording);
    ls_recording_close(subject->bundle);
    *subject = (ls_explain_case){0};
}

void ls_explain_add_progress(const ls_explain_config *config)
{
    if (config->progress)
        __atomic_fetch_add(config->progress, 1, __ATOMIC_RELAXED);
}

ls_status ls_explain_case_start(ls_explain_case *subject, uint64_t from, ls_tick_source *ticks,
                                uint8_t **snapshot, size_t *bytes, ls_error *error)
{
    ls_world *world;
    *snapshot = NULL;
    *bytes = 0;
    *ticks = ls_ticks_of_recording(subject->recording);
    if (from == 0 && subject->first_tick == 0) {
        ls_recording_rewind(subject->recording);
        return LS_OK;
    }
    ls_status status =
        ls_start_state_make(subject->recording, subject->loaded.program, from, &world, error);
    if (status)
        return status;
    ls_world_encode(world, snapshot, bytes);
    ls_world_destroy(world);
    return LS_OK;
}

ls_status ls_explain_case_begin(ls_explain_case *subject, uint64_t from, ls_rerun **rerun,
                                ls_error *error)
{
    ls_rerun_config config = {.program = subject->loaded.program,
                              .match = &ls_recording_get_header(subject->recording)->match,
                              .is_blind = true};
    uint8_t *snapshot;
    *rerun = NULL;
    ls_status status = ls_explain_case_start(subject, from, &config.ticks, &snapshot,
                                             &config.snapshot_bytes, error);
    if (status)
        return status;
    config.snapshot = snapshot;
    status = ls_rerun_create(&config, rerun, error);
    ls_free(snapshot);
    return status;
}

ls_status ls_explain_case_run(const ls_explain_case *subject, ls_rerun *rerun, uint64_t tick,
                              ls_error *error)
{
    uint64_t from = ls_world_tick(ls_rerun_world(rerun));
    ls_status status = LS_OK;
    uint64_t until = ls_min(tick, subject->end_tick);
    add_expected(&subject->config, until > from ? until - from : 0);
    for (bool is_over = false;
         !status && !is_over && ls_world_tick(ls_rerun_world(rerun)) < tick;) {
        status = ls_rerun_step(rerun, &is_over, error);
        ls_explain_add_progress(&subject->config);
    }
    return status;
}

uint32_t ls_explain_case_bits(const ls_explain_case *subject)
{
    const ls_evidence *evidence = subject->evidence;
    uint32_t bits = 0;
    if (!evidence || evidence->findings_in_all != 1 || evidence->page_count != 1 ||
        evidence->pages[0].server.count != evidence->pages[0].client.count)
        return 0;
    const ls_evidence_page *page = &evidence->pages[0];
    for (uint32_t i = 0; i < page->server.count; i++)
        bits += (uint32_t)__builtin_popcount(page->server.data[i] ^ page->client.data[i]);
    return bits;
}

/* Whether the text is the end of a bundle's name: a tick, perhaps with a number, as "2" or
 * "2-3". */
static bool is_place(const char *text)
{
    size_t tick = strspn(text, "0123456789"), dash = text[tick] == '-';
    size_t number = dash ? strspn(text + tick + 1, "0123456789") : 0;
    return tick && (!dash || number) && !text[tick + dash + number];
}

uint32_t ls_explain_case_others(const ls_explain_case *subject)
{
    static const char mark[] = ".desync-";
    const char *path = subject->config.path, *name = ls_path_name(path), *end = strstr(name, mark);
    int folder_bytes = (int)(name - path);
    ls_builder folder = {0};
    uint32_t count = 0;
    if (!end)
        return 0;
    size_t stem = (size_t)(end - name) + strlen(mark);
    ls_builder_add(&folder, "%.*s", folder_bytes ? folder_bytes : 2, folder_bytes ? path : "./");
    DIR *files = opendir(folder.data);
    for (const struct dirent *file; files && (file = readdir(files)) != NULL;)
        count += strncmp(file->d_name, name, stem) == 0 && is_place(file->d_name + stem) &&
                 strcmp(file->d_name, name) != 0;
    if (files)
        closedir(files);
    ls_free(folder.data);
    return count;
}
