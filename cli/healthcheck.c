#include "cli/healthcheck.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "proto/handshake_client.h"
#include <lockstep/link_enet.h>
#include <lockstep/sim.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define TIMEOUT_NS (2 * LS_NS_PER_S)
#define REPEAT_NS  (LS_NS_PER_S / 4)

/* Finds the port in a table of the kernel; false when it is not there. Each line begins `N:
 * ADDRESS:PORT`: the address as words of the machine in hex, one for IPv4 and four for IPv6. */
static bool find_bound(const char *table, int family, uint16_t port, uint32_t words[4])
{
    char line[512], address[33];
    FILE *file = fopen(table, "re");
    bool is_found = false;
    unsigned bound;
    while (file && !is_found && fgets(line, sizeof line, file)) {
        if (sscanf(line, " %*u: %32[0-9A-F]:%4x", address, &bound) != 2 || bound != port)
            continue;
        uint32_t count = family == AF_INET ? 1 : 4, taken = 0;
        for (uint32_t i = 0; i < count; i++)
            taken += sscanf(address + 8 * i, "%8x", &words[i]) == 1;
        is_found = taken == count;
    }
    if (file)
        fclose(file);
    return is_found;
}

const char *ls_healthcheck_find(uint16_t port, char host[LS_HEALTHCHECK_HOST_BYTES])
{
    static const uint32_t wildcard[4];
    uint32_t words[4] = {0};
    int family = find_bound("/proc/net/udp", AF_INET, port, words)     ? AF_INET
                 : find_bound("/proc/net/udp6", AF_INET6, port, words) ? AF_INET6
                                                                       : AF_UNSPEC;
    strcpy(host, "127.0.0.1");
    if (family != AF_UNSPEC && memcmp(words, wildcard, sizeof words) != 0)
        inet_ntop(family, words, host, LS_HEALTHCHECK_HOST_BYTES);
    return host;
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

static bool answers(ls_link *link, ls_handshake_client *handshake, ls_status *status,
                    ls_error *error)
{
    uint64_t until_ns = ls_clock_now_ns() + TIMEOUT_NS, hello_ns = 0;
    for (;;) {
        uint64_t now_ns = ls_clock_now_ns();
        ls_link_event event;
        while (ls_link_poll(link, now_ns, &event))
            if (is_answer(handshake, &event, status, error))
                return true;
        if (now_ns >= until_ns)
            return false;
        if (now_ns >= hello_ns) {
            post_hello(link, handshake);
            hello_ns = now_ns + REPEAT_NS;
        }
        ls_link_flush(link, now_ns);
        ls_loop_wait(link, hello_ns < until_ns ? hello_ns : until_ns);
    }
}

ls_status ls_healthcheck(const char *host, uint16_t port, ls_error *error)
{
    ls_link *link;
    ls_status status = ls_link_enet_open(host, port, &link, error);
    if (status)
        return status;
    ls_handshake_client handshake;
    ls_handshake_client_init(
        &handshake, &(ls_handshake_client_config){.local.engine_version = LS_ENGINE_RULES});
    bool is_there = answers(link, &handshake, &status, error);
    ls_handshake_client_reset(&handshake);
    ls_link_destroy(link);
    if (is_there)
        return status;
    return ls_error_set(error, LS_ERROR_DIVERGED, "no server answers on %s:%u", host, port);
}
