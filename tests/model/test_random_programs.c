/* Thousands of random programs: every variant of the engine must give the model's result.
 *   LOCKSTEP_SEED=n     runs only that program, and shrinks it if it fails
 *   LOCKSTEP_LONG=n     runs n programs (20,000 if n is 1)
 *   LOCKSTEP_NO_SHRINK  reports a failing program without shrinking it */
#include "tests/model/check.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test.h"

#include <lockstep/world.h>

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Progress of the child that runs many programs, in shared memory so that it survives a crash. */
struct progress {
    uint64_t seed;
    check_counts counts;
};

static void run_range(struct progress *progress, uint64_t first, uint64_t last)
{
    checker self;
    check_take_signals();
    checker_begin(&self);
    for (uint64_t seed = first; seed < last; seed++) {
        progress->seed = seed;
        struct program made = program_generate(seed);
        if (!check_settle(&self, &made) || !check_program(&self, &made))
            _exit(1);
        progress->counts = self.counts;
    }
    checker_end(&self);
    _exit(0);
}

static void report(uint64_t seed)
{
    struct program made = program_generate(seed);
    char text[CHECK_TEXT_BYTES] = "";
    if (check_in_child(&made, text)) {
        print_error("seed %" PRIu64 " failed among others, but not alone\n", seed);
        return;
    }
    print_error("%s\n", text);
    if (getenv("LOCKSTEP_NO_SHRINK"))
        return;
    struct program small = check_shrink(&made, text);
    fprintf(stderr, "shrunk to: %s\n", text);
    program_print(&small, stderr);
    fprintf(stderr, "repeat with: LOCKSTEP_SEED=%" PRIu64 " model_threads test_random_programs\n",
            seed);
}

/* By bit from MODEL_FIRST_COUNTED on, and the least number in 1,500 programs. */
static const struct {
    const char *name;
    uint32_t least;
} abilities[MODEL_COUNTED] = {
    {"a grid in the plane", 20},
    {"a grid in space", 15},
    {"the values of a grid", 9},
    {"some of the nearest in the plane", 12},
    {"some of the nearest in space", 9},
    {"a walk of a key", 15},
    {"a count of a key", 12},
    {"an order of a player", 60},
    {"a state of a player", 24},
    {"a prefab", 24},
    {"a prefab by command", 30},
    {"an event of an earlier tick", 9},
    {"an operation of its own", 75},
    {"the least or greatest whole value", 120},
    {"the values of a join by key", 4},
};

static void print_counts(const check_counts *counts)
{
    static const char *const reasons[REFUSED_COUNT] = {
        "one uses what the other changes", "both spawn into one lane",
        "one spawns, the other matches all that lives", "newborns of one lane in parts",
        "one sends, the other receives"};
    print_message("%" PRIu64 " programs, %" PRIu64 " ticks, %" PRIu64 " systems, %" PRIu64
                  " entities at the end, %" PRIu64 " invocations, %" PRIu64
                  " pairs without an order; %" PRIu64 " cut short, %" PRIu64
                  " systems refused, %" PRIu64 " with partners, %" PRIu64 " ticks refused\n",
                  counts->programs, counts->ticks, counts->systems, counts->entities,
                  counts->invocations, counts->unordered_pairs, counts->cut_short,
                  counts->refused_systems, counts->partners, counts->broken);
    print_message("programs where a match had a partner: %" PRIu64 ", where two clashed: %" PRIu64
                  ", where the first won: %" PRIu64 "; with hierarchies: %" PRIu64
                  ", where an entity became its own ancestor: %" PRIu64
                  ", where parents first was another order: %" PRIu64
                  "; where the state changed: %" PRIu64 ", where it kept a system off: %" PRIu64
                  "; with access to the world: %" PRIu64 "\n",
                  counts->partnered, counts->clashed, counts->won, counts->parented, counts->cycles,
                  counts->reordered, counts->changed, counts->paused, counts->worlds);
    for (uint32_t i = 0; i < MODEL_COUNTED; i++)
        print_message("programs that met %-35s %6" PRIu64 "\n", abilities[i].name,
                      counts->abilities[i]);
    for (uint32_t i = 0; i < REFUSED_COUNT; i++)
        print_message("refused without an order: %-45s %6" PRIu64 ", safe by theorem 4.7: %6" PRIu64
                      "\n",
                      reasons[i], counts->refused[i], counts->refused_safe[i]);
}

/* Checks that rare abilities have not disappeared from the programs. */
static void check_coverage(const check_counts *counts, uint64_t count)
{
    uint64_t parts = count / 300;
    assert_true(counts->partnered >= 9 * parts);
    assert_true(counts->clashed >= parts && counts->won >= parts);
    assert_true(counts->partnered >= counts->clashed + counts->won + 3 * parts);
    assert_true(counts->parented >= 20 * parts && counts->cycles >= count / 1500);
    assert_true(counts->reordered >= 6 * parts);
    assert_true(counts->changed >= 5 * parts && counts->paused >= 20 * parts);
    assert_true(counts->worlds >= 20 * parts);
    for (uint32_t i = 0; i < MODEL_COUNTED; i++) {
        if (counts->abilities[i] < count * abilities[i].least / 1500)
            fail_msg("only %" PRIu64 " programs met %s", counts->abilities[i], abilities[i].name);
    }
}

/* Each build of ./test covers different seeds. */
#if HAS_ADDRESS_SANITIZER
enum { FIRST_SEED = 200001, PROGRAMS = 100 };
#elif HAS_THREAD_SANITIZER
enum { FIRST_SEED = 300001, PROGRAMS = 50 };
#elif !defined(__OPTIMIZE__)
enum { FIRST_SEED = 400001, PROGRAMS = 300 };
#elif defined(__clang__)
enum { FIRST_SEED = 100001, PROGRAMS = 500 };
#else
enum { FIRST_SEED = 1, PROGRAMS = 1500 };
#endif

static uint64_t program_count(void)
{
    const char *given = getenv("LOCKSTEP_LONG");
    uint64_t count = given ? strtoull(given, NULL, 0) : PROGRAMS;
    return given && count <= 1 ? 20000 : count;
}

TEST(test_random_programs_agree_with_the_model)
{
    const char *given = getenv("LOCKSTEP_SEED");
    uint64_t first = given ? strtoull(given, NULL, 0) : FIRST_SEED;
    uint64_t count = given ? 1 : program_count();
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_range(progress, first, first + count);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
    print_counts(&progress->counts);
    bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    uint64_t seed = progress->seed;
    const check_counts counts = progress->counts;
    munmap(progress, sizeof *progress);
    if (is_well && !given)
        check_coverage(&counts, count);
    if (is_well)
        return;
    report(seed);
    fail_msg("the program of seed %" PRIu64 " fails", seed);
}
