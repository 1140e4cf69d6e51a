/* lockstep join */
#include "cli/command.h"
#include "cli/party.h"
#include "cli/stop.h"
#include "cli/user_file.h"

#include <stdio.h>
#include <string.h>

enum {
    KEY_BOTS = 0x200,
    KEY_SPECTATE,
    KEY_TICKS,
    KEY_NAME,
    KEY_KNOWN_SERVERS,
    KEY_CORRUPT_AT,
    KEY_LOG,
    KEY_QUIET,
};

struct join_options {
    ls_party_options party;
    const char *server;
};

static error_t parse_more(int key, char *text, ls_party_options *party,
                          const struct argp_state *state)
{
    switch (key) {
    case KEY_BOTS:
        party->count = (uint32_t)ls_argp_u64(state, "bots", text, 1, LS_PARTY_MAX);
        return 0;
    case KEY_SPECTATE:
        party->is_spectator = true;
        return 0;
    case KEY_TICKS:
        party->ticks = ls_argp_u64(state, "ticks", text, 1, UINT32_MAX);
        return 0;
    case KEY_NAME:
        if (strlen(text) > LS_PARTY_NAME_BYTES_MAX)
            argp_error(state, "--name takes %d bytes at most", LS_PARTY_NAME_BYTES_MAX);
        party->name = text;
        return 0;
    case KEY_KNOWN_SERVERS:
        party->known_servers = text;
        return 0;
    case KEY_CORRUPT_AT:
        party->corrupt_at = ls_argp_u64(state, "corrupt-at", text, 0, UINT32_MAX);
        return 0;
    case KEY_LOG:
        party->log = text;
        return 0;
    case KEY_QUIET:
        party->is_quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct join_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 2; i++)
            state->child_inputs[i] = &options->party.match;
        return 0;
    case ARGP_KEY_ARG:
        if (options->server)
            argp_error(state, "one server at a time");
        options->server = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which server? HOST:PORT#KEY, as `lockstep serve` prints it");
        return 0;
    default:
        return parse_more(key, text, &options->party, state);
    }
}

static const struct argp_option argp_options[] = {
    {"bots", KEY_BOTS, "N", 0, "Join with N bots, each its own connection and world (1)", 0},
    {"spectate", KEY_SPECTATE, NULL, 0, "Watch instead of playing; --bots counts watchers", 0},
    {"ticks", KEY_TICKS, "N", 0, "Leave N ticks after it entered play (at the end of the match)",
     0},
    {"name", KEY_NAME, "NAME", 0, "Name that others see (bot)", 0},
    {"known-servers", KEY_KNOWN_SERVERS, "FILE", 0,
     "Where the keys of servers are remembered (~/.config/lockstep/known_servers)", 0},
    {"corrupt-at", KEY_CORRUPT_AT, "TICK", 0,
     "Flip one bit in the world of the first bot at TICK, to see that it is found", 0},
    {"log", KEY_LOG, "FILE|-", 0, "Append the log to FILE; - is stderr (no log)", 0},
    {"quiet", KEY_QUIET, NULL, 0, "Print no line each second", 0},
    {0},
};
static const struct argp_child children[] = {
    {&ls_sim_argp, 0, NULL, 0}, {&ls_threads_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "HOST:PORT[#KEY]",
    .children = children,
    .doc =
        "Join a match. With #KEY the server must be that one; without it the key that it shows "
        "first is remembered, and another one later is refused. Ends with 0 when the match is "
        "over, or its ticks are done, and every state hash agreed with the server's. Without --sim "
        "it takes the simulation that the server runs, if that is built in."
        "\vExit codes: 0 good; 1 a bot's world diverged from the server's; 2 wrong use; 3 the "
        "server has another version or simulation; 4 the file of known servers is damaged; 5 "
        "the server was not reached or went away; 6 the server says no (a bot finds no seat, "
        "the match is over) or is not who it was; 130 (SIGINT) or 143 (SIGTERM) when a second "
        "signal ended it at once; 134 when the simulation failed an assertion."};

/* Of the folder where keys are remembered, which cannot be had. */
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
    struct join_options options = {.party = {.count = 1, .name = "bot", .corrupt_at = UINT64_MAX}};
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    char known_servers[PATH_MAX];
    ls_error error;
    ls_status status = ls_server_address_parse(options.server, &options.party.address, &error);
    if (!status && !options.party.address.has_key && !options.party.known_servers) {
        status = ls_user_file("known_servers", known_servers, &error);
        if (status)
            explain_folder(status, &error);
        options.party.known_servers = known_servers;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_stop_install();
    if (!status)
        status = ls_party_play(&options.party, &error);
    return status ? ls_command_fail("join", status, &error) : LS_EXIT_GOOD;
}
