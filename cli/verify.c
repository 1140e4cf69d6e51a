/* lockstep verify: plays a recording back and compares the root of every tick. */
#include "cli/clock.h"
#include "cli/command.h"
#include "cli/match_options.h"
#include "cli/sim_load.h"
#include "core/world.h"
#include "replays/root_ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_NS (LS_NS_PER_S / 4)

enum { KEY_ANY_BUILD = 0x200 };

struct verify_options {
    ls_match_options match; /* --sim and --threads alone */
    const char *path;
    bool any_build;
};

struct verify {
    const struct verify_options *options;
    ls_recording *recording;
    ls_loaded_sim loaded;
    ls_executor *executor;
    ls_world *world;
    ls_root_ring roots; /* own ones that the recording has not named yet */
    uint32_t epoch_count;
    uint64_t start_ns, progress_ns;
    bool shows_progress;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct verify_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->match;
        return 0;
    case KEY_ANY_BUILD:
        options->any_build = true;
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
    {"any-build", KEY_ANY_BUILD, NULL, 0,
     "Try a recording of another version of the simulation, with a warning", 0},
    {0},
};
static const struct argp_child children[] = {{&ls_sim_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "FILE",
    .children = children,
    .doc = "Re-simulate a recording without waiting for the clock and compare the hash of every "
           "tick. Without --sim the simulation of the recording's name is taken from those that "
           "are built in. A file whose end is torn is verified as far as it goes."
           "\vExit codes: 0 every tick agrees, also of a torn file (a line says that it is torn "
           "and where); 1 a tick diverged; 2 wrong use, or no such file; 3 another version or "
           "simulation; 4 the file is damaged; 5 it cannot be read, or stdout not be written; 134 "
           "when the simulation failed an assertion."};

static ls_status check_simulation(struct verify *verify, ls_error *error)
{
    const ls_sim *sim = verify->loaded.sim;
    ls_recording_simulation own = {.rules_version = LS_ENGINE_RULES};
    memcpy(own.fingerprint, ls_program_fingerprint(verify->loaded.program), LS_FINGERPRINT_BYTES);
    snprintf(own.name, sizeof own.name, "%s", sim->name);
    snprintf(own.version, sizeof own.version, "%s", sim->version);
    ls_status status = ls_recording_check_simulation(verify->recording, &own, error);
    if (status && verify->options->any_build) {
        fprintf(stderr, "lockstep verify: warning: %s; trying it because of --any-build\n",
                error->text);
        return LS_OK;
    }
    return status;
}

/* A folder or a device is a mistyped argument, no trouble of the machine. */
static ls_status open_recording(struct verify *verify, ls_error *error)
{
    const char *path = verify->options->path;
    struct stat file;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
        return ls_error_set(error, LS_ERROR_USAGE, "%s is %s; give a .lsr file", path,
                            S_ISDIR(file.st_mode) ? "a folder" : "no file");
    return ls_recording_open(path, &verify->recording, error);
}

static ls_status prepare(struct verify *verify, ls_error *error)
{
    const struct verify_options *options = verify->options;
    ls_status status = open_recording(verify, error);
    if (status)
        return status;
    const ls_recording_header *header = ls_recording_get_header(verify->recording);
    if (header->first_tick != 0)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s begins at tick %" PRIu64 "; only a match from its start can be "
                            "re-simulated",
                            options->path, header->first_tick);
    const char *name = options->match.sim ? options->match.sim : header->simulation.name;
    status = ls_sim_load(name, &verify->loaded, error);
    if (status == LS_ERROR_NOT_FOUND && !options->match.sim)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s is of the simulation '%s', which is not built in; give its shared "
                            "object with --sim PATH.so",
                            options->path, name);
    if (!status)
        status = check_simulation(verify, error);
    if (!status)
        status = ls_match_options_executor(&options->match, &verify->executor, error);
    if (!status && ls_world_create(verify->loaded.program, &header->match, &verify->world, error))
        /* Its checksum was right, so the match is that of another build. */
        status = LS_ERROR_INCOMPATIBLE;
    return status;
}

static void show_progress(struct verify *verify)
{
    uint64_t now_ns = ls_clock_now_ns();
    if (!verify->shows_progress || now_ns < verify->progress_ns)
        return;
    verify->progress_ns = now_ns + PROGRESS_NS;
    uint64_t tick = ls_world_tick(verify->world);
    double seconds = (double)(now_ns - verify->start_ns) / (double)LS_NS_PER_S;
    fprintf(stderr, "\rtick %" PRIu64 ", %.0f ticks/s ", tick,
            seconds > 0 ? (double)tick / seconds : 0);
}

static ls_status report_difference(const struct verify *verify,
                                   const ls_root_difference *difference, ls_error *error)
{
    const char *hint = "run it again: if the tick moves, an access outside the rules is to blame; "
                       "if not, another build or a damaged memory";
    if (difference->tick == 0)
        hint = "the first state differs already: another build of the simulation's setup";
    else if (verify->options->match.threads > 1)
        hint = "try --threads 1: if that agrees, the simulation breaks the rules of its schedule";
    char place[64] = "before the first tick";
    if (difference->tick)
        snprintf(place, sizeof place, "in tick %" PRIu64, difference->tick - 1);
    return ls_error_set(error, LS_ERROR_DIVERGED,
                        "%s diverged %s: expected root %016" PRIx64 ", found %016" PRIx64 "; %s",
                        verify->options->path, place, difference->expected, difference->found,
                        hint);
}

/* The file names roots up to that of the world as it is now; some of them may be known only later.
 */
static ls_status compare(struct verify *verify, const ls_recording_roots *roots, ls_error *error)
{
    ls_root_difference difference;
    if (ls_root_ring_compare(&verify->roots, roots, &difference))
        return LS_OK;
    return report_difference(verify, &difference, error);
}

static void clear_progress(const struct verify *verify)
{
    if (verify->shows_progress)
        fputs("\r\033[K", stderr);
}

static void print_epoch(struct verify *verify)
{
    const ls_recording_end *end = ls_recording_get_end(verify->recording);
    if (end->epoch_count == verify->epoch_count)
        return;
    clear_progress(verify);
    verify->epoch_count = end->epoch_count;
    printf("resumed tick=%" PRIu64 " epoch=%" PRIu32 " unix_s=%" PRId64 "\n", end->epoch.tick,
           end->epoch.epoch, end->epoch.unix_s);
}

static ls_status verify_all(struct verify *verify, ls_error *error)
{
    ls_root_ring_init(&verify->roots, 0);
    for (;;) {
        const ls_recording_tick *tick;
        ls_status status = ls_recording_next(verify->recording, &tick, error);
        print_epoch(verify);
        if (status)
            return status;
        ls_root_ring_push(&verify->roots, ls_world_root(verify->world));
        const ls_recording_roots *roots =
            tick ? &tick->roots : &ls_recording_get_end(verify->recording)->roots;
        status = compare(verify, roots, error);
        if (!status && tick)
            status = ls_world_advance(verify->world, &tick->frame, verify->executor, error);
        if (status || !tick)
            return status;
        show_progress(verify);
    }
}

static void print_result(const struct verify *verify, uint64_t elapsed_ns)
{
    uint64_t ticks = ls_world_tick(verify->world);
    double seconds = (double)elapsed_ns / (double)LS_NS_PER_S;
    double rate = seconds > 0 ? (double)ticks / seconds : 0;
    ls_error end;
    ls_recording_describe_end(verify->recording, &end);
    printf("%s\n", end.text);
    printf("verified ticks=%" PRIu64 " root=%016" PRIx64 " sim=%s seed=%" PRIu64
           " seconds=%.3f ticks_per_second=%.0f times_real_time=%.1f\n",
           ticks, ls_world_root(verify->world), verify->loaded.sim->name,
           ls_world_match(verify->world)->seed, seconds, rate,
           rate / ls_world_match(verify->world)->tick_rate);
}

/* What was good before the trouble counts: its ticks are said before the error. */
static void print_prefix(const struct verify *verify, ls_status status)
{
    if (verify->world && (status == LS_ERROR_CORRUPT || status == LS_ERROR_INCOMPATIBLE))
        printf("verified ticks=%" PRIu64 " before the trouble\n", ls_world_tick(verify->world));
}

ls_exit ls_command_verify(int count, char **arguments)
{
    struct verify_options options = {0};
    argp_parse(&argp, count, arguments, 0, NULL, &options);

    struct verify verify = {.options = &options, .shows_progress = isatty(STDERR_FILENO)};
    ls_error error;
    ls_status status = prepare(&verify, &error);
    if (!status) {
        verify.start_ns = ls_clock_now_ns();
        status = verify_all(&verify, &error);
        clear_progress(&verify);
        if (status)
            print_prefix(&verify, status);
        else
            print_result(&verify, ls_clock_now_ns() - verify.start_ns);
    }
    if (verify.world)
        ls_world_destroy(verify.world);
    ls_executor_destroy(verify.executor);
    ls_sim_unload(&verify.loaded);
    ls_recording_close(verify.recording);
    return status ? ls_command_fail("verify", status, &error) : LS_EXIT_GOOD;
}
