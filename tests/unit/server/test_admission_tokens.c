/* Connect tokens at admission: rights, rooms, addresses, and a second login of one client. */
#include "puppet.h"
#include "server/admission_rights.h"
#include "tests/support/test.h"

static const ls_address own_address = LS_ADDRESS_IPV4(203, 0, 113, 9, 7777);
static const ls_address other_address = LS_ADDRESS_IPV4(203, 0, 113, 9, 7778);

typedef struct fixture {
    ls_token_key key;
    ls_login_policy login;
    bool is_of_room; /* the room needs tokens, and the server does not */
    arena *room;
} fixture;

static void prepare(void *context, ls_server_config *server, ls_room_config *room)
{
    fixture *f = context;
    server->token_keys = &f->key;
    server->token_key_count = 1;
    server->require_token = !f->is_of_room;
    room->require_token = f->is_of_room;
    room->name = f->is_of_room ? "red" : room->name;
    server->addresses = &own_address;
    server->address_count = 1;
    server->login = f->login;
    server->rooms_max = 2;
    server->allows_light = true;
    room->keep_seats_s = 30;
}

static void begin_with(void **state, ls_login_policy login, bool is_of_room)
{
    fixture *f = ls_alloc(sizeof *f);
    ls_token_key_init(&f->key, 7, NULL);
    f->login = login;
    f->is_of_room = is_of_room;
    f->room = arena_create(&(arena_config){
        .seed = 1, .conditions = {.delay_ns = 5 * MS}, .prepare = prepare, .context = f});
    *state = f;
}

static int begin(void **state)
{
    begin_with(state, LS_LOGIN_REPLACE, false);
    return 0;
}

static int begin_refusing(void **state)
{
    begin_with(state, LS_LOGIN_REFUSE, false);
    return 0;
}

static int begin_of_room(void **state)
{
    begin_with(state, LS_LOGIN_REPLACE, true);
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    arena_destroy(f->room);
    ls_token_key_reset(&f->key);
    ls_free(f);
    return 0;
}

/* Issues a pass for servers at `address`; for any server if NULL. */
static void issue_for(const fixture *f, const char *client, const char *room, uint8_t rights,
                      const ls_address *address, ls_pass *pass)
{
    uint8_t bytes[LS_TOKEN_BYTES];
    ls_token token = {
        .not_before_s = 1700000000 - 10, .expiry_s = 1700000000 + 3600, .rights = rights};
    strcpy(token.client, client);
    strcpy(token.room, room);
    if (address)
        token.addresses[token.address_count++] = *address;
    assert_ok(ls_token_issue(&f->key, NULL, &token, bytes));
    ls_pass_init(pass, &token, bytes);
}

static void issue(const fixture *f, const char *client, const char *room, uint8_t rights,
                  ls_pass *pass)
{
    issue_for(f, client, room, rights, NULL, pass);
}

static puppet *come(const fixture *f, const ls_pass *pass, const char *room, uint8_t flags)
{
    ls_handshake_client_config config = puppet_config(f->room, "p");
    config.pass = pass;
    config.flags = flags;
    strcpy(config.room, room);
    return puppet_create(f->room, &config);
}

static void assert_refused(const fixture *f, const ls_pass *pass, const char *room, uint8_t flags,
                           const char *why)
{
    puppet *client = come(f, pass, room, flags);
    assert_false(client->has_accept);
    if (!strstr(client->refusal, why))
        fail_msg("\"%s\" does not say \"%s\"", client->refusal, why);
    puppet_destroy(client);
}

static void enter(const fixture *f, puppet *client)
{
    assert_true(client->has_accept);
    puppet_confirm(client, f->room);
    puppet_run(client, f->room, 50 * MS);
}

TESTS_AROUND(begin, end);

TEST(test_admission_tokens_are_needed)
{
    fixture *f = *state;
    assert_refused(f, NULL, "", 0, "with a connect token");
    ls_pass pass;
    issue(f, "anna", "", LS_TOKEN_PLAY, &pass);
    puppet *client = come(f, &pass, "", 0);
    enter(f, client);
    assert_int_equal(arena_stats(f->room).sessions, 1);
    puppet_destroy(client);
}

TEST(test_admission_tokens_have_rights)
{
    fixture *f = *state;
    ls_pass play, watch, both;
    issue(f, "anna", "", LS_TOKEN_PLAY, &play);
    issue(f, "bert", "", LS_TOKEN_SPECTATE, &watch);
    issue(f, "cleo", "", LS_TOKEN_PLAY | LS_TOKEN_SPECTATE, &both);
    assert_refused(f, &play, "", LS_HANDSHAKE_SPECTATE, "does not allow to watch");
    assert_refused(f, &watch, "", 0, "does not allow to play");
    puppet *client = come(f, &watch, "", LS_HANDSHAKE_SPECTATE);
    assert_false(
        client
            ->has_accept); /* each link has its own address, and the token was used from another */
    puppet_destroy(client);
    client = come(f, &both, "", LS_HANDSHAKE_SPECTATE);
    assert_true(client->has_accept);
    assert_int_equal(client->accept.player, LS_HANDSHAKE_PLAYER_NONE);
    puppet_destroy(client);
}

TEST(test_admission_tokens_name_their_room)
{
    fixture *f = *state;
    ls_pass here, there, here_too;
    issue(f, "anna", "arena", LS_TOKEN_PLAY, &here);
    issue(f, "bert", "elsewhere", LS_TOKEN_PLAY, &there);
    issue(f, "cleo", "arena", LS_TOKEN_PLAY, &here_too);
    assert_refused(f, &there, "", 0, "no room 'elsewhere'");
    assert_refused(f, &here, "elsewhere", 0, "is for the room 'arena'");
    puppet *client = come(f, &here_too, "", 0);
    assert_true(client->has_accept);
    assert_string_equal(client->accept.room, "arena");
    puppet_destroy(client);
}

TEST(test_admission_tokens_name_their_server)
{
    fixture *f = *state;
    ls_pass here, there;
    issue_for(f, "anna", "", LS_TOKEN_PLAY, &own_address, &here);
    issue_for(f, "bert", "", LS_TOKEN_PLAY, &other_address, &there);
    assert_refused(f, &there, "", 0, "is for a server at another address");
    assert_int_equal(arena_log_count(f->room, "auth_rejected"), 1);
    puppet *client = come(f, &here, "", 0);
    assert_true(client->has_accept);
    puppet_destroy(client);
}

TEST(test_admission_tokens_come_from_one_host)
{
    fixture *f = *state;
    ls_pass pass;
    issue(f, "anna", "", LS_TOKEN_PLAY, &pass);
    puppet *client = come(f, &pass, "", 0), *thief = come(f, &pass, "", 0);
    assert_true(client->has_accept);
    assert_false(thief->has_accept);
    assert_string_equal(thief->refusal, ""); /* dropped without an answer */
    assert_int_equal(ls_server_get_stats(f->room->server).tokens_refused, 1);
    assert_true(arena_log_count(f->room, "the connect token was used from another address") >= 1);
    puppet_destroy(client);
    puppet_destroy(thief);
}

/* Lets the new session in, which ends the old one. */
static void expect_replaced(fixture *f, puppet *old, puppet *new)
{
    enter(f, new);
    puppet_run(old, f->room, 100 * MS);
    assert_true(old->is_gone);
}

TEST(test_admission_tokens_login_replaces)
{
    fixture *f = *state;
    ls_pass first, second;
    issue(f, "anna", "", LS_TOKEN_PLAY, &first);
    issue(f, "anna", "", LS_TOKEN_PLAY, &second);
    puppet *old = come(f, &first, "", 0);
    enter(f, old);
    puppet *new = come(f, &second, "", 0);
    assert_int_equal(new->accept.player, old->accept.player);
    puppet_run(old, f->room, 100 * MS);
    assert_false(old->is_gone); /* the old session stays until the new one confirms */
    expect_replaced(f, old, new);
    assert_int_equal(arena_stats(f->room).sessions, 1);
    puppet_destroy(old);
    puppet_destroy(new);
}

static void open_other(const fixture *f)
{
    ls_room_config other = ls_room_config_default();
    other.name = "other";
    other.match = ls_program_match(f->room->program, 2);
    assert_ok(ls_server_open_room(f->room->server, &other, NULL, NULL));
}

/* A used token can readmit its holder only to the seat of the resume secret sent with it, not to
 * another seat of the token's client. */
TEST(test_admission_tokens_used_up_are_good_for_one_seat)
{
    fixture *f = *state;
    ls_pass here, there, any;
    open_other(f);
    issue(f, "anna", "arena", LS_TOKEN_PLAY, &here);
    issue(f, "anna", "other", LS_TOKEN_PLAY, &there);
    issue(f, "anna", "", LS_TOKEN_PLAY, &any);
    puppet *first = come(f, &here, "", 0), *second = come(f, &there, "", 0);
    enter(f, first);
    enter(f, second);
    puppet *used =
        come(f, &any, "other", LS_HANDSHAKE_SPECTATE); /* refused, but the token counts as used */
    ls_handshake_client_config config = puppet_config(f->room, "p");
    config.pass = &any;
    config.resume_secret = second->accept.resume_secret;
    puppet *back = puppet_create(f->room, &config);
    assert_true(back->has_accept);
    assert_string_equal(back->accept.room, "other");
    assert_int_equal(back->accept.player, second->accept.player);
    puppet_destroy(first);
    puppet_destroy(second);
    puppet_destroy(used);
    puppet_destroy(back);
}

/* A login also replaces an older one in another room, even if it is a spectator's. */
TEST(test_admission_tokens_login_replaces_in_every_room)
{
    fixture *f = *state;
    open_other(f);
    ls_pass first, second;
    issue(f, "anna", "arena", LS_TOKEN_PLAY, &first);
    issue(f, "anna", "other", LS_TOKEN_SPECTATE, &second);
    puppet *old = come(f, &first, "", 0);
    enter(f, old);
    puppet *new = come(f, &second, "", LS_HANDSHAKE_SPECTATE);
    expect_replaced(f, old, new);
    assert_int_equal(ls_server_get_stats(f->room->server).sessions, 1);
    puppet_destroy(old);
    puppet_destroy(new);
}

TESTS_AROUND(begin_refusing, end);

TEST(test_admission_tokens_login_refuses)
{
    fixture *f = *state;
    ls_pass passes[4];
    for (uint32_t i = 0; i < 4; i++)
        issue(f, "anna", "", LS_TOKEN_PLAY | LS_TOKEN_SPECTATE, &passes[i]);
    puppet *old = come(f, &passes[0], "", 0);
    enter(f, old);
    assert_refused(f, &passes[1], "", 0, "'anna' is connected already");
    assert_refused(f, &passes[2], "", LS_HANDSHAKE_SPECTATE, "'anna' is connected already");
    /* An invented resume secret does not prove that the client is the same. */
    ls_handshake_client_config config = puppet_config(f->room, "p");
    const uint8_t invented[LS_RESUME_BYTES] = {1};
    config.pass = &passes[3];
    config.resume_secret = invented;
    puppet *liar = puppet_create(f->room, &config);
    assert_non_null(strstr(liar->refusal, "'anna' is connected already"));
    assert_false(old->is_gone);
    puppet_destroy(liar);
    /* The client's own resume secret does. */
    ls_pass again;
    issue(f, "anna", "", LS_TOKEN_PLAY, &again);
    config.pass = &again;
    config.resume_secret = old->accept.resume_secret;
    puppet *new = puppet_create(f->room, &config);
    expect_replaced(f, old, new);
    assert_int_equal(new->accept.player, old->accept.player);
    puppet_destroy(old);
    puppet_destroy(new);
}

TESTS_AROUND(begin, end);

/* A client that reported roots cannot return to its seat without them. */
TEST(test_admission_tokens_of_a_light_client_give_another_seat)
{
    fixture *f = *state;
    ls_pass first, second;
    issue(f, "anna", "", LS_TOKEN_PLAY, &first);
    issue(f, "anna", "", LS_TOKEN_PLAY, &second);
    puppet *full = come(f, &first, "", 0);
    enter(f, full);
    puppet *light = come(f, &second, "", LS_HANDSHAKE_LIGHT);
    assert_true(light->has_accept);
    assert_int_not_equal(light->accept.player, full->accept.player);
    puppet_destroy(light);
    puppet_destroy(full);
}

/* The seat of a lost player waits for its client's token alone. */
TEST(test_admission_tokens_lead_to_a_kept_seat)
{
    enum { MANY = 16 };
    fixture *f = *state;
    ls_pass first, second, others[MANY];
    puppet *strangers[MANY];
    issue(f, "anna", "", LS_TOKEN_PLAY, &first);
    issue(f, "anna", "", LS_TOKEN_PLAY, &second);
    puppet *lost = come(f, &first, "", 0);
    enter(f, lost);
    uint64_t tick = arena_stats(f->room).tick;
    puppet_update(lost, f->room,
                  &(ls_update){.ack = tick,
                               .root_count = 1,
                               .root_first = tick,
                               .roots = {ls_world_root(arena_world(f->room))}});
    puppet_run(lost, f->room, 100 * MS);
    assert_int_equal(arena_stats(f->room).joins, 1);
    arena_run(f->room, LS_SERVER_SILENCE_NS);
    assert_int_equal(arena_stats(f->room).sessions, 0);
    uint32_t seats = ls_world_match(arena_world(f->room))->player_count;
    assert_in_range(seats, 2, MANY);
    for (uint32_t i = 0; i < seats; i++) {
        char name[16];
        snprintf(name, sizeof name, "stranger %u", i);
        issue(f, name, "", LS_TOKEN_PLAY, &others[i]);
        strangers[i] = come(f, &others[i], "", 0);
        assert_int_equal(strangers[i]->has_accept, i + 1 < seats);
    }
    assert_non_null(strstr(strangers[seats - 1]->refusal, "all seats are taken"));
    puppet *back = come(f, &second, "", 0);
    assert_true(back->has_accept);
    assert_int_equal(back->accept.player, lost->accept.player);
    puppet_destroy(back);
    for (uint32_t i = 0; i < seats; i++)
        puppet_destroy(strangers[i]);
    puppet_destroy(lost);
}

static bool is_anna(void *context, const ls_remote *remote, const char *client)
{
    (void)remote;
    ++*(uint32_t *)context;
    return strcmp(client, "anna") == 0;
}

TEST(test_admission_tokens_of_a_banned_client)
{
    fixture *f = *state;
    ls_pass anna, bert;
    uint32_t asked = 0;
    issue(f, "anna", "", LS_TOKEN_PLAY, &anna);
    issue(f, "bert", "", LS_TOKEN_PLAY, &bert);
    ls_admission_set_ban(f->room->server, is_anna, &asked);
    assert_refused(f, &anna, "", 0, "banned here");
    puppet *client = come(f, &bert, "", 0);
    assert_true(client->has_accept);
    assert_int_equal(asked, 2);
    puppet_destroy(client);
}

/* The ban comes after the ACCEPT, and still counts; also for who returns to the seat without a
 * token. */
TEST(test_admission_tokens_of_a_client_that_is_banned_as_it_enters)
{
    fixture *f = *state;
    ls_pass anna;
    uint32_t asked = 0;
    issue(f, "anna", "", LS_TOKEN_PLAY, &anna);
    puppet *client = come(f, &anna, "", 0);
    assert_true(client->has_accept);
    ls_admission_set_ban(f->room->server, is_anna, &asked);
    puppet_confirm(client, f->room);
    puppet_run(client, f->room, 50 * MS);
    assert_int_equal(asked, 1);
    assert_true(client->is_gone);
    assert_int_equal(ls_server_get_stats(f->room->server).sessions, 0);
    puppet_destroy(client);
}

TEST(test_admission_tokens_of_new_keys)
{
    fixture *f = *state;
    ls_token_key old = f->key;
    ls_pass before, after;
    issue(f, "anna", "", LS_TOKEN_PLAY, &before);
    ls_token_key_init(&f->key, 8, NULL);
    issue(f, "bert", "", LS_TOKEN_PLAY, &after);
    assert_refused(f, &after, "", 0, "key");
    ls_admission_set_token_keys(f->room->server, &f->key, 1);
    assert_refused(f, &before, "", 0, "key");
    puppet *client = come(f, &after, "", 0);
    assert_true(client->has_accept);
    puppet_destroy(client);
    ls_token_key_reset(&old);
}

TESTS_AROUND(begin_of_room, end);

/* A room may need tokens on a server that does not. Clients without one that name no room get
 * another. */
TEST(test_admission_tokens_of_a_room)
{
    fixture *f = *state;
    assert_refused(f, NULL, "red", 0, "only clients with a connect token");
    assert_refused(f, NULL, "red", LS_HANDSHAKE_SPECTATE, "only clients with a connect token");
    assert_refused(f, NULL, "", 0, "all seats are taken");
    open_other(f);
    puppet *stranger = come(f, NULL, "", 0);
    assert_string_equal(stranger->accept.room, "other");
    ls_pass pass;
    issue(f, "anna", "", LS_TOKEN_PLAY, &pass);
    puppet *client = come(f, &pass, "red", 0);
    assert_string_equal(client->accept.room, "red");
    enter(f, client);
    puppet_destroy(client);
    puppet_destroy(stranger);
}
