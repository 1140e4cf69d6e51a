/* Attacks with COOKIEs: an attacker on the path sees each HELLO of a client and injects COOKIEs
 * before the server's own arrives. Joining and resuming must take as long as without the attack. */
#include "arena.h"
#include "tap.h"

#include "proto/handshake_internal.h"
#include "proto/handshake_server.h"
#include "tests/support/test.h"

#include <string.h>

#define DELAY_NS (40 * MS)
/* Tolerated delay: one repetition of the HELLO, at the start or during an outage. */
#define ONE_REPETITION_NS  (LS_CLIENT_REPEAT_NS + 20 * MS)
#define SLOW_REPETITION_NS (LS_CLIENT_REPEAT_MAX_NS + 20 * MS)

typedef enum attack {
    NONE = 0,
    OTHER_HELLO,   /* the server's genuine COOKIE for the attacker's HELLO */
    SAME_HELLO,    /* the server's genuine COOKIE for a copy of the client's HELLO */
    FALSE_COOKIES, /* the server's certificate with invented cookies */
    FOREIGN,       /* another server's COOKIE */
    ATTACKS,
} attack;

typedef struct fixture {
    arena *room;
    ls_link *inner;    /* the victim's link below the tap */
    ls_link *stranger; /* the attacker's own link */
    attack attack;
    uint32_t count; /* COOKIEs injected for each HELLO */
    uint32_t injected;
    ls_handshake_server foreign;
    uint8_t hello[LS_HELLO_BYTES];
} fixture;

static void inject(fixture *f, const uint8_t *data, uint32_t bytes)
{
    ls_remote victim = ls_network_remote(f->inner);
    ls_link_post(f->room->link, &victim, data, bytes);
    f->injected++;
}

static void inject_foreign(fixture *f, const uint8_t *hello)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply;
    const ls_handshake_message message = {.data = hello, .bytes = LS_HELLO_BYTES};
    ls_writer_init(&reply, bytes, sizeof bytes);
    assert_ok(ls_handshake_server_hello(&f->foreign, &message, &reply, NULL));
    inject(f, bytes, (uint32_t)reply.count);
}

enum {
    OWN_KEY_AT = 27 + 1 + 7 + 4
}; /* offset of e_c in a HELLO, after the simulation's name "tally 1" and a key id */

/* Called for each datagram of the victim. The attacker's line is faster than the victim's, so what
 * it injects arrives first. */
static void see(void *context, const uint8_t *data, uint32_t bytes)
{
    fixture *f = context;
    if (bytes != LS_HELLO_BYTES || data[0] != LS_HANDSHAKE_HELLO || f->attack == NONE)
        return;
    if (f->attack == FOREIGN) {
        for (uint32_t i = 0; i < f->count; i++)
            inject_foreign(f, data);
        return;
    }
    memcpy(f->hello, data, bytes);
    f->hello[OWN_KEY_AT] ^= f->attack == OTHER_HELLO;
    ls_link_post(f->stranger, NULL, f->hello, LS_HELLO_BYTES);
}

/* Injects the server's answers to the attacker. */
static void listen(fixture *f)
{
    ls_link_event event;
    while (ls_link_poll(f->stranger, f->room->now_ns, &event)) {
        uint8_t copy[LS_MTU_BYTES];
        uint32_t bytes = event.packet.bytes;
        if (event.kind != LS_LINK_DATAGRAM || event.packet.data[0] != LS_HANDSHAKE_COOKIE)
            continue;
        memcpy(copy, event.packet.data, bytes);
        for (uint32_t i = 0; i < f->count; i++) {
            inject(f, copy, bytes);
            if (f->attack == FALSE_COOKIES)
                for (uint32_t at = 57; at < 89; at++)
                    copy[at] = (uint8_t)(copy[at] * 5 + i + 1);
        }
    }
}

static void run_ms(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        arena_run(f->room, 1 * MS);
        listen(f);
        ls_link_flush(f->stranger, f->room->now_ns);
    }
}

static void open_foreign(fixture *f)
{
    ls_identity identity;
    ls_identity_init(&identity, NULL);
    ls_handshake_server_config config = {
        .local.engine_version = LS_ENGINE_RULES, .identity = &identity, .unix_s = 1700000000};
    memcpy(config.local.fingerprint, ls_program_fingerprint(f->room->program),
           LS_FINGERPRINT_BYTES);
    ls_handshake_server_init(&f->foreign, &config);
}

static void begin(fixture *f, attack which, uint32_t count)
{
    *f = (fixture){.attack = which, .count = count};
    f->room = arena_create(&(arena_config){.seed = 5, .conditions = {.delay_ns = DELAY_NS}});
    open_foreign(f);
    f->inner = ls_network_open(f->room->network);
    f->stranger = ls_network_open(f->room->network);
    ls_network_set_conditions(f->stranger, &(ls_impairment_conditions){.delay_ns = 1 * MS});
    arena_join_bot(f->room, "honest");
    ls_client_config config = arena_client_config(f->room, "victim");
    config.is_bot = true;
    config.pin = &f->room->identity.public_key;
    const tap_config tap = {.see = see, .context = f};
    arena_join_over(f->room, &config, tap_create(f->inner, &tap));
}

static void end(fixture *f)
{
    ls_handshake_server_reset(&f->foreign);
    ls_network_kill(f->stranger);
    arena_destroy(f->room);
}

/* The time until the victim plays after this many resumes; 30 s if it never does. */
static uint64_t time_to_play(fixture *f, uint64_t resumes)
{
    uint64_t begin_ns = f->room->now_ns;
    const ls_client *victim = arena_client_at(f->room, 1);
    while (f->room->now_ns - begin_ns < 30 * S) {
        run_ms(f, 1);
        if (ls_client_get_state(victim) == LS_CLIENT_PLAYING &&
            ls_client_get_stats(victim).resumes == resumes)
            break;
    }
    return f->room->now_ns - begin_ns;
}

static const struct {
    attack attack;
    uint32_t count;
} attacks[] = {{OTHER_HELLO, 1},   {OTHER_HELLO, 3},    {SAME_HELLO, 1}, {SAME_HELLO, 3},
               {FALSE_COOKIES, 3}, {FALSE_COOKIES, 40}, {FOREIGN, 1},    {FOREIGN, 3}};

static uint64_t time_to_join(attack which, uint32_t count)
{
    fixture f;
    begin(&f, which, count);
    uint64_t took_ns = time_to_play(&f, 0);
    assert_true(which == NONE || f.injected >= count);
    run_ms(&f, 500);
    assert_int_equal(arena_stats(f.room).joins, 2);
    end(&f);
    return took_ns;
}

TEST(test_attack_04_injected_cookies_delay_no_join)
{
    uint64_t alone_ns = time_to_join(NONE, 0);
    for (uint32_t i = 0; i < LS_COUNT_OF(attacks); i++) {
        uint64_t took_ns = time_to_join(attacks[i].attack, attacks[i].count);
        print_message("attack %d x %u: %llu ms, alone %llu ms\n", (int)attacks[i].attack,
                      attacks[i].count, (unsigned long long)(took_ns / MS),
                      (unsigned long long)(alone_ns / MS));
        assert_in_range(took_ns, 0, alone_ns + ONE_REPETITION_NS);
    }
}

/* The time to resume after an outage in which the session ended. */
static uint64_t time_to_resume(attack which, uint32_t count)
{
    fixture f;
    begin(&f, NONE, count);
    assert_true(time_to_play(&f, 0) < 5 * S);
    run_ms(&f, 1000);
    f.attack = which;
    ls_network_set_conditions(
        f.inner, &(ls_impairment_conditions){.delay_ns = DELAY_NS, .loss = LS_PROBABILITY_ONE});
    run_ms(&f, 12000);
    assert_int_equal(arena_stats(f.room).leaves, 1);
    ls_network_set_conditions(f.inner, &(ls_impairment_conditions){.delay_ns = DELAY_NS});
    uint64_t took_ns = time_to_play(&f, 1);
    run_ms(&f, 2000);
    arena_assert_all_equal(f.room);
    end(&f);
    return took_ns;
}

TEST(test_attack_04_injected_cookies_delay_no_resume)
{
    uint64_t alone_ns = time_to_resume(NONE, 0);
    for (uint32_t i = 0; i < LS_COUNT_OF(attacks); i++) {
        uint64_t took_ns = time_to_resume(attacks[i].attack, attacks[i].count);
        print_message("attack %d x %u: %llu ms, alone %llu ms\n", (int)attacks[i].attack,
                      attacks[i].count, (unsigned long long)(took_ns / MS),
                      (unsigned long long)(alone_ns / MS));
        assert_in_range(took_ns, 0, alone_ns + SLOW_REPETITION_NS);
    }
}
