/* Redis in a build without hiredis. */
#include "cli/lobby/lobby_redis.h"

ls_status ls_lobby_redis_check(const char *option, const ls_lobby_redis_place *place,
                               ls_error *error)
{
    (void)place;
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s: this build has no Redis: on Linux install hiredis (Debian: "
                        "libhiredis-dev) and build again; on Windows there is none",
                        option);
}

static ls_status refuse(ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE, "this build has no Redis");
}

ls_status ls_lobby_redis_open(const ls_lobby_redis_place *place, ls_lobby_redis **redis,
                              ls_error *error)
{
    (void)place;
    *redis = NULL;
    return refuse(error);
}

void ls_lobby_redis_close(ls_lobby_redis *redis)
{
    (void)redis;
}

ls_status ls_lobby_redis_announce(ls_lobby_redis *redis, const char *server, const char *json,
                                  ls_error *error)
{
    (void)redis;
    (void)server;
    (void)json;
    return refuse(error);
}

ls_status ls_lobby_redis_withdraw(ls_lobby_redis *redis, const char *server, ls_error *error)
{
    (void)redis;
    (void)server;
    return refuse(error);
}

ls_status ls_lobby_redis_take_order(ls_lobby_redis *redis, const char *server, ls_builder *order,
                                    ls_error *error)
{
    (void)redis;
    (void)server;
    (void)order;
    return refuse(error);
}

ls_status ls_lobby_redis_answer(ls_lobby_redis *redis, const char *reply, const char *text,
                                ls_error *error)
{
    (void)redis;
    (void)reply;
    (void)text;
    return refuse(error);
}

ls_status ls_lobby_redis_list(ls_lobby_redis *redis,
                              void (*take)(void *context, const char *json, size_t bytes),
                              void *context, ls_error *error)
{
    (void)redis;
    (void)take;
    (void)context;
    return refuse(error);
}

ls_status ls_lobby_redis_reserve(ls_lobby_redis *redis, const char *room, ls_error *error)
{
    (void)redis;
    (void)room;
    return refuse(error);
}

ls_status ls_lobby_redis_note_place(ls_lobby_redis *redis, const char *room, const char *server,
                                    ls_error *error)
{
    (void)redis;
    (void)room;
    (void)server;
    return refuse(error);
}

ls_status ls_lobby_redis_find_place(ls_lobby_redis *redis, const char *room,
                                    char server[LS_SERVER_ADDRESS_TEXT_BYTES], ls_error *error)
{
    (void)redis;
    (void)room;
    (void)server;
    return refuse(error);
}

ls_status ls_lobby_redis_release(ls_lobby_redis *redis, const char *room, ls_error *error)
{
    (void)redis;
    (void)room;
    return refuse(error);
}

ls_status ls_lobby_redis_order(ls_lobby_redis *redis, const char *server, const char *reply,
                               const char *order, ls_builder *answer, ls_error *error)
{
    (void)redis;
    (void)server;
    (void)reply;
    (void)order;
    (void)answer;
    return refuse(error);
}
