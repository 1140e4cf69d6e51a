#include "cli/common/verify_file.h"

#include "cli/common/clock.h"
#include "cli/common/match_playback.h"
#include "cli/common/replay_file.h"
#include "cli/common/shell_word.h"
#include "core/base/platform.h"
#include "desync/divergence_search.h"
#include "replays/evidence_record.h"
#include "replays/keyframe.h"
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct verify {
    const ls_verify_config *config;
    ls_verify_result *result;
    ls_series *series;
    ls_recording *recording; /* the file that is being played */
    uint64_t before;         /* ticks of the files before `recording` */
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_world *world;
    ls_root_ring roots;  /* roots of this run that the recording has not named yet */
    ls_error damage;     /* the first damage in a file that others follow; "" for none */
    uint64_t read_bytes; /* bytes of the recording up to the root that differs */
    uint32_t epoch_count;
    uint64_t total; /* ticks of the match */
    uint64_t start_ns;
};

double ls_verify_factor(const ls_verify_result *result)
{
    if (!result->ns || !result->tick_rate)
        return 0;
    double seconds = (double)result->ns / (double)LS_SECOND_NS;
    return (double)result->ticks / seconds / result->tick_rate;
}

/* Loads the first keyframe of a file that begins in the middle of a match. */
static ls_status begin_within(struct verify *verify, uint32_t file, ls_error *error)
{
    const ls_recording_keyframe *keyframes;
    const char *name = verify->series->names[file];
    const char *path = name ? name : verify->config->path;
    if (!ls_recording_keyframes(verify->recording, &keyframes))
        return ls_error_set(error, LS_ERROR_CORRUPT, "%s lacks the state that it begins with",
                            path);
    ls_status status =
        ls_keyframe_decode(verify->world, NULL, keyframes[0].data, keyframes[0].bytes, error);
    if (status)
        (void)ls_error_set(error, status, "%s: the state that it begins with: %.512s", path,
                           error->text);
    return status;
}

static ls_status open_history(struct verify *verify, ls_error *error)
{
    ls_status status = ls_match_playback_check_path(verify->config->path, error);
    if (!status)
        status = ls_series_open(verify->config->path, &verify->series, error);
    if (!status)
        verify->recording = verify->series->files[0];
    return status;
}

static ls_status prepare(struct verify *verify, ls_error *error)
{
    const ls_verify_config *config = verify->config;
    ls_status status = open_history(verify, error);
    if (!status) {
        status = ls_verify_trust_check(&config->trust, config->path, verify->series, error);
        verify->result->is_untrusted = status != LS_OK;
    }
    if (status)
        return status;
    const ls_recording_header *header = ls_recording_get_header(verify->recording);
    status = ls_match_playback_load_sim(config->path, verify->recording, config->match->sim,
                                        &verify->loaded, error);
    if (!status)
        status = ls_match_playback_check_build(verify->recording, &verify->loaded,
                                               config->allows_any_build, &verify->result->warning,
                                               error);
    if (!status)
        status = ls_match_options_executor(config->match, &verify->executor, error);
    if (!status && ls_world_create(verify->loaded.program, &header->match, &verify->world, error))
        /* The header's checksum was right, so a match that is refused here comes from another
         * build. */
        status = LS_ERROR_INCOMPATIBLE;
    if (!status && header->first_tick)
        status = begin_within(verify, 0, error);
    for (uint32_t i = 0; i < verify->series->count; i++)
        verify->total += ls_recording_find_end(verify->series->files[i])->tick_count;
    return status;
}

static uint64_t ticks_done(const struct verify *verify)
{
    return verify->before + ls_world_tick(verify->world) -
           ls_recording_get_header(verify->recording)->first_tick;
}

static void show_progress(const struct verify *verify)
{
    if (verify->config->child)
        __atomic_store_n(&verify->config->child->report->ticks, ticks_done(verify),
                         __ATOMIC_RELAXED);
}

void ls_verify_set_next(const ls_verify_config *config, ls_verify_result *result)
{
    ls_builder text = {0};
    ls_builder_add(&text, "lockstep explain");
    if (config->match->sim) {
        ls_builder_add(&text, " --sim");
        ls_shell_word_add(&text, config->match->sim);
    }
    if (config->allows_any_build)
        ls_builder_add(&text, " --any-build");
    ls_shell_word_add(&text, config->path);
    /* A command that was cut could do something else, so it is left out. */
    if (text.count < sizeof result->next)
        snprintf(result->next, sizeof result->next, "%s", text.data);
    ls_free(text.data);
}

static bool find_evidence_tick(ls_recording *recording, uint64_t *tick)
{
    size_t count;
    ls_evidence *evidence = ls_alloc(sizeof *evidence);
    const uint8_t *bytes = ls_recording_evidence(recording, &count);
    bool is_found = bytes && ls_evidence_decode(bytes, count, evidence, NULL) == LS_OK;
    *tick = is_found ? evidence->tick : 0;
    ls_free(evidence);
    return is_found;
}

static ls_status report_difference(const struct verify *verify,
                                   const ls_root_difference *difference, ls_error *error)
{
    const char *hint = "";
    if (difference->tick == 0 && verify->result->warning.text[0])
        hint = "; the first state differs already: another version of the simulation's setup";
    else if (difference->tick == 0)
        hint =
            "; the first state differs already, though the simulation's fingerprint is that of "
            "the recording: its setup itself depends on the machine, the process, the time or how "
            "it was compiled";
    else if (verify->config->match->threads > 1)
        hint = "; try --threads 1: if that agrees, the simulation breaks the rules of its schedule";
    char place[64] = "before the first tick", bundle[96] = "";
    uint64_t tick;
    if (find_evidence_tick(verify->recording, &tick))
        snprintf(bundle, sizeof bundle, " (evidence of a client's desync at tick %" PRIu64 ")",
                 tick);
    if (difference->tick)
        snprintf(place, sizeof place, "in tick %" PRIu64, difference->tick - 1);
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "%s%s diverged %s: expected root %016" PRIx64 ", found %016" PRIx64 "%s",
                        verify->config->path, bundle, place, difference->expected,
                        difference->found, hint);
}

static void note_epoch(struct verify *verify)
{
    const ls_recording_end *end = ls_recording_get_end(verify->recording);
    if (end->epoch_count == verify->epoch_count || !verify->config->events)
        return;
    verify->epoch_count = end->epoch_count;
    ls_builder_add(verify->config->events,
                   "resumed tick=%" PRIu64 " epoch=%" PRIu32 " unix_s=%" PRId64 "\n",
                   end->epoch.tick, end->epoch.epoch, end->epoch.unix_s);
}

/* Whether bytes follow that the server did not write: the recording is closed, and its signatures,
 * if it has a key, reach its end. So the bytes are no torn or changed signature. */
static bool has_read_all(const ls_recording *recording)
{
    ls_recording_signed vouched;
    const ls_recording_end *end = ls_recording_find_end(recording);
    uint64_t end_tick = ls_recording_get_header(recording)->first_tick + end->tick_count;
    return end->is_closed && end->ignored_bytes &&
           ls_recording_check_signatures(recording, &vouched, NULL) == LS_OK &&
           (!vouched.has_key || vouched.tick == end_tick);
}

/* Replays one recording and compares its roots. A root may come after the frame of its
 * tick, so a ring keeps those of this build until then. */
static ls_status verify_one(struct verify *verify, ls_root_difference *difference, ls_error *error)
{
    ls_root_ring_init(&verify->roots, ls_world_tick(verify->world));
    for (;;) {
        const ls_recording_tick *tick;
        ls_status status = ls_recording_next(verify->recording, &tick, error);
        note_epoch(verify);
        if (status && !(status == LS_ERROR_CORRUPT && has_read_all(verify->recording)))
            return status;
        ls_root_ring_push(&verify->roots, ls_world_root(verify->world));
        const ls_recording_roots *roots =
            tick ? &tick->roots : &ls_recording_get_end(verify->recording)->roots;
        if (!ls_root_ring_compare(&verify->roots, roots, difference)) {
            verify->result->has_divergence = true;
            verify->read_bytes = ls_recording_get_end(verify->recording)->valid_bytes;
            return report_difference(verify, difference, error);
        }
        if (tick)
            status = ls_world_advance(verify->world, &tick->frame, verify->executor, error);
        else
            status = LS_OK;
        if (status || !tick)
            return status;
        show_progress(verify);
    }
}

/* Continues with the next file. If the file does not begin where the previous one ends, its first
 * state is accepted without a comparison. */
static ls_status go_on(struct verify *verify, uint32_t file, ls_error *error)
{
    ls_recording *next = verify->series->files[file];
    uint64_t tick = ls_world_tick(verify->world);
    uint64_t first = ls_recording_get_header(next)->first_tick;
    verify->before = ticks_done(verify);
    verify->recording = next;
    verify->epoch_count = 0;
    if (verify->config->events)
        ls_builder_add(verify->config->events,
                       "segment tick=%" PRIu64 " lost_ticks=%" PRIu64 " name=%s\n", first,
                       first - tick, verify->series->names[file]);
    return first == tick ? LS_OK : begin_within(verify, file, error);
}

/* Whether the damage is only what a full disk refused: the next file names the bytes that are
 * valid, and all of them were read. */
static bool is_refused_part(const ls_recording *recording, const ls_recording *next)
{
    const ls_recording_link *link = ls_recording_get_link(next);
    return link && link->salt == ls_recording_get_header(recording)->salt &&
           ls_recording_find_end(recording)->valid_bytes >= link->bytes;
}

/* Whether the match continues in another file. Then a damage does not end the check, but is kept as
 * an error. */
static bool goes_on_after(struct verify *verify, uint32_t file, ls_status status,
                          const ls_error *error)
{
    if (file + 1 == verify->series->count || (status && status != LS_ERROR_CORRUPT))
        return false;
    if (status && !verify->damage.text[0] &&
        !is_refused_part(verify->recording, verify->series->files[file + 1]))
        verify->damage = *error;
    return true;
}

static ls_status verify_all(struct verify *verify, ls_root_difference *difference, ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; !status; i++) {
        status = verify_one(verify, difference, error);
        if (!goes_on_after(verify, i, status, error))
            break;
        status = go_on(verify, i + 1, error);
    }
    if (status == LS_ERROR_DIVERGED || !verify->damage.text[0])
        return status;
    *error = verify->damage;
    return LS_ERROR_CORRUPT;
}

static ls_status check_signatures(const struct verify *verify, ls_error *error)
{
    ls_verify_result *result = verify->result;
    ls_series_signed vouched;
    ls_status status = ls_verify_trust_describe(&verify->config->trust, verify->series, &vouched,
                                                &result->vouched, error);
    result->is_signed = !status && vouched.is_any && !vouched.unsigned_ticks;
    result->unsigned_ticks = vouched.unsigned_ticks;
    if (vouched.is_any)
        (void)ls_replay_key_format(ls_recording_get_header(verify->recording), result->key);
    return status;
}

/* Whether valid signatures cover the match up to the root that differs. */
static bool is_trusted(const struct verify *verify)
{
    for (uint32_t i = 0;; i++) {
        const ls_recording *file = verify->series->files[i];
        ls_recording_signed vouched;
        ls_status status = ls_recording_check_signatures(file, &vouched, NULL);
        if (file == verify->recording)
            return !status || vouched.bytes >= verify->read_bytes;
        if (status)
            return false;
    }
}

/* Reports a file with a wrong signature as damaged and not as diverged, because the roots of a
 * changed file say nothing about the simulation. */
static void take_forgery(struct verify *verify, const ls_error *forgery)
{
    ls_verify_result *result = verify->result;
    const ls_divergence *divergence = &result->divergence;
    result->is_forged = true;
    result->status = ls_error_set(
        &result->error, LS_ERROR_CORRUPT,
        "%.600s; after tick %" PRIu64 " the file then expects root %016" PRIx64
        ", and this replay has %016" PRIx64,
        forgery->text, divergence->tick, divergence->expected_root, divergence->found_root);
}

/* Judges the signatures. A file whose ticks all agree may have been changed together with its
 * hashes, which only the server's signatures reveal. A file whose ticks disagree may have been
 * changed too. */
static void judge_signatures(struct verify *verify)
{
    ls_verify_result *result = verify->result;
    ls_error forgery;
    ls_status status = check_signatures(verify, &forgery);
    if (!status)
        return;
    if (result->has_divergence && !is_trusted(verify)) {
        take_forgery(verify, &forgery);
    } else if (result->is_whole) {
        result->status = status;
        result->error = forgery;
    } else {
        ls_error line = result->vouched;
        (void)ls_error_set(&result->vouched, LS_OK, "%.300s; %.600s", line.text, forgery.text);
    }
}

/* Judges bytes after a closed recording: another program wrote them, because they are neither
 * signed nor played. */
static void judge_tail(struct verify *verify)
{
    ls_verify_result *result = verify->result;
    const ls_recording_end *end = ls_recording_find_end(verify->recording);
    if (!result->is_whole || !has_read_all(verify->recording))
        return;
    result->trailing_bytes = end->ignored_bytes;
    if (verify->config->is_strict && !result->status)
        result->status = ls_error_set(&result->error, LS_ERROR_CORRUPT,
                                      "%s: %" PRIu64 " bytes follow the end of the recording at "
                                      "byte %" PRIu64 ": something wrote into the file after the "
                                      "server had closed it (--strict)",
                                      verify->config->path, end->ignored_bytes, end->valid_bytes);
}

static void describe(const struct verify *verify)
{
    ls_verify_result *result = verify->result;
    const ls_match *match = ls_world_match(verify->world);
    result->was_played = true;
    result->files = verify->series->count;
    result->first = ls_recording_get_header(verify->series->files[0])->first_tick;
    result->ticks = ticks_done(verify);
    result->ns = ls_monotonic_ns() - verify->start_ns;
    result->root = ls_world_root(verify->world);
    result->seed = match->seed;
    result->tick_rate = match->tick_rate;
    result->end_kind = ls_recording_find_end(verify->recording)->kind;
    snprintf(result->sim, sizeof result->sim, "%s", verify->loaded.sim->name);
}

/* Hands over the result so far, because the search for the cause runs the simulation again, which
 * may crash or hang. */
static void set_difference(struct verify *verify, const ls_root_difference *difference)
{
    ls_child *child = verify->config->child;
    ls_verify_result *result = verify->result;
    result->divergence = (ls_divergence){.is_start = difference->tick == 0,
                                         .tick = difference->tick ? difference->tick - 1 : 0,
                                         .expected_root = difference->expected,
                                         .found_root = difference->found};
    if (!child)
        return;
    ls_verify_set_next(verify->config, result);
    (void)!ls_child_give(child, result, sizeof *result, NULL);
    result->next[0] = 0;
    snprintf(child->report->doing, sizeof child->report->doing,
             "the search for what made the difference");
    child->report->has_no_steps = true;
}

/* Searches for the cause. Ends the executor's threads first, because the search closes pages and
 * steps through stores. */
static void find_divergence(struct verify *verify, const ls_root_difference *difference)
{
    set_difference(verify, difference);
    ls_executor_destroy(verify->executor);
    verify->executor = NULL;
    ls_divergence_find(verify->recording, verify->loaded.program, difference,
                       &verify->result->divergence);
}

static void play(struct verify *verify)
{
    ls_verify_result *result = verify->result;
    ls_root_difference difference;
    verify->start_ns = ls_monotonic_ns();
    if (verify->config->child)
        __atomic_store_n(&verify->config->child->report->ticks_total, verify->total,
                         __ATOMIC_RELAXED);
    result->status = verify_all(verify, &difference, &result->error);
    describe(verify);
    if (result->has_divergence)
        find_divergence(verify, &difference);
    result->is_whole = !result->status;
    if (result->is_whole)
        ls_recording_describe_end(verify->recording, &result->end);
    judge_signatures(verify);
    judge_tail(verify);
    if (result->has_divergence && !result->is_forged)
        ls_verify_set_next(verify->config, result);
}

void ls_verify_file(const ls_verify_config *config, ls_verify_result *result)
{
    struct verify verify = {.config = config, .result = result};
    *result = (ls_verify_result){0};
    result->status = prepare(&verify, &result->error);
    if (!result->status)
        play(&verify);
    ls_world_destroy(verify.world);
    ls_executor_destroy(verify.executor);
    ls_sim_unload(&verify.loaded);
    ls_series_close(verify.series);
}
