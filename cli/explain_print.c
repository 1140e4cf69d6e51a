#include "cli/explain_print.h"

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
    const ls_explain_case *the = result->the;
    printf("%s: %s, ticks %" PRIu64 " to %" PRIu64 ", the root before tick %" PRIu64
           " is %016" PRIx64 "\n",
           the->config.path, the->loaded.sim->name, the->first_tick, the->end_tick, the->tick,
           result->server_root);
    if (the->evidence)
        print_evidence(the->evidence);
    fflush(stdout);
}

void ls_explain_print_row(const ls_explain_row *row)
{
    char name[64];
    ls_explain_row_name(row, name, sizeof name);
    if (row->kind == LS_EXPLAIN_CHECK && row->side != LS_SIDE_FAILED)
        printf("  %-26s finds nothing from tick %" PRIu64 " on\n", name, row->from);
    else if (row->side == LS_SIDE_FAILED)
        printf("  %-26s %-8s %s\n", name, row->is_undeclared || row->is_hidden ? "finds" : "failed",
               row->text);
    else if (row->side == LS_SIDE_NEITHER && row->tick)
        printf("  %-26s %-8s %016" PRIx64 "  first in tick %" PRIu64 "\n", name, "neither",
               row->root, row->tick - 1);
    else
        printf("  %-26s %-8s %016" PRIx64 "\n", name, ls_explain_side_name(row->side), row->root);
    fflush(stdout);
}

void ls_explain_print_end(const ls_explain_result *result)
{
    const ls_diagnosis *diagnosis = &result->diagnosis;
    printf("class      %s\nbecause    %s\n", ls_desync_class_name(diagnosis->cause),
           diagnosis->reason);
    if (diagnosis->remedy[0])
        printf("remedy     %s\n", diagnosis->remedy);
    if (result->where_json)
        printf("%s", result->where);
    else if (result->why.text[0])
        printf("system     unknown: %s\n", result->why.text);
}

static void add_text(ls_builder *text, const char *name, const char *value)
{
    ls_builder_add(text, "\"%s\":", name);
    ls_builder_add_string(text, value);
    ls_builder_add(text, ",");
}

static void add_row(ls_builder *text, const ls_explain_row *row)
{
    char name[64];
    ls_explain_row_name(row, name, sizeof name);
    ls_builder_add(text, "{");
    add_text(text, "run", name);
    add_text(text, "side", ls_explain_side_name(row->side));
    add_text(text, "text", row->text);
    ls_builder_add(text, "\"from\":%" PRIu64 ",\"root\":\"%016" PRIx64 "\",\"ms\":%.1f}", row->from,
                   row->root, (double)row->ns / 1e6);
}

static void add_evidence(ls_builder *text, const ls_evidence *evidence)
{
    ls_builder_add(text, "\"cells\":[");
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        ls_builder_add(text, "%s{", i ? "," : "");
        add_text(text, "place", evidence->findings[i].place);
        add_text(text, "server", evidence->findings[i].server);
        ls_builder_add(text, "\"client\":");
        ls_builder_add_string(text, evidence->findings[i].client);
        ls_builder_add(text, "}");
    }
    ls_builder_add(text, "],");
}

void ls_explain_print_json(const ls_explain_result *result, ls_builder *text)
{
    const ls_explain_case *the = result->the;
    const ls_diagnosis *diagnosis = &result->diagnosis;
    ls_builder_add(text, "{");
    add_text(text, "file", the->config.path);
    add_text(text, "simulation", the->loaded.sim->name);
    ls_builder_add(text, "\"tick\":%" PRIu64 ",\"server_root\":\"%016" PRIx64 "\",", the->tick,
                   result->server_root);
    if (result->has_client)
        ls_builder_add(text, "\"client_root\":\"%016" PRIx64 "\",", result->client_root);
    if (the->evidence)
        add_evidence(text, the->evidence);
    ls_builder_add(text, "\"rows\":[");
    for (uint32_t i = 0; i < result->row_count; i++) {
        ls_builder_add(text, "%s", i ? "," : "");
        add_row(text, &result->rows[i]);
    }
    ls_builder_add(text, "],");
    add_text(text, "class", ls_desync_class_word(diagnosis->cause));
    add_text(text, "because", diagnosis->reason);
    add_text(text, "remedy", diagnosis->remedy);
    add_text(text, "unknown", result->why.text);
    ls_builder_add(text, "\"where\":%s}\n", result->where_json ? result->where_json : "null");
}
