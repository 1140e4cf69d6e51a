#include "benches/net/virtual_match.h"

void virtual_match_begin(virtual_match *match, const virtual_match_config *config)
{
    static const ls_impairment_conditions perfect = {0};
    ls_error error = {""};
    match->now_ns = VIRTUAL_S;
    match->network = ls_network_create(7, &perfect);
    LS_ASSERT(ls_program_create(config->sim, &match->program, &error) == LS_OK);
    ls_identity_init(&match->identity, NULL);
    match->link = ls_network_listen(match->network, 64);
    ls_server_config server = ls_server_config_default();
    server.program = match->program;
    server.link = match->link;
    server.identity = &match->identity;
    server.log = config->log;
    server.log_context = config->log_context;
    server.unix_s = 1700000000;
    LS_ASSERT(ls_server_create(&server, &match->server, &error) == LS_OK);
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(match->program, 1);
    room.match.tick_rate = config->tick_rate ? config->tick_rate : room.match.tick_rate;
    room.match.options[0] = config->units ? config->units : room.match.options[0];
    room.wait_players = 0;
    LS_ASSERT(ls_server_open_room(match->server, &room, &match->room, &error) == LS_OK);
}

void virtual_match_end(virtual_match *match)
{
    for (uint32_t i = 0; i < match->count; i++) {
        ls_client_destroy(match->clients[i]);
        ls_link_destroy(match->links[i]);
    }
    ls_server_destroy(match->server);
    ls_link_destroy(match->link);
    ls_network_destroy(match->network);
    ls_identity_reset(&match->identity);
    ls_program_destroy(match->program);
}

ls_client_config virtual_match_client(const virtual_match *match)
{
    ls_client_config config = ls_client_config_default();
    config.program = match->program;
    config.pin = &match->identity.public_key;
    config.unix_s = 1700000000;
    return config;
}

void virtual_match_join(virtual_match *match, const ls_client_config *config,
                        const ls_impairment_conditions *line, bool is_shared)
{
    ls_error error = {""};
    LS_ASSERT(match->count < VIRTUAL_CLIENTS_MAX);
    ls_client_config own = *config;
    own.link = match->links[match->count] = ls_network_open(match->network);
    ls_network_set_conditions(own.link, line);
    if (is_shared)
        ls_network_share(own.link);
    LS_ASSERT(ls_client_create(&own, &match->clients[match->count++], &error) == LS_OK);
}

void virtual_match_run(virtual_match *match, uint64_t duration_ns)
{
    uint64_t until_ns = match->now_ns + duration_ns;
    while (match->now_ns < until_ns) {
        uint64_t next = ls_server_step(match->server, match->now_ns);
        if (match->stepped)
            match->stepped(match->context);
        for (uint32_t i = 0; i < match->count; i++) {
            uint64_t wish = ls_client_step(match->clients[i], match->now_ns);
            next = wish < next ? wish : next;
        }
        uint64_t arrival = ls_network_next_ns(match->network);
        next = arrival < next ? arrival : next;
        match->now_ns = next > match->now_ns ? next : match->now_ns + 1000;
    }
}
