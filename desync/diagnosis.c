#include "desync/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const ls_explain_row *find_row(const ls_explain_facts *facts, ls_explain_kind kind)
{
    for (uint32_t i = 0; i < facts->row_count; i++)
        if (facts->rows[i].kind == kind && facts->rows[i].side != LS_SIDE_NOT_RUN)
            return &facts->rows[i];
    return NULL;
}

static bool is_crash(const ls_explain_row *row)
{
    return row->side == LS_SIDE_CRASHED;
}

/* Whether two rows have different results. A crash counts as a result if the other row has a root;
 * a failed row has no result. */
static bool differs(const ls_explain_row *row, const ls_explain_row *from)
{
    if (is_crash(row) || is_crash(from))
        return row->side < LS_SIDE_FAILED || from->side < LS_SIDE_FAILED;
    return row->side < LS_SIDE_FAILED && from->side < LS_SIDE_FAILED && row->root != from->root;
}

/* Returns the first row of the kind with another result than `from` has. */
static const ls_explain_row *find_change(const ls_explain_facts *facts, ls_explain_kind kind,
                                         const ls_explain_row *from)
{
    for (uint32_t i = 0; from && i < facts->row_count; i++)
        if (facts->rows[i].kind == kind && differs(&facts->rows[i], from))
            return &facts->rows[i];
    return NULL;
}

/* Returns the first row of the kind with another result than the kind's first row has. */
static const ls_explain_row *find_pair(const ls_explain_facts *facts, ls_explain_kind kind)
{
    return find_change(facts, kind, find_row(facts, kind));
}

/* Prints `is killed by signal 11 in system "move", tick 5`; a call of exit() has no signal. */
static void print_crash(const ls_crash *crash, char *text, size_t bytes)
{
    int used = crash->signal ? snprintf(text, bytes, "is killed by signal %d", crash->signal)
                             : snprintf(text, bytes, "ends by itself");
    if (crash->is_in_system)
        snprintf(text + used, bytes - (size_t)used, " in system \"%.63s\", tick %" PRIu64,
                 crash->system, crash->tick);
}

static void decide(ls_diagnosis *diagnosis, ls_desync_class cause, const ls_explain_row *row,
                   const char *what)
{
    char name[64] = "";
    if (row)
        ls_explain_row_name(row, name, sizeof name);
    diagnosis->cause = cause;
    diagnosis->row = row;
    diagnosis->next = LS_NEXT_NONE;
    snprintf(diagnosis->reason, sizeof diagnosis->reason, "%s%s%s", name, row ? ": " : "", what);
    snprintf(diagnosis->remedy, sizeof diagnosis->remedy, "%s", ls_desync_class_remedy(cause));
}

/* Decides by two rows with different results; `what` is the reason if both have a root. */
static void decide_by(ls_diagnosis *diagnosis, ls_desync_class cause, const ls_explain_row *row,
                      const ls_explain_row *from, const char *what)
{
    char text[160], crash[112], name[64];
    if (is_crash(row)) {
        print_crash(&row->crash, crash, sizeof crash);
        ls_explain_row_name(from, name, sizeof name);
        snprintf(text, sizeof text, "%s; `%.32s` does not", crash, name);
    } else if (is_crash(from)) {
        print_crash(&from->crash, crash, sizeof crash);
        ls_explain_row_name(row, name, sizeof name);
        snprintf(text, sizeof text, "%s; `%.32s` does not", crash, name);
        row = from;
    } else {
        snprintf(text, sizeof text, "%s", what);
    }
    decide(diagnosis, cause, row, text);
}

/* Finds a read of unwritten memory. Filling memory also moves it, so either two fills must differ,
 * or both must crash while runs at different addresses do not. */
static const ls_explain_row *find_fill(const ls_explain_facts *facts, ls_explain_kind kind,
                                       const ls_explain_row *plain, const ls_explain_row **from)
{
    const ls_explain_row *first = find_row(facts, kind), *pair = find_pair(facts, kind);
    *from = first;
    if (pair || !first || !is_crash(first) || find_change(facts, LS_EXPLAIN_PLACES, plain))
        return pair;
    *from = plain;
    return differs(first, plain) ? first : NULL;
}

/* Looks for a read of unwritten memory, for each kind of memory in turn. */
static const ls_explain_row *find_fills(const ls_explain_facts *facts, const ls_explain_row *plain,
                                        const ls_explain_row **from)
{
    static const ls_explain_kind kinds[] = {LS_EXPLAIN_STACK, LS_EXPLAIN_HEAP,
                                            LS_EXPLAIN_HEAP_NOISE};
    const ls_explain_row *found = NULL;
    for (size_t i = 0; !found && i < LS_COUNT_OF(kinds); i++)
        found = find_fill(facts, kinds[i], plain, from);
    return found;
}

/* Whether all runs with one fill have one root, and there is more than one such run. */
static bool is_steady(const ls_explain_facts *facts, const ls_explain_row *row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->row_count; i++) {
        const ls_explain_row *other = &facts->rows[i];
        if (other->kind != row->kind || other->number != row->number)
            continue;
        if (other->side >= LS_SIDE_FAILED || other->root != row->root)
            return false;
        count++;
    }
    return count > 1;
}

/* Finds a fill of unused memory with a steady result that differs from the result of another fill.
 * If unfilled runs vary, the simulation reads that memory: if it read a clock instead, filled runs
 * would vary too. */
static const ls_explain_row *find_steady_fill(const ls_explain_facts *facts)
{
    static const ls_explain_kind kinds[] = {LS_EXPLAIN_STACK, LS_EXPLAIN_HEAP,
                                            LS_EXPLAIN_HEAP_NOISE};
    for (size_t i = 0; !facts->imports_machine && i < LS_COUNT_OF(kinds); i++) {
        const ls_explain_row *first = find_row(facts, kinds[i]);
        const ls_explain_row *pair = find_pair(facts, kinds[i]);
        if (pair && is_steady(facts, first) && is_steady(facts, pair))
            return pair;
    }
    return NULL;
}

/* Decides when runs differ although everything that a simulation may depend on is equal: the same
 * run repeated, other bytes in unwritten memory, or other addresses. */
static bool decide_unsteady(const ls_explain_facts *facts, const ls_explain_row *plain,
                            ls_diagnosis *diagnosis)
{
    const ls_explain_row *again = find_change(facts, LS_EXPLAIN_PLAIN, plain);
    const ls_explain_row *fill_from, *fill = find_fills(facts, plain, &fill_from);
    const ls_explain_row *places = find_change(facts, LS_EXPLAIN_PLACES, plain);
    const ls_explain_row *steady = again ? find_steady_fill(facts) : NULL;
    if (steady)
        decide(diagnosis, LS_CLASS_UNINITIALISED, steady,
               "this fill always gives this root and another fill another one; unfilled, the "
               "uninitialised bytes vary from run to run");
    else if (again)
        decide_by(diagnosis, LS_CLASS_MACHINE, again, plain,
                  "another root than the same run before: the clock, a random number or the like "
                  "is read");
    else if (fill)
        decide_by(diagnosis, LS_CLASS_UNINITIALISED, fill, fill_from,
                  "another root, though only uninitialised bytes were different");
    else if (places)
        decide_by(diagnosis, LS_CLASS_ADDRESS, places, plain,
                  "another root than `serially`, though only the addresses were different");
    return again || fill || places;
}

static bool decide_order(const ls_explain_facts *facts, const ls_explain_row *plain,
                         ls_diagnosis *diagnosis)
{
    const ls_explain_row *shuffle = find_change(facts, LS_EXPLAIN_SHUFFLE, plain);
    const ls_explain_row *threads = find_change(facts, LS_EXPLAIN_THREADS, plain);
    /* Prefer the drawn order: its seed repeats it, while the order of threads may be chance. */
    if (shuffle)
        decide_by(diagnosis, LS_CLASS_ORDER, shuffle, plain,
                  "another root, though the schedule allows this order");
    else if (threads)
        decide_by(diagnosis, LS_CLASS_ORDER, threads, plain, "another root than `serially`");
    return shuffle || threads;
}

static bool decide_unsaved(const ls_explain_facts *facts, const ls_explain_row *plain,
                           ls_diagnosis *diagnosis)
{
    const ls_explain_row *row = find_change(facts, LS_EXPLAIN_LATE, plain);
    if (!row)
        row = find_change(facts, LS_EXPLAIN_ROUND_TRIP, plain);
    if (!row)
        row = find_change(facts, LS_EXPLAIN_START, plain);
    if (row)
        decide_by(
            diagnosis, LS_CLASS_UNSAVED, row, plain,
            "another root than `serially`, though the state was the same: something is not in it");
    else if (facts->starts_late && plain->side == LS_SIDE_NEITHER)
        decide(diagnosis, LS_CLASS_UNSAVED, plain,
               "runs from the keyframe repeat neither side's roots: something is not in the state");
    else
        return false;
    return true;
}

/* Decides by state outside of the world that the check executor found. It is a fault of the system
 * even if no rerun repeats a side: in the match, the hidden variable may have had another value. */
static bool decide_hidden(const ls_explain_facts *facts, const ls_explain_row *check,
                          ls_diagnosis *diagnosis)
{
    char text[sizeof diagnosis->reason - 32];
    if (!check || !check->is_hidden)
        return false;
    snprintf(text, sizeof text, "%s%s%s%.*s", facts->imports_machine ? "the simulation calls " : "",
             facts->imports_machine ? facts->imports : "", facts->imports_machine ? "; " : "",
             (int)strcspn(check->text, "\n"), check->text);
    decide(diagnosis, facts->imports_machine ? LS_CLASS_MACHINE : LS_CLASS_UNSAVED, check, text);
    return true;
}

/* Decides by worlds that ran in one process: they share only state outside of the world. */
static bool decide_repeat(const ls_explain_facts *facts, const ls_explain_row *plain,
                          ls_diagnosis *diagnosis)
{
    const ls_explain_row *row = find_change(facts, LS_EXPLAIN_REPEAT, plain);
    if (row)
        decide_by(diagnosis, LS_CLASS_UNSAVED, row, plain,
                  "another root than the first time: what a run leaves in its process reaches the "
                  "next one, as it does worlds that share a process");
    return row != NULL;
}

/* Decides when every rerun agrees but none repeats the side: the difference does not come from the
 * simulation's code and this machine alone. The functions that the simulation calls are a better
 * clue than the cells that differ, which may be few in any case. */
static void decide_unrepeated(const ls_explain_facts *facts, const char *side,
                              ls_diagnosis *diagnosis)
{
    char text[sizeof diagnosis->reason - 32];
    bool is_one_bit = facts->cells == 1 && facts->bits == 1 && !facts->others;
    ls_desync_class cause = facts->imports_machine    ? LS_CLASS_MACHINE
                            : facts->imports_floats   ? LS_CLASS_BUILD
                            : is_one_bit              ? LS_CLASS_MEMORY
                            : facts->has_other_builds ? LS_CLASS_BUILD
                                                      : LS_CLASS_OUTSIDE;
    if (cause == LS_CLASS_MACHINE)
        snprintf(text, sizeof text,
                 "likely, though no rerun repeats the %s: the simulation calls %s", side,
                 facts->imports);
    else if (cause == LS_CLASS_MEMORY)
        snprintf(text, sizeof text, "no rerun repeats the %s, and one bit of one cell differs",
                 side);
    else if (cause == LS_CLASS_BUILD && !facts->imports_floats)
        snprintf(text, sizeof text, "no rerun repeats the %s; the sides are different builds",
                 side);
    else
        snprintf(text, sizeof text, "no rerun repeats the %s%s%s", side,
                 facts->imports[0] ? "; the simulation calls " : "", facts->imports);
    decide(diagnosis, cause, NULL, text);
    if (!facts->has_client && cause == LS_CLASS_OUTSIDE)
        diagnosis->next = LS_NEXT_OTHER_BUILD;
}

static void decide_outside(const ls_explain_facts *facts, const ls_explain_row *plain,
                           ls_diagnosis *diagnosis)
{
    const char *side = !facts->has_client              ? "file"
                       : plain->side == LS_SIDE_SERVER ? "client"
                                                       : "server";
    char text[sizeof diagnosis->reason - 32];
    if (!facts->has_client && plain->side == LS_SIDE_SERVER) {
        decide(diagnosis, LS_CLASS_NONE, NULL, "every rerun agrees with the recording");
    } else if (facts->is_start && facts->imports_machine) {
        snprintf(text, sizeof text,
                 "the state before the first tick is different, and the simulation calls %s",
                 facts->imports);
        decide(diagnosis, LS_CLASS_MACHINE, NULL, text);
    } else if (facts->is_start) {
        decide(diagnosis, LS_CLASS_OUTSIDE, NULL,
               "the state before the first tick is different: the setup, or what it reads");
        diagnosis->next = LS_NEXT_OTHER_BUILD;
    } else {
        decide_unrepeated(facts, side, diagnosis);
    }
}

void ls_diagnosis_add_stores(const ls_explain_facts *facts, const ls_explain_stores *stores,
                             ls_diagnosis *diagnosis)
{
    char text[sizeof diagnosis->reason - 32],
        what[128] = "whether a system stores there is not known";
    if (diagnosis->cause != LS_CLASS_MEMORY || stores->is_unstored)
        return;
    if (stores->system)
        snprintf(what, sizeof what, "system \"%.63s\" stores there in that tick", stores->system);
    snprintf(text, sizeof text, "no rerun repeats it; one bit of one cell differs, but %s", what);
    decide(diagnosis, facts->has_other_builds ? LS_CLASS_BUILD : LS_CLASS_OUTSIDE, NULL, text);
    if (stores->system)
        snprintf(diagnosis->remedy, sizeof diagnosis->remedy,
                 "look at what \"%.63s\" reads there, then for what that side alone does",
                 stores->system);
}

/* Decides when a system crashes only under the check executor, which moves pages and changes cells
 * that a system may not read. The system has read such cells, or has kept a pointer. */
static bool decide_check_crash(const ls_explain_row *check, const ls_explain_row *plain,
                               ls_diagnosis *diagnosis)
{
    bool is_found = check && is_crash(check) && !is_crash(plain);
    if (is_found)
        decide_by(diagnosis, LS_CLASS_UNDECLARED, check, plain, "");
    return is_found;
}

static bool decide_crash(const ls_explain_row *plain, ls_diagnosis *diagnosis)
{
    char text[160];
    if (!is_crash(plain))
        return false;
    print_crash(&plain->crash, text, sizeof text);
    decide(diagnosis, LS_CLASS_CRASH, plain, text);
    diagnosis->next = LS_NEXT_DEBUG_CRASH;
    return true;
}

static bool is_all_stuck(const ls_explain_facts *facts)
{
    for (uint32_t i = 0; i < facts->row_count; i++)
        if (facts->rows[i].side != LS_SIDE_NOT_RUN && !facts->rows[i].is_stuck)
            return false;
    return true;
}

/* Decides when no run makes progress: the simulation hangs. A single such run may only be slow. */
static void decide_stuck(const ls_explain_row *plain, ls_diagnosis *diagnosis)
{
    char text[160] = "no run makes progress";
    if (plain->crash.is_in_system)
        snprintf(text, sizeof text,
                 "hangs in system \"%.63s\", tick %" PRIu64 ", as every run does",
                 plain->crash.system, plain->crash.tick);
    decide(diagnosis, LS_CLASS_CRASH, plain, text);
    snprintf(diagnosis->remedy, sizeof diagnosis->remedy,
             "look for a loop there that does not end; a run that is only slow needs more time");
    diagnosis->next = LS_NEXT_DEBUG_HANG;
}

/* Gives no class, because a run that was refused neither agrees with another nor contradicts it. */
static void decide_failed(const ls_explain_row *plain, ls_diagnosis *diagnosis)
{
    char text[sizeof diagnosis->reason - 64];
    snprintf(text, sizeof text, "the ticks cannot be run again: %.*s",
             (int)strcspn(plain->text, "\n"), plain->text);
    decide(diagnosis, LS_CLASS_NONE, plain, text);
    diagnosis->row = NULL; /* no row to examine */
}

static void find_class(const ls_explain_facts *facts, ls_diagnosis *diagnosis)
{
    const ls_explain_row *plain = find_row(facts, LS_EXPLAIN_PLAIN);
    const ls_explain_row *check = find_row(facts, LS_EXPLAIN_CHECK);
    const ls_explain_row *other = find_change(facts, LS_EXPLAIN_OTHER, plain);
    if (facts->has_other_versions)
        decide(diagnosis, LS_CLASS_VERSION, NULL,
               "the simulation of the file and the one that runs here have different fingerprints");
    else if (facts->has_other_inputs)
        decide(diagnosis, LS_CLASS_INPUT, NULL,
               "the sides applied different inputs before that tick");
    else if (!plain)
        decide(diagnosis, LS_CLASS_NONE, NULL, "the ticks cannot be run again");
    else if (check && check->is_undeclared &&
             (check->is_write || !find_change(facts, LS_EXPLAIN_PLAIN, plain)))
        decide(diagnosis, LS_CLASS_UNDECLARED, check, check->text);
    else if (plain->is_stuck && is_all_stuck(facts))
        decide_stuck(plain, diagnosis);
    else if (plain->side == LS_SIDE_FAILED)
        decide_failed(plain, diagnosis);
    else if (other)
        decide_by(diagnosis, LS_CLASS_BUILD, other, plain, "another root than this build's");
    else if (!decide_unsteady(facts, plain, diagnosis) &&
             !decide_unsaved(facts, plain, diagnosis) && !decide_order(facts, plain, diagnosis) &&
             !decide_check_crash(check, plain, diagnosis) && !decide_crash(plain, diagnosis) &&
             !decide_hidden(facts, check, diagnosis) && !decide_repeat(facts, plain, diagnosis))
        decide_outside(facts, plain, diagnosis);
}

/* Adds what the check executor found: an undeclared access is a fault, whatever the class is. */
static void add_check(const ls_explain_row *check, ls_diagnosis *diagnosis)
{
    diagnosis->also[0] = 0;
    if (check && diagnosis->row != check && (check->is_undeclared || check->is_hidden))
        snprintf(diagnosis->also, sizeof diagnosis->also, "the check executor names: %.*s",
                 (int)strcspn(check->text, "\n"), check->text);
}

void ls_diagnosis_find(const ls_explain_facts *facts, ls_diagnosis *diagnosis)
{
    find_class(facts, diagnosis);
    add_check(find_row(facts, LS_EXPLAIN_CHECK), diagnosis);
}
