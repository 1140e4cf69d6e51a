/* The schedule algebra: it gives the same graph as declared orders, and invalid expressions are
 * refused. */
#include "diary_sim.h"

static void idle(ls_context *context, const ls_entity *unused)
{
}

static void sweep(ls_context *context, const ls_span *span)
{
}

#define SEQUENTIAL(label, ...)                                                                     \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = idle,                                       \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries)), __VA_ARGS__                               \
    }
#define CONCURRENT(label, ...)                                                                     \
    {                                                                                              \
        .name = label, .span = sweep, .terms = LS_TERM_LIST(LS_WRITES(diary_counts)), __VA_ARGS__  \
    }

static void take_fingerprint(const ls_sim *sim, uint8_t *fingerprint)
{
    harness self;
    harness_begin(&self, sim, 1);
    memcpy(fingerprint, ls_program_fingerprint(self.program), LS_FINGERPRINT_BYTES);
    harness_end(&self);
}

static void assert_same_program(const ls_sim *one, const ls_sim *other)
{
    uint8_t first[LS_FINGERPRINT_BYTES], second[LS_FINGERPRINT_BYTES];
    take_fingerprint(one, first);
    take_fingerprint(other, second);
    assert_memory_equal(first, second, sizeof first);
}

static const ls_algebra full =
    LS_THEN(LS_CONC("move"),
            LS_PAR(LS_CONC("up"), LS_THEN(LS_CONC("down"), LS_SEQ("note")), LS_SEQ("watch")),
            LS_SEQ("end"));

TEST(test_algebra_builds_the_same_graph_as_descriptors)
{
    const ls_system plain[] = {CONCURRENT("up"),    CONCURRENT("down"), SEQUENTIAL("note"),
                               SEQUENTIAL("watch"), SEQUENTIAL("end"),  CONCURRENT("move")};
    const ls_system described[] = {CONCURRENT("up"),
                                   CONCURRENT("down", .labels = "second"),
                                   SEQUENTIAL("note", .labels = "second", .after = "down"),
                                   SEQUENTIAL("watch"),
                                   SEQUENTIAL("end", .after = "par(up|down...|watch)"),
                                   CONCURRENT("move", .before = "par(up|down...|watch)")};
    static const ls_par pars[] = {{.name = "par(up|down...|watch)", .sides = "up, second, watch"}};
    ls_sim one = diary_sim(plain, LS_COUNT_OF(plain));
    ls_sim other = diary_sim(described, LS_COUNT_OF(described));
    one.schedule = &full;
    other.pars = pars;
    other.par_count = 1;
    assert_same_program(&one, &other);
}

static const ls_algebra fails = LS_PAR(LS_CONC("up"), LS_CONC("down"));
static const ls_algebra first_wins = LS_PAR_FIRST(LS_CONC("up"), LS_CONC("down"));

TEST(test_algebra_says_how_a_clash_ends)
{
    static const ls_par pars[] = {
        {.name = "par(up|down)", .sides = "up, down", .clash = LS_PAR_FIRST_WINS}};
    const ls_system systems[] = {CONCURRENT("up"), CONCURRENT("down")};
    ls_sim one = diary_sim(systems, LS_COUNT_OF(systems)), other = one;
    uint8_t winning[LS_FINGERPRINT_BYTES], failing[LS_FINGERPRINT_BYTES];
    one.schedule = &first_wins;
    other.pars = pars;
    other.par_count = 1;
    assert_same_program(&one, &other);
    take_fingerprint(&one, winning);
    one.schedule = &fails;
    take_fingerprint(&one, failing);
    assert_memory_not_equal(winning, failing, sizeof winning);
}

TEST(test_algebra_orders_what_follows_an_empty_part)
{
    static const ls_algebra nothing = {.kind = LS_ALGEBRA_THEN};
    const ls_algebra parts[] = {LS_SEQ("b"), nothing, LS_SEQ("a")};
    const ls_algebra schedule = {.kind = LS_ALGEBRA_THEN, .part_count = 3, .parts = parts};
    const ls_system systems[] = {WRITER("a"), WRITER("b")};
    ls_sim sim = diary_sim(systems, 2);
    sim.schedule = &schedule;
    assert_writes(&sim, 2, "baba");
}

static const ls_algebra short_one = LS_THEN(LS_SEQ("c"), LS_SEQ("a"));

TEST(test_algebra_leaves_room_for_what_is_said_elsewhere)
{
    const ls_system systems[] = {WRITER("a"), WRITER("b", .after = "c", .before = "a"), WRITER("c"),
                                 WRITER("d", .after = "a")};
    ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
    sim.schedule = &short_one;
    assert_writes(&sim, 1, "cbad");
}

static const ls_algebra unknown = LS_THEN(LS_SEQ("a"), LS_SEQ("x"));
static const ls_algebra nameless = LS_THEN(LS_SEQ("a"), LS_SEQ(NULL));
static const ls_algebra twice = LS_THEN(LS_SEQ("a"), LS_SEQ("b"), LS_SEQ("a"));
static const ls_algebra mode = LS_PAR(LS_SEQ("a"), LS_CONC("b"));
static const ls_algebra kind = {.kind = (ls_algebra_kind)9};

TEST(test_algebra_refuses_what_is_no_schedule)
{
    const struct {
        const ls_algebra *schedule;
        ls_status status;
        const char *says;
    } cases[] = {
        {&unknown, LS_ERROR_USAGE, "LS_SEQ(\"x\"), but the simulation has no system of that name"},
        {&nameless, LS_ERROR_USAGE, "LS_SEQ(\"(null)\")"},
        {&twice, LS_ERROR_REFUSED, "has system \"a\" twice"}, /* and so makes a cycle */
        {&mode, LS_ERROR_REFUSED, "LS_CONC(\"b\"), but the system's mode is LS_SEQUENTIAL"},
        {&kind, LS_ERROR_USAGE, "a part of kind 9"},
    };
    const ls_system systems[] = {WRITER("a"), WRITER("b", .after = "a")};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_sim sim = diary_sim(systems, LS_COUNT_OF(systems));
        sim.schedule = cases[i].schedule;
        assert_refused(&sim, cases[i].status, cases[i].says);
    }
}

TEST(test_algebra_has_a_depth)
{
    ls_algebra chain[LS_ALGEBRA_DEPTH_MAX + 2] = {LS_SEQ("a")};
    for (uint32_t i = 1; i < LS_COUNT_OF(chain); i++)
        chain[i] = (ls_algebra){.kind = LS_ALGEBRA_THEN, .part_count = 1, .parts = &chain[i - 1]};
    const ls_system systems[] = {WRITER("a")};
    ls_sim sim = diary_sim(systems, 1);
    sim.schedule = &chain[LS_ALGEBRA_DEPTH_MAX];
    assert_writes(&sim, 1, "a");
    sim.schedule = &chain[LS_ALGEBRA_DEPTH_MAX + 1];
    assert_refused(&sim, LS_ERROR_USAGE, "nested at most 64 deep");
}
