#include "cli/explain/explain_print.h"

#include "core/base/json_writer.h"
#include "core/base/result_writer.h"

#include <inttypes.h>
#include <stdio.h>

static void print_side(const char *name, const ls_evidence_side *side, uint64_t root)
{
    printf("%s  root %016" PRIx64 ", %" PRIu32 " thread%s, %s\n", name, root, side->threads,
           side->threads == 1 ? "" : "s", side->build);
}

static void print_evidence(const ls_evidence *evidence)
{
    print_side("server", &evidence->server, evidence->server.root);
    print_side("client", &evidence->client, evidence->client.root);
    for (uint32_t i = 0; i < evidence->finding_count && i < 4; i++)
        printf("cell    %s: server %s, client %s\n", evidence->findings[i].place,
               evidence->findings[i].server, evidence->findings[i].client);
    if (evidence->findings_in_all > 4)
        printf("        and %" PRIu32 " cells more\n", evidence->findings_in_all - 4);
}

void ls_explain_print_head(const ls_explain_result *result)
{
    const ls_explain_case *subject = result->subject;
    printf("%s: %s, ticks %" PRIu64 " to %" PRIu64 ", the root before tick %" PRIu64 " is ",
           subject->config.path, subject->loaded.sim->name, subject->first_tick, subject->end_tick,
           subject->tick);
    if (result->server_root)
        printf("%016" PRIx64 "\n", result->server_root);
    else
        puts("not in the file");
    if (subject->evidence)
        print_evidence(subject->evidence);
    if (subject->torn.text[0])
        printf("end     %s\n", subject->torn.text);
    if (subject->match_path)
        printf("match   %s: \"from the start\" is from its first tick\n", subject->match_path);
    printf("  %-26s %-8s root before tick %" PRIu64 "\n", "run", "repeats", subject->tick);
    fflush(stdout);
}

/* Returns the side whose result the row reproduces, or how the row failed. Without a client the
 * side is "the file" or "nothing". */
static const char *repeated_by(const ls_explain_result *result, const ls_explain_row *row)
{
    if (result->has_client || row->side >= LS_SIDE_FAILED)
        return ls_explain_side_name(row->side);
    return row->side == LS_SIDE_SERVER ? "the file" : "nothing";
}

void ls_explain_print_row(const ls_explain_result *result, const ls_explain_row *row)
{
    const char *who = repeated_by(result, row);
    char name[64];
    ls_explain_row_name(row, name, sizeof name);
    if (row->side == LS_SIDE_CRASHED || row->side == LS_SIDE_NOT_RUN)
        printf("  %-26s %-8s %s\n", name, who, row->text);
    else if (row->kind == LS_EXPLAIN_CHECK && row->side != LS_SIDE_FAILED)
        printf("  %-26s finds nothing from tick %" PRIu64 " on\n", name, row->from);
    else if (row->side == LS_SIDE_FAILED)
        printf("  %-26s %-8s %s\n", name, row->is_undeclared || row->is_hidden ? "finds" : "failed",
               row->text);
    else if (row->side == LS_SIDE_NEITHER && row->has_difference && row->tick == 0)
        printf("  %-26s %-8s %016" PRIx64 "  differs from the start on\n", name, who, row->root);
    else if (row->side == LS_SIDE_NEITHER && row->has_difference)
        printf("  %-26s %-8s %016" PRIx64 "  differs from tick %" PRIu64 " on\n", name, who,
               row->root, row->tick - 1);
    else
        printf("  %-26s %-8s %016" PRIx64 "\n", name, who, row->root);
    fflush(stdout);
}

void ls_explain_print_crash(const ls_crash *crash, ls_builder *text)
{
    ls_result_writer result;
    ls_result_begin(&result, "");
    ls_result_u64(&result, "tick", "tick", crash->tick);
    ls_json_i64(&result.json, "signal", crash->signal);
    ls_result_words(&result, "system", "system", crash->system);
    ls_result_words(&result, "line", "line", crash->line);
    ls_result_pack(&result, text);
}

static void print_test(const ls_explain_test *test)
{
    printf("test       %s, in %s\n", test->name, test->list);
    if (test->passes)
        printf("           it passes here, although nothing is repaired: %s\n", test->why);
    else
        puts("           it was run, and fails here until the fault is repaired");
}

/* Prints the command line of the next step; "" if there is none. */
static void next_words(const ls_explain_result *result, char *text, size_t bytes)
{
    const ls_diagnosis *diagnosis = &result->diagnosis;
    const char *path = result->subject->config.path;
    text[0] = 0;
    if (diagnosis->next == LS_NEXT_DEBUG_CRASH)
        snprintf(text, bytes,
                 "gdb --args lockstep replay seek %.200s %" PRIu64 ", which stops at the crash",
                 path, diagnosis->row->crash.tick + 1);
    else if (diagnosis->next == LS_NEXT_DEBUG_HANG)
        snprintf(text, bytes,
                 "gdb --args lockstep verify %.200s, interrupted when it hangs; or a longer "
                 "--timeout",
                 path);
    else if (diagnosis->next == LS_NEXT_OTHER_BUILD)
        snprintf(text, bytes, "--other BUILD, if another build of the simulation made the file");
}

void ls_explain_print_end(const ls_explain_result *result)
{
    char next[320];
    const ls_diagnosis *diagnosis = &result->diagnosis;
    printf("class      %s\nbecause    %s\n", ls_desync_class_name(diagnosis->cause),
           diagnosis->reason);
    if (diagnosis->remedy[0])
        printf("remedy     %s\n", diagnosis->remedy);
    next_words(result, next, sizeof next);
    if (next[0])
        printf("try        %s\n", next);
    if (diagnosis->also[0])
        printf("also       %s\n", diagnosis->also);
    if (result->subject->rest.text[0])
        printf("continues  %s\n", result->subject->rest.text);
    if (result->doubt.text[0])
        printf("doubt      %s\n", result->doubt.text);
    if (result->where_json)
        printf("%s", result->where);
    else if (result->why.text[0])
        printf("system     unknown: %s\n", result->why.text);
    if (result->test.is_there)
        print_test(&result->test);
}

static void add_row(ls_builder *text, const ls_explain_row *row)
{
    char name[64];
    ls_explain_row_name(row, name, sizeof name);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "run", name);
    ls_json_string(text, "side", ls_explain_side_name(row->side));
    ls_json_string(text, "text", row->text);
    ls_json_u64(text, "from", row->from);
    ls_json_root(text, "root", row->root);
    ls_json_decimal(text, "ms", row->ns / 100000, 1);
    ls_json_close(text, '}');
}

/* Adds the members with which both kinds of result begin. */
static void add_head(ls_builder *text, const ls_explain_result *result)
{
    const ls_explain_case *subject = result->subject;
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "file", subject->config.path);
    ls_json_string(text, "simulation", subject->loaded.sim->name);
    ls_json_u64(text, "tick", subject->tick);
}

static void add_rows(ls_builder *text, const ls_explain_result *result)
{
    ls_json_open(text, "rows", '[');
    for (uint32_t i = 0; i < result->row_count; i++)
        add_row(text, &result->rows[i]);
    ls_json_close(text, ']');
}

static void add_test(ls_builder *text, const ls_explain_test *test)
{
    ls_json_open(text, "test", '{');
    ls_json_string(text, "name", test->name);
    ls_json_string(text, "list", test->list);
    ls_json_string(text, "why", test->why);
    ls_json_bool(text, "passes", test->passes);
    ls_json_close(text, '}');
}

static void print_agreement_json(const ls_explain_result *result, const ls_explain_row *odd,
                                 const char *name, uint32_t runs)
{
    ls_builder text = {0};
    add_head(&text, result);
    ls_json_u64(&text, "runs", runs);
    add_rows(&text, result);
    if (odd) {
        ls_json_string(&text, "run", name);
        ls_json_string(&text, "text", odd->text);
    }
    ls_json_bool(&text, "agree", !odd);
    ls_json_close(&text, '}');
    puts(text.data);
    ls_free(text.data);
}

void ls_explain_print_agreement(const ls_explain_result *result, const ls_explain_row *odd)
{
    char name[64] = "";
    uint32_t runs = 0;
    for (uint32_t i = 0; i < result->row_count; i++)
        runs += result->rows[i].side != LS_SIDE_NOT_RUN;
    if (odd)
        ls_explain_row_name(odd, name, sizeof name);
    if (result->is_json)
        print_agreement_json(result, odd, name, runs);
    else if (odd)
        printf("%s: %s\n", name, odd->text[0] ? odd->text : "another root than serially");
    else
        printf("all %" PRIu32 " runs agree\n", runs);
}

static void add_evidence(ls_builder *text, const ls_evidence *evidence)
{
    ls_json_open(text, "cells", '[');
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        ls_json_open(text, NULL, '{');
        ls_json_string(text, "place", evidence->findings[i].place);
        ls_json_string(text, "server", evidence->findings[i].server);
        ls_json_string(text, "client", evidence->findings[i].client);
        ls_json_close(text, '}');
    }
    ls_json_close(text, ']');
}

void ls_explain_print_json(const ls_explain_result *result, ls_builder *text)
{
    const ls_explain_case *subject = result->subject;
    const ls_diagnosis *diagnosis = &result->diagnosis;
    char next[320];
    add_head(text, result);
    ls_json_root(text, "server_root", result->server_root);
    if (result->has_client)
        ls_json_root(text, "client_root", result->client_root);
    if (subject->evidence)
        add_evidence(text, subject->evidence);
    add_rows(text, result);
    if (result->test.is_there)
        add_test(text, &result->test);
    ls_json_string(text, "class", ls_desync_class_word(diagnosis->cause));
    ls_json_string(text, "because", diagnosis->reason);
    ls_json_string(text, "remedy", diagnosis->remedy);
    next_words(result, next, sizeof next);
    ls_json_string(text, "try", next);
    ls_json_string(text, "also", diagnosis->also);
    ls_json_string(text, "goes_on", subject->rest.text);
    ls_json_string(text, "unknown", result->why.text);
    ls_json_string(text, "doubt", result->doubt.text);
    ls_json_raw(text, "where", result->where_json ? result->where_json : "null");
    ls_json_close(text, '}');
    ls_builder_add(text, "\n");
}
