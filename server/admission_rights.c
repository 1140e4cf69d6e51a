#include "server/admission_rights.h"

#include <string.h>

void ls_admission_set_token_keys(ls_server *server, const ls_token_key *keys, uint32_t count)
{
    ls_handshake_server *handshake = &server->handshake;
    LS_ASSERT(count <= LS_TOKEN_KEYS_MAX);
    for (uint32_t i = 0; i < LS_TOKEN_KEYS_MAX; i++)
        ls_token_key_reset(&handshake->token_keys[i]);
    if (count)
        memcpy(handshake->token_keys, keys, count * sizeof *keys);
    handshake->token_key_count = count;
}

void ls_admission_set_ban(ls_server *server, ls_admission_ban *is_banned, void *context)
{
    server->is_banned = is_banned;
    server->ban_context = context;
}

bool ls_admission_rights_is_banned(const ls_server *server, const ls_remote *remote,
                                   const char *client)
{
    return server->is_banned && server->is_banned(server->ban_context, remote, client);
}

static ls_status check_ban(const ls_server *server, const ls_handshake_auth *auth,
                           const ls_remote *remote, ls_error *error)
{
    if (!ls_admission_rights_is_banned(server, remote, auth->has_token ? auth->token.client : ""))
        return LS_OK;
    return ls_error_set(error, LS_ERROR_REFUSED, "banned here: ask the one who runs the server");
}

static ls_status check_rights(const ls_server *server, const ls_handshake_auth *auth,
                              const char **room, ls_error *error)
{
    *room = auth->room;
    if ((auth->flags & LS_HANDSHAKE_LIGHT) && !server->allows_light)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "clients that do not simulate are not admitted here%s%s%s",
                            LS_REMEDY(server->light_remedy));
    if (!auth->has_token)
        return LS_OK;
    if (auth->token_is_elsewhere)
        return ls_error_set(error, LS_ERROR_REFUSED,
                            "the connect token is for a server at another address");
    uint8_t wanted = auth->flags & LS_HANDSHAKE_SPECTATE ? LS_TOKEN_SPECTATE : LS_TOKEN_PLAY;
    if (!(auth->token.rights & wanted))
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token does not allow to %s",
                            wanted == LS_TOKEN_PLAY ? "play" : "watch");
    if (!auth->token.room[0])
        return LS_OK;
    if (auth->room[0] && strcmp(auth->room, auth->token.room) != 0)
        return ls_error_set(error, LS_ERROR_REFUSED, "the connect token is for the room '%s'",
                            auth->token.room);
    *room = auth->token.room;
    return LS_OK;
}

ls_status ls_admission_rights_check(const ls_server *server, const ls_handshake_auth *auth,
                                    const ls_remote *remote, const char **room, ls_error *error)
{
    ls_status status = check_ban(server, auth, remote, error);
    return status ? status : check_rights(server, auth, room, error);
}

ls_status ls_admission_rights_check_process(const ls_server *server, ls_pending *pending,
                                            ls_error *error)
{
    if (server->is_awaiting && !pending->room) {
        pending->put_off = LS_PUT_OFF_TAKEOVER;
        return ls_error_set(error, LS_ERROR_LIMIT, "the matches of another server are taken over");
    }
    if (!server->is_draining || (server->successor[0] && pending->room))
        return LS_OK;
    if (server->successor[0])
        return ls_error_set(error, LS_ERROR_REFUSED, "this server has a successor: join %s",
                            server->successor);
    return ls_error_set(error, LS_ERROR_REFUSED, "the server stops");
}

bool ls_admission_rights_forward(const ls_server *server, ls_handshake_auth *auth,
                                 const ls_pending *pending, ls_writer *reply)
{
    ls_handshake_accept granted = {.player = LS_HANDSHAKE_PLAYER_NONE,
                                   .connect_id = 1,
                                   .match = ls_program_match(server->host.program, 0),
                                   .forward = server->forward};
    bool is_wanted = server->successor[0] && !pending->room &&
                     !ls_remote_is_none(&server->forward) &&
                     auth->carrier.capabilities & LS_CAPABILITY_FOLLOW;
    if (is_wanted)
        ls_handshake_server_accept(&server->handshake, auth, &granted, reply);
    return is_wanted;
}
