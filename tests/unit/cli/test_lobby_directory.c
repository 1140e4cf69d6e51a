/* The servers that a lobby knows: where the next room opens. */
#include "test.h"

#include "cli/common/clock.h"
#include "cli/lobby/lobby_directory.h"

#include <stdio.h>

static void add(ls_lobby_directory *directory, const char *address, uint32_t rooms, uint32_t max)
{
    ls_lobby_entry entry = {.rooms_max = max, .room_count = rooms};
    snprintf(entry.address, sizeof entry.address, "%s", address);
    snprintf(entry.sim, sizeof entry.sim, "skirmish");
    entry.rooms = rooms ? ls_alloc(rooms * sizeof *entry.rooms) : NULL;
    for (uint32_t i = 0; i < rooms; i++)
        snprintf(entry.rooms[i].name, sizeof entry.rooms[i].name, "%.20s-%u", address, i);
    ls_lobby_directory_add(directory, &entry);
}

/* Two servers with two rooms at most, with this many open. */
static ls_lobby_directory list(uint32_t first, uint32_t second)
{
    ls_lobby_directory directory = {0};
    add(&directory, "a:1#x", first, 2);
    add(&directory, "b:2#y", second, 2);
    ls_lobby_directory_finish(&directory);
    return directory;
}

static const char *promise(ls_lobby_directory *directory, uint64_t now_ns)
{
    ls_lobby_entry *entry = ls_lobby_directory_choose(directory, "skirmish");
    if (!entry)
        return NULL;
    entry->promised++;
    entry->promised_ns = now_ns;
    return entry->address;
}

static void refresh(ls_lobby_directory *directory, ls_lobby_directory next, uint64_t now_ns)
{
    ls_lobby_directory_keep_promises(&next, directory, now_ns);
    ls_lobby_directory_reset(directory);
    *directory = next;
}

TEST(test_lobby_directory_spreads_rooms)
{
    ls_lobby_directory directory = list(0, 1);
    assert_string_equal(promise(&directory, 0), "a:1#x");
    assert_non_null(promise(&directory, 0));
    assert_non_null(promise(&directory, 0));
    assert_null(promise(&directory, 0));
    assert_null(ls_lobby_directory_choose(&directory, "colony"));
    ls_lobby_directory_reset(&directory);
}

TEST(test_lobby_directory_keeps_promises_until_they_are_listed)
{
    ls_lobby_directory directory = list(0, 2);
    assert_string_equal(promise(&directory, 7), "a:1#x");
    assert_string_equal(promise(&directory, 7), "a:1#x");
    refresh(&directory, list(0, 2), 8); /* the server has not listed them yet */
    assert_null(promise(&directory, 8));
    refresh(&directory, list(1, 2), 9); /* one of the two */
    assert_null(promise(&directory, 9));
    refresh(&directory, list(2, 2), 10);
    assert_int_equal(ls_lobby_directory_server(&directory, "a:1#x")->promised, 0);
    refresh(&directory, list(1, 2), 11); /* and one has ended */
    assert_string_equal(promise(&directory, 11), "a:1#x");
    ls_lobby_directory_reset(&directory);
}

TEST(test_lobby_directory_forgets_a_broken_promise)
{
    const uint64_t patience_ns = LS_LOBBY_PROMISE_S * LS_SECOND_NS;
    ls_lobby_directory directory = list(1, 2);
    assert_string_equal(promise(&directory, 5), "a:1#x");
    refresh(&directory, list(1, 2), 5 + patience_ns);
    assert_null(promise(&directory, 6));
    refresh(&directory, list(1, 2), 6 + patience_ns);
    assert_string_equal(promise(&directory, 7 + patience_ns), "a:1#x");
    ls_lobby_directory gone = {0};
    ls_lobby_directory_finish(&gone);
    refresh(&directory, gone, 8 + patience_ns); /* its server is listed no more */
    assert_null(ls_lobby_directory_server(&directory, "a:1#x"));
    ls_lobby_directory_reset(&directory);
}
