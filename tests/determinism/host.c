/* A server of one match, on any machine that core/, proto/ and server/ build for. It plays a
 * built-in simulation with public headers alone, until its last tick.
 * usage: host SIMULATION PLAYERS TICKS RECORDING LOG [OPTION=VALUE]...
 *   prints "listening HOST:PORT#KEY"; LOG gets the server's events, RECORDING is signed
 *   1 unless the match ran TICKS ticks */
#include "sims/builtin.h"
#include <lockstep/file_sink.h>
#include <lockstep/job_pool.h>
#include <lockstep/link_enet.h>
#include <lockstep/server.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS_MAX = 100, NS_PER_MS = 1000000, TICK_RATE = 120, THREADS = 2 };
static const uint64_t ns_per_s = 1000000000;

typedef struct host {
    const char *recording;
    uint32_t players;
    uint64_t ticks; /* of the match */
    ls_identity identity;
    ls_program *program;
    ls_link *link;
    ls_job_pool *pool;
    ls_server *server;
    FILE *log;
    uint64_t ran;
} host;

static ls_error error;

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

static void write_line(void *context, const char *line)
{
    host *self = context;
    fprintf(self->log, "%s\n", line);
}

static void wake(void *context)
{
    ls_link_wake(context);
}

static void note_end(void *context, ls_room *room)
{
    host *self = context;
    self->ran = ls_room_get_stats(room).simulated;
}

/* Sets an option from "name=value". */
static ls_status set_option(const ls_sim *sim, ls_match *match, const char *setting)
{
    const char *value = strchr(setting, '=');
    for (uint32_t i = 0; value && i < sim->option_count; i++) {
        size_t length = strlen(sim->options[i].name);
        if (length == (size_t)(value - setting) &&
            memcmp(sim->options[i].name, setting, length) == 0) {
            match->options[i] = strtoll(value + 1, NULL, 10);
            return LS_OK;
        }
    }
    return ls_error_set(&error, LS_ERROR_USAGE, "no option '%s'", setting);
}

static ls_status open_room(host *self, char **settings)
{
    ls_sink sink;
    ls_room_config room = ls_room_config_default();
    room.match = ls_program_match(self->program, now_ns(CLOCK_REALTIME));
    room.match.player_count = self->players;
    room.match.tick_rate = TICK_RATE; /* slower machines hold the ticks back */
    for (; *settings; settings++) {
        ls_status status = set_option(ls_program_sim(self->program), &room.match, *settings);
        if (status != LS_OK)
            return status;
    }
    room.wait_players = self->players;
    room.ticks_max = self->ticks;
    room.policy = LS_ROOM_WAIT;
    ls_status status = ls_file_sink_create(self->recording, &sink, &error);
    room.sink = &sink;
    room.recording_name = self->recording;
    return status == LS_OK ? ls_server_open_room(self->server, &room, NULL, &error) : status;
}

static ls_status listen_for_players(host *self)
{
    ls_link_enet_config config = ls_link_enet_config_default();
    config.address = "127.0.0.1";
    config.port = 0;
    config.peers_max = config.connections_per_host = self->players;
    config.filter = false; /* an emulator does not know the kernel's filters */
    return ls_link_enet_listen(&config, &self->link, &error);
}

static ls_status create_server(host *self)
{
    ls_job_pool_config pool = {
        .threads = THREADS, .runs_cheap_inline = true, .done = wake, .context = self->link};
    ls_status status = ls_job_pool_create(&pool, &self->pool, &error);
    if (status != LS_OK)
        return status;
    ls_server_config config = ls_server_config_default();
    config.program = self->program;
    config.link = self->link;
    config.jobs = ls_job_pool_jobs(self->pool);
    config.identity = &self->identity;
    config.unix_s = now_ns(CLOCK_REALTIME) / ns_per_s;
    config.log = write_line;
    config.log_context = self;
    config.peers_max = config.connections_per_host = self->players;
    config.auths_per_host = LS_SERVER_AUTHS_PER_S; /* all clients have one address */
    config.room_ended = note_end;
    config.room_context = self;
    return ls_server_create(&config, &self->server, &error);
}

static ls_status start(host *self, const char *simulation, char **settings)
{
    const ls_sim *sim = ls_sim_builtin(simulation);
    ls_status status = sim ? ls_program_create(sim, &self->program, &error)
                           : ls_error_set(&error, LS_ERROR_USAGE, "no simulation '%s'", simulation);
    if (status == LS_OK)
        status = listen_for_players(self);
    if (status == LS_OK)
        status = create_server(self);
    return status == LS_OK ? open_room(self, settings) : status;
}

static void serve(host *self)
{
    char key[LS_PUBLIC_KEY_TEXT_BYTES];
    ls_public_key_format(&self->identity.public_key, key);
    printf("listening 127.0.0.1:%u#%s\n", ls_link_enet_port(self->link), key);
    while (!ls_server_is_done(self->server)) {
        uint64_t now = now_ns(CLOCK_MONOTONIC), due = ls_server_step(self->server, now);
        uint64_t wait_ms = due > now ? (due - now) / NS_PER_MS + 1 : 0;
        if (wait_ms > 0)
            (void)ls_link_wait(self->link, wait_ms < WAIT_MS_MAX ? (uint32_t)wait_ms : WAIT_MS_MAX);
    }
}

static void stop(host *self)
{
    ls_server_destroy(self->server);
    ls_job_pool_destroy(self->pool);
    if (self->link)
        ls_link_destroy(self->link);
    if (self->program)
        ls_program_destroy(self->program);
    ls_identity_reset(&self->identity);
}

int main(int count, char **arguments)
{
    if (count < 6) {
        fprintf(stderr, "usage: %s SIMULATION PLAYERS TICKS RECORDING LOG [OPTION=VALUE]...\n",
                arguments[0]);
        return 2;
    }
    host self = {.recording = arguments[4],
                 .players = (uint32_t)strtoul(arguments[2], NULL, 10),
                 .ticks = strtoull(arguments[3], NULL, 10)};
    setvbuf(stdout, NULL, _IONBF, 0);
    self.log = fopen(arguments[5], "w");
    if (!self.log) {
        perror(arguments[5]);
        return 1;
    }
    ls_identity_init(&self.identity, NULL);
    ls_status status = start(&self, arguments[1], arguments + 6);
    if (status == LS_OK)
        serve(&self);
    else
        fprintf(stderr, "%s\n", error.text);
    stop(&self);
    bool is_good = fclose(self.log) == 0 && self.ran == self.ticks;
    return is_good ? 0 : 1;
}
