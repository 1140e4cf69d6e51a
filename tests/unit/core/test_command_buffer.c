/* The command buffer alone: entries that several workers append are read in the order of
 * segments. */
#include "harness.h"

#include "core/run/command_run.h"
#include "core/run/command_walk.h"

static ls_entry entry(ls_entity entity, uint32_t bytes)
{
    return (ls_entry){.entity = entity, .kind = LS_ENTRY_VALUE, .at = 3, .bytes = bytes};
}

static ls_commands_walk walk_over(const ls_commands *commands, ls_stream stream, uint32_t left)
{
    return (ls_commands_walk){.commands = commands, .stream = stream, .left = left};
}

static void append(ls_commands *commands, uint32_t segment, ls_stream stream, ls_entry record,
                   const void *value)
{
    ls_commands_append(commands, &commands->segments[segment], stream, record, value);
}

TEST(test_command_buffer_walks_segments_in_their_order)
{
    ls_commands commands = {0};
    ls_commands_begin(&commands, 5);
    /* Workers open segments in any order; segment 2 stays empty, segment 4 is never opened. */
    static const uint32_t order[] = {3, 1, 0, 2}, workers[] = {1, 0, 1, 63};
    for (uint32_t i = 0; i < LS_COUNT_OF(order); i++) {
        ls_commands_open(&commands, order[i], workers[i]);
        for (uint64_t call = 0; order[i] != 2 && call < 3; call++) {
            uint64_t value = order[i] * 10 + call;
            append(&commands, order[i], LS_STREAM_EVENTS, entry(value, sizeof value), &value);
            append(&commands, order[i], LS_STREAM_VALUES, entry(value, 0), NULL);
        }
        ls_commands_close(&commands, order[i]);
    }
    static const uint64_t wanted[] = {0, 1, 2, 10, 11, 12, 30, 31, 32};
    for (int stream = LS_STREAM_SPAWNS; stream < LS_STREAM_COUNT; stream++) {
        ls_commands_walk walk = walk_over(&commands, (ls_stream)stream, UINT32_MAX);
        bool is_used = stream == LS_STREAM_EVENTS || stream == LS_STREAM_VALUES;
        for (uint32_t i = 0; is_used && i < LS_COUNT_OF(wanted); i++) {
            ls_entry *record = ls_commands_next(&walk);
            assert_non_null(record);
            assert_int_equal(record->entity, wanted[i]);
            assert_int_equal(walk.segment, wanted[i] / 10);
            if (stream == LS_STREAM_EVENTS)
                assert_memory_equal(ls_entry_value(record), &wanted[i], 8);
            else
                assert_null(ls_entry_value(record));
        }
        assert_null(ls_commands_next(&walk));
        assert_null(ls_commands_next(&walk));
    }
    ls_commands_reset(&commands);
}

TEST(test_command_buffer_stops_at_the_limit_and_counts_the_rest)
{
    ls_commands commands = {0};
    ls_commands_begin(&commands, 2);
    for (uint32_t segment = 0; segment < 2; segment++) {
        ls_commands_open(&commands, segment, segment);
        for (uint64_t i = 0; i < 4; i++)
            append(&commands, segment, LS_STREAM_COMMANDS, entry(segment * 4 + i, 0), NULL);
        ls_commands_close(&commands, segment);
    }
    assert_int_equal(ls_commands_excess(&commands, LS_STREAM_COMMANDS, 9), 0);
    assert_int_equal(ls_commands_excess(&commands, LS_STREAM_COMMANDS, 8), 0);
    assert_int_equal(ls_commands_excess(&commands, LS_STREAM_COMMANDS, 5), 3);
    assert_int_equal(ls_commands_excess(&commands, LS_STREAM_EVENTS, 0), 0);
    ls_commands_walk walk = walk_over(&commands, LS_STREAM_COMMANDS, 5);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(ls_commands_next(&walk)->entity, i);
    assert_null(ls_commands_next(&walk));
    ls_commands_reset(&commands);
}

/* Sizes that are no multiple of 8, with many growths of the buffer. */
TEST(test_command_buffer_keeps_values_of_every_size)
{
    uint8_t value[300];
    for (uint32_t i = 0; i < sizeof value; i++)
        value[i] = (uint8_t)(i * 7 + 1);
    ls_commands commands = {0};
    for (uint32_t round = 0; round < 2; round++) {
        ls_commands_begin(&commands, 1);
        ls_commands_open(&commands, 0, 2);
        for (uint32_t bytes = 0; bytes <= sizeof value; bytes++)
            append(&commands, 0, LS_STREAM_SPAWNS, entry(bytes, bytes), value);
        ls_commands_close(&commands, 0);
        ls_commands_walk walk = walk_over(&commands, LS_STREAM_SPAWNS, UINT32_MAX);
        for (uint32_t bytes = 0; bytes <= sizeof value; bytes++) {
            ls_entry *record = ls_commands_next(&walk);
            assert_int_equal(record->bytes, bytes);
            assert_int_equal((uintptr_t)record % 8, 0);
            if (bytes)
                assert_memory_equal(ls_entry_value(record), value, bytes);
        }
        assert_null(ls_commands_next(&walk));
    }
    ls_commands_reset(&commands);
}

/* Old bytes in the buffer must not become the value of an entry without a value. */
TEST(test_command_buffer_gives_zeros_for_no_value)
{
    static const uint8_t zeros[24];
    uint8_t noise[24];
    memset(noise, 0xa5, sizeof noise);
    ls_commands commands = {0};
    for (uint32_t round = 0; round < 2; round++) {
        ls_commands_begin(&commands, 1);
        ls_commands_open(&commands, 0, 0);
        append(&commands, 0, LS_STREAM_EVENTS, entry(1, 24), round ? NULL : noise);
        ls_commands_close(&commands, 0);
    }
    ls_commands_walk walk = walk_over(&commands, LS_STREAM_EVENTS, 1);
    assert_memory_equal(ls_entry_value(ls_commands_next(&walk)), zeros, sizeof zeros);
    ls_commands_reset(&commands);
}

TEST(test_command_buffer_begins_empty_again)
{
    ls_commands commands = {0};
    ls_commands_begin(&commands, 0);
    ls_commands_walk walk = walk_over(&commands, LS_STREAM_EVENTS, UINT32_MAX);
    assert_null(ls_commands_next(&walk));
    ls_commands_begin(&commands, 3);
    ls_commands_open(&commands, 2, 5);
    append(&commands, 2, LS_STREAM_EVENTS, entry(9, 0), NULL);
    commands.segments[2].spawned = 4;
    ls_commands_close(&commands, 2);
    ls_commands_begin(&commands, 3);
    walk = walk_over(&commands, LS_STREAM_EVENTS, UINT32_MAX);
    assert_null(ls_commands_next(&walk));
    assert_int_equal(commands.segments[2].spawned, 0);
    assert_int_equal(ls_commands_excess(&commands, LS_STREAM_EVENTS, 0), 0);
    ls_commands_reserve(&commands, 1000);
    commands.spawned_entities[999] = 1;
    ls_commands_reserve(&commands, 10);
    assert_int_equal(commands.spawned_entities[999], 1);
    ls_commands_reset(&commands);
    ls_commands_reset(&commands);
    assert_null(commands.segments);
}

/* Gives a command as a system does. */
static void give(ls_commands *commands, ls_entry_kind kind, uint16_t term, ls_entity entity,
                 const void *value, uint32_t bytes)
{
    ls_command_segment *segment = &commands->segments[0];
    if (!ls_commands_follow(commands, segment, kind, term, entity, value))
        ls_commands_add(
            commands, segment,
            (ls_entry){
                .entity = entity, .kind = (uint8_t)kind, .at = term, .bytes = value ? bytes : 0},
            value);
}

static const ls_entity in_page = ((ls_entity)1 << 32) + 40; /* followed by others of its page */

static void begin_commands(ls_commands *commands, bool has_runs)
{
    commands->has_runs = has_runs;
    ls_commands_begin(commands, 1);
    ls_commands_open(commands, 0, 1);
}

/* The records must have these first entities and counts. */
static void check_records(ls_commands *commands, const ls_entity (*wanted)[2], uint32_t count)
{
    ls_commands_close(commands, 0);
    ls_commands_walk walk = walk_over(commands, LS_STREAM_COMMANDS, UINT32_MAX);
    uint32_t commands_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ls_entry *record = ls_commands_next(&walk);
        assert_non_null(record);
        assert_true(record->entity == wanted[i][0]);
        assert_int_equal(record->more + 1, wanted[i][1]);
        commands_count += record->more + 1u;
    }
    assert_null(ls_commands_next(&walk));
    assert_int_equal(ls_commands_excess(commands, LS_STREAM_COMMANDS, 0), commands_count);
}

TEST(test_command_buffer_joins_commands_on_consecutive_entities)
{
    ls_commands commands = {0};
    begin_commands(&commands, true);
    for (uint32_t i = 0; i < 10; i++)
        give(&commands, LS_ENTRY_DETACH, 3, in_page + i, NULL, 0);
    give(&commands, LS_ENTRY_ATTACH, 3, in_page + 10, NULL, 0);     /* another kind */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 11, NULL, 0);     /* another term */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 12, &in_page, 8); /* with a value */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 14, &in_page, 8); /* not the next entity */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 14, &in_page, 8); /* the same once more */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 15, &in_page, 8); /* joins */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 17, &in_page, 8); /* after a run of two */
    give(&commands, LS_ENTRY_SPAWN, 0, LS_ENTITY_NULL, NULL, 0);    /* a spawn ends runs */
    give(&commands, LS_ENTRY_ATTACH, 4, in_page + 18, &in_page, 8);
    static const ls_entity top = (ls_entity)3 << 62; /* pending handles */
    for (uint32_t i = 0; i < 2; i++)
        give(&commands, LS_ENTRY_ATTACH, 4, top + i, &in_page, 8);
    const ls_entity wanted[][2] = {{in_page, 10},     {in_page + 10, 1},   {in_page + 11, 1},
                                   {in_page + 12, 1}, {in_page + 14, 1},   {in_page + 14, 2},
                                   {in_page + 17, 1}, {LS_ENTITY_NULL, 1}, {in_page + 18, 1},
                                   {top, 1},          {top + 1, 1}};
    check_records(&commands, wanted, LS_COUNT_OF(wanted));
    ls_commands_reset(&commands);
}

TEST(test_command_buffer_ends_a_run_with_its_page)
{
    ls_commands commands = {0};
    begin_commands(&commands, true);
    ls_entity first = (ls_entity)1 << 32;
    for (uint32_t i = 0; i < 2 * LS_PAGE_SLOTS; i++)
        give(&commands, LS_ENTRY_DETACH, 0, first + i, NULL, 0);
    const ls_entity wanted[][2] = {{first, LS_PAGE_SLOTS}, {first + LS_PAGE_SLOTS, LS_PAGE_SLOTS}};
    check_records(&commands, wanted, LS_COUNT_OF(wanted));
    /* Tools see each command as a record. */
    begin_commands(&commands, false);
    for (uint32_t i = 0; i < 2; i++)
        give(&commands, LS_ENTRY_DETACH, 0, first + i, NULL, 0);
    const ls_entity single[][2] = {{first, 1}, {first + 1, 1}};
    check_records(&commands, single, LS_COUNT_OF(single));
    ls_commands_reset(&commands);
}

/* Values of every size, with runs that a growth of the buffer cuts. */
TEST(test_command_buffer_keeps_the_values_of_runs)
{
    ls_commands commands = {0};
    begin_commands(&commands, true);
    uint8_t value[40];
    for (uint32_t bytes = 4; bytes <= sizeof value; bytes++) {
        for (uint32_t i = 0; i < 150; i++) {
            memset(value, (int)(bytes + i), sizeof value);
            give(&commands, LS_ENTRY_ATTACH, (uint16_t)bytes, in_page + i, value, bytes);
        }
    }
    ls_commands_close(&commands, 0);
    ls_commands_walk walk = walk_over(&commands, LS_STREAM_COMMANDS, UINT32_MAX);
    uint32_t records = 0, count = 0;
    for (ls_entry *record; (record = ls_commands_next(&walk)); records++) {
        uint32_t bytes = record->at, stride = record->bytes / (record->more + 1u);
        assert_int_equal(stride, record->more ? (bytes + 7) / 8 * 8 : bytes);
        for (uint32_t i = 0; i <= record->more; i++, count++) {
            assert_true(record->entity + i == in_page + count % 150);
            memset(value, (int)(bytes + count % 150), sizeof value);
            assert_memory_equal((uint8_t *)ls_entry_value(record) + (size_t)stride * i, value,
                                bytes);
        }
    }
    assert_int_equal(count, (sizeof value - 3) * 150);
    assert_in_range(records, 38, 8 * 150 + 100); /* only small values are in runs */
    ls_commands_reset(&commands);
}
