#include "tests/schedule/rules.h"

const char *const rule_names[RULE_COUNT] = {
    [RULE_PRESENCE_STRUCTURE] = "presence, structure",
    [RULE_READ_WRITE] = "read, write",
    [RULE_READ_STRUCTURE] = "read, structure",
    [RULE_READ_VALUES] = "read, accumulate",
    [RULE_WRITE_WRITE] = "write, write",
    [RULE_WRITE_STRUCTURE] = "write, structure",
    [RULE_WRITE_VALUES] = "write, accumulate",
    [RULE_STRUCTURE_STRUCTURE] = "structure, structure",
    [RULE_STRUCTURE_VALUES] = "structure, accumulate",
    [RULE_TWO_OPERATIONS] = "accumulate by two operations",
    [RULE_EVENT] = "send, receive",
    [RULE_LANE] = "spawn into one lane",
    [RULE_LIVENESS] = "spawn, match all that lives",
    [RULE_HALF_LANE] = "half of a lane's newborns",
};

const char *const deed_names[DEED_COUNT] = {
    [DEED_WITH] = "with",
    [DEED_WITHOUT] = "without",
    [DEED_MAYBE] = "maybe",
    [DEED_READ] = "read",
    [DEED_MAYBE_READ] = "read if there",
    [DEED_WRITE] = "write",
    [DEED_BUMP] = "bump",
    [DEED_ATTACH] = "attach",
    [DEED_DETACH] = "detach",
    [DEED_PAIR_READ] = "read by a second query",
    [DEED_PAIR_ALL] = "match all by a second query",
    [DEED_OTHERS_ASK] = "ask of others",
    [DEED_OTHERS_READ] = "read of others",
    [DEED_OTHERS_WRITE] = "write of others",
    [DEED_OTHERS_CHANGE] = "attach and detach of others",
    [DEED_START] = "read as at the start",
    [DEED_GRID] = "read by a grid",
    [DEED_GRID_WITH] = "a grid of those with",
    [DEED_JOIN] = "read by a join",
    [DEED_ADD] = "add",
    [DEED_MIN] = "min",
    [DEED_MAX] = "max",
    [DEED_OR] = "or",
    [DEED_COMMAND] = "command",
    [DEED_SEND] = "send",
    [DEED_RECEIVE] = "receive",
    [DEED_SPAWN] = "spawn",
    [DEED_COMMAND_SPAWN] = "spawn by command",
    [DEED_SPAWN_WITH] = "spawn with",
    [DEED_DESPAWN] = "despawn",
    [DEED_GUESS] = "ask who lives",
    [DEED_RANDOM] = "draw",
};

enum use { NONE, PRESENCE, READ, WRITE, STRUCTURE, VALUES, SEND, RECEIVE, SPAWN };

/* A grid over A that is filtered by a tag reads A, and reads the presence of the tag. */
static enum use use_of(const deed *done, uint32_t column)
{
    if (done->kind == DEED_GRID_WITH && column == COLUMN_A && done->column != COLUMN_A)
        return READ;
    if (done->column != column)
        return NONE;
    switch (done->kind) {
    case DEED_WITH:
    case DEED_WITHOUT:
    case DEED_MAYBE:
    case DEED_PAIR_ALL:
    case DEED_OTHERS_ASK:
    case DEED_GRID_WITH:
        return PRESENCE;
    case DEED_READ:
    case DEED_MAYBE_READ:
    case DEED_PAIR_READ:
    case DEED_OTHERS_READ:
    case DEED_START:
    case DEED_GRID:
    case DEED_JOIN:
        return READ;
    case DEED_WRITE:
    case DEED_BUMP:
    case DEED_OTHERS_WRITE:
        return WRITE;
    case DEED_ATTACH:
    case DEED_DETACH:
    case DEED_OTHERS_CHANGE:
    case DEED_SPAWN_WITH:
        return STRUCTURE;
    case DEED_ADD:
    case DEED_MIN:
    case DEED_MAX:
    case DEED_OR:
        return VALUES;
    case DEED_SEND:
        return SEND;
    case DEED_RECEIVE:
        return RECEIVE;
    default:
        return NONE;
    }
}

static rule rule_of(enum use a, enum use b, bool is_one_operation)
{
    static const uint8_t rules[VALUES + 1][VALUES + 1] = {
        [PRESENCE][STRUCTURE] = 1 + RULE_PRESENCE_STRUCTURE,
        [READ][WRITE] = 1 + RULE_READ_WRITE,
        [READ][STRUCTURE] = 1 + RULE_READ_STRUCTURE,
        [READ][VALUES] = 1 + RULE_READ_VALUES,
        [WRITE][WRITE] = 1 + RULE_WRITE_WRITE,
        [WRITE][STRUCTURE] = 1 + RULE_WRITE_STRUCTURE,
        [WRITE][VALUES] = 1 + RULE_WRITE_VALUES,
        [STRUCTURE][STRUCTURE] = 1 + RULE_STRUCTURE_STRUCTURE,
        [STRUCTURE][VALUES] = 1 + RULE_STRUCTURE_VALUES,
        [VALUES][VALUES] = 1 + RULE_TWO_OPERATIONS,
    };
    enum use less = a < b ? a : b, more = a < b ? b : a;
    if (less == SEND && more == RECEIVE)
        return RULE_EVENT;
    if (more > VALUES || !rules[less][more] || (less == VALUES && is_one_operation))
        return RULE_COUNT;
    return (rule)(rules[less][more] - 1);
}

static void note(reasons *found, rule why, deed_kind one, deed_kind other)
{
    bool is_first = found->rules == 0;
    found->rules |= 1u << why;
    found->one = is_first ? (one < other ? one : other) : DEED_COUNT;
    found->other = is_first ? (one < other ? other : one) : DEED_COUNT;
}

static bool is_required(deed_kind kind)
{
    return kind == DEED_WITH || kind == DEED_READ || kind == DEED_WRITE || kind == DEED_BUMP ||
           kind == DEED_DETACH;
}

static bool matches_all(const actor *plan)
{
    bool has_first = false, has_include = false, has_second = false, has_pair = false;
    for (uint32_t i = 0; i < plan->deed_count; i++) {
        deed_kind kind = (deed_kind)plan->deeds[i].kind;
        bool is_first = deed_is_matched(kind) && kind < DEED_PAIR_READ;
        has_first |= is_first;
        has_include |= is_required(kind);
        has_second |= kind == DEED_PAIR_ALL || kind == DEED_PAIR_READ;
        has_pair |= kind == DEED_PAIR_READ;
    }
    return (has_first && !has_include) || (has_second && !has_pair);
}

static void note_spawns(const actor *a, const actor *b, reasons *found)
{
    for (uint32_t i = 0; i < a->deed_count; i++) {
        if (a->deeds[i].kind != DEED_SPAWN)
            continue;
        if (matches_all(b))
            note(found, RULE_LIVENESS, DEED_SPAWN, DEED_PAIR_ALL);
        for (uint32_t j = 0; j < b->deed_count && a < b; j++) {
            if (b->deeds[j].kind == DEED_SPAWN && b->deeds[j].column == a->deeds[i].column)
                note(found, RULE_LANE, DEED_SPAWN, DEED_SPAWN);
        }
    }
}

static rule rule_between(const deed *one, const deed *other, uint32_t column)
{
    return rule_of(use_of(one, column), use_of(other, column), one->kind == other->kind);
}

reasons rules_between(const actor *a, const actor *b)
{
    reasons found = {0, DEED_COUNT, DEED_COUNT};
    for (uint32_t i = 0; i < a->deed_count; i++) {
        for (uint32_t j = 0; j < b->deed_count; j++) {
            for (uint32_t column = 0; column < COLUMN_COUNT; column++) {
                const deed *one = &a->deeds[i], *other = &b->deeds[j];
                rule why = rule_between(one, other, column);
                if (why != RULE_COUNT)
                    note(&found, why, (deed_kind)one->kind, (deed_kind)other->kind);
            }
        }
    }
    note_spawns(a < b ? a : b, a < b ? b : a, &found);
    note_spawns(a < b ? b : a, a < b ? a : b, &found);
    return found;
}

const char *rules_explain(deed_kind one, deed_kind other)
{
    deed_kind less = one < other ? one : other, more = one < other ? other : one;
    if (less == DEED_BUMP && (more == DEED_BUMP || more == DEED_ADD))
        return "both add in place";
    if (less == DEED_BUMP && (more == DEED_GRID || more == DEED_GRID_WITH || more == DEED_JOIN))
        return "one writes a field that the other does not look at";
    if (more == DEED_SPAWN_WITH &&
        (less == DEED_WITHOUT || less == DEED_MAYBE || less == DEED_MAYBE_READ ||
         less == DEED_ATTACH || less == DEED_GRID_WITH))
        return "newborns lack what else the other requires";
    if (less == DEED_SPAWN_WITH && more == DEED_SPAWN_WITH)
        return "newborns of two lanes are not the same";
    return NULL;
}

void rules_count_free(const actor *a, const actor *b, uint64_t counts[DEED_COUNT][DEED_COUNT])
{
    for (uint32_t i = 0; i < a->deed_count; i++) {
        for (uint32_t j = 0; j < b->deed_count; j++) {
            uint8_t one = a->deeds[i].kind, other = b->deeds[j].kind;
            if (a->deeds[i].column == b->deeds[j].column &&
                rule_between(&a->deeds[i], &b->deeds[j], a->deeds[i].column) == RULE_COUNT)
                counts[one < other ? one : other][one < other ? other : one]++;
        }
    }
}

bool rules_are_filtered(const actor *a, const actor *b)
{
    for (uint32_t i = 0; i < a->deed_count; i++) {
        for (uint32_t j = 0; j < b->deed_count; j++) {
            deed_kind one = (deed_kind)a->deeds[i].kind, other = (deed_kind)b->deeds[j].kind;
            if (a->deeds[i].column == b->deeds[j].column &&
                ((one == DEED_WITHOUT && is_required(other)) ||
                 (other == DEED_WITHOUT && is_required(one))))
                return true;
        }
    }
    return false;
}
