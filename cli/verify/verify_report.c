#include "cli/verify/verify_report.h"

#include "cli/common/clock.h"
#include "cli/common/junit.h"
#include "cli/common/match_playback.h"
#include "cli/common/output.h"
#include "cli/common/shell_word.h"
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The kinds of results, from the worst to the best. */
static const struct {
    ls_exit code;
    const char *word;
} kinds[] = {
    {LS_EXIT_DIVERGED, "diverged"},
    {LS_EXIT_CORRUPT, "corrupt"},
    {LS_EXIT_INCOMPATIBLE, "incompatible"},
    {LS_EXIT_REFUSED, "refused"},
    {LS_EXIT_MACHINE, "unreadable"},
    {LS_EXIT_USAGE, "missing"},
    {LS_EXIT_GOOD, "good"},
};

static uint32_t kind_of(const ls_verify_result *result)
{
    ls_exit code = ls_exit_of(result->status);
    uint32_t kind = 0;
    while (kinds[kind].code != code && kinds[kind].code != LS_EXIT_GOOD)
        kind++;
    return kind;
}

static const char *word_of(const ls_verify_result *result)
{
    return result->is_untrusted ? "untrusted"
           : result->is_crash   ? "crashed"
                                : kinds[kind_of(result)].word;
}

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)LS_SECOND_NS;
}

static double rate_of(uint64_t ticks, uint64_t ns)
{
    return ns ? (double)ticks / seconds_of(ns) : 0;
}

/* Reports the difference. If later roots agree again, perhaps only the recorded root is wrong, not
 * the state. */
static void print_divergence(ls_result_writer *into, const ls_verify_result *result)
{
    uint64_t agrees_tick = result->divergence.agrees_tick;
    if (!result->has_divergence)
        return;
    ls_divergence_print(&result->divergence, into);
    if (agrees_tick)
        ls_result_line(into, "again", "from tick %" PRIu64 " on the state agrees again: %s",
                       agrees_tick,
                       result->is_forged ? "the root itself was changed"
                                         : "the root itself is wrong, or what differed was written "
                                           "over");
}

/* Returns the warning about the file; "" if there is none. */
static ls_error warning_of(const ls_verify_result *result)
{
    ls_error text = {0};
    if (result->trailing_bytes)
        (void)ls_error_set(&text, LS_OK,
                           "%" PRIu64 " bytes follow the end of the recording: something wrote "
                           "into the file after the server had closed it",
                           result->trailing_bytes);
    return text;
}

static void print_good(const ls_verify_result *result)
{
    printf("%s\n", result->end.text);
    printf("verified ticks=%" PRIu64 " root=%016" PRIx64 " sim=%s seed=%" PRIu64
           " seconds=%.3f ticks_per_second=%.0f times_real_time=%.1f\n",
           result->ticks, result->root, result->sim, result->seed, seconds_of(result->ns),
           rate_of(result->ticks, result->ns), ls_verify_factor(result));
    printf("%s\n", result->vouched.text);
}

void ls_verify_print_alone(const char *path, const ls_verify_result *result)
{
    ls_error warning = warning_of(result);
    ls_match_playback_warn_of_build("verify", &result->warning);
    if (warning.text[0] && !result->status)
        fprintf(stderr, "lockstep verify: warning: %s: %s\n", path, warning.text);
    if (result->is_whole)
        print_good(result);
    /* The ticks before the damage still count as verified. */
    else if (result->was_played &&
             (result->status == LS_ERROR_CORRUPT || result->status == LS_ERROR_INCOMPATIBLE))
        printf("verified ticks=%" PRIu64 " %s\n%s%s", result->ticks,
               result->files > 1 ? "outside the trouble" : "before the trouble",
               result->vouched.text, result->vouched.text[0] ? "\n" : "");
    if (result->status)
        ls_command_fail("verify", result->status, &result->error);
    ls_result_writer rows;
    ls_result_begin(&rows, "");
    print_divergence(&rows, result);
    if (result->has_divergence && result->status == LS_ERROR_DIVERGED && result->vouched.text[0])
        ls_builder_add(&rows.lines, "%s\n", result->vouched.text);
    ls_result_words(&rows, "next", "next", result->next);
    fputs(rows.lines.data, stdout);
    ls_result_reset(&rows);
}

static void print_trouble(const ls_verify_result *result)
{
    ls_result_writer rows;
    ls_error warning = warning_of(result);
    ls_result_begin(&rows, "  ");
    ls_result_words(&rows, "warning", "warning", result->warning.text);
    ls_result_words(&rows, "warning", "trailing", result->status ? "" : warning.text);
    if (result->status)
        ls_result_words(&rows, "error", "error", result->error.text);
    else if (result->end_kind != LS_RECORDING_CLEAN)
        ls_result_words(&rows, "end", "end", result->end.text);
    print_divergence(&rows, result);
    if (result->vouched.text[0])
        ls_builder_add(&rows.lines, "%s%s\n", rows.indent, result->vouched.text);
    ls_result_words(&rows, "next", "next", result->next);
    fputs(rows.lines.data, stdout);
    ls_result_reset(&rows);
}

void ls_verify_print(const char *path, const ls_verify_result *result)
{
    printf("%-12s %s", word_of(result), path);
    if (result->was_played)
        printf(" ticks=%" PRIu64 " seconds=%.3f times_real_time=%.1f", result->ticks,
               seconds_of(result->ns), ls_verify_factor(result));
    puts("");
    print_trouble(result);
    fflush(stdout);
}

static void add_played_json(ls_builder *text, const ls_verify_result *result)
{
    ls_json_u64(text, "first_tick", result->first);
    ls_json_u64(text, "ticks", result->ticks);
    ls_json_root(text, "root", result->root);
    ls_json_u64_string(text, "seed", result->seed);
    ls_json_decimal(text, "seconds", result->ns / 1000, 6);
    ls_json_u64(text, "ticks_per_second", (uint64_t)rate_of(result->ticks, result->ns));
    ls_json_decimal(text, "times_real_time", (uint64_t)(ls_verify_factor(result) * 10), 1);
    ls_json_words(text, "sim", result->sim);
    ls_json_words(text, "end", result->end.text);
    ls_json_words(text, "signed", result->vouched.text);
    ls_json_words(text, "server_key", result->key);
    ls_json_u64(text, "unsigned_ticks", result->unsigned_ticks);
    ls_json_u64(text, "trailing_bytes", result->trailing_bytes);
}

static void print_json(ls_builder *text)
{
    ls_json_close(text, '}');
    puts(text->data);
    fflush(stdout);
    ls_free(text->data);
}

void ls_verify_print_json(const char *path, const ls_verify_result *result)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "result", word_of(result));
    ls_json_string(&text, "file", path);
    if (result->was_played)
        add_played_json(&text, result);
    if (result->warning.text[0])
        ls_json_string(&text, "warning", result->warning.text);
    ls_json_string(&text, "error", result->status ? result->error.text : NULL);
    if (result->has_divergence) {
        ls_result_writer divergence;
        ls_result_begin(&divergence, "");
        ls_divergence_print(&result->divergence, &divergence);
        ls_result_end(&divergence);
        ls_json_raw(&text, "divergence", divergence.json.data);
        ls_result_reset(&divergence);
    }
    if (result->next[0])
        ls_json_string(&text, "next", result->next);
    print_json(&text);
}

struct total {
    uint32_t counts[LS_COUNT_OF(kinds)];
    uint32_t signed_count; /* files that are signed to their last tick */
    uint64_t ticks;
    double match_seconds, factor; /* factor: match time played per second */
};

static struct total total_of(const ls_verify_report *report)
{
    struct total total = {0};
    for (uint32_t i = 0; i < report->count; i++) {
        const ls_verify_result *result = &report->results[i];
        total.counts[kind_of(result)]++;
        total.signed_count += result->is_signed;
        total.ticks += result->ticks;
        if (result->tick_rate)
            total.match_seconds += (double)result->ticks / result->tick_rate;
    }
    total.factor = report->ns ? total.match_seconds / seconds_of(report->ns) : 0;
    return total;
}

static void print_total_json(const ls_verify_report *report, const struct total *total)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_u64(&text, "files", report->count);
    for (size_t i = LS_COUNT_OF(kinds); i-- > 0;)
        ls_json_u64(&text, kinds[i].word, total->counts[i]);
    ls_json_u64(&text, "signed", total->signed_count);
    ls_json_u64(&text, "ticks", total->ticks);
    ls_json_decimal(&text, "seconds", report->ns / 1000, 6);
    ls_json_u64(&text, "ticks_per_second", (uint64_t)rate_of(total->ticks, report->ns));
    ls_json_decimal(&text, "times_real_time", (uint64_t)(total->factor * 10), 1);
    print_json(&text);
}

void ls_verify_print_total(const ls_verify_report *report, bool is_json)
{
    struct total total = total_of(report);
    if (is_json) {
        print_total_json(report, &total);
        return;
    }
    printf("verified files=%u", report->count);
    for (size_t i = LS_COUNT_OF(kinds); i-- > 0;)
        if (total.counts[i] || kinds[i].code == LS_EXIT_GOOD)
            printf(" %s=%u", kinds[i].word, total.counts[i]);
    printf(" signed=%u ticks=%" PRIu64 " seconds=%.3f ticks_per_second=%.0f times_real_time=%.1f\n",
           total.signed_count, total.ticks, seconds_of(report->ns),
           rate_of(total.ticks, report->ns), total.factor);
}

/* Adds the signer and warnings; for a bad file they follow its error. */
static void add_notes(ls_builder *text, const ls_verify_result *result)
{
    const ls_error warning = warning_of(result);
    const char *const lines[] = {result->vouched.text, result->warning.text, warning.text};
    for (size_t i = 0; i < LS_COUNT_OF(lines); i++)
        if (lines[i][0])
            ls_builder_add(text, "%s%s%s", text->count ? "\n" : "", i ? "warning: " : "", lines[i]);
}

static ls_junit_case case_of(const ls_verify_report *report, uint32_t index, ls_builder *text)
{
    const ls_verify_result *result = &report->results[index];
    if (!result->status) {
        add_notes(text, result);
        return (ls_junit_case){.group = result->sim,
                               .name = report->names[index],
                               .ns = result->ns,
                               .result = LS_JUNIT_GOOD,
                               .note = text->data};
    }
    ls_builder_add(text, "%s", result->error.text);
    add_notes(text, result);
    ls_result_writer divergence;
    ls_result_begin(&divergence, "");
    print_divergence(&divergence, result);
    ls_builder_add(text, "%s%s", result->has_divergence ? "\n" : "", divergence.lines.data);
    ls_result_reset(&divergence);
    if (result->next[0])
        ls_builder_add(text, "\nnext: %s", result->next);
    ls_builder_add(text, "\nagain: lockstep verify");
    if (report->sim) {
        ls_builder_add(text, " --sim");
        ls_shell_word_add(text, report->sim);
    }
    if (report->key) {
        ls_builder_add(text, " --key");
        ls_shell_word_add(text, report->key);
    }
    ls_builder_add(text, "%s%s", report->requires_signed ? " --require-signed" : "",
                   report->is_strict ? " --strict" : "");
    ls_shell_word_add(text, report->names[index]);
    return (ls_junit_case){.group = result->sim[0] ? result->sim : "recording",
                           .name = report->names[index],
                           .ns = result->ns,
                           .result = result->status == LS_ERROR_DIVERGED || result->is_untrusted
                                         ? LS_JUNIT_FAILED
                                         : LS_JUNIT_ERROR,
                           .text = text->data};
}

ls_status ls_verify_write_junit(const ls_verify_report *report, const char *path, ls_error *error)
{
    ls_junit_case *cases = ls_alloc(report->count * sizeof *cases);
    ls_builder *texts = ls_alloc(report->count * sizeof *texts);
    ls_builder document = {0};
    for (uint32_t i = 0; i < report->count; i++)
        cases[i] = case_of(report, i, &texts[i]);
    ls_junit_add(&document, "lockstep verify", cases, report->count);
    ls_status status = ls_output_write(path, &document, error);
    for (uint32_t i = 0; i < report->count; i++)
        ls_free(texts[i].data);
    ls_free(document.data);
    ls_free(texts);
    ls_free(cases);
    return status;
}

ls_exit ls_verify_exit(const ls_verify_report *report)
{
    uint32_t worst = LS_COUNT_OF(kinds) - 1;
    for (uint32_t i = 0; i < report->count; i++) {
        uint32_t kind = kind_of(&report->results[i]);
        if (kind < worst)
            worst = kind;
    }
    return kinds[worst].code;
}
