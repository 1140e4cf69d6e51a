/* Shrinks a failing program: removes one part at a time and keeps the smaller program if it still
 * fails. */
#include "tests/model/check.h"

#include <string.h>

enum { CANDIDATES_MAX = 20000 }; /* not a time, so that a busy machine shrinks as far */

struct shrinker {
    struct program best;
    char *text;
    uint32_t tried;
    bool moved;
};

/* Keeps the candidate if it fails in any way, even with a different failure. */
static bool try_it(struct shrinker *self, const struct program *candidate)
{
    struct program cleaned = *candidate;
    char text[CHECK_TEXT_BYTES] = "";
    program_clean(&cleaned);
    if (memcmp(&cleaned, &self->best, sizeof cleaned) == 0 || self->tried++ >= CANDIDATES_MAX ||
        check_in_child(&cleaned, text) || strncmp(text, "refused", 7) == 0)
        return false;
    self->best = cleaned;
    memcpy(self->text, text, sizeof text);
    self->moved = true;
    return true;
}

static void cut_second_setup(struct shrinker *self)
{
    struct program candidate = self->best;
    candidate.has_second_setup = false;
    if (self->best.has_second_setup)
        try_it(self, &candidate);
}

static void cut_pairs(struct shrinker *self)
{
    struct program candidate = self->best;
    candidate.pair_count = 0;
    if (self->best.pair_count)
        try_it(self, &candidate);
    candidate = self->best;
    candidate.despawns_empty = false;
    if (self->best.despawns_empty)
        try_it(self, &candidate);
    candidate = self->best;
    candidate.inputs = INPUTS_NONE;
    if (self->best.inputs)
        try_it(self, &candidate);
}

static void cut_prefix(char name[8])
{
    const char *dot = strrchr(name, '.');
    if (dot)
        memmove(name, dot + 1, strlen(dot));
}

static void cut_modules(struct shrinker *self)
{
    struct program candidate = self->best;
    candidate.has_modules = false;
    for (uint32_t i = 0; i < candidate.component_count; i++)
        cut_prefix(candidate.components[i].name);
    for (uint32_t i = 0; i < candidate.lane_count; i++)
        cut_prefix(candidate.lanes[i]);
    for (uint32_t i = 0; i < candidate.system_count; i++)
        cut_prefix(candidate.systems[i].name);
    if (self->best.has_modules)
        try_it(self, &candidate);
}

static void cut_systems(struct shrinker *self)
{
    for (uint32_t i = self->best.system_count; i-- > 0;) {
        struct program candidate = self->best;
        program_remove_system(&candidate, i);
        try_it(self, &candidate);
    }
}

static void cut_ticks(struct shrinker *self)
{
    for (uint32_t ticks = 0; ticks < self->best.ticks; ticks++) {
        struct program candidate = self->best;
        candidate.ticks = ticks;
        if (try_it(self, &candidate))
            return;
    }
}

static void cut_groups(struct shrinker *self)
{
    for (uint32_t i = self->best.group_count; i-- > 0;) {
        struct program candidate = self->best;
        candidate.groups[i] = candidate.groups[--candidate.group_count];
        if (try_it(self, &candidate))
            continue;
        for (uint16_t less = (uint16_t)(self->best.groups[i].count / 2); less > 0; less /= 2) {
            candidate = self->best;
            candidate.groups[i].count = (uint16_t)(candidate.groups[i].count - less);
            while (try_it(self, &candidate) && candidate.groups[i].count > less)
                candidate.groups[i].count = (uint16_t)(candidate.groups[i].count - less);
        }
        candidate = self->best;
        candidate.groups[i].despawned = 0;
        try_it(self, &candidate);
        for (uint32_t j = 0; j < self->best.component_count; j++) {
            candidate = self->best;
            candidate.groups[i].density[j] = 0;
            try_it(self, &candidate);
        }
    }
}

/* Removes long runs of instructions first. */
static void cut_body(struct shrinker *self, uint32_t index)
{
    for (uint32_t length = 16; length > 0; length /= 4) {
        for (uint32_t end = self->best.systems[index].body_count; end > 0;) {
            struct program candidate = self->best;
            uint32_t first = end > length ? end - length : 0;
            for (uint32_t i = first; i < end; i++)
                candidate.systems[index].body[i] = (struct instruction){.op = OP_NOTHING};
            try_it(self, &candidate);
            end = first;
        }
    }
}

/* Lets a walk take its action at the first slot, and not walk again inside. */
static void cut_walks(struct shrinker *self, uint32_t index)
{
    for (uint32_t i = 0; i < self->best.systems[index].body_count; i++) {
        struct program candidate = self->best;
        struct instruction *at = &candidate.systems[index].body[i];
        if (at->op != OP_WALK && at->op != OP_OBSERVE)
            continue;
        at->imm = at->imm % WALK_ACTIONS | 1u << WALK_SHIFT;
        try_it(self, &candidate);
    }
}

static void cut_terms(struct shrinker *self, uint32_t index)
{
    for (uint32_t i = self->best.systems[index].term_count; i-- > 0;) {
        struct program candidate = self->best;
        program_remove_term(&candidate.systems[index], i);
        try_it(self, &candidate);
    }
}

static void cut_declarations(struct shrinker *self, uint32_t index)
{
    struct program candidate = self->best;
    candidate.systems[index].lane_count = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].command_lane_count = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].join_count = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].grid_count = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].partner.is_set = false;
    for (uint32_t i = candidate.systems[index].term_count; i-- > 0;) {
        if (candidate.systems[index].terms[i].kind == LS_PARTNER)
            program_remove_term(&candidate.systems[index], i);
    }
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].parents_first = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].limit_count = 0;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].states.use = USE_ALWAYS;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].states.enters = false;
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].world = 0;
    program_clean(&candidate);
    try_it(self, &candidate);
    candidate = self->best;
    candidate.systems[index].form = FORM_MATCH;
    try_it(self, &candidate);
    for (uint32_t i = 0; i < self->best.system_count; i++) {
        candidate = self->best;
        candidate.before[index][i] = false;
        try_it(self, &candidate);
    }
}

struct program check_shrink(const struct program *failing, char *text)
{
    struct shrinker self = {.best = *failing, .text = text};
    do {
        self.moved = false;
        cut_modules(&self);
        cut_second_setup(&self);
        cut_pairs(&self);
        cut_ticks(&self);
        cut_systems(&self);
        cut_groups(&self);
        for (uint32_t i = 0; i < self.best.system_count; i++) {
            cut_body(&self, i);
            cut_walks(&self, i);
            cut_terms(&self, i);
            cut_declarations(&self, i);
        }
    } while (self.moved && self.tried < CANDIDATES_MAX);
    return self.best;
}
