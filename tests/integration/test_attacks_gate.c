/* Attacks on admission, in virtual time: floods, forged addresses, unfinished handshakes. Test
 * numbers are rows of docs/security.md. */
#include "raw_client.h"
#include "tap.h"
#include "tests/support/sanitizer.h"
#include <lockstep/limits.h>

#include <malloc.h>
#include <stdio.h>

static const arena_config quiet = {.seed = 1, .conditions = {.delay_ns = 5 * MS}};

static ls_server_stats stats_of(const arena *room)
{
    return ls_server_get_stats(room->server);
}

static raw_client *raw_of(arena *room, const char *name)
{
    ls_handshake_client_config config = puppet_config(room, name);
    return raw_create(room, &config);
}

/* The time from the first datagram to a session. */
static uint64_t time_join(arena *room, const char *name)
{
    uint64_t begin_ns = room->now_ns;
    uint32_t before = arena_stats(room).sessions;
    arena_join_bot(room, name);
    while (arena_stats(room).sessions == before && room->now_ns - begin_ns < 5 * S)
        arena_run(room, MS);
    return room->now_ns - begin_ns;
}

/* Short datagrams with every first byte must get no answer at a spoofed source address. */
TEST(test_attack_02_a_spoofed_source_gets_nothing)
{
    arena *room = arena_create(&quiet);
    arena_join_bot(room, "honest");
    arena_run(room, 500 * MS);
    const ls_address victim = LS_ADDRESS_IPV4(192, 0, 2, 7, 257);
    uint8_t bytes[LS_MTU_BYTES] = {0};
    for (uint32_t first = 0; first < 256; first++)
        for (uint32_t count = 1; count <= 64; count += 9) {
            bytes[0] = (uint8_t)first;
            ls_network_inject(room->network, &victim, bytes, count);
        }
    arena_run(room, 6 * S);
    ls_network_stray stray = ls_network_get_stray(room->network);
    assert_int_equal(stray.bytes, 0);
    assert_int_equal(arena_stats(room).sessions, 1);
    arena_destroy(room);
}

typedef struct flood {
    raw_client *source;
    uint64_t random;
    uint32_t count; /* HELLOs per millisecond */
} flood;

static void pour(arena *room, flood *self, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        self->random = self->random * UINT64_C(6364136223846793005) + 99;
        ls_address from = LS_ADDRESS_IPV4(
            (uint8_t)(100 + (self->random >> 60)), (uint8_t)(self->random >> 33),
            (uint8_t)(self->random >> 41), (uint8_t)(self->random >> 49), 1 << 8 | (uint8_t)k);
        ls_network_inject(room->network, &from, self->source->hello, LS_HELLO_BYTES);
    }
}

/* Runs one millisecond: the server steps once, and finds packets of honest clients at a random
 * place in the flood. */
static void run_flooded(arena *room, flood *self)
{
    uint32_t before = (uint32_t)((self->random >> 40) % (self->count + 1));
    pour(room, self, before);
    room->now_ns += MS;
    for (uint32_t i = 0; i < room->client_count; i++)
        ls_client_step(arena_client_at(room, i), room->now_ns);
    pour(room, self, self->count - before);
    ls_server_step(room->server, room->now_ns);
}

enum { FLOODED_S = 5, NEWCOMERS = 8 };

/* Runs five seconds of the flood, then lets clients join one after another until all have joined or
 * given up. Returns the number of joins and the longest time. */
static uint32_t join_flooded(arena *room, flood *self, uint64_t *longest_ns)
{
    for (uint32_t i = 0; i < FLOODED_S * 1000; i++)
        run_flooded(room, self);
    uint64_t begun_ns[NEWCOMERS];
    bool is_in[NEWCOMERS] = {false};
    uint32_t joined = 0;
    for (uint32_t i = 0; i < 11000 && joined < NEWCOMERS; i++) {
        if (i % 101 == 0 && room->client_count < NEWCOMERS)
            begun_ns[arena_join_bot(room, "honest")] = room->now_ns;
        run_flooded(room, self);
        for (uint32_t k = 0; k < room->client_count; k++) {
            if (is_in[k] || ls_client_get_state(arena_client_at(room, k)) != LS_CLIENT_PLAYING)
                continue;
            is_in[k] = true;
            joined++;
            uint64_t took_ns = room->now_ns - begun_ns[k];
            *longest_ns = took_ns > *longest_ns ? took_ns : *longest_ns;
        }
    }
    return joined;
}

/* No answer is larger than a fifth of its request, most requests get none, and no state is kept.
 * Below the global budget honest clients join at once. Above it some do: the server answers one of
 * ten HELLOs (one of two with the address sanitizer), and a client sends eleven. */
TEST(test_attack_03_hello_flood)
{
    /* With the address sanitizer fewer, but also above the budget. */
    static const uint32_t counts[] = {40, HAS_ADDRESS_SANITIZER ? 100 : 500};
    for (uint32_t i = 0; i < LS_COUNT_OF(counts); i++) {
        arena *room = arena_create(
            &(arena_config){.seed = 1, .conditions = quiet.conditions, .players = NEWCOMERS});
        arena_run(room, 10 * MS);
        flood self = {.source = raw_of(room, "flood"), .random = 7, .count = counts[i]};
        uint32_t before_bytes = (uint32_t)mallinfo2().uordblks;
        uint64_t begin_ns = room->now_ns, longest_ns = 0;
        uint32_t joined = join_flooded(room, &self, &longest_ns);
        ls_network_stray stray = ls_network_get_stray(room->network);
        double seconds = (double)(room->now_ns - begin_ns) / 1e9;
        printf("%u HELLOs a second: %llu of %llu answered with %.0f bytes each; %u of %d clients "
               "joined, in %.0f ms at most\n",
               1000 * counts[i], (unsigned long long)stray.datagrams,
               (unsigned long long)stats_of(room).hellos,
               (double)stray.bytes / (double)stray.datagrams, joined, NEWCOMERS,
               (double)longest_ns / 1e6);
        assert_true(stray.bytes <= stray.datagrams * LS_COOKIE_BYTES_MAX);
        assert_true((double)stray.datagrams <= LS_SERVER_HELLOS_PER_S * (seconds + 0.3));
        assert_int_equal(stats_of(room).handshakes_expired, 0);
        if (1000 * counts[i] < LS_SERVER_HELLOS_PER_S)
            assert_true(joined == NEWCOMERS && longest_ns < 100 * MS);
        else
            assert_true(joined >= 2);
        /* The limit is for the world, the clients and the match; strangers use no memory. */
        assert_true((uint32_t)mallinfo2().uordblks < before_bytes + (32u << 20));
        raw_destroy(self.source);
        arena_destroy(room);
    }
}

/* Cookies from another address, with a changed bit, of another server, or expired: no answer. */
TEST(test_attack_04_bad_cookies_are_dropped)
{
    arena *room = arena_create(&quiet), *other = arena_create(&quiet);
    raw_client *client = raw_of(room, "c"), *foreign = raw_of(other, "f");
    arena_run(room, 10 * MS);
    arena_run(other, 10 * MS);
    raw_get_cookie(client, room);
    raw_get_cookie(foreign, other);
    const ls_address elsewhere = LS_ADDRESS_IPV4(192, 0, 2, 7, 257);
    ls_network_inject(room->network, &elsewhere, client->auth, LS_AUTH_BYTES);
    ls_link_post(client->link, NULL, foreign->auth, LS_AUTH_BYTES);
    for (uint32_t bit = 7; bit < 8 * 64; bit++) { /* bit 6 marks a handshake datagram */
        uint8_t bytes[LS_AUTH_BYTES];
        memcpy(bytes, client->auth, sizeof bytes);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ls_link_post(client->link, NULL, bytes, LS_AUTH_BYTES);
        if (bit % 64 == 63)
            raw_run(client, room, 2 * S); /* stay below the budget per address */
    }
    raw_run(client, room, 2 * LS_COOKIE_BUCKET_NS);
    ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES); /* the cookie has expired */
    raw_run(client, room, 100 * MS);
    assert_int_equal(client->answers, 0);
    assert_int_equal(ls_network_get_stray(room->network).bytes, 0);
    assert_int_equal(stats_of(room).auths_repeated, 0);
    assert_int_equal(stats_of(room).handshakes_expired, 0);
    assert_true(stats_of(room).auths_refused >= 3);
    raw_destroy(client);
    raw_destroy(foreign);
    arena_destroy(room);
    arena_destroy(other);
}

/* A repeated AUTH, 600 times a second, costs one handshake. */
TEST(test_attack_08_auth_storm_is_answered_from_the_cache)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    raw_client *client = raw_of(room, "c");
    raw_get_cookie(client, room);
    for (uint32_t i = 0; i < 400; i++) {
        for (uint32_t k = 0; k < 6; k++)
            ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES);
        raw_run(client, room, 10 * MS);
    }
    raw_run(client, room, 20 * MS);
    assert_int_equal(stats_of(room).auths, 2400);
    assert_int_equal(stats_of(room).auths_repeated, 2399);
    assert_int_equal(client->answers, 2400);
    assert_true(client->answer_bytes < LS_AUTH_BYTES);
    raw_destroy(client);
    arena_destroy(room);
}

static void note_auth(void *context, const uint8_t *data, uint32_t bytes)
{
    if (bytes == LS_AUTH_BYTES)
        memcpy(context, data, bytes);
}

/* A recorded AUTH in the name of its sender holds no seat: another player finds it free. */
TEST(test_attack_08_an_auth_counts_for_one_connection)
{
    uint8_t auth[LS_AUTH_BYTES] = {0};
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 2});
    ls_link *link = ls_network_open(room->network);
    ls_address victim = ls_network_address(link);
    ls_client_config config = arena_client_config(room, "victim");
    arena_join_over(room, &config,
                    tap_create(link, &(tap_config){.see = note_auth, .context = auth}));
    arena_run(room, LS_SERVER_HANDSHAKE_MAX_NS + S);
    assert_int_equal(arena_client_stats(room, 0).resumes, 0);
    uint64_t answered = stats_of(room).auths_repeated + stats_of(room).auths_refused;
    for (uint32_t i = 0; i < 10; i++) {
        ls_network_inject(room->network, &victim, auth, LS_AUTH_BYTES);
        arena_run(room, 200 * MS);
    }
    uint64_t dropped = stats_of(room).auths_repeated + stats_of(room).auths_refused - answered;
    assert_in_range(time_join(room, "other"), 1, 200 * MS);
    assert_int_equal(dropped, 10);
    arena_run(room, S);
    arena_assert_all_equal(room);
    arena_destroy(room);
}

/* A recorded AUTH whose client never connected holds no seat either. */
TEST(test_attack_08_an_auth_without_a_connection_counts_once)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 1});
    arena_run(room, 10 * MS);
    raw_client *client = raw_of(room, "gone");
    raw_get_cookie(client, room);
    ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES);
    raw_run(client, room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    uint64_t refused = stats_of(room).auths_refused;
    for (uint32_t i = 0; i < 10; i++) {
        ls_link_post(client->link, NULL, client->auth, LS_AUTH_BYTES);
        raw_run(client, room, 100 * MS);
    }
    assert_int_equal(stats_of(room).auths_refused, refused + 10);
    assert_in_range(time_join(room, "other"), 1, 200 * MS);
    raw_destroy(client);
    arena_destroy(room);
}

/* A HELLO keeps no state. An AUTH, and a connection without CONFIRM, keep state for five
 * seconds. */
TEST(test_attack_09_half_open_at_each_step)
{
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 2});
    arena_run(room, 10 * MS);
    raw_client *after_hello = raw_of(room, "h"), *after_auth = raw_of(room, "a");
    raw_get_cookie(after_hello, room);
    raw_get_cookie(after_auth, room);
    ls_link_post(after_auth->link, NULL, after_auth->auth, LS_AUTH_BYTES);
    raw_run(after_auth, room, 20 * MS);
    assert_int_equal(after_auth->answers, 1);
    ls_handshake_client_config config = puppet_config(room, "c");
    puppet *after_connect = puppet_create(room, &config);
    assert_true(after_connect->is_connected);
    ls_handshake_client_config late = puppet_config(room, "late");
    puppet *refused = puppet_create(room, &late); /* both seats are reserved */
    assert_false(refused->has_accept);
    puppet_run(after_connect, room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    assert_true(after_connect->is_gone);
    assert_int_equal(stats_of(room).handshakes_expired, 2);
    puppet *first = puppet_enter(room, "x"), *second = puppet_enter(room, "y");
    assert_int_equal(arena_stats(room).sessions, 2);
    puppet_destroy(first);
    puppet_destroy(second);
    puppet_destroy(refused);
    puppet_destroy(after_connect);
    raw_destroy(after_auth);
    raw_destroy(after_hello);
    arena_destroy(room);
}

/* 200 hosts send a valid AUTH and never connect. The table of half-open sessions holds them, and an
 * honest client still joins at once. */
TEST(test_attack_09_many_half_open_delay_no_client)
{
    enum { STRANGERS = 200 };
    arena *room =
        arena_create(&(arena_config){.seed = 1, .conditions = quiet.conditions, .players = 8});
    arena_run(room, 10 * MS);
    raw_client *strangers[STRANGERS];
    for (uint32_t i = 0; i < STRANGERS; i++) {
        ls_handshake_client_config config = puppet_config(room, "s");
        config.flags = LS_HANDSHAKE_SPECTATE;
        strangers[i] = raw_create(room, &config);
        raw_get_cookie(strangers[i], room);
        ls_link_post(strangers[i]->link, NULL, strangers[i]->auth, LS_AUTH_BYTES);
    }
    assert_true(time_join(room, "honest") < 100 * MS);
    for (uint32_t i = 0; i < STRANGERS; i++) {
        raw_run(strangers[i], room, 0);
        assert_int_equal(strangers[i]->answers, 1);
    }
    arena_run(room, LS_SERVER_HANDSHAKE_NS + 200 * MS);
    assert_int_equal(stats_of(room).handshakes_expired, STRANGERS);
    for (uint32_t i = 0; i < STRANGERS; i++)
        raw_destroy(strangers[i]);
    arena_destroy(room);
}

/* The refusal names the reason and both versions; the server keeps no state. */
TEST(test_attack_12_another_version_is_told)
{
    arena *room = arena_create(&quiet);
    arena_run(room, 10 * MS);
    ls_handshake_client_config config = puppet_config(room, "old");
    config.local.engine_version++;
    puppet *client = puppet_create(room, &config);
    assert_false(client->has_accept);
    char versions[64];
    snprintf(versions, sizeof versions, "the client has %u, the server %u",
             config.local.engine_version, config.local.engine_version - 1);
    assert_non_null(strstr(client->refusal, versions));
    assert_true(stats_of(room).rejects >= 1);
    assert_int_equal(stats_of(room).auths, 0);
    puppet_destroy(client);
    arena_destroy(room);
}
