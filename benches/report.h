/* Prints results as a table for people, as a table for a page of docs/, and as JSON. */
#ifndef LS_BENCH_REPORT_H
#define LS_BENCH_REPORT_H

#include "benches/bench.h"

#include <stdio.h>

typedef struct bench_report {
    const bench_suite *suite;
    const bench_options *options;
    const bench_result *results;
    uint32_t count;
} bench_report;

void bench_report_table(const bench_report *report, FILE *file);
void bench_report_markdown(const bench_report *report, FILE *file);
void bench_report_json(const bench_report *report, FILE *file);

#endif
