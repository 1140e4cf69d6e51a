#include "web_fixture.h"

#include "proto/link_pair.h"

/* Two links of this kind as one: ids, remotes and sums are those of the pair. */
static ls_link_event next_of(ls_link *link, ls_link_event_kind kind)
{
    ls_link_event event = {0};
    /* A round that is at the second link ends without a look at the first. */
    assert_true(ls_link_poll(link, 1, &event) || ls_link_poll(link, 1, &event));
    assert_int_equal(event.kind, kind);
    return event;
}

static const ls_remote *second_is;

static bool is_seconds(const ls_remote *remote)
{
    return second_is && ls_remote_is_same(remote, second_is);
}

static ls_peer connect_pair(fixture *f, ls_link *pair, uint32_t slot, uint32_t id, bool is_second)
{
    static ls_remote remote;
    const uint8_t hello[8] = {0x41};
    uint8_t message[LS_WEB_CONNECT_BYTES];
    const ls_carrier carrier = carrier_of(id);
    assert_int_equal(receive(f, slot, hello, sizeof hello), LS_WEB_GO_ON);
    remote = next_of(pair, LS_LINK_DATAGRAM).remote;
    second_is = is_second ? &remote : NULL;
    assert_ok(ls_link_admit(pair, &remote, &carrier, S));
    encode_connect(id, message);
    assert_int_equal(receive(f, slot, message, sizeof message), LS_WEB_GO_ON);
    return next_of(pair, LS_LINK_CONNECTED).peer;
}

TEST(test_link_pair_is_one_link)
{
    fixture f, g;
    uint8_t got[LS_WEB_MESSAGE_BYTES_MAX], packet[1 + LS_SEAL_BYTES] = {LS_CHANNEL_TICKS};
    start(&f, 0);
    start(&g, 0);
    ls_link *pair = ls_link_pair_create(&(ls_link_pair_config){
        .first = f.link, .second = g.link, .is_seconds = is_seconds, .peers_max = 2});
    (void)open_at(&f, &home, 0); /* the inner slots differ from the pair's */
    uint32_t a = open_at(&f, &home, 0), b = open_at(&g, &home, 0), c = open_at(&g, &home, 0);
    ls_peer one = connect_pair(&f, pair, a, 5, false), two = connect_pair(&g, pair, b, 5, true);
    assert_int_not_equal(one, two);
    assert_in_range(ls_peer_slot(one), 0, 1);
    assert_in_range(ls_peer_slot(two), 0, 1);
    const ls_remote_key host = ls_address_host(&home);
    assert_int_equal(ls_link_connections(pair, &host), 2);
    assert_int_equal(receive(&g, b, packet, sizeof packet), LS_WEB_GO_ON);
    assert_int_equal(next_of(pair, LS_LINK_MESSAGE).peer, two);
    const ls_packet sent = {.bytes = LS_SEAL_BYTES, .data = packet};
    (void)take(&f, a, got);
    (void)take(&g, b, got);
    assert_ok(ls_link_send(pair, two, &sent));
    assert_int_equal(take(&f, a, got), 0);
    assert_int_equal(take(&g, b, got), 1 + LS_SEAL_BYTES);
    /* A third connection has no slot: it ends, and the owner never hears of it. */
    const uint8_t hello[8] = {0x41};
    assert_int_equal(receive(&g, c, hello, sizeof hello), LS_WEB_GO_ON);
    const ls_remote remote = next_of(pair, LS_LINK_DATAGRAM).remote;
    second_is = &remote;
    const ls_carrier carrier = carrier_of(7);
    uint8_t message[LS_WEB_CONNECT_BYTES];
    assert_ok(ls_link_admit(pair, &remote, &carrier, S));
    encode_connect(7, message);
    assert_int_equal(receive(&g, c, message, sizeof message), LS_WEB_GO_ON);
    ls_link_event event;
    assert_false(ls_link_poll(pair, 1, &event));
    assert_false(ls_link_is_quiet(pair));
    /* A slot that is free again has another id. */
    ls_link_disconnect(pair, one);
    assert_int_equal(ls_link_send(pair, one, &sent), LS_ERROR_NOT_FOUND);
    ls_web_port_close(g.port, b);
    assert_int_equal(next_of(pair, LS_LINK_DISCONNECTED).peer, two);
    uint32_t d = open_at(&f, &home, 0);
    ls_peer last = connect_pair(&f, pair, d, 8, false);
    assert_true(last != one && last != two);
    ls_link_destroy(pair);
}
