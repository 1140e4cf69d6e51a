#include "benches/report.h"

#include "core/base/json_writer.h"
#include <lockstep/base.h>

#include <string.h>
#include <unistd.h>

static const bench_result *find_other(const bench_report *report, const bench_result *result)
{
    bool has_other = result->row->target == BENCH_FASTER_THAN;
    for (uint32_t i = 0; has_other && i < report->count; i++) {
        if (strcmp(report->results[i].row->name, result->row->other) == 0)
            return &report->results[i];
    }
    return NULL; /* the row names no other row, or --only skipped it */
}

/* The figure that the row's target applies to; NAN when it was not measured. */
static double measured(const bench_report *report, const bench_result *result)
{
    const bench_result *other = find_other(report, result);
    switch (result->row->target) {
    case BENCH_NO_TARGET:
        break;
    case BENCH_AT_MOST:
        return result->ours;
    case BENCH_RATIO_AT_MOST:
        return result->ratio;
    case BENCH_FASTER_THAN:
        if (!isnan(result->factor))
            return result->factor;
        return other ? other->ours / result->ours : NAN;
    case BENCH_SPEED_UP:
        return 1 / result->ratio;
    }
    return NAN;
}

static bool is_factor(bench_target target)
{
    return target == BENCH_FASTER_THAN || target == BENCH_SPEED_UP;
}

/* A row is also disturbed when its reference row is. */
static bool is_disturbed(const bench_report *report, const bench_result *result)
{
    const bench_result *other = find_other(report, result);
    return result->is_disturbed || (other && other->is_disturbed);
}

static bool is_reached(const bench_report *report, const bench_result *result)
{
    double value = measured(report, result);
    if (is_disturbed(report, result))
        return false;
    return is_factor(result->row->target) ? value >= result->row->limit
                                          : value <= result->row->limit;
}

static const char *number(double value, char *text, size_t bytes)
{
    if (isnan(value))
        return "-";
    snprintf(text, bytes,
             value < 0.1    ? "%.2g"
             : value < 10   ? "%.2f"
             : value < 1000 ? "%.1f"
                            : "%.0f",
             value);
    return text;
}

typedef struct line {
    char name[160], bare[24], ours[24], ratio[24], target[128], reached[32];
} line;

static line make_line(const bench_report *report, const bench_result *result)
{
    const bench_row *row = result->row;
    line made;
    char text[24];
    snprintf(made.name, sizeof made.name, "%s%s%s", row->name, result->note[0] ? "; " : "",
             result->note);
    snprintf(made.bare, sizeof made.bare, "%s", number(result->bare, text, sizeof text));
    snprintf(made.ours, sizeof made.ours, "%s", number(result->ours, text, sizeof text));
    snprintf(made.ratio, sizeof made.ratio, "%s", number(result->ratio, text, sizeof text));
    switch (row->target) {
    case BENCH_NO_TARGET:
        snprintf(made.target, sizeof made.target, "-");
        snprintf(made.reached, sizeof made.reached, "%s",
                 is_disturbed(report, result) ? "disturbed" : "-");
        return made;
    case BENCH_AT_MOST:
        snprintf(made.target, sizeof made.target, "<= %g %s", row->limit, row->unit);
        break;
    case BENCH_RATIO_AT_MOST:
        snprintf(made.target, sizeof made.target, "ratio <= %g", row->limit);
        break;
    case BENCH_FASTER_THAN:
        snprintf(made.target, sizeof made.target, "%gx faster than \"%.60s\"", row->limit,
                 row->other);
        break;
    case BENCH_SPEED_UP:
        snprintf(made.target, sizeof made.target, "%gx faster", row->limit);
        break;
    }
    const char *answer = is_reached(report, result) ? "yes" : "NO";
    if (is_disturbed(report, result))
        snprintf(made.reached, sizeof made.reached, "disturbed");
    else if (is_factor(row->target))
        snprintf(made.reached, sizeof made.reached, "%s, %s", answer,
                 number(measured(report, result), text, sizeof text));
    else
        snprintf(made.reached, sizeof made.reached, "%s", answer);
    return made;
}

static void print_summary(const bench_report *report, FILE *file)
{
    uint32_t targets = 0, reached = 0, disturbed = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        targets += report->results[i].row->target != BENCH_NO_TARGET;
        reached += report->results[i].row->target != BENCH_NO_TARGET &&
                   is_reached(report, &report->results[i]);
        disturbed += is_disturbed(report, &report->results[i]);
    }
    fprintf(file, "%u of %u targets reached; ", reached, targets);
    if (report->suite->takes_entities)
        fprintf(file, "%u entities, ", report->options->entities);
    fprintf(file, "median of %u runs, %ld cores\n", report->options->runs,
            sysconf(_SC_NPROCESSORS_ONLN));
    if (disturbed)
        fprintf(file, "%s: other work disturbed %u rows; measure again on an idle machine\n",
                report->suite->name, disturbed);
}

void bench_report_table(const bench_report *report, FILE *file)
{
    fprintf(file, "%-54s %-4s %9s %9s %7s  %-9s %s\n", "what", "unit", "reference", "measured",
            "ratio", "reached", "target");
    for (uint32_t i = 0; i < report->count; i++) {
        const bench_result *result = &report->results[i];
        line made = make_line(report, result);
        fprintf(file, "%-54s %-4s %9s %9s %7s  %-9s %s%s%s\n", result->row->name, result->row->unit,
                made.bare, made.ours, made.ratio, made.reached, made.target,
                result->note[0] ? "; " : "", result->note);
    }
    print_summary(report, file);
}

void bench_report_markdown(const bench_report *report, FILE *file)
{
    fprintf(file, "| what | unit | reference | measured | ratio | target | reached |\n"
                  "| --- | --- | --: | --: | --: | --- | --- |\n");
    for (uint32_t i = 0; i < report->count; i++) {
        const bench_result *result = &report->results[i];
        line made = make_line(report, result);
        fprintf(file, "| %s | %s | %s | %s | %s | %s | %s |\n", made.name, result->row->unit,
                made.bare, made.ours, made.ratio, made.target, made.reached);
    }
    fprintf(file, "\n");
    print_summary(report, file);
}

static void add_number(ls_builder *text, const char *name, double value)
{
    char number[32];
    snprintf(number, sizeof number, "%.4f", value);
    ls_json_raw(text, name, isnan(value) ? "null" : number);
}

static void add_result(ls_builder *text, const bench_report *report, const bench_result *result)
{
    ls_json_line(text, 1);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", result->row->name);
    ls_json_string(text, "note", result->note);
    ls_json_string(text, "unit", result->row->unit);
    add_number(text, "bare", result->bare);
    add_number(text, "ours", result->ours);
    add_number(text, "ratio", result->ratio);
    add_number(text, "spread", result->spread);
    ls_json_bool(text, "disturbed", is_disturbed(report, result));
    if (result->row->target == BENCH_NO_TARGET)
        ls_json_string(text, "reached", NULL);
    else
        ls_json_bool(text, "reached", is_reached(report, result));
    ls_json_close(text, '}');
}

void bench_report_json(const bench_report *report, FILE *file)
{
    ls_builder text = {0};
    ls_json_open(&text, NULL, '{');
    ls_json_string(&text, "suite", report->suite->name);
    if (report->suite->takes_entities)
        ls_json_u64(&text, "entities", report->options->entities);
    ls_json_u64(&text, "runs", report->options->runs);
    ls_json_open(&text, "rows", '[');
    for (uint32_t i = 0; i < report->count; i++)
        add_result(&text, report, &report->results[i]);
    ls_json_close_lines(&text, 0, ']');
    ls_json_close(&text, '}');
    fprintf(file, "%s\n", text.data);
    ls_free(text.data);
}
