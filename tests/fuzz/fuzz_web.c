/* Arbitrary bytes as the headers of a request for a WebSocket, and as parts of its messages: only a
 * well-formed message reaches the link, whatever the parts are. */
#include "cli/serve/http_play_rules.h"
#include "proto/link_web.h"
#include "proto/web_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { PARTS_MAX = 64 };

/* Cuts the next line out of the input. */
static const char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

static void check_headers(const uint8_t *data, size_t bytes)
{
    static const ls_http_address address = {.host = "127.0.0.1", .bytes = {127, 0, 0, 1}};
    const ls_http_play_rules rules = {.origins = {"https://game.example"},
                                      .origin_count = 1,
                                      .proxy = "127.0.0.1",
                                      .address = &address};
    char text[4 * LS_HTTP_PLAY_HEADER_BYTES + 1] = "", *at = text;
    memcpy(text, data, bytes < sizeof text ? bytes : sizeof text - 1);
    ls_http_play_request request = {.peer = "127.0.0.1"};
    request.path = next_line(&at);
    request.host = next_line(&at);
    request.origin = next_line(&at);
    request.forwarded = next_line(&at);
    request.authorization = next_line(&at);
    ls_address client;
    char printed[LS_ADDRESS_TEXT_BYTES];
    if (ls_http_play_judge(&rules, &request, &client) != 0)
        return;
    LS_ASSERT(strcmp(request.path, LS_HTTP_PLAY_PATH) == 0);
    LS_ASSERT(ls_address_port(&client) == 0);
    ls_address_format_host(&client, printed);
    ls_address again;
    LS_ASSERT(strchr(printed, '%') || (ls_http_play_parse_address(printed, &again) &&
                                       memcmp(&again, &client, sizeof again) == 0));
}

static void ignore(void *context)
{
    (void)context;
}

static void check_event(const ls_link_event *event)
{
    if (event->kind == LS_LINK_DATAGRAM)
        LS_ASSERT(event->packet.bytes >= 1 && event->packet.bytes <= LS_MTU_BYTES &&
                  (event->packet.data[0] & 0x40));
    else
        LS_ASSERT(event->kind == LS_LINK_DISCONNECTED);
}

static ls_link *link;

static void destroy_link(void)
{
    ls_link_destroy(link);
}

/* One link for all inputs, because making one takes longer than most inputs. Each input has a
 * channel of its own, and leaves nothing in the link. */
static void create_link(void)
{
    link = ls_link_web_create(&(ls_link_web_config){.peers_max = 1, .port = {.arrived = ignore}});
    (void)atexit(destroy_link);
}

/* Each part begins with a byte of flags and two of its length. */
static void check_parts(const uint8_t *data, size_t bytes)
{
    if (!link)
        create_link();
    ls_web_port *port = ls_link_web_port(link);
    static const ls_address client = LS_ADDRESS_IPV4(192, 0, 2, 1, 0);
    ls_link_event event;
    uint32_t slot = ls_web_port_open(port, &client, NULL, 0);
    bool is_open = true;
    for (uint32_t i = 0; i < PARTS_MAX && bytes >= 3 && is_open; i++) {
        size_t count = data[1] | (size_t)data[2] << 8;
        ls_web_part part = {.is_text = (data[0] & 7) == 7,
                            .is_first = data[0] & 8,
                            .is_last = data[0] & 16,
                            .data = data + 3,
                            .bytes = count < bytes - 3 ? count : bytes - 3};
        is_open = ls_web_port_receive(port, slot, &part, i) == LS_WEB_GO_ON;
        data += 3 + part.bytes;
        bytes -= 3 + part.bytes;
        while (ls_link_poll(link, 1, &event))
            check_event(&event);
    }
    ls_web_port_close(port, slot);
    LS_ASSERT(!ls_link_poll(link, 1, &event) && !ls_link_wait(link, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    if (data[0] % 2)
        check_headers(data + 1, bytes - 1);
    else
        check_parts(data + 1, bytes - 1);
    return 0;
}
