#include "benches/net/host.h"

#include "benches/bench.h"
#include <lockstep/link_enet.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

enum { FEW = 8, LATE_NS = 1000000 };

uint64_t net_resident_bytes(void)
{
    unsigned long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    LS_ASSERT(file && fscanf(file, "%lu %lu", &all, &resident) == 2);
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void wake(void *context)
{
    ls_link_wake(context);
}

static void open_rooms(net_host *host, const net_host_config *config)
{
    for (uint32_t i = 0; i < config->rooms; i++) {
        char name[LS_ROOM_BYTES];
        ls_error error = {""};
        snprintf(name, sizeof name, "%u", i);
        ls_room_config room = ls_room_config_default();
        room.name = name;
        room.match = ls_program_match(host->program, i + 1);
        room.match.player_count = config->players ? config->players : 1;
        if (config->tick_rate)
            room.match.tick_rate = config->tick_rate;
        for (uint32_t option = 0; config->option && option < config->sim->option_count; option++)
            if (strcmp(config->sim->options[option].name, config->option) == 0)
                room.match.options[option] = config->value;
        room.wait_players = config->players;
        room.sink = config->recording;
        room.keyframe_ticks = config->keyframe_ticks;
        LS_ASSERT(ls_server_open_room(host->server, &room, NULL, &error) == LS_OK);
    }
}

/* Returns the number of connections to allow. A server keeps one for each open seat; a room without
 * players has one open seat. */
static uint32_t connections(const net_host *host, const net_host_config *config)
{
    return host->peers + config->spare + (config->players ? 0 : config->rooms);
}

static void open_server(net_host *host, const net_host_config *config)
{
    ls_error error = {""};
    host->peers = config->rooms * (config->players + config->watchers);
    ls_link_enet_config listen = ls_link_enet_config_default();
    listen.address = "127.0.0.1";
    listen.port = 0;
    listen.peers_max = listen.connections_per_host = connections(host, config);
    LS_ASSERT(ls_program_create(config->sim, &host->program, &error) == LS_OK);
    ls_identity_init(&host->identity, NULL);
    LS_ASSERT(ls_link_enet_listen(&listen, &host->link, &error) == LS_OK);
}

static void start_server(net_host *host, const net_host_config *config)
{
    ls_error error = {""};
    ls_server_config server = ls_server_config_default();
    ls_job_pool_config pool = {
        .threads = config->threads, .runs_cheap_inline = true, .done = wake, .context = host->link};
    if (config->threads)
        LS_ASSERT(ls_job_pool_create(&pool, &host->pool, &error) == LS_OK);
    server.program = host->program;
    host->wrapped = config->wrap ? config->wrap(host->link) : host->link;
    server.link = host->wrapped;
    server.identity = &host->identity;
    server.jobs = host->pool ? ls_job_pool_jobs(host->pool) : NULL;
    server.unix_s = (uint64_t)time(NULL);
    server.peers_max = connections(host, config);
    server.rooms_max = config->rooms;
    server.auths_per_host = LS_SERVER_AUTHS_PER_S; /* all clients have one address */
    LS_ASSERT(ls_server_create(&server, &host->server, &error) == LS_OK);
    open_rooms(host, config);
}

static net_cheap_clients clients_of(const net_host *host, const net_host_config *config)
{
    return (net_cheap_clients){.program = host->program,
                               .server_key = host->identity.public_key,
                               .rooms = config->rooms,
                               .players = config->players,
                               .ordering = config->ordering ? config->ordering : config->players,
                               .watchers = config->watchers};
}

net_host *net_host_open(const net_host_config *config, net_cheap_clients *clients)
{
    net_host *host = ls_alloc(sizeof *host);
    open_server(host, config);
    start_server(host, config);
    *clients = clients_of(host, config);
    return host;
}

bool net_host_is_ready(const net_host *host)
{
    ls_room *room;
    if (ls_server_get_stats(host->server).sessions < host->peers)
        return false;
    for (uint32_t i = 0; (room = ls_server_room(host->server, i)) != NULL; i++)
        if (ls_room_get_stats(room).state != LS_ROOM_RUNNING)
            return false;
    return true;
}

static void gather(net_host *host)
{
    uint64_t begun_ns = bench_now_ns(), until_ns = begun_ns + NET_GATHER_S * 1000 * MS;
    bool is_whole;
    while (!(is_whole = net_host_is_ready(host)) && bench_now_ns() < until_ns) {
        net_host_run_until(host, bench_now_ns() + MS);
        if (!host->few_bytes && ls_server_get_stats(host->server).sessions >= FEW)
            host->few_bytes = net_resident_bytes();
    }
    /* When all members have joined but a room does not run, report one fewer: the crowd is not
     * whole. */
    uint32_t sessions = ls_server_get_stats(host->server).sessions;
    host->crowd.inside = is_whole || sessions < host->peers ? sessions : host->peers - 1;
    host->crowd.gathering = (double)(bench_now_ns() - begun_ns) / 1e9;
    if (is_whole && host->peers > FEW)
        host->peer_bytes = (net_resident_bytes() - host->few_bytes) / (host->peers - FEW);
}

net_host *net_host_begin(const net_host_config *config)
{
    net_host *host = ls_alloc(sizeof *host);
    open_server(host, config);
    net_cheap_clients clients = clients_of(host, config);
    /* This forks, so it must precede the start of threads. */
    host->crowd = net_cheap_clients_begin(&clients, ls_link_enet_port(host->link));
    start_server(host, config);
    host->left_ns = bench_now_ns();
    atomic_store(&host->crowd.board->is_running, true);
    gather(host);
    host->is_patient = config->is_patient;
    atomic_store(&host->crowd.board->is_running, false);
    return host;
}

void net_host_end(net_host *host)
{
    net_crowd_end(&host->crowd);
    net_host_close(host);
}

void net_host_close(net_host *host)
{
    ls_server_destroy(host->server);
    ls_job_pool_destroy(host->pool);
    ls_link_destroy(host->link);
    ls_identity_reset(&host->identity);
    ls_program_destroy(host->program);
    ls_free(host);
}

uint64_t net_host_now_ns(const net_host *host)
{
    return bench_now_ns() - host->paused_ns;
}

void net_host_resume(net_host *host)
{
    host->paused_ns += bench_now_ns() - host->left_ns;
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec time = {.tv_nsec = (long)ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Waits as the loop of `lockstep serve` does. */
void net_host_wait(net_host *host, uint64_t wake_ns)
{
    uint64_t now_ns = net_host_now_ns(host), interval_ns = ls_server_step_interval_ns(host->server);
    if (wake_ns <= now_ns)
        return;
    sleep_ns(wake_ns - now_ns < interval_ns ? wake_ns - now_ns : interval_ns);
    if (ls_server_is_busy(host->server) || wake_ns - now_ns <= interval_ns)
        return;
    now_ns = net_host_now_ns(host);
    if (wake_ns < now_ns + MS || ls_link_wait(host->link, (uint32_t)((wake_ns - now_ns) / MS)))
        return;
    now_ns = net_host_now_ns(host);
    if (wake_ns > now_ns)
        sleep_ns(wake_ns - now_ns);
}

void net_host_run_until(net_host *host, uint64_t until_ns)
{
    do {
        uint64_t wake_ns = ls_server_step(host->server, net_host_now_ns(host));
        net_host_wait(host, wake_ns);
        if (host->is_patient && net_host_now_ns(host) > wake_ns + LATE_NS)
            host->paused_ns = bench_now_ns() - wake_ns - LATE_NS;
    } while (bench_now_ns() < until_ns);
    host->left_ns = bench_now_ns();
}
