#include "test.h"

#include "proto/carriers.h"
#include "tests/support/remotes.h"

static const ls_remote home = LS_REMOTE_IPV4(10, 0, 0, 1, 258);

/* The host of a remote is the business of the link; here it is an address. */
static ls_remote_key host_of(const ls_remote *remote)
{
    const ls_address address = ls_address_of_remote(remote);
    return ls_address_host(&address);
}

static uint32_t held_of(const ls_carriers *carriers, const ls_remote *remote)
{
    const ls_remote_key host = host_of(remote);
    return ls_carriers_count_held(carriers, &host);
}

static ls_status admit_at(ls_carriers *carriers, const ls_remote *remote, const ls_carrier *carrier,
                          uint64_t now_ns, uint64_t until_ns)
{
    const ls_admission_request request = {carrier, *remote, host_of(remote), until_ns};
    return ls_carriers_admit(carriers, &request, now_ns);
}

static ls_status admit(ls_carriers *carriers, uint32_t id, uint64_t now_ns, uint64_t until_ns)
{
    ls_carrier carrier = {.connect_id = id};
    memset(carrier.keys, (int)id, sizeof carrier.keys);
    return admit_at(carriers, &home, &carrier, now_ns, until_ns);
}

TEST(test_carriers_wait_for_one_address_and_time)
{
    ls_carriers *carriers = ls_carriers_create(4);
    ls_remote other = home;
    other.bytes[17]++;
    assert_ok(admit(carriers, 7, 0, 100));
    assert_ok(admit(carriers, 7, 9, 100)); /* repeating an admission is allowed */
    ls_carrier keys_differ = ls_carriers_find(carriers, 7)->carrier;
    keys_differ.keys[0][0] ^= 1;
    assert_int_equal(admit_at(carriers, &home, &keys_differ, 9, 200), LS_ERROR_LIMIT);
    keys_differ.keys[0][0] ^= 1;
    assert_int_equal(admit_at(carriers, &other, &keys_differ, 9, 200), LS_ERROR_LIMIT);
    assert_non_null(ls_carriers_find_waiting(carriers, &home, 7, 99));
    assert_null(ls_carriers_find_waiting(carriers, &home, 7, 100));
    assert_null(ls_carriers_find_waiting(carriers, &home, 8, 0));
    assert_null(ls_carriers_find_waiting(carriers, &other, 7, 0));
    assert_ok(admit(carriers, 7, 100, 200)); /* the first admission has expired */
    ls_carrier_entry *entry = ls_carriers_find_waiting(carriers, &home, 7, 199);
    assert_non_null(entry);
    assert_int_equal(entry->carrier.keys[1][0], 7);
    ls_carriers_hold(carriers, entry, 3);
    assert_null(ls_carriers_find_waiting(carriers, &home, 7, 150));
    assert_int_equal(admit(carriers, 7, 1000, 2000), LS_ERROR_LIMIT); /* a held id never expires */
    ls_carriers_expire(carriers, 1000);
    assert_ptr_equal(ls_carriers_find(carriers, 7), entry);
    ls_carriers_remove(carriers, 7);
    ls_carriers_remove(carriers, 7);
    assert_null(ls_carriers_find(carriers, 7));
    assert_int_equal(entry->carrier.keys[1][0], 0);
    ls_carriers_destroy(carriers);
}

TEST(test_carriers_are_bounded)
{
    ls_carriers *carriers = ls_carriers_create(2);
    for (uint32_t i = 1; i <= LS_LINK_ADMISSIONS_MAX; i++)
        assert_ok(admit(carriers, i, 0, i < 10 ? 50 : 100));
    assert_int_equal(admit(carriers, 5000, 49, 100), LS_ERROR_LIMIT);
    for (uint32_t i = 0; i < 9; i++) /* nine have expired */
        assert_ok(admit(carriers, 5000 + i, 50, 100));
    assert_int_equal(admit(carriers, 6000, 50, 100), LS_ERROR_LIMIT);
    assert_null(ls_carriers_find(carriers, 9));
    assert_non_null(ls_carriers_find(carriers, 10));
    ls_carriers_hold(carriers, ls_carriers_find(carriers, 10), 0);
    assert_ok(admit(carriers, 6000, 50, 100));
    ls_carriers_destroy(carriers);
}

/* Slots are counted per host, whatever the port. */
TEST(test_carriers_count_slots_of_a_host)
{
    ls_carriers *carriers = ls_carriers_create(4);
    ls_remote other_port = home, other_host = home;
    other_port.bytes[17]++;
    other_host.bytes[15]++;
    ls_carrier foreign = {.connect_id = 3};
    for (uint32_t id = 1; id <= 2; id++)
        assert_ok(admit(carriers, id, 0, 100));
    assert_ok(admit_at(carriers, &other_host, &foreign, 0, 100));
    assert_int_equal(ls_carriers_count_held(carriers, NULL), 0);
    ls_carriers_hold(carriers, ls_carriers_find(carriers, 1), 0);
    ls_carriers_hold(carriers, ls_carriers_find(carriers, 3), 1);
    assert_int_equal(ls_carriers_count_held(carriers, NULL), 2);
    assert_int_equal(held_of(carriers, &other_port), 1);
    assert_int_equal(held_of(carriers, &other_host), 1);
    ls_carriers_remove(carriers, 1);
    assert_int_equal(held_of(carriers, &home), 0);
    ls_carriers_destroy(carriers);
}

/* An IPv6 attacker has as many connections with 2^64 addresses as with one. */
TEST(test_carriers_count_a_64_as_one_host)
{
    ls_carriers *carriers = ls_carriers_create(4);
    ls_remote remote = {{0x20, 1, 0xd, 0xb8, 1, 2, 3, 4, 5}};
    for (uint32_t id = 1; id <= 3; id++) {
        ls_carrier carrier = {.connect_id = id};
        remote.bytes[15] = (uint8_t)id;
        assert_ok(admit_at(carriers, &remote, &carrier, 0, 100));
        ls_carriers_hold(carriers, ls_carriers_find(carriers, id), id);
    }
    assert_int_equal(held_of(carriers, &remote), 3);
    remote.bytes[7]++;
    assert_int_equal(held_of(carriers, &remote), 0);
    ls_carriers_destroy(carriers);
}

TEST(test_carriers_agree_with_a_plain_table)
{
    enum { IDS = 300 };
    ls_carriers *carriers = ls_carriers_create(IDS);
    uint8_t model[IDS + 1] = {0}; /* 1: admitted, 2: held */
    uint64_t seed = 12;
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t pick = 1 + (uint32_t)(test_random(&seed) % IDS);
        uint32_t id = pick * 65536; /* all in a few hash buckets */
        ls_carrier_entry *entry = ls_carriers_find(carriers, id);
        assert_int_equal(entry != NULL, model[pick] != 0);
        if (entry)
            assert_int_equal(entry->is_held, model[pick] == 2);
        if (!entry) {
            assert_ok(admit(carriers, id, 0, 1));
            model[pick] = 1;
        } else if (model[pick] == 1 && test_random(&seed) % 2) {
            ls_carriers_hold(carriers, entry, pick);
            model[pick] = 2;
        } else {
            ls_carriers_remove(carriers, id);
            model[pick] = 0;
        }
    }
    ls_carriers_expire(carriers, 1);
    for (uint32_t pick = 1; pick <= IDS; pick++)
        assert_int_equal(ls_carriers_find(carriers, pick * 65536) != NULL, model[pick] == 2);
    ls_carriers_destroy(carriers);
}
