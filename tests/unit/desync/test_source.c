/* Finds source lines of addresses in this program, and in shared objects with and without line
 * information. */
#include "desync/source.h"
#include "tests/unit/core/harness.h"

#include <dlfcn.h>

enum { PLACES_MAX = 16, DRIFT_BYTES = 512, INLINED_LINE = 11 };

struct module {
    void *library;
    const ls_sim *sim;
};

static struct module load(const char *path)
{
    struct module module = {.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!module.library)
        fail_msg("%s", dlerror());
    const ls_sim *(*get)(void);
    void *symbol = dlsym(module.library, "ls_sim_export");
    memcpy(&get, &symbol, sizeof get);
    module.sim = get();
    return module;
}

__attribute__((noinline)) static uintptr_t here(void)
{
    return (uintptr_t)__builtin_return_address(0);
}

TEST(test_source_finds_the_line_of_a_call)
{
    ls_sources *sources = ls_sources_open();
    ls_source_place places[PLACES_MAX];
    uint32_t line = __LINE__ + 1;
    uintptr_t address = here();
    assert_true(ls_sources_find(sources, address - 1, places, PLACES_MAX) >= 1);
    assert_string_equal(places[0].function, "test_source_finds_the_line_of_a_call");
    assert_int_equal(places[0].line, line);
    assert_non_null(strstr(places[0].file, "test_source.c"));
    assert_null(ls_source_remedy(&places[0]));
    ls_sources_close(sources);
}

/* Some address of the system's function is in an inlined function: the inlined line comes first,
 * then the line of the call. */
TEST(test_source_finds_inlined_functions_of_a_module)
{
    struct module module = load(LS_PLANTED);
    uintptr_t start = (uintptr_t)module.sim->systems[0].span;
    ls_sources *sources = ls_sources_open();
    ls_source_place places[PLACES_MAX];
    uint32_t count = ls_sources_find(sources, start, places, PLACES_MAX);
    assert_string_equal(places[count - 1].function, "drift");
    assert_int_equal(places[count - 1].offset, 0);
    assert_non_null(strstr(places[count - 1].module, "planted.so"));
    bool is_found = false;
    for (uintptr_t at = start; !is_found && at < start + DRIFT_BYTES; at++) {
        count = ls_sources_find(sources, at, places, PLACES_MAX);
        is_found = count == 2 && places[0].line == INLINED_LINE;
    }
    assert_true(is_found);
    assert_string_equal(places[0].function, "shift");
    assert_true(places[0].is_inlined);
    assert_string_equal(places[1].function, "drift");
    assert_true(places[1].line > INLINED_LINE);
    ls_sources_close(sources);
    dlclose(module.library);
}

TEST(test_source_advises_without_debug_lines)
{
    struct module module = load(LS_PLANTED_BARE);
    ls_sources *sources = ls_sources_open();
    ls_source_place place;
    assert_int_equal(ls_sources_find(sources, (uintptr_t)module.sim->systems[0].span, &place, 1),
                     1);
    assert_int_equal(place.line, 0);
    assert_null(place.file);
    assert_non_null(strstr(place.module, "planted_bare.so"));
    assert_non_null(strstr(ls_source_remedy(&place), "-g"));
    ls_sources_close(sources);
    dlclose(module.library);
}

TEST(test_source_of_an_address_that_is_none)
{
    ls_sources *sources = ls_sources_open();
    ls_source_place place;
    assert_int_equal(ls_sources_find(sources, 16, &place, 1), 1);
    assert_null(place.function);
    assert_int_equal(place.line, 0);
    ls_sources_close(sources);
}
