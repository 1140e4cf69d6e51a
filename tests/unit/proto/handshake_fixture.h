/* A server and a client that shake hands in memory. Every message is kept for the test. */
#ifndef LS_HANDSHAKE_FIXTURE_H
#define LS_HANDSHAKE_FIXTURE_H

#include "handshake_scene.h"

static inline ls_handshake_message fixture_view(const fixture *f, const fixture_message *message)
{
    return (ls_handshake_message){.data = message->data,
                                  .bytes = message->bytes,
                                  .remote = f->remote,
                                  .now_ns = f->now_ns,
                                  .unix_s = f->unix_s};
}

static inline ls_writer fixture_writer(fixture_message *message)
{
    ls_writer writer;
    ls_writer_init(&writer, message->data, sizeof message->data);
    return writer;
}

static inline void fixture_send_hello(fixture *f)
{
    ls_writer writer = fixture_writer(&f->hello);
    ls_handshake_client_hello(&f->client, &writer);
    f->hello.bytes = writer.count;
}

static inline ls_status fixture_serve_hello(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->hello);
    ls_writer writer = fixture_writer(&f->cookie);
    ls_status status = ls_handshake_server_hello(&f->server, &message, &writer, &f->error);
    f->cookie.bytes = writer.count;
    return status;
}

static inline ls_status fixture_take_cookie(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->cookie);
    return ls_handshake_client_cookie(&f->client, &message, f->unix_s, &f->error);
}

static inline void fixture_send_auth(fixture *f)
{
    ls_writer writer = fixture_writer(&f->authorization);
    ls_handshake_client_auth(&f->client, 0, &writer);
    f->authorization.bytes = writer.count;
}

static inline ls_status fixture_serve_auth(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->authorization);
    return ls_handshake_server_auth(&f->server, &message, &f->auth, &f->error);
}

static inline void fixture_send_accept(fixture *f)
{
    ls_writer writer = fixture_writer(&f->accept);
    ls_handshake_server_accept(&f->server, &f->auth, &f->granted, &writer);
    assert_false(writer.failed);
    f->accept.bytes = writer.count;
}

static inline ls_status fixture_take_accept(fixture *f)
{
    ls_handshake_message message = fixture_view(f, &f->accept);
    return ls_handshake_client_accept(&f->client, &message, &f->accepted, &f->error);
}

/* Runs the handshake up to the client's AUTH, which is not yet served. */
static inline void fixture_reach_auth(fixture *f)
{
    fixture_start(f);
    fixture_send_hello(f);
    assert_ok(fixture_serve_hello(f));
    assert_ok(fixture_take_cookie(f));
    fixture_send_auth(f);
}

static inline void fixture_reach_accept(fixture *f)
{
    fixture_reach_auth(f);
    assert_ok(fixture_serve_auth(f));
    fixture_send_accept(f);
}

#endif
