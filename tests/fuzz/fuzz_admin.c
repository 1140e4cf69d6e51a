/* Arbitrary bytes as a line of `lockstep admin`, as the JSON of a request over HTTP, as a ban, and
 * as the table of an answer: what is accepted is written again as the same. The same bytes are
 * also read as wishes for a room and as calls of a lobby. */
#include "cli/common/admin_json.h"
#include "cli/common/admin_request.h"
#include "cli/common/admin_table.h"
#include "cli/lobby/lobby_call.h"
#include "cli/serve/bans.h"
#include "cli/serve/room_allocation.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_request(const char *line, size_t bytes)
{
    ls_admin_request request, again;
    ls_error error;
    char text[LS_ADMIN_LINE_BYTES_MAX];
    if (ls_admin_request_parse(&request, line, bytes, &error) != LS_OK) {
        LS_ASSERT(error.text[0]);
        return;
    }
    LS_ASSERT(ls_admin_request_format(request.verb, request.arguments, request.count, text,
                                      &error) == LS_OK);
    LS_ASSERT(strlen(text) == bytes + 1 && memcmp(text, line, bytes) == 0);
    LS_ASSERT(ls_admin_request_parse(&again, text, bytes, &error) == LS_OK);
    LS_ASSERT(again.verb == request.verb && again.count == request.count);
}

/* Accepted JSON becomes one line with as many arguments as it has. */
static void check_json(const char *json, size_t bytes)
{
    ls_builder line = {0};
    ls_error error;
    if (ls_admin_json_read(LS_ADMIN_SAY, json, bytes, &line, &error) == LS_OK) {
        ls_admin_request request;
        LS_ASSERT(strlen(line.data) == line.count && !strchr(line.data, '\n'));
        if (ls_admin_request_parse(&request, line.data, line.count, &error) == LS_OK)
            LS_ASSERT(request.verb == LS_ADMIN_SAY && request.count > 0);
    } else {
        LS_ASSERT(error.text[0]);
    }
    ls_free(line.data);
}

static void check_ban(const char *text)
{
    ls_ban ban, again;
    ls_error error;
    char written[LS_BAN_TEXT_BYTES];
    if (ls_ban_parse(text, &ban, &error) != LS_OK)
        return;
    ls_ban_format(&ban, written);
    LS_ASSERT(ls_ban_parse(written, &again, &error) == LS_OK);
    LS_ASSERT(memcmp(&ban, &again, sizeof ban) == 0);
}

static void check_table(char *text)
{
    ls_admin_table table;
    ls_error error;
    ls_builder printed = {0};
    if (ls_admin_table_parse(&table, text, &error) == LS_OK)
        for (int is_list = 0; is_list < 2; is_list++) {
            ls_admin_table_print(&table, is_list, &printed);
            ls_admin_table_print_json(&table, is_list, &printed);
        }
    ls_free(printed.data);
    ls_admin_table_reset(&table);
}

/* The wishes of a room, and the same bytes as what a lobby reads. */
static void check_room(const char *text, size_t bytes)
{
    static const ls_match_options defaults;
    ls_agones_allocation texts;
    ls_room_allocation allocation;
    ls_lobby_body body;
    ls_lobby_order order;
    ls_lobby_entry entry;
    ls_error error;
    char reply[LS_LOBBY_REPLY_BYTES];
    if (ls_room_allocation_split("room", text, &texts, &error) == LS_OK &&
        ls_room_allocation_read(&texts, &defaults, true, &allocation, &error) == LS_OK)
        LS_ASSERT(allocation.match.set_count <= LS_OPTIONS_MAX);
    if (ls_lobby_body_read(text, bytes, &body, &error) == LS_OK)
        LS_ASSERT(!strpbrk(body.order.wishes, "\n\t") && !strpbrk(body.order.room, "\n\t"));
    if (ls_lobby_order_read(text, bytes, &order, reply, &error) == LS_OK)
        LS_ASSERT(order.room[0] && reply[0]);
    if (ls_lobby_entry_read(text, bytes, &entry, &error) == LS_OK)
        LS_ASSERT(entry.address[0]);
    ls_lobby_entry_reset(&entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = ls_alloc(bytes + 1);
    if (bytes)
        memcpy(text, data, bytes);
    check_request((const char *)data, bytes);
    check_json((const char *)data, bytes);
    check_ban(text);
    check_room(text, bytes);
    check_table(text);
    ls_free(text);
    return 0;
}
