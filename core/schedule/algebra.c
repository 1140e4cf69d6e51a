/* Reads the algebra of schedules: turns an expression into edges and pars.
 *   source  the schedules of the Core ECS paper: conc, seq, par and then */
#include "core/schedule/algebra.h"

#include "core/base/builder.h"
#include "core/schedule/modules.h"
#include "core/schedule/pars.h"
#include "core/schedule/schedule_report_internal.h"

#include <string.h>

typedef struct reader {
    ls_build *build;
    const ls_sim *sim;
    uint32_t words;
    uint64_t *named;     /* systems that an expression has already named */
    const ls_part *part; /* the module of the expression; NULL for the simulation */
} reader;

static uint32_t find_system(const ls_sim *sim, const char *name)
{
    uint32_t i = 0;
    while (i < sim->system_count && !(name && strcmp(sim->systems[i].name, name) == 0))
        i++;
    return i;
}

/* Adds system `found` to `systems`, and reports what is wrong with it. `found` is an index in the
 * simulation's list; sim->system_count: no system has this name. */
static void note_system(reader *self, const ls_algebra *part, const char *name, uint32_t found,
                        uint64_t *systems)
{
    const char *word = part->kind == LS_ALGEBRA_CONC ? "LS_CONC" : "LS_SEQ";
    ls_schedule_report *report = self->build->report;
    if (found == self->sim->system_count) {
        ls_schedule_report_add(report, LS_FINDING_UNKNOWN, name, NULL,
                               "the schedule has %s(\"%s\"), but the simulation has no system of "
                               "that name",
                               word, name);
        return;
    }
    if (ls_bit_has(self->named, found))
        ls_schedule_report_add(report, LS_FINDING_DUPLICATE, name, NULL,
                               "the schedule has system \"%s\" twice; to run it again, list a "
                               "second system with the same function",
                               name);
    if ((self->sim->systems[found].mode == LS_CONCURRENT) != (part->kind == LS_ALGEBRA_CONC))
        ls_schedule_report_add(report, LS_FINDING_CONTRADICTION, name, NULL,
                               "the schedule has %s(\"%s\"), but the system's mode is %s", word,
                               name,
                               part->kind == LS_ALGEBRA_CONC ? "LS_SEQUENTIAL" : "LS_CONCURRENT");
    ls_bit_set(self->named, found);
    ls_bit_set(systems, found);
}

static void read_system(reader *self, const ls_algebra *part, uint64_t *systems)
{
    const char *name = part->system ? part->system : "(null)";
    ls_builder full = {0};
    if (self->part && part->system) {
        ls_part_full_name(self->part, name, (uint32_t)strlen(name), &full);
        name = full.data;
    }
    uint32_t found = find_system(self->sim, part->system ? name : NULL);
    note_system(self, part, name, found, systems);
    ls_free(full.data);
}

/* Makes a name such as "par(increment|decrement)" from the first system of each side. */
static void name_par(const reader *self, const uint64_t *const *sides, uint32_t count,
                     ls_builder *name)
{
    ls_builder_add(name, "par(");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = ls_bits_next(sides[i], self->words, 0);
        uint32_t second = ls_bits_next(sides[i], self->words, first + 1);
        ls_builder_add(name, "%s%s%s", i ? "|" : "",
                       first < self->sim->system_count ? self->sim->systems[first].name : "nothing",
                       second < self->sim->system_count ? "..." : "");
    }
    ls_builder_add(name, ")");
}

static void make_par(reader *self, const ls_algebra *whole, const uint64_t *const *sides)
{
    uint32_t count = whole->part_count;
    ls_builder name = {0};
    name_par(self, sides, count, &name);
    ls_plan_par *par = ls_par_add(self->build, name.data, count);
    if (par)
        par->clash = whole->kind == LS_ALGEBRA_PAR_FIRST ? LS_PAR_FIRST_WINS : LS_PAR_FAILS;
    for (uint32_t i = 0; par && i < count; i++)
        ls_bits_or(par->systems[i], sides[i], self->words);
    ls_free(name.data);
}

static void add_edges(reader *self, const uint64_t *earlier, const uint64_t *later)
{
    for (uint32_t i = ls_bits_next(earlier, self->words, 0); i < self->sim->system_count;
         i = ls_bits_next(earlier, self->words, i + 1))
        ls_bits_or(ls_graph_row(&self->build->algebra, i), later, self->words);
}

static void read_part(reader *self, const ls_algebra *part, uint32_t depth, uint64_t *systems);

/* Reads the parts of a then or a par. In a then, each part is ordered after all earlier parts, not
 * only after the one before it, so that a part without systems does not break the chain. */
static void read_parts(reader *self, const ls_algebra *whole, uint32_t depth, uint64_t *systems)
{
    uint64_t **parts = ls_alloc(sizeof *parts * (whole->part_count + 1));
    for (uint32_t i = 0; i < whole->part_count; i++) {
        parts[i] = ls_alloc(sizeof **parts * self->words);
        read_part(self, &whole->parts[i], depth + 1, parts[i]);
        if (whole->kind == LS_ALGEBRA_THEN)
            add_edges(self, systems, parts[i]);
        ls_bits_or(systems, parts[i], self->words);
    }
    if (whole->kind != LS_ALGEBRA_THEN && whole->part_count > 1)
        make_par(self, whole, (const uint64_t *const *)parts);
    for (uint32_t i = 0; i < whole->part_count; i++)
        ls_free(parts[i]);
    ls_free(parts);
}

/* Recursive with the functions above; LS_ALGEBRA_DEPTH_MAX bounds the depth. */
static void read_part(reader *self, const ls_algebra *part, uint32_t depth, uint64_t *systems)
{
    if (part->kind == LS_ALGEBRA_CONC || part->kind == LS_ALGEBRA_SEQ)
        read_system(self, part, systems);
    else if (depth == LS_ALGEBRA_DEPTH_MAX || (uint32_t)part->kind > LS_ALGEBRA_PAR_FIRST)
        ls_schedule_report_add(self->build->report, LS_FINDING_UNKNOWN, NULL, NULL,
                               "the schedule has a part of kind %d at depth %u; kinds are 0 to %d, "
                               "and parts are nested at most %d deep",
                               (int)part->kind, depth, LS_ALGEBRA_PAR_FIRST, LS_ALGEBRA_DEPTH_MAX);
    else
        read_parts(self, part, depth, systems);
}

void ls_algebra_read(ls_build *build)
{
    const ls_sim *sim = build->program->sim;
    const ls_merged_sim *merged = build->program->merged;
    reader self = {build, sim, LS_BIT_WORDS(sim->system_count + 1), NULL, NULL};
    uint64_t *memory = ls_alloc(sizeof *memory * 2 * self.words);
    self.named = memory;
    if (sim->schedule)
        read_part(&self, sim->schedule, 0, memory + self.words);
    for (uint32_t i = 1; merged && i < merged->parts.count; i++) {
        self.part = &merged->parts.parts[i];
        memset(memory + self.words, 0, sizeof *memory * self.words);
        if (self.part->module.schedule)
            read_part(&self, self.part->module.schedule, 0, memory + self.words);
    }
    ls_free(memory);
}
