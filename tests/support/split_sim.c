#include "tests/support/split_sim.h"

#include "core/schedule/lists.h"
#include "tests/support/names.h"
#include <lockstep/program.h>

#include <string.h>

const char *const split_prefixes[SPLIT_PARTS] = {"", "m.", "m.k.", "n."};
static const char *const titles[SPLIT_PARTS] = {"", "m", "k", "n"};
static const char *const paths[SPLIT_PARTS] = {"", "m", "m.k", "n"};
static const uint8_t users[SPLIT_PARTS] = {0, 0, 1, 0};

uint32_t split_part_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    uint32_t i = SPLIT_PARTS - 1;
    for (; dot && i; i--) {
        size_t bytes = strlen(split_prefixes[i]);
        if (bytes == (size_t)(dot + 1 - name) && memcmp(name, split_prefixes[i], bytes) == 0)
            return i;
    }
    return 0;
}

bool split_is_at_first(const char *first, const char *second, bool wish)
{
    bool is_module = split_part_of(first) != 0;
    return is_module == (split_part_of(second) != 0) ? wish : !is_module;
}

static const char *keep(split_sim *self, const char *text)
{
    char *kept = self->text + self->used;
    self->used += (uint32_t)strlen(text) + 1;
    LS_ASSERT(self->used <= sizeof self->text);
    memcpy(kept, text, strlen(text) + 1);
    return kept;
}

/* The name in a list of the part; the module's own names have two forms. */
static const char *refer(split_sim *self, uint32_t part, const char *name)
{
    size_t bytes = strlen(split_prefixes[part]);
    if (!part || strcmp(name, "world") == 0)
        return name;
    LS_ASSERT(strchr(name, '.'));
    self->draws = self->draws * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    bool is_own = strncmp(name, split_prefixes[part], bytes) == 0;
    return is_own && self->draws >> 63 ? name + bytes : name;
}

/* The name of a thing that the part defines. */
static const char *define(uint32_t part, const char *name)
{
    return name + strlen(split_prefixes[part]);
}

static bool is_label_of_part(uint32_t part, const char *name)
{
    for (; part; part = users[part]) {
        if (strcmp(name, paths[part]) == 0)
            return true;
    }
    return false;
}

/* `is_labels`: the list is that of a system, whose module adds labels. */
static const char *refer_all(split_sim *self, uint32_t part, const char *names, bool is_labels)
{
    test_names made = {""};
    if (!names || !part)
        return names;
    for (ls_name_list walk = ls_name_list_of(names); ls_name_list_next(&walk);) {
        if (!is_labels || !is_label_of_part(part, walk.name))
            test_names_add(&made, refer(self, part, walk.name));
    }
    return made.text[0] ? keep(self, made.text) : NULL;
}

static ls_system split_system(split_sim *self, uint32_t part, const ls_system *given)
{
    ls_system made = *given;
    made.name = define(part, given->name);
    made.lanes = refer_all(self, part, given->lanes, false);
    made.command_lanes = refer_all(self, part, given->command_lanes, false);
    made.labels = refer_all(self, part, given->labels, true);
    made.before = refer_all(self, part, given->before, false);
    made.after = refer_all(self, part, given->after, false);
    made.weakly_before = refer_all(self, part, given->weakly_before, false);
    made.weakly_after = refer_all(self, part, given->weakly_after, false);
    made.needs = refer_all(self, part, given->needs, false);
    if (part && given->stage)
        made.stage = split_part_of(given->stage) == part ? refer(self, part, given->stage) : NULL;
    return made;
}

static ls_condition split_condition(split_sim *self, uint32_t part, const ls_condition *given)
{
    split_part *to = &self->parts[part];
    ls_condition made = *given;
    if (!given->criterion)
        return made;
    ls_system *criterion = &to->criteria[to->criterion_count++];
    *criterion = split_system(self, part, given->criterion);
    made.criterion = criterion;
    return made;
}

static void split_stages(split_sim *self, const ls_sim *flat)
{
    for (uint32_t i = 0; i < flat->stage_count; i++) {
        uint32_t part = split_part_of(flat->stages[i].name);
        ls_stage *made = &self->parts[part].stages[self->parts[part].module.stage_count++];
        *made = flat->stages[i];
        made->name = define(part, made->name);
        made->when = split_condition(self, part, &flat->stages[i].when);
        if (part && made->within)
            made->within =
                strcmp(made->within, paths[part]) ? refer(self, part, made->within) : NULL;
    }
}

static void split_sets(split_sim *self, const ls_sim *flat)
{
    for (uint32_t i = 0; i < flat->set_count; i++) {
        uint32_t part = split_part_of(flat->sets[i].name);
        ls_set *made = &self->parts[part].sets[self->parts[part].module.set_count++];
        *made = flat->sets[i];
        made->name = define(part, made->name);
        made->when = split_condition(self, part, &flat->sets[i].when);
    }
}

static void split_lists(split_sim *self, const ls_sim *flat)
{
    for (uint32_t i = 0; i < flat->option_count; i++) {
        uint32_t part = split_part_of(flat->options[i].name);
        ls_option *made = &self->parts[part].options[self->parts[part].module.option_count++];
        *made = flat->options[i];
        made->name = define(part, made->name);
    }
    for (uint32_t i = 0; i < flat->component_count; i++) {
        uint32_t part = split_part_of(flat->components[i]->name);
        split_part *to = &self->parts[part];
        uint32_t at = to->module.component_count++;
        to->tables[at] = *flat->components[i];
        to->tables[at].name = define(part, flat->components[i]->name);
        to->components[at] = part ? &to->tables[at] : flat->components[i];
    }
    for (uint32_t i = 0; i < flat->lane_count; i++) {
        uint32_t part = split_part_of(flat->lanes[i]);
        self->parts[part].lanes[self->parts[part].module.lane_count++] =
            define(part, flat->lanes[i]);
    }
    for (uint32_t i = 0; i < flat->independence_count; i++) {
        const ls_independence *given = &flat->independences[i];
        uint32_t part = split_part_of(given->one);
        part = split_part_of(given->other) == part ? part : 0;
        ls_independence *made =
            &self->parts[part].independences[self->parts[part].module.independence_count++];
        *made = *given;
        made->one = refer(self, part, given->one);
        made->other = refer(self, part, given->other);
    }
}

static void split_systems(split_sim *self, const ls_sim *flat)
{
    for (uint32_t i = 0; i < flat->system_count; i++) {
        uint32_t part = split_part_of(flat->systems[i].name);
        self->parts[part].systems[self->parts[part].module.system_count++] =
            split_system(self, part, &flat->systems[i]);
    }
    for (uint32_t i = 0; i < ls_sim_setup_count(flat); i++) {
        uint32_t part = split_part_of(flat->setup[i].name);
        self->parts[part].setups[self->parts[part].module.setup_count++] =
            split_system(self, part, &flat->setup[i]);
    }
}

/* Gives a module, or the simulation, the lists of a part. */
#define LEND(to, part)                                                                             \
    do {                                                                                           \
        (to).options = (part)->options;                                                            \
        (to).option_count = (part)->module.option_count;                                           \
        (to).components = (part)->components;                                                      \
        (to).component_count = (part)->module.component_count;                                     \
        (to).lanes = (part)->lanes;                                                                \
        (to).lane_count = (part)->module.lane_count;                                               \
        (to).systems = (part)->systems;                                                            \
        (to).system_count = (part)->module.system_count;                                           \
        (to).setup = (part)->module.setup_count ? (part)->setups : NULL;                           \
        (to).setup_count = (part)->module.setup_count;                                             \
        (to).stages = (part)->stages;                                                              \
        (to).stage_count = (part)->module.stage_count;                                             \
        (to).sets = (part)->sets;                                                                  \
        (to).set_count = (part)->module.set_count;                                                 \
        (to).independences = (part)->independences;                                                \
        (to).independence_count = (part)->module.independence_count;                               \
        (to).modules = (part)->modules;                                                            \
        (to).module_count = (part)->module.module_count;                                           \
    } while (0)

const ls_sim *split_sim_make(split_sim *self, const ls_sim *flat, uint64_t seed)
{
    memset(self, 0, sizeof *self);
    self->draws = seed;
    split_lists(self, flat);
    split_stages(self, flat);
    split_sets(self, flat);
    split_systems(self, flat);
    for (uint32_t i = 1; i < SPLIT_PARTS; i++) {
        split_part *user = &self->parts[users[i]];
        user->modules[user->module.module_count++] = &self->parts[i].module;
    }
    for (uint32_t i = 0; i < SPLIT_PARTS; i++) {
        split_part *part = &self->parts[i];
        part->module.name = titles[i];
        LEND(part->module, part);
    }
    self->sim = *flat;
    LEND(self->sim, &self->parts[0]);
    return &self->sim;
}

/* The report as text; the order of its parts is that of the list of systems. */
static char *check(const ls_sim *sim, ls_error *error)
{
    ls_schedule_report *report = NULL;
    *error = (ls_error){0};
    ls_status status = ls_program_check(sim, &report, error);
    char *text = report ? ls_schedule_report_json(report, status ? "refused" : "builds") : NULL;
    ls_schedule_report_destroy(report);
    return text;
}

static bool has_equal_fingerprints(const ls_sim *one, const ls_sim *other)
{
    ls_program *programs[2];
    if (ls_program_create(one, &programs[0], NULL) || ls_program_create(other, &programs[1], NULL))
        return true; /* the reports are equal */
    bool is_equal = memcmp(ls_program_fingerprint(programs[0]), ls_program_fingerprint(programs[1]),
                           LS_FINGERPRINT_BYTES) == 0;
    ls_program_destroy(programs[0]);
    ls_program_destroy(programs[1]);
    return is_equal;
}

bool split_is_equal(const ls_sim *flat, const ls_sim *modular, char *text, size_t bytes)
{
    ls_error errors[2];
    char *one = check(flat, &errors[0]), *other = check(modular, &errors[1]);
    bool is_equal = strcmp(errors[0].text, errors[1].text) == 0 &&
                    (one && other ? strcmp(one, other) == 0 : one == other);
    if (!is_equal)
        snprintf(text, bytes, "with modules another report: %s\n%s\nwithout: %s\n%s",
                 errors[1].text, other ? other : "", errors[0].text, one ? one : "");
    else if (!(is_equal = has_equal_fingerprints(flat, modular)))
        snprintf(text, bytes, "with modules another fingerprint");
    ls_free(one);
    ls_free(other);
    return is_equal;
}
