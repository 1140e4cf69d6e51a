#include "cli/check/check_report.h"

#include "cli/check/check_case_kinds.h"
#include "cli/check/check_plan.h"

#include "cli/common/clock.h"
#include "cli/common/junit.h"
#include "cli/common/output.h"
#include "cli/common/shell_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds the command that repeats a case. */
static void add_command(const ls_check_case_match *match, const ls_verdict *verdict,
                        ls_builder *text)
{
    const ls_sim *sim = ls_program_sim(match->program);
    bool is_declared = verdict->kind == ls_check_case_kind_find("declared", 8);
    ls_builder_add(text, "lockstep check --sim");
    ls_shell_word_add(text, match->sim);
    if (verdict->match.player_count != sim->player_count)
        ls_builder_add(text, " --players %u", verdict->match.player_count);
    if (verdict->match.tick_rate != sim->tick_rate)
        ls_builder_add(text, " --tick-rate %u", verdict->match.tick_rate);
    for (uint32_t i = 0; i < sim->option_count; i++) {
        if (verdict->match.options[i] != sim->options[i].standard)
            ls_builder_add(text, " --set %s=%" PRId64, sim->options[i].name,
                           verdict->match.options[i]);
    }
    if (sim->option_count)
        ls_builder_add(text, " --option-matches 0");
    ls_builder_add(text, " --seed %" PRIu64 " --seeds 1 --inputs %s --ticks %" PRIu64,
                   verdict->match.seed, ls_random_inputs_words[verdict->mode],
                   verdict->ticks_needed);
    if (is_declared && verdict->ticks_needed > LS_CHECK_DECLARED_TICKS)
        ls_builder_add(text, " --declared-ticks %" PRIu64, verdict->ticks_needed);
    if (match->timeout_ns != LS_CHILD_TIMEOUT_NS)
        ls_builder_add(text, " --timeout %" PRIu64, match->timeout_ns / LS_SECOND_NS);
    if (verdict->path) {
        ls_builder_add(text, " --other");
        ls_shell_word_add(text, verdict->path);
    }
    ls_builder_add(text, " --only %s", verdict->name);
}

struct row {
    uint32_t cases, failed, skipped;
    uint64_t ticks, ns;
    char note[200]; /* remarks of the first two matches */
};

static struct row row_of(const ls_check_report *report, const ls_check_case_kind *kind)
{
    struct row row = {0};
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_verdict *verdict = &report->verdicts[i];
        if (verdict->kind != kind)
            continue;
        row.cases++;
        row.failed += verdict->status != LS_OK;
        row.skipped += verdict->is_skipped;
        row.ticks += verdict->ticks;
        row.ns += verdict->ns;
        if (verdict->note[0] && !strstr(row.note, verdict->note) && !strchr(row.note, ';'))
            snprintf(row.note + strlen(row.note), sizeof row.note - strlen(row.note), "%s%.90s",
                     row.note[0] ? "; " : "", verdict->note);
    }
    return row;
}

/* Writes the summary of the row to `text`; of the kind "threads" it names the numbers that ran: "on
 * 1, 2, 4 and 8 threads". */
static void find_summary(const ls_check_report *report, const ls_check_case_kind *kind, char *text,
                         size_t bytes)
{
    uint64_t last = 0, next;
    ls_builder counts = {0};
    snprintf(text, bytes, "%s", kind->summary);
    while (strcmp(kind->name, "threads") == 0) {
        next = UINT64_MAX;
        for (uint32_t i = 0; i < report->count; i++) {
            uint64_t number = 0;
            if (report->verdicts[i].kind == kind &&
                sscanf(report->verdicts[i].name, "threads-%" SCNu64, &number) == 1 &&
                number > last && number < next)
                next = number;
        }
        if (next == UINT64_MAX)
            break;
        if (last)
            ls_builder_add(&counts, "%s%" PRIu64, counts.count ? ", " : "", last);
        last = next;
    }
    if (last)
        snprintf(text, bytes, "on %s%s%" PRIu64 " thread%s", counts.count ? counts.data : "",
                 counts.count ? " and " : "", last, last == 1 ? "" : "s");
    ls_free(counts.data);
}

static void print_row(const ls_check_report *report, const ls_check_case_kind *kind,
                      const struct row *row)
{
    char summary[128];
    char result[64] = "good";
    if (row->failed && row->cases > 1)
        snprintf(result, sizeof result, "FAILED (%u of %u)", row->failed, row->cases);
    else if (row->failed)
        snprintf(result, sizeof result, "FAILED");
    else if (row->skipped)
        snprintf(result, sizeof result, "left out");
    bool has_note = !row->failed && row->note[0];
    find_summary(report, kind, summary, sizeof summary);
    printf("%-10s %-52s %4u %8" PRIu64 " %8.2f  %s%s%s\n", kind->name, summary, row->cases,
           row->ticks, (double)row->ns / (double)LS_SECOND_NS, result, has_note ? ": " : "",
           has_note ? row->note : "");
}

static void print_indented(const char *text)
{
    while (*text) {
        size_t count = strcspn(text, "\n");
        if (count)
            printf("    %.*s\n", (int)count, text);
        text += count + (text[count] == '\n');
    }
}

static void print_failure(const ls_check_report *report, const ls_verdict *verdict, uint32_t more)
{
    printf("\nFAILED %s, seed %" PRIu64 "%s%s\n", verdict->name, verdict->match.seed,
           verdict->path ? ", " : "", verdict->path ? verdict->path : "");
    print_indented(verdict->text.text);
    ls_builder command = {0};
    add_command(report->match, verdict, &command);
    printf("  again: %s\n", command.data);
    if (more)
        printf("  and %u more run%s of this check failed\n", more, more == 1 ? "" : "s");
    ls_free(command.data);
}

/* Prints the shortest failure of the kind; the XML has all. */
static void print_failures(const ls_check_report *report, const ls_check_case_kind *kind)
{
    const ls_verdict *best = NULL;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_verdict *verdict = &report->verdicts[i];
        if (verdict->kind != kind || !verdict->status)
            continue;
        failed++;
        if (!best || verdict->ticks_needed < best->ticks_needed)
            best = verdict;
    }
    if (best)
        print_failure(report, best, failed - 1);
}

static void print_schedule(uint32_t hints)
{
    printf("%-10s %-52s %4u %8s %8s  good: %u hint%s\n", "schedule",
           "it builds: whatever conflicts has an order", 1, "-", "-", hints, hints == 1 ? "" : "s");
}

/* Whether one of the first `end` verdicts has this line too. */
static bool is_noted(const ls_check_report *report, uint32_t end, const char *line, size_t count)
{
    for (uint32_t i = 0; i < end; i++) {
        const char *at = report->verdicts[i].keeps;
        for (; *at; at += strcspn(at, "\n") + 1)
            if (strncmp(at, line, count) == 0)
                return true;
    }
    return false;
}

/* Whether the variable has file and line, in the parenthesis at its end. */
static bool has_place(const char *line, size_t count)
{
    size_t at = count;
    while (at && line[at - 1] != '(')
        at--;
    return memchr(line + at, ':', count - at) != NULL;
}

/* Adds the variables that the matches have noted, each once. If none has a line, suggests a build
 * with debug information. */
static void add_keeps(const ls_check_report *report, ls_builder *text)
{
    bool has_lines = false;
    for (uint32_t i = 0; i < report->count; i++) {
        size_t count;
        for (const char *line = report->verdicts[i].keeps; *line; line += count) {
            count = strcspn(line, "\n") + 1;
            has_lines |= has_place(line, count);
            if (!is_noted(report, i, line, count))
                ls_builder_add(text, "%s%.*s", text->count ? "; " : "", (int)count - 1, line);
        }
    }
    if (text->count && !has_lines)
        ls_builder_add(text, " [build with -g for file and line]");
}

/* Adds warnings, a line each, about calls and variables that can make other machines differ even if
 * all cases pass here. */
static void add_warnings(const ls_check_report *report, ls_builder *text)
{
    ls_builder keeps = {0};
    const char *name = ls_program_sim(report->match->program)->name;
    if (report->imports[0])
        ls_builder_add(text,
                       "warning: %s calls %s: another machine or C library may give another "
                       "result; nothing of it may reach the state: docs/determinism.md",
                       name, report->imports);
    add_keeps(report, &keeps);
    if (keeps.count)
        ls_builder_add(text,
                       "%swarning: %s changes variables as it runs: %s: no snapshot holds them, so "
                       "move what reaches the state to a component: docs/determinism.md",
                       text->count ? "\n" : "", name, keeps.data);
    ls_free(keeps.data);
}

static void print_warnings(const ls_check_report *report)
{
    ls_builder text = {0};
    add_warnings(report, &text);
    if (text.count)
        printf("%s\n", text.data);
    ls_free(text.data);
}

static void print_matches(const ls_check_report *report)
{
    if (!report->option_matches && !report->longer_matches)
        return;
    printf("matches: %u of seeds, %u of options, %u longer; the longest has %" PRIu64 " ticks\n",
           report->seed_matches, report->option_matches, report->longer_matches, report->ticks_max);
}

void ls_check_report_print(const ls_check_report *report)
{
    const ls_check_case_kind *kind;
    uint32_t failed = 0;
    uint64_t ticks = 0;
    printf("%-10s %-52s %4s %8s %8s  %s\n", "check", "what is tried", "runs", "ticks", "seconds",
           "result");
    print_schedule(report->hint_count);
    for (uint32_t i = 0; (kind = ls_check_case_kind_at(i)) != NULL; i++) {
        struct row row = row_of(report, kind);
        if (row.cases)
            print_row(report, kind, &row);
    }
    print_warnings(report);
    for (uint32_t i = 0; (kind = ls_check_case_kind_at(i)) != NULL; i++)
        print_failures(report, kind);
    for (uint32_t i = 0; i < report->count; i++) {
        failed += report->verdicts[i].status != LS_OK;
        ticks += report->verdicts[i].ticks;
    }
    if (failed)
        printf("\n");
    print_matches(report);
    printf("%s: %u runs, %" PRIu64 " ticks, %u failed\n",
           ls_program_sim(report->match->program)->name, report->count, ticks, failed);
}

static ls_junit_case case_of(const ls_verdict *verdict, const char *group, const char *text)
{
    ls_junit_result result = LS_JUNIT_GOOD;
    if (verdict->status == LS_ERROR_INCOMPATIBLE || verdict->status == LS_ERROR_IO)
        result = LS_JUNIT_ERROR;
    else if (verdict->status)
        result = LS_JUNIT_FAILED;
    else if (verdict->is_skipped)
        result = LS_JUNIT_SKIPPED;
    return (ls_junit_case){group, verdict->name, verdict->ns, result, text, NULL};
}

/* The texts of one JUnit case, which must live until the file is written. */
struct words {
    char group[96];
    ls_builder text;
};

static void fill_words(const ls_check_report *report, const ls_verdict *verdict,
                       struct words *words)
{
    snprintf(words->group, sizeof words->group, "%.48s.seed-%" PRIu64,
             ls_program_sim(report->match->program)->name, verdict->match.seed);
    ls_builder_add(&words->text, "%s", verdict->text.text);
    if (!verdict->status)
        return;
    ls_builder_add(&words->text, "\nagain: ");
    add_command(report->match, verdict, &words->text);
}

ls_status ls_check_report_junit(const ls_check_report *report, const char *path, ls_error *error)
{
    ls_junit_case *cases = ls_alloc((report->count + 1) * sizeof *cases);
    struct words *words = ls_alloc((report->count + 1) * sizeof *words);
    ls_builder warning = {0};
    add_warnings(report, &warning);
    cases[0] = (ls_junit_case){.group = ls_program_sim(report->match->program)->name,
                               .name = "schedule",
                               .note = warning.count ? warning.data : NULL};
    for (uint32_t i = 0; i < report->count; i++) {
        fill_words(report, &report->verdicts[i], &words[i]);
        cases[i + 1] = case_of(&report->verdicts[i], words[i].group, words[i].text.data);
    }
    ls_builder text = {0};
    ls_junit_add(&text, "lockstep check", cases, report->count + 1);
    ls_status status = ls_output_write(path, &text, error);
    for (uint32_t i = 0; i < report->count; i++)
        ls_free(words[i].text.data);
    ls_free(text.data);
    ls_free(warning.data);
    ls_free(words);
    ls_free(cases);
    return status;
}

ls_status ls_check_report_status(const ls_check_report *report)
{
    ls_status worst = LS_OK;
    for (uint32_t i = 0; i < report->count; i++) {
        ls_status status = report->verdicts[i].status;
        if (status && status != LS_ERROR_INCOMPATIBLE && status != LS_ERROR_IO)
            return LS_ERROR_DIVERGED;
        if (status == LS_ERROR_INCOMPATIBLE || worst == LS_OK)
            worst = status ? status : worst;
    }
    return worst;
}
