/* lockstep serve */
#include "cli/command.h"
#include "cli/healthcheck.h"
#include "cli/room.h"
#include "cli/stop.h"
#include "proto/entropy.h"
#include "proto/link.h"

#include <stdio.h>
#include <string.h>

/* All players of a match may sit behind one address; the rest of the places stays for others. */
#define PEERS_MAX_STANDARD         256
#define PEERS_PER_ADDRESS_STANDARD (LS_PLAYERS_MAX + 8)

enum {
    KEY_PORT = 0x200,
    KEY_BIND,
    KEY_RECORD,
    KEY_TICKS,
    KEY_WAIT,
    KEY_IDENTITY,
    KEY_END_WHEN_EMPTY,
    KEY_LOG,
    KEY_QUIET,
    KEY_PEERS,
    KEY_PER_ADDRESS,
    KEY_HEALTHCHECK,
};

struct serve_options {
    ls_room_options room;
    bool is_healthcheck;
};

static error_t parse_text(int key, char *text, ls_room_options *room)
{
    switch (key) {
    case KEY_BIND:
        room->address = text;
        return 0;
    case KEY_RECORD:
        room->record = text;
        return 0;
    case KEY_IDENTITY:
        room->identity = text;
        return 0;
    case KEY_LOG:
        room->log = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_number(int key, char *text, ls_room_options *room,
                            const struct argp_state *state)
{
    switch (key) {
    case KEY_PORT:
        room->port = (uint16_t)ls_argp_u64(state, "port", text, 0, UINT16_MAX);
        return 0;
    case KEY_TICKS:
        room->ticks = ls_argp_u64(state, "ticks", text, 0, UINT32_MAX);
        return 0;
    case KEY_WAIT:
        room->wait_players = (uint32_t)ls_argp_u64(state, "wait", text, 0, LS_PLAYERS_MAX);
        return 0;
    case KEY_PEERS:
        room->peers_max = (uint32_t)ls_argp_u64(state, "peers", text, 1, LS_LINK_PEERS_MAX);
        return 0;
    case KEY_PER_ADDRESS:
        room->peers_per_address =
            (uint32_t)ls_argp_u64(state, "peers-per-address", text, 1, LS_LINK_PEERS_MAX);
        return 0;
    default:
        return parse_text(key, text, room);
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct serve_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 3; i++)
            state->child_inputs[i] = &options->room.match;
        return 0;
    case KEY_END_WHEN_EMPTY:
        options->room.end_when_empty = true;
        return 0;
    case KEY_QUIET:
        options->room.is_quiet = true;
        return 0;
    case KEY_HEALTHCHECK:
        options->is_healthcheck = true;
        return 0;
    case ARGP_KEY_END:
        if (!options->room.match.sim && !options->is_healthcheck)
            argp_error(state, "--sim is missing; `lockstep sims` lists what is built in");
        return 0;
    default:
        return parse_number(key, text, &options->room, state);
    }
}

static const struct argp_option argp_options[] = {
    {"port", KEY_PORT, "PORT", 0, "UDP port (7777); 0 takes a free one", 0},
    {"bind", KEY_BIND, "ADDR", 0, "IPv4 address to listen on (all interfaces)", 0},
    {"record", KEY_RECORD, "DIR", 0, "Record the match into a new file in DIR", 0},
    {"ticks", KEY_TICKS, "N", 0, "End the match after N ticks", 0},
    {"wait", KEY_WAIT, "N", 0, "Begin when N players are ready (1)", 0},
    {"end-when-empty", KEY_END_WHEN_EMPTY, NULL, 0, "End the match when everybody has left", 0},
    {"identity", KEY_IDENTITY, "FILE", 0,
     "The server's key, made when missing (~/.config/lockstep/identity)", 0},
    {"peers", KEY_PEERS, "N", 0, "Connections at most (256)", 0},
    {"peers-per-address", KEY_PER_ADDRESS, "N", 0, "Connections of one address at most (72)", 0},
    {"log", KEY_LOG, "FILE|-", 0, "Append the log to FILE; - is stderr (-)", 0},
    {"quiet", KEY_QUIET, NULL, 0, "Print no line each second", 0},
    {"healthcheck", KEY_HEALTHCHECK, NULL, 0,
     "Only ask whether a server answers on --port of this machine: exit code 0, else 1", 0},
    {0},
};
static const struct argp_child children[] = {
    {&ls_sim_argp, 0, NULL, 0}, {&ls_threads_argp, 0, NULL, 0}, {&ls_match_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = argp_options,
    .parser = parse,
    .children = children,
    .doc =
        "Run a match that others join. Prints `listening HOST:PORT#KEY`, which is what "
        "`lockstep join` takes, then a line each second. SIGTERM or SIGINT ends the match in "
        "order and finishes its recording; a second one ends the process at once."
        "\vExit codes: 0 the match ended in order (a client that diverged is in the log); 1 "
        "--healthcheck got no answer; 2 wrong use; 3 a simulation built against another "
        "version; 4 the identity is damaged; 5 the machine: port, disk, log, a recording that "
        "is incomplete; 6 a schedule that does not build, or an identity that others can read; 130 "
        "(SIGINT) or 143 (SIGTERM) when a second signal ended it at once; 134 when the "
        "simulation failed an assertion."};

static ls_status check_health(const ls_room_options *room, ls_error *error)
{
    const char *host = room->address;
    if (!host || strcmp(host, "0.0.0.0") == 0)
        host = "127.0.0.1";
    return ls_healthcheck(host, room->port, error);
}

ls_exit ls_command_serve(int count, char **arguments)
{
    struct serve_options options = {.room = {.port = LS_PORT_DEFAULT,
                                             .log = "-",
                                             .wait_players = 1,
                                             .peers_max = PEERS_MAX_STANDARD,
                                             .peers_per_address = PEERS_PER_ADDRESS_STANDARD}};
    argp_parse(&argp, count, arguments, 0, NULL, &options);
    ls_error error;
    ls_status status;
    if (options.is_healthcheck) {
        status = check_health(&options.room, &error);
        /* Whatever the reason: a container engine knows two answers. */
        if (status)
            ls_command_fail("serve", status, &error);
        return status ? LS_EXIT_DIVERGED : LS_EXIT_GOOD;
    }
    if (!options.room.match.has_seed) {
        uint32_t seed; /* short enough to be typed again */
        ls_entropy_fill(NULL, &seed, sizeof seed);
        options.room.match.seed = seed;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ls_stop_install();
    status = ls_room_serve(&options.room, &error);
    return status ? ls_command_fail("serve", status, &error) : LS_EXIT_GOOD;
}
