#include "cli/lobby/lobby_redis.h"

#include "cli/common/password_file.h"
#include "cli/lobby/lobby_directory.h"
#include <lockstep/entropy.h>
#include <lockstep/server_address.h>

#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Names of keys. */
#define SERVERS "lockstep:servers" /* a set of addresses */
#define SERVER  "lockstep:server:" /* and an address: the entry */
#define ORDERS  "lockstep:orders:" /* and an address: a list */
#define ROOM    "lockstep:room:"   /* and a name: RESERVED, or the address where it is open */

#define RESERVED "1"

#define TEXT_OF(number)  #number
#define TEXT_OF_(number) TEXT_OF(number)
#define FORGET_SECONDS   TEXT_OF_(LS_LOBBY_FORGET_S)

struct ls_lobby_redis {
    redisContext *context;
};

ls_status ls_lobby_redis_check(const char *option, const ls_lobby_redis_place *place,
                               ls_error *error)
{
    ls_server_address parsed;
    char password[LS_PASSWORD_BYTES];
    if (ls_server_address_parse(place->address, &parsed, NULL) != LS_OK || parsed.has_key)
        return ls_error_set(error, LS_ERROR_USAGE, "%s takes HOST[:PORT] of Redis, not '%.200s'",
                            option, place->address);
    if (!place->password_file)
        return LS_OK;
    ls_status status = ls_password_file_read(place->password_file, password, error);
    ls_wipe(password, sizeof password);
    return status;
}

static ls_status fail(const ls_lobby_redis *redis, ls_error *error)
{
    const char *why = redis->context->err ? redis->context->errstr : "an answer of another kind";
    return ls_error_set(error, LS_ERROR_IO, "Redis: %.200s", why);
}

/* Sends the password without hiredis, which would leave a copy in freed memory. */
static bool send_password(int to, const char *password)
{
    char command[LS_PASSWORD_BYTES + 64];
    int bytes = snprintf(command, sizeof command, "*2\r\n$4\r\nAUTH\r\n$%zu\r\n%s\r\n",
                         strlen(password), password);
    bool is_sent = write(to, command, (size_t)bytes) == bytes; /* SIGPIPE is ignored */
    ls_wipe(command, sizeof command);
    return is_sent;
}

static ls_status authenticate(ls_lobby_redis *redis, const char *file, ls_error *error)
{
    char password[LS_PASSWORD_BYTES];
    redisReply *reply = NULL;
    if (ls_password_file_read(file, password, error) != LS_OK)
        return LS_ERROR_IO;
    bool is_sent = send_password(redis->context->fd, password);
    ls_wipe(password, sizeof password);
    if (!is_sent || redisGetReply(redis->context, (void **)&reply) != REDIS_OK)
        return ls_error_set(error, LS_ERROR_IO, "Redis closes before it takes the password");
    ls_status status = LS_OK;
    if (reply->type == REDIS_REPLY_ERROR)
        status = ls_error_set(error, LS_ERROR_IO, "Redis refuses the password in %.200s: %.200s",
                              file, reply->str);
    freeReplyObject(reply);
    return status;
}

ls_status ls_lobby_redis_open(const ls_lobby_redis_place *place, ls_lobby_redis **redis,
                              ls_error *error)
{
    const char *address = place->address;
    const struct timeval timeout = {.tv_sec = LS_LOBBY_REDIS_TIMEOUT_S};
    ls_server_address parsed;
    *redis = NULL;
    ls_status status = ls_server_address_parse(address, &parsed, error);
    if (status)
        return status;
    bool has_port = strchr(address, ':') != NULL;
    redisContext *context =
        redisConnectWithTimeout(parsed.host, has_port ? parsed.port : LS_LOBBY_REDIS_PORT, timeout);
    if (!context)
        return ls_error_set(error, LS_ERROR_IO, "Redis: no memory");
    ls_lobby_redis *self = ls_alloc(sizeof *self);
    self->context = context;
    if (context->err || redisSetTimeout(context, timeout) != REDIS_OK) {
        status = ls_error_set(error, LS_ERROR_IO, "Redis at %.200s: %.200s", address,
                              context->err ? context->errstr : "no timeout can be set");
    }
    if (!status && place->password_file)
        status = authenticate(self, place->password_file, error);
    if (status)
        ls_lobby_redis_close(self);
    else
        *redis = self;
    return status;
}

void ls_lobby_redis_close(ls_lobby_redis *redis)
{
    if (!redis)
        return;
    redisFree(redis->context);
    ls_free(redis);
}

/* Sends one command. NULL: Redis does not answer, or answers with an error. */
static redisReply *ask(ls_lobby_redis *redis, int count, const char **words, ls_error *error)
{
    redisReply *reply = redisCommandArgv(redis->context, count, words, NULL);
    if (!reply) {
        (void)fail(redis, error);
        return NULL;
    }
    if (reply->type != REDIS_REPLY_ERROR)
        return reply;
    bool wants_password = strncmp(reply->str, "NOAUTH", strlen("NOAUTH")) == 0;
    (void)ls_error_set(error, LS_ERROR_IO, "Redis: %.200s%s", reply->str,
                       wants_password ? " Give --redis-password-file FILE." : "");
    freeReplyObject(reply);
    return NULL;
}

static ls_status tell(ls_lobby_redis *redis, int count, const char **words, ls_error *error)
{
    redisReply *reply = ask(redis, count, words, error);
    if (!reply)
        return LS_ERROR_IO;
    freeReplyObject(reply);
    return LS_OK;
}

#define TELL(redis, error, ...)                                                                    \
    tell(redis, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                     \
         (const char *[]){__VA_ARGS__}, error)
#define ASK(redis, error, ...)                                                                     \
    ask(redis, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                      \
        (const char *[]){__VA_ARGS__}, error)

/* The longest name of a key. */
#define KEY_BYTES (64 + LS_SERVER_ADDRESS_TEXT_BYTES)

static const char *key_of(const char *prefix, const char *name, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "%s%s", prefix, name);
    return key;
}

ls_status ls_lobby_redis_announce(ls_lobby_redis *redis, const char *server, const char *json,
                                  ls_error *error)
{
    char key[KEY_BYTES];
    ls_status status =
        TELL(redis, error, "SET", key_of(SERVER, server, key), json, "EX", FORGET_SECONDS);
    return status ? status : TELL(redis, error, "SADD", SERVERS, server);
}

ls_status ls_lobby_redis_withdraw(ls_lobby_redis *redis, const char *server, ls_error *error)
{
    char key[KEY_BYTES];
    ls_status status = TELL(redis, error, "DEL", key_of(SERVER, server, key));
    return status ? status : TELL(redis, error, "SREM", SERVERS, server);
}

/* Waits for an item of a list for `seconds`, and raises the connection's timeout meanwhile. */
static ls_status pop(ls_lobby_redis *redis, const char *key, int seconds, ls_builder *item,
                     ls_error *error)
{
    char text[16];
    snprintf(text, sizeof text, "%d", seconds);
    (void)redisSetTimeout(redis->context,
                          (struct timeval){.tv_sec = seconds + LS_LOBBY_REDIS_TIMEOUT_S});
    redisReply *reply = ASK(redis, error, "BLPOP", key, text);
    (void)redisSetTimeout(redis->context, (struct timeval){.tv_sec = LS_LOBBY_REDIS_TIMEOUT_S});
    if (!reply)
        return LS_ERROR_IO;
    ls_status status = LS_OK;
    if (reply->type == REDIS_REPLY_NIL)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "nothing has come");
    else if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
             reply->element[1]->type != REDIS_REPLY_STRING)
        status = fail(redis, error);
    else
        ls_builder_put(item, reply->element[1]->str, (size_t)reply->element[1]->len);
    freeReplyObject(reply);
    return status;
}

ls_status ls_lobby_redis_take_order(ls_lobby_redis *redis, const char *server, ls_builder *order,
                                    ls_error *error)
{
    char key[KEY_BYTES];
    return pop(redis, key_of(ORDERS, server, key), LS_LOBBY_HEARTBEAT_S, order, error);
}

/* Adds an item to a list. Redis forgets the list after LS_LOBBY_ORDER_S, when the other side no
 * longer waits for the item. */
static ls_status push(ls_lobby_redis *redis, const char *key, const char *text, ls_error *error)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", LS_LOBBY_ORDER_S);
    ls_status status = TELL(redis, error, "RPUSH", key, text);
    return status ? status : TELL(redis, error, "EXPIRE", key, seconds);
}

ls_status ls_lobby_redis_answer(ls_lobby_redis *redis, const char *reply, const char *text,
                                ls_error *error)
{
    return push(redis, reply, text, error);
}

static bool is_texts(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ARRAY && reply->elements <= LS_LOBBY_SERVERS_MAX;
}

/* Asks for the entries of these servers. A server that has no entry any more is removed from the
 * set. */
static ls_status list(ls_lobby_redis *redis, const redisReply *servers,
                      void (*take)(void *context, const char *json, size_t bytes), void *context,
                      ls_error *error)
{
    size_t count = servers->elements;
    char(*keys)[KEY_BYTES] = ls_alloc((count + 1) * sizeof *keys);
    const char **words = ls_alloc((count + 1) * sizeof *words);
    ls_status status = LS_OK;
    words[0] = "MGET";
    for (size_t i = 0; i < count; i++)
        words[i + 1] =
            key_of(SERVER, servers->element[i]->str ? servers->element[i]->str : "", keys[i]);
    redisReply *entries = ask(redis, (int)count + 1, words, error);
    if (!entries)
        status = LS_ERROR_IO;
    else if (!is_texts(entries) || entries->elements != count)
        status = fail(redis, error);
    for (size_t i = 0; !status && i < count; i++) {
        const redisReply *entry = entries->element[i];
        if (entry->type == REDIS_REPLY_STRING)
            take(context, entry->str, (size_t)entry->len);
        else
            status = TELL(redis, error, "SREM", SERVERS, words[i + 1] + strlen(SERVER));
    }
    if (entries)
        freeReplyObject(entries);
    ls_free(words);
    ls_free(keys);
    return status;
}

ls_status ls_lobby_redis_list(ls_lobby_redis *redis,
                              void (*take)(void *context, const char *json, size_t bytes),
                              void *context, ls_error *error)
{
    redisReply *servers = ASK(redis, error, "SMEMBERS", SERVERS);
    if (!servers)
        return LS_ERROR_IO;
    ls_status status = LS_OK;
    if (!is_texts(servers))
        status = fail(redis, error);
    else if (servers->elements)
        status = list(redis, servers, take, context, error);
    freeReplyObject(servers);
    return status;
}

ls_status ls_lobby_redis_reserve(ls_lobby_redis *redis, const char *room, ls_error *error)
{
    char key[KEY_BYTES];
    redisReply *reply =
        ASK(redis, error, "SET", key_of(ROOM, room, key), RESERVED, "NX", "EX", FORGET_SECONDS);
    if (!reply)
        return LS_ERROR_IO;
    bool is_taken = reply->type == REDIS_REPLY_NIL;
    freeReplyObject(reply);
    return is_taken ? ls_error_set(error, LS_ERROR_REFUSED, "a room of this name is open") : LS_OK;
}

ls_status ls_lobby_redis_note_place(ls_lobby_redis *redis, const char *room, const char *server,
                                    ls_error *error)
{
    char key[KEY_BYTES];
    return TELL(redis, error, "SET", key_of(ROOM, room, key), server, "XX", "EX", FORGET_SECONDS);
}

ls_status ls_lobby_redis_find_place(ls_lobby_redis *redis, const char *room,
                                    char server[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    char key[KEY_BYTES];
    redisReply *reply = ASK(redis, error, "GET", key_of(ROOM, room, key));
    if (!reply)
        return LS_ERROR_IO;
    bool is_placed = reply->type == REDIS_REPLY_STRING && strcmp(reply->str, RESERVED) != 0;
    if (is_placed)
        snprintf(server, LS_SERVER_ADDRESS_TEXT_BYTES, "%s", reply->str);
    freeReplyObject(reply);
    return is_placed ? LS_OK : LS_ERROR_NOT_FOUND;
}

ls_status ls_lobby_redis_release(ls_lobby_redis *redis, const char *room, ls_error *error)
{
    char key[KEY_BYTES];
    return TELL(redis, error, "DEL", key_of(ROOM, room, key));
}

ls_status ls_lobby_redis_order(ls_lobby_redis *redis, const char *server, const char *reply,
                               const char *order, ls_builder *answer, ls_error *error)
{
    char key[KEY_BYTES];
    (void)key_of(ORDERS, server, key);
    ls_status status = push(redis, key, order, error);
    if (!status)
        status = pop(redis, reply, LS_LOBBY_ORDER_S, answer, error);
    if (status != LS_ERROR_NOT_FOUND)
        return status;
    status = TELL(redis, error, "LREM", key, "0", order);
    return status
               ? status
               : ls_error_set(error, LS_ERROR_FAILED, "the server %.200s does not answer", server);
}
