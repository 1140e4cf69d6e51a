/* Runs matches over the shipped libenet in virtual time. Measures, for several loss rates, how much
 * later than the path's own delay each tick reaches each client. No session may be lost, and every
 * client must compute every root. */
#include "core/base/bounds.h"
#include "draws.h"
#include "enet_sockets.h"
#include "tally_sim.h"

#include <lockstep/client.h>
#include <lockstep/link_enet.h>
#include <lockstep/server.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

enum { CLIENTS = 8, RATE = 60, DELAY_MS = 25, TENTHS_MAX = 100000, TICKS_MAX = 1 << 20 };
enum { ATTACK = 100000 };

struct member {
    struct match *match;
    ls_link *link;
    uint16_t port;
    ls_client *client;
    uint64_t wish_ns, resumes_before;
};

struct match {
    uint64_t now_ns, wish_ns, ticks;
    ls_program *program;
    ls_identity identity;
    struct draws secrets;
    ls_entropy entropy;
    ls_link *link;
    uint16_t port;
    ls_server *server;
    ls_room *room;
    ls_room_stats stats;
    uint64_t seen; /* number of ticks with a known closing time */
    struct member members[CLIENTS];
    uint64_t *closed_ns;
    uint32_t *late; /* arrivals by tenths of a millisecond beyond the path's delay */
    uint64_t arrivals, latest_ns, roots_wrong;
    uint64_t *roots; /* by tick, as the first client computed them */
};

static void fill_secrets(void *context, void *bytes, size_t count)
{
    struct match *self = context;
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)(draws_next(&self->secrets) >> 32);
}

static void ran(void *context, const ls_frame *frame)
{
    struct member *member = context;
    struct match *match = member->match;
    uint64_t root = ls_world_root(ls_client_world(member->client));
    uint64_t path_ns = match->closed_ns[frame->tick] + DELAY_MS * MS;
    uint64_t tenths = match->now_ns > path_ns ? (match->now_ns - path_ns) * 10 / MS : 0;
    match->roots_wrong += match->roots[frame->tick] && match->roots[frame->tick] != root;
    match->roots[frame->tick] = root;
    /* The first seconds contain the handshake and the join, so they are not measured. */
    if (frame->tick < 2 * RATE)
        return;
    match->late[tenths < TENTHS_MAX ? tenths : TENTHS_MAX - 1]++;
    match->arrivals++;
    if (match->now_ns > path_ns + match->latest_ns)
        match->latest_ns = match->now_ns - path_ns;
}

static void room_ended(void *context, ls_room *room)
{
    struct match *self = context;
    self->stats = ls_room_get_stats(room);
    self->room = NULL;
}

static void open_server(struct match *self)
{
    ls_error error = {""};
    ls_link_enet_config listen = ls_link_enet_config_default();
    listen.address = "127.0.0.1";
    LS_ASSERT(ls_link_enet_listen(&listen, &self->link, &error) == LS_OK);
    self->port = ls_link_enet_port(self->link);
    ls_server_config config = ls_server_config_default();
    config.program = self->program;
    config.link = self->link;
    config.identity = &self->identity;
    config.entropy = &self->entropy;
    config.unix_s = 1700000000;
    config.room_ended = room_ended;
    config.room_context = self;
    LS_ASSERT(ls_server_create(&config, &self->server, &error) == LS_OK);
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, 1);
    room.match.player_count = CLIENTS;
    room.match.tick_rate = RATE;
    room.wait_players = CLIENTS;
    room.ticks_max = self->ticks;
    LS_ASSERT(ls_server_open_room(self->server, &room, &self->room, &error) == LS_OK);
}

static void join(struct match *self, struct member *member)
{
    ls_error error = {""};
    member->match = self;
    member->wish_ns = self->now_ns;
    LS_ASSERT(ls_link_enet_open("127.0.0.1", self->port, &member->link, &error) == LS_OK);
    member->port = ls_link_enet_port(member->link);
    ls_client_config config = ls_client_config_default();
    config.program = self->program;
    config.link = member->link;
    config.pin = &self->identity.public_key;
    config.entropy = &self->entropy;
    config.unix_s = 1700000000;
    config.is_bot = true;
    config.ran = ran;
    config.hook_context = member;
    LS_ASSERT(ls_client_create(&config, &member->client, &error) == LS_OK);
}

struct row {
    uint64_t seed;
    uint32_t loss_percent;
    double ticks_max; /* limit of the p99 of the delay beyond the path, in ticks; 0: no limit */
    uint32_t attack;  /* attacked datagrams per million */
    bool is_quiet;    /* print the row only if it is not as wanted */
};

static void begin(struct match *self, const struct row *row, uint64_t seconds)
{
    ls_error error = {""};
    uint32_t loss_percent = row->loss_percent;
    *self = (struct match){.now_ns = S, .wish_ns = S, .ticks = seconds * RATE};
    LS_ASSERT(self->ticks < TICKS_MAX);
    enet_sockets_reset(&(enet_sockets_config){.seed = row->seed,
                                              .delay_ns = DELAY_MS * MS,
                                              .loss = loss_percent * 10000,
                                              .attack = row->attack});
    enet_sockets_set_time(self->now_ns);
    self->secrets = draws_make(row->seed, 8);
    self->entropy = (ls_entropy){fill_secrets, self};
    self->closed_ns = ls_alloc(TICKS_MAX * sizeof *self->closed_ns);
    self->roots = ls_alloc(TICKS_MAX * sizeof *self->roots);
    self->late = ls_alloc(TENTHS_MAX * sizeof *self->late);
    LS_ASSERT(ls_program_create(&tally_sim, &self->program, &error) == LS_OK);
    ls_identity_init(&self->identity, &self->entropy);
    open_server(self);
    for (uint32_t i = 0; i < CLIENTS; i++)
        join(self, &self->members[i]);
}

static void end(struct match *self)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        ls_client_destroy(self->members[i].client);
        ls_link_destroy(self->members[i].link);
    }
    ls_server_destroy(self->server);
    ls_link_destroy(self->link);
    ls_identity_reset(&self->identity);
    ls_program_destroy(self->program);
    ls_free(self->closed_ns);
    ls_free(self->roots);
    ls_free(self->late);
}

static void step_server(struct match *self)
{
    if (ls_min(self->wish_ns, enet_sockets_next_ns(self->port)) > self->now_ns)
        return;
    self->wish_ns = ls_server_step(self->server, self->now_ns);
    uint64_t tick = self->room ? ls_room_get_stats(self->room).tick : self->stats.tick;
    /* Resumes before the first tick do not count: a session may restart before it has joined, and
     * nothing is lost with it. */
    for (uint32_t i = 0; !self->seen && i < CLIENTS; i++)
        self->members[i].resumes_before = ls_client_get_stats(self->members[i].client).resumes;
    for (; self->seen < tick; self->seen++)
        self->closed_ns[self->seen] = self->now_ns;
}

/* Runs what is due and advances the time; false when all clients have the last tick. */
static bool step(struct match *self)
{
    bool is_over = ls_server_is_done(self->server);
    enet_sockets_set_time(self->now_ns);
    step_server(self);
    uint64_t next = ls_min(self->wish_ns, enet_sockets_next_ns(self->port));
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct member *member = &self->members[i];
        if (ls_min(member->wish_ns, enet_sockets_next_ns(member->port)) <= self->now_ns)
            member->wish_ns = ls_client_step(member->client, self->now_ns);
        next = ls_min(next, ls_min(member->wish_ns, enet_sockets_next_ns(member->port)));
        is_over &= ls_client_is_final(member->client);
    }
    /* ENet retransmits only within a step of either side, so step at least every 10 ms. */
    next = ls_min(next, self->now_ns + 10 * MS);
    self->now_ns = next > self->now_ns ? next : self->now_ns + MS / 10;
    return !is_over;
}

/* Returns a percentile of the delay beyond the path, in tenths of a millisecond. */
static uint32_t percentile(const struct match *self, double part)
{
    uint64_t wanted = (uint64_t)((double)self->arrivals * part), sum = 0;
    uint32_t tenths = 0;
    while (tenths < TENTHS_MAX - 1 && (sum += self->late[tenths]) <= wanted)
        tenths++;
    return tenths;
}

/* True when the carrier stops replays: it refuses more than four times as many packets as the
 * server drops. The server drops some packets even so: changed datagrams that look like a
 * handshake's. */
static bool stops_replays(const struct match *self)
{
    return ls_server_get_stats(self->server).packets_dropped * 4 <
           ls_link_get_stats(self->link).refused[LS_LINK_REPEATED];
}

static bool run_row(const struct row *row, uint64_t seconds)
{
    struct match match;
    uint64_t resumes = 0, shortest = UINT64_MAX;
    begin(&match, row, seconds);
    uint64_t until_ns = match.now_ns + (seconds + 60) * S;
    while (match.now_ns < until_ns && step(&match))
        continue;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        ls_client_stats stats = ls_client_get_stats(match.members[i].client);
        resumes += stats.resumes - match.members[i].resumes_before + stats.has_diverged;
        shortest = ls_min(shortest, stats.tick);
    }
    double p50 = percentile(&match, 0.5) / 10.0, p99 = percentile(&match, 0.99) / 10.0;
    double max = (double)match.latest_ns / 1e6;
    bool is_whole = shortest == match.ticks && match.stats.tick == match.ticks &&
                    match.roots_wrong == 0 && match.stats.desyncs == 0;
    is_whole &= row->attack == 0 || stops_replays(&match);
    bool is_good = is_whole && resumes == 0 && match.stats.timeouts == 0 &&
                   (row->ticks_max == 0 || p99 <= row->ticks_max * 1000 / RATE);
    if (is_good && row->is_quiet) {
        end(&match);
        return true;
    }
    printf("| %2u %% | %8" PRIu64 " | %5.1f | %5.1f | %6.1f | %" PRIu64 " | %" PRIu64 " | %s |\n",
           row->loss_percent, enet_sockets_attacks(), p50, p99, max, match.arrivals,
           resumes + match.stats.timeouts, is_good ? "yes" : "NO");
    for (uint32_t i = 0; !is_good && i < CLIENTS; i++)
        printf("client %u at tick %" PRIu64 ": %s\n", i,
               ls_client_get_stats(match.members[i].client).tick,
               ls_client_reason(match.members[i].client));
    end(&match);
    return is_good;
}

#ifdef LS_PLANTED
#include "core/base/fault_injection.h"

static enum ls_fault planted = LS_FAULT_COUNT;

bool ls_fault(enum ls_fault which)
{
    return which == planted;
}

/* Checks that the detectors work: under attack, a match must succeed without a planted fault and
 * fail with each one. The match is long enough for the group numbers of unsequenced packets to pass
 * half of their 16 bits: from there on, a wrong comparison takes new packets for old ones. */
int main(void)
{
    static const enum ls_fault faults[] = {LS_FAULT_COUNT, LS_PLANT_CARRIER_REPLAYS,
                                           LS_PLANT_CARRIER_WINDOW_EARLY,
                                           LS_PLANT_PATH_MOVES_AT_ONCE};
    uint32_t missed = 0;
    for (uint32_t i = 0; i < LS_COUNT_OF(faults); i++) {
        planted = faults[i];
        bool is_good = run_row(&(struct row){1, 0, 1, ATTACK, false}, 700);
        missed += is_good != (planted == LS_FAULT_COUNT);
    }
    printf("%u faults not found, or found where none was\n", missed);
    return missed ? 1 : 0;
}
#else
static void print_head(const char *what, uint64_t seconds)
{
    printf("%s%d clients, %d ticks a second, %d ms one way, %" PRIu64 " virtual seconds each; "
           "milliseconds beyond the path\n",
           what, CLIENTS, RATE, DELAY_MS, seconds);
    printf("| loss | attacks  |   p50 |   p99 |    max | arrivals | sessions lost | as wanted |\n");
    printf("|------|----------|-------|-------|--------|----------|---------------|-----------|\n");
}

static uint32_t run_rows(uint64_t seconds)
{
    static const struct row rows[] = {{1, 0, 1, 0},     {2, 1, 1, 0},   {6, 5, 1, 0},
                                      {11, 10, 2, 0},   {21, 20, 0, 0}, {1, 0, 1, ATTACK},
                                      {6, 5, 1, ATTACK}};
    uint32_t missed = 0;
    print_head("", seconds);
    for (uint32_t i = 0; i < LS_COUNT_OF(rows); i++)
        missed += !run_row(&rows[i], seconds);
    return missed;
}

/* One match for each seed, under attack, with a loss that the seed draws. With more loss a refusal
 * that the attacker causes may win against the answers: docs/security.md, "What is not defended".
 */
static uint32_t run_seeds(uint64_t first, uint64_t last, uint64_t seconds)
{
    static const uint32_t losses[] = {0, 1, 5, 10};
    uint32_t missed = 0;
    print_head("matches that failed: ", seconds);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct draws draws = draws_make(seed, 9);
        uint32_t loss = losses[draws_next(&draws) % LS_COUNT_OF(losses)];
        if (run_row(&(struct row){seed, loss, 0, ATTACK, true}, seconds))
            continue;
        missed++;
        printf("the seed of this row: deliver --seconds %" PRIu64 " --seeds %" PRIu64 "..%" PRIu64
               "\n",
               seconds, seed, seed);
    }
    printf("%" PRIu64 " seeds, %u failed\n", last - first + 1, missed);
    return missed;
}

int main(int argc, char **argv)
{
    uint64_t seconds = 0, first = 0, last = 0;
    bool is_known = (argc == 3 || argc == 5) && strcmp(argv[1], "--seconds") == 0;
    if (is_known)
        seconds = strtoull(argv[2], NULL, 10);
    if (is_known && argc == 5)
        is_known = strcmp(argv[3], "--seeds") == 0 &&
                   sscanf(argv[4], "%" SCNu64 "..%" SCNu64, &first, &last) == 2 && first <= last;
    if (!is_known || seconds < 3 || seconds >= TICKS_MAX / RATE) {
        fprintf(stderr, "usage: deliver --seconds N [--seeds A..B]\n");
        return 2;
    }
    return (argc == 5 ? run_seeds(first, last, seconds) : run_rows(seconds)) ? 1 : 0;
}
#endif
