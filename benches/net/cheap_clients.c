#include "benches/net/cheap_clients.h"

#include "benches/bench.h"
#include "proto/handshake_client.h"
#include "proto/message.h"
#include <lockstep/link_enet.h>
#include <lockstep/world.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FEW = 16, UNDER_WAY_MAX = 32, AGAIN_NS = 300000000 };
/* LISTEN_RATE: rounds a second, each as long as LS_SERVER_RESEND_NS; a round visits each member
 * once, in NET_TURNS turns. SCOUTS: members that listen in every turn. */
enum { LISTEN_RATE = 60, SCOUTS = 4 };

/* How long a member waits before it sends an update without news: QUIET_NS as a client does.
 * GATHERING_NS applies while members join, because 2,000 frequent updates would starve the joining
 * members. */
enum { QUIET_NS = 50000000, GATHERING_NS = 1000000000 };

typedef enum step { OUTSIDE = 0, HELLO, AUTH, CARRIER, INSIDE } step;

typedef struct order {
    uint32_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} order;

typedef struct member {
    step step;
    uint32_t room;
    bool is_player, has_news;
    uint8_t player;
    ls_link *link;
    ls_handshake_client *handshake; /* freed when the member has joined */
    uint64_t said_ns, asked_ns;     /* when it sent its last update; when it last requested a gap */
    ls_peer peer;
    ls_seal seal;
    uint64_t ack, head;
    uint32_t ordered, taken; /* number of orders given; number acknowledged by the server */
    order *orders;           /* ring of LS_UPDATE_INPUTS_MAX orders, indexed by order number */
} member;

/* Shared by all members of a room. */
typedef struct place {
    ls_world *world;
    uint64_t head; /* the highest head of its members */
    uint64_t root; /* root of `world`, which is before tick ls_world_tick(world) */
} place;

static net_cheap_clients clients;
static place *places;
static member *members;
static uint64_t newest;          /* newest tick that any of the FEW members has seen */
static const uint64_t *clock_ns; /* NULL: the machine's clock */

static uint64_t clients_now_ns(void)
{
    return clock_ns ? *clock_ns : bench_now_ns();
}

static void note_root(place *here)
{
    here->root = ls_world_root(here->world);
}

static void make_world(place *here, const ls_match *match)
{
    ls_error error;
    if (here->world)
        return;
    LS_ASSERT(ls_world_create(clients.program, match, &here->world, &error) == LS_OK);
    note_root(here);
}

static void advance(place *here, const ls_ticks_body *body)
{
    ls_reader reader;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
    ls_frame frame;
    ls_error error;
    ls_reader_init(&reader, body->data, body->bytes);
    LS_ASSERT(ls_frame_decode(&reader, ls_world_tick(here->world),
                              ls_world_match(here->world)->player_count, inputs, &frame));
    LS_ASSERT(ls_world_advance(here->world, &frame, NULL, &error) == LS_OK);
    note_root(here);
}

static void receive_ticks(member *self, const ls_plain *plain)
{
    ls_ticks ticks;
    place *here = &places[self->room];
    if (!ls_ticks_decode(plain, LS_PLAYERS_MAX, &ticks))
        return;
    uint64_t end = ticks.first + ticks.count;
    for (uint64_t tick;
         here->world && (tick = ls_world_tick(here->world)) >= ticks.first && tick < end;)
        advance(here, &ticks.bodies[end - 1 - tick]);
    if (self->ack >= ticks.first && self->ack < end)
        self->ack = end;
    if (self->head < end)
        self->head = end;
    if (here->head < end)
        here->head = end;
    self->taken = ticks.input_ack;
    self->has_news = true;
}

static void post(member *self)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    if (self->step == HELLO)
        ls_handshake_client_hello(self->handshake, &writer);
    else
        ls_handshake_client_auth(self->handshake, 0, &writer);
    ls_link_post(self->link, NULL, bytes, (uint32_t)writer.count);
    self->said_ns = clients_now_ns();
}

static void open_link(member *self, const net_board *board)
{
    ls_error error;
    LS_ASSERT(ls_link_enet_open("127.0.0.1", board->port, &self->link, &error) == LS_OK);
}

static void begin(member *self, const net_board *board)
{
    const ls_sim *sim = ls_program_sim(clients.program);
    ls_handshake_client_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .pin = &clients.server_key,
                                         .flags = self->is_player ? 0 : LS_HANDSHAKE_SPECTATE};
    memcpy(config.local.fingerprint, ls_program_fingerprint(clients.program), LS_FINGERPRINT_BYTES);
    snprintf(config.local.simulation, sizeof config.local.simulation, "%s", sim->name);
    snprintf(config.room, sizeof config.room, "%u", self->room);
    if (!self->link) {
        open_link(self, board);
        self->handshake = ls_alloc(sizeof *self->handshake);
        self->orders = self->is_player ? ls_alloc(LS_UPDATE_INPUTS_MAX * sizeof(order)) : NULL;
    }
    ls_handshake_client_init(self->handshake, &config);
    self->step = HELLO;
    post(self);
}

static void receive_accept(member *self, const ls_handshake_message *message)
{
    ls_handshake_accept accept;
    ls_error error = {""};
    if (ls_handshake_client_accept(self->handshake, message, &accept, &error) != LS_OK)
        return;
    self->ack = self->head = accept.tick;
    self->player = accept.player;
    if (clients.players)
        make_world(&places[self->room], &accept.match);
    ls_seal_init(&self->seal, &self->handshake->keys, LS_ROLE_CLIENT);
    self->step = CARRIER;
    LS_ASSERT(ls_link_connect(self->link, clients_now_ns(), &self->handshake->carrier) == LS_OK);
}

static void receive_datagram(member *self, const ls_packet *packet)
{
    ls_error error = {""};
    ls_handshake_message message = {.data = packet->data, .bytes = packet->bytes};
    if (self->step == AUTH)
        receive_accept(self, &message);
    else if (self->step == HELLO &&
             ls_handshake_client_cookie(self->handshake, &message, (uint64_t)time(NULL), &error) ==
                 LS_OK) {
        self->step = AUTH;
        post(self);
    }
}

static void say(member *self, const ls_plain *plain)
{
    uint8_t storage[LS_PACKET_BYTES_MAX];
    ls_packet packet;
    LS_ASSERT(ls_seal_message(&self->seal, plain, storage, &packet) == LS_OK);
    if (ls_link_send(self->link, self->peer, &packet) != LS_OK)
        return;
}

static void enter(member *self, ls_peer peer, net_board *board)
{
    ls_plain plain;
    self->peer = peer;
    self->step = INSIDE;
    ls_confirm_encode(&plain);
    say(self, &plain);
    ls_free(self->handshake);
    atomic_fetch_add(&board->ready, 1);
}

static void note_tick(const member *self, net_board *board)
{
    uint32_t count = atomic_load(&board->seen_count);
    if (board->peers > FEW || self->head <= newest || count == NET_SEEN_MAX)
        return;
    newest = self->head;
    board->seen_ns[count] = clients_now_ns();
    atomic_store(&board->seen_count, count + 1);
}

static void receive_message(member *self, const ls_packet *packet, net_board *board)
{
    ls_plain plain;
    if (ls_seal_open_message(&self->seal, packet, &plain) != LS_OK)
        return;
    if (plain.type != LS_MESSAGE_TICKS)
        return;
    receive_ticks(self, &plain);
    note_tick(self, board);
    atomic_fetch_add_explicit(&board->arrived, 1, memory_order_relaxed);
}

/* Makes a member that has not joined yet connect again: on an overloaded machine its session may
 * time out. */
static void leave(member *self)
{
    LS_ASSERT(self->step < INSIDE);
    self->step = OUTSIDE;
}

static void hear(member *self, net_board *board, uint64_t now_ns)
{
    ls_link_event event;
    while (ls_link_poll(self->link, now_ns, &event)) {
        if (event.kind == LS_LINK_DATAGRAM)
            receive_datagram(self, &event.packet);
        else if (event.kind == LS_LINK_CONNECTED)
            enter(self, event.peer, board);
        else if (event.kind == LS_LINK_MESSAGE)
            receive_message(self, &event.packet, board);
        else if (event.kind == LS_LINK_DISCONNECTED)
            leave(self);
    }
}

/* Gives the bot's next order, unless LS_UPDATE_INPUTS_MAX orders are unacknowledged. */
static void give_order(member *self, const ls_world *world)
{
    if (self->ordered - self->taken >= LS_UPDATE_INPUTS_MAX)
        return;
    order *next = &self->orders[(self->ordered + 1) % LS_UPDATE_INPUTS_MAX];
    next->bytes = ls_program_sim(clients.program)->bot(world, self->player, next->data);
    self->ordered += next->bytes > 0;
}

/* Requests a gap as a client does: again only after an answer could have arrived. */
static void ask_gap(member *self, ls_update *update, uint64_t now_ns)
{
    uint64_t missing = self->head - self->ack;
    if (missing <= LS_TICKS_WINDOW || now_ns < self->asked_ns + LS_CLIENT_GAP_NS)
        return;
    self->asked_ns = now_ns;
    update->gap_first = self->ack;
    update->gap_count = (uint32_t)(missing < LS_GAP_TICKS_MAX ? missing : LS_GAP_TICKS_MAX);
}

static void update(member *self, uint64_t now_ns)
{
    const place *here = &places[self->room];
    ls_update update = {.ack = self->ack, .stamp_us = (uint32_t)(now_ns / 1000) | 1};
    ask_gap(self, &update, now_ns);
    /* Only a room with players has a world. A member that lacks ticks of the world has no root to
     * report, because the members share only the world's newest root. */
    if (here->world && ls_world_tick(here->world) <= self->ack) {
        update.root_first = ls_world_tick(here->world);
        update.root_count = 1;
        update.roots_begin = true;
        update.roots[0] = here->root;
    }
    if (self->is_player && self->player < clients.ordering && self->ack > 0)
        give_order(self, here->world);
    for (uint32_t number = self->taken + 1; number <= self->ordered; number++) {
        const order *which = &self->orders[number % LS_UPDATE_INPUTS_MAX];
        update.inputs[update.input_count++] = (ls_update_input){
            .sequence = number, .bytes = (uint16_t)which->bytes, .data = which->data};
    }
    update.input_count = ls_update_inputs_fit(&update);
    ls_plain plain;
    LS_ASSERT(ls_update_encode(&update, &plain));
    self->said_ns = now_ns;
    self->has_news = false;
    say(self, &plain);
}

/* Lets at most UNDER_WAY_MAX members join at a time, watchers first, because the match begins with
 * the last player. */
static void come_in(net_board *board)
{
    uint64_t now_ns = clients_now_ns();
    uint32_t under_way = 0;
    for (uint32_t i = 0; i < board->peers && under_way < UNDER_WAY_MAX; i++) {
        member *self = &members[i];
        if (self->step == INSIDE)
            continue;
        under_way++;
        if (self->step == OUTSIDE)
            begin(self, board);
        hear(self, board, now_ns);
        if ((self->step == HELLO || self->step == AUTH) && now_ns > self->said_ns + AGAIN_NS)
            post(self);
        ls_link_flush(self->link, now_ns);
    }
}

/* True when a member should look at its socket, which is a system call. In a large room a member
 * looks only when a scout, which looks in every turn, has seen a tick that the member lacks. */
static bool may_have_news(const member *self)
{
    return clients.rooms > 1 || self->step < INSIDE || self->head < places[self->room].head;
}

/* Returns the keepalive interval: at least two ticks, so that normally one update acknowledges each
 * tick. */
static uint64_t quiet_of_ns(void)
{
    uint64_t ticks_ns = UINT64_C(2000000000) / net_tick_rate;
    return ticks_ns > QUIET_NS ? ticks_ns : QUIET_NS;
}

static void make_members(const net_board *board)
{
    /* Players join the rooms in turn, so all matches begin at the end. */
    uint32_t watchers = clients.rooms * clients.watchers;
    members = ls_alloc(board->peers * sizeof *members);
    places = ls_alloc(clients.rooms * sizeof *places);
    for (uint32_t i = 0; i < board->peers; i++) {
        members[i].is_player = i >= watchers;
        members[i].room =
            members[i].is_player ? (i - watchers) % clients.rooms : i / clients.watchers;
    }
}

/* Lets the members from `first` to `end` - 1 hear and send. */
static void visit(net_board *board, uint32_t first, uint32_t end)
{
    bool is_gathering = atomic_load(&board->ready) < board->peers;
    uint64_t quiet_ns = is_gathering ? GATHERING_NS : quiet_of_ns();
    if (is_gathering)
        come_in(board);
    for (uint32_t i = 0; i < (board->peers <= FEW ? board->peers : SCOUTS); i++)
        if (members[i].step == INSIDE)
            hear(&members[i], board, clients_now_ns());
    for (uint32_t i = first; i < end; i++) {
        member *self = &members[i];
        uint64_t now_ns = clients_now_ns();
        if (self->step != INSIDE)
            continue;
        if (may_have_news(self) || now_ns >= self->said_ns + quiet_ns)
            hear(self, board, now_ns);
        if (self->has_news || now_ns >= self->said_ns + quiet_ns)
            update(self, now_ns);
        ls_link_flush(self->link, now_ns);
    }
}

static void live(net_board *board)
{
    make_members(board);
    for (;;) {
        uint32_t first, end;
        uint32_t turn = net_crowd_turn(board, LISTEN_RATE);
        net_crowd_range(board, turn, &first, &end);
        visit(board, first, end);
    }
}

net_crowd net_cheap_clients_begin(const net_cheap_clients *given, uint16_t port)
{
    clients = *given;
    return net_crowd_begin(clients.rooms * (clients.players + clients.watchers), port, live);
}

void net_cheap_clients_open(const net_cheap_clients *given, uint16_t port, const uint64_t *now_ns,
                            net_board *board)
{
    clients = *given;
    clock_ns = now_ns;
    *board =
        (net_board){.peers = clients.rooms * (clients.players + clients.watchers), .port = port};
    make_members(board);
}

void net_cheap_clients_visit(net_board *board, uint32_t part, uint32_t parts)
{
    visit(board, board->peers * part / parts, board->peers * (part + 1) / parts);
}

void net_cheap_clients_close(const net_board *board)
{
    for (uint32_t i = 0; i < board->peers; i++) {
        ls_link_destroy(members[i].link);
        ls_free(members[i].orders);
    }
    for (uint32_t i = 0; i < clients.rooms; i++)
        ls_world_destroy(places[i].world);
    ls_free(members);
    ls_free(places);
    clock_ns = NULL;
}
