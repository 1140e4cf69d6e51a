/* The data that servers and lobbies keep in Redis: an entry of each server, which Redis forgets
 * unless the server repeats it, orders with their answers, and the names of new rooms. Only
 * lobby_redis.c includes hiredis. A connection that has failed is closed by the caller, which opens
 * a new one later. */
#ifndef LS_LOBBY_REDIS_H
#define LS_LOBBY_REDIS_H

#include "core/base/builder.h"
#include <lockstep/server_address.h>

#define LS_LOBBY_REDIS_PORT 6379
/* A server repeats its entry each second; Redis forgets one that was not repeated for this time. */
#define LS_LOBBY_HEARTBEAT_S 1
#define LS_LOBBY_FORGET_S    10
/* The time that Redis has for an answer. */
#define LS_LOBBY_REDIS_TIMEOUT_S 2
/* The prefix of the names under which orders are answered. */
#define LS_LOBBY_REPLY "lockstep:reply:"
/* The time that a server has for an order. */
#define LS_LOBBY_ORDER_S 5

typedef struct ls_lobby_redis ls_lobby_redis;

typedef struct ls_lobby_redis_place {
    const char *address;       /* HOST[:PORT] */
    const char *password_file; /* with the password in its first line; NULL: Redis has none */
} ls_lobby_redis_place;

/* Whether this build has hiredis, the address is HOST[:PORT], and the password can be read.
 *   errors  LS_ERROR_USAGE with `option`; those of ls_password_file_read() */
ls_status ls_lobby_redis_check(const char *option, const ls_lobby_redis_place *place,
                               ls_error *error) LS_MUST_USE;

/* Connects. Reads the password again each time, and keeps nothing of it.
 *   errors  LS_ERROR_IO, also of all functions below: Redis does not answer, or not as it should
 *   owns    ls_lobby_redis_close() by the caller
 *   thread  one at a time for each connection */
ls_status ls_lobby_redis_open(const ls_lobby_redis_place *place, ls_lobby_redis **redis,
                              ls_error *error) LS_MUST_USE;
/* NULL is allowed. */
void ls_lobby_redis_close(ls_lobby_redis *redis);

/* Stores and removes a server's entry. `server` is the server's address. */
ls_status ls_lobby_redis_announce(ls_lobby_redis *redis, const char *server, const char *json,
                                  ls_error *error) LS_MUST_USE;
ls_status ls_lobby_redis_withdraw(ls_lobby_redis *redis, const char *server,
                                  ls_error *error) LS_MUST_USE;
/* Waits for the next order to a server, for LS_LOBBY_HEARTBEAT_S at most.
 *   errors  NOT_FOUND: none has come */
ls_status ls_lobby_redis_take_order(ls_lobby_redis *redis, const char *server, ls_builder *order,
                                    ls_error *error) LS_MUST_USE;
/* Answers an order: "" for a room that is open, or what went wrong. */
ls_status ls_lobby_redis_answer(ls_lobby_redis *redis, const char *reply, const char *text,
                                ls_error *error) LS_MUST_USE;

/* Calls `take` with the entry of each server, which may be hostile. */
ls_status ls_lobby_redis_list(ls_lobby_redis *redis,
                              void (*take)(void *context, const char *json, size_t bytes),
                              void *context, ls_error *error) LS_MUST_USE;
/* Reserves a room's name for LS_LOBBY_FORGET_S, in which a server opens the room and lists it.
 *   errors  REFUSED: the name is reserved already */
ls_status ls_lobby_redis_reserve(ls_lobby_redis *redis, const char *room,
                                 ls_error *error) LS_MUST_USE;
ls_status ls_lobby_redis_release(ls_lobby_redis *redis, const char *room,
                                 ls_error *error) LS_MUST_USE;
/* Notes at which server a reserved room is open. */
ls_status ls_lobby_redis_note_place(ls_lobby_redis *redis, const char *room, const char *server,
                                    ls_error *error) LS_MUST_USE;
/* Gives the address that was noted for the room. The text may be hostile.
 *   errors  NOT_FOUND, without a text: none has opened the room in the last LS_LOBBY_FORGET_S */
ls_status ls_lobby_redis_find_place(ls_lobby_redis *redis, const char *room,
                                    char server[LS_SERVER_ADDRESS_TEXT_BYTES],
                                    ls_error *error) LS_MUST_USE;
/* Gives a server an order, and waits for its answer for LS_LOBBY_ORDER_S at most.
 *   errors  FAILED: no answer; the order is taken back */
ls_status ls_lobby_redis_order(ls_lobby_redis *redis, const char *server, const char *reply,
                               const char *order, ls_builder *answer, ls_error *error) LS_MUST_USE;

#endif
