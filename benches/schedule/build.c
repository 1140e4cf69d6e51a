/* The cost of building a program with many systems. Each system reads two of 64 components and
 * writes one. Conflicting systems are ordered by name or label, and the list is shuffled. */
#include "benches/schedule/bench_systems.h"
#include "benches/schedule/groups.h"

#include <lockstep/base.h>
#include <lockstep/random.h>

#include <stdio.h>
#include <string.h>

enum { COMPONENTS = 64, READS = 2, SIZES = 4 };
static const uint32_t sizes[SIZES] = {10, 100, 300, 1000};

typedef struct value {
    uint32_t number;
} value;

/* The last writer of a component, and the readers since then, which share a label. */
typedef struct last_use {
    uint32_t writer; /* 1 + number of the system; 0: none */
    uint32_t readers, epoch;
} last_use;

typedef struct label {
    char text[16];
} label;

typedef struct label_list {
    char text[sizeof(label) * (READS + 2)];
} label_list;

typedef struct lists {
    ls_term terms[READS + 2];
    label_list after, labels;
} lists;

typedef struct sample {
    ls_sim sim;
    ls_system *systems, *unordered;
    lists *lists; /* by number */
    uint64_t edges;
    last_use uses[COMPONENTS];
} sample;

static ls_component components[COMPONENTS];
static const ls_component *component_list[COMPONENTS];

static void make_components(void)
{
    static const ls_field fields[] = {LS_FIELD(value, number, LS_TYPE_U32)};
    static label names[COMPONENTS];
    for (uint32_t i = 0; i < COMPONENTS; i++) {
        snprintf(names[i].text, sizeof names[i].text, "c%u", i);
        components[i] = (ls_component)LS_COMPONENT_TABLE(value, names[i].text, fields);
        component_list[i] = &components[i];
    }
}

static void run(ls_context *context, const ls_span *span)
{
    (void)context;
    (void)span;
}

static label epoch_label(const sample *self, uint32_t component)
{
    label made;
    snprintf(made.text, sizeof made.text, "r%u.%u", component, self->uses[component].epoch);
    return made;
}

static void add_name(label_list *list, const char *name)
{
    size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s, ", name);
}

static void order_read(sample *self, lists *of, uint32_t component)
{
    last_use *use = &self->uses[component];
    if (use->writer)
        add_name(&of->after, self->systems[use->writer - 1].name);
    self->edges += use->writer != 0;
    add_name(&of->labels, epoch_label(self, component).text);
    use->readers++;
}

static void order_write(sample *self, uint32_t number, uint32_t component)
{
    lists *of = &self->lists[number];
    last_use *use = &self->uses[component];
    if (use->readers)
        add_name(&of->after, epoch_label(self, component).text);
    if (use->writer)
        add_name(&of->after, self->systems[use->writer - 1].name);
    self->edges += use->readers + (use->writer != 0);
    *use = (last_use){.writer = number + 1, .epoch = use->epoch + 1};
}

static void make_system(sample *self, ls_random_stream random, uint32_t number)
{
    ls_system *system = &self->systems[number];
    uint32_t chosen = ls_random_below(ls_random_draw(random, number), COMPONENTS);
    lists *of = &self->lists[number];
    *system = (ls_system){.name = bench_systems_name(number),
                          .span = run,
                          .terms = of->terms,
                          .after = of->after.text,
                          .labels = of->labels.text};
    for (uint32_t i = 0; i < READS; i++) {
        of->terms[i] = (ls_term)LS_READS(components[chosen]);
        order_read(self, of, chosen);
        chosen = (chosen + 1 +
                  ls_random_below(ls_random_draw(random, number + LS_SYSTEMS_MAX),
                                  COMPONENTS / READS - 1)) %
                 COMPONENTS;
    }
    of->terms[READS] = (ls_term)LS_WRITES(components[chosen]);
    order_write(self, number, chosen);
}

static void shuffle(ls_system *systems, uint32_t count)
{
    uint32_t *places = ls_alloc(sizeof *places * count);
    ls_system *listed = ls_alloc(sizeof *listed * count);
    scene_shuffle(places, count);
    for (uint32_t i = 0; i < count; i++)
        listed[places[i]] = systems[i];
    for (uint32_t i = 0; i < count; i++)
        systems[i] = listed[i];
    ls_free(places);
    ls_free(listed);
}

static void sample_init(sample *self, uint32_t count)
{
    *self = (sample){.systems = ls_alloc(sizeof(ls_system) * count),
                     .unordered = ls_alloc(sizeof(ls_system) * count),
                     .lists = ls_alloc(sizeof(lists) * count)};
    make_components();
    for (uint32_t i = 0; i < count; i++)
        make_system(self, ls_random_root(count), i);
    shuffle(self->systems, count);
    for (uint32_t i = 0; i < count; i++) {
        self->unordered[i] = self->systems[i];
        self->unordered[i].after = self->unordered[i].labels = NULL;
    }
    self->sim = (ls_sim){.abi = LS_SIM_ABI,
                         .name = "bench",
                         .version = "1",
                         .summary = "",
                         .source_hash = "",
                         .tick_rate = 20,
                         .player_count = 1,
                         .components = component_list,
                         .component_count = COMPONENTS,
                         .systems = self->systems,
                         .system_count = count};
}

static void sample_reset(sample *self)
{
    ls_free(self->systems);
    ls_free(self->unordered);
    ls_free(self->lists);
}

static double time_build(const sample *self)
{
    ls_program *program;
    ls_error error;
    uint64_t started = bench_now_ns();
    ls_status status = ls_program_create(&self->sim, &program, &error);
    double took = (double)(bench_now_ns() - started);
    LS_ASSERT(status == LS_OK);
    ls_program_destroy(program);
    return took;
}

static double time_check(const ls_sim *sim, ls_status expected, uint32_t *findings)
{
    ls_schedule_report *report;
    ls_error error;
    uint64_t started = bench_now_ns();
    ls_status status = ls_program_check(sim, &report, &error);
    double took = (double)(bench_now_ns() - started);
    LS_ASSERT(status == expected && report);
    *findings = report->count;
    ls_schedule_report_destroy(report);
    return took;
}

/* Measures the sizes alternately, so a disturbance affects all of them. */
static void measure_build(const bench_options *options, const void *variant, bench_result *results)
{
    sample samples[SIZES];
    double *times[SIZES + 1], steps_ns[SIZES], ms = 1e6;
    uint32_t findings = 0;
    (void)variant;
    for (uint32_t i = 0; i <= SIZES; i++)
        times[i] = ls_alloc(sizeof *times[i] * options->runs);
    for (uint32_t i = 0; i < SIZES; i++)
        sample_init(&samples[i], sizes[i]);
    for (uint32_t run = 0; run < options->runs; run++) {
        for (uint32_t i = 0; i < SIZES; i++)
            times[i][run] = time_build(&samples[i]);
        times[SIZES][run] = time_check(&samples[SIZES - 1].sim, LS_OK, &findings);
    }
    for (uint32_t i = 0; i < SIZES; i++) {
        double took = bench_median(times[i], options->runs);
        steps_ns[i] = took * 64 / (double)sizes[i] / (double)samples[i].edges;
        results[i].ours = took / ms;
        snprintf(results[i].note, sizeof results[i].note, "%u edges", (unsigned)samples[i].edges);
        sample_reset(&samples[i]);
    }
    results[SIZES].ours = bench_median(times[SIZES], options->runs) / ms;
    snprintf(results[SIZES].note, sizeof results[SIZES].note, "%u hints", findings);
    results[SIZES + 1].bare = steps_ns[SIZES - 2];
    results[SIZES + 1].ours = steps_ns[SIZES - 1];
    for (uint32_t i = 0; i <= SIZES; i++)
        ls_free(times[i]);
}

const bench_group bench_build = {
    .rows = {{"building 10 systems", "ms", BENCH_NO_TARGET, 0, NULL},
             {"building 100 systems", "ms", BENCH_NO_TARGET, 0, NULL},
             {"building 300 systems", "ms", BENCH_NO_TARGET, 0, NULL},
             {"building 1,000 systems", "ms", BENCH_AT_MOST, 20, NULL},
             {"checking 1,000 systems, hints included", "ms", BENCH_NO_TARGET, 0, NULL},
             {"systems x edges / 64, one of: 1,000 systems / 300", "ns", BENCH_RATIO_AT_MOST, 1.05,
              NULL}},
    .whole = measure_build,
};

enum { AMBIGUOUS_RUNS = 3 };

static void measure_ambiguous(const bench_options *options, const void *variant,
                              bench_result *results)
{
    double times[AMBIGUOUS_RUNS];
    uint32_t findings = 0;
    (void)options;
    (void)variant;
    sample at;
    sample_init(&at, sizes[SIZES - 1]);
    at.sim.systems = at.unordered;
    for (uint32_t run = 0; run < AMBIGUOUS_RUNS; run++)
        times[run] = time_check(&at.sim, LS_ERROR_REFUSED, &findings);
    results[0].ours = bench_median(times, AMBIGUOUS_RUNS) / 1e6;
    snprintf(results[0].note, sizeof results[0].note, "%u findings", findings);
    sample_reset(&at);
}

const bench_group bench_ambiguous = {
    .rows = {{"refusing 1,000 systems without any order", "ms", BENCH_NO_TARGET, 0, NULL}},
    .whole = measure_ambiguous,
};
