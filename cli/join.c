/* lockstep join: joins a match with bots, or as a spectator. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/signals.h"
#include "cli/common/user_file.h"
#include "cli/join/client_group.h"
#include "core/base/platform_file.h"
#include "desync/crash.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>
#include <string.h>

/* Seconds to stop, more than leaving a match needs. */
#define STOP_S 9

#define MEMORY_MIN 65536
#define MEMORY_MAX (UINT64_C(1) << 40)

struct join_options {
    ls_client_group_options group;
    const char *server;
};

static void take_input(const ls_argument_state *state, const ls_argument *argument, void *input,
                       char *text)
{
    ls_client_group_options *group = &((struct join_options *)input)->group;
    (void)argument;
    group->has_input = true;
    static const char script[] = "script:";
    if (strcmp(text, "bot") == 0) {
        group->input = LS_INPUT_SOURCE_BOT;
    } else if (strcmp(text, "random") == 0) {
        group->input = LS_INPUT_SOURCE_RANDOM;
    } else if (strncmp(text, script, sizeof script - 1) == 0 && text[sizeof script - 1]) {
        group->input = LS_INPUT_SOURCE_SCRIPT;
        group->script = text + sizeof script - 1;
    } else {
        ls_argument_fail(state, "--input is one of: bot, random, script:FILE; not '%s'", text);
    }
}

static void check_options(const ls_argument_state *state, void *input)
{
    const struct join_options *options = input;
    const ls_client_group_options *group = &options->group;
    if (!options->server && !group->token)
        ls_argument_fail(state,
                         "the server is missing: HOST:PORT#KEY, as `lockstep serve` prints it");
    if (group->state && group->count > 1)
        ls_argument_fail(state, "--state stores one seat; leave out --bots");
    if (group->token && group->count > 1)
        ls_argument_fail(state, "--token admits one client; leave out --bots");
    if (group->token && group->password)
        ls_argument_fail(state, "--token needs no --password-file");
    if (group->relay.is_any && group->count > LS_RELAY_FLOWS_MAX)
        ls_argument_fail(state,
                         "a relay carries at most %d clients; fewer --bots, or no --relay-...",
                         LS_RELAY_FLOWS_MAX);
    if (group->is_light && group->has_input && group->input == LS_INPUT_SOURCE_BOT)
        ls_argument_fail(state, "a bot needs a world, and --light has none; take --input random or "
                                "script:FILE, or none");
    if (group->is_light && (group->predict_ticks || group->corrupt_at != LS_TICK_NEVER))
        ls_argument_fail(state, "--light has no world; leave out --predict and --corrupt-at");
    if (group->is_spectator && group->has_input)
        ls_argument_fail(state, "--input goes with players; leave out --spectate");
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Players:"),
    LS_ARGUMENT_NUMBER("bots", "N", struct join_options, group.count, 1, LS_CLIENT_GROUP_MAX,
                       "Join with N clients, each with its own connection and world (default 1, at "
                       "most 1000); they enter as fast as the server lets them in"),
    LS_ARGUMENT_CALL("input", "bot|random|script:FILE", take_input,
                     "Where inputs come from: the simulation's bot, random bytes that it accepts, "
                     "or lines \"TICK HEX\" (an order) and \"state TICK HEX\" (held from that tick "
                     "on) in FILE (default bot)"),
    LS_ARGUMENT_NUMBER("seed", "N", struct join_options, group.seed, 0, UINT64_MAX,
                       "Seed of the random inputs (default 0)"),
    LS_ARGUMENT_FLAG("spectate", struct join_options, group.is_spectator,
                     "Watch instead of playing; --bots then counts spectators"),
    LS_ARGUMENT_FLAG("light", struct join_options, group.is_light,
                     "For load tests of a server: follow the match without simulating it. "
                     "The server needs --allow-light; without --input nothing is played"),
    LS_ARGUMENT_NUMBER(
        "predict", "N", struct join_options, group.predict_ticks, 0, LS_CLIENT_PREDICT_TICKS,
        "Play as a game does: present ticks evenly, and predict up to N ticks ahead (default 0: "
        "neither)"),
    LS_ARGUMENT_NUMBER("ticks", "N", struct join_options, group.ticks, 1, UINT32_MAX,
                       "Leave after N ticks of play (default: stay until the match ends)"),
    LS_ARGUMENT_NUMBER(
        "corrupt-at", "TICK", struct join_options, group.corrupt_at, 0, UINT32_MAX,
        "Flip one bit in the first client's world at TICK, to test that the server finds it"),
    LS_ARGUMENT_NUMBER("evidence-ms", "N", struct join_options, group.evidence_ms, 0,
                       LS_CLIENT_EVIDENCE_MS_MAX,
                       "Keep the states of the last N ms (default 1000, at most 10000), with which "
                       "the server finds the entity and field that differ after a desync: at least "
                       "twice the worst round trip, or 0 for none"),
    LS_ARGUMENT_TITLE("Server and seat:"),
    LS_ARGUMENT_TEXT("name", "NAME", struct join_options, group.name,
                     "Use this name in the server's log (default bot)",
                     .max = LS_CLIENT_GROUP_NAME_BYTES_MAX),
    LS_ARGUMENT_TEXT(
        "room", "NAME", struct join_options, group.room,
        "Enter this room; a server with --rooms-max opens it (default: the first room with a free "
        "seat)",
        .max = LS_ROOM_BYTES - 1),
    LS_ARGUMENT_TEXT("password-file", "FILE", struct join_options, group.password,
                     "Send the first line of FILE as the server's password"),
    LS_ARGUMENT_TEXT(
        "token", "FILE", struct join_options, group.token,
        "Show the connect token in FILE, written by `lockstep token issue`; HOST:PORT is then "
        "optional if the token names a server"),
    LS_ARGUMENT_TEXT(
        "state", "FILE", struct join_options, group.state,
        "Store the seat in FILE and take the same seat again from there, after a crash or from "
        "another address"),
    LS_ARGUMENT_TEXT("known-servers", "FILE", struct join_options, group.known_servers,
                     "Remember keys of servers in FILE (default ~/.config/lockstep/known_servers, "
                     "on Windows APPDATA/lockstep/known_servers)"),
    LS_ARGUMENT_TITLE("What the server may choose:"),
    LS_ARGUMENT_NUMBER("memory-max", "BYTES", struct join_options, group.memory_max, MEMORY_MIN,
                       MEMORY_MAX,
                       "Refuse a match whose snapshot, or whose world, takes more than BYTES of "
                       "memory in a client (default 1073741824)"),
    LS_ARGUMENT_NUMBER("tick-rate-max", "N", struct join_options, group.tick_rate_max, 1,
                       LS_TICK_RATE_MAX,
                       "Refuse a match of more than N ticks a second (default 240, the most there "
                       "can be)"),
    LS_ARGUMENT_NUMBER("players-max", "N", struct join_options, group.players_max, 1,
                       LS_PLAYERS_MAX,
                       "Refuse a match of more than N seats (default 64, the most there can be)"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG(
        "json", struct join_options, group.is_json,
        "Print JSON, one object per line: each second, each client's state changes, and its end"),
    LS_ARGUMENT_FLAG("quiet", struct join_options, group.is_quiet, "Print no line each second"),
    LS_ARGUMENT_TEXT("log", "FILE|-", struct join_options, group.log,
                     "Append the log to FILE, or write it to stderr for - (default: no log)"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_sim_arguments, offsetof(struct join_options, group.match)},
    {&ls_threads_arguments, offsetof(struct join_options, group.match)},
    {&ls_join_relay_arguments, offsetof(struct join_options, group.relay)},
    {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .usage = "[HOST:PORT[#KEY]]",
    .file = offsetof(struct join_options, server),
    .file_twice = "one server at a time",
    .check = check_options,
    .doc =
        "Join a match. With #KEY the server must have that key; without it the key of the first "
        "visit is remembered, and another key is refused later. Without --sim the client runs the "
        "server's simulation, if it is built in. Exit code 0 means that every state hash agreed "
        "with the server's until the match ended, or until --ticks were played.\vExit codes:\n"
        "  0  good\n"
        "  1  the world of a client diverged from the server's\n"
        "  2  wrong use\n"
        "  3  the server has another version or simulation\n"
        "  4  a damaged file: known servers, seat or token\n"
        "  5  the server's name is not found, the server is not reached or went away, "
        "or the log cannot be written\n"
        "  6  the server says no (no free seat, the match is over) or changed its key\n"
        "  8  the simulation hung for 5 seconds after it was told to stop\n"
        "  9  the match failed: a tick cannot be run, here or at the server\n"
        "  130, 143  a second SIGINT or SIGTERM ended it at once\n"
        "  134  the simulation failed an assertion"};

/* Adds the remedy to the error of a folder of known servers that cannot be used. */
static void explain_folder(ls_status status, ls_error *error)
{
    ls_error_set(error, status,
                 "%.512s: where are keys remembered? --known-servers FILE says it, or give the "
                 "server as HOST:PORT#KEY",
                 error->text);
}

ls_exit ls_command_join(int count, char **arguments)
{
    struct join_options options = {.group = {.count = 1,
                                             .name = "bot",
                                             .corrupt_at = UINT64_MAX,
                                             .evidence_ms = LS_CLIENT_EVIDENCE_MS,
                                             .memory_max = LS_CLIENT_MEMORY_MAX,
                                             .tick_rate_max = LS_TICK_RATE_MAX,
                                             .players_max = LS_PLAYERS_MAX}};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    char known_servers[LS_PATH_BYTES_MAX];
    ls_error error;
    ls_status status = LS_OK;
    if (options.server)
        status = ls_server_address_parse(options.server, &options.group.address, &error);
    if (!status && !options.group.address.has_key && !options.group.known_servers) {
        status = ls_user_file("known_servers", known_servers, &error);
        if (status)
            explain_folder(status, &error);
        options.group.known_servers = known_servers;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_signals_install();
    ls_crash_report("lockstep join");
    ls_signals_limit(&(ls_signals_limits){
        .progress_s = STOP_S,
        .line = "lockstep join: hung while it stopped: the simulation does not return\n",
        .code = LS_EXIT_STUCK});
    if (!status)
        status = ls_client_group_play(&options.group, &error);
    return status ? ls_command_fail("join", status, &error) : LS_EXIT_GOOD;
}
