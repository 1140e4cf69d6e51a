#include "cli/verify_file.h"

#include "cli/clock.h"
#include "cli/playback.h"
#include "proto/identity.h"
#include "replays/keyframe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_NS (LS_NS_PER_S / 4)
#define BAR_CELLS   30

struct verify {
    const ls_verify_config *config;
    ls_verify_result *result;
    ls_recording *recording;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_world *world;
    ls_root_ring roots; /* own ones that the recording has not named yet */
    uint32_t epoch_count;
    uint64_t total; /* ticks */
    uint64_t start_ns, progress_ns;
    bool shows_progress;
};

void ls_verify_show_bar(double done, const char *words)
{
    static const char full[] = "##############################";
    static const char empty[] = "..............................";
    _Static_assert(sizeof full - 1 == BAR_CELLS && sizeof empty == sizeof full, "one cell each");
    int cells = done < 0 ? 0 : done > 1 ? BAR_CELLS : (int)(done * BAR_CELLS);
    fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%, %s", cells, full, BAR_CELLS - cells, empty,
            (done > 1 ? 1 : done) * 100, words);
}

void ls_verify_clear_bar(void)
{
    fputs("\r\033[K", stderr);
}

double ls_verify_factor(const ls_verify_result *result)
{
    if (!result->ns || !result->tick_rate)
        return 0;
    double seconds = (double)result->ns / (double)LS_NS_PER_S;
    return (double)result->ticks / seconds / result->tick_rate;
}

static ls_status check_simulation(struct verify *verify, ls_error *error)
{
    const ls_sim *sim = verify->loaded.sim;
    ls_recording_simulation own = {.rules_version = LS_ENGINE_RULES};
    memcpy(own.fingerprint, ls_program_fingerprint(verify->loaded.program), LS_FINGERPRINT_BYTES);
    snprintf(own.name, sizeof own.name, "%s", sim->name);
    snprintf(own.version, sizeof own.version, "%s", sim->version);
    ls_status status = ls_recording_check_simulation(verify->recording, &own, error);
    if (!status || !verify->config->takes_any_build)
        return status;
    verify->result->warning = *error;
    if (verify->config->tells)
        fprintf(stderr, "lockstep verify: warning: %s; trying it because of --any-build\n",
                error->text);
    return LS_OK;
}

/* A part of a match begins with a keyframe. */
static ls_status begin_within(struct verify *verify, ls_error *error)
{
    const ls_recording_keyframe *keyframes;
    const char *path = verify->config->path;
    ls_error why;
    if (!ls_recording_keyframes(verify->recording, &keyframes))
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s lacks the state that it begins with",
                            path);
    ls_status status =
        ls_keyframe_decode(verify->world, NULL, keyframes[0].data, keyframes[0].bytes, &why);
    if (status)
        (void)ls_error_set(error, status, "%s: the state that it begins with: %.512s", path,
                           why.text);
    return status;
}

static ls_status load(struct verify *verify, const char *name, ls_error *error)
{
    const char *wanted = verify->config->match->sim;
    ls_status status = ls_sim_load(wanted ? wanted : name, &verify->loaded, error);
    if (status == LS_ERROR_NOT_FOUND && !wanted)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s is of the simulation '%s', which is not built in; give its shared "
                            "object with --sim PATH.so",
                            verify->config->path, name);
    return status;
}

static ls_status prepare(struct verify *verify, ls_error *error)
{
    const ls_verify_config *config = verify->config;
    ls_status status = ls_playback_open_recording(config->path, &verify->recording, error);
    if (status)
        return status;
    const ls_recording_header *header = ls_recording_get_header(verify->recording);
    status = load(verify, header->simulation.name, error);
    if (!status)
        status = check_simulation(verify, error);
    if (!status)
        status = ls_match_options_executor(config->match, &verify->executor, error);
    if (!status && ls_world_create(verify->loaded.program, &header->match, &verify->world, error))
        /* Its checksum was right, so the match is that of another build. */
        status = LS_ERROR_INCOMPATIBLE;
    if (!status && header->first_tick)
        status = begin_within(verify, error);
    verify->total = ls_recording_find_end(verify->recording)->tick_count;
    return status;
}

static uint64_t ticks_done(const struct verify *verify)
{
    return ls_world_tick(verify->world) - ls_recording_get_header(verify->recording)->first_tick;
}

static void show_progress(struct verify *verify)
{
    ls_child_report *report = verify->config->report;
    if (report)
        __atomic_store_n(&report->ticks, ticks_done(verify), __ATOMIC_RELAXED);
    uint64_t now_ns = ls_clock_now_ns();
    if (!verify->shows_progress || now_ns < verify->progress_ns)
        return;
    verify->progress_ns = now_ns + PROGRESS_NS;
    double seconds = (double)(now_ns - verify->start_ns) / (double)LS_NS_PER_S;
    double rate = seconds > 0 ? (double)ticks_done(verify) / seconds : 0;
    char words[96];
    snprintf(words, sizeof words, "tick %" PRIu64 ", %.0f ticks/s, %.0fx real time",
             ls_world_tick(verify->world), rate, rate / ls_world_match(verify->world)->tick_rate);
    ls_verify_show_bar(verify->total ? (double)ticks_done(verify) / (double)verify->total : 0,
                       words);
}

static void clear_progress(const struct verify *verify)
{
    if (verify->shows_progress)
        ls_verify_clear_bar();
}

static ls_status report_difference(const struct verify *verify,
                                   const ls_root_difference *difference, ls_error *error)
{
    const char *hint = "run it again: if the tick moves, an access outside the rules is to blame; "
                       "if not, another build or a damaged memory";
    if (difference->tick == 0)
        hint = "the first state differs already: another build of the simulation's setup";
    else if (verify->config->match->threads > 1)
        hint = "try --threads 1: if that agrees, the simulation breaks the rules of its schedule";
    char place[64] = "before the first tick";
    if (difference->tick)
        snprintf(place, sizeof place, "in tick %" PRIu64, difference->tick - 1);
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "%s diverged %s: expected root %016" PRIx64 ", found %016" PRIx64 "; %s",
                        verify->config->path, place, difference->expected, difference->found, hint);
}

static void print_epoch(struct verify *verify)
{
    const ls_recording_end *end = ls_recording_get_end(verify->recording);
    if (end->epoch_count == verify->epoch_count || !verify->config->tells)
        return;
    clear_progress(verify);
    verify->epoch_count = end->epoch_count;
    printf("resumed tick=%" PRIu64 " epoch=%" PRIu32 " unix_s=%" PRId64 "\n", end->epoch.tick,
           end->epoch.epoch, end->epoch.unix_s);
}

/* The file names roots up to that of the world as it is now; some of them may be known only later.
 */
static ls_status verify_all(struct verify *verify, ls_root_difference *difference, ls_error *error)
{
    ls_root_ring_init(&verify->roots, ls_world_tick(verify->world));
    for (;;) {
        const ls_recording_tick *tick;
        ls_status status = ls_recording_next(verify->recording, &tick, error);
        print_epoch(verify);
        if (status)
            return status;
        ls_root_ring_push(&verify->roots, ls_world_root(verify->world));
        const ls_recording_roots *roots =
            tick ? &tick->roots : &ls_recording_get_end(verify->recording)->roots;
        if (!ls_root_ring_compare(&verify->roots, roots, difference)) {
            verify->result->has_departure = true;
            return report_difference(verify, difference, error);
        }
        if (tick)
            status = ls_world_advance(verify->world, &tick->frame, verify->executor, error);
        if (status || !tick)
            return status;
        show_progress(verify);
    }
}

/* A file whose ticks all agree may still have been changed together with its hashes: the server's
 * signatures are what tells. */
static ls_status check_signatures(const struct verify *verify, ls_error *line, ls_error *error)
{
    ls_recording_signed vouched;
    ls_status status = ls_recording_check_signatures(verify->recording, &vouched, error);
    const ls_recording_header *header = ls_recording_get_header(verify->recording);
    uint64_t end_tick = header->first_tick + verify->total;
    ls_public_key key;
    char text[LS_PUBLIC_KEY_TEXT_BYTES];
    memcpy(key.bytes, header->server_key, sizeof key.bytes);
    ls_public_key_format(&key, text);
    if (vouched.tick > header->first_tick)
        (void)ls_error_set(
            line, LS_OK, "signed through tick %" PRIu64 ", %" PRIu64 " unsigned, by the server %s",
            vouched.tick - 1, end_tick - vouched.tick, text);
    else
        (void)ls_error_set(line, LS_OK, "signed through no tick, %" PRIu64 " unsigned%s",
                           end_tick - vouched.tick,
                           vouched.has_key ? "" : ": the server had no key");
    return status;
}

static void describe(const struct verify *verify)
{
    ls_verify_result *result = verify->result;
    const ls_match *match = ls_world_match(verify->world);
    result->was_played = true;
    result->first = ls_recording_get_header(verify->recording)->first_tick;
    result->ticks = ticks_done(verify);
    result->ns = ls_clock_now_ns() - verify->start_ns;
    result->root = ls_world_root(verify->world);
    result->seed = match->seed;
    result->tick_rate = match->tick_rate;
    result->end_kind = ls_recording_find_end(verify->recording)->kind;
    snprintf(result->sim, sizeof result->sim, "%s", verify->loaded.sim->name);
}

/* The world's own threads end first: what follows takes pages away and steps through stores. */
static void find_departure(struct verify *verify, const ls_root_difference *difference)
{
    ls_executor_destroy(verify->executor);
    verify->executor = NULL;
    ls_departure_find(verify->recording, verify->loaded.program, difference,
                      &verify->result->departure);
}

static void play(struct verify *verify)
{
    ls_verify_result *result = verify->result;
    ls_root_difference difference;
    verify->start_ns = ls_clock_now_ns();
    if (verify->config->report)
        __atomic_store_n(&verify->config->report->ticks_total, verify->total, __ATOMIC_RELAXED);
    result->status = verify_all(verify, &difference, &result->error);
    clear_progress(verify);
    describe(verify);
    if (result->has_departure)
        find_departure(verify, &difference);
    if (result->status)
        return;
    result->is_whole = true;
    ls_recording_describe_end(verify->recording, &result->end);
    result->status = check_signatures(verify, &result->vouched, &result->error);
}

void ls_verify_file(const ls_verify_config *config, ls_verify_result *result)
{
    struct verify verify = {.config = config,
                            .result = result,
                            .shows_progress = config->tells && isatty(STDERR_FILENO)};
    *result = (ls_verify_result){0};
    result->status = prepare(&verify, &result->error);
    if (!result->status)
        play(&verify);
    if (verify.world)
        ls_world_destroy(verify.world);
    ls_executor_destroy(verify.executor);
    ls_sim_unload(&verify.loaded);
    ls_recording_close(verify.recording);
}
