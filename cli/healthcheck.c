#include "cli/healthcheck.h"

#include "cli/common/clock.h"
#include "cli/common/loop.h"
#include "proto/handshake_client.h"
#include <lockstep/link_enet.h>
#include <lockstep/sim.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_NS (2 * LS_NS_PER_S)
#define REPEAT_NS   (LS_NS_PER_S / 4)

const char *ls_healthcheck_find(uint16_t port, char host[LS_HEALTHCHECK_HOST_BYTES])
{
    char line[256];
    FILE *file = fopen("/proc/net/udp", "re");
    strcpy(host, "127.0.0.1");
    /* Lines of `N: AAAAAAAA:PPPP ...` in hex: the address in the byte order of memory, and the
     * port. */
    while (file && fgets(line, sizeof line, file)) {
        unsigned address, bound;
        if (sscanf(line, " %*u: %8x:%4x", &address, &bound) != 2 || bound != port)
            continue;
        struct in_addr in = {.s_addr = address};
        if (address != INADDR_ANY)
            inet_ntop(AF_INET, &in, host, LS_HEALTHCHECK_HOST_BYTES);
        break;
    }
    if (file)
        fclose(file);
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
    uint64_t until_ns = ls_clock_now_ns() + PATIENCE_NS, hello_ns = 0;
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
