/* lockstep join */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/signals.h"
#include "cli/common/user_file.h"
#include "cli/join/client_group.h"
#include "desync/crash.h"
#include <lockstep/evidence_limits.h>

#include <stdio.h>
#include <string.h>

/* Leaving needs less. */
#define STOP_S 5

enum {
    KEY_BOTS = 0x200,
    KEY_SPECTATE,
    KEY_TICKS,
    KEY_NAME,
    KEY_ROOM,
    KEY_INPUT,
    KEY_SEED,
    KEY_PREDICT,
    KEY_PASSWORD,
    KEY_TOKEN,
    KEY_KNOWN_SERVERS,
    KEY_CORRUPT_AT,
    KEY_EVIDENCE,
    KEY_LOG,
    KEY_QUIET,
    KEY_JSON,
    KEY_STATE,
};

struct join_options {
    ls_client_group_options group;
    const char *server;
};

static const char *parse_name(const struct argp_state *state, const char *option, char *text,
                              size_t bytes_max)
{
    if (strlen(text) > bytes_max)
        argp_error(state, "--%s takes %zu bytes at most", option, bytes_max);
    return text;
}

static void parse_input(const struct argp_state *state, char *text, ls_client_group_options *group)
{
    static const char script[] = "script:";
    if (strcmp(text, "bot") == 0) {
        group->input = LS_INPUT_SOURCE_BOT;
    } else if (strcmp(text, "random") == 0) {
        group->input = LS_INPUT_SOURCE_RANDOM;
    } else if (strncmp(text, script, sizeof script - 1) == 0 && text[sizeof script - 1]) {
        group->input = LS_INPUT_SOURCE_SCRIPT;
        group->script = text + sizeof script - 1;
    } else {
        argp_error(state, "--input is one of: bot, random, script:FILE; not '%s'", text);
    }
}

/* Admission options. */
static error_t parse_entry(int key, char *text, ls_client_group_options *group,
                           const struct argp_state *state)
{
    switch (key) {
    case KEY_NAME:
        group->name = parse_name(state, "name", text, LS_CLIENT_GROUP_NAME_BYTES_MAX);
        return 0;
    case KEY_ROOM:
        group->room = parse_name(state, "room", text, LS_ROOM_BYTES - 1);
        return 0;
    case KEY_PASSWORD:
        group->password = text;
        return 0;
    case KEY_TOKEN:
        group->token = text;
        return 0;
    case KEY_STATE:
        group->state = text;
        return 0;
    case KEY_KNOWN_SERVERS:
        group->known_servers = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_play(int key, char *text, ls_client_group_options *group,
                          const struct argp_state *state)
{
    switch (key) {
    case KEY_BOTS:
        group->count = (uint32_t)ls_argp_u64(state, "bots", text, 1, LS_CLIENT_GROUP_MAX);
        return 0;
    case KEY_SPECTATE:
        group->is_spectator = true;
        return 0;
    case KEY_INPUT:
        parse_input(state, text, group);
        group->has_input = true;
        return 0;
    case KEY_SEED:
        group->seed = ls_argp_u64(state, "seed", text, 0, UINT64_MAX);
        return 0;
    case KEY_PREDICT:
        group->predict_ticks =
            (uint32_t)ls_argp_u64(state, "predict", text, 0, LS_CLIENT_PREDICT_TICKS);
        return 0;
    case KEY_TICKS:
        group->ticks = ls_argp_u64(state, "ticks", text, 1, UINT32_MAX);
        return 0;
    case KEY_EVIDENCE:
        group->evidence_ms =
            (uint32_t)ls_argp_u64(state, "evidence-ms", text, 0, LS_CLIENT_EVIDENCE_MS_MAX);
        return 0;
    case KEY_CORRUPT_AT:
        group->corrupt_at = ls_argp_u64(state, "corrupt-at", text, 0, UINT32_MAX);
        return 0;
    default:
        return parse_entry(key, text, group, state);
    }
}

static error_t parse_more(int key, char *text, ls_client_group_options *group,
                          const struct argp_state *state)
{
    switch (key) {
    case KEY_LOG:
        group->log = text;
        return 0;
    case KEY_QUIET:
        group->is_quiet = true;
        return 0;
    case KEY_JSON:
        group->is_json = true;
        return 0;
    default:
        return parse_play(key, text, group, state);
    }
}

static void check(const struct argp_state *state, const struct join_options *options)
{
    const ls_client_group_options *group = &options->group;
    if (!options->server && !group->token)
        argp_error(state, "the server is missing: HOST:PORT#KEY, as `lockstep serve` prints it");
    if (group->state && group->count > 1)
        argp_error(state, "--state stores one seat; leave out --bots");
    if (group->token && group->count > 1)
        argp_error(state, "--token admits one client; leave out --bots");
    if (group->token && group->password)
        argp_error(state, "--token needs no --password-file");
    if (group->is_spectator && group->has_input)
        argp_error(state, "--input goes with players; leave out --spectate");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct join_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &options->group.match;
        state->child_inputs[2] = &options->group.relay;
        return 0;
    case ARGP_KEY_ARG:
        if (options->server)
            argp_error(state, "one server at a time");
        options->server = text;
        return 0;
    case ARGP_KEY_END:
        check(state, options);
        return 0;
    default:
        return parse_more(key, text, &options->group, state);
    }
}

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0, "Players:", 1},
    {"bots", KEY_BOTS, "N", 0,
     "Join with N clients, each with its own connection and world (default 1)", 0},
    {"input", KEY_INPUT, "bot|random|script:FILE", 0,
     "Where inputs come from: the simulation's bot, random bytes that it accepts, or lines \"TICK "
     "HEX\" (an order) "
     "and \"state TICK HEX\" (held from that tick on) in FILE (default bot)",
     0},
    {"seed", KEY_SEED, "N", 0, "Seed of the random inputs (default 0)", 0},
    {"spectate", KEY_SPECTATE, NULL, 0, "Watch instead of playing; --bots then counts spectators",
     0},
    {"predict", KEY_PREDICT, "N", 0,
     "Play as a game does: present ticks evenly, and predict up to N ticks ahead (default 0: "
     "neither)",
     0},
    {"ticks", KEY_TICKS, "N", 0, "Leave after N ticks of play (default: stay until the match ends)",
     0},
    {"corrupt-at", KEY_CORRUPT_AT, "TICK", 0,
     "Flip one bit in the first client's world at TICK, to test that the server finds it", 0},
    {"evidence-ms", KEY_EVIDENCE, "N", 0,
     "Keep the states of the last N ms (default 1000, at most 10000), with which the server finds "
     "the entity and field that differ after a desync: at least twice the worst round trip, or 0 "
     "for none",
     0},
    {NULL, 0, NULL, 0, "Server and seat:", 2},
    {"name", KEY_NAME, "NAME", 0, "Use this name in the server's log (default bot)", 0},
    {"room", KEY_ROOM, "NAME", 0,
     "Enter this room; a server with --rooms-max opens it (default: the first room with a free "
     "seat)",
     0},
    {"password-file", KEY_PASSWORD, "FILE", 0,
     "Send the first line of FILE as the server's password", 0},
    {"token", KEY_TOKEN, "FILE", 0,
     "Show the connect token in FILE, written by `lockstep token issue`; HOST:PORT is then "
     "optional if the token names a server",
     0},
    {"state", KEY_STATE, "FILE", 0,
     "Store the seat in FILE and take the same seat again from there, after a crash or from "
     "another address",
     0},
    {"known-servers", KEY_KNOWN_SERVERS, "FILE", 0,
     "Remember keys of servers in FILE (default ~/.config/lockstep/known_servers)", 0},
    {NULL, 0, NULL, 0, "Output:", 3},
    {"json", KEY_JSON, NULL, 0,
     "Print JSON, one object per line: each second, each client's state changes, and its end", 0},
    {"quiet", KEY_QUIET, NULL, 0, "Print no line each second", 0},
    {"log", KEY_LOG, "FILE|-", 0,
     "Append the log to FILE, or write it to stderr for - (default: no log)", 0},
    {0},
};
static const struct argp_child children[] = {{&ls_sim_argp, 0, NULL, 0},
                                             {&ls_threads_argp, 0, NULL, 0},
                                             {&ls_join_relay_argp, 0, NULL, 0},
                                             {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "[HOST:PORT[#KEY]]",
    .children = children,
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
        "  5  the server's name is not found, the server is not reached or went away,\n"
        "     or the log cannot be written\n"
        "  6  the server says no (no free seat, the match is over) or changed its key\n"
        "  8  the simulation hung for 5 seconds after it was told to stop\n"
        "  9  the match failed: a tick cannot be run, here or at the server\n"
        "  130, 143  a second SIGINT or SIGTERM ended it at once\n"
        "  134  the simulation failed an assertion"};

/* For a folder of known servers that cannot be used. */
static void explain_folder(ls_status status, ls_error *error)
{
    ls_error why = *error;
    ls_error_set(error, status,
                 "%.512s: where are keys remembered? --known-servers FILE says it, or give the "
                 "server as HOST:PORT#KEY",
                 why.text);
}

ls_exit ls_command_join(int count, char **arguments)
{
    struct join_options options = {.group = {.count = 1,
                                             .name = "bot",
                                             .corrupt_at = UINT64_MAX,
                                             .evidence_ms = LS_CLIENT_EVIDENCE_MS}};
    ls_arguments_parse(&argp, count, arguments, &options);
    char known_servers[PATH_MAX];
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
    ls_crash_tell("lockstep join");
    ls_signals_limit(STOP_S,
                     "lockstep join: hung while it stopped: the simulation does not come back\n",
                     LS_EXIT_STUCK);
    if (!status)
        status = ls_client_group_play(&options.group, &error);
    return status ? ls_command_fail("join", status, &error) : LS_EXIT_GOOD;
}
