#include "cli/serve/http_waiting.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <string.h>

static uint32_t find(const ls_http_waiting *waiting, const struct lws *wsi)
{
    uint32_t at = 0;
    while (at < waiting->count && waiting->items[at].wsi != wsi)
        at++;
    return at;
}

static void remove_at(ls_http_waiting *waiting, uint32_t at)
{
    if (at == waiting->count)
        return;
    waiting->count--;
    memmove(&waiting->items[at], &waiting->items[at + 1],
            (waiting->count - at) * sizeof waiting->items[0]);
}

static void append(ls_http_waiting *waiting, struct lws *wsi)
{
    if (waiting->count == LS_HTTP_WAITING_MAX)
        return;
    waiting->items[waiting->count].wsi = wsi;
    waiting->items[waiting->count++].waits = true;
}

/* Whether the connection has no bytes to read. Many clients may connect and ask between two turns
 * of the thread: these are not silent. */
static bool is_silent(struct lws *wsi)
{
    char byte;
    return recv(lws_get_socket_fd(wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

void ls_http_waiting_add(ls_http_waiting *waiting, struct lws *wsi, uint32_t open_max)
{
    uint32_t at = waiting->count >= open_max ? 0 : waiting->count;
    while (at < waiting->count && !(waiting->items[at].waits && is_silent(waiting->items[at].wsi)))
        at++;
    if (at < waiting->count) {
        lws_set_timeout(waiting->items[at].wsi, PENDING_TIMEOUT_KILLED_BY_PARENT,
                        LWS_TO_KILL_ASYNC);
        remove_at(waiting, at);
    }
    append(waiting, wsi);
}

void ls_http_waiting_keep(ls_http_waiting *waiting, const struct lws *wsi)
{
    uint32_t at = find(waiting, wsi);
    if (at < waiting->count)
        waiting->items[at].waits = false;
}

void ls_http_waiting_again(ls_http_waiting *waiting, struct lws *wsi)
{
    ls_http_waiting_remove(waiting, wsi);
    append(waiting, wsi);
}

void ls_http_waiting_remove(ls_http_waiting *waiting, const struct lws *wsi)
{
    remove_at(waiting, find(waiting, wsi));
}
