/* Variables of a shared object are restored, and the report names those that differ between two
 * images. */
#include "desync/statics.h"
#include "stateful_module.h"
#include "tests/unit/core/harness.h"

#include <dlfcn.h>

enum { SUM = 5 + 6 + 7 + 8 };

typedef struct scene {
    void *library;
    const stateful_module *kept;
    ls_sources *sources;
} scene;

static int begin(void **state)
{
    static scene self;
    const stateful_module *(*get)(void);
    self.library = dlopen(LS_STATEFUL_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (!self.library)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(self.library, "stateful_module_get");
    memcpy(&get, &symbol, sizeof get);
    self.kept = get();
    self.sources = ls_sources_open();
    *state = &self;
    return 0;
}

static int finish(void **state)
{
    scene *self = *state;
    ls_sources_close(self->sources);
    dlclose(self->library);
    return 0;
}

static void assert_prints(const scene *self, const ls_statics *a, const ls_statics *b, uint32_t max,
                          const char *expected)
{
    ls_builder text = {0};
    ls_builder_add(&text, "<");
    ls_statics_print(a, b, self->sources, max, &text);
    ls_builder_add(&text, ">");
    assert_string_equal(text.data, expected);
    ls_free(text.data);
}

TESTS_AROUND(begin, finish);

TEST(test_statics_are_put_back)
{
    scene *self = *state;
    ls_statics *image = ls_statics_take(self->kept->limit);
    assert_non_null(image);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(self->kept->sum(), SUM);
        self->kept->store(1000);
        self->kept->store(2000);
        assert_int_equal(self->kept->sum(), 2000 + SUM - 7 + 2000);
        ls_statics_put(image);
    }
    assert_int_equal(self->kept->sum(), SUM);
    ls_statics_destroy(image);
}

TEST(test_statics_that_differ_are_named)
{
    scene *self = *state;
    ls_statics *before = ls_statics_take(self->kept->limit);
    self->kept->store(0x01010101);
    ls_statics *behind = ls_statics_take(self->kept->limit);
    assert_prints(self, before, before, 8, "<>");
    assert_prints(self, behind, behind, 8, "<>");
    /* Each variable is named once, whichever parts differ; the linker decides their order. */
    ls_builder text = {0};
    ls_statics_print(before, behind, self->sources, 8, &text);
    assert_int_equal(strlen(text.data), strlen("calls, homes"));
    assert_non_null(strstr(text.data, "calls"));
    assert_non_null(strstr(text.data, "homes"));
    ls_free(text.data);
    text = (ls_builder){0};
    ls_statics_print(behind, before, self->sources, 1, &text);
    assert_int_equal(strlen(text.data), strlen("calls and more"));
    assert_non_null(strstr(text.data, " and more"));
    ls_free(text.data);
    ls_statics_put(before);
    ls_statics_destroy(before);
    ls_statics_destroy(behind);
}

TESTS_AROUND(NULL, NULL);

TEST(test_statics_of_the_program_are_not_taken)
{
    static int own;
    assert_null(ls_statics_take(&own));
    assert_null(ls_statics_take((const void *)(uintptr_t)16));
    ls_statics_destroy(NULL);
}
