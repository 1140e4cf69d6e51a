#include "cli/common/junit.h"

#include "cli/common/clock.h"
#include "cli/common/xml_text.h"

#include <string.h>

static void add_attribute(ls_builder *text, const char *name, const char *value, size_t count)
{
    ls_builder_add(text, " %s=\"", name);
    ls_xml_add(text, value, count, true);
    ls_builder_add(text, "\"");
}

static void add_seconds(ls_builder *text, uint64_t ns)
{
    uint64_t ms = ns / LS_NS_PER_MS;
    ls_builder_add(text, " time=\"%llu.%03llu\"", (unsigned long long)(ms / 1000),
                   (unsigned long long)(ms % 1000));
}

static const char *const elements[] = {
    [LS_JUNIT_FAILED] = "failure", [LS_JUNIT_ERROR] = "error", [LS_JUNIT_SKIPPED] = "skipped"};

/* Ends a case that has only a note, or nothing. */
static void add_note(ls_builder *text, const char *note)
{
    if (!note) {
        ls_builder_add(text, "/>\n");
        return;
    }
    ls_builder_add(text, ">\n      <system-out>");
    ls_xml_add(text, note, strlen(note), true);
    ls_builder_add(text, "</system-out>\n    </testcase>\n");
}

static void add_case(ls_builder *text, const ls_junit_case *one)
{
    const char *words = one->text ? one->text : "";
    ls_builder_add(text, "    <testcase");
    add_attribute(text, "classname", one->group, strlen(one->group));
    add_attribute(text, "name", one->name, strlen(one->name));
    add_seconds(text, one->ns);
    if (one->result == LS_JUNIT_GOOD) {
        add_note(text, one->note);
        return;
    }
    const char *element = elements[one->result];
    ls_builder_add(text, ">\n      <%s", element);
    add_attribute(text, "message", words, strcspn(words, "\n"));
    if (one->result == LS_JUNIT_SKIPPED) {
        ls_builder_add(text, "/>\n    </testcase>\n");
    } else {
        ls_builder_add(text, ">");
        ls_xml_add(text, words, strlen(words), true);
        ls_builder_add(text, "</%s>\n    </testcase>\n", element);
    }
}

void ls_junit_add(ls_builder *text, const char *suite, const ls_junit_case *cases, uint32_t count)
{
    uint32_t counts[LS_COUNT_OF(elements)] = {0};
    uint64_t ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        counts[cases[i].result]++;
        ns += cases[i].ns;
    }
    ls_builder_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    add_attribute(text, "name", suite, strlen(suite));
    ls_builder_add(text, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", count,
                   counts[LS_JUNIT_FAILED], counts[LS_JUNIT_ERROR], counts[LS_JUNIT_SKIPPED]);
    add_seconds(text, ns);
    ls_builder_add(text, ">\n");
    for (uint32_t i = 0; i < count; i++)
        add_case(text, &cases[i]);
    ls_builder_add(text, "  </testsuite>\n</testsuites>\n");
}
