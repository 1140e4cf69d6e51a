/* A small simulation, built several times with one fault each that makes two machines disagree.
 * `lockstep check` must find and locate each fault. _FAULTY_NONE has none. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef struct place {
    uint32_t x, y;
} place;
static const ls_field place_fields[] = {LS_FIELD(place, x, LS_TYPE_U32),
                                        LS_FIELD(place, y, LS_TYPE_U32)};
static const ls_component place_component = LS_COMPONENT_TABLE(place, "Place", place_fields);

typedef struct score {
    uint32_t total, seen;
} score;
static const ls_field score_fields[] = {LS_FIELD(score, total, LS_TYPE_U32),
                                        LS_FIELD(score, seen, LS_TYPE_U32)};
static const ls_component score_component = LS_SINGLETON_TABLE(score, "Score", score_fields);

static const ls_component *const components[] = {&place_component, &score_component};

#define WALKERS 8

#if defined(_FAULTY_LEFTOVER)
#define _FAULTY_BEGIN
/* Fills unused stack with a value that differs between processes. */
static __attribute__((noinline)) void leave(void)
{
    volatile uint32_t values[8192];
    uint64_t random; /* not from a function, which the report would name as the cause */
#if defined(__x86_64__)
    random = __builtin_ia32_rdtsc();
#else
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(random));
#endif
    for (uint32_t i = 0; i < 8192; i++)
        values[i] = (uint32_t)random;
}
#endif

#if defined(_FAULTY_UNINITIALISED) || defined(_FAULTY_BEGIN)
/* Reads a variable that was never set. */
static __attribute__((noinline)) uint32_t first_of(const volatile uint32_t *values)
{
    return values[100];
}
#endif

#if defined(_FAULTY_DENORMAL) || defined(_FAULTY_FLUSH)
#define _FAULTY_ASKS
static uint32_t ask(uint64_t tick)
{
    volatile float small = 1e-40f; /* subnormal; 0 if the processor flushes subnormals */
    (void)tick;
    return small * 0.5f > 0 ? 1 : 2;
}
#endif

#if defined(_FAULTY_FLUSH)
/* Does what crtfastmath.o does, which -ffast-math links. */
static __attribute__((constructor)) void flush(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}
#endif

#if defined(_FAULTY_SECOND)
/* True if an earlier process already ran; a file remembers it. */
static bool run_before(void)
{
    FILE *file = fopen(getenv("LOCKSTEP_FAULT"), "abe");
    bool is_first = file && ftell(file) == 0;
    if (file && fputc('.', file) != EOF)
        fclose(file);
    return !is_first;
}
#endif

#if defined(_FAULTY_LIBM) /* gives the same result on one machine */
#define _FAULTY_ASKS
static uint32_t ask(uint64_t tick)
{
    volatile double x = 0.5 + (double)(tick % 7);
    double inexact = atan2f((float)x, 3) + hypotf((float)x, 2) +
                     (double)acosl(1 / (1 + (long double)x)) + expm1(x) * 1e-9;
    double exact = fmod(x, 2) + remainder(x, 3) + nearbyint(x) + ldexp(x, 2) + fma(x, x, x);
    return (uint32_t)(inexact + exact);
}
#elif defined(_FAULTY_HOST) /* calls functions of the machine and ignores the results */
#define _FAULTY_ASKS
static uint32_t ask(uint64_t tick)
{
    volatile int never = -1;
    return (uint32_t)(tick % 2) + (sched_getcpu() < never) + (getppid() < never) +
           (lrand48() < never);
}
#elif defined(_FAULTY_AGED) /* keeps state outside of the world, which first shows late */
#define _FAULTY_ASKS
static uint32_t ask(uint64_t tick)
{
    static uint32_t cache;
    if (tick == 0)
        cache = 1000;
    return tick < 5000 ? 1 : cache;
}
#endif

static uint32_t fault(const ls_context *context)
{
    (void)context;
#if defined(_FAULTY_STATIC)
    static uint32_t calls;
    return ++calls;
#elif defined(_FAULTY_UNSAVED)
    static uint32_t cache; /* set in the first tick, later only read */
    if (ls_tick(context) == 0)
        cache = 1000;
    return cache;
#elif defined(_FAULTY_UNINITIALISED)
    volatile uint32_t values[200];
    return first_of(values);
#elif defined(_FAULTY_HEAP)
    volatile uint32_t *values = malloc(64);
    uint32_t found = values[8];
    free((void *)values);
    return found;
#elif defined(_FAULTY_RANK) /* index of the greatest of values that are equal in fresh memory */
    volatile uint32_t *values = malloc(96);
    uint32_t best = 4;
    for (uint32_t i = 4; i < 24; i++)
        if (values[i] > values[best])
            best = i;
    free((void *)values);
    return best;
#elif defined(_FAULTY_TIME)
    return (uint32_t)time(NULL);
#elif defined(_FAULTY_LATE)
    return ls_tick(context) == 30 ? 2 : 1; /* differs from other builds, not from run to run */
#elif defined(_FAULTY_FIRST)
    return ls_tick(context) == 0 && getenv("LOCKSTEP_FAULT") ? 2 : 1;
#elif defined(_FAULTY_FALL)
    if (ls_tick(context) == 30)
        abort();
    return 1;
#elif defined(_FAULTY_SLOW) || defined(_FAULTY_LATE_SLOW)
    const struct timespec pause = {.tv_nsec = 130000000};
    nanosleep(&pause, NULL);
#if defined(_FAULTY_LATE_SLOW)
    return ls_tick(context) == 95 ? 2 : 1;
#else
    return 1;
#endif
#elif defined(_FAULTY_SECOND)
    if (ls_tick(context) == 20 && run_before())
        abort();
    return 1;
#elif defined(_FAULTY_ORPHAN)
    static uint32_t own = 1, *volatile kept; /* set in tick 0, which late joiners miss */
    if (ls_tick(context) == 0)
        kept = &own;
    return *kept;
#elif defined(_FAULTY_HEAVY)
    if (getenv("GLIBC_TUNABLES") && ls_tick(context) >= 40) /* set in runs with a filled heap */
        thrd_sleep(&(struct timespec){.tv_nsec = 600000000}, NULL);
    return 1;
#elif defined(_FAULTY_HANG)
    while (ls_tick(context) == 30 && (getenv("GLIBC_TUNABLES") || getenv("LOCKSTEP_FAULT")))
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 1;
#elif defined(_FAULTY_ASKS)
    return ask(ls_tick(context));
#elif defined(_FAULTY_ADDRESS)
    return (uint32_t)((uintptr_t)&place_component >> 12);
#else
    return 1;
#endif
}

static void walk(ls_context *context, const ls_span *span)
{
    place *places = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        places[i].x += 1;
        places[i].y += places[i].x;
    }
}

static void count(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    score *own = ls_singleton_write(context, 0);
    const ls_frame *frame = ls_inputs(context);
    own->total += fault(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        if (frame->inputs[i].kind == LS_INPUT)
            own->total += frame->inputs[i].data[0];
    }
}

/* Declares that it reads a place; the faulty build also writes it. */
static void look(ls_context *context, const ls_entity *entities)
{
    const place *own = ls_cell_find(context, 0, entities[0]);
#if defined(_FAULTY_UNDECLARED)
    ((place *)(uintptr_t)own)->y ^= 1;
#endif
    score *sum = ls_singleton_write(context, 1);
    sum->seen += own->y;
}

#if defined(_FAULTY_RACE)
static void triple(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    score *own = ls_singleton_write(context, 0);
    own->seen = own->seen * 3 + 1;
}

static const ls_independence independences[] = {{"look", "triple", "both only add (they do not)"}};
#endif

static const ls_system systems[] = {
    {.name = "walk", .span = walk, .terms = LS_TERM_LIST(LS_WRITES(place_component))},
    {.name = "count",
     .mode = LS_SEQUENTIAL,
     .match = count,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(score_component)),
     .after = "walk"},
    {.name = "look",
     .mode = LS_SEQUENTIAL,
     .match = look,
     .terms = LS_TERM_LIST(LS_READS(place_component), LS_OTHERS_WRITE(score_component)),
     .after = "count"},
#if defined(_FAULTY_RACE)
    {.name = "triple",
     .mode = LS_SEQUENTIAL,
     .match = triple,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(score_component)),
     .after = "count"},
#endif
};

#if defined(_FAULTY_MODE) || defined(_FAULTY_MIDDLE)
static const ls_option options[] = {{"mode", "where the walkers begin", 0, 3, 0},
                                    {"size", "of nothing", 1, 1000, 10}};

/* One value of the first option is wrong, and two leave something in static variables. With
 * _FAULTY_MIDDLE the values in the middle of the second one are wrong. */
static uint32_t first_row(const ls_match *match)
{
#if defined(_FAULTY_MIDDLE)
    return match->options[1] > 300 && match->options[1] < 700 ? (uint32_t)getpid() : 0;
#else
    static uint32_t odd;
    static uint64_t last[2];
    if (match->options[0] == 1)
        odd++;
    if (match->options[0] == 3)
        last[1]++;
    return match->options[0] == 2 ? (uint32_t)getpid() : 0;
#endif
}
#endif

static void begin(ls_context *context, const ls_entity *entities)
{
    (void)entities;
#if defined(_FAULTY_BEGIN)
    volatile uint32_t values[2048];
#endif
    for (uint32_t i = 0; i < WALKERS; i++) {
        ls_entity walker = ls_spawn(context, 0);
#if defined(_FAULTY_SETUP)
        ls_cell_attach(context, 0, walker, &(place){i, (uint32_t)getpid()});
#elif defined(_FAULTY_MODE) || defined(_FAULTY_MIDDLE)
        ls_cell_attach(context, 0, walker, &(place){i, first_row(ls_match_of(context))});
#elif defined(_FAULTY_BEGIN)
        ls_cell_attach(context, 0, walker, &(place){i, i ? 0 : first_of(values)});
#else
        ls_cell_attach(context, 0, walker, &(place){i, 0});
#endif
    }
}

static const char *const lanes[] = {"walkers"};
static const ls_system setup = {.name = "begin",
                                .mode = LS_SEQUENTIAL,
                                .match = begin,
                                .terms = LS_TERM_LIST(LS_SPAWNS_WITH(place_component)),
                                .lanes = "walkers"};

static bool is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count_)
{
    (void)match, (void)player;
#if defined(_FAULTY_OVERREAD)
    return bytes[count_] != 7 && count_ <= 4;
#elif defined(_FAULTY_CRASH)
    if (count_ == 3 && bytes[0] > 200)
        abort();
    return count_ == 1;
#elif defined(_FAULTY_MOOD)
    return count_ == 1 && ((uintptr_t)bytes % 16 != 3);
#else
    return count_ <= 4 && bytes[0] < 100;
#endif
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)((ls_world_tick(world) + player) % 13);
    return 1;
}

#if defined(_FAULTY_MUTE) || defined(_FAULTY_CHATTY) || defined(_FAULTY_ENDLESS)
static void describe(const ls_world *world, char *text, size_t bytes)
{
#if defined(_FAULTY_MUTE)
    if (ls_world_tick(world) >= 30)
        abort();
    snprintf(text, bytes, "all is well");
#else
    (void)world;
#if defined(_FAULTY_CHATTY)
    bytes += 2;
#endif
    memset(text, 'x', bytes);
#endif
}
#endif

#if defined(_FAULTY_MAP)
typedef struct tile {
    uint32_t height;
} tile;
static const ls_field tile_fields[] = {LS_FIELD(tile, height, LS_TYPE_U32)};
static const ls_component tile_row = LS_COMPONENT_TABLE(tile, "tile", tile_fields);

static uint32_t count_tiles(const ls_match *match)
{
    (void)match;
    return 5;
}

/* The map depends on the machine instead of the match. */
static void fill_tiles(const ls_match *match, void *rows, uint32_t count_)
{
    (void)match, (void)count_;
    ((tile *)rows)[3].height = (uint32_t)((uintptr_t)&tile_row >> 12);
}

static const ls_match_table tables[] = {{&tile_row, count_tiles, fill_tiles}};
#endif

static const ls_sim faulty = {
    .abi = LS_SIM_ABI,
    .name = "faulty",
    .version = "1",
    .summary = "has one fault",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 20,
    .player_count = 2,
#if defined(_FAULTY_MODE) || defined(_FAULTY_MIDDLE)
    .options = options,
    .option_count = LS_COUNT_OF(options),
#endif
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
#if defined(_FAULTY_RACE)
    .independences = independences,
    .independence_count = LS_COUNT_OF(independences),
#endif
#if defined(_FAULTY_MAP)
    .tables = tables,
    .table_count = LS_COUNT_OF(tables),
#endif
    .setup = &setup,
    .input_is_valid = is_valid,
    .bot = bot,
#if defined(_FAULTY_MUTE) || defined(_FAULTY_CHATTY) || defined(_FAULTY_ENDLESS)
    .describe = describe,
#endif
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
#if defined(_FAULTY_LEFTOVER)
    leave();
#endif
    return &faulty;
}
