#include "cli/lobby/lobby_call.h"

#include "cli/common/clock.h"
#include "core/base/json_writer.h"
#include "proto/host_name.h"
#include <lockstep/entropy.h>
#include <lockstep/pass.h>

#include <stdio.h>
#include <string.h>

#define ROOMS   "/lobby/rooms"
#define OPEN    "/lobby/open"
#define JOIN    "/lobby/join"
#define NO_ROOM "no open room has this name; " ROOMS " lists them"
#define NO_KEY                                                                                     \
    "\"client\" asks for a connect token, and there is no key to seal one: leave \"client\" out, " \
    "or "                                                                                          \
    "start this program with --token-key FILE"
/* Clocks of other machines may differ by this. */
#define SKEW_S 5

bool ls_lobby_call_is_here(const char *path)
{
    return strncmp(path, "/lobby/", strlen("/lobby/")) == 0;
}

bool ls_lobby_call_takes_post(const char *path)
{
    return strcmp(path, OPEN) == 0 || strcmp(path, JOIN) == 0;
}

void ls_lobby_call_fail(ls_http_answer *answer, uint32_t code, const char *text)
{
    answer->code = code;
    answer->type = LS_HTTP_JSON_TYPE;
    ls_json_open(&answer->body, NULL, '{');
    ls_json_string(&answer->body, "error", text);
    ls_json_close(&answer->body, '}');
    ls_builder_add(&answer->body, "\n");
}

static void fail(ls_http_answer *answer, ls_status status, const ls_error *error)
{
    bool is_elsewhere = status == LS_ERROR_IO || status == LS_ERROR_FAILED;
    ls_lobby_call_fail(answer,
                       status == LS_ERROR_NOT_FOUND                             ? 404
                       : status == LS_ERROR_REFUSED || status == LS_ERROR_LIMIT ? 409
                       : is_elsewhere                                           ? 503
                                                                                : 400,
                       error->text);
}

static void answer_room(const ls_lobby_directory *directory, const char *name,
                        ls_http_answer *answer)
{
    const ls_lobby_place *place = ls_lobby_directory_find(directory, name, NULL);
    if (!place) {
        ls_lobby_call_fail(answer, 404, NO_ROOM);
        return;
    }
    ls_lobby_directory_print(directory, place, &answer->body);
    ls_builder_add(&answer->body, "\n");
}

void ls_lobby_call_get(const ls_lobby_calls *calls, const char *path, ls_http_answer *answer)
{
    ls_error error;
    bool is_list = strcmp(path, ROOMS) == 0;
    if (ls_lobby_call_takes_post(path)) {
        ls_http_refuse_method(answer, "POST");
        return;
    }
    if (!is_list && strncmp(path, ROOMS "/", strlen(ROOMS "/")) != 0) {
        ls_lobby_call_fail(answer, 404,
                           "there are GET " ROOMS ", GET " ROOMS "/NAME, POST " OPEN ", POST " JOIN
                           " and GET /healthz");
        return;
    }
    answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    const ls_lobby_directory *directory = calls->begin(calls->context, &error);
    if (!directory) {
        ls_lobby_call_fail(answer, 503, error.text);
        return;
    }
    if (is_list)
        ls_builder_put(&answer->body, directory->list.data, directory->list.count);
    else
        answer_room(directory, path + strlen(ROOMS "/"), answer);
    calls->end(calls->context);
}

/* Seals a token for this player, room and server. */
static ls_status issue(const ls_token_key *key, const ls_lobby_body *body,
                       const ls_server_address *server, char text[LS_PASS_TEXT_BYTES],
                       ls_error *error)
{
    ls_token token = {.rights = LS_TOKEN_PLAY | LS_TOKEN_SPECTATE,
                      .server = server->key,
                      .address_count = 1,
                      .not_before_s = ls_clock_unix_s() - SKEW_S,
                      .expiry_s = ls_clock_unix_s() + LS_LOBBY_TOKEN_S};
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_pass pass;
    snprintf(token.client, sizeof token.client, "%s", body->client);
    snprintf(token.room, sizeof token.room, "%s", body->order.room);
    ls_status status = ls_resolve_one(server->host, server->port, &token.addresses[0], error);
    if (!status && ls_token_issue(key, NULL, &token, bytes) != LS_OK)
        status = ls_error_set(error, LS_ERROR_USAGE, "no server would take such a token");
    if (!status) {
        ls_pass_init(&pass, &token, bytes);
        ls_pass_format(&pass, text);
        ls_pass_reset(&pass);
    }
    ls_token_reset(&token);
    return status;
}

/* Tells the player of the body where its room is. */
static ls_status print_entrance(const ls_lobby_calls *calls, const ls_lobby_body *body,
                                const char *address, ls_builder *text, ls_error *error)
{
    ls_server_address server;
    char key[LS_PUBLIC_KEY_TEXT_BYTES], pass[LS_PASS_TEXT_BYTES];
    bool has_token = calls->key && body->client[0];
    ls_status status = ls_server_address_parse(address, &server, error);
    if (!status && has_token)
        status = issue(calls->key, body, &server, pass, error);
    if (status)
        return status;
    ls_public_key_format(&server.key, key);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "room", body->order.room);
    ls_json_string(text, "server", address);
    server.has_key = false;
    char plain[LS_SERVER_ADDRESS_TEXT_BYTES];
    ls_server_address_format(&server, plain);
    ls_json_string(text, "address", plain);
    ls_json_string(text, "key", key);
    ls_json_string(text, "token", has_token ? pass : NULL);
    ls_wipe(pass, sizeof pass);
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
    return LS_OK;
}

static ls_status find(const ls_lobby_calls *calls, const ls_lobby_body *body,
                      char address[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    const ls_lobby_directory *directory = calls->begin(calls->context, error);
    if (!directory)
        return LS_ERROR_FAILED;
    const ls_lobby_place *place =
        ls_lobby_directory_find(directory, body->order.room, body->server[0] ? body->server : NULL);
    if (place)
        snprintf(address, LS_SERVER_ADDRESS_TEXT_BYTES, "%s",
                 directory->servers[place->server].address);
    calls->end(calls->context);
    if (place)
        return LS_OK;
    ls_status status = calls->find_new
                           ? calls->find_new(calls->context, body->order.room, address, error)
                           : LS_ERROR_NOT_FOUND;
    bool is_other = !status && body->server[0] && strcmp(body->server, address) != 0;
    return status == LS_ERROR_NOT_FOUND || is_other
               ? ls_error_set(error, LS_ERROR_NOT_FOUND, NO_ROOM)
               : status;
}

void ls_lobby_call_post(const ls_lobby_calls *calls, const ls_http_post *post,
                        ls_http_answer *answer)
{
    ls_lobby_body body;
    ls_error error;
    char address[LS_SERVER_ADDRESS_TEXT_BYTES];
    bool opens = strcmp(post->path, OPEN) == 0;
    ls_status status = ls_lobby_body_read(post->body, post->bytes, &body, &error);
    body.order.from = post->from;
    if (!status && opens && !body.order.room[0])
        status = ls_error_set(&error, LS_ERROR_USAGE, "\"room\" is missing");
    if (!status && body.client[0] && !calls->key)
        status = ls_error_set(&error, LS_ERROR_USAGE, NO_KEY);
    if (!status)
        status = opens ? calls->open(calls->context, &body.order, address, &error)
                       : find(calls, &body, address, &error);
    if (!status)
        status = print_entrance(calls, &body, address, &answer->body, &error);
    answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    if (status)
        fail(answer, status, &error);
    else if (calls->note)
        calls->note(calls->context, &(ls_lobby_note){.from = post->from,
                                                     .call = opens ? "open" : "join",
                                                     .room = body.order.room,
                                                     .client = body.client,
                                                     .server = address});
}
