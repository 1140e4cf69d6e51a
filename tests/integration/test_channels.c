/* Matches over a link without addresses (tests/support/channels.h): a remote is the number of a
 * channel, and what counts as one host is the word of a proxy. */
#include "raw_client.h"

#include "server/host_bucket.h"
#include "tests/support/channels.h"

typedef struct fixture {
    ls_channels *channels;
    ls_link *link; /* the server's */
    ls_token_key key;
    bool needs_token;
    uint32_t connections_per_host;
    arena *room;
} fixture;

static const ls_channel_origin house = {.host = "house", .network = "town"},
                               club = {.host = "club", .network = "town"},
                               far_house = {.host = "house", .network = "village"};

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    fixture *f = context;
    server->link = f->link;
    server->connections_per_host = f->connections_per_host;
    server->token_keys = &f->key;
    server->token_key_count = 1;
    server->require_token = f->needs_token;
}

static void start(fixture *f, uint32_t connections_per_host, bool needs_token)
{
    *f = (fixture){.channels = ls_channels_create(),
                   .connections_per_host = connections_per_host,
                   .needs_token = needs_token};
    f->link = ls_channels_listen(f->channels, 64);
    ls_token_key_init(&f->key, 7, NULL);
    f->room = arena_create(&(arena_config){.seed = 5, .prepare = prepare, .context = f});
}

static void stop(fixture *f)
{
    arena_destroy(f->room);
    ls_link_destroy(f->link);
    ls_channels_destroy(f->channels);
    ls_token_key_reset(&f->key);
}

/* The arena does not know when a frame has arrived on a channel, so it is stepped often. */
static void run(fixture *f, uint64_t duration_ns)
{
    for (uint64_t end_ns = f->room->now_ns + duration_ns; f->room->now_ns < end_ns;)
        arena_run(f->room, MS);
}

static ls_link *link_of(const fixture *f, uint32_t index)
{
    return f->room->clients[index].link;
}

static uint32_t join_with(fixture *f, const ls_channel_origin *origin, const char *name,
                          const ls_pass *pass)
{
    ls_client_config config = arena_client_config(f->room, name);
    config.is_bot = true;
    config.pass = pass;
    uint32_t index = arena_join_over(f->room, &config, ls_channels_open(f->channels, origin));
    run(f, 300 * MS);
    return index;
}

static uint32_t join(fixture *f, const ls_channel_origin *origin, const char *name)
{
    return join_with(f, origin, name, NULL);
}

static void assert_plays(const fixture *f, uint32_t index)
{
    const ls_client *client = f->room->clients[index].client;
    if (ls_client_get_state(client) != LS_CLIENT_PLAYING)
        fail_msg("client %u is %s: %s", index, ls_client_state_name(ls_client_get_state(client)),
                 ls_client_reason(client));
}

static const ls_server_session *session_of(const fixture *f, const char *name)
{
    const ls_server *server = f->room->server;
    for (uint32_t i = 0; i < server->peers_max; i++)
        if (server->sessions[i].phase == LS_SERVER_SESSION_ACTIVE &&
            strcmp(server->sessions[i].entrant.name, name) == 0)
            return &server->sessions[i];
    fail_msg("no session of %s", name);
    return NULL;
}

static uint32_t connections(const fixture *f, const ls_channel_origin *origin)
{
    ls_remote_key host;
    memcpy(host.bytes, origin->host, sizeof host.bytes);
    return ls_link_connections(f->link, &host);
}

/* Counts the lines of the server's log with this text; `number` is that of a channel. */
static uint32_t log_count(const fixture *f, const char *format, uint64_t number)
{
    char text[100];
    snprintf(text, sizeof text, format, (unsigned long long)number);
    return arena_log_count(f->room, text);
}

TEST(test_channels_carry_a_match)
{
    fixture f;
    start(&f, 0, false);
    const uint32_t players[] = {join(&f, &house, "ada"), join(&f, &house, "bob"),
                                join(&f, &club, "cy")};
    run(&f, 5 * S);
    arena_assert_all_equal(f.room);
    for (uint32_t i = 0; i < LS_COUNT_OF(players); i++) {
        assert_plays(&f, players[i]);
        assert_int_equal(arena_client_stats(f.room, players[i]).resumes, 0);
        assert_int_equal(
            log_count(&f, i < 2 ? " address=channel-%llu@house " : " address=channel-%llu@club ",
                      ls_channels_number(link_of(&f, players[i]))),
            1);
    }
    assert_true(arena_stats(f.room).tick > 300);
    assert_int_equal(ls_link_connections(f.link, NULL), 3);
    assert_int_equal(connections(&f, &house), 2);
    assert_int_equal(connections(&f, &club), 1);
    stop(&f);
}

/* The channel breaks: the client shows its secret on the next one, and has its seat again. */
TEST(test_channels_resume_on_another_channel)
{
    fixture f;
    start(&f, 0, false);
    uint32_t ada = join(&f, &house, "ada"), bob = join(&f, &club, "bob");
    run(&f, 2 * S);
    uint64_t number = ls_channels_number(link_of(&f, ada));
    uint8_t seat = arena_client_stats(f.room, ada).player;
    ls_channels_cut(link_of(&f, ada));
    run(&f, 5 * S);
    assert_plays(&f, ada);
    assert_plays(&f, bob);
    assert_int_equal(arena_client_stats(f.room, ada).resumes, 1);
    assert_int_equal(arena_client_stats(f.room, ada).player, seat);
    assert_int_not_equal(ls_channels_number(link_of(&f, ada)), number);
    const ls_remote now_at = ls_channels_remote(ls_channels_number(link_of(&f, ada)));
    assert_true(ls_remote_is_same(&session_of(&f, "ada")->entrant.remote, &now_at));
    assert_int_equal(ls_link_connections(f.link, NULL), 2);
    arena_assert_all_equal(f.room);
    stop(&f);
}

/* The link proves that the client is on another channel, of another host: the session goes on, and
 * is charged to that host. */
TEST(test_channels_move_within_a_session)
{
    fixture f;
    start(&f, 0, false);
    uint32_t ada = join(&f, &house, "ada");
    run(&f, 2 * S);
    ls_channels_move(link_of(&f, ada), &club);
    run(&f, 2 * S);
    assert_plays(&f, ada);
    assert_int_equal(arena_client_stats(f.room, ada).resumes, 0);
    assert_int_equal(ls_server_get_stats(f.room->server).sessions_moved, 1);
    assert_int_equal(arena_stats(f.room).leaves, 0);
    assert_int_equal(connections(&f, &house), 0);
    assert_int_equal(connections(&f, &club), 1);
    assert_string_equal((const char *)session_of(&f, "ada")->entrant.host.bytes, "club");
    assert_int_equal(log_count(&f, "name=\"ada\" address=channel-%llu@club",
                               ls_channels_number(link_of(&f, ada))),
                     1);
    arena_assert_all_equal(f.room);
    stop(&f);
}

/* The third client of a host is refused wherever its channel comes from; another host is not. */
TEST(test_channels_limit_the_connections_of_a_host)
{
    fixture f;
    start(&f, 2, false);
    uint32_t first = join(&f, &house, "first"), second = join(&f, &far_house, "second");
    uint32_t third = join(&f, &house, "third"), other = join(&f, &club, "other");
    run(&f, LS_CLIENT_HANDSHAKE_NS); /* a refusal that is not proven ends no attempt at once */
    assert_plays(&f, first);
    assert_plays(&f, second);
    assert_plays(&f, other);
    assert_int_equal(ls_client_get_state(arena_client_at(f.room, third)), LS_CLIENT_REFUSED);
    assert_non_null(strstr(ls_client_reason(arena_client_at(f.room, third)),
                           "all 2 connections of this address are in use"));
    stop(&f);
}

/* A token is good for the first host that shows it, on any of its channels. */
TEST(test_channels_token_is_for_one_host)
{
    fixture f;
    start(&f, 0, true);
    ls_pass pass;
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_token token = {.not_before_s = 1700000000 - 10,
                      .expiry_s = 1700000000 + 3600,
                      .client = "ada",
                      .rights = LS_TOKEN_PLAY};
    assert_ok(ls_token_issue(&f.key, NULL, &token, bytes));
    ls_pass_init(&pass, &token, bytes);
    assert_plays(&f, join_with(&f, &house, "ada", &pass));
    uint32_t thief = join_with(&f, &club, "thief", &pass);
    assert_int_equal(ls_client_get_state(arena_client_at(f.room, thief)), LS_CLIENT_HANDSHAKE);
    assert_true(ls_server_get_stats(f.room->server).tokens_refused > 0);
    assert_int_equal(ls_server_get_stats(f.room->server).sessions, 1);
    uint32_t again = join_with(&f, &far_house, "again", &pass);
    assert_plays(&f, again);
    stop(&f);
}

static raw_client *knock(const fixture *f, const ls_channel_origin *origin)
{
    raw_client *self = ls_alloc(sizeof *self);
    const ls_handshake_client_config config = puppet_config(f->room, "raw");
    ls_writer writer;
    ls_handshake_client_init(&self->handshake, &config);
    self->link = ls_channels_open(f->channels, origin);
    ls_writer_init(&writer, self->hello, sizeof self->hello);
    ls_handshake_client_hello(&self->handshake, &writer);
    return self;
}

static void forget(raw_client *self)
{
    ls_handshake_client_reset(&self->handshake);
    ls_link_destroy(self->link);
    ls_free(self);
}

/* A cookie proves one channel, and no other channel of the same host. */
TEST(test_channels_cookie_is_of_one_channel)
{
    fixture f;
    start(&f, 0, false);
    raw_client *honest = knock(&f, &house), *other = knock(&f, &house);
    raw_get_cookie(honest, f.room);
    ls_link_post(other->link, NULL, honest->auth, LS_AUTH_BYTES);
    raw_run(other, f.room, 20 * MS);
    raw_run(honest, f.room, 20 * MS);
    assert_int_equal(ls_server_get_stats(f.room->server).auths_refused, 1);
    assert_int_equal(honest->answers, 0);
    ls_link_post(honest->link, NULL, honest->auth, LS_AUTH_BYTES);
    raw_run(honest, f.room, 20 * MS);
    assert_int_equal(honest->answers, 1);
    forget(honest);
    forget(other);
    stop(&f);
}

/* True when a HELLO from there is answered. */
static bool is_answered(fixture *f, const ls_channel_origin *origin)
{
    raw_client *self = knock(f, origin);
    ls_link_post(self->link, NULL, self->hello, LS_HELLO_BYTES);
    raw_run(self, f->room, 5 * MS);
    bool result = self->has_auth;
    forget(self);
    return result;
}

/* Returns a network with another bucket than `used` has: the server's hash of networks is keyed. */
static ls_channel_origin other_network(const fixture *f, const ls_channel_origin *used)
{
    ls_channel_origin origin = *used;
    ls_remote_key key, used_key;
    memcpy(used_key.bytes, used->network, sizeof used_key.bytes);
    do {
        origin.network[0]++;
        memcpy(key.bytes, origin.network, sizeof key.bytes);
    } while (ls_host_bucket(f->room->server, &key) == ls_host_bucket(f->room->server, &used_key));
    return origin;
}

/* HELLOs of ever new hosts on ever new channels use up the budget of their network alone. */
TEST(test_channels_hellos_count_by_network)
{
    fixture f;
    start(&f, 0, false);
    run(&f, 10 * MS);
    ls_channel_origin flood = {.network = "town"};
    for (uint32_t i = 0; i < 2 * LS_SERVER_HELLOS_PER_NETWORK_S; i++) {
        snprintf(flood.host, sizeof flood.host, "host-%u", i);
        raw_client *one = knock(&f, &flood);
        ls_link_post(one->link, NULL, one->hello, LS_HELLO_BYTES);
        (void)ls_server_step(f.room->server, f.room->now_ns);
        forget(one);
    }
    assert_in_range(ls_server_get_stats(f.room->server).hellos_limited,
                    LS_SERVER_HELLOS_PER_NETWORK_S - 50, LS_SERVER_HELLOS_PER_NETWORK_S);
    const ls_channel_origin elsewhere = other_network(&f, &flood);
    ls_channel_origin supervisor = flood;
    supervisor.is_local = true;
    assert_true(is_answered(&f, &elsewhere));
    assert_true(is_answered(&f, &supervisor));
    stop(&f);
}

/* The name of a host comes from a proxy's header: it cannot forge a line of the log. */
TEST(test_channels_host_names_forge_no_log_line)
{
    static const ls_channel_origin hostile = {.host = "x\nkick peer=1 \"", .network = "town"};
    fixture f;
    start(&f, 0, false);
    uint32_t index = join(&f, &hostile, "mallory");
    assert_plays(&f, index);
    assert_int_equal(log_count(&f, " address=channel-%llu@x?kick?peer?1?? bot=",
                               ls_channels_number(link_of(&f, index))),
                     1);
    assert_int_equal(arena_log_count(f.room, "\nkick"), 0);
    stop(&f);
}
