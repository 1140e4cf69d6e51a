/* lockstep serve: runs matches that others join over the network. */
#include "cli/common/arguments.h"
#include "cli/common/async_writer.h"
#include "cli/common/command.h"
#include "cli/common/number.h"
#include "cli/common/signals.h"
#include "cli/healthcheck.h"
#include "cli/serve/broadcast.h"
#include "cli/serve/service.h"
#include "cli/serve/service_options_check.h"
#include "desync/crash.h"
#include <lockstep/entropy.h>
#include <lockstep/evidence_limits.h>
#include <lockstep/job_pool.h>
#include <lockstep/link.h>
#include <lockstep/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All players of a match may have one address; eight more connections are for its other users. */
#define CONNECTIONS_PER_HOST_DEFAULT (LS_PLAYERS_MAX + 8)

/* Seconds to stop. Managers of services wait longer: docs/operations.md, "Life of a server". */
enum { STOP_PROGRESS_S = 9, STOP_TOTAL_S = 25 };

#define INTERVAL_MAX        (LS_ROOM_TICKS_AUTO - 1) /* ticks */
#define EGRESS_KB_MIN       (LS_SERVER_EGRESS_MIN / 1000)
#define EGRESS_KB_MAX       (UINT32_MAX / 1000)
#define SNAPSHOT_KB_MAX     (LS_SERVER_SNAPSHOT_BYTES_ALL / 1000)
#define SNAPSHOT_KB_DEFAULT (LS_SERVER_SNAPSHOT_BYTES_PER_HOST_S / 1000)

struct serve_options {
    ls_service_options service;
    bool is_healthcheck, prints_config;
    const char *config;
};

static const char *const policies[] = {"pace", "wait", NULL};
static const char *const desyncs[] = {"report", "resync", "kick", NULL};
static const char *const logins[] = {"replace", "refuse", NULL};
static const char *const log_formats[] = {"text", "json", NULL};

static void take_web_origin(const ls_argument_state *state, const ls_argument *argument,
                            void *input, char *text)
{
    ls_service_options *service = &((struct serve_options *)input)->service;
    (void)argument;
    if (!strstr(text, "://") || text[strlen(text) - 1] == '/')
        ls_argument_fail(state,
                         "--web-origin: give SCHEME://HOST[:PORT], as browsers send it, "
                         "not '%.200s'",
                         text);
    else if (service->web_origin_count == LS_HTTP_PLAY_ORIGINS_MAX)
        ls_argument_fail(state, "--web-origin: at most %d", LS_HTTP_PLAY_ORIGINS_MAX);
    else
        service->web_origins[service->web_origin_count++] = text;
}

static void take_column_ticks(const ls_argument_state *state, const ls_argument *argument,
                              void *input, char *text)
{
    ls_service_options *service = &((struct serve_options *)input)->service;
    service->column_ticks =
        (uint32_t)ls_argument_number(state, argument->name, text, 0, INTERVAL_MAX);
    if (service->column_ticks && service->column_ticks < LS_ROOM_COLUMN_TICKS_MIN)
        ls_argument_fail(state, "--column-ticks: give 0 or at least %d", LS_ROOM_COLUMN_TICKS_MIN);
}

static void take_keyframe_ticks(const ls_argument_state *state, const ls_argument *argument,
                                void *input, char *text)
{
    ls_service_options *service = &((struct serve_options *)input)->service;
    service->keyframe_ticks =
        strcmp(text, "auto") == 0
            ? LS_ROOM_TICKS_AUTO
            : (uint32_t)ls_argument_number(state, argument->name, text, 0, INTERVAL_MAX);
}

/* --keep-bytes, --keep-free and --log-max, whose `number` is the offset of the limit. */
static void take_bytes(const ls_argument_state *state, const ls_argument *argument, void *input,
                       char *text)
{
    uint64_t *limit = (uint64_t *)(void *)((uint8_t *)input + argument->number);
    if (!ls_parse_bytes(text, limit))
        ls_argument_fail(state, "--%s takes a number of bytes such as 500M, 20G or 2T, not '%s'",
                         argument->name, text);
}

static void check_options(const ls_argument_state *state, void *input)
{
    struct serve_options *options = input;
    ls_service_options *service = &options->service;
    if (!service->match.sim && !options->is_healthcheck && !options->prints_config)
        ls_argument_fail(state, "--sim is missing; `lockstep sims` lists what is built in");
    if (options->is_healthcheck && !service->port)
        ls_argument_fail(state, "--healthcheck asks a server by its --port; 0 is none");
    ls_service_options_check(state, service);
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Match:"),
    LS_ARGUMENT_NUMBER("wait", "N", struct serve_options, service.wait_players, 0, LS_PLAYERS_MAX,
                       "Start the match when N players are ready (default 1)"),
    LS_ARGUMENT_NUMBER("ticks", "N", struct serve_options, service.ticks, 0, UINT32_MAX,
                       "End the match after N ticks (default 0: no limit)"),
    LS_ARGUMENT_FLAG("end-when-empty", struct serve_options, service.end_when_empty,
                     "End the match when the last player has left"),
    LS_ARGUMENT_CHOICE(
        "policy", "pace|wait", struct serve_options, service.policy, policies,
        "Whether ticks wait for late players: pace never waits, wait waits for each of them a few "
        "seconds at most (default pace)"),
    LS_ARGUMENT_CHOICE(
        "desync", "report|resync|kick", struct serve_options, service.desync, desyncs,
        "What to do with a client that diverged: report only logs it, resync sends it the state "
        "once and kicks it the next time, kick disconnects it at once (default resync)"),
    LS_ARGUMENT_NUMBER(
        "evidence-ms", "N", struct serve_options, service.evidence_ms, 0, LS_SERVER_EVIDENCE_MS_MAX,
        "Keep the states of the last N ms (default 1000, at most 10000), which name the entity and "
        "field of a desync: at least twice the worst round trip. With 0 the log names only client "
        "and tick"),
    LS_ARGUMENT_NUMBER(
        "keep-seats", "SECONDS", struct serve_options, service.keep_seats_s, 0,
        LS_SERVER_KEEP_SEATS_S_MAX,
        "Keep a player that loses its connection in the match for SECONDS; what it held is "
        "substituted, and a return in time is neither LEAVE nor JOIN (default 0: it leaves)"),
    LS_ARGUMENT_FLAG("allow-pause", struct serve_options, service.players_may_pause,
                     "Let players pause the match, eight times each and one minute at most"),
    LS_ARGUMENT_FLAG("allow-unhashed", struct serve_options, service.allows_unhashed,
                     "Serve a simulation that was built without a hash of its sources; clients "
                     "with other sources are then not refused, and diverge"),
    LS_ARGUMENT_TITLE("Rooms and recordings:"),
    LS_ARGUMENT_NUMBER(
        "rooms", "N", struct serve_options, service.rooms, 0, LS_SERVER_ROOMS_MAX,
        "Open N rooms at the start, named 1 to N (default: one room without a name)"),
    LS_ARGUMENT_NUMBER(
        "rooms-max", "N", struct serve_options, service.rooms_max, 1, LS_SERVER_ROOMS_MAX,
        "Let clients open rooms by name, up to N rooms at a time (default: clients open none)"),
    LS_ARGUMENT_NUMBER(
        "workers", "N", struct serve_options, service.workers, 1, LS_JOB_POOL_THREADS_MAX,
        "Simulate rooms and pack snapshots on N threads (default: one per CPU, at least two for "
        "several rooms)"),
    LS_ARGUMENT_TEXT("record", "DIR", struct serve_options, service.record,
                     "Record each match to a new file in DIR"),
    LS_ARGUMENT_TEXT(
        "resume", "DIR", struct serve_options, service.resume,
        "Continue the matches in DIR that a crash interrupted; their players return by themselves. "
        "New matches are recorded in DIR too"),
    LS_ARGUMENT_FLAG(
        "take-over", struct serve_options, service.takes_over,
        "With --resume: wait for the server that records to DIR, and continue its matches when "
        "`lockstep admin drain --successor` drains it; then open the other rooms"),
    LS_ARGUMENT_NUMBER(
        "sync-ticks", "N", struct serve_options, service.sync_ticks, 0, INTERVAL_MAX,
        "Sync recordings to disk every N ticks, or only at the end for 0 (default 60)"),
    LS_ARGUMENT_NUMBER("sign-ticks", "N", struct serve_options, service.sign_ticks, 0, INTERVAL_MAX,
                       "Sign recordings with the server's key every N ticks, or only at the end "
                       "for 0 (default 300)"),
    LS_ARGUMENT_CALL(
        "column-ticks", "N", take_column_ticks,
        "Record the hash of each component every N ticks, or never for 0 (default 64)"),
    LS_ARGUMENT_CALL(
        "keyframe-ticks", "N|auto", take_keyframe_ticks,
        "Record the whole state every N ticks, which makes seeking fast, or never for 0; auto "
        "spaces keyframes by the cost of a tick and keeps them within 960 KiB per minute "
        "(default auto)"),
    LS_ARGUMENT_NUMBER("keep-days", "N", struct serve_options, service.retention.days, 1,
                       LS_RETENTION_DAYS_MAX,
                       "Delete the recordings of finished matches N days after their end (default: "
                       "never)"),
    LS_ARGUMENT_CALL(
        "keep-bytes", "BYTES", take_bytes,
        "Delete the oldest finished matches while all recordings take more than BYTES, such as "
        "500M, 20G or 2T (default: no limit)",
        .number = offsetof(struct serve_options, service.retention.bytes)),
    LS_ARGUMENT_CALL(
        "keep-free", "BYTES", take_bytes,
        "Delete the oldest finished matches while the file system has less than BYTES left "
        "(default: no limit)",
        .number = offsetof(struct serve_options, service.retention.free_bytes)),
    LS_ARGUMENT_TEXT(
        "on-finished", "COMMAND", struct serve_options, service.on_finished,
        "Run COMMAND with the name of each recording that is finished, one at a time and for five "
        "minutes at most, for example to upload it (default: none)"),
    LS_ARGUMENT_TEXT("broadcast-dir", "DIR", struct serve_options, service.broadcast,
                     "Publish each running match in DIR, for spectators that any web server and "
                     "any cache may serve; needs --record"),
    LS_ARGUMENT_NUMBER("broadcast-delay", "SECONDS", struct serve_options,
                       service.broadcast_delay_s, 0, LS_BROADCAST_DELAY_S_MAX,
                       "Withhold from the broadcast of a running match what is younger than "
                       "SECONDS (default 0)"),
    LS_ARGUMENT_TITLE("Access:"),
    LS_ARGUMENT_TEXT("identity", "FILE", struct serve_options, service.identity,
                     "Use the server's key in FILE, which is created if it is missing (default "
                     "~/.config/lockstep/identity, on Windows APPDATA/lockstep/identity)"),
    LS_ARGUMENT_FLAG(
        "temporary-identity", struct serve_options, service.has_temporary_identity,
        "Make a key for this run only; returning players refuse the key of the next run"),
    LS_ARGUMENT_TEXT("password-file", "FILE", struct serve_options, service.password,
                     "Admit players that know the first line of FILE, or have a connect token "
                     "(default: admit all)"),
    LS_ARGUMENT_TEXTS(
        "token-key", "FILE", struct serve_options, service.token_keys, service.token_key_count,
        "Accept connect tokens sealed with the matchmaker's key in FILE; may be repeated"),
    LS_ARGUMENT_FLAG("require-token", struct serve_options, service.require_token,
                     "Admit only players that have a connect token"),
    LS_ARGUMENT_TEXTS(
        "address", "HOST:PORT", struct serve_options, service.addresses, service.address_count,
        "Refuse connect tokens that name other addresses than this one, at which players reach the "
        "server; up to 4 times (default: that of --bind, or accept any when listening on all "
        "interfaces)"),
    LS_ARGUMENT_TEXT(
        "bans", "FILE", struct serve_options, service.bans,
        "Refuse the addresses and players in FILE, and keep there what `lockstep admin "
        "ban` bans (default: bans end with the server)"),
    LS_ARGUMENT_CHOICE(
        "login", "replace|refuse", struct serve_options, service.login, logins,
        "What to do when the player of a connect token enters twice: replace the older session, or "
        "refuse the new one (default replace)"),
    LS_ARGUMENT_TITLE("Network:"),
    LS_ARGUMENT_NUMBER("port", "PORT", struct serve_options, service.port, 0, UINT16_MAX,
                       "Listen on this UDP port (default 7777), or on a free one for 0"),
    LS_ARGUMENT_TEXT("bind", "ADDR", struct serve_options, service.address,
                     "Listen on this address (default 0.0.0.0: all interfaces, IPv4); :: listens "
                     "on IPv6 and IPv4"),
    LS_ARGUMENT_NUMBER(
        "peers", "N", struct serve_options, service.peers_max, 1, LS_LINK_PEERS_MAX,
        "Accept at most N connections (default: a quarter more than seats, at least 256)"),
    LS_ARGUMENT_NUMBER("peers-per-address", "N", struct serve_options, service.connections_per_host,
                       1, LS_LINK_PEERS_MAX,
                       "Accept at most N connections from one address (default 72)"),
    LS_ARGUMENT_NUMBER(
        "auths-per-address", "N", struct serve_options, service.auths_per_host, 1,
        LS_SERVER_AUTHS_PER_S,
        "Let at most N clients a second in from one address (default 20, after the first 256); "
        "raise it for a hall whose players share one address"),
    LS_ARGUMENT_NUMBER(
        "snapshots-per-address", "N", struct serve_options, service.snapshots_per_host, 1,
        LS_LINK_PEERS_MAX,
        "Let clients of one address load the match at most N times a minute (default 16, after the "
        "first 256)"),
    LS_ARGUMENT_NUMBER(
        "snapshot-kb-per-address", "KB", struct serve_options, service.snapshot_kb_per_host,
        EGRESS_KB_MIN, SNAPSHOT_KB_MAX,
        "Send clients of one address that load the match at most KB kB/s (default 16777)"),
    LS_ARGUMENT_NUMBER(
        "rooms-per-address", "N", struct serve_options, service.rooms_per_host, 1,
        LS_SERVER_ROOMS_MAX,
        "Let clients of one address open at most N rooms a minute (default 12, after the first "
        "16)"),
    LS_ARGUMENT_FLAG("allow-light", struct serve_options, service.allows_light,
                     "Admit clients that do not simulate and report no hashes (join --light), for "
                     "load tests"),
    LS_ARGUMENT_NUMBER("egress-max", "KB", struct serve_options, service.egress_kb, EGRESS_KB_MIN,
                       EGRESS_KB_MAX,
                       "Send clients at most KB kB/s, headers included: snapshots and missed ticks "
                       "take what ticks leave (default: no limit)"),
    LS_ARGUMENT_FLAG(
        "healthcheck", struct serve_options, is_healthcheck,
        "Start no server: ask the one on --port of this machine whether a match runs, and exit "
        "with 0 or 1. Without --bind the address is found by the port",
        .is_action = true),
    LS_ARGUMENT_FLAG("web", struct serve_options, service.has_web,
                     "With --http: let players join over WebSocket at /play of that port, in the "
                     "same matches"),
    LS_ARGUMENT_CALL("web-origin", "URL", take_web_origin,
                     "With --web: also let pages of URL join, such as https://game.example; up to "
                     "8 times (default: pages of the host that the browser asks)",
                     .is_repeatable = true),
    LS_ARGUMENT_TEXT("http-proxy", "ADDR", struct serve_options, service.http_proxy,
                     "With --web: trust the proxy at ADDR to name its client in the last entry of "
                     "X-Forwarded-For; limits then count by that address (default: none)"),
    LS_ARGUMENT_TEXT("http-proxy-token", "FILE", struct serve_options, service.http_proxy_token,
                     "With --http-proxy: the proxy has to send the token in the first line of FILE "
                     "with each player, as Authorization: Bearer (default: its address is enough)"),
    LS_ARGUMENT_TITLE("Configuration:"),
    LS_ARGUMENT_TEXT(
        "config", "FILE", struct serve_options, config,
        "Read options from FILE: one `option = value` or `flag = yes` a line, # begins "
        "a comment. The command line comes first, then variables such as "
        "LOCKSTEP_SERVE_PORT, then FILE (default: none)"),
    LS_ARGUMENT_FLAG("print-config", struct serve_options, prints_config,
                     "Start no server: print all options as --config reads them",
                     .is_action = true),
    LS_ARGUMENT_TITLE("Operation:"),
    LS_ARGUMENT_TEXT("http", "[ADDR:]PORT", struct serve_options, service.http,
                     "Answer HTTP on this TCP port (default address 127.0.0.1): /metrics for "
                     "Prometheus, /healthz, /readyz, /rooms and /rooms/NAME (default: none)"),
    LS_ARGUMENT_TEXT("http-token", "FILE", struct serve_options, service.http_token,
                     "With --http: accept the actions of `lockstep admin` as POST /admin/ACTION "
                     "with the token in the first line of FILE (default: refuse all)"),
    LS_ARGUMENT_TEXT("site", "DIR", struct serve_options, service.site,
                     "With --http and --record: show browsers the viewer in DIR, which web/build "
                     "made, and the recordings of matches that have ended"),
    LS_ARGUMENT_TEXT("admin", "PATH", struct serve_options, service.admin,
                     "Answer `lockstep admin` and `lockstep top` on this Unix socket, to root and "
                     "to the user of this process (default: none)"),
    LS_ARGUMENT_FLAG(
        "agones", struct serve_options, service.has_agones,
        "Take part in a fleet of Agones: tell its sidecar that the server is ready, alive and how "
        "full, and open the rooms that it allocates (default: if the variable "
        "AGONES_SDK_HTTP_PORT is set)"),
    LS_ARGUMENT_TEXT("lobby", "HOST[:PORT]", struct serve_options, service.lobby,
                     "Register in the Redis at this address, where `lockstep lobby` finds the "
                     "server, and open the rooms that it asks for (default: none)"),
    LS_ARGUMENT_TEXT("redis-password-file", "FILE", struct serve_options, service.redis_password,
                     "With --lobby: give Redis the password in the first line of FILE (default: "
                     "none)"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_TEXT("log", "FILE|-", struct serve_options, service.log,
                     "Append the log to FILE, or write it to stderr for - (default -)"),
    LS_ARGUMENT_CALL(
        "log-max", "BYTES", take_bytes,
        "Before the log's FILE exceeds BYTES, such as 100M, rename it to FILE.1, and older ones to "
        "FILE.2 up to FILE.5 (default: no limit)",
        .number = offsetof(struct serve_options, service.log_max)),
    LS_ARGUMENT_CHOICE("log-format", "text|json", struct serve_options, service.log_format,
                       log_formats,
                       "Write lines of the log as `event key=value`, or as objects (default text)"),
    LS_ARGUMENT_CHOICE("log-level", "all|problems", struct serve_options, service.log_level,
                       ls_log_levels,
                       "Write all lines of the log, or leave out those of clients that come and go "
                       "and of matches that run (default all)"),
    LS_ARGUMENT_FLAG("quiet", struct serve_options, service.is_quiet, "Print no line each second"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_match_arguments, offsetof(struct serve_options, service.match)},
    {&ls_threads_arguments, offsetof(struct serve_options, service.match)},
    {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .check = check_options,
    .environment = "LOCKSTEP_SERVE_",
    .prints_config = offsetof(struct serve_options, prints_config),
    .doc = "Run a match that others join. Prints `listening HOST:PORT#KEY`, which is the argument "
           "of `lockstep join`, then a line each second. SIGTERM or SIGINT ends the match in order "
           "and finishes its recording, within 25 seconds even if the simulation hangs; a second "
           "signal ends the process at once. SIGHUP reopens the log, and reads keys of tokens, "
           "bans and limits of --config again; SIGUSR1 only reopens the log.\vExit codes:\n"
           "  0  the match ended in order; the log names clients that diverged\n"
           "  1  --healthcheck: no answer, or no match runs\n"
           "  2  wrong use\n"
           "  3  the simulation was built against another version\n"
           "  4  the identity is damaged\n"
           "  5  machine: port, disk, log, or an incomplete recording\n"
           "  6  the schedule does not build, or others can read the identity\n"
           "  8  hung while it stopped, or the disk is too slow; --resume continues the matches\n"
           "  9  a match could not continue; room_failed in the log says why\n"
           "  130, 143  a second SIGINT or SIGTERM ended it at once\n"
           "  134  the simulation failed an assertion"};

static ls_status check_health(const ls_service_options *service, ls_error *error)
{
    ls_healthcheck_hosts hosts = {.count = 1};
    const char *host = service->address;
    bool is_wildcard = host && (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0);
    if (host)
        snprintf(hosts.names[0], sizeof hosts.names[0], "%s", is_wildcard ? "127.0.0.1" : host);
    else
        ls_healthcheck_find(service->port, &hosts);
    return ls_healthcheck(&hosts, service->port, error);
}

static ls_exit run(const ls_service_options *service)
{
    ls_error error;
    uint32_t failed;
    ls_status status = ls_service_run(service, &failed, &error);
    if (status) {
        ls_arguments_locate(error.text);
        return ls_command_fail("serve", status, &error);
    }
    if (!failed)
        return LS_EXIT_GOOD;
    fflush(stdout);
    fprintf(stderr, "lockstep serve: %u %s could not continue: room_failed in the log says why\n",
            failed, failed == 1 ? "match" : "matches");
    return LS_EXIT_FAILED;
}

ls_exit ls_command_serve(int count, char **arguments)
{
    struct serve_options options = {
        .service = {.port = LS_PORT_DEFAULT,
                    .log = "-",
                    .rooms = 1,
                    .desync = LS_DESYNC_RESYNC,
                    .evidence_ms = LS_SERVER_EVIDENCE_MS,
                    .wait_players = 1,
                    .sync_ticks = LS_RECORDER_SYNC_TICKS_DEFAULT,
                    .sign_ticks = LS_ROOM_SIGN_TICKS_DEFAULT,
                    .column_ticks = LS_ROOM_COLUMN_TICKS_DEFAULT,
                    .keyframe_ticks = LS_ROOM_TICKS_AUTO,
                    .connections_per_host = CONNECTIONS_PER_HOST_DEFAULT,
                    .auths_per_host = LS_SERVER_AUTHS_PER_HOST_S,
                    .snapshots_per_host = LS_SERVER_LOADS_PER_HOST_MIN,
                    .snapshot_kb_per_host = SNAPSHOT_KB_DEFAULT,
                    .rooms_per_host = LS_SERVER_ROOMS_PER_HOST_MIN}};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_error error;
    ls_status status;
    if (options.is_healthcheck) {
        status = check_health(&options.service, &error);
        /* A container engine knows only 0 and 1, so every failure is 1. */
        if (status)
            ls_command_fail("serve", status, &error);
        return status ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
    }
    if (!options.service.match.has_seed) {
        uint32_t seed; /* 32 bits, short enough to be typed again */
        ls_entropy_fill(NULL, &seed, sizeof seed);
        options.service.match.seed = seed;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_signals_install();
    ls_crash_report("lockstep serve");
    ls_signals_limit(&(ls_signals_limits){
        .progress_s = STOP_PROGRESS_S,
        .total_s = STOP_TOTAL_S,
        .line = "lockstep serve: hung while it stopped, or the disk is too slow; --resume "
                "continues the unfinished matches\n",
        .code = LS_EXIT_STUCK});
    return run(&options.service);
}
