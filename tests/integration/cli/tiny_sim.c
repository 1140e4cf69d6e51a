/* The smallest simulation in a shared object: players send bytes, a singleton sums them. Built
 * several times; each definition plants one fault that the loader must name. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

typedef struct sum {
    uint64_t total;
    ls_fix2 compass;
} sum;

static const ls_field sum_fields[] = {LS_FIELD(sum, total, LS_TYPE_U64),
                                      LS_FIELD(sum, compass, LS_TYPE_FIX)};
static const ls_component sum_component = LS_SINGLETON_TABLE(sum, "Sum", sum_fields);

#ifdef _TINY_PADDED
typedef struct padded {
    uint8_t kind;
    uint32_t value; /* after three bytes of padding */
} padded;
static const ls_field padded_fields[] = {LS_FIELD(padded, kind, LS_TYPE_U8),
                                         LS_FIELD(padded, value, LS_TYPE_U32)};
static const ls_component more = LS_COMPONENT_TABLE(padded, "Holey", padded_fields);
#elif defined(_TINY_TWICE)
static const ls_component more = LS_TAG_TABLE("Sum");
#else
static const ls_component more = LS_TAG_TABLE("More");
#endif

static const ls_component *const components[] = {
    &sum_component,
#if defined(_TINY_PADDED) || defined(_TINY_TWICE) || defined(_TINY_OTHER)
    &more,
#endif
};

#define MARK (UINT64_C(1) << 40) /* set by the byte 13 */

#if defined(_TINY_STUCK)
/* Creates the file $TINY_HANGS.PID, if the variable is set: tests wait for it. */
static void tell(void)
{
    char name[4096];
    if (!getenv("TINY_HANGS"))
        return;
    snprintf(name, sizeof name, "%s.%d", getenv("TINY_HANGS"), (int)getpid());
    FILE *file = fopen(name, "we");
    if (file)
        fclose(file);
}
#endif

/* The effect of byte 13 on every process that simulates it. */
static void suffer(void)
{
#if defined(_TINY_STUCK)
    tell();
    for (;;) /* sleeps, so that it takes no processor from other tests */
        thrd_sleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
#elif defined(_TINY_FATAL)
    abort();
#endif
}

static void add(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sum *own = ls_singleton_write(context, 0);
#if defined(_TINY_SLOW)
    thrd_sleep(&(struct timespec){.tv_nsec = 30000000}, NULL); /* time without a processor */
#elif defined(_TINY_BUSY)
    uint64_t spent = 1; /* some milliseconds of a processor, with or without a sanitizer */
    for (uint32_t i = 0; i < 3000000; i++)
        spent = spent * UINT64_C(6364136223846793005) + i;
    __asm__ volatile("" : : "r"(spent));
#endif
#ifdef _TINY_HIDDEN
    static uint64_t calls; /* state outside the world */
    own->total += ++calls;
#endif
    const ls_frame *frame = ls_inputs(context);
    for (uint32_t i = 0; i < frame->count; i++) {
        if (frame->inputs[i].kind == LS_INPUT)
            own->total += frame->inputs[i].data[0];
        if (frame->inputs[i].kind == LS_INPUT && frame->inputs[i].data[0] == 13)
            suffer();
#ifdef _TINY_TIRED
        if (frame->inputs[i].kind == LS_INPUT && frame->inputs[i].data[0] == 13)
            own->total += MARK;
#endif
    }
    /* Only the module calls this function: the binary must export all of core/. */
    own->compass = ls_fix2_rotate(own->compass, 1);
}

#ifdef _TINY_TIRED
/* If the mark is set, the tick never ends. */
static void ask(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    const sum *own = ls_singleton_read(context, 0);
    ls_decide(context, own->total >= MARK ? LS_YES_AND_AGAIN : LS_YES);
}

static void rest(ls_context *context, const ls_entity *entities)
{
    (void)context, (void)entities;
}

static const ls_system criterion = {.name = "ask",
                                    .mode = LS_SEQUENTIAL,
                                    .match = ask,
                                    .terms = LS_TERM_LIST(LS_OTHERS_READ(sum_component))};
static const ls_set sets[] = {
    {.name = "restless", .when = {.criterion = &criterion, .iterations_max = 3}}};
#endif

#if defined(_TINY_CLASH) || defined(_TINY_SETTLED)
/* Runs in parallel with `add` and writes the same cell: for an input, or without one if the
 * variable is set. */
static void bribe(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    const ls_frame *frame = ls_inputs(context);
    if (getenv("TINY_BRIBES"))
        ((sum *)ls_singleton_write(context, 0))->total = 1;
    for (uint32_t i = 0; i < frame->count; i++)
        if (frame->inputs[i].kind == LS_INPUT && frame->inputs[i].data[0] == 13)
            ((sum *)ls_singleton_write(context, 0))->total = 1;
}

#ifdef _TINY_SETTLED
#define ANSWER LS_PAR_FIRST_WINS
#else
#define ANSWER LS_PAR_FAILS
#endif
static const ls_par pars[] = {{.name = "market", .sides = "add, bribe", .clash = ANSWER}};
#endif

static void begin(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    sum *own = ls_singleton_write(context, 0);
    own->compass = ls_fix2_make(65536, 0);
}

static const ls_system systems[] = {
    {.name = "add",
     .mode = LS_SEQUENTIAL,
     .match = add,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))},
#ifdef _TINY_AMBIGUOUS
    {.name = "rival",
     .mode = LS_SEQUENTIAL,
     .match = begin,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))},
#endif
#if defined(_TINY_CLASH) || defined(_TINY_SETTLED)
    {.name = "bribe",
     .mode = LS_SEQUENTIAL,
     .match = bribe,
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))},
#endif
#ifdef _TINY_TIRED
    {.name = "rest", .mode = LS_SEQUENTIAL, .match = rest, .labels = "restless"},
#endif
#ifdef _TINY_GHOST
    {.name = "haunted", .mode = LS_SEQUENTIAL, .match = begin, .after = "ghost"},
#endif
};
static const ls_system setup = {.name = "begin",
                                .mode = LS_SEQUENTIAL,
                                .match = begin,
                                .terms = LS_TERM_LIST(LS_OTHERS_WRITE(sum_component))};

static bool is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes, uint32_t count)
{
    (void)match, (void)player, (void)bytes;
#ifdef _TINY_PICKY
    if (getenv("TINY_PICKY") && bytes[0] == 12)
        return false; /* only in one process */
#endif
    return count == 1;
}

static uint32_t bot(const ls_world *world, uint32_t player, uint8_t *bytes)
{
    bytes[0] = (uint8_t)((ls_world_tick(world) + player) % 13); /* never 13 */
    return 1;
}

static const ls_sim tiny = {
#ifdef _TINY_ABI
    .abi = LS_SIM_ABI + (1u << 16),
#else
    .abi = LS_SIM_ABI,
#endif
    .name = "tiny",
    .version = "1",
    .summary = "adds bytes",
#ifdef _TINY_UNKNOWN
    .source_hash = "unknown",
#else
    .source_hash = LS_SIM_SOURCE_HASH,
#endif
    .tick_rate = 60,
    .player_count = 4,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
#if defined(_TINY_CLASH) || defined(_TINY_SETTLED)
    .pars = pars,
    .par_count = LS_COUNT_OF(pars),
#endif
#ifdef _TINY_TIRED
    .sets = sets,
    .set_count = LS_COUNT_OF(sets),
#endif
    .setup = &setup,
    .input_is_valid = is_valid,
    .bot = bot,
};

#ifdef _TINY_UNDEFINED
extern const ls_sim *ls_of_a_later_version(const ls_sim *sim);
#elif defined(_TINY_UNLINKED)
extern const ls_sim *of_no_library(const ls_sim *sim);
#endif

#ifdef _TINY_NO_EXPORT
LS_SIM_EXPORT const ls_sim *sim_exported_under_another_name(void)
#else
LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
#endif
{
#ifdef _TINY_UNDEFINED
    return ls_of_a_later_version(&tiny);
#elif defined(_TINY_UNLINKED)
    return of_no_library(&tiny);
#elif defined(_TINY_NULL)
    return (void)tiny, NULL;
#else
    return &tiny;
#endif
}
