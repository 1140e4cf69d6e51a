#include "attacker.h"

#include "failing_memory.h"

#include "proto/handshake_internal.h"
#include <lockstep/sim.h>

#include <string.h>

#define MS UINT64_C(1000000)

/* COOKIE_AT, COOKIE_END: where the cookie is in a COOKIE message. SIMULATION_AT, TOKEN_KEY_BYTES:
 * the simulation's name in a HELLO, and the key id between it and the client's ephemeral key. */
enum { COOKIE_AT = 57, COOKIE_END = 89, SIMULATION_AT = 27, TOKEN_KEY_BYTES = 4 };

static void fill_secrets(void *context, void *bytes, size_t count)
{
    struct attacker_store *self = context;
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)(draws_next(&self->secrets) >> 32);
}

void attacker_store_init(struct attacker_store *self, uint64_t seed, ls_network *network,
                         const uint64_t *now_ns, const uint8_t *fingerprint)
{
    ls_identity identity;
    ls_entropy entropy = {fill_secrets, self};
    /* The certificate must be valid whatever a client's clock shows. */
    ls_handshake_server_config config = {.local.engine_version = LS_ENGINE_RULES,
                                         .identity = &identity,
                                         .entropy = &entropy,
                                         .unix_s = UINT32_MAX};
    self->network = network;
    self->now_ns = now_ns;
    self->secrets = draws_make(seed, 10);
    ls_identity_init(&identity, &entropy);
    memcpy(config.local.fingerprint, fingerprint, LS_FINGERPRINT_BYTES);
    ls_handshake_server_init(&self->foreign, &config);
    ls_identity_reset(&identity);
}

void attacker_store_reset(struct attacker_store *self)
{
    ls_handshake_server_reset(&self->foreign);
}

void attacker_init(struct attacker *self, struct attacker_store *store, struct draws draws)
{
    ls_impairment_conditions fast = {.delay_ns = MS / 2};
    *self = (struct attacker){.store = store, .draws = draws};
    self->own = ls_network_open(store->network);
    ls_network_set_conditions(self->own, &fast);
}

void attacker_reset(struct attacker *self)
{
    if (self->own)
        ls_network_kill(self->own);
    self->own = NULL;
}

void attacker_strike(struct attacker *self)
{
    static const uint32_t percents[] = {0, 50, 100};
    self->rates = (struct attacker_rates){
        .cookies_percent = percents[draws_range(&self->draws, 0, 2)],
        .cookies = (uint32_t)draws_range(&self->draws, 1, 3),
        .kind = (enum attacker_cookie)draws_range(&self->draws, 0, ATTACKER_COOKIE_KINDS - 1),
        .rejects_percent = percents[draws_range(&self->draws, 0, 2)],
        .every_ns = draws_range(&self->draws, 125, 2000) * MS,
    };
}

void attacker_rest(struct attacker *self)
{
    self->rates = (struct attacker_rates){0};
}

static void keep(struct attacker_store *store, const struct attacker_sight *sight)
{
    attacker_tape *tape = sight->is_datagram ? &store->datagrams : &store->packets;
    attacker_kept *kept = &tape->kept[tape->count++ % ATTACKER_KEPT];
    kept->channel = sight->packet->channel;
    kept->bytes = sight->packet->bytes;
    memcpy(kept->data, sight->packet->data, kept->bytes);
}

static void inject_datagram(ls_link *client, const uint8_t *data, uint32_t bytes, uint64_t delay_ns)
{
    ls_network_put(client, &(ls_network_injection){.receiver = LS_ROLE_CLIENT,
                                                   .is_datagram = true,
                                                   .packet = {.bytes = bytes, .data = data},
                                                   .delay_ns = delay_ns});
}

/* Answers the client's HELLO with a COOKIE of the attacker's own server. */
static void answer_as_another(struct attacker *self, const struct attacker_sight *sight)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply;
    ls_error error;
    const ls_handshake_message hello = {.data = sight->packet->data, .bytes = LS_HELLO_BYTES};
    ls_writer_init(&reply, bytes, sizeof bytes);
    if (ls_handshake_server_hello(&self->store->foreign, &hello, &reply, &error) == LS_OK)
        inject_datagram(sight->client, bytes, (uint32_t)reply.count, 0);
}

/* Sends the client's HELLO to the server from the attacker's address, or a HELLO that differs only
 * in its ephemeral key. */
static void ask(struct attacker *self, const struct attacker_sight *sight, bool is_changed)
{
    uint8_t hello[LS_HELLO_BYTES];
    memcpy(hello, sight->packet->data, sizeof hello);
    if (is_changed)
        hello[SIMULATION_AT + 1 + hello[SIMULATION_AT] + TOKEN_KEY_BYTES] ^= 1;
    ls_link_post(self->own, NULL, hello, sizeof hello);
}

static void answer_hello(struct attacker *self, const struct attacker_sight *sight)
{
    if (!draws_percent(&self->draws, self->rates.cookies_percent))
        return;
    for (uint32_t i = 0; i < self->rates.cookies; i++) {
        enum attacker_cookie kind = self->rates.kind;
        if (kind == ATTACKER_COOKIE_MIXED)
            kind = (enum attacker_cookie)draws_range(&self->draws, 1, ATTACKER_COOKIE_KINDS - 1);
        if (kind == ATTACKER_COOKIE_FOREIGN)
            answer_as_another(self, sight);
        else
            ask(self, sight, kind == ATTACKER_COOKIE_OTHER_HELLO);
    }
}

static void refuse(struct attacker *self, const struct attacker_sight *sight)
{
    uint8_t bytes[LS_MTU_BYTES];
    ls_writer reply;
    if (!draws_percent(&self->draws, self->rates.rejects_percent))
        return;
    ls_writer_init(&reply, bytes, sizeof bytes);
    ls_handshake_reject(
        (ls_reject_code)draws_range(&self->draws, LS_REJECT_VERSION, LS_REJECT_CODE_COUNT - 1),
        ATTACKER_FIRST ATTACKER_SECOND, &reply);
    inject_datagram(sight->client, bytes, (uint32_t)reply.count,
                    draws_range(&self->draws, 0, 50) * MS);
}

/* Damages a kept packet at times: flips a bit, cuts off its end, or fills it with garbage. At least
 * one byte remains. */
static void damage(struct draws *draws, attacker_kept *kept)
{
    uint64_t draw = draws_range(draws, 0, 9);
    if (draw < 3)
        kept->data[draws_next(draws) % kept->bytes] ^= (uint8_t)(1u << draws_range(draws, 0, 7));
    else if (draw < 5)
        kept->bytes = (uint32_t)draws_range(draws, 1, kept->bytes);
    for (uint32_t i = 0; draw == 5 && i < kept->bytes; i++)
        kept->data[i] = (uint8_t)draws_next(draws);
}

static ls_address draw_sender(struct attacker *self, const ls_link *client)
{
    uint64_t draw = draws_range(&self->draws, 0, 3);
    ls_address foreign = LS_ADDRESS_IPV4(192, 0, 2, (uint8_t)draws_next(&self->draws), 257);
    return draw < 2    ? ls_network_address(client)
           : draw == 2 ? ls_network_address(self->own)
                       : foreign;
}

/* Puts a packet or datagram that was seen on any line into this line, towards either end. */
static void replay(struct attacker *self, ls_link *client)
{
    struct draws *draws = &self->draws;
    bool is_datagram = !self->store->packets.count || draws_percent(draws, 50);
    const attacker_tape *tape = is_datagram ? &self->store->datagrams : &self->store->packets;
    uint64_t count = tape->count < ATTACKER_KEPT ? tape->count : ATTACKER_KEPT;
    if (!count)
        return;
    attacker_kept kept = tape->kept[draws_next(draws) % count];
    damage(draws, &kept);
    ls_network_put(
        client, &(ls_network_injection){
                    .receiver = draws_percent(draws, 50) ? LS_ROLE_SERVER : LS_ROLE_CLIENT,
                    .is_datagram = is_datagram,
                    .packet = {.channel = draws_percent(draws, 10) ? !kept.channel : kept.channel,
                               .bytes = kept.bytes,
                               .data = kept.data},
                    .from = draw_sender(self, client),
                    .delay_ns = draws_percent(draws, 50) ? 0 : draws_range(draws, 1, 3000) * MS});
}

static void react(struct attacker *self, const struct attacker_sight *sight)
{
    bool is_asking = sight->is_datagram && sight->sender == LS_ROLE_CLIENT;
    keep(self->store, sight);
    if (is_asking && sight->packet->bytes == LS_HELLO_BYTES)
        answer_hello(self, sight);
    if (is_asking)
        refuse(self, sight);
    if (self->rates.every_ns && *self->store->now_ns >= self->next_ns) {
        self->next_ns = *self->store->now_ns + self->rates.every_ns;
        replay(self, sight->client);
    }
}

/* Called during a step of the client. The attacker's allocations must not count as the client's. */
void attacker_see(struct attacker *self, const struct attacker_sight *sight)
{
    bool was_inside = failing_memory_pause();
    react(self, sight);
    failing_memory_go_on(was_inside);
}

/* Passes COOKIEs that the server sent to the attacker on to the client: unchanged, or with an
 * invented cookie. */
void attacker_step(struct attacker *self, ls_link *client)
{
    ls_link_event event;
    while (ls_link_poll(self->own, *self->store->now_ns, &event)) {
        uint8_t copy[LS_MTU_BYTES];
        uint32_t bytes = event.packet.bytes;
        if (!client || event.kind != LS_LINK_DATAGRAM || bytes < COOKIE_END ||
            event.packet.data[0] != LS_HANDSHAKE_COOKIE)
            continue;
        memcpy(copy, event.packet.data, bytes);
        bool is_invented = draws_percent(&self->draws, 30);
        for (uint32_t at = COOKIE_AT; is_invented && at < COOKIE_END; at++)
            copy[at] = (uint8_t)draws_next(&self->draws);
        inject_datagram(client, copy, bytes, 0);
    }
}
