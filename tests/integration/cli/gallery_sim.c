/* A simulation with everything that a picture of a schedule can show, and names that need escaping.
 * With GALLERY_CROWD: many systems in four stages, as in a large game. */
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <stdio.h>

typedef struct value {
    uint32_t number;
} value;

static const ls_field value_fields[] = {LS_FIELD(value, number, LS_TYPE_U32)};

static void visit(ls_context *context, const ls_span *span)
{
    value *values = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        values[i].number++;
}

#ifdef GALLERY_CROWD
enum { COLUMNS = 24, SYSTEMS = 60 };
#define COLUMN(n) LS_COMPONENT_TABLE(value, "column" #n, value_fields)
static const ls_component columns[COLUMNS] = {
    COLUMN(0),  COLUMN(1),  COLUMN(2),  COLUMN(3),  COLUMN(4),  COLUMN(5),  COLUMN(6),  COLUMN(7),
    COLUMN(8),  COLUMN(9),  COLUMN(10), COLUMN(11), COLUMN(12), COLUMN(13), COLUMN(14), COLUMN(15),
    COLUMN(16), COLUMN(17), COLUMN(18), COLUMN(19), COLUMN(20), COLUMN(21), COLUMN(22), COLUMN(23)};
static const ls_component *components[COLUMNS];
static ls_system systems[SYSTEMS];
static char names[SYSTEMS][24];
static const ls_stage stages[] = {{.name = "sense", .insertion_order = true},
                                  {.name = "think", .insertion_order = true},
                                  {.name = "act", .insertion_order = true},
                                  {.name = "show", .insertion_order = true}};

static ls_term terms[SYSTEMS][4]; /* by system */

/* Creates systems that write one column and read two others. */
static void fill(void)
{
    static const char *const verbs[] = {"gather", "sort", "move", "weigh", "push"};
    static const char *const nouns[] = {"sheep", "clouds", "orders", "paths"};
    uint32_t state = 7;
    for (uint32_t i = 0; i < COLUMNS; i++)
        components[i] = &columns[i];
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        uint32_t picks[3];
        for (uint32_t j = 0; j < 3; j++) {
            state = state * 1664525 + 1013904223;
            picks[j] = (state >> 16) % COLUMNS;
            while ((j > 0 && picks[j] == picks[0]) || (j > 1 && picks[j] == picks[1]))
                picks[j] = (picks[j] + 1) % COLUMNS;
        }
        terms[i][0] = (ls_term)LS_WRITES(columns[picks[0]]);
        terms[i][1] = (ls_term)LS_READS(columns[picks[1]]);
        terms[i][2] = (ls_term)LS_READS(columns[picks[2]]);
        snprintf(names[i], sizeof names[i], "%s_%s_%u", verbs[i % 5], nouns[i % 4], i);
        systems[i] = (ls_system){.name = names[i],
                                 .span = visit,
                                 .stage = stages[i * 4 / SYSTEMS].name,
                                 .terms = terms[i]};
    }
}
#else
static const ls_component herd = LS_COMPONENT_TABLE(value, "herd", value_fields);
static const ls_component flock = LS_COMPONENT_TABLE(value, "flock", value_fields);
static const ls_component shore = LS_COMPONENT_TABLE(value, "shore", value_fields);
static const ls_component tag = LS_TAG_TABLE("tag");
static const ls_component *components[] = {&herd, &flock, &shore, &tag};
static const char *const lanes[] = {"meadow"};

static void nothing(ls_context *context, const ls_entity *entities)
{
    (void)context, (void)entities;
}

static void ask(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_decide(context, ls_iteration(context) == 0 ? LS_YES_AND_AGAIN : LS_YES);
}

static void refuse(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    ls_decide(context, LS_NO);
}

/* Spawns 1,000 entities of each kind, so that threads share the pages. */
static void begin(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t i = 0; i < 2000; i++) {
        ls_entity newborn = ls_spawn(context, 0);
        (void)ls_cell_attach(context, i % 2, newborn, &(value){i});
        if (i % 3 == 0)
            (void)ls_cell_attach(context, 2, newborn, NULL);
    }
}

static const ls_stage stages[] = {
    {.name = "work & \"play\""},
    {.name = "loop"},
    {.name = "listed", .within = "loop", .insertion_order = true, .when = {.every = 2}}};
static const ls_system again = {.name = "ask <again>", .mode = LS_SEQUENTIAL, .match = ask};
static const ls_system no = {.name = "say no", .mode = LS_SEQUENTIAL, .match = refuse};
static const ls_set sets[] = {{.name = "twice", .when = {.criterion = &again, .iterations_max = 4}},
                              {.name = "never", .when = {.criterion = &no}},
                              {.name = "slowly", .when = {.every = 3, .phase = 1}}};
static const ls_par pars[] = {{"split", "up, down"}};
static const ls_independence independences[] = {{"left", "right", "each has <its> half"}};

#define SEQ .mode = LS_SEQUENTIAL, .match = nothing
static const ls_system systems[] = {
    {.name = "open", SEQ, .slot = LS_AT_START},
    {.name = "shear & <count> \"all\" of the sheep on the hill",
     .span = visit,
     .terms = LS_TERM_LIST(LS_WRITES(herd))},
    {.name = "left", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(flock)), .after = "open"},
    {.name = "right", SEQ, .terms = LS_TERM_LIST(LS_OTHERS_WRITE(flock))},
    {.name = "follow",
     .span = visit,
     .terms = LS_TERM_LIST(LS_WRITES(flock)),
     .weakly_after = "left, right"},
    {.name = "with", .span = visit, .terms = LS_TERM_LIST(LS_WRITES(shore), LS_WITH(tag))},
    {.name = "without", .span = visit, .terms = LS_TERM_LIST(LS_WRITES(shore), LS_WITHOUT(tag))},
    {.name = "needy",
     .span = visit,
     .terms = LS_TERM_LIST(LS_WRITES(herd)),
     .needs = "shear & <count> \"all\" of the sheep on the hill"},
    {.name = "draw", SEQ, .main_thread = true, .after = "needy, follow"},
    {.name = "close", SEQ, .slot = LS_BEFORE_COMMANDS},
    {.name = "last words", SEQ, .slot = LS_AT_END, .labels = "slowly"},
    {.name = "up",
     .span = visit,
     .stage = "loop",
     .terms = LS_TERM_LIST(LS_WRITES(herd), LS_WITH(tag)),
     .after = "solve"},
    {.name = "down",
     .span = visit,
     .stage = "loop",
     .terms = LS_TERM_LIST(LS_WRITES(herd), LS_WITHOUT(tag))},
    {.name = "solve",
     .span = visit,
     .stage = "loop",
     .terms = LS_TERM_LIST(LS_WRITES(herd)),
     .labels = "twice"},
    {.name = "off",
     .span = visit,
     .stage = "loop",
     .terms = LS_TERM_LIST(LS_WRITES(flock)),
     .labels = "never",
     .needs = "follow"},
    {.name = "three", .span = visit, .stage = "listed", .terms = LS_TERM_LIST(LS_WRITES(herd))},
    {.name = "two", .span = visit, .stage = "listed", .terms = LS_TERM_LIST(LS_WRITES(herd))},
    {.name = "one",
     .span = visit,
     .stage = "listed",
     .terms = LS_TERM_LIST(LS_WRITES(herd)),
     .after = "three"},
};
static const ls_system setup = {
    .name = "setup",
    .mode = LS_SEQUENTIAL,
    .match = begin,
    .lanes = "meadow",
    .terms = LS_TERM_LIST(LS_SPAWNS_WITH(herd), LS_SPAWNS_WITH(flock), LS_SPAWNS_WITH(tag))};
#endif

static ls_sim gallery = {
    .abi = LS_SIM_ABI,
    .version = "1",
    .summary = "hangs on walls",
    .source_hash = LS_SIM_SOURCE_HASH,
    .tick_rate = 60,
    .player_count = 1,
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
    .stages = stages,
    .stage_count = LS_COUNT_OF(stages),
#ifdef GALLERY_CROWD
    .name = "crowd",
#else
    .name = "gallery <& \"co\">",
    .lanes = lanes,
    .lane_count = LS_COUNT_OF(lanes),
    .sets = sets,
    .set_count = LS_COUNT_OF(sets),
    .pars = pars,
    .par_count = LS_COUNT_OF(pars),
    .independences = independences,
    .independence_count = LS_COUNT_OF(independences),
    .setup = &setup,
#endif
};

LS_SIM_EXPORT const ls_sim *ls_sim_export(void)
{
#ifdef GALLERY_CROWD
    fill();
#endif
    return &gallery;
}
