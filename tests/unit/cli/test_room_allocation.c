#include "cli/serve/room_allocation.h"

#include "test.h"

static const ls_match_options defaults = {
    .seed = 5, .players = 2, .sets = {{"units=9", 5, 9}}, .set_count = 1};

TEST(test_room_allocation_changes_the_options)
{
    const ls_agones_allocation texts = {.room = "red",
                                        .seed = "18446744073709551615",
                                        .players = "4",
                                        .options = "  units=200  speed=-3 ",
                                        .tokens = "required"};
    ls_room_allocation one;
    ls_error error;
    assert_int_equal(ls_room_allocation_read(&texts, &defaults, true, &one, &error), LS_OK);
    assert_string_equal(one.name, "red");
    assert_true(one.has_seed && one.match.seed == UINT64_MAX);
    assert_int_equal(one.match.players, 4);
    assert_true(one.requires_token);
    assert_int_equal(one.match.set_count, 3); /* the server's come first, so these win */
    assert_int_equal(one.match.sets[1].value, 200);
    assert_int_equal(one.match.sets[2].name_bytes, 5);
    assert_int_equal(one.match.sets[2].value, -3);
}

TEST(test_room_allocation_keeps_the_rest)
{
    const ls_agones_allocation texts = {.room = "red"};
    ls_room_allocation one;
    ls_error error;
    assert_int_equal(ls_room_allocation_read(&texts, &defaults, true, &one, &error), LS_OK);
    assert_false(one.has_seed || one.requires_token);
    assert_memory_equal(&one.match, &defaults, sizeof defaults);
}

TEST(test_room_allocation_names_what_is_wrong)
{
    static const struct {
        ls_agones_allocation texts;
        const char *says;
    } list[] = {
        {{.room = ""}, "room"},
        {{.room = "012345678901234567890123456789012"}, "room"},
        {{.room = "a\nb"}, "room"},
        {{.room = "r", .seed = "18446744073709551616"}, "seed"},
        {{.room = "r", .players = "0"}, "players"},
        {{.room = "r", .players = "65"}, "players"},
        {{.room = "r", .options = "units"}, "options"},
        {{.room = "r", .options = "=1"}, "options"},
        {{.room = "r", .options = "units="}, "options"},
        {{.room = "r", .options = "units=00000000000000000000000000000001"}, "options"},
        {{.room = "r",
          .options = "a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 "
                     "a=1"},
         "options"},
        {{.room = "r", .tokens = "yes"}, "tokens"},
        {{.room = "r", .tokens = "required"}, "the server has no --token-key"},
        {{.room = "r", .wrong = "seed"}, "seed: a text of at most"},
    };
    ls_room_allocation one;
    ls_error error;
    for (size_t i = 0; i < LS_COUNT_OF(list); i++) {
        assert_int_equal(ls_room_allocation_read(&list[i].texts, &defaults, false, &one, &error),
                         LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, list[i].says));
    }
}

TEST(test_room_allocation_splits_wishes)
{
    ls_agones_allocation texts;
    ls_error error;
    char long_one[2 * LS_AGONES_TEXT_BYTES];
    assert_int_equal(
        ls_room_allocation_split("red", "  units=200 seed=7 players=4  tokens=required seed= a",
                                 &texts, &error),
        LS_OK);
    assert_string_equal(texts.room, "red");
    assert_string_equal(texts.seed, "7");
    assert_string_equal(texts.players, "4");
    assert_string_equal(texts.tokens, "required");
    assert_string_equal(texts.options, " units=200 seed= a");
    assert_int_equal(ls_room_allocation_split("red", "", &texts, &error), LS_OK);
    memset(long_one, 'x', sizeof long_one);
    for (size_t bytes = LS_AGONES_TEXT_BYTES - 2; bytes < LS_AGONES_TEXT_BYTES + 2; bytes++) {
        long_one[bytes] = 0;
        ls_status expected = bytes < LS_AGONES_TEXT_BYTES - 1 ? LS_OK : LS_ERROR_USAGE;
        assert_int_equal(ls_room_allocation_split("red", long_one, &texts, &error), expected);
        assert_int_equal(ls_room_allocation_split(long_one, "", &texts, &error),
                         bytes < LS_AGONES_TEXT_BYTES ? LS_OK : LS_ERROR_USAGE);
        long_one[bytes] = 'x';
    }
}
