#include "test.h"

#include "proto/carrier_mac.h"

enum { BYTES = 40, COUNTER_AT = 4, WHOLE = BYTES + LS_CARRIER_MAC_BYTES };

static const uint8_t key[LS_CARRIER_KEY_BYTES] = {1, 2, 3};

typedef struct signed_datagram {
    uint8_t data[WHOLE];
} signed_datagram;

static signed_datagram sign(ls_carrier_counters *sender)
{
    signed_datagram d = {{0x80, 5}};
    assert_ok(ls_carrier_mac_sign(sender, key, d.data, BYTES, COUNTER_AT));
    return d;
}

static ls_status check(ls_carrier_counters *receiver, const signed_datagram *d)
{
    return ls_carrier_mac_check(receiver, key, d->data, WHOLE, COUNTER_AT);
}

TEST(test_carrier_mac_takes_each_datagram_once_in_any_order)
{
    enum { COUNT = LS_SEAL_WINDOW };
    static signed_datagram sent[COUNT];
    ls_carrier_counters sender = {0}, receiver = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        sent[i] = sign(&sender);
    assert_int_equal(sent[0].data[COUNTER_AT], 1);
    assert_int_equal(sent[300].data[COUNTER_AT + 1], 1); /* little-endian */
    for (uint32_t i = COUNT; i-- > 0;)
        assert_ok(check(&receiver, &sent[i]));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(check(&receiver, &sent[i]), LS_ERROR_REFUSED);
}

TEST(test_carrier_mac_refuses_what_is_below_the_window)
{
    ls_carrier_counters sender = {0}, receiver = {0};
    signed_datagram first = sign(&sender), second = sign(&sender);
    sender.sent = LS_SEAL_WINDOW + 1;
    signed_datagram ahead = sign(&sender);
    assert_ok(check(&receiver, &ahead));
    assert_int_equal(check(&receiver, &second), LS_ERROR_REFUSED);
    assert_int_equal(check(&receiver, &first), LS_ERROR_REFUSED);
    sender.sent = 2;
    signed_datagram within = sign(&sender);
    assert_ok(check(&receiver, &within));
}

/* If a forgery moved the window, it would shut the true sender out. */
TEST(test_carrier_mac_forgeries_change_nothing)
{
    ls_carrier_counters sender = {.sent = 99}, receiver = {0};
    signed_datagram good = sign(&sender);
    for (uint32_t bit = 0; bit < WHOLE * 8; bit++) {
        signed_datagram forged = good;
        ls_carrier_counters before = receiver;
        forged.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(check(&receiver, &forged), LS_ERROR_CORRUPT);
        assert_memory_equal(&receiver, &before, sizeof before);
    }
    assert_ok(check(&receiver, &good));
    uint8_t other[LS_CARRIER_KEY_BYTES] = {1, 2, 4};
    signed_datagram next = sign(&sender);
    assert_int_equal(ls_carrier_mac_check(&receiver, other, next.data, WHOLE, COUNTER_AT),
                     LS_ERROR_CORRUPT);
    assert_ok(check(&receiver, &next));
}

TEST(test_carrier_mac_ends_before_its_counter_wraps)
{
    ls_carrier_counters sender = {.sent = LS_CARRIER_DATAGRAMS_MAX - 1}, receiver = {0};
    signed_datagram last = sign(&sender);
    assert_ok(check(&receiver, &last));
    signed_datagram none = {{0x80, 5}}, before = none;
    assert_int_equal(ls_carrier_mac_sign(&sender, key, none.data, BYTES, COUNTER_AT),
                     LS_ERROR_LIMIT);
    assert_memory_equal(&none, &before, sizeof none);
    assert_int_equal(check(&receiver, &last), LS_ERROR_REFUSED);
}
