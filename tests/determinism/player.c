/* A bot in a live match, on any machine that core/, proto/ and client/ build for. It plays a
 * built-in simulation with public headers alone, and writes the root of each tick that it has run.
 * Trust and the server's key go through a file of known servers, so that private files are written
 * and read again too. usage: player HOST:PORT SIMULATION NAME TICKS KNOWN-SERVERS ROOTS [CORRUPT]
 *   CORRUPT: the tick at which a bit of its world is flipped, to test who notices
 *   1 unless it ran TICKS ticks, and the server named no desync of it; 3 with a library of another
 *   LS_ABI */
#include "sims/builtin.h"
#include <lockstep/client.h>
#include <lockstep/known_servers.h>
#include <lockstep/link_enet.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS_MAX = 100, NS_PER_MS = 1000000, INCOMPATIBLE = 3 };
static const uint64_t ns_per_s = 1000000000;

typedef struct player {
    const char *known_servers;
    ls_server_address address;
    ls_program *program;
    ls_link *link;
    ls_client *client;
    uint64_t last; /* the tick to stop after */
    uint64_t ran;
    FILE *roots;
    bool learns; /* the server was not known yet */
} player;

static ls_error error;

/* Trusts a server that is not known yet, and remembers it. */
static ls_status trust(void *context, const ls_public_key *shown, ls_error *reason)
{
    player *self = context;
    ls_status status = ls_known_servers_check(self->known_servers, &self->address, shown, reason);
    if (status != LS_ERROR_NOT_FOUND)
        return status;
    self->learns = true;
    return ls_known_servers_add(self->known_servers, &self->address, shown, reason);
}

/* Called after each confirmed tick. */
static void ran(void *context, const ls_frame *frame)
{
    player *self = context;
    ls_world *world = ls_client_world(self->client);
    (void)frame;
    fprintf(self->roots, "%" PRIu64 " %016" PRIx64 "\n", ls_world_tick(world),
            ls_world_root(world));
    self->ran++;
}

static void print_line(void *context, const char *line)
{
    (void)context;
    printf("%s\n", line);
}

static ls_status join(player *self, char **arguments, uint64_t corrupt_at)
{
    const ls_sim *sim = ls_sim_builtin(arguments[2]);
    ls_status status = ls_server_address_parse(arguments[1], &self->address, &error);
    if (status == LS_OK)
        status = sim ? ls_program_create(sim, &self->program, &error)
                     : ls_error_set(&error, LS_ERROR_USAGE, "no simulation '%s'", arguments[2]);
    if (status == LS_OK)
        status = ls_link_enet_open(self->address.host, self->address.port, &self->link, &error);
    if (status != LS_OK)
        return status;
    ls_client_config config = ls_client_config_default();
    config.program = self->program;
    config.link = self->link;
    config.trust = trust;
    config.trust_context = self;
    config.is_bot = true;
    config.corrupt_at = corrupt_at;
    config.unix_s = (uint64_t)time(NULL);
    config.ran = ran;
    config.hook_context = self;
    config.log = print_line;
    snprintf(config.name, sizeof config.name, "%s", arguments[3]);
    return ls_client_create(&config, &self->client, &error);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

static void play(player *self)
{
    while (!ls_client_is_final(self->client)) {
        uint64_t now_ns = monotonic_ns(), due_ns = ls_client_step(self->client, now_ns);
        uint64_t wait_ms = due_ns > now_ns ? (due_ns - now_ns) / NS_PER_MS + 1 : 0;
        if (wait_ms > 0)
            (void)ls_link_wait(self->link, wait_ms < WAIT_MS_MAX ? (uint32_t)wait_ms : WAIT_MS_MAX);
    }
}

/* Prints how it went; false unless all is well. */
static bool report(const player *self)
{
    ls_client_stats stats = ls_client_get_stats(self->client);
    bool is_good = self->ran >= self->last && !stats.has_diverged;
    printf("%s after tick %" PRIu64 ": %s; %" PRIu64 " ticks, %" PRIu64 " inputs, %" PRIu64
           " states, desync %s, server %s\n",
           ls_client_state_name(ls_client_get_state(self->client)), stats.tick,
           ls_client_reason(self->client), self->ran, stats.inputs_submitted,
           stats.states_submitted, stats.has_diverged ? "yes" : "no",
           self->learns ? "learnt" : "known");
    return is_good;
}

static void leave(player *self)
{
    ls_client_destroy(self->client);
    if (self->link)
        ls_link_destroy(self->link);
    if (self->program)
        ls_program_destroy(self->program);
}

int main(int count, char **arguments)
{
    if (count != 7 && count != 8) {
        fprintf(stderr, "usage: %s HOST:PORT SIMULATION NAME TICKS KNOWN-SERVERS ROOTS [CORRUPT]\n",
                arguments[0]);
        return 2;
    }
    if (ls_library_abi() != LS_ABI) {
        fprintf(stderr, "player: the library has LS_ABI %u, this program was built for %d\n",
                ls_library_abi(), LS_ABI);
        return INCOMPATIBLE;
    }
    player self = {.known_servers = arguments[5], .last = strtoull(arguments[4], NULL, 10)};
    uint64_t corrupt_at = count == 8 ? strtoull(arguments[7], NULL, 10) : LS_TICK_NEVER;
    setvbuf(stdout, NULL, _IONBF, 0);
    self.roots = fopen(arguments[6], "w");
    if (!self.roots) {
        perror(arguments[6]);
        return 1;
    }
    bool is_good = join(&self, arguments, corrupt_at) == LS_OK;
    if (is_good) {
        play(&self);
        is_good = report(&self);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    leave(&self);
    is_good &= fclose(self.roots) == 0;
    return is_good ? 0 : 1;
}
