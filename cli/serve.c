/* lockstep serve */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/signals.h"
#include "cli/healthcheck.h"
#include "cli/serve/service.h"
#include "desync/crash.h"
#include <lockstep/entropy.h>
#include <lockstep/evidence_limits.h>
#include <lockstep/job_pool.h>
#include <lockstep/link.h>
#include <lockstep/recorder.h>

#include <stdio.h>
#include <string.h>

/* All players of a match may sit behind one address; the rest of the places stays for others. */
#define PEERS_PER_ADDRESS_STANDARD (LS_PLAYERS_MAX + 8)

/* A match that ends needs less; so does each of many. */
#define STOP_S 5

enum {
    KEY_PORT = 0x200,
    KEY_BIND,
    KEY_RECORD,
    KEY_TICKS,
    KEY_WAIT,
    KEY_IDENTITY,
    KEY_TEMPORARY_IDENTITY,
    KEY_ALLOW_UNHASHED,
    KEY_END_WHEN_EMPTY,
    KEY_LOG,
    KEY_QUIET,
    KEY_PEERS,
    KEY_PER_ADDRESS,
    KEY_HEALTHCHECK,
    KEY_RESUME,
    KEY_PASSWORD,
    KEY_TOKEN_KEY,
    KEY_REQUIRE_TOKEN,
    KEY_ADDRESS,
    KEY_LOGIN,
    KEY_ROOMS,
    KEY_ROOMS_MAX,
    KEY_WORKERS,
    KEY_POLICY,
    KEY_DESYNC,
    KEY_EVIDENCE,
    KEY_ALLOW_PAUSE,
    KEY_SYNC_TICKS,
    KEY_SIGN_TICKS,
    KEY_COLUMN_TICKS,
    KEY_KEYFRAME_TICKS,
};

struct serve_options {
    ls_service_options service;
    bool is_healthcheck;
};

static int find_word(const struct argp_state *state, const char *option, const char *text,
                     const char *const *words)
{
    char all[128] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    argp_error(state, "--%s is one of: %s; not '%s'", option, all, text);
    return 0;
}

static error_t parse_policy(int key, char *text, ls_service_options *service,
                            const struct argp_state *state)
{
    static const char *const policies[] = {"pace", "wait", NULL};
    static const char *const desyncs[] = {"report", "resync", "kick", NULL};
    static const char *const logins[] = {"replace", "refuse", NULL};
    switch (key) {
    case KEY_POLICY:
        service->policy = (ls_room_policy)find_word(state, "policy", text, policies);
        return 0;
    case KEY_DESYNC:
        service->desync = (ls_desync_policy)find_word(state, "desync", text, desyncs);
        return 0;
    case KEY_LOGIN:
        service->login = (ls_login_policy)find_word(state, "login", text, logins);
        return 0;
    case KEY_TOKEN_KEY:
        if (service->token_key_count == LS_TOKEN_KEYS_MAX)
            argp_error(state, "--token-key: at most %d keys", LS_TOKEN_KEYS_MAX);
        else
            service->token_keys[service->token_key_count++] = text;
        return 0;
    case KEY_ADDRESS:
        if (service->address_count == LS_TOKEN_ADDRESSES_MAX)
            argp_error(state, "--address: at most %d", LS_TOKEN_ADDRESSES_MAX);
        else
            service->addresses[service->address_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_text(int key, char *text, ls_service_options *service,
                          const struct argp_state *state)
{
    switch (key) {
    case KEY_RESUME:
        service->resume = text;
        return 0;
    case KEY_PASSWORD:
        service->password = text;
        return 0;
    case KEY_BIND:
        service->address = text;
        return 0;
    case KEY_RECORD:
        service->record = text;
        return 0;
    case KEY_IDENTITY:
        service->identity = text;
        return 0;
    case KEY_LOG:
        service->log = text;
        return 0;
    default:
        return parse_policy(key, text, service, state);
    }
}

/* How often the recordings get what. */
static error_t parse_interval(int key, char *text, ls_service_options *service,
                              const struct argp_state *state)
{
    const uint32_t max = LS_ROOM_TICKS_AUTO - 1;
    switch (key) {
    case KEY_SYNC_TICKS:
        service->sync_ticks = (uint32_t)ls_argp_u64(state, "sync-ticks", text, 0, max);
        return 0;
    case KEY_SIGN_TICKS:
        service->sign_ticks = (uint32_t)ls_argp_u64(state, "sign-ticks", text, 0, max);
        return 0;
    case KEY_COLUMN_TICKS:
        service->column_ticks = (uint32_t)ls_argp_u64(state, "column-ticks", text, 0, max);
        if (service->column_ticks && service->column_ticks < LS_ROOM_COLUMN_TICKS_MIN)
            argp_error(state, "--column-ticks is 0 or at least %d", LS_ROOM_COLUMN_TICKS_MIN);
        return 0;
    case KEY_KEYFRAME_TICKS:
        service->keyframe_ticks =
            strcmp(text, "auto") == 0
                ? LS_ROOM_TICKS_AUTO
                : (uint32_t)ls_argp_u64(state, "keyframe-ticks", text, 0, max);
        return 0;
    default:
        return parse_text(key, text, service, state);
    }
}

static error_t parse_number(int key, char *text, ls_service_options *service,
                            const struct argp_state *state)
{
    switch (key) {
    case KEY_PORT:
        service->port = (uint16_t)ls_argp_u64(state, "port", text, 0, UINT16_MAX);
        return 0;
    case KEY_TICKS:
        service->ticks = ls_argp_u64(state, "ticks", text, 0, UINT32_MAX);
        return 0;
    case KEY_WAIT:
        service->wait_players = (uint32_t)ls_argp_u64(state, "wait", text, 0, LS_PLAYERS_MAX);
        return 0;
    case KEY_ROOMS:
        service->rooms = (uint32_t)ls_argp_u64(state, "rooms", text, 0, LS_SERVER_ROOMS_MAX);
        return 0;
    case KEY_ROOMS_MAX:
        service->rooms_max =
            (uint32_t)ls_argp_u64(state, "rooms-max", text, 1, LS_SERVER_ROOMS_MAX);
        return 0;
    case KEY_WORKERS:
        service->workers =
            (uint32_t)ls_argp_u64(state, "workers", text, 1, LS_JOB_POOL_THREADS_MAX);
        return 0;
    case KEY_PEERS:
        service->peers_max = (uint32_t)ls_argp_u64(state, "peers", text, 1, LS_LINK_PEERS_MAX);
        return 0;
    case KEY_EVIDENCE:
        service->evidence_ms =
            (uint32_t)ls_argp_u64(state, "evidence-ms", text, 0, LS_SERVER_EVIDENCE_MS_MAX);
        return 0;
    case KEY_PER_ADDRESS:
        service->peers_per_address =
            (uint32_t)ls_argp_u64(state, "peers-per-address", text, 1, LS_LINK_PEERS_MAX);
        return 0;
    default:
        return parse_interval(key, text, service, state);
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct serve_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->service.match;
        return 0;
    case KEY_END_WHEN_EMPTY:
        options->service.end_when_empty = true;
        return 0;
    case KEY_REQUIRE_TOKEN:
        options->service.require_token = true;
        return 0;
    case KEY_ALLOW_UNHASHED:
        options->service.allows_unhashed = true;
        return 0;
    case KEY_TEMPORARY_IDENTITY:
        options->service.has_temporary_identity = true;
        return 0;
    case KEY_ALLOW_PAUSE:
        options->service.players_may_pause = true;
        return 0;
    case KEY_QUIET:
        options->service.is_quiet = true;
        return 0;
    case KEY_HEALTHCHECK:
        options->is_healthcheck = true;
        return 0;
    case ARGP_KEY_END:
        if (!options->service.match.sim && !options->is_healthcheck)
            argp_error(state, "--sim is missing; `lockstep sims` lists what is built in");
        if (!options->service.rooms && !options->service.rooms_max)
            argp_error(state, "--rooms 0 needs --rooms-max: without it no room ever opens");
        if (options->service.rooms_max && options->service.rooms > options->service.rooms_max)
            argp_error(state, "--rooms %u are more than --rooms-max %u", options->service.rooms,
                       options->service.rooms_max);
        if (options->service.identity && options->service.has_temporary_identity)
            argp_error(state, "--identity and --temporary-identity exclude each other");
        if (options->is_healthcheck && !options->service.port)
            argp_error(state, "--healthcheck asks a server by its --port; 0 is none");
        if (options->service.resume && !options->service.record)
            options->service.record = options->service.resume;
        return 0;
    default:
        return parse_number(key, text, &options->service, state);
    }
}

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0, "Match:", 1},
    {"wait", KEY_WAIT, "N", 0, "Start the match when N players are ready (default 1)", 0},
    {"ticks", KEY_TICKS, "N", 0, "End the match after N ticks (default 0: no limit)", 0},
    {"end-when-empty", KEY_END_WHEN_EMPTY, NULL, 0, "End the match when the last player has left",
     0},
    {"policy", KEY_POLICY, "pace|wait", 0,
     "Whether ticks wait for late players: pace never waits, wait waits for each of them a few "
     "seconds at most (default pace)",
     0},
    {"desync", KEY_DESYNC, "report|resync|kick", 0,
     "What to do with a client whose world differs: report only logs it, resync sends it the state "
     "once and kicks it the next time, kick disconnects it at once (default resync)",
     0},
    {"evidence-ms", KEY_EVIDENCE, "N", 0,
     "Keep the states of the last N ms (default 1000, at most 10000), which name the entity and "
     "field of a desync: at least twice the worst round trip. With 0 the log names only client and "
     "tick",
     0},
    {"allow-pause", KEY_ALLOW_PAUSE, NULL, 0,
     "Let players pause the match, eight times each and one minute at most", 0},
    {"allow-unhashed", KEY_ALLOW_UNHASHED, NULL, 0,
     "Serve a simulation that was built without a hash of its sources; clients with other sources "
     "are then not refused, and diverge",
     0},
    {NULL, 0, NULL, 0, "Rooms and recordings:", 2},
    {"rooms", KEY_ROOMS, "N", 0,
     "Open N rooms at the start, named 1 to N (default: one room without a name)", 0},
    {"rooms-max", KEY_ROOMS_MAX, "N", 0,
     "Let clients open rooms by name, up to N rooms at a time (default: clients open none)", 0},
    {"workers", KEY_WORKERS, "N", 0,
     "Simulate rooms and pack snapshots on N threads (default: one per CPU, at least two for "
     "several rooms)",
     0},
    {"record", KEY_RECORD, "DIR", 0, "Record each match to a new file in DIR", 0},
    {"resume", KEY_RESUME, "DIR", 0,
     "Continue the matches in DIR that a crash interrupted; their players return by themselves. "
     "New matches are recorded in DIR too",
     0},
    {"sync-ticks", KEY_SYNC_TICKS, "N", 0,
     "Sync recordings to disk every N ticks, or only at the end for 0 (default 60)", 0},
    {"sign-ticks", KEY_SIGN_TICKS, "N", 0,
     "Sign recordings with the server's key every N ticks, or only at the end for 0 (default 300)",
     0},
    {"column-ticks", KEY_COLUMN_TICKS, "N", 0,
     "Record the hash of each component every N ticks, or never for 0 (default 64)", 0},
    {"keyframe-ticks", KEY_KEYFRAME_TICKS, "N|auto", 0,
     "Record the whole state every N ticks, which makes seeking fast, or never for 0; auto spaces "
     "keyframes by the cost of a tick and keeps them within 1 MiB per minute (default auto)",
     0},
    {NULL, 0, NULL, 0, "Access:", 3},
    {"identity", KEY_IDENTITY, "FILE", 0,
     "Use the server's key in FILE, which is created if it is missing (default "
     "~/.config/lockstep/identity)",
     0},
    {"temporary-identity", KEY_TEMPORARY_IDENTITY, NULL, 0,
     "Make a key for this run only; returning players refuse the key of the next run", 0},
    {"password-file", KEY_PASSWORD, "FILE", 0,
     "Admit players that know the first line of FILE, or have a connect token (default: admit all)",
     0},
    {"token-key", KEY_TOKEN_KEY, "FILE", 0,
     "Accept connect tokens sealed with the matchmaker's key in FILE; may be repeated", 0},
    {"require-token", KEY_REQUIRE_TOKEN, NULL, 0, "Admit only players that have a connect token",
     0},
    {"address", KEY_ADDRESS, "HOST:PORT", 0,
     "Refuse connect tokens that name other addresses than this one, at which players reach the "
     "server; up to 4 times (default: that of --bind, or accept any when listening on all "
     "interfaces)",
     0},
    {"login", KEY_LOGIN, "replace|refuse", 0,
     "What to do when the player of a connect token enters twice: replace the older session, or "
     "refuse the new one (default replace)",
     0},
    {NULL, 0, NULL, 0, "Network:", 4},
    {"port", KEY_PORT, "PORT", 0, "Listen on this UDP port (default 7777), or on a free one for 0",
     0},
    {"bind", KEY_BIND, "ADDR", 0, "Listen on this IPv4 address (default: all interfaces)", 0},
    {"peers", KEY_PEERS, "N", 0,
     "Accept at most N connections (default: a quarter more than seats, at least 256)", 0},
    {"peers-per-address", KEY_PER_ADDRESS, "N", 0,
     "Accept at most N connections from one address (default 72)", 0},
    {"healthcheck", KEY_HEALTHCHECK, NULL, 0,
     "Start no server: ask the one on --port of this machine whether a match goes on, and exit "
     "with 0 or 1. Without --bind the address is found by the port",
     0},
    {NULL, 0, NULL, 0, "Output:", 5},
    {"log", KEY_LOG, "FILE|-", 0, "Append the log to FILE, or write it to stderr for - (default -)",
     0},
    {"quiet", KEY_QUIET, NULL, 0, "Print no line each second", 0},
    {0},
};
static const struct argp_child children[] = {
    {&ls_match_argp, 0, NULL, 0}, {&ls_threads_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .children = children,
    .doc = "Run a match that others join. Prints `listening HOST:PORT#KEY`, which is the argument "
           "of `lockstep join`, then a line each second. SIGTERM or SIGINT ends the match in order "
           "and finishes its recording, within seconds even if the simulation hangs; a second "
           "signal ends the process at once. SIGHUP reopens the log.\vExit codes:\n"
           "  0  the match ended in order; the log names clients that diverged\n"
           "  1  --healthcheck: no answer, or no match goes on\n"
           "  2  wrong use\n"
           "  3  the simulation was built against another version\n"
           "  4  the identity is damaged\n"
           "  5  machine: port, disk, log, or an incomplete recording\n"
           "  6  the schedule does not build, or others can read the identity\n"
           "  8  hung after it was told to stop; --resume continues the matches\n"
           "  9  a match could not go on; room_failed in the log says why\n"
           "  130, 143  a second SIGINT or SIGTERM ended it at once\n"
           "  134  the simulation failed an assertion"};

static ls_status check_health(const ls_service_options *service, ls_error *error)
{
    const char *host = service->address;
    char found[LS_HEALTHCHECK_HOST_BYTES];
    if (!host)
        host = ls_healthcheck_find(service->port, found);
    return ls_healthcheck(strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1" : host, service->port, error);
}

static ls_exit run(const ls_service_options *service)
{
    ls_error error;
    uint32_t failed;
    ls_status status = ls_service_run(service, &failed, &error);
    if (status)
        return ls_command_fail("serve", status, &error);
    if (!failed)
        return LS_EXIT_GOOD;
    fflush(stdout);
    fprintf(stderr, "lockstep serve: %u %s could not go on: room_failed in the log says why\n",
            failed, failed == 1 ? "match" : "matches");
    return LS_EXIT_FAILED;
}

ls_exit ls_command_serve(int count, char **arguments)
{
    struct serve_options options = {.service = {.port = LS_PORT_DEFAULT,
                                                .log = "-",
                                                .rooms = 1,
                                                .desync = LS_DESYNC_RESYNC,
                                                .evidence_ms = LS_SERVER_EVIDENCE_MS,
                                                .wait_players = 1,
                                                .sync_ticks = LS_RECORDER_SYNC_TICKS_DEFAULT,
                                                .sign_ticks = LS_ROOM_SIGN_TICKS_DEFAULT,
                                                .column_ticks = LS_ROOM_COLUMN_TICKS_DEFAULT,
                                                .keyframe_ticks = LS_ROOM_TICKS_AUTO,
                                                .peers_per_address = PEERS_PER_ADDRESS_STANDARD}};
    ls_arguments_parse(&argp, count, arguments, &options);
    ls_error error;
    ls_status status;
    if (options.is_healthcheck) {
        status = check_health(&options.service, &error);
        /* A container engine knows two answers, whatever the reason. */
        if (status)
            ls_command_fail("serve", status, &error);
        return status ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
    }
    if (!options.service.match.has_seed) {
        uint32_t seed; /* short enough to be typed again */
        ls_entropy_fill(NULL, &seed, sizeof seed);
        options.service.match.seed = seed;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_signals_install();
    ls_crash_tell("lockstep serve");
    ls_signals_limit(
        STOP_S, "lockstep serve: hung while it stopped; --resume takes up what was not ended\n",
        LS_EXIT_STUCK);
    return run(&options.service);
}
