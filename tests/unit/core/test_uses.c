/* Components and terms by name: the tables equal those written by hand, and every use of a term
 * does what the call by index does. */
#include "harness.h"

LS_ENUM(mood, CALM, CROSS, WILD);
LS_COMPONENT(place, FIX(x), FIX(y));
LS_COMPONENT(worker, ENTITY(home, LS_CASCADE), U32_UP_TO(team, 9), I32(energy), U8_ITEMS(tags, 8));
LS_COMPONENT(everything, U64(a), I64(b), ENTITY_ARRAY(c, LS_NULL, 2), ENTITY_ITEMS(d, LS_KEEP, 3),
             U16(e), U16_ARRAY(f, 2), FIX2(g), FIX2_ARRAY(h, 2), FIX_ARRAY(i, 2, 3),
             I32_ARRAY(j, 2), U32_ARRAY_UP_TO(k, 7, 2, 2, 2), ANGLE(l), I16(m), BOOL(n), I8(o),
             ENUM(p, mood), ENUM_ARRAY(q, mood, 2), U8_ARRAY_UP_TO(r, 3, 4), U8(s));
LS_COMPONENT(flight, FIX3(at), FIX3_ARRAY(route, 2, 2), FIX3_ITEMS(trail, 3));
LS_SINGLETON(roster, U32_ARRAY(score, 4), U32(winner));
LS_EVENT(bell, U32(by));
LS_TAG(hungry);
LS_COMPONENT_OF(ls_fix2, speed, "velocity", FIX(x), FIX(y));
LS_COMPONENT(tally, U32(sum));
LS_COMPONENT(pair, U32(weight), FIX2(at));
LS_COMPONENT_NAMED(letter, "Letter", U32(text));
LS_COMPONENTS(components, place, worker, everything, roster, bell, hungry, speed, tally, letter,
              flight);

static void field_is(const ls_component *component, uint32_t i, ls_field expected)
{
    const ls_field *field = &component->fields[i];
    assert_true(i < component->field_count);
    assert_string_equal(field->name, expected.name);
    assert_int_equal(field->type, expected.type);
    assert_int_equal(field->offset, expected.offset);
    assert_int_equal(field->bytes, expected.bytes);
    assert_int_equal(field->max, expected.max);
    assert_int_equal(field->on_despawn, expected.on_despawn);
    assert_ptr_equal(field->names, expected.names);
    assert_int_equal(field->count != NULL, expected.count != NULL);
    if (field->count)
        assert_string_equal(field->count, expected.count);
}

TEST(test_uses_a_definition_is_struct_and_table)
{
    ls_error error;
    for (uint32_t i = 0; i < LS_COUNT_OF(components); i++)
        assert_int_equal(ls_component_check(components[i], &error), LS_OK);
    assert_string_equal(place_component.name, "place");
    assert_int_equal(place_component.field_count, 2);
    field_is(&place_component, 1, (ls_field)LS_FIELD(place, y, LS_TYPE_FIX));
    field_is(&worker_component, 0, (ls_field)LS_FIELD_ENTITY(worker, home, LS_CASCADE));
    field_is(&worker_component, 1, (ls_field)LS_FIELD_UP_TO(worker, team, LS_TYPE_U32, 9));
    field_is(&worker_component, 3,
             (ls_field)LS_FIELD_ITEMS(worker, tags, LS_TYPE_U8, tags_count, LS_KEEP));
    field_is(&worker_component, 4, (ls_field)LS_FIELD_UP_TO(worker, tags_count, LS_TYPE_U16, 8));
    field_is(&everything_component, 16, (ls_field)LS_FIELD_ENUM(everything, p, mood_names));
    field_is(&everything_component, 11, (ls_field)LS_FIELD_UP_TO(everything, k, LS_TYPE_U32, 7));
    assert_int_equal(sizeof((everything){0}.k), 8 * sizeof(uint32_t));
    assert_int_equal(sizeof((everything){0}.i), 6 * sizeof(ls_fix));
    assert_string_equal(mood_names[WILD], "WILD");
    assert_true(roster_component.is_singleton && bell_component.event_ticks == 1);
    assert_true(hungry_component.bytes == 0 && hungry_component.field_count == 0);
    assert_string_equal(speed_component.name, "velocity");
    assert_int_equal(speed_component.bytes, sizeof(ls_fix2));
    assert_string_equal(letter_component.name, "Letter");
    field_is(&flight_component, 0, (ls_field)LS_FIELD(flight, at, LS_TYPE_FIX3));
    field_is(&flight_component, 1, (ls_field)LS_FIELD(flight, route, LS_TYPE_FIX3));
    field_is(&flight_component, 2,
             (ls_field)LS_FIELD_ITEMS(flight, trail, LS_TYPE_FIX3, trail_count, LS_KEEP));
    assert_int_equal(sizeof((flight){0}.route), 4 * sizeof(ls_fix3));
}

TEST(test_uses_missing_bytes_at_the_end_are_a_member)
{
    assert_int_equal(sizeof(place), 8);
    assert_int_equal(sizeof(worker), 32);
    assert_int_equal(worker_component.field_count, 6);
    field_is(&worker_component, 5,
             (ls_field){.name = "reserved_", .type = LS_TYPE_U8, .offset = 26, .bytes = 6});
    assert_int_equal(sizeof((worker){0}.reserved_), 6);
}

LS_TERMS(all, WRITES(place), QUERY(1, READS(place, other), WITHOUT(hungry, absent)),
         ATTACHES(hungry), DETACHES(worker), OTHERS_STRUCTURE(place, anywhere),
         WRITES_SINGLETON(roster), SENDS(bell), COMMANDED(letter, later),
         ACCUMULATES(tally, LS_ADD, sum), OPTIONALLY_READS(tally), OTHERS_START(speed),
         OTHERS_READ(letter), QUERY(2, OPTIONALLY_WRITES(speed, drift)), SPAWNS_WITH(tally, born),
         READS_SINGLETON(roster, scores), RECEIVES(bell, heard), WITH(letter, sealed),
         OPTIONALLY_WITH(letter, maybe), OTHERS_WITH(letter, any), OTHERS_WRITE(speed, pushed),
         ACCUMULATES(roster, LS_MAX, best), IN_LANE("a"), ANY_OF(place, worker, hungry),
         QUERY(4, ANY_OF(letter, tally), IN_LANE("b")), COMMANDED(hungry, soon),
         WALKS(5, READS(place, near), WITHOUT(letter, unread)));

#define EIGHT_OF(a)   a, a, a, a, a, a, a, a
#define SIXTEEN(a, b) EIGHT_OF(a), EIGHT_OF(b)
LS_TERMS(choosing, QUERY(1, ANY_OF(SIXTEEN(letter, tally))), READS(place));

TEST(test_uses_of_sixteen_choices)
{
    static const ls_term expected[] = {
        LS_ANY_OF_QUERY(1, SIXTEEN(letter_component, tally_component)),
        LS_READS(place_component),
        {0},
    };
    assert_int_equal(LS_COUNT_OF(choosing), LS_COUNT_OF(expected));
    assert_int_equal(offsetof(struct choosing_terms, place) / sizeof(void *), LS_QUERY_TERMS_MAX);
    for (uint32_t i = 0; i < LS_COUNT_OF(choosing); i++) {
        assert_ptr_equal(choosing[i].component, expected[i].component);
        assert_int_equal(choosing[i].query, expected[i].query);
        assert_int_equal(choosing[i].filter, expected[i].filter);
    }
}

TEST(test_uses_a_list_is_the_terms_in_order)
{
    static const ls_term expected[] = {
        LS_WRITES(place_component),
        LS_TERM(1, LS_INCLUDE, LS_ACCESS_READ, place_component),
        LS_TERM(1, LS_EXCLUDE, LS_ACCESS_PRESENCE, hungry_component),
        LS_ATTACHES(hungry_component),
        LS_DETACHES(worker_component),
        LS_OTHERS_STRUCTURE(place_component),
        LS_OTHERS_WRITE(roster_component),
        LS_SENDS(bell_component),
        LS_COMMANDED(letter_component),
        LS_ACCUMULATES(tally_component, LS_ADD),
        LS_OPTIONALLY_READS(tally_component),
        LS_OTHERS_START(speed_component),
        LS_OTHERS_READ(letter_component),
        LS_TERM(2, LS_OPTIONAL, LS_ACCESS_WRITE, speed_component),
        LS_SPAWNS_WITH(tally_component),
        LS_OTHERS_READ(roster_component),
        LS_RECEIVES(bell_component),
        LS_WITH(letter_component),
        LS_TERM(0, LS_OPTIONAL, LS_ACCESS_PRESENCE, letter_component),
        LS_TERM(0, LS_OTHERS, LS_ACCESS_PRESENCE, letter_component),
        LS_OTHERS_WRITE(speed_component),
        LS_ACCUMULATES(roster_component, LS_MAX),
        LS_IN_LANE("a"),
        LS_ANY_OF(place_component, worker_component, hungry_component),
        LS_ANY_OF_QUERY(4, letter_component, tally_component),
        LS_TERM_LANE(4, "b"),
        LS_COMMANDED(hungry_component),
        LS_TERM(LS_WALKED | 5, LS_INCLUDE, LS_ACCESS_READ, place_component),
        LS_TERM(LS_WALKED | 5, LS_EXCLUDE, LS_ACCESS_PRESENCE, letter_component),
        {0},
    };
    assert_int_equal(LS_COUNT_OF(all), LS_COUNT_OF(expected));
    assert_int_equal(sizeof(struct all_terms) / sizeof(void *), LS_COUNT_OF(expected) - 1);
    for (uint32_t i = 0; i < LS_COUNT_OF(all); i++) {
        assert_ptr_equal(all[i].component, expected[i].component);
        assert_int_equal(all[i].kind, expected[i].kind);
        assert_int_equal(all[i].access, expected[i].access);
        assert_int_equal(all[i].query, expected[i].query);
        assert_int_equal(all[i].filter, expected[i].filter);
        assert_int_equal(all[i].lane != NULL, expected[i].lane != NULL);
    }
    assert_int_equal(offsetof(struct all_terms, drift) / sizeof(void *), 13);
    assert_int_equal(offsetof(struct all_terms, soon) / sizeof(void *), 29);
}

/* 72 terms and 64 fields: more than one step of the list, and the maximum of a component. */
#define EIGHT(f, a) f(a##0), f(a##1), f(a##2), f(a##3), f(a##4), f(a##5), f(a##6), f(a##7)
LS_COMPONENT(wide, EIGHT(U8, a), EIGHT(U8, b), EIGHT(U8, c), EIGHT(U8, d), EIGHT(U8, e),
             EIGHT(U8, f), EIGHT(U8, g), EIGHT(U8, h));
#define PLACE(a) OTHERS_READ(place, a)
LS_TERMS(long_list, EIGHT(PLACE, a), EIGHT(PLACE, b), EIGHT(PLACE, c), EIGHT(PLACE, d),
         EIGHT(PLACE, e), EIGHT(PLACE, f), EIGHT(PLACE, g), EIGHT(PLACE, h),
         QUERY(3, READS(place), READS(wide)), EIGHT(PLACE, i));

TEST(test_uses_lists_are_long)
{
    ls_error error;
    assert_int_equal(ls_component_check(&wide_component, &error), LS_OK);
    assert_int_equal(wide_component.field_count, LS_COMPONENT_FIELDS_MAX);
    assert_string_equal(wide_component.fields[63].name, "h7");
    assert_int_equal(LS_COUNT_OF(long_list), 75);
    assert_int_equal(offsetof(struct long_list_terms, wide) / sizeof(void *), 65);
    assert_int_equal(long_list[65].query, 3);
    assert_int_equal(offsetof(struct long_list_terms, i7) / sizeof(void *), 73);
}

LS_TERMS(starting, OTHERS_STRUCTURE(place), OTHERS_STRUCTURE(hungry), OTHERS_STRUCTURE(tally),
         WRITES_SINGLETON(roster));
static ls_entity first, second;

static void start(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, starting);
    first = ls_spawn(context, 0);
    second = ls_spawn(context, 0);
    const place there = {3, 4};
    assert_true(LS_ATTACH(context, place, first, .y = 2, .x = 1));
    assert_true(LS_ATTACH_COPY(context, place, second, &there));
    assert_true(LS_ATTACH_TAG(context, hungry, second));
    assert_true(LS_ATTACH(context, tally, first, 0));
    LS_WRITE_SINGLETON(context, roster)->winner = 7;
}

LS_TERMS(acting, WRITES(place), WITHOUT(hungry),
         QUERY(1, READS(place, other), DETACHES(hungry, eaten)), ACCUMULATES(tally, LS_ADD),
         COMMANDED(letter), SENDS(bell), READS_SINGLETON(roster));
LS_TERMS(hearing, RECEIVES(bell), WRITES(tally), OTHERS_STRUCTURE(speed));

static void act(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, acting);
    place *own = LS_WRITE(context, place, entities[0]);
    const place *other = LS_READ(context, other, entities[1]);
    own->x += other->x;
    own->y = (ls_fix)LS_READ_SINGLETON(context, roster)->winner;
    assert_true(LS_HAS(context, eaten, entities[1]) && !LS_HAS(context, hungry, entities[0]));
    assert_true(LS_DETACH(context, eaten, entities[1]));
    LS_COMMAND_ATTACH(context, letter, entities[0], .text = 9);
    assert_true(LS_ACCUMULATE(context, tally, entities[0], 5));
    LS_SEND(context, bell, 1);
    LS_SEND(context, bell, .by = 2);
    LS_SEND(context, bell, 4);
}

static void hear(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, hearing);
    tally *own = LS_WRITE(context, tally, entities[0]);
    LS_EACH_EVENT(context, bell, rung)
    {
        if (rung->by == 4)
            break;
        own->sum += rung->by;
    }
    LS_ATTACH(context, speed, entities[0], .x = (ls_fix)own->sum);
}

LS_TERMS(drifting, WRITES(place), OPTIONALLY_READS(letter));
static void drift(ls_context *context, const ls_span *span)
{
    LS_USES(context, drifting);
    place *at = LS_WRITE_SPAN(context, place, span);
    const letter *text = LS_READ_SPAN(context, letter, span);
    for (uint32_t i = 0; i < span->count; i++)
        at[i].y += 100 + (ls_fix)(text ? text[i].text : 0);
}

LS_TERMS(marking, READS(place), ATTACHES(letter), ATTACHES(hungry));
static void mark(ls_context *context, const ls_block *block)
{
    LS_USES(context, marking);
    const place *at = LS_READ_BLOCK(context, place, block);
    uint64_t mask = block->matches & ~LS_PRESENT_IN_BLOCK(letter, block);
    letter *letters = LS_ATTACH_BLOCK(context, letter, block, mask);
    for (uint32_t i; ls_mask_take(&mask, &i);)
        letters[i].text = (uint32_t)at[i].x;
    LS_ATTACH_BLOCK(context, hungry, block, block->matches);
    LS_DETACH_BLOCK(context, hungry, block, block->matches);
}

static const ls_system setup = {
    .name = "start", .mode = LS_SEQUENTIAL, .match = start, .terms = starting, .lanes = "a"};
static const ls_system systems[] = {
    {.name = "act", .mode = LS_SEQUENTIAL, .match = act, .terms = acting},
    {.name = "hear", .mode = LS_SEQUENTIAL, .match = hear, .terms = hearing, .after = "act"},
    {.name = "drift", .span = drift, .terms = drifting, .after = "hear"},
    {.name = "mark", .block = mark, .terms = marking, .after = "drift"},
};
static const char *const lanes[] = {"a"};

LS_TERMS(places, READS(place), READS(letter));
TEST(test_uses_are_the_calls_by_index)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    assert_int_equal(LS_WORLD_READ(self.world, place, first)->x, 4);
    assert_int_equal(LS_WORLD_READ(self.world, place, first)->y, 107);
    assert_int_equal(LS_WORLD_READ(self.world, tally, first)->sum, 8);
    assert_int_equal(LS_WORLD_READ(self.world, speed, first)->x, 8);
    assert_int_equal(LS_WORLD_READ(self.world, letter, first)->text, 9);
    assert_int_equal(LS_WORLD_READ(self.world, letter, second)->text, 3);
    assert_int_equal(LS_WORLD_SINGLETON(self.world, roster)->winner, 7);
    uint32_t rung = 0, seen = 0;
    LS_EACH_WORLD_EVENT(self.world, bell, event)
    rung += event->by;
    assert_int_equal(rung, 7);
    ls_world_walk walk;
    for (ls_world_walk_begin(self.world, places, &walk); ls_world_walk_next(&walk);) {
        for (uint32_t i = 0; i < walk.span.count; i++)
            seen += (uint32_t)LS_WALK_READ(places, place, &walk)[i].x *
                    LS_WALK_READ(places, letter, &walk)[i].text;
    }
    assert_int_equal(seen, 4 * 9 + 3 * 3);
    harness_end(&self);
}

/* As another file sees a list in a header: equal, and elsewhere. */
static const ls_term *other_array(void)
{
    LS_TERMS(twin, WRITES(place), OPTIONALLY_READS(letter));
    return twin;
}

static const ls_term *short_list(void)
{
    LS_TERMS(beginning, WRITES(place));
    return beginning;
}

static const ls_term *longer_list(void)
{
    LS_TERMS(longer, WRITES(place), OPTIONALLY_READS(letter), SENDS(bell));
    return longer;
}

static const ls_term *weaker_list(void)
{
    LS_TERMS(weaker, READS(place), OPTIONALLY_READS(letter));
    return weaker;
}

static const ls_term *filtered_list(void)
{
    LS_TERMS(filtered, WRITES(place), ANY_OF(letter, tally));
    return filtered;
}

static const ls_term *used;
static void use_other(ls_context *context, const ls_span *span)
{
    (void)span;
    ls_uses_(context, used, "marking");
}

static void run_other(void *list)
{
    used = list;
    ls_system other[] = {{.name = "other", .span = use_other, .terms = drifting},
                         {.name = "mark", .block = mark, .terms = marking, .after = "other"}};
    ls_sim sim = HARNESS_SIM(components, lanes, other);
    sim.setup = &setup;
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_uses_a_list_of_another_system_stops)
{
    assert_ptr_not_equal(other_array(), drifting);
    run_other((void *)(uintptr_t)other_array());
    /* A helper of several systems uses a list of their first terms. */
    run_other((void *)(uintptr_t)short_list());
    assert_dies(run_other, (void *)(uintptr_t)longer_list(), "system \"other\"");
    assert_dies(run_other, (void *)(uintptr_t)weaker_list(), "system \"other\"");
    assert_dies(run_other, (void *)(uintptr_t)filtered_list(), "system \"other\"");
    assert_dies(run_other, (void *)(uintptr_t)marking, "system \"other\"", "LS_USES(marking)",
                "the list of system \"mark\"");
    assert_dies(run_other, (void *)(uintptr_t)hearing, "system \"other\"",
                "no system has that list");
    assert_dies(run_other, (void *)(uintptr_t)places, "system \"other\"");
}

TEST(test_uses_joins_name_fields)
{
    static const ls_component pairs = {.name = "pairs"};
    const ls_grid *grids = LS_GRIDS({LS_POSITION(place, x, y), .cell = 7, .start = true},
                                    {LS_POSITION_PAIR(pair, at), .with = &pairs, .cell = 9},
                                    {LS_POSITION_TRIPLE(flight, at), .cell = 3},
                                    {LS_POSITION(flight, at.z, at.x, route[1][0].y), .cell = 4});
    assert_ptr_equal(grids[0].component, &place_component);
    assert_int_equal(grids[0].offset_x, offsetof(place, x));
    assert_int_equal(grids[0].offset_y, offsetof(place, y));
    assert_int_equal(grids[0].cell, 7);
    assert_true(grids[0].start);
    assert_ptr_equal(grids[1].component, &pair_component);
    assert_int_equal(grids[1].offset_x, offsetof(pair, at.x));
    assert_int_equal(grids[1].offset_y, offsetof(pair, at.y));
    assert_ptr_equal(grids[1].with, &pairs);
    assert_false(grids[0].has_z || grids[1].has_z || grids[0].offset_z || grids[1].offset_z);
    assert_true(grids[2].has_z && grids[3].has_z);
    assert_int_equal(grids[2].offset_x, offsetof(flight, at.x));
    assert_int_equal(grids[2].offset_y, offsetof(flight, at.y));
    assert_int_equal(grids[2].offset_z, offsetof(flight, at.z));
    assert_int_equal(grids[3].offset_x, offsetof(flight, at.z));
    assert_int_equal(grids[3].offset_z, offsetof(flight, route[1][0].y));
    assert_null(grids[4].component);
    const ls_join *joins = LS_JOINS({LS_KEY(worker, home)},
                                    {LS_KEY(worker, team), .query = 1, LS_KEY_FROM(tally, sum)});
    assert_ptr_equal(joins[0].component, &worker_component);
    assert_int_equal(joins[0].offset, offsetof(worker, home));
    assert_null(joins[0].from);
    assert_int_equal(joins[1].offset, offsetof(worker, team));
    assert_int_equal(joins[1].query, 1);
    assert_ptr_equal(joins[1].from, &tally_component);
    assert_int_equal(joins[1].from_offset, offsetof(tally, sum));
}
