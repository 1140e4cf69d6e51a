/* Each test plants a fault and asserts the search's report: system, page, cell and line, as text
 * and as JSON. */
#include "desync/first_difference.h"
#include "plants.h"

static int32_t calls; /* state outside every world */
static const char *const names[2] = {"one", "other"};

static void walk(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        PLANT(cells[i].x++);
}

static const ls_system walker = {
    .name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = LS_TERM_LIST(LS_WRITES(places))};

static void count(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        if (ls_span_entity(span, i) == ls_entity_make(LANE_A, 270, 1))
            PLANT(cells[i].y = 1000 + calls++);
    }
}

/* Between these two counts of calls, pause_count() repeats one value instead of counting. */
static int32_t lull_begin = INT32_MAX, lull_end = INT32_MAX;

static void pause_count(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        if (ls_span_entity(span, i) == ls_entity_make(LANE_A, 270, 1)) {
            int32_t value = calls >= lull_begin && calls < lull_end ? lull_begin : calls;
            calls++;
            PLANT(cells[i].y = 1000 + value);
        }
}

static const ls_system pauser = {.name = "count",
                                 .mode = LS_CONCURRENT,
                                 .span = pause_count,
                                 .terms = LS_TERM_LIST(LS_WRITES(places)),
                                 .after = "walk"};

static const ls_system counter = {.name = "count",
                                  .mode = LS_CONCURRENT,
                                  .span = count,
                                  .terms = LS_TERM_LIST(LS_WRITES(places)),
                                  .after = "walk"};

static void find(plants *self, ls_first_difference *difference)
{
    const ls_frame frame = {.tick = ls_world_tick(self->a.world)};
    ls_error error = {""};
    if (ls_first_difference_find(&self->runs[0], &self->runs[1], &frame, difference, &error) !=
        LS_OK)
        fail_msg("%s", error.text);
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void assert_prints(const ls_first_difference *difference, const char *const *words)
{
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_first_difference_print(difference, names, &result);
    for (; *words; words++)
        assert_says(result.lines.data, *words);
    ls_result_reset(&result);
}
#define ASSERT_PRINTS(difference, ...)                                                             \
    assert_prints(difference, (const char *const[]){__VA_ARGS__, NULL})

static void assert_line(const ls_first_difference *difference, uint32_t side, const char *function)
{
    const ls_first_difference_store *store = &difference->stores[side];
    assert_true(store->is_there);
    assert_string_equal(store->place.function, function);
    assert_int_equal(store->place.line, plants_line);
    assert_says(store->place.file, "test_first_difference.c");
}

TEST(test_first_difference_names_everything_down_to_the_line)
{
    plants self;
    ls_first_difference difference;
    const ls_system systems[] = {walker, counter};
    assert_int_equal(PLANTS_BLAME(&self, systems), LS_BLAME_SYSTEM);
    plants_line = 0;
    find(&self, &difference);
    assert_string_equal(difference.suspect.system, "count");
    assert_true(difference.has_page);
    assert_int_equal(difference.page, 1);
    assert_int_equal(difference.lane, LANE_A);
    assert_line(&difference, 0, "count");
    assert_line(&difference, 1, "count");
    assert_string_equal(difference.stores[0].old, "540");
    assert_int_equal(atoi(difference.stores[1].now), atoi(difference.stores[0].now) + 1);
    ASSERT_PRINTS(&difference, "system     count, stage main\n", "page       1 of lane a\n",
                  "component  place\n", "entity     a/270:1\n", "field      y\n",
                  "store      one: place.y of a/270:1: 540 -> ", "store      other: place.y of",
                  "\nline       count at ", "\n    #0 count at ");
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

TEST(test_first_difference_as_json)
{
    plants self;
    ls_first_difference difference;
    const ls_system systems[] = {walker, counter};
    PLANTS_BLAME(&self, systems);
    find(&self, &difference);
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_first_difference_print(&difference, names, &result);
    ls_result_end(&result);
    const char *json = result.json.data;
    assert_says(json, "{\"blame\": \"system\", \"system\": \"count\", \"stage\": \"main\", ");
    assert_says(json, "\"page\": 1, \"lane\": \"a\", \"component\": \"place\", "
                      "\"entity\": \"a/270:1\", \"field\": \"y\", \"writers\": [], ");
    assert_says(json, "\"store\": {\"old\": \"540\", \"new\": \"");
    assert_says(json, "\"function\": \"count\", \"file\": \"");
    assert_says(json, "\"backtrace\": [\"#0 count at ");
    ls_result_reset(&result);
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

static void take(ls_context *context, const ls_span *span)
{
    const place *from = unconst(ls_span_read(context, span, 0));
    health *cells = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].left = from[i].x;
}

static void sneak(ls_context *context, const ls_span *span)
{
    PLANT(((place *)unconst(ls_span_read(context, span, 0)))[0].x = 77);
}

/* The reader is not to blame: the report must name the line of the write in between. */
TEST(test_first_difference_of_an_order_is_the_store_between)
{
    plants self;
    ls_first_difference difference;
    const ls_system systems[] = {{.name = "sneak",
                                  .mode = LS_CONCURRENT,
                                  .span = sneak,
                                  .terms = LS_TERM_LIST(LS_READS(places))},
                                 {.name = "take",
                                  .mode = LS_CONCURRENT,
                                  .span = take,
                                  .terms = LS_TERM_LIST(LS_READS(places), LS_WRITES(healths))}};
    const ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    plants_begin(&self, &sim, NULL);
    while (plants_find(&self) == LS_BLAME_NONE)
        assert_true(++self.runs[1].shuffle_seed < 64);
    find(&self, &difference);
    assert_int_equal(difference.suspect.blame, LS_BLAME_ORDER);
    uint32_t first = difference.stores[0].is_there ? 0 : 1;
    assert_line(&difference, first, "sneak");
    assert_false(difference.stores[!first].is_there);
    ASSERT_PRINTS(&difference, "without declaring it", ": 0 -> 77", ": none like it\n");
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

TEST(test_first_difference_of_equal_runs)
{
    plants self;
    ls_first_difference difference;
    assert_int_equal(plants_blame(&self, &walker, 1), LS_BLAME_NONE);
    find(&self, &difference);
    assert_int_equal(difference.suspect.blame, LS_BLAME_NONE);
    assert_false(difference.has_store);
    ASSERT_PRINTS(&difference, "one state both ways");
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

TEST(test_first_difference_says_why_there_is_no_store)
{
    char what[96];
    plants self;
    ls_first_difference difference;
    const ls_system one[] = {{.name = "walk",
                              .mode = LS_CONCURRENT,
                              .span = walk,
                              .terms = LS_TERM_LIST(LS_WRITES(places))}};
    const ls_sim sim = check_sim(one, 1);
    plants_begin(&self, &sim, NULL);
    assert_true(ls_world_flip_bit(self.b.world, 2, what, sizeof what));
    find(&self, &difference);
    assert_int_equal(difference.suspect.blame, LS_BLAME_START);
    ASSERT_PRINTS(&difference, "differ before the tick", "store      unknown: ");
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

/* Values that change with every run, such as the time, may be equal in both runs by chance. */
TEST(test_first_difference_watches_again_when_the_stores_agree_by_chance)
{
    plants self;
    ls_first_difference difference;
    const ls_system systems[] = {walker, pauser};
    PLANTS_BLAME(&self, systems);
    calls = 0;
    find(&self, &difference);
    ls_first_difference_reset(&difference);
    int32_t runs = calls; /* the last two runs were watched */

    calls = 0;
    lull_begin = runs - 2;
    lull_end = runs + 2;
    find(&self, &difference);
    assert_int_equal(calls, runs + 4);
    assert_line(&difference, 0, "pause_count");
    assert_line(&difference, 1, "pause_count");
    ls_first_difference_reset(&difference);

    calls = 0;
    lull_end = INT32_MAX;
    find(&self, &difference);
    assert_false(difference.has_store);
    ASSERT_PRINTS(&difference, "its stores were the same when it ran 4 times more");
    ls_first_difference_reset(&difference);
    lull_begin = INT32_MAX;
    plants_end(&self);
}

/* After the faulty write another system writes the same value again, which changes nothing. */
TEST(test_first_difference_finds_the_last_store_into_a_cell)
{
    plants self;
    ls_first_difference difference;
    const place expected = {271, 4};
    const ls_cell_claim claim = {.column = 0,
                                 .entity = ls_entity_make(LANE_A, 270, 1),
                                 .expected = (const uint8_t *)&expected};
    const ls_frame frame = {.tick = 0};
    const ls_system systems[] = {walker, counter};
    PLANTS_BLAME(&self, systems);
    plants_line = 0;
    const ls_program *program = self.a.program;
    ls_cell_claim place_claim = claim;
    while (ls_program_component(program, place_claim.column) != &places)
        place_claim.column++;
    assert_ok(
        ls_first_difference_find_cell(&self.runs[0], &frame, &place_claim, &difference, NULL));
    assert_string_equal(difference.suspect.system, "count");
    assert_string_equal(difference.suspect.field->name, "y");
    assert_string_equal(difference.suspect.b, "4");
    assert_line(&difference, 0, "count");
    ASSERT_PRINTS(&difference, "page       1 of lane a\n", "instead of 4", "other: 4\n");
    ls_first_difference_reset(&difference);

    const place good = {271, 1000 + calls};
    place_claim.expected = (const uint8_t *)&good;
    assert_ok(
        ls_first_difference_find_cell(&self.runs[0], &frame, &place_claim, &difference, NULL));
    assert_int_equal(difference.suspect.blame, LS_BLAME_NONE);
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

/* Memory that a run allocated is not restored, so the first watched run must already give the
 * result. */
TEST(test_first_difference_watches_a_named_system_in_its_first_run)
{
    plants self;
    ls_first_difference difference;
    const ls_frame frame = {.tick = 0};
    const ls_system systems[] = {walker, counter};
    ls_cell_claim claim = {.column = 0, .entity = ls_entity_make(LANE_A, 270, 1)};
    PLANTS_BLAME(&self, systems);
    while (ls_program_component(self.a.program, claim.column) != &places)
        claim.column++;
    plants_line = 0;
    calls = 0;
    assert_ok(ls_first_difference_find_store(&self.runs[0], &frame, "count", &claim,
                                             &places.fields[1], &difference, NULL));
    assert_string_equal(difference.stores[0].now, "1000");
    assert_line(&difference, 0, "count");
    ls_first_difference_reset(&difference);
    plants_end(&self);
}

TEST(test_first_difference_of_an_absent_cell_and_of_wrong_use)
{
    plants self;
    ls_first_difference difference;
    ls_error error;
    ls_cell_claim claim = {.column = 0, .entity = ls_entity_make(LANE_A, 3, 1)};
    const ls_frame frame = {.tick = 0}, late = {.tick = 1};
    plants_blame(&self, &walker, 1);
    while (ls_program_component(self.a.program, claim.column) != &places)
        claim.column++;
    assert_ok(ls_first_difference_find_cell(&self.runs[0], &frame, &claim, &difference, &error));
    assert_int_equal(difference.suspect.blame, LS_BLAME_OUTSIDE);
    ASSERT_PRINTS(&difference, "place of a/3:1 as present instead of nothing",
                  "no system stored into the cell");
    ls_first_difference_reset(&difference);
    assert_int_equal(
        ls_first_difference_find_cell(&self.runs[0], &late, &claim, &difference, &error),
        LS_ERROR_USAGE);
    claim.column = 1000;
    assert_int_equal(
        ls_first_difference_find_cell(&self.runs[0], &frame, &claim, &difference, &error),
        LS_ERROR_USAGE);
    plants_end(&self);
}
