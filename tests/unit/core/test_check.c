/* Tests the check executor: each test plants one forbidden action of a system, and asserts that the
 * finding names it. The tests of all other parts prove that correct systems give no finding. */
#include "check_sim.h"

#include "core/state/page.h"

#include <time.h>

static void write_const(ls_context *context, const ls_span *span)
{
    place *cells = unconst(ls_span_read(context, span, 0));
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].y += ls_span_entity(span, i) == ls_entity_make(LANE_A, 270, 1);
}

TEST(test_check_finds_a_write_through_a_const_pointer)
{
    const ls_system systems[] = {{.name = "peek",
                                  .mode = LS_CONCURRENT,
                                  .span = write_const,
                                  .terms = LS_TERM_LIST(LS_READS(places))}};
    expect_finding(
        systems, "\"peek\" writes what it may not write: place.y of a/270:1 is 541 instead of 540");
}

static void write_singleton(ls_context *context, const ls_entity *entities)
{
    ((tally *)unconst(ls_singleton_read(context, 0)))->spare = 7;
}

TEST(test_check_finds_a_write_to_a_singleton)
{
    const ls_system systems[] = {{.name = "poke",
                                  .mode = LS_SEQUENTIAL,
                                  .match = write_singleton,
                                  .terms = LS_TERM_LIST(LS_OTHERS_READ(tallies))}};
    expect_finding(systems, "\"poke\" writes what it may not write: tally.spare is 7 instead of 0");
}

static void write_beyond(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[span->count].x = -5;
}

TEST(test_check_finds_a_write_beyond_the_span)
{
    const ls_system systems[] = {{.name = "spill",
                                  .mode = LS_CONCURRENT,
                                  .span = write_beyond,
                                  .terms = LS_TERM_LIST(LS_WRITES(places), LS_WITH(healths))}};
    expect_finding(systems,
                   "\"spill\" writes what it may not write: place.x of a/1:1 is -5 instead of 1");
}

static void write_beyond_pages(ls_context *context, const ls_span *span)
{
    if (span->count == LS_PAGE_SLOTS)
        write_beyond(context, span);
}

TEST(test_check_finds_a_write_beyond_the_page)
{
    const ls_system systems[] = {{.name = "burst",
                                  .mode = LS_CONCURRENT,
                                  .span = write_beyond_pages,
                                  .terms = LS_TERM_LIST(LS_WRITES(places))}};
    expect_finding(systems, "\"burst\" writes over the head of page 1 of \"place\" in lane a");
}

static void write_absent(ls_context *context, const ls_block *block)
{
    health *cells = ls_block_write(context, block, 0);
    for (uint32_t i = 0; i < 64; i++)
        cells[i].left++;
}

TEST(test_check_finds_a_write_where_there_is_no_cell)
{
    const ls_system systems[] = {{.name = "fill",
                                  .mode = LS_CONCURRENT,
                                  .block = write_absent,
                                  .terms = LS_TERM_LIST(LS_WRITES(healths))}};
    expect_finding(systems, "\"fill\" writes where there is no cell: health of a/1:1");
}

static void detach_by_hand(ls_context *context, const ls_span *span)
{
    uint8_t *cells = ls_span_write(context, span, 0);
    ls_page *page = (ls_page *)(void *)(cells - LS_PAGE_CELLS_OFFSET);
    if (span->first_slot % LS_PAGE_SLOTS == 0)
        page->present[1] &= ~(uint64_t)2;
}

TEST(test_check_finds_a_change_of_presence_by_hand)
{
    const ls_system systems[] = {{.name = "saw",
                                  .mode = LS_CONCURRENT,
                                  .span = detach_by_hand,
                                  .terms = LS_TERM_LIST(LS_WRITES(places))}};
    expect_finding(systems, "\"saw\" detaches without declaring it: place of a/65:1");
}

static void kill_by_hand(ls_context *context, const ls_span *span)
{
    ((uint32_t *)unconst(span->generations))[3]++;
}

TEST(test_check_finds_a_life_that_is_changed_by_hand)
{
    const ls_system systems[] = {{.name = "doom",
                                  .mode = LS_CONCURRENT,
                                  .span = kill_by_hand,
                                  .terms = LS_TERM_LIST(LS_READS(places))}};
    expect_finding(systems, "\"doom\" changes a life by hand: slot 3 of lane a");
}

static void read_neighbour(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[0].y = cells[1].x;
}

TEST(test_check_finds_a_read_of_a_neighbour)
{
    const ls_system systems[] = {{.name = "lean",
                                  .mode = LS_CONCURRENT,
                                  .span = read_neighbour,
                                  .terms = LS_TERM_LIST(LS_WRITES(places), LS_WITH(healths))}};
    expect_finding(systems, "\"lean\" reads what it may not read: place.x of a/1:1; with another "
                            "value there, place.y of a/0:1 is");
}

static const health *kept;

static void keep(ls_context *context, const ls_span *span)
{
    if (span->first_slot == 4)
        kept = ls_span_read(context, span, 0);
}

#define KEEPER                                                                                     \
    {                                                                                              \
        .name = "keep", .mode = LS_CONCURRENT, .span = keep,                                       \
        .terms = LS_TERM_LIST(LS_READS(healths))                                                   \
    }

static void use_kept(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[0].x += kept->mood;
}

TEST(test_check_finds_a_read_through_a_pointer_from_elsewhere)
{
    const ls_system systems[] = {KEEPER,
                                 {.name = "use",
                                  .mode = LS_CONCURRENT,
                                  .span = use_kept,
                                  .terms = LS_TERM_LIST(LS_WRITES(places)),
                                  .after = "keep"}};
    expect_finding(systems, "\"use\" reads what it may not read: health.mood of a/4:1");
}

static void write_kept(ls_context *context, const ls_entity *entities)
{
    ((health *)unconst(kept))->is_ill ^= 1;
}

TEST(test_check_finds_a_write_through_a_pointer_from_elsewhere)
{
    const ls_system systems[] = {
        KEEPER, {.name = "infect", .mode = LS_SEQUENTIAL, .match = write_kept, .after = "keep"}};
    expect_finding(
        systems,
        "\"infect\" writes what it may not write: health.is_ill of a/4:1 is true instead of false");
}

static void leave_behind(ls_context *context, const ls_entity *entities)
{
    const char *what = ls_system_data(context);
    bool is_friend = kept->friend == ls_entity_make(LANE_A, 4, 1);
    const tally value = {is_friend, 0};
    if (entities[0] != ls_entity_make(LANE_A, 8, 1))
        return;
    if (strcmp(what, "despawn") == 0 && is_friend)
        ls_despawn(context, entities[0]);
    else if (strcmp(what, "event") == 0)
        ls_event_send(context, 1, &value);
    else if (strcmp(what, "command") == 0)
        ls_command_attach(context, 1, entities[0], &value);
    else if (strcmp(what, "accumulate") == 0)
        ls_accumulate(context, 1, LS_ENTITY_NULL, &value);
}

#define LEAVER(what, ...)                                                                          \
    {                                                                                              \
        .name = "leave", .mode = LS_CONCURRENT, .match = leave_behind, .data = what,               \
        .terms = LS_TERM_LIST(LS_READS(places), __VA_ARGS__), .after = "keep"                      \
    }

TEST(test_check_finds_reads_that_show_in_what_is_left_behind)
{
#define READ "\"leave\" reads what it may not read: health.friend of a/4:1; "
    const ls_system despawns[] = {KEEPER,
                                  {.name = "leave",
                                   .mode = LS_CONCURRENT,
                                   .match = leave_behind,
                                   .data = "despawn",
                                   .terms = LS_TERM_LIST(LS_READS(places)),
                                   .after = "keep"}};
    expect_finding(despawns, READ, "it no longer despawns a/8:1");
    const ls_system events[] = {KEEPER, LEAVER("event", LS_SENDS(bells))};
    expect_finding(events, READ, "the events that it sends, \"bell\"");
    const ls_system commands[] = {KEEPER, LEAVER("command", LS_COMMANDED(notes))};
    expect_finding(commands, READ, "what it commands, \"note\" of a/8:1");
    const ls_system values[] = {KEEPER, LEAVER("accumulate", LS_ACCUMULATES(tallies, LS_ADD))};
    expect_finding(values, READ, "what it accumulates, \"tally\"");
}

static void count_calls(ls_context *context, const ls_entity *entities)
{
    static uint32_t calls;
    tally *cell = ls_singleton_write(context, 0);
    cell->sum = ++calls;
}

static void read_the_clock(ls_context *context, const ls_entity *entities)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    tally *cell = ls_singleton_write(context, 0);
    cell->sum = (uint32_t)now.tv_nsec;
}

static void read_the_address(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum = (uint32_t)((uintptr_t)ls_singleton_read(context, 1) / 64);
}

TEST(test_check_finds_what_is_not_in_the_world)
{
    static ls_match_function *const functions[] = {count_calls, read_the_clock, read_the_address};
    for (uint32_t i = 0; i < LS_COUNT_OF(functions); i++) {
        const ls_system systems[] = {
            {.name = "hide",
             .mode = LS_SEQUENTIAL,
             .match = functions[i],
             .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tallies), LS_OTHERS_READ(tallies))}};
        expect_finding(systems, "\"hide\" depends on what is not in the world",
                       "run again, tally.sum is ");
    }
}

/* The last entity reads the first, which the system also owns, but on another page. */
static void follow_the_first(ls_context *context, const ls_entity *entities)
{
    static const place *first;
    place *cell = ls_cell_write(context, 0, entities[0]);
    cell->x++;
    if (ls_entity_slot(entities[0]) == 0)
        first = cell;
    if (ls_entity_slot(entities[0]) == 299 && first)
        cell->y = first->x;
}

TEST(test_check_finds_what_hangs_on_the_order_of_pages)
{
    const ls_system systems[] = {{.name = "follow",
                                  .mode = LS_CONCURRENT,
                                  .match = follow_the_first,
                                  .terms = LS_TERM_LIST(LS_WRITES(places))}};
    ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    harness self;
    harness_begin(&self, &sim, 1);
    ls_executor *executor = harness_checker();
    ls_status status = LS_OK;
    ls_error error = {""};
    for (ls_frame frame = {0}; status == LS_OK && frame.tick < 32; frame.tick++)
        status = ls_world_advance(self.world, &frame, executor, &error);
    assert_non_null(strstr(error.text, "on the order of pages: run again, place.y of a/299:1 is "));
    ls_executor_destroy(executor);
    harness_end(&self);
}

static void decide_by_count(ls_context *context, const ls_entity *entities)
{
    static uint32_t calls;
    ls_decide(context, ++calls % 2 ? LS_YES : LS_NO);
}

static void do_nothing(ls_context *context, const ls_entity *entities)
{
}

TEST(test_check_covers_criteria)
{
    const ls_system criterion = {.name = "moon", .mode = LS_SEQUENTIAL, .match = decide_by_count};
    const ls_set sets[] = {{.name = "night", .when = {.criterion = &criterion}}};
    const ls_system systems[] = {
        {.name = "owl", .mode = LS_SEQUENTIAL, .match = do_nothing, .labels = "night"}};
    ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    check_finds(&sim, (const char *const[]){"\"moon\" depends on what is not in the world",
                                            "it decides 0 instead of 1", NULL});
}

static void want_more(ls_context *context, const ls_entity *entities)
{
    ls_decide(context, LS_YES_AND_AGAIN);
}

static void count_runs(ls_context *context, const ls_entity *entities)
{
    tally *cell = ls_singleton_write(context, 0);
    cell->sum++;
}

TEST(test_check_leaves_the_world_when_the_tick_fails_by_itself)
{
    const ls_system criterion = {.name = "more", .mode = LS_SEQUENTIAL, .match = want_more};
    const ls_set sets[] = {
        {.name = "loop", .when = {.criterion = &criterion, .iterations_max = 3}}};
    const ls_system systems[] = {{.name = "count",
                                  .mode = LS_SEQUENTIAL,
                                  .match = count_runs,
                                  .terms = LS_TERM_LIST(LS_OTHERS_WRITE(tallies)),
                                  .labels = "loop"}};
    ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    sim.sets = sets;
    sim.set_count = LS_COUNT_OF(sets);
    harness self;
    harness_begin(&self, &sim, 1);
    ls_executor *executor = harness_checker();
    uint64_t root = ls_world_root(self.world);
    const ls_frame frame = {.tick = 0};
    assert_int_equal(ls_world_advance(self.world, &frame, executor, NULL), LS_ERROR_LIMIT);
    assert_int_equal(ls_world_root(self.world), root);
    ls_executor_destroy(executor);
    harness_end(&self);
}

TEST(test_check_covers_exclusive_systems)
{
    static const ls_slot slots[] = {LS_AT_START, LS_BEFORE_COMMANDS, LS_AT_END};
    for (uint32_t i = 0; i < LS_COUNT_OF(slots); i++) {
        const ls_system systems[] = {{.name = "poke",
                                      .mode = LS_SEQUENTIAL,
                                      .match = write_singleton,
                                      .terms = LS_TERM_LIST(LS_OTHERS_READ(tallies)),
                                      .slot = slots[i]}};
        expect_finding(systems, "\"poke\" writes what it may not write: tally.spare");
    }
}

TEST(test_check_reports_all_that_it_finds)
{
    const ls_system systems[] = {{.name = "peek",
                                  .mode = LS_CONCURRENT,
                                  .span = write_const,
                                  .terms = LS_TERM_LIST(LS_READS(places))},
                                 {.name = "lean",
                                  .mode = LS_CONCURRENT,
                                  .span = read_neighbour,
                                  .terms = LS_TERM_LIST(LS_WRITES(places), LS_WITH(healths)),
                                  .after = "peek"},
                                 {.name = "poke",
                                  .mode = LS_SEQUENTIAL,
                                  .match = write_singleton,
                                  .terms = LS_TERM_LIST(LS_OTHERS_READ(tallies)),
                                  .after = "lean"}};
    expect_finding(systems, "\"peek\" writes what", "\ntick 0: system \"lean\" reads what",
                   "\ntick 0: system \"poke\" writes what");
}

TEST(test_check_lets_an_honest_tick_pass)
{
    const ls_system systems[] = {KEEPER};
    ls_sim sim = check_sim(systems, LS_COUNT_OF(systems));
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *plain = harness_world(&self);
    ls_executor *executor = harness_checker();
    for (uint32_t tick = 0; tick < 3; tick++) {
        harness_tick(self.world, executor);
        harness_tick(plain, NULL);
        assert_int_equal(ls_world_root(self.world), ls_world_root(plain));
    }
    ls_executor_destroy(executor);
    ls_world_destroy(plain);
    harness_end(&self);
}

static void look_at_cells(ls_context *context, const ls_span *span)
{
    assert_non_null(span->const_cells[0]);
    assert_null(span->const_cells[1]);
}

static void look_at_blocks(ls_context *context, const ls_block *block)
{
    assert_non_null(block->const_cells[0]);
    assert_null(block->const_cells[1]);
    assert_int_not_equal(block->present[1], 0);
}

static void read_what_is_asked_for(ls_context *context, const ls_span *span)
{
    ls_span_read(context, span, 1);
}

static void run_once(void *argument)
{
    ls_sim sim = check_sim(argument, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    harness_tick(self.world, NULL);
    harness_end(&self);
}

TEST(test_check_has_no_cells_for_readers_of_presence)
{
#define ASKING .mode = LS_CONCURRENT, .terms = LS_TERM_LIST(LS_READS(places), LS_WITH(healths))
    ls_system spans = {.name = "look", .span = look_at_cells, ASKING};
    ls_system blocks = {.name = "look", .block = look_at_blocks, ASKING};
    ls_system reads = {.name = "look", .span = read_what_is_asked_for, ASKING};
    run_once(&spans);
    run_once(&blocks);
    assert_dies(run_once, &reads, "\"look\"", "\"health\"", "beyond the access");
}

TEST(test_check_runs_on_one_thread)
{
    const ls_executor_config refused[] = {{.threads = 2, .check = true},
                                          {.threads = 1, .shuffle_seed = 3, .check = true}};
    for (uint32_t i = 0; i < LS_COUNT_OF(refused); i++) {
        ls_executor *executor;
        ls_error error = {""};
        assert_int_equal(ls_executor_create(&refused[i], &executor, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, "one thread"));
    }
}
