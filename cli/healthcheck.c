#include "cli/healthcheck.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"
#include "proto/handshake_client.h"
#include <lockstep/link_enet.h>
#include <lockstep/sim.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_NS (2 * LS_SECOND_NS)
#define REPEAT_NS  (LS_SECOND_NS / 4)
#define READINGS   3u
#define LOOPBACK   "127.0.0.1"

struct asked {
    ls_link *link;
    ls_handshake_client handshake;
};

static void add_host(ls_healthcheck_hosts *hosts, const char *name)
{
    for (uint32_t i = 0; i < hosts->count; i++)
        if (strcmp(hosts->names[i], name) == 0)
            return;
    if (hosts->count < LS_HEALTHCHECK_HOSTS_MAX)
        snprintf(hosts->names[hosts->count++], LS_HEALTHCHECK_HOST_BYTES, "%s", name);
}

/* Adds an address of a table: words of the machine in hex, one for IPv4 and four for IPv6. */
static void add_address(ls_healthcheck_hosts *hosts, int family, const char *text)
{
    static const uint32_t wildcard[4];
    uint32_t words[4] = {0}, count = family == AF_INET ? 1 : 4, taken = 0;
    char name[INET6_ADDRSTRLEN];
    for (uint32_t i = 0; i < count; i++)
        taken += sscanf(text + 8 * i, "%8x", &words[i]) == 1;
    if (taken < count)
        return;
    if (memcmp(words, wildcard, sizeof words) == 0)
        add_host(hosts, LOOPBACK);
    else if (inet_ntop(family, words, name, sizeof name))
        add_host(hosts, name);
}

/* Adds the addresses of a port in a table of the kernel. Each line begins `N: ADDRESS:PORT`. */
static void add_bound(ls_healthcheck_hosts *hosts, const char *table, int family, uint16_t port)
{
    char line[512], address[33];
    unsigned bound;
    FILE *file = fopen(table, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " %*u: %32[0-9A-F]:%4x", address, &bound) == 2 && bound == port)
            add_address(hosts, family, address);
    if (file)
        fclose(file);
}

/* The kernel gives a long table in parts, and skips lines when sockets close in between. Therefore
 * it is read several times, and every address that is found counts. */
void ls_healthcheck_find(uint16_t port, ls_healthcheck_hosts *hosts)
{
    *hosts = (ls_healthcheck_hosts){0};
    for (uint32_t i = 0; i < READINGS; i++) {
        add_bound(hosts, "/proc/net/udp", AF_INET, port);
        add_bound(hosts, "/proc/net/udp6", AF_INET6, port);
    }
    if (hosts->count == 0)
        add_host(hosts, LOOPBACK);
}

static void post_hello(ls_link *link, const ls_handshake_client *handshake)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer writer;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_handshake_client_hello(handshake, &writer);
    LS_ASSERT(!writer.failed);
    ls_link_post(link, NULL, bytes, (uint32_t)writer.count);
}

/* Whether the answer proves that a server works: it must be a REJECT because of our simulation,
 * which does not exist. A server that can serve no client rejects for a different reason. */
static bool is_answer(ls_handshake_client *handshake, const ls_link_event *event, ls_status *status,
                      ls_error *error)
{
    ls_handshake_message message = {.data = event->packet.data, .bytes = event->packet.bytes};
    if (event->kind != LS_LINK_DATAGRAM)
        return false;
    ls_status found = ls_handshake_client_cookie(handshake, &message, ls_clock_unix_s(), error);
    *status = found == LS_ERROR_REFUSED ? LS_ERROR_DIVERGED : LS_OK;
    return found != LS_ERROR_CORRUPT;
}

static bool take_answer(struct asked *asked, uint64_t now_ns, ls_status *status, ls_error *error)
{
    ls_link_event event;
    while (ls_link_poll(asked->link, now_ns, &event))
        if (is_answer(&asked->handshake, &event, status, error))
            return true;
    return false;
}

/* Sleeps until one of the links has a packet, or until `wake_ns`. */
static void wait_for_any(const struct asked *all, uint32_t count, uint64_t wake_ns)
{
    struct pollfd files[LS_HEALTHCHECK_HOSTS_MAX];
    uint64_t now_ns = ls_monotonic_ns();
    if (wake_ns <= now_ns)
        return;
    for (uint32_t i = 0; i < count; i++)
        files[i] = (struct pollfd){.fd = ls_link_enet_descriptor(all[i].link), .events = POLLIN};
    (void)poll(files, count, (int)((wake_ns - now_ns) / LS_NS_PER_MS) + 1);
}

static bool answers(struct asked *all, uint32_t count, ls_status *status, ls_error *error)
{
    uint64_t until_ns = ls_monotonic_ns() + TIMEOUT_NS, hello_ns = 0;
    for (;;) {
        uint64_t now_ns = ls_monotonic_ns();
        for (uint32_t i = 0; i < count; i++)
            if (take_answer(&all[i], now_ns, status, error))
                return true;
        if (now_ns >= until_ns)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (now_ns >= hello_ns)
                post_hello(all[i].link, &all[i].handshake);
            ls_link_flush(all[i].link, now_ns);
        }
        if (now_ns >= hello_ns)
            hello_ns = now_ns + REPEAT_NS;
        wait_for_any(all, count, hello_ns < until_ns ? hello_ns : until_ns);
    }
}

static ls_status refuse_silence(const ls_healthcheck_hosts *hosts, uint16_t port, ls_error *error)
{
    char names[LS_ERROR_TEXT_BYTES / 2];
    size_t used = 0;
    for (uint32_t i = 0; i < hosts->count && used < sizeof names; i++) {
        const char *name = hosts->names[i], *format = strchr(name, ':') ? "%s[%s]:%u" : "%s%s:%u";
        used += (size_t)snprintf(names + used, sizeof names - used, format, i ? " or " : "", name,
                                 port);
    }
    return ls_error_set(error, LS_ERROR_DIVERGED, "no server answers on %s", names);
}

ls_status ls_healthcheck(const ls_healthcheck_hosts *hosts, uint16_t port, ls_error *error)
{
    struct asked all[LS_HEALTHCHECK_HOSTS_MAX];
    uint32_t count = 0;
    ls_status status = LS_OK;
    for (uint32_t i = 0; i < hosts->count; i++) {
        ls_status one = ls_link_enet_open(hosts->names[i], port, &all[count].link, error);
        if (one)
            status = one;
        else
            ls_handshake_client_init(
                &all[count++].handshake,
                &(ls_handshake_client_config){.local.engine_version = LS_ENGINE_RULES});
    }
    if (count == 0)
        return status;
    bool is_there = answers(all, count, &status, error);
    for (uint32_t i = 0; i < count; i++) {
        ls_handshake_client_reset(&all[i].handshake);
        ls_link_destroy(all[i].link);
    }
    return is_there ? status : refuse_silence(hosts, port, error);
}
